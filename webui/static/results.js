// Enhancement only: suggestions while typing, and keys for the list. The page works without it.

const field = document.getElementById("q");
const hits = [...document.querySelectorAll(".hits .hit")];
let current = -1;

// ---- keys: "/" to the search field, j and k through the hits, o opens, c opens the cached copy, n and p turn pages, ? helps.
// They can be switched off in the settings, as single keys must (WCAG 2.1.4).

function show(place) {
  if (place < 0 || place >= hits.length) return;
  hits[current]?.removeAttribute("data-current");
  current = place;
  hits[current].setAttribute("data-current", "");
  hits[current].querySelector("h2 a").focus();
}

const keys = {
  "/": () => { field?.focus(); field?.select(); },
  "j": () => show(current + 1),
  "k": () => show(current - 1),
  "o": () => hits[current]?.querySelector("h2 a").click(),
  "c": () => hits[current]?.querySelector(".actions a").click(),
  "n": () => document.querySelector(".pager [rel='next']")?.click(),
  "?": () => document.querySelector("[data-help]")?.click(),
  "p": () => document.querySelector(".pager [rel='prev']")?.click(),
};

if (document.body.dataset.shortcuts !== "off") {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (event.target.closest("input, textarea, select, [contenteditable]")) return;
    const act = keys[event.key];
    if (act) {
      event.preventDefault();
      act();
    }
  });
}
for (const [place, hit] of hits.entries()) {
  hit.addEventListener("focusin", () => {
    hits[current]?.removeAttribute("data-current");
    current = place;
    hit.setAttribute("data-current", "");
  });
}

// ---- suggestions: a combobox over /suggest (OpenSearch suggestions: [typed, [completions]])

const address = field?.dataset.suggest;
if (field && address) {
  const list = document.createElement("ul");
  list.className = "suggestions";
  list.id = "suggestions";
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", field.dataset.suggestLabel ?? "");
  list.hidden = true;
  field.after(list);
  field.setAttribute("role", "combobox");
  field.setAttribute("aria-autocomplete", "list");
  field.setAttribute("aria-controls", list.id);
  field.setAttribute("aria-expanded", "false");
  let chosen = -1;
  let typed = field.value;
  let waiting = 0;
  let asked = null;

  const close = () => {
    list.hidden = true;
    list.replaceChildren();
    chosen = -1;
    field.setAttribute("aria-expanded", "false");
    field.removeAttribute("aria-activedescendant");
  };

  const choose = (place) => {
    const items = [...list.children];
    if (!items.length) return;
    chosen = place < -1 ? items.length - 1 : place >= items.length ? -1 : place;
    items.forEach((item, at) => item.setAttribute("aria-selected", String(at === chosen)));
    if (chosen < 0) {
      field.value = typed;
      field.removeAttribute("aria-activedescendant");
    } else {
      field.value = items[chosen].dataset.query;
      field.setAttribute("aria-activedescendant", items[chosen].id);
    }
  };

  const fill = (suggestions) => {
    close();
    for (const [place, [query, text]] of suggestions.slice(0, 10).entries()) {
      const item = document.createElement("li");
      item.id = `suggestion-${place}`;
      item.setAttribute("role", "option");
      item.setAttribute("aria-selected", "false");
      item.dir = "auto";
      item.textContent = text;
      item.dataset.query = query;
      item.addEventListener("mousedown", (event) => {
        event.preventDefault(); // the field keeps the focus
        field.value = query;
        field.form.submit();
      });
      list.append(item);
    }
    list.hidden = !list.children.length;
    field.setAttribute("aria-expanded", String(!list.hidden));
  };

  const ask = async () => {
    asked?.abort();
    const text = field.value.trim();
    if (text.length < 2) return close();
    asked = new AbortController();
    try {
      const answer = await fetch(`${address}?q=${encodeURIComponent(text)}`, { signal: asked.signal });
      if (!answer.ok) return close();
      const [about, queries, texts] = await answer.json();
      const found = queries.map((query, at) => [query, texts[at] || query]).filter(([query]) => query !== text);
      if (about === text && field === document.activeElement) fill(found);
    } catch {
      // another key was pressed, or the server is gone: no suggestions then
    }
  };

  field.addEventListener("input", (event) => {
    typed = field.value;
    clearTimeout(waiting);
    if (!event.isComposing) waiting = setTimeout(ask, 120);
  });
  field.addEventListener("blur", close);
  field.addEventListener("keydown", (event) => {
    if (list.hidden || event.isComposing) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      choose(chosen + (event.key === "ArrowDown" ? 1 : -1));
    } else if (event.key === "Escape") {
      event.preventDefault();
      field.value = typed;
      close();
    }
  });
}
