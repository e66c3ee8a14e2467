/* Rows -> their order by several columns of numbers, in a time that grows with the rows alone. */
#ifndef FINDINGAID_ORDER_H
#define FINDINGAID_ORDER_H

#include "core.h"

/* Put into `order` the numbers of the rows, 0 to rows - 1, by the last column first, then by the one before, and so on;
 * rows that are the same in all columns stay as they were. Columns have a number a row. Takes 32 bytes a row.
 * FA_OK, FA_NO_MEMORY, FA_TOO_LARGE (2^32 rows or more). */
FA_EXPORT enum fa_status fa_order_rows(const uint64_t *const *columns, size_t column_count, size_t rows,
                                       uint32_t *order);

/* A number to be sorted by, and what goes with it. */
typedef struct fa_item {
    uint64_t key;
    uint32_t row, more;
} fa_item;

/* Sort items by their keys; those with the same one stay as they were. Returns where they are then: `items`, or
 * `other`, which has as much room. At most 2^32 - 1. */
fa_item *fa_sorted_items(fa_item *items, fa_item *other, size_t count);

#endif
