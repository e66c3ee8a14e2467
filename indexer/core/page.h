/* What a page of HTML says: its element texts, its links, and what its head declares. Made by extract.c.
 *
 * Goes in: the markup of a page as UTF-8 (other charsets are decoded by indexer/text/charset.py).
 * Comes out: a struct fa_page, which the batch, the snippets, the marks and the Text view read.
 *
 * All bytes that a page points to belong to its handle: they are there until the next fa_page_read with it, or
 * fa_page_free. They are UTF-8 as far as the markup was: what is no UTF-8 there is handed on as it stands.
 */
#ifndef FINDINGAID_PAGE_H
#define FINDINGAID_PAGE_H

#include "core.h"

/* The elements that a word can belong to, as in indexer/text/elements.py. */
enum fa_element {
    FA_TITLE = 0,
    FA_HEADING = 1,
    FA_ANCHOR = 2,
    FA_EMPHASIS = 3,
    FA_DESCRIPTION = 4,
    FA_KEYWORDS = 5,
    FA_BODY = 6,
    FA_URL = 7,
    FA_ALT = 8,
    FA_INLINK = 9
};

/* Running text from `begin` on, up to the next piece or the end of the text, belongs to one element.
 * Neighbouring pieces may be parts of one word: "foo<b>bar</b>" is a word whose end is emphasised. */
typedef struct fa_piece {
    uint32_t begin; /* byte of the running text */
    uint32_t element; /* enum fa_element: heading, anchor, emphasis, alt or body */
} fa_piece;

typedef struct fa_link {
    fa_bytes href; /* as written, references resolved; never empty */
    fa_bytes text; /* white space folded, at most FA_MOST_LINK_TEXT code points; may be empty */
} fa_link;

enum { FA_MOST_LINKS = 1000, FA_MOST_LINK_TEXT = 200 };

/* What fa_page_read left out (bits of fa_page.cut). */
enum fa_cut {
    FA_CUT_LINKS = 1, /* there were more than FA_MOST_LINKS links */
    FA_CUT_PARTS = 4, /* there were more than FA_MOST_PARTS parts */
    FA_CUT_NESTING = 2 /* nested so deep, or misnested so often, that elements were closed early: words stay, their
                          classes may be those of other elements */
};

/* With FA_PARTS: an element that may hold addresses, or the text of a style element. It has `strings` of the strings of
 * the page: its tag, then name and value of each attribute, in the order of their names; a style text has the name
 * "#text". An empty value and none are alike. */
typedef struct fa_part {
    uint32_t strings;
    uint32_t begin, end; /* of a link: its text, bytes of the running text */
} fa_part;

enum { FA_MOST_PARTS = 100000 };

/* Other modules only read this struct. It may also be filled in by somebody else than fa_page_read: the functions
 * that take a const fa_page * look at these fields alone. */
typedef struct fa_page {
    /* Running text in reading order: headings, links, emphasis, alternatives of pictures, everything else. Blocks are
     * parted by "\n"; white space is otherwise as written. Pieces rise; the first begins at 0; a text that is not
     * empty has at least one. */
    fa_bytes text;
    const fa_piece *pieces;
    size_t piece_count;

    /* data is NULL where there is none. */
    fa_bytes title; /* the first one outside pictures, white space folded; never empty */
    fa_bytes description, keywords; /* the last meta element of each; og:description where there is none before it */
    fa_bytes language; /* lang (or xml:lang) of the html element, else of a meta element; stripped of white space */
    fa_bytes robots; /* the last meta element of that name */
    fa_bytes base; /* href of the first base element that has one; may be empty */

    /* The first FA_MOST_LINKS links that the page vouches for (not nofollow, ugc, sponsored), in document order of
     * their ends. */
    const fa_link *links;
    size_t link_count;

    uint32_t cut; /* bits of enum fa_cut */

    /* Only with FA_PARTS, in document order; each string ends with a zero byte, and holds no other. */
    fa_bytes part_strings;
    const fa_part *parts;
    size_t part_count;
} fa_page;

/* How to read (bits of `options`). */
enum fa_reading {
    FA_PARAGRAPHS = 1, /* for readers: line feeds of the markup are blanks, but for preformatted text */
    FA_PARTS = 2, /* also all that the page points to or needs, for a crawl */
    FA_TEXT_ALONE = 4 /* for passages: no pieces of the running text, and no links */
};

/* Longer markup is refused. */
#define FA_MOST_HTML ((size_t)1 << 29)

/* Returns a handle that holds an empty page, NULL when memory is short. Kept for many pages, it keeps its buffers. */
FA_EXPORT fa_page *fa_page_new(void);
FA_EXPORT void fa_page_free(fa_page *page);

/* Reads a page; any bytes are markup. Time grows with the size of the markup, whatever it is; memory is at most about
 * 16 bytes for each byte of it (real pages: one to two), given back beyond 1 MiB by the next smaller page.
 * Returns FA_OK, FA_NO_MEMORY or FA_TOO_LARGE (more than FA_MOST_HTML bytes); after a failure the page is empty. */
FA_EXPORT int fa_page_read(fa_page *page, fa_bytes html, uint32_t options);

/* Put address and text of each link into `room`, a zero byte behind each of them (one inside becomes a blank), and tell
 * how many bytes that are; with NULL for `room` only tell. */
FA_EXPORT size_t fa_page_links(const fa_page *page, uint8_t *room);

/* Return at most `most` characters from the middle of the running text. Linear time. */
FA_EXPORT fa_bytes fa_page_middle(const fa_page *page, size_t most);

#endif
