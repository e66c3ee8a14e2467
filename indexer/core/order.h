/* Numbers -> their order, in a time that grows with how many there are alone. */
#ifndef FINDINGAID_ORDER_H
#define FINDINGAID_ORDER_H

#include "core.h"

/* A number to be sorted by, and what goes with it. */
typedef struct fa_item {
    uint64_t key;
    uint32_t row, more;
} fa_item;

/* Sort items by their keys; those with the same one stay as they were. Returns where they are then: `items`, or
 * `other`, which has as much room. At most 2^32 - 1. */
fa_item *fa_sorted_items(fa_item *items, fa_item *other, size_t count);

#endif
