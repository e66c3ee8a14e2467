/* Columns of occurrences, whatever they hold, and the words of any text -> lists; what was taken must come out again. */
#include "batch.h"

#include <assert.h>

static uint32_t number(const uint8_t **data, size_t *size, unsigned bytes) {
    uint32_t value = 0;
    for (; bytes && *size; bytes--, ++*data, --*size) value = value << 8 | **data;
    return value;
}

static void add_some(fa_batch *batch, const uint8_t **data, size_t *size, int *failed) {
    enum { WORDS = 8, ROWS = 400 };
    uint32_t ends[WORDS], word[ROWS], page[ROWS], position[ROWS], at = 0, now = 0;
    uint8_t spelled[64], element[ROWS];
    for (unsigned i = 0; i < WORDS; i++) ends[i] = at += number(data, size, 1) % 9;
    for (unsigned i = 0; i < sizeof spelled; i++) spelled[i] = (uint8_t)number(data, size, 1);
    size_t rows = number(data, size, 2) % ROWS;
    unsigned kind = number(data, size, 1);
    for (size_t row = 0; row < rows; row++) {
        uint32_t told = number(data, size, 1);
        now += told >> 7;
        word[row] = told & (kind & 1 ? 7 : 15);
        page[row] = now;
        element[row] = (uint8_t)(number(data, size, 1) % (kind & 2 ? 10 : 12));
        position[row] = number(data, size, kind & 4 ? 1 : kind & 8 ? 4 : 3);
    }
    fa_columns columns = {{spelled, sizeof spelled}, ends, WORDS, word, page, element, position, rows, now + (kind >> 7)};
    *failed = fa_batch_add_columns(batch, &columns) != FA_OK;
}

/* Add a page of what is left of the input. */
static void add_text(fa_batch *batch, const uint8_t *data, size_t size, int *failed) {
    fa_tokens *tokens = fa_tokens_new();
    fa_section section = {.text = {data, size}, .element = FA_BODY};
    *failed = fa_tokenize_sections(tokens, &section, 1, SIZE_MAX) != FA_OK || fa_batch_add_tokens(batch, tokens) != FA_OK;
    assert(!*failed);
    fa_tokens_free(tokens);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fa_batch *batch = fa_batch_new();
    assert(batch);
    int failed = 0;
    for (unsigned groups = number(&data, &size, 1) % 4 + 1; groups && !failed; groups--) {
        add_some(batch, &data, &size, &failed);
    }
    if (!failed) add_text(batch, data, size, &failed);
    uint64_t occurrences = fa_batch_occurrences(batch);
    uint32_t pages = fa_batch_pages(batch);
    uint8_t *languages = calloc(pages + 1, 1);
    for (uint32_t page = 0; page < pages; page++) languages[page] = (uint8_t)(page * 37);
    if (!failed) {
        assert(fa_batch_invert(batch, languages) == FA_OK);
        const fa_lists *lists = fa_batch_lists(batch);
        assert(fa_lists_occurrences(lists) == occurrences);
        size_t shapes = fa_lists_column(lists, FA_SHAPE_USES).size / 8;
        uint32_t *order = malloc((shapes + 1) * sizeof *order);
        assert(fa_lists_order_shapes(lists, order) == FA_OK);
        free(order);
        assert(fa_batch_invert(batch, languages) == FA_CORRUPT);
    }
    free(languages);
    /* whatever it held, or failed at, it takes pages again */
    fa_batch_empty(batch);
    assert(fa_batch_pages(batch) == 0 && fa_batch_occurrences(batch) == 0);
    add_text(batch, data, size, &failed);
    uint8_t language = 1;
    assert(fa_batch_pages(batch) == 1 && fa_batch_invert(batch, &language) == FA_OK);
    fa_batch_free(batch);
    return 0;
}
