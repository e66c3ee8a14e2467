/* A damaged segment: every list and every position of it, read or refused. */
#include "segment_input.h"

static void read_list(const fa_segment *segment, uint32_t word) {
    fa_list list;
    fa_cursor cursor;
    fa_fault fault;
    if (fa_list_of(segment, word, &list, &fault) != FA_OK) return;
    uint32_t *ordinals = malloc(list.count * sizeof(uint32_t));
    fa_skip *skips = malloc((list.count / FA_SKIP + 1) * sizeof(fa_skip));
    int status = fa_list_ordinals(&list, ordinals, &fault);
    if (status == FA_OK) status = fa_cursor_begin(&cursor, &list, ordinals, &fault);
    if (status == FA_OK && word % 2) {
        status = fa_cursor_skips(&cursor, skips, &fault);
        cursor.skips = skips;
    }
    for (uint32_t row = 0; row < list.count && status == FA_OK; row += 1 + word % 3) {
        uint32_t shape, total;
        status = fa_cursor_to(&cursor, row, &shape, &fault);
        if (status == FA_OK) status = fa_cursor_total(&cursor, shape, &total, &fault);
        if (status != FA_OK) break;
        uint8_t *elements = malloc(total + 1);
        uint32_t *positions = malloc((total + 1) * sizeof(uint32_t));
        status = fa_cursor_positions(&cursor, shape, total, elements, positions, &fault);
        free(elements);
        free(positions);
    }
    free(ordinals);
    free(skips);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    input from = {data, size};
    fa_segment segment;
    if (read_segment(&from, &segment))
        for (uint32_t word = 0; word < segment.words && word < 64; word++) read_list(&segment, word);
    free_segment(&segment);
    return 0;
}
