/* A page on its way into a batch: all that its markup does not have to be read for again; many pages in one call.
 *
 * Goes in: a page as fa_page_read has it, and its address. Comes out: its words in the batch, its links among those of the
 * batch, and its language; of what is not as it mostly is, that it is left for Python (indexer/text/page_words.py).
 */
#ifndef FINDINGAID_INTAKE_H
#define FINDINGAID_INTAKE_H

#include "batch.h"
#include "core.h"
#include "language.h"
#include "links.h"
#include "page.h"
#include "tokens.h"

/* What is left to do (bits of fa_taken.left). */
enum fa_left {
    FA_LEFT_LANGUAGE = 1,    /* the language is not settled; the words wait for that */
    FA_LEFT_WORDS = 2,       /* the words were not looked for */
    FA_LEFT_LINKS = 4,       /* the links were not looked at */
    FA_LEFT_ADDRESSES = 8    /* some addresses have to be explained, see FA_LINKS_ASKED */
};

typedef struct fa_taken {
    uint32_t left;
    uint32_t is_cut;  /* 1: the page has more text than is indexed */
    uint64_t own;     /* with FA_LEFT_ADDRESSES: the number of the page itself */
    fa_bytes asked;   /* with FA_LEFT_ADDRESSES */
    fa_language_told language;
} fa_taken;

/* Where pages are taken from and to; what stays the same from page to page is told once. */
typedef struct fa_intake {
    fa_batch *batch;
    fa_links *links;
    fa_tokens *tokens;
    const fa_page *page; /* the page in hand */
    const fa_language_rules *rules;
    size_t most; /* code points that are indexed, as in fa_tokens_of_page */
    fa_taken taken; /* out */
} fa_intake;

/* Take the page in hand into the batch; fa_take_pages does that with each.
 *
 * in_utf_8: whether its markup was written in UTF-8, else its links are left. header: the language that the header of HTTP
 * declares. Returns FA_OK or a status of the functions that it calls; the batch is of no use then. Linear time. */
FA_EXPORT enum fa_status fa_take_page(fa_intake *intake, const uint8_t *url, size_t url_size, const uint8_t *header,
                                      size_t header_size, int in_utf_8);

enum { FA_MOST_PAGES = 64, FA_LONGEST_TITLE = 4000 };

/* Numbers that a worker shows while it is at work, in memory that others look at: Status in indexer/worker.py. */
typedef struct fa_shown {
    int64_t busy_since_ms, offset, inner, position, records, pages, parsing;
} fa_shown;

/* Pages that are to be read and taken, each at its place of the columns, and what becomes of them. */
typedef struct fa_pages {
    /* in: markup (bytes of others from a place on), address, the language that the header of HTTP declares */
    const uint8_t *data[FA_MOST_PAGES], *url[FA_MOST_PAGES], *header[FA_MOST_PAGES];
    uint64_t begin[FA_MOST_PAGES], size[FA_MOST_PAGES], url_size[FA_MOST_PAGES], header_size[FA_MOST_PAGES];
    int64_t offset[FA_MOST_PAGES], inner[FA_MOST_PAGES]; /* to be shown */
    uint8_t in_utf_8[FA_MOST_PAGES];
    /* out */
    char language[FA_MOST_PAGES][4];
    uint32_t title_end[FA_MOST_PAGES]; /* in titles */
    uint8_t is_cut[FA_MOST_PAGES];
    uint8_t titles[FA_MOST_PAGES * FA_LONGEST_TITLE]; /* of a longer one its beginning */
} fa_pages;

/* Why fa_take_pages has stopped: all are taken; of the last page that it took something is left, see fa_taken; the next page
 * cannot be read, and nothing of it is taken. */
enum fa_stop { FA_ALL_TAKEN, FA_STOPPED_LEFT, FA_STOPPED_UNREAD };

/* Read and take pages from `*at` to `end`, at most FA_MOST_PAGES; `*at` is behind the last one taken. page: that of the intake.
 * shown: for each page, which it is, and since when it is read; now_ms: the time on that clock.
 * Returns FA_OK or a status as above. */
FA_EXPORT enum fa_status fa_take_pages(fa_intake *intake, fa_page *page, fa_pages *pages, uint32_t *at, uint32_t end,
                                       int64_t now_ms, volatile fa_shown *shown, uint32_t *stop);

/* Go on with the page in hand, the last that fa_take_pages took, whose language it has left, when there is a text that tells
 * it: with FA_LEFT_LANGUAGE and language.text_size. at: behind it. name, distance: see fa_language_by_letters. What is told of
 * it is told anew. Returns as above. */
FA_EXPORT enum fa_status fa_take_letters(fa_intake *intake, fa_pages *pages, uint32_t at, const uint8_t *name,
                                         size_t name_size, uint32_t distance);

#endif
