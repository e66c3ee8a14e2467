/* What a page of results asks of the texts of its hits: which of them are alike, and where the best passage stands.
 * Made by passages.c; indexer/search/folding.py and snippets.py say what it is good for.
 */
#ifndef FINDINGAID_PASSAGES_H
#define FINDINGAID_PASSAGES_H

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

/* A passage: from where on it reaches, how many kinds of words stand in it, and its spots. */
typedef struct fa_passage {
    uint32_t start; /* of its first spot, code points */
    uint32_t kinds; /* different ones among its spots */
    uint32_t first, end; /* its spots, those left out among them */
} fa_passage;

/* Which spots are left out: those of these kinds, and those that start from `low` on and before `high`. */
typedef struct fa_left_out {
    const uint8_t *kinds; /* one byte for each kind, not 0 for those left out; NULL for none */
    uint32_t low, high;
} fa_left_out;

/* Tell the spot behind which, within `reach` code points, most kinds of words stand, then most words, then the first.
 * spots: as fa_find_words tells them. kind_of: of each word looked for, its kind, less than kind_count.
 * inside: room for kind_count numbers. All is 0 where no spot is left. Time: spots + kinds. */
FA_EXPORT void fa_best_passage(const fa_spot *spots, size_t count, const uint32_t *kind_of, size_t kind_count,
                               uint32_t reach, const fa_left_out *left_out, uint32_t *inside, fa_passage *best);

/* Set to 1 in `seen` the kinds of the spots from `first` to `end` that are not left out; returns how many are new. */
FA_EXPORT size_t fa_kinds_among(const fa_spot *spots, size_t first, size_t end, const uint32_t *kind_of,
                                const fa_left_out *left_out, uint8_t *seen);

#endif
