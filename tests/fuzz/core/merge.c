/* Arrays of two segments, whatever they hold -> lists: none is read beyond its end.
 *
 * The input: for each segment a byte of versions, two sizes of numbers, and for each array two bytes of its size and its
 * bytes, which lie in memory of their own. */
#include "merge.h"

#include <assert.h>

enum { SOURCES = 2, ARRAYS = 13 };

static uint32_t number(const uint8_t **data, size_t *size, unsigned bytes) {
    uint32_t value = 0;
    for (; bytes && *size; bytes--, ++*data, --*size) value = value << 8 | **data;
    return value;
}

static fa_bytes array(const uint8_t **data, size_t *size, uint8_t **held) {
    size_t wanted = number(data, size, 2), there = wanted < *size ? wanted : *size;
    *held = malloc(there ? there : 1);
    if (there) memcpy(*held, *data, there);
    *data += there;
    *size -= there;
    return (fa_bytes){*held, there};
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fa_source sources[SOURCES];
    uint8_t *held[SOURCES][ARRAYS];
    static int32_t places[SOURCES][256];
    static uint8_t languages[512];
    int32_t versions = 0;
    for (unsigned s = 0; s < SOURCES; s++) {
        fa_source *from = &sources[s];
        from->versions = number(&data, &size, 1);
        from->rare_size = number(&data, &size, 1) % 5;
        from->shape_size = number(&data, &size, 1) % 5;
        uint32_t dropped = number(&data, &size, 1);
        for (uint32_t version = 0; version < from->versions; version++) {
            places[s][version] = version % 8 == dropped % 16 ? -1 : versions++;
        }
        from->places = places[s];
        fa_bytes *arrays[ARRAYS] = {&from->word_ids, &from->word_ends, &from->words, &from->pair_ends,
                                    &from->ordinal_ends, &from->ordinals, &from->position_ends, &from->positions,
                                    &from->shapes, &from->other_shapes, &from->rare_shapes, &from->shape_table, &from->extents};
        for (unsigned i = 0; i < ARRAYS; i++) *arrays[i] = array(&data, &size, &held[s][i]);
    }
    fa_merge *merge = fa_merge_new(sources, SOURCES, languages, (uint32_t)versions);
    int done = 0;
    while (merge && !done && fa_merge_next(merge, 64, &done) == FA_OK) fa_lists_empty(fa_merge_lists(merge));
    if (merge) assert(fa_merge_corrupt(merge) < SOURCES);
    fa_merge_free(merge);
    for (unsigned s = 0; s < SOURCES; s++) {
        for (unsigned i = 0; i < ARRAYS; i++) free(held[s][i]);
    }
    return 0;
}
