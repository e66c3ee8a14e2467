/* How many of the versions that match a query are of each kind, and what most of them are. Made by facets.c;
 * indexer/search/facets.py says which kinds there are.
 */
#ifndef FINDINGAID_FACETS_H
#define FINDINGAID_FACETS_H

#include "core.h"

/* The versions of a segment by their kinds. kind_of: of each version, less than kind_count. places: of each kind as many
 * numbers as there are columns, to which the versions of that kind are added. first: where the bits of the segment begin
 * among those of all, in `words` numbers of 64. */
typedef struct fa_kinds {
    const uint16_t *kind_of;
    const uint32_t *places;
    uint64_t versions, kind_count, first, words;
} fa_kinds;

enum { FA_NO_RANK = UINT32_MAX }; /* of a value that is not told */

/* The values of a facet: the totals from `begin` up to `end`, of which the `most` greatest are told.
 * ranks: of each value, which decide between equal totals; NULL: the values are told as they rise, without value 0.
 * below: `pairs` times a value and the one above it, to which its total is added when that of all below it is known. */
typedef struct fa_column {
    const uint32_t *ranks, *below;
    uint64_t pairs, begin, end, most;
} fa_column;

/* Count the versions that match for what they are, and find the values that most have.
 * matching: a bit for each version of all segments, in `words` numbers of 64. totals: `size` numbers, which are added to.
 * told: of each column how many values have versions of their own, how many of these are told, and from there on (with
 * room for `most` of each) the values, and behind them their totals.
 * Returns FA_OK, FA_NO_MEMORY, or FA_CORRUPT for a version, a kind or a place that is not there: the totals mean nothing
 * then. Time: versions that match + kinds + totals times `most`; memory: a number for each kind or total. */
FA_EXPORT int fa_count_kinds(const uint64_t *matching, size_t words, const fa_kinds *segments, size_t segment_count,
                             const fa_column *columns, size_t column_count, int64_t *totals, size_t size,
                             int64_t *told);

#endif
