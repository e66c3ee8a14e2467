/* Markup that a parser which builds a tree can read in bounded time and memory.
 *
 * Such a parser looks along its stack of open elements for each tag, writes all open formatting elements again into each
 * new block, compares each attribute of a tag with those before it, and looks at all options of a list for a new one. All
 * of that grows with the square of a page made for it. So the page is read here first, as browsers do, in linear time;
 * what would cost too much is left out.
 */
#ifndef FINDINGAID_BOUNDED_H
#define FINDINGAID_BOUNDED_H

#include "core.h"

/* Bytes of attributes that a parser may write again, with formatting elements that it opens again: the page ends before
 * the tag behind. A page of 100 kB had them written a thousand times. */
enum { FA_MOST_REPEATED = 8 << 20 };

typedef struct fa_markup_limits {
    uint32_t open;              /* elements open at once: start tags of more are left out, their contents stay; < 4096 */
    uint32_t formats;           /* the same for formatting elements that would be opened again in a block; <= 256 */
    uint32_t attributes_of_tag; /* a tag with more is left out; so is one that would give the html or body element more */
    uint32_t attributes;        /* of all tags: the page ends before the tag that goes beyond */
    uint64_t steps;             /* along the stack and lists of options: the page ends before the tag that goes beyond */
} fa_markup_limits;

/* Writes the markup that stays into `kept`, which has room for html.size bytes, and its size into `kept_size`; `is_cut`:
 * the page ends before its end. FA_TOO_LARGE: more than FA_MOST_HTML. Takes memory for what stands in the markup, some
 * 20 bytes a tag and text. */
FA_EXPORT int fa_bounded_markup(fa_bytes html, const fa_markup_limits *limits, uint8_t *kept, size_t *kept_size,
                                int *is_cut);

#endif
