/* See facets.h. */
#include "facets.h"

#include <stdlib.h>

static int count(const uint64_t *matching, size_t words, const uint16_t *kind_of, size_t versions, uint32_t *counts,
                 size_t kind_count) {
    for (size_t word = 0; word < words; word++) {
        for (uint64_t bits = matching[word]; bits; bits &= bits - 1) {
            size_t version = 64 * word + (size_t)__builtin_ctzll(bits);
            if (version >= versions || kind_of[version] >= kind_count) return FA_CORRUPT;
            counts[kind_of[version]]++;
        }
    }
    return FA_OK;
}

int fa_count_kinds(const uint64_t *matching, size_t words, const uint16_t *kind_of, size_t versions,
                   const uint32_t *places, size_t kind_count, size_t each, int64_t *totals, size_t size) {
    uint32_t *counts = calloc(kind_count + 1, sizeof *counts);
    if (counts == NULL) return FA_NO_MEMORY;
    int status = count(matching, words, kind_of, versions, counts, kind_count);
    for (size_t kind = 0; status == FA_OK && kind < kind_count; kind++) {
        for (size_t k = kind * each; counts[kind] && k < (kind + 1) * each; k++) {
            if (places[k] >= size)
                status = FA_CORRUPT;
            else
                totals[places[k]] += counts[kind];
        }
    }
    free(counts);
    return status;
}
