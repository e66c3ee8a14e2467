// Enhancement only: every page works without it.

// The frame of a cached page is sandboxed, so nobody outside can see which page it
// shows. A load after that of our own page means that a link was followed; the bar
// then says so.
const frame = document.querySelector("iframe[sandbox]");
const note = document.querySelector("[data-frame-note]");
if (frame && note) {
  let settled = document.readyState === "complete";
  window.addEventListener("load", () => setTimeout(() => { settled = true; }, 0));
  frame.addEventListener("load", () => { note.hidden = !settled; });
}
