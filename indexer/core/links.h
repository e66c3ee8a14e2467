/* The links of the pages of a batch, each with the number that its target is known by.
 *
 * What an address means depends on the page that it stands in, and most links of a site stand on all of its pages: so it
 * is worked out once in a folder, here for addresses as most are written (link_keys.h), in Python for all others
 * (indexer/store/links.py). A page is handed over in two calls: fa_links_ask tells which of its addresses are to be
 * explained, and fa_links_add takes what they mean and all of its links.
 *
 * Memory: each address of a folder and each text once, 16 bytes a link.
 */
#ifndef FINDINGAID_LINKS_H
#define FINDINGAID_LINKS_H

#include "core.h"
#include "page.h"

typedef struct fa_links fa_links;

/* Columns of what was collected: a row a link, in the order of the pages and of the links in them. */
typedef struct fa_link_columns {
    fa_bytes targets;  /* uint64_t: the number of the target */
    fa_bytes texts;    /* uint32_t: index of the text */
    fa_bytes sources;  /* uint32_t: ordinal of the page */
    fa_bytes spelled;  /* the texts one behind the other */
    fa_bytes text_ends; /* uint32_t: where each of them ends */
} fa_link_columns;

/* NULL when memory is short. */
FA_EXPORT fa_links *fa_links_new(void);
FA_EXPORT void fa_links_free(fa_links *links);

/* Give the addresses of a page that have to be explained, as written but for what stands behind a '#', with a zero byte
 * behind each (one inside is a blank). They are valid until the next call.
 *
 * folder: a number below 2^30 for what the addresses of a page are relative to, its folder and its charset; folder_key: the
 * sort key of that folder, if addresses in it can be put behind it, else empty. ordinal: of the page, below 2^31 and no
 * other page's. Linear time. */
FA_EXPORT enum fa_status fa_links_ask(fa_links *links, const fa_page *page, uint32_t folder, fa_bytes folder_key,
                                      uint32_t ordinal, fa_bytes *asked);

/* Add the links of the page that fa_links_ask was called for last, without those to the page itself (`own`).
 *
 * targets, are_pages: for each address asked for the number of its target, and 0 when it is no page. FA_CORRUPT: `count` is
 * not as many as were asked for. */
FA_EXPORT enum fa_status fa_links_add(fa_links *links, const fa_page *page, uint32_t ordinal, uint64_t own,
                                      const uint64_t *targets, const uint8_t *are_pages, size_t count);

enum fa_links_left {
    FA_LINKS_DONE = 0,  /* all links were added */
    FA_LINKS_ASKED = 1, /* `asked` tells what is to be explained, as fa_links_ask does; fa_links_add has to follow */
    FA_LINKS_ODD = 2    /* nothing was done: the address of the page, or what its links are relative to, is not plain */
};

/* Add the links of a page, whose address, folder and number are worked out here if they are plain, as well as the base that
 * it names; both calls in one where no address has to be explained. Only for pages in UTF-8.
 *
 * own: out, the number of the page, for fa_links_add. Linear time. */
FA_EXPORT enum fa_status fa_links_of_page(fa_links *links, const fa_page *page, fa_bytes url, uint32_t ordinal,
                                          enum fa_links_left *left, fa_bytes *asked, uint64_t *own);

/* What was collected; valid until the next call. */
FA_EXPORT void fa_links_columns(const fa_links *links, fa_link_columns *columns);

#endif
