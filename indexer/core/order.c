#include "order.h"

enum { BITS = 11, DIGITS = 6, VALUES = 1 << BITS }; /* of a key, which is read digit by digit */

static inline unsigned digit_of(uint64_t key, unsigned digit) { return key >> BITS * digit & (VALUES - 1); }

/* A digit after the other from the lowest one on; one that all have in common is passed over. */
fa_item *fa_sorted_items(fa_item *items, fa_item *other, size_t count) {
    uint32_t starts[DIGITS][VALUES] = {{0}};
    if (count == 0) return items;
    for (size_t i = 0; i < count; i++) {
        for (unsigned digit = 0; digit < DIGITS; digit++) starts[digit][digit_of(items[i].key, digit)]++;
    }
    for (unsigned digit = 0; digit < DIGITS; digit++) {
        uint32_t *start = starts[digit], before = 0;
        if (start[digit_of(items[0].key, digit)] == count) continue;
        for (unsigned value = 0; value < VALUES; value++) {
            uint32_t here = start[value];
            start[value] = before;
            before += here;
        }
        for (size_t i = 0; i < count; i++) other[start[digit_of(items[i].key, digit)]++] = items[i];
        fa_item *swap = items;
        items = other;
        other = swap;
    }
    return items;
}
