/* What a page of results asks of the pages of its hits: where the best passage stands.
 * Made by passages.c; indexer/search/snippets.py says what it is good for.
 */
#ifndef FINDINGAID_PASSAGES_H
#define FINDINGAID_PASSAGES_H

#include "page.h"
#include "tokens.h"

/* Words that are looked for, each of a kind: the forms of one word of the query. */
typedef struct fa_wanted {
    const uint64_t *hashes;  /* rising */
    const uint64_t *starts;  /* as for fa_find_in_text */
    const uint32_t *kind_of; /* of each, less than kind_count */
    size_t count, kind_count;
    fa_bytes written; /* as they may stand in markup, letters of ASCII in small; a zero byte behind each. Only for fa_stored_pages */
} fa_wanted;

/* Tell of words what is asked of them above, but for `written`. words: a zero byte behind each, which has no other, in the order
 * of their bytes. Of one kind are those whose first `alike` characters are the same.
 * room: for `count` and FA_MAX_WORD + 1 numbers and for half as many as `count`, rounded up; what is told points there.
 * Returns FA_OK or FA_NO_MEMORY. Time: count * log(count). */
FA_EXPORT int fa_wanted_read(fa_bytes words, size_t count, size_t alike, uint64_t *room, fa_wanted *wanted);

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

/* The same of a text that may have soft hyphens: nobody is to see them. */
int fa_snippet_without_hyphens(fa_tokens *tokens, fa_bytes text, const fa_wanted *wanted, uint32_t sought,
                               fa_snippet *snippet);

#endif
