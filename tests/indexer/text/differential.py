"""Holds the core's reader of HTML against Lexbor's tree, walked (`tree_walk.py`): real pages, and real pages spoiled.

    python -m tests.indexer.text.differential [--spoiled 20000] [--seed 1] ARCHIVE...

Compared: the words with the element of each of their characters, in their order, and title, links and what the head
says. What is printed is how many pages differ in what, and where the first of each kind is kept.

On the 73,000 real pages of the benchmark's corpus nothing differs, nor on 20,000 of them with up to four random
changes each (`spoil`). Random mixtures of tags (`SCRAPS`, and more) found these differences, which are left:

- A zero byte inside `noframes` is dropped, as in any other text; the tree has U+FFFD there, since the text was raw when
  it was read first.
- The text of `noframes` without any tag counts for a link around it.
- Markup of `noframes` in `noframes` is read three levels deep; in the tree, as deep as it goes.
- `<image>` in a table, outside its cells, is a picture as elsewhere; Lexbor loses it.
- Of more than 256 formatting elements open at once the first are closed, of more than 4,096 of any kind the innermost.
- Formatting elements are the same for the rule that at most three such are opened again if their attributes are written
  in the same way; Lexbor compares them as a set.

Pages that would cost the tree too much (`too_costly`) are not compared.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from indexer.text.documents import FileEntry, read_captures
from indexer.text.elements import PageText
from indexer.text.pages import collect_page
from tests.indexer.text.tree_walk import walked_page

HEAD = ("title", "description", "keywords", "language", "robots", "base", "links")
_WORD = re.compile(r"\w+")
_TAG = re.compile(r"<!--.*?-->|<[^<>]*>", re.DOTALL)
# What changes how markup is read, and some text.
SCRAPS = [
    scrap.replace("_", " ")
    for scrap in (
        "<a> <a_href=x> <a_class=c_href=y> <a_href=''> </a> <b> </b> <caption> </caption> <title> </title> <svg>"
        " </svg> </h1> <h1> <head> </head> <body> </body> <html_lang=x> </html> <img_alt=q> <img_alt=''>"
        " <input_type=submit_value=w> <br> <area_alt=e> <p> </p> <table> </table> <tr> </tr> <td> </td> <th>"
        " <tbody> <col> <colgroup> <script> </script> <style> </style> <template> </template> <iframe> </iframe>"
        " <!-- --> <xmp> </xmp> <math> <mi> </math> <select> </select> <option> <optgroup> <textarea> </textarea>"
        " <i> </i> <span> </span> <font> </font> <nobr> <?php_?> <li> <ul> </ul> <dd> <dt> <div> </div> <form>"
        " </form> <button> </button> <object> </object> <x> </x> <pre> <hr> <ruby> <rt> <em> </em>"
        " <meta_name=keywords_content='k_l'> <meta_property=og:description_content=d> < > & &amp;lt; &lt; &lt &ampx"
        " &#65 \" ' = <p_t=\"> <p_t='\"'> href= <a_t='_href=' one <a_rel=nofollow_href=z> <base_href=n>"
        " <area_href=m_alt=o> two \xe9 e \u0301 \u1112 \u1161 \u3042 \xdf \u2026 \xa0 \x00 \x01 \x0c"
        " <foreignObject> <desc> <noscript> </noscript> </br> <!doctype_html> <a<b> <frameset> <frame_src=f>"
        " </frameset> <address> <center> </center> <plaintext> <![CDATA[ ]]> <svg/> <mglyph> <label> <legend>"
        " <dialog> <search>"
    ).split(" ")
]
_INSERTED = (
    "<b> </b> <i> <a_href=q> </a> <table> </table> <tr> <td> </td> <caption> <p> </p> <div> </div> <li> <ul>"
    " </ul> <select> </select> <option> <svg> </svg> <math> <mi> <template> </template> <h1> </h2> <form>"
    " </form> <button> </button> <font> </font> <nobr> <!-- --> <script> </script> <style> <title> </title>"
    " <frameset> <frame> <noframes> <body> <head> <html> </body> </html> <textarea> <xmp> <plaintext> <object>"
    " </object> <span> </span> <x> </x> <dd> <foreignObject> <dt> <pre> <input> <hr> <br> </br> <tbody> <col>"
    " <colgroup> <ruby> <rt> <noscript> <iframe> <ol> <address> <?php_?> <![CDATA[ ]]>"
).split()  # fmt: skip


def differences(core: PageText, tree: PageText) -> list[str]:
    """Return in what two readings of a page differ."""
    found = [name for name in HEAD if getattr(core, name) != getattr(tree, name)]
    ours, theirs = words(core), words(tree)
    if ours == theirs:
        return found
    if [word for word, _ in ours] == [word for word, _ in theirs]:
        return ["classes", *found]
    return ["order" if sorted(ours) == sorted(theirs) else "words", *found]


def words(page: PageText) -> list[tuple[str, bytes]]:
    """Return the words of the running text, each with the element of every character."""
    elements = b"".join(
        bytes([element]) * len(piece) for piece, element in zip(page.pieces, page.classes, strict=True)
    )
    return [(match[0], elements[match.start() : match.end()]) for match in _WORD.finditer(page.text)]


def too_costly(html: str) -> bool:
    """Tell whether Lexbor's tree of a page may take minutes, or the page is cut by the core."""
    return html.count("<") > 100_000 or len(html) > 2_000_000 or collected_depth(html) > 250


