/* What a page of results asks of the texts of its hits: which of them are alike, and where the best passage stands.
 * Made by passages.c; indexer/search/folding.py and snippets.py say what it is good for.
 */
#ifndef FINDINGAID_PASSAGES_H
#define FINDINGAID_PASSAGES_H

#include "buffer.h"
#include "page.h"
#include "tokens.h"

enum { FA_RUN_WORDS = 4 };

/* The runs of four words of a text, as a set of their hashes (with the secret of this process).
 * A word is what stands between white space (that of Python's str.split).
 * runs: a table for fa_common_runs, where 0 is a free place; room: its places, a power of two, at least twice as many
 * as there are runs: text.size suffices.
 * Returns the number of words, and that of different runs in `count`; FA_NO_ROOM in place of the first where the table
 * is too small. Linear time. */
#define FA_NO_ROOM SIZE_MAX
FA_EXPORT size_t fa_word_runs(fa_bytes text, uint64_t *runs, size_t room, size_t *count);

/* How many runs stand in both of two tables. */
FA_EXPORT size_t fa_common_runs(const uint64_t *first, size_t first_room, const uint64_t *second, size_t second_room);

/* Words that are looked for, each of a kind: the forms of one word of the query. */
typedef struct fa_wanted {
    const uint64_t *hashes;  /* rising */
    const uint64_t *starts;  /* as for fa_find_in_text */
    const uint32_t *kind_of; /* of each, less than kind_count */
    size_t count, kind_count;
} fa_wanted;

/* A piece of a snippet: it ends at that byte of the snippet's text, where the next one begins. */
typedef struct fa_snippet_part {
    uint32_t end;
    uint32_t is_hit; /* a word looked for */
} fa_snippet_part;

enum {
    FA_SNIPPET_LENGTH = 240,   /* characters of a passage, or of two */
    FA_SNIPPET_BYTES = 4096,   /* more than passages and what stands around them can have: 2 * 320 characters */
    FA_SNIPPET_PARTS = 1024
};

typedef struct fa_snippet {
    uint32_t part_count;
    uint32_t has_hits;
    fa_snippet_part parts[FA_SNIPPET_PARTS];
    uint8_t text[FA_SNIPPET_BYTES];
} fa_snippet;

/* Cut the best passage of a text: that in which most kinds of words stand, or the best two where one does not hold all
 * kinds that stand in the text; its start if there is no such word. White space is folded to single blanks, "…" stands
 * for what is left out.
 * sought: a passage near the start that holds so many kinds is taken without a look at the rest; 0: all is looked at.
 * text: UTF-8 without soft hyphens; whatever else it is, nothing else happens.
 * Returns FA_OK, FA_NO_MEMORY or FA_TOO_LARGE. Linear time. */
FA_EXPORT int fa_snippet_of(fa_tokens *tokens, fa_bytes text, const fa_wanted *wanted, uint32_t sought,
                            fa_snippet *snippet);

/* What came of a page that lies in an archive. */
enum fa_page_shown {
    FA_NOT_PLAIN = 0,  /* its record is odd, or it is no page in UTF-8 as it stands */
    FA_CUT_SHORT = 1,  /* more of it has to be unpacked */
    FA_SHOWN = 2,      /* the snippet is that of the page, empty for a page without text */
    FA_FURTHER_ON = 3  /* no word stands in its start: one may stand further on */
};

/* Cut the best passage of the start of a page: of its running text, of its description where only that holds a word.
 * The start is kept in `page`, with soft hyphens in it.
 * member: what is unpacked of its record, which has `whole` bytes in all. characters: of markup that are looked at: where
 * the record goes on, more than these have to be there.
 * *is_whole: the start is all of the page. wanted: NULL for no snippet. Returns as fa_snippet_of does. */
FA_EXPORT int fa_snippet_of_page(fa_page *page, fa_tokens *tokens, fa_bytes member, size_t whole, size_t characters,
                                 const fa_wanted *wanted, uint32_t sought, enum fa_page_shown *shown,
                                 fa_snippet *snippet, uint32_t *is_whole);

/* A page in an archive: its gzip member as it lies there, and what came of it. Or one whose start was read before. */
typedef struct fa_stored_page {
    fa_bytes packed;
    fa_bytes known_text, known_description; /* where is_known is set: what its start says, and is_whole */
    uint32_t is_known, shown, is_whole;     /* shown: enum fa_page_shown */
    size_t text, description, end; /* where its start, and its description behind that, lie among the texts of all */
    fa_snippet snippet;
} fa_stored_page;

enum { FA_TEXTS_AT_ONCE = 1 << 20 };

/* Do for some pages what fa_snippet_of_page does for one: unpack what its start needs, `first` bytes or else `most`, and
 * put its text and its description behind `texts`, of which it is enough above FA_TEXTS_AT_ONCE bytes.
 * FA_NOT_PLAIN: also of a member that is not sound, or not alone. Of a page that is known nothing is unpacked and no text
 * is put there.
 * *done: how many pages that are, at least one. Returns as fa_snippet_of does. */
FA_EXPORT int fa_stored_pages(fa_page *page, fa_tokens *tokens, fa_stored_page *pages, size_t count, size_t first,
                              size_t most, size_t characters, const fa_wanted *wanted, uint32_t sought,
                              fa_buffer *texts, size_t *done);

#endif
