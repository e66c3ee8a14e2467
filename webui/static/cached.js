// Enhancement of the cached page only: it works without.

// What is missing is looked up when the page is there already. The load of this page waits for that of the
// frame; the frame's own may be over before this script has come, and is then never heard of.
const parts = document.querySelector("[data-parts]");
if (parts) {
  const look = async () => {
    try {
      const answer = await fetch(parts.dataset.parts);
      if (answer.ok) parts.textContent = (await answer.json()).text;
    } catch { /* the link beside it leads to the same */ }
  };
  if (document.readyState === "complete") look();
  else window.addEventListener("load", look, { once: true });
}

// Previous and next place of the query: the numbered links, stepped through.
const list = document.querySelector("[data-hits]");
const steps = document.querySelector("[data-hit-steps]");
if (list && steps) {
  const links = [...list.querySelectorAll("a")];
  const place = steps.querySelector("[data-hit-place]");
  let at = -1;
  const go = (step) => {
    at = (at + step + links.length) % links.length;
    links[at].click();
    place.textContent = `${at + 1} / ${links.length}`;
  };
  steps.addEventListener("click", (event) => {
    const button = event.target.closest("[data-step]");
    if (button) go(at < 0 && button.dataset.step < 0 ? 0 : Number(button.dataset.step));
  });
  steps.hidden = false;
  list.hidden = true;
}
