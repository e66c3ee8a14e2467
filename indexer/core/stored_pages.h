/* Pages as they lie in archives -> what they begin with, and their best passages: of all hits of a page of results in one
 * call. Made by stored_pages.c; indexer/stored_pages.py says what it is good for.
 */
#ifndef FINDINGAID_STORED_PAGES_H
#define FINDINGAID_STORED_PAGES_H

#include "buffer.h"
#include "passages.h"

/* What came of a page that lies in an archive. */
enum fa_page_shown {
    FA_NOT_PLAIN = 0,  /* its record is odd, or it is no page in UTF-8 as it stands */
    FA_CUT_SHORT = 1,  /* more of it has to be unpacked */
    FA_SHOWN = 2,      /* the snippet is that of the page, empty for a page without text */
    FA_FURTHER_ON = 3  /* no word stands in its start: one may stand further on, where it was not looked */
};

/* Cut the best passage of the start of a page: of its running text, of its description where only that holds a word.
 * The start is kept in `page`, with soft hyphens in it.
 * member: what is unpacked of its record, which has `whole` bytes in all. characters: of markup that are looked at: where
 * the record goes on, more than these have to be there.
 * *is_whole: the start is all of the page. wanted: NULL for no snippet. Returns as fa_snippet_of does. */
FA_EXPORT int fa_snippet_of_page(fa_page *page, fa_tokens *tokens, fa_bytes member, size_t whole, size_t characters,
                                 const fa_wanted *wanted, uint32_t sought, enum fa_page_shown *shown,
                                 fa_snippet *snippet, uint32_t *is_whole);

/* How far into pages is looked. */
typedef struct fa_depth {
    size_t first, more, most; /* bytes of a record that are unpacked, and where these do not suffice: rising */
    size_t characters;        /* of markup that a page starts with */
    size_t markup;            /* bytes of markup that are ever looked at, fewer than `most` */
} fa_depth;

/* A page in an archive: its gzip member as it lies there, or what its start says, where that was read before. Both, to look
 * further than the start. */
typedef struct fa_stored_page {
    fa_bytes packed;
    fa_bytes text, description; /* where is_known is set: what its start says */
    uint32_t is_known, is_whole; /* is_whole: where is_known is set, whether that is all of the page */
} fa_stored_page;

/* What came of it. Where it has ended, each number is that of the page before if there is nothing of it. */
typedef struct fa_page_told {
    uint32_t shown, is_whole;         /* shown: enum fa_page_shown */
    uint32_t text_end, description_end; /* of a page that was read now: where its text and its description end in the answer */
    uint32_t parts_end;               /* the parts of all snippets so far */
} fa_page_told;

enum { FA_TEXTS_AT_ONCE = 1 << 20 };

/* Do for some pages what fa_snippet_of_page does for one, and put into an empty `answer`: the starts of all pages, text and
 * description by turns; the parts of all snippets with a byte 0xff between them, which no UTF-8 has; and for each part a byte
 * that says whether it is a word looked for.
 * FA_NOT_PLAIN: also of a member that is not sound, or not alone.
 * Where no word stands in the start of a page, and its member is there, it is looked around the first places further on that
 * one may stand at as the markup is written: the passage is that of the first such place which holds one as text. Else it is
 * taken from a description, or is the start of the text. FA_FURTHER_ON: of a page that is no plain one that far.
 * *done: of how many pages that is, at least one: no further one is taken when there are more than FA_TEXTS_AT_ONCE bytes.
 * Returns as fa_snippet_of does. */
FA_EXPORT int fa_stored_pages(fa_page *page, fa_tokens *tokens, const fa_stored_page *pages, size_t count,
                              const fa_depth *depth, const fa_wanted *wanted, uint32_t sought, fa_page_told *told,
                              fa_buffer *answer, size_t *done);

#endif