def collected_depth(html: str) -> int:
    """Return about how many formatting elements are open at once at most."""
    depth = most = 0
    for closing in re.findall(r"<(/?)(?:a|b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u)[\s>]", html):
        depth = max(0, depth - 1) if closing else depth + 1
        most = max(most, depth)
    return most


def spoil(random_: random.Random, html: str) -> str:
    """Return a page with one random change of its tags, its end, or a few bytes."""
    tags = [match.span() for match in _TAG.finditer(html)] or [(0, len(html))]
    low, high = random_.choice(tags)
    place = random_.randrange(len(html) + 1)
    kind = random_.randrange(7)
    if kind == 0:  # tags deleted
        for low, high in sorted(
            random_.sample(tags, min(len(tags), random_.choice((1, 1, 5)))), reverse=True
        ):
            html = html[:low] + html[high:]
        return html
    if kind == 1:  # one twice
        return html[:high] + html[low:high] + html[high:]
    if kind == 2:  # one moved
        tag, html = html[low:high], html[:low] + html[high:]
        place = random_.randrange(len(html) + 1)
        return html[:place] + tag + html[place:]
    if kind == 3:  # two that change places
        low2, high2 = random_.choice(tags)
        if high <= low2:
            return html[:low] + html[low2:high2] + html[high:low2] + html[low:high] + html[high2:]
        return html
    if kind == 4:
        return html[:place]
    if kind == 5:
        return html[:place] + random_.choice(_INSERTED).replace("_", " ") + html[place:]
    data = bytearray(html.encode("utf-8", "ignore") or b" ")
    for _ in range(random_.randint(1, 8)):
        data[random_.randrange(len(data))] = random_.choice(b"<>/\"'=& \0\n-!abp?")
    return data.decode("utf-8", "replace")


def pages_of(path: Path) -> Iterator[str]:
    """Yield the markup of the pages of an archive."""
    for capture in read_captures(str(path), FileEntry(str(path))):
        if capture.page is not None:
            yield capture.page.html


def main() -> int:
    """Compare, and return 0 if nothing differs."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("archives", nargs="+", type=Path, help="archive files, or folders of them")
    parser.add_argument(
        "--spoiled", type=int, default=0, help="how many spoiled pages (0: the pages as they are)"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="folder for the first pages of each kind that differ")
    given = parser.parse_args()
    files = [
        file
        for path in given.archives
        for file in (sorted(path.rglob("*")) if path.is_dir() else [path])
        if file.is_file()
    ]
    found: Counter[tuple[str, ...]] = Counter()
    compared = left = 0
    for html in _spoiled(files, given.spoiled, given.seed) if given.spoiled else _all(files):
        if too_costly(html):
            left += 1
            continue
        compared += 1
        kinds = tuple(differences(collect_page(html), walked_page(html)))
        if kinds:
            found[kinds] += 1
            if given.keep and found[kinds] <= 3:
                name = f"{'-'.join(kinds)}-{found[kinds]}.html"
                (given.keep / name).write_text(html, encoding="utf-8", errors="surrogatepass")
    sys.stdout.write(f"{compared:,} pages compared, {left:,} left out as too costly for the tree\n")
    for kinds, count in found.most_common():
        sys.stdout.write(f"{count:,} differ in {', '.join(kinds)}\n")
    return 1 if found else 0


def _all(files: list[Path]) -> Iterator[str]:
    for file in files:
        yield from pages_of(file)


def _spoiled(files: list[Path], count: int, seed: int) -> Iterator[str]:
    random_ = random.Random(seed)
    pages = [html for html in _all(files) if len(html) < 100_000]
    for _ in range(count):
        html = random_.choice(pages)
        for _ in range(random_.choice((1, 1, 2, 4))):
            html = spoil(random_, html)
        yield html


if __name__ == "__main__":
    sys.exit(main())
