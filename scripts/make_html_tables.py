"""Writes indexer/core/html_tables.h and html_tables.c: tags as the reader of HTML knows them, and named references.

    python -m scripts.make_html_tables

Tags and their properties are those of the HTML standard, section "Tree construction"; what a tag means for the text of
a page stands in indexer/text/elements.py; the references come from Python's html.entities.
"""

from __future__ import annotations

from html.entities import html5
from pathlib import Path

from indexer.text.elements import EMPHASIS_TAGS, HEADING_TAGS, INLINE, SKIPPED

FOLDER = Path(__file__).parent.parent / "indexer" / "core"

SPECIAL = (
    "address applet area article aside base basefont bgsound blockquote body br button caption center col colgroup dd"
    " details dir div dl dt embed fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header"
    " hgroup hr html iframe img input keygen li link listing main marquee menu meta nav noembed noframes noscript"
    " object ol p param plaintext pre script search section select source style summary table tbody td template"
    " textarea tfoot th thead title tr track ul wbr xmp"
)
SCOPE = "applet caption html table td th marquee object select template"
LIST_SCOPE = SCOPE + " ol ul"
BUTTON_SCOPE = SCOPE + " button"
TABLE_SCOPE = "html table template"
FORMATTING = "a b big code em font i nobr s small strike strong tt u"
IMPLIED = "dd dt li optgroup option p rb rp rt rtc"
IMPLIED_THOROUGHLY = IMPLIED + " caption colgroup tbody td tfoot th thead tr"
BREAKOUT = (
    "b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta"
    " nobr ol p pre ruby s small span strong strike sub sup table tt u ul var"
)
MATH_TEXT = "mi mo mn ms mtext"
SVG_HTML = "foreignobject desc title"
OTHERS = "dialog svg math annotation-xml mglyph malignmark image frame noframes font nobr ruby"
# attributes of these are looked at
READ = "a area img image input frame meta base html font annotation-xml"

FLAGS = {
    "SPECIAL": SPECIAL,
    "SCOPE": SCOPE,
    "LIST_SCOPE": LIST_SCOPE,
    "BUTTON_SCOPE": BUTTON_SCOPE,
    "TABLE_SCOPE": TABLE_SCOPE,
    "FORMATTING": FORMATTING,
    "IMPLIED": IMPLIED,
    "IMPLIED_THOROUGHLY": IMPLIED_THOROUGHLY,
    "BREAKOUT": BREAKOUT,
    "MATH_TEXT": MATH_TEXT,
    "SVG_HTML": SVG_HTML,
    "READ": READ,
}

# What an element does to the text of a page.
KINDS = {
    "a": "ANCHOR",
    "title": "TITLE",
    "head": "HEAD",
    "svg": "SVG",
    "noframes": "NOFRAMES",
    "pre": "PRE",
}

TABLE_BITS = 12
REFERENCE_BITS = 13


def kind_of(tag: str) -> str:
    """Return the name of a KIND_ constant."""
    if tag in KINDS:
        return KINDS[tag]
    if tag in HEADING_TAGS:
        return "HEADING"
    if tag in EMPHASIS_TAGS:
        return "EMPHASIS" if tag in INLINE else "EMPHASIS_BLOCK"
    if tag in SKIPPED:
        return "SKIP"
    return "NONE" if tag in INLINE else "PART"


def tag_names() -> list[str]:
    """Return the names of all tags that are known by a number."""
    names = {name for text in FLAGS.values() for name in text.split()}
    names |= {
        *INLINE,
        *HEADING_TAGS,
        *EMPHASIS_TAGS,
        *OTHERS.split(),
        *(tag for tag in SKIPPED if tag.isalpha()),
    }
    return sorted(names)


def constant(tag: str) -> str:
    """Return the name of a tag in C."""
    return "TAG_" + tag.upper().replace("-", "_")


