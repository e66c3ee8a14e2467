// Live numbers of the crawls that run, in the table of the home page and in that of the jobs: asks every two seconds.
// A job whose process has ended keeps its last row; the next load of the page says what became of it.
const table = document.querySelector("[data-running]");
const words = JSON.parse(table?.dataset.words ?? "{}");
const language = `${document.documentElement.lang}-u-nu-latn`;
let tag = "";

async function ask() {
  const answer = await fetch(table.dataset.running, { headers: tag ? { "If-None-Match": tag } : {}, cache: "no-store" });
  if (answer.status === 304) return;
  if (!answer.ok) throw new Error(String(answer.status));
  tag = answer.headers.get("ETag") ?? "";
  for (const job of (await answer.json()).jobs) {
    const row = table.querySelector(`[data-job="${CSS.escape(job.id)}"]`);
    for (const cell of row?.querySelectorAll("[data-number]") ?? []) {
      cell.textContent = shown(cell.dataset.number, job);
    }
  }
}

function shown(name, job) {
  if (name === "state") return job.reason ? `${said(job.state)} (${said(job.reason)})` : said(job.state);
  const places = name === "pages_per_s" ? 1 : 0;
  return Number(job[name]).toLocaleString(language, { minimumFractionDigits: places, maximumFractionDigits: places });
}

// The words of the crawler in the language of the page, which the server put into it.
function said(word) {
  return words[word] ?? word;
}

if (table) {
  const again = () => ask().catch(() => {}).finally(() => setTimeout(again, document.hidden ? 10000 : 2000));
  setTimeout(again, 1000);
}
