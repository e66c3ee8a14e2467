/* The lists of a segment in their bytes, as docs/index-format.md has them, made word by word.
 *
 * In: words in the order of a segment, for each its pairs by rising ordinal, for each pair its runs by rising element.
 * Out: the arrays of a segment that have a row a word or a pair, in buffers; what has been taken out of them may be
 * emptied between two words (fa_lists_empty), all ends go on counting from the first word.
 */
#ifndef FINDINGAID_CODEC_H
#define FINDINGAID_CODEC_H

#include "buffer.h"
#include "core.h"
#include "intern.h"

enum {
    FA_ELEMENTS = 10,
    FA_MAX_VERSIONS = 1 << 16,
    FA_POSITION_BITS = 28, /* a position is below 2^28 */
    FA_LONG_RUN = 8,       /* positions from which on a run has its high bits apart */
    FA_PLAIN = 8,          /* counts below are looked up faster where they are of one element: most pairs */
    FA_OTHER = 15,         /* a shape that is told in a byte elsewhere */
    FA_RARE = 255,         /* in such a byte: a shape that is told in a third place */
    FA_RANK_BLOCK = 256,   /* pairs for which it is told how many other and rare shapes stand before them */
    FA_FEW_PAIRS = 4,      /* a list of fewer has two bytes a gap; the others choose their bits */
    FA_GAP_BITS = 16       /* of the greatest gap */
};

/* How the positions of a run lie in bits: `count` numbers of `low` bits, and where `split` is not negative behind them
 * count + 2^split bits for their high parts. */
typedef struct fa_run {
    uint32_t low;
    int32_t split;
    uint64_t bits; /* of all */
} fa_run;

/* Bits that hold every position below an extent. */
static inline uint32_t fa_bit_width(uint32_t extent) {
    return extent <= 1 ? 0 : 32 - (uint32_t)__builtin_clz(extent - 1);
}

static inline fa_run fa_run_of(uint32_t count, uint32_t width) {
    if (count >= FA_LONG_RUN) {
        uint32_t high = 31 - (uint32_t)__builtin_clz(count);
        if (high < width) {
            uint32_t low = width - high;
            return (fa_run){low, (int32_t)high, (uint64_t)count * low + count + ((uint64_t)1 << high)};
        }
    }
    return (fa_run){width, -1, (uint64_t)count * width};
}

/* A row a word: word_ids, word_ends, pair_ends, ordinal_ends, position_ends (uint32_t each), languages (uint64_t: a bit
 * for each language that a version with the word has, see fa_batch_invert). words, ordinals, positions: bytes.
 * shapes: uint32_t a pair, numbered as they come; the tables of these numbers are shape_counts (ten uint32_t each) and
 * shape_uses (uint64_t). */
typedef struct fa_lists {
    fa_buffer word_ids, word_ends, words, pair_ends, ordinal_ends, ordinals, position_ends, positions, languages;
    fa_buffer shapes, shape_counts, shape_uses;
    fa_intern shape_numbers;
    uint32_t plain_shapes[FA_ELEMENTS][FA_PLAIN]; /* of one element, by its count: 1 + the number; 0: not met yet */
    uint64_t occurrences;
    /* of what was taken out before */
    uint64_t words_before, pairs_before, ordinals_before, positions_before;
    /* of the list in hand */
    fa_buffer gaps;
    uint32_t next_ordinal; /* the least that may come */
    uint64_t bit, language;
} fa_lists;

/* Begin the list of a word; lists that are all zeros are empty. FA_OK or FA_NO_MEMORY, as all functions here; FA_TOO_LARGE when an end does not fit into 32
 * bits. After anything but FA_OK the lists can only be freed. */
enum fa_status fa_lists_word(fa_lists *lists, fa_bytes word, uint32_t id);

/* Add a pair from its occurrences: element << FA_POSITION_BITS | position each, rising; count > 0. width: bits of a
 * position in its version. FA_CORRUPT when the ordinal does not rise or a position has more bits. */
enum fa_status fa_lists_pair(fa_lists *lists, uint32_t ordinal, const uint64_t *places, size_t count, uint32_t width);

/* Add a pair whose `count` positions are there as bits already, which fa_lists_copy_bits adds: of several pairs at once
 * where they lie one behind the other. shape: a number of fa_lists_shape. */
enum fa_status fa_lists_known_pair(fa_lists *lists, uint32_t ordinal, uint32_t shape, uint64_t count);

/* Add positions of the word in hand: `bits` from bit `bit` of `from` on; all of them lie in it. */
enum fa_status fa_lists_copy_bits(fa_lists *lists, fa_bytes from, uint64_t bit, uint64_t bits);

/* Give the number of a shape: counts of ten elements. */
enum fa_status fa_lists_shape(fa_lists *lists, const uint32_t counts[FA_ELEMENTS], uint32_t *number);

/* End the list of the word; it has a pair. language: see there. */
enum fa_status fa_lists_end(fa_lists *lists);

/* Put in `order` the numbers of the shapes in the order of a segment's table: the most frequent first; those of equal
 * frequency so that it does not matter how the words were cut into parts. It has room for all. */
FA_EXPORT enum fa_status fa_lists_order_shapes(const fa_lists *lists, uint32_t *order);

/* The shapes of pairs in their places, as a segment has them. `places`: of each number, in the order of the table. The
 * arrays have room for `pairs` pairs: shapes (four bits each, all zeros before), others and rare (one each at most),
 * ranks (two a FA_RANK_BLOCK and two more). */
typedef struct fa_shape_codes {
    const uint32_t *places;
    size_t place_count, pairs;
    uint8_t *shapes, *others;
    uint32_t *rare, *ranks;
    size_t done, other_count, rare_count; /* so far */
} fa_shape_codes;

/* Put the numbers of the next `count` pairs into their places. FA_OK; FA_CORRUPT for more than there is room for, or a
 * number that has no place. */
FA_EXPORT enum fa_status fa_code_shapes(fa_shape_codes *codes, const uint32_t *numbers, size_t count);

/* Empty what has a row a word or a pair, after it was taken out. */
FA_EXPORT void fa_lists_empty(fa_lists *lists);

FA_EXPORT uint64_t fa_lists_occurrences(const fa_lists *lists);

void fa_lists_free(fa_lists *lists);

/* What can be taken out; its memory belongs to the lists. */
enum fa_column {
    FA_WORD_IDS,
    FA_WORD_ENDS,
    FA_WORDS,
    FA_PAIR_ENDS,
    FA_ORDINAL_ENDS,
    FA_ORDINALS,
    FA_POSITION_ENDS,
    FA_POSITIONS,
    FA_LANGUAGES,
    FA_SHAPES,
    FA_SHAPE_COUNTS,
    FA_SHAPE_USES
};

FA_EXPORT fa_bytes fa_lists_column(const fa_lists *lists, enum fa_column column);

#endif
