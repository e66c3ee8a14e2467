// Live numbers of a crawl: asks every two seconds, and loads the page anew when the state has changed.
const box = document.querySelector("[data-live]");
const line = document.querySelector("[data-rate]");
// Western digits in every language, as on the rest of the page.
const language = `${document.documentElement.lang}-u-nu-latn`;
const rates = [];
let tag = "";

async function ask() {
  const answer = await fetch(box.dataset.live, { headers: tag ? { "If-None-Match": tag } : {}, cache: "no-store" });
  if (answer.status === 304) return;
  if (!answer.ok) throw new Error(String(answer.status));
  tag = answer.headers.get("ETag") ?? "";
  const status = await answer.json();
  const state = document.querySelector("[data-state]");
  if (state.dataset.state !== status.state) {
    location.replace(location.pathname);
    return;
  }
  for (const place of document.querySelectorAll("dd[data-number]")) {
    place.textContent = Number(status[place.dataset.number] ?? 0).toLocaleString(language);
  }
  rates.push(Number(status.pages_per_s ?? 0));
  if (rates.length > 150) rates.shift();
  draw();
}

function draw() {
  if (!line || rates.length < 2) return;
  const most = Math.max(1, ...rates);
  const step = 300 / (rates.length - 1);
  const points = rates.map((rate, place) => `${(place * step).toFixed(1)},${(58 - (56 * rate) / most).toFixed(1)}`);
  line.querySelector("polyline").setAttribute("points", points.join(" "));
  line.removeAttribute("hidden");
}

if (box) {
  const again = () => ask().catch(() => {}).finally(() => setTimeout(again, 2000));
  setTimeout(again, 1000);
}
