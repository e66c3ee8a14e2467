/* See facets.h. */
#include "facets.h"

#include <stdlib.h>
#include <string.h>

/* A value that may be told. */
typedef struct ranked {
    int64_t total;
    uint32_t rank, value;
} ranked;

static int count(const uint64_t *matching, const fa_kinds *kinds, uint32_t *counts) {
    for (size_t word = 0; word < kinds->words; word++) {
        for (uint64_t bits = matching[word]; bits; bits &= bits - 1) {
            size_t version = 64 * word + (size_t)__builtin_ctzll(bits);
            if (version >= kinds->versions || kinds->kind_of[version] >= kinds->kind_count) return FA_CORRUPT;
            counts[kinds->kind_of[version]]++;
        }
    }
    return FA_OK;
}

/* Add the versions of a segment that match to the totals. */
static int add_segment(const uint64_t *matching, size_t words, const fa_kinds *kinds, size_t each, int64_t *totals,
                       size_t size) {
    if (kinds->first > words || kinds->words > words - kinds->first) return FA_CORRUPT;
    uint32_t *counts = calloc(kinds->kind_count + 1, sizeof *counts);
    if (counts == NULL) return FA_NO_MEMORY;
    int status = count(matching + kinds->first, kinds, counts);
    for (size_t kind = 0; status == FA_OK && kind < kinds->kind_count; kind++) {
        for (size_t k = kind * each; counts[kind] && k < (kind + 1) * each; k++) {
            if (kinds->places[k] >= size)
                status = FA_CORRUPT;
            else
                totals[kinds->places[k]] += counts[kind];
        }
    }
    free(counts);
    return status;
}

static int is_before(ranked one, ranked other) {
    return one.total != other.total ? one.total > other.total : one.rank < other.rank;
}

/* Put a value among the first ones, of which there are `found`; return how many there are now. */
static size_t put(ranked *first, size_t found, size_t most, ranked one) {
    if (found == most && (!most || !is_before(one, first[most - 1]))) return found;
    size_t at = found < most ? found++ : most - 1;
    for (; at && is_before(one, first[at - 1]); at--) first[at] = first[at - 1];
    first[at] = one;
    return found;
}

/* Find the values of a column that are told; `own` and `totals` are those without and with what lies below. */
static void tell(const fa_column *column, const int64_t *own, const int64_t *totals, ranked *first, int64_t *told) {
    size_t held = 0, found = 0;
    for (uint32_t value = 0; value < column->end - column->begin; value++) {
        if (!own[value]) continue;
        held++;
        ranked one = {totals[value], column->ranks ? column->ranks[value] : value, value};
        if (column->ranks == NULL) {
            if (value && found < column->most) first[found++] = one;
        } else if (one.rank != FA_NO_RANK) found = put(first, found, column->most, one);
    }
    told[0] = (int64_t)held;
    told[1] = (int64_t)found;
    for (size_t at = 0; at < found; at++) {
        told[2 + at] = first[at].value;
        told[2 + column->most + at] = first[at].total;
    }
}

static int tell_column(const fa_column *column, const int64_t *totals, size_t size, int64_t *told) {
    if (column->begin > column->end || column->end > size) return FA_CORRUPT;
    const int64_t *own = totals + column->begin;
    size_t values = column->end - column->begin;
    ranked *first = malloc((column->most + 1) * sizeof *first);
    int64_t *with_below = malloc((values + 1) * sizeof *with_below);
    int status = first != NULL && with_below != NULL ? FA_OK : FA_NO_MEMORY;
    if (status == FA_OK) memcpy(with_below, own, values * sizeof *own);
    for (size_t pair = 0; status == FA_OK && pair < column->pairs; pair++) {
        uint32_t low = column->below[2 * pair], high = column->below[2 * pair + 1];
        if (low >= values || high >= values)
            status = FA_CORRUPT;
        else
            with_below[high] += with_below[low];
    }
    if (status == FA_OK) tell(column, own, with_below, first, told);
    free(first);
    free(with_below);
    return status;
}

int fa_count_kinds(const uint64_t *matching, size_t words, const fa_kinds *segments, size_t segment_count,
                   const fa_column *columns, size_t column_count, int64_t *totals, size_t size, int64_t *told) {
    int status = FA_OK;
    for (size_t each = 0; status == FA_OK && each < segment_count; each++)
        status = add_segment(matching, words, &segments[each], column_count, totals, size);
    for (size_t each = 0; status == FA_OK && each < column_count; each++) {
        status = tell_column(&columns[each], totals, size, told);
        told += 2 + 2 * columns[each].most;
    }
    return status;
}
