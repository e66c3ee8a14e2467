/* How many of the versions that match a query are of each kind. Made by facets.c; indexer/search/facets.py says which
 * kinds there are.
 */
#ifndef FINDINGAID_FACETS_H
#define FINDINGAID_FACETS_H

#include "core.h"

/* Count the versions of a segment that match for what they are.
 * matching: a bit for each version, in `words` numbers of 64. kind_of: of each of these versions, less than kind_count.
 * places: of each kind, `each` numbers in `totals`, to which the versions of that kind are added.
 * Returns FA_OK, FA_NO_MEMORY, or FA_CORRUPT for a kind or a place that is not there: the totals mean nothing then.
 * Time: versions that match + kinds. */
FA_EXPORT int fa_count_kinds(const uint64_t *matching, size_t words, const uint16_t *kind_of, size_t versions,
                             const uint32_t *places, size_t kind_count, size_t each, int64_t *totals, size_t size);

#endif
