/* A damaged segment: every list and every position of it, read or refused. */
#include "segment_input.h"

/* Look for positions that are some places from each other. */
static void read_some(fa_runs *runs, uint32_t apart, fa_fault *fault) {
    fa_run run;
    int is_there = 1;
    while (fa_next_run(runs, 0x3FF, &run, &is_there, fault) == FA_OK && is_there)
        for (uint64_t from = 0; from < run.extent && fa_run_from(&run, (uint32_t)from) < run.extent;)
            from = (uint64_t)run.position + 1 + apart;
}

/* Look for some pairs at once. */
static void read_rows(const fa_list *list, const uint32_t *ordinals, uint32_t apart, fa_fault *fault) {
    fa_cursor cursor;
    uint32_t rows[32], count = 0;
    fa_where where[32];
    fa_runs runs;
    if (fa_cursor_begin(&cursor, list, ordinals, fault) != FA_OK) return;
    for (uint32_t row = apart / 2; row < list->count && count < 32; row += 1 + apart * count) rows[count++] = row;
    if (fa_cursor_rows(&cursor, rows, count, where, fault) != FA_OK) return;
    for (uint32_t at = 0; at < count; at++)
        if (fa_runs_at(list->segment, where[at], ordinals[rows[at]], &runs, fault) == FA_OK)
            read_some(&runs, apart, fault);
}

static void read_list(const fa_segment *segment, uint32_t word) {
    fa_list list;
    fa_cursor cursor;
    fa_fault fault;
    if (fa_list_of(segment, word, &list, &fault) != FA_OK) return;
    uint32_t *ordinals = malloc(list.count * sizeof(uint32_t));
    fa_skip *skips = malloc((list.count / FA_SKIP + 1) * sizeof(fa_skip));
    int status = fa_list_ordinals(&list, ordinals, &fault);
    if (status == FA_OK) read_rows(&list, ordinals, word % 5, &fault);
    if (status == FA_OK) status = fa_cursor_begin(&cursor, &list, ordinals, &fault);
    if (status == FA_OK && word % 2) {
        status = fa_cursor_skips(&cursor, skips, &fault);
        cursor.skips = skips;
    }
    for (uint32_t row = 0; row < list.count && status == FA_OK; row += 1 + word % 3) {
        uint32_t shape;
        fa_runs runs = {0};
        status = fa_cursor_to(&cursor, row, &shape, &fault);
        if (status == FA_OK) status = fa_cursor_runs(&cursor, shape, &runs, &fault);
        if (status != FA_OK) break;
        uint8_t *elements = malloc(runs.total + 1);
        uint32_t *positions = malloc((runs.total + 1) * sizeof(uint32_t));
        status = fa_runs_positions(&runs, elements, positions, &fault);
        free(elements);
        free(positions);
        read_some(&runs, word % 7 * 100, &fault);
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