def first_eight(name: str) -> int:
    """Return the number that the first eight bytes of a name are."""
    return int.from_bytes(name.encode()[:8].ljust(8, b"\0"), "little")


def factor_for(codes: list[int], bits: int) -> int:
    """Return an odd factor that sends different codes to different places of a table."""
    factor = 0x9E3779B97F4A7C15
    while len({(code * factor % (1 << 64)) >> (64 - bits) for code in codes}) < len(codes):
        factor += 2
    return factor


def header() -> str:
    """Return html_tables.h."""
    tags = "\n".join(f"    {constant(tag)}," for tag in tag_names())
    flags = "\n".join(f"    TAG_IS_{name} = 1 << {bit}," for bit, name in enumerate(FLAGS))
    return f"""/* Written by scripts/make_html_tables.py: tags of HTML, what they do, and named character references. */
#ifndef FINDINGAID_HTML_TABLES_H
#define FINDINGAID_HTML_TABLES_H

#include "core.h"

enum html_tag {{
    TAG_OTHER = 0, /* known by the hash of its name */
{tags}
    TAG_COUNT
}};

enum html_tag_flag {{
{flags}
}};

/* What an element does to the text of a page. */
enum html_kind {{
    KIND_NONE = 0, /* nothing: a word may go on through it */
    KIND_PART, /* a block */
    KIND_EMPHASIS,
    KIND_EMPHASIS_BLOCK,
    KIND_HEADING,
    KIND_ANCHOR,
    KIND_TITLE,
    KIND_HEAD,
    KIND_SVG,
    KIND_NOFRAMES,
    KIND_PRE,
    KIND_SKIP /* its contents are no text of the page */
}};

typedef struct html_tag_info {{
    uint16_t flags;
    uint8_t kind;
}} html_tag_info;

extern const html_tag_info html_tag_infos[TAG_COUNT];

/* Returns the number of a tag. first: its first eight bytes in lower case as a little-endian number, filled up with
 * zeros; name: all of it, in any case. */
unsigned html_tag_named(uint64_t first, const uint8_t *name, size_t size);

/* Returns the text (UTF-8) of a named character reference, data NULL for none. name: as it stands behind "&", with
 * its semicolon if it has one. */
fa_bytes html_reference_named(const uint8_t *name, size_t size);

#endif
"""


def body() -> str:
    """Return html_tables.c."""
    names = tag_names()
    infos = []
    for tag in names:
        flags = " | ".join(f"TAG_IS_{name}" for name, tags in FLAGS.items() if tag in tags.split()) or "0"
        infos.append(f"    [{constant(tag)}] = {{{flags}, KIND_{kind_of(tag)}}},")
    codes = [first_eight(tag) ^ (len(tag) << 59) for tag in names]
    assert len(set(codes)) == len(codes)
    factor = factor_for(codes, TABLE_BITS)
    slots = {
        (code * factor % (1 << 64)) >> (64 - TABLE_BITS): tag for code, tag in zip(codes, names, strict=True)
    }
    places = "\n".join(f"    [{slot}] = {constant(tag)}," for slot, tag in sorted(slots.items()))
    spellings = "\n".join(
        f'    [{constant(tag)}] = {{0x{first_eight(tag):x}u, "{tag}", {len(tag)}}},' for tag in names
    )
    return "\n".join(
        [
            "/* Written by scripts/make_html_tables.py. */",
            '#include "html_tables.h"',
            "",
            "#include <string.h>",
            "",
            "const html_tag_info html_tag_infos[TAG_COUNT] = {",
            "    [TAG_OTHER] = {0, KIND_PART},",
            *infos,
            "};",
            "",
            "static const struct {",
            "    uint64_t first; /* its first eight bytes */",
            "    char name[15];",
            "    uint8_t size;",
            "} spellings[TAG_COUNT] = {",
            spellings,
            "};",
            "",
            f"static const uint8_t tag_at[1 << {TABLE_BITS}] = {{",
            places,
            "};",
            "",
            "unsigned html_tag_named(uint64_t first, const uint8_t *name, size_t size) {",
            "    if (size >= sizeof spellings[0].name) return TAG_OTHER;",
            f"    unsigned tag = tag_at[((first ^ ((uint64_t)size << 59)) * {factor}u) >> {64 - TABLE_BITS}];",
            "    if (spellings[tag].first != first || spellings[tag].size != size) return TAG_OTHER;",
            "    for (size_t i = 8; i < size; i++) {",
            "        uint8_t byte = name[i] >= 'A' && name[i] <= 'Z' ? name[i] | 0x20 : name[i];",
            "        if (byte != (uint8_t)spellings[tag].name[i]) return TAG_OTHER;",
            "    }",
            "    return tag;",
            "}",
            "",
            *references(),
            "",
        ]
    )


