/* How alike two texts are, told from 512 bytes each: MinHash sketches. Made by sketch.c.
 *
 * A text is the set of its shingles, runs of four words. A sketch keeps, for each of 128 hash functions, the smallest
 * hash of any shingle; indexer/text/sketch.py says what that is good for.
 */
#ifndef FINDINGAID_SKETCH_H
#define FINDINGAID_SKETCH_H

#include "tokens.h"

enum {
    FA_SHINGLE_WORDS = 4,
    FA_SKETCH_HASHES = 128,
    FA_BANDS = 8,
    FA_BAND_ROWS = 8,
    FA_FEWEST_WORDS = 12,      /* with fewer two pages look alike by chance: "Not found", "Page 7" */
    FA_MOST_SHINGLES = 1 << 14 /* distinct ones with the smallest hashes, a fair sample of a long text */
};

/* Sketch the text that the tokenizer has taken in just before; compounds (c++) are left out.
 * sketch: room for FA_SKETCH_HASHES numbers. is_long: set to 0 for a text of less than FA_FEWEST_WORDS words, of which
 * there is no sketch, else to 1.
 * Time grows with the number of words; memory, for that time, is 16 bytes for each word.
 * Returns FA_OK or FA_NO_MEMORY. */
FA_EXPORT int fa_sketch(const fa_tokens *tokens, uint32_t *sketch, int *is_long);

/* The keys under which a sketch is filed: FA_BANDS of them, each a hash of FA_BAND_ROWS numbers. */
FA_EXPORT void fa_bands(const uint32_t *sketch, int64_t *bands);

/* Tell at how many of their places two sketches agree. */
FA_EXPORT uint32_t fa_agreement(const uint32_t *first, const uint32_t *second);

#endif
