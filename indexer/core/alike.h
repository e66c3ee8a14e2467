/* Which of the texts shown together are alike. Made by alike.c; indexer/search/folding.py says what it is good for.
 */
#ifndef FINDINGAID_ALIKE_H
#define FINDINGAID_ALIKE_H

#include "tokens.h"

/* A text shown, in UTF-8, and how many words it has in all, from which its length is told. */
typedef struct fa_shown_text {
    const uint8_t *data;
    size_t size;
    uint64_t words;
} fa_shown_text;

/* How alike texts are to be. */
typedef struct fa_likeness {
    double share;          /* of their runs of four words that both have, of those that one of them has */
    uint32_t fewest_words; /* a text of fewer is like no other */
    uint32_t characters;   /* of a text that are compared */
    uint32_t longest_mean; /* characters of a word, on average: where they are more, there are no spaces, and words are those
                              of fa_tokenize, without compounds; else what stands between white space (Python's str.split) */
} fa_likeness;

/* Tell for each text which one stands for it: itself, or the first before it that stands for itself, is about as long and
 * is alike. stands_for: a place for each.
 * Two texts are compared only where the fewer words are as great a share of the more; a text that is about as long as no
 * other need not be there.
 * Time: that of reading each text once, and of looking up the runs of one for each pair that is about equally long. Memory:
 * 36 bytes for each word of the texts.
 * Returns FA_OK, FA_NO_MEMORY or FA_TOO_LARGE as fa_tokenize does. */
FA_EXPORT int fa_fold_alike(fa_tokens *tokens, const fa_shown_text *texts, size_t count, const fa_likeness *likeness,
                            uint32_t *stands_for);

#endif