def reference_hash(name: bytes) -> int:
    """Return the place of a name in the table of references; the same as in C below."""
    value = 5381
    for byte in name:
        value = (value * 33 ^ byte) & 0xFFFFFFFF
    return (value * 0x9E3779B1 & 0xFFFFFFFF) >> (32 - REFERENCE_BITS)


def references() -> list[str]:
    """Return the lines of C for named character references."""
    size = 1 << REFERENCE_BITS
    slots: list[tuple[str, str] | None] = [None] * size
    for name, text in html5.items():
        place = reference_hash(name.encode())
        while slots[place] is not None:
            place = (place + 1) % size
        slots[place] = (name, text)
    rows: list[str] = []
    index = []
    at = 0
    lines = []
    for slot in slots:
        if slot is None:
            index.append(0)
            continue
        name, text = slot
        value = text.encode()
        rows.append(f"{{{at},{len(name)},{len(value)}}}")
        index.append(len(rows))
        # an escape takes all hexadecimal digits that follow: each text is a literal of its own
        lines.append(f'    "{name}" "' + "".join(f"\\{byte:03o}" for byte in value) + '"')
        at += len(name) + len(value)
    return [
        "/* Name and text of each reference, one behind the other. */",
        "static const char reference_pool[] =",
        *lines[:-1],
        lines[-1] + ";",
        "",
        "static const struct {",
        "    uint16_t at;",
        "    uint8_t name, text; /* sizes */",
        "} reference_rows[] = {",
        *wrapped(rows),
        "};",
        "",
        "/* 0: nothing here; else 1 more than a row. */",
        f"static const uint16_t reference_at[1 << {REFERENCE_BITS}] = {{",
        *wrapped([str(number) for number in index]),
        "};",
        "",
        "fa_bytes html_reference_named(const uint8_t *name, size_t size) {",
        "    uint32_t place = 5381;",
        "    for (size_t i = 0; i < size; i++) place = (place * 33) ^ name[i];",
        f"    place = (place * 0x9E3779B1u) >> {32 - REFERENCE_BITS};",
        f"    for (; reference_at[place]; place = (place + 1) & {size - 1}) {{",
        "        unsigned row = reference_at[place] - 1u;",
        "        const char *known = reference_pool + reference_rows[row].at;",
        "        if (reference_rows[row].name == size && memcmp(known, name, size) == 0) {",
        "            return (fa_bytes){(const uint8_t *)known + size, reference_rows[row].text};",
        "        }",
        "    }",
        "    return (fa_bytes){NULL, 0};",
        "}",
    ]


def wrapped(items: list[str], width: int = 110) -> list[str]:
    """Return items in lines of C."""
    lines, line = [], "   "
    for item in items:
        if len(line) + len(item) + 2 > width:
            lines.append(line)
            line = "   "
        line += f" {item},"
    return [*lines, line]


def main() -> None:
    (FOLDER / "html_tables.h").write_text(header())
    (FOLDER / "html_tables.c").write_text(body())


if __name__ == "__main__":
    main()
