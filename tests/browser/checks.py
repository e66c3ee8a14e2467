"""What is asked of every page in the browser, beside axe-core: WCAG 2.2 points that it has no rule for."""

from __future__ import annotations

from importlib import resources
from typing import Any

WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
AXE = resources.files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")

# 2.4.11: whatever has the focus is to be seen. An element counts as covered when neither it nor a part of it is what
# lies at any of five places of its box.
COVERED = """() => {
  const found = [];
  for (const one of document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex='0']")) {
    if (one.disabled || one.type === "hidden" || !one.checkVisibility({ visibilityProperty: true })) continue;
    one.focus();
    if (document.activeElement !== one) continue;
    const seen = [...one.getClientRects()].some((box) =>
      [[0.5, 0.5], [0.05, 0.1], [0.95, 0.1], [0.05, 0.9], [0.95, 0.9]].some(([x, y]) => {
        const top = document.elementFromPoint(box.x + box.width * x, box.y + box.height * y);
        return top && (one.contains(top) || top.contains(one) || top.closest("label")?.control === one);
      }));
    if (!seen) found.push(one.outerHTML.slice(0, 150));
  }
  document.activeElement?.blur();
  scrollTo(0, 0);
  return found;
}"""

# 1.4.12: with wider lines, letters and words no text may be cut off. What is cut off already (for who only listens) and
# what can be scrolled does not count.
CLIPPED = """() => {
  const cuts = () => [...document.body.querySelectorAll("*")].filter((one) => {
    const style = getComputedStyle(one);
    const holds = (axis) => ["hidden", "clip"].includes(axis);
    return !one.closest("svg, .hidden-label, .skip") && one.textContent.trim() && style.clipPath === "none" && (
      (holds(style.overflowX) && one.scrollWidth > one.clientWidth + 1) ||
      (holds(style.overflowY) && one.scrollHeight > one.clientHeight + 1));
  });
  const before = new Set(cuts());
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`
    * { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important; }
    p { margin-block-end: 2em !important; }`);
  document.adoptedStyleSheets = [sheet];
  const found = cuts().filter((one) => !before.has(one) && !one.classList.contains("ellipsis"))
    .map((one) => `cut off: ${one.outerHTML.slice(0, 150)}`);
  const over = document.documentElement.scrollWidth - innerWidth;
  if (over > 0) {
    const wide = [...document.body.querySelectorAll("*")]
      .filter((one) => one.getBoundingClientRect().right > innerWidth + 1);
    found.push(`${over} px too wide: ${wide.slice(-2).map((one) => one.outerHTML.slice(0, 120)).join(" | ")}`);
  }
  document.adoptedStyleSheets = [];
  return found;
}"""

# 1.4.10: nothing needs sideways scrolling but tables and drawings in a region of their own.
TOO_WIDE = """() => {
  const over = document.documentElement.scrollWidth - innerWidth;
  if (over <= 0) return [];
  const wide = [...document.body.querySelectorAll("*")].filter((one) =>
    one.getBoundingClientRect().right > innerWidth + 1 && !one.parentElement.closest(".scroll"));
  return [`${over} px: ` + wide.slice(-2).map((one) => one.outerHTML.slice(0, 120)).join(" | ")];
}"""


# A column that is squeezed until its words lie one below the other cannot be read, however well the page fits.
SQUEEZED = """() => [...document.querySelectorAll("main th, main td")].filter((one) => {
    const lines = one.clientHeight / parseFloat(getComputedStyle(one).lineHeight);
    return one.clientWidth < 100 && lines > 6 && one.textContent.trim().length > 20 &&
      Math.max(...[...one.parentElement.children].map((cell) => cell.clientWidth)) > 200;
  }).slice(0, 3).map((one) => `${one.clientWidth} px: ${one.outerHTML.slice(0, 150)}`)"""


def violations(page: Any, *, rules: list[str] | None = None) -> list[str]:
    """Return what axe-core finds under the WCAG tags, or by some rules alone; archived pages are not ours."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)
    found = page.evaluate(
        """(only) => axe.run({ exclude: [["iframe"]] }, { runOnly: only, resultTypes: ["violations"] })
             .then((told) => told.violations.flatMap((one) => one.nodes.map((node) =>
               `${one.id}: ${node.html.slice(0, 150)} ${node.any[0]?.message ?? ""}`)))""",
        {"type": "rule", "values": rules} if rules else {"type": "tag", "values": WCAG},
    )
    return [str(one) for one in found]


def own_problems(page: Any) -> list[str]:
    """Return what the checks of this module find."""
    return [
        f"{name}: {one}"
        for name, script in (
            ("too wide", TOO_WIDE),
            ("squeezed", SQUEEZED),
            ("text spacing", CLIPPED),
            ("focus covered", COVERED),
        )
        for one in page.evaluate(script)
    ]
