/* Several segments -> the lists of one, in the order of their words.
 *
 * Lists are joined as they lie: the bits of positions depend on the version alone, so they are copied, not read. Versions
 * that are dropped leave their pairs out. Memory: 5 bytes for each shape of each segment, and what has been made since the
 * lists were last emptied: about as much as asked for, at least the list of one word.
 */
#ifndef FINDINGAID_MERGE_H
#define FINDINGAID_MERGE_H

#include "codec.h"
#include "core.h"

typedef struct fa_merge fa_merge;

/* The arrays of a segment as docs/index-format.md has them; they live as long as the merge. Whatever they hold, nothing
 * outside of them is read. rare_size, shape_size: bytes of each number in rare_shapes and shape_table, 1, 2 or 4. */
typedef struct fa_source {
    fa_bytes word_ids, word_ends, words, pair_ends, ordinal_ends, ordinals, position_ends, positions;
    fa_bytes shapes, other_shapes, rare_shapes, shape_table, extents;
    uint32_t rare_size, shape_size;
    uint32_t versions;
    const int32_t *places; /* the new ordinal of each version, negative for one that is dropped; rising over all sources */
} fa_source;

/* languages: a byte for each new version, as fa_batch_invert takes them; versions: how many. NULL when memory is short or
 * the sizes of some arrays do not fit each other. */
FA_EXPORT fa_merge *fa_merge_new(const fa_source *sources, size_t count, const uint8_t *languages, uint32_t versions);
FA_EXPORT void fa_merge_free(fa_merge *merge);

/* Make lists until there are `most` bytes of them or no more words: then `done` is 1. FA_CORRUPT: the segment number
 * fa_merge_corrupt is no segment. After anything but FA_OK the merge can only be freed. Linear time, times the number of
 * segments for each word. */
FA_EXPORT enum fa_status fa_merge_next(fa_merge *merge, size_t most, int *done);
FA_EXPORT size_t fa_merge_corrupt(const fa_merge *merge);

/* They belong to the merge. */
FA_EXPORT fa_lists *fa_merge_lists(fa_merge *merge);

#endif
