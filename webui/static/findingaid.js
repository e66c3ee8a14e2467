// Enhancement only: every page works without it.

// The frame of a cached page is sandboxed, so nobody outside can see which page it
// shows. A second load means that a link was followed; the bar then says so.
const frame = document.querySelector("iframe[sandbox]");
const note = document.querySelector("[data-frame-note]");
if (frame && note) {
  let loads = document.readyState === "complete" ? 1 : 0;
  frame.addEventListener("load", () => {
    loads += 1;
    note.hidden = loads < 2;
  });
}
