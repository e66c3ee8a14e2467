#include "batch.h"

#include "md5.h"

enum {
    MOST_KEPT = 24 << 20, /* bytes of a buffer that stay for the next pages */
    /* a column of occurrences begins with so many: those that are not written to cost nothing, and to grow bit by bit takes
     * copies, and leaves holes in the memory of the process */
    FIRST_ROOM = 8 << 20
};

struct fa_batch {
    fa_intern words;
    fa_buffer word_counts;       /* uint32_t a word: its occurrences */
    fa_buffer word_of, place_of; /* uint32_t an occurrence: word, element << FA_POSITION_BITS | position */
    fa_buffer page_ends;         /* uint32_t a page: occurrences up to its end */
    fa_buffer lengths, extents;
    fa_buffer numbers; /* of the words of one call */
    fa_lists lists;
    int is_inverted; /* nothing can be added any more */
};

fa_batch *fa_batch_new(void) { return calloc(1, sizeof(fa_batch)); }

void fa_batch_free(fa_batch *batch) {
    if (batch == NULL) return;
    fa_intern_free(&batch->words);
    fa_buffer *buffers[] = {&batch->word_counts, &batch->word_of, &batch->place_of, &batch->page_ends,
                            &batch->lengths,     &batch->extents, &batch->numbers};
    for (size_t k = 0; k < sizeof buffers / sizeof *buffers; k++) fa_buffer_free(buffers[k]);
    fa_lists_free(&batch->lists);
    free(batch);
}

/* What lies behind `size` need not be zero in a buffer of numbers, so nothing is cleared. */
static void empty_or_free(fa_buffer *buffer) {
    buffer->size = 0;
    if (buffer->room > MOST_KEPT) fa_buffer_free(buffer);
}

void fa_batch_empty(fa_batch *batch) {
    fa_buffer *buffers[] = {&batch->word_counts, &batch->word_of, &batch->place_of, &batch->page_ends,
                            &batch->lengths,     &batch->extents, &batch->numbers};
    for (size_t k = 0; k < sizeof buffers / sizeof *buffers; k++) empty_or_free(buffers[k]);
    fa_intern_free(&batch->words);
    fa_lists_free(&batch->lists);
    batch->lists = (fa_lists){0};
    batch->is_inverted = 0;
}

uint32_t fa_batch_pages(const fa_batch *batch) { return (uint32_t)(batch->extents.size / sizeof(uint32_t)); }

uint64_t fa_batch_occurrences(const fa_batch *batch) { return batch->word_of.size / sizeof(uint32_t); }

fa_bytes fa_batch_lengths(const fa_batch *batch) { return (fa_bytes){batch->lengths.data, batch->lengths.size}; }

fa_bytes fa_batch_extents(const fa_batch *batch) { return (fa_bytes){batch->extents.data, batch->extents.size}; }

const fa_lists *fa_batch_lists(const fa_batch *batch) { return &batch->lists; }

/* ---- adding pages ---- */

static enum fa_status intern(fa_batch *batch, const uint8_t *data, size_t size, uint64_t hash, uint32_t *number) {
    uint32_t known = batch->words.count;
    enum fa_status status = fa_intern_put_hashed(&batch->words, data, size, hash, number);
    if (status == FA_OK && *number == known && !fa_buffer_put_u32(&batch->word_counts, 0)) return FA_NO_MEMORY;
    return status;
}

static int reserve_column(fa_buffer *column, size_t occurrences) {
    size_t more = occurrences * sizeof(uint32_t);
    return fa_buffer_reserve_any(column, column->room == 0 && more < FIRST_ROOM ? FIRST_ROOM : more);
}

/* Make room for a page and for occurrences, at most 2^32 together. */
static enum fa_status begin_page(fa_batch *batch, size_t occurrences) {
    static const uint32_t none[FA_ELEMENTS] = {0};
    if (fa_batch_pages(batch) >= FA_MAX_VERSIONS) return FA_TOO_LARGE;
    if (occurrences > UINT32_MAX - fa_batch_occurrences(batch)) return FA_TOO_LARGE;
    int there = fa_buffer_put(&batch->lengths, none, sizeof none) && fa_buffer_put_u32(&batch->extents, 0) &&
                reserve_column(&batch->word_of, occurrences) && reserve_column(&batch->place_of, occurrences);
    return there ? FA_OK : FA_NO_MEMORY;
}

/* Add an occurrence to the page in hand; there is room for it. */
static inline void put_occurrence(fa_batch *batch, uint32_t word, uint32_t element, uint32_t position) {
    uint32_t *lengths = (uint32_t *)(batch->lengths.data + batch->lengths.size) - FA_ELEMENTS;
    uint32_t *extent = (uint32_t *)(batch->extents.data + batch->extents.size) - 1;
    uint32_t place = element << FA_POSITION_BITS | position;
    memcpy(batch->word_of.data + batch->word_of.size, &word, sizeof word);
    memcpy(batch->place_of.data + batch->place_of.size, &place, sizeof place);
    batch->word_of.size += sizeof word;
    batch->place_of.size += sizeof place;
    ((uint32_t *)batch->word_counts.data)[word]++;
    lengths[element]++;
    if (position >= *extent) *extent = position + 1;
}

static enum fa_status end_page(fa_batch *batch) {
    return fa_buffer_put_u32(&batch->page_ends, (uint32_t)fa_batch_occurrences(batch)) ? FA_OK : FA_NO_MEMORY;
}

enum fa_status fa_batch_add_tokens(fa_batch *batch, const fa_tokens *tokens) {
    if (batch->is_inverted) return FA_CORRUPT;
    enum fa_status status = begin_page(batch, tokens->token_count);
    /* the table of words is larger than what the processor has at hand: it is told some words ahead what comes */
    enum { FAR = 24, MIDDLE = 16, NEAR = 8 };
    for (size_t i = 0; i < tokens->token_count && status == FA_OK; i++) {
        const fa_token *token = &tokens->tokens[i];
        if (tokens->token_count - i > FAR) fa_intern_prepare(&batch->words, token[FAR].hash);
        if (tokens->token_count - i > MIDDLE) fa_intern_prepare_string(&batch->words, token[MIDDLE].hash);
        if (tokens->token_count - i > NEAR) fa_intern_prepare_bytes(&batch->words, token[NEAR].hash);
        uint32_t word;
        if (token->element >= FA_ELEMENTS) return FA_CORRUPT;
        if (token->rank >> FA_POSITION_BITS) return FA_TOO_LARGE;
        status = intern(batch, tokens->normal + token->begin, token->size, token->hash, &word);
        if (status == FA_OK) put_occurrence(batch, word, token->element, token->rank);
    }
    return status == FA_OK ? end_page(batch) : status;
}

static enum fa_status intern_all(fa_batch *batch, const fa_columns *columns) {
    uint32_t start = 0, number;
    batch->numbers.size = 0;
    for (size_t row = 0; row < columns->word_count; row++) {
        uint32_t end = columns->word_ends[row];
        if (end < start || end > columns->words.size) return FA_CORRUPT;
        const uint8_t *word = columns->words.data + start;
        enum fa_status status = intern(batch, word, end - start, fa_hash(word, end - start), &number);
        if (status != FA_OK) return status;
        if (!fa_buffer_put_u32(&batch->numbers, number)) return FA_NO_MEMORY;
        start = end;
    }
    return FA_OK;
}

enum fa_status fa_batch_add_columns(fa_batch *batch, const fa_columns *columns) {
    if (batch->is_inverted) return FA_CORRUPT;
    enum fa_status status = intern_all(batch, columns);
    const uint32_t *numbers = (const uint32_t *)batch->numbers.data;
    size_t row = 0;
    for (uint32_t page = 0; page < columns->pages && status == FA_OK; page++) {
        size_t end = row;
        while (end < columns->occurrences && columns->page[end] == page) end++;
        status = begin_page(batch, end - row);
        for (; row < end && status == FA_OK; row++) {
            if (columns->word[row] >= columns->word_count || columns->element[row] >= FA_ELEMENTS) return FA_CORRUPT;
            if (columns->position[row] >> FA_POSITION_BITS) return FA_TOO_LARGE;
            put_occurrence(batch, numbers[columns->word[row]], columns->element[row], columns->position[row]);
        }
        if (status == FA_OK) status = end_page(batch);
    }
    return status == FA_OK && row < columns->occurrences ? FA_CORRUPT : status;
}

/* ---- inverting ---- */

/* Sort numbers by their upper 32 bits, keeping the order of equal ones; `other` has as much room. */
static void sort_by_upper_half(uint64_t *numbers, uint64_t *other, size_t count) {
    for (unsigned shift = 32; shift < 64; shift += 8) {
        size_t starts[257] = {0};
        for (size_t i = 0; i < count; i++) starts[(numbers[i] >> shift & 255) + 1]++;
        for (unsigned byte = 0; byte < 256; byte++) starts[byte + 1] += starts[byte];
        for (size_t i = 0; i < count; i++) other[starts[numbers[i] >> shift & 255]++] = numbers[i];
        uint64_t *swap = numbers;
        numbers = other;
        other = swap;
    }
}

static int compare_spelling(const fa_batch *batch, uint64_t first, uint64_t second) {
    fa_bytes a = fa_intern_at(&batch->words, (uint32_t)first), b = fa_intern_at(&batch->words, (uint32_t)second);
    size_t size = a.size < b.size ? a.size : b.size;
    int compared = size ? memcmp(a.data, b.data, size) : 0;
    return compared ? compared : (a.size > b.size) - (a.size < b.size);
}

/* Put those few that share an id into the order of their spellings. */
static void order_spellings(const fa_batch *batch, uint64_t *order, size_t count) {
    for (size_t i = 1; i < count; i++) {
        uint64_t word = order[i];
        size_t place = i;
        for (; place && order[place - 1] >> 32 == word >> 32; place--) {
            if (compare_spelling(batch, order[place - 1], word) <= 0) break;
            order[place] = order[place - 1];
        }
        order[place] = word;
    }
}

/* Return the words in the order of a segment, id << 32 | number each, or NULL; to be freed. */
static uint64_t *ordered_words(const fa_batch *batch) {
    size_t count = batch->words.count;
    uint64_t *order = malloc((count ? count : 1) * 2 * sizeof *order);
    if (order == NULL) return NULL;
    for (size_t number = 0; number < count;) {
        enum { MANY = 64 };
        fa_bytes words[MANY];
        uint64_t keys[MANY];
        size_t here = count - number < MANY ? count - number : MANY;
        for (size_t i = 0; i < here; i++) words[i] = fa_intern_at(&batch->words, (uint32_t)(number + i));
        fa_md5_keys(words, here, keys);
        for (size_t i = 0; i < here; i++, number++) order[number] = keys[i] >> 32 << 32 | number;
    }
    sort_by_upper_half(order, order + count, count);
    order_spellings(batch, order, count);
    return order;
}

/* An occurrence on its way to its list, in six bytes: place, page. */
enum { PLACE_BYTES = 4, PAGE_BYTES = 2, OCCURRENCE_BYTES = PLACE_BYTES + PAGE_BYTES };

static inline void put_ordered(uint8_t *at, uint32_t place, uint16_t page) {
    memcpy(at, &place, PLACE_BYTES);
    memcpy(at + PLACE_BYTES, &page, PAGE_BYTES);
}

/* Give page << 32 | place of an occurrence. */
static inline uint64_t ordered_at(const uint8_t *at) {
    uint32_t place;
    uint16_t page;
    memcpy(&place, at, PLACE_BYTES);
    memcpy(&page, at + PLACE_BYTES, PAGE_BYTES);
    return (uint64_t)page << 32 | place;
}

/* Return all occurrences, word behind word in that order, or NULL when memory is short; to be freed. */
static uint8_t *ordered_by_word(const fa_batch *batch, const uint64_t *order) {
    size_t count = (size_t)fa_batch_occurrences(batch), words = batch->words.count;
    const uint32_t *counts = (const uint32_t *)batch->word_counts.data;
    const uint32_t *word_of = (const uint32_t *)batch->word_of.data, *place_of = (const uint32_t *)batch->place_of.data;
    const uint32_t *page_ends = (const uint32_t *)batch->page_ends.data;
    uint32_t *next = malloc((words ? words : 1) * sizeof *next);
    uint8_t *occurrences = malloc((count ? count : 1) * OCCURRENCE_BYTES);
    if (next == NULL || occurrences == NULL) {
        free(next);
        free(occurrences);
        return NULL;
    }
    if (count * OCCURRENCE_BYTES >= FA_LARGE) fa_buffer_is_large(occurrences, count * OCCURRENCE_BYTES);
    uint32_t start = 0;
    for (size_t place = 0; place < words; place++) {
        next[(uint32_t)order[place]] = start;
        start += counts[(uint32_t)order[place]];
    }
    size_t row = 0;
    for (uint32_t page = 0; page < fa_batch_pages(batch); page++) {
        for (; row < page_ends[page]; row++)
            put_ordered(occurrences + (size_t)next[word_of[row]]++ * OCCURRENCE_BYTES, place_of[row], (uint16_t)page);
    }
    free(next);
    return occurrences;
}

static int compare_numbers(const void *a, const void *b) {
    uint64_t first = *(const uint64_t *)a, second = *(const uint64_t *)b;
    return first < second ? -1 : first > second;
}

static int is_rising(const uint64_t *places, size_t count) {
    for (size_t i = 1; i < count; i++) {
        if (places[i] < places[i - 1]) return 0;
    }
    return 1;
}

/* Sort the places of a pair. Positions rise in a page but for what one element leaves to another: so few are sorted by
 * insertion, many are shared out by element first. `room` holds as many. */
static void sort_places(uint64_t *places, size_t count, uint64_t *room) {
    if (is_rising(places, count)) return;
    if (count > 16) {
        size_t starts[17] = {0};
        for (size_t i = 0; i < count; i++) starts[(places[i] >> FA_POSITION_BITS & 15) + 1]++;
        for (unsigned element = 0; element < 16; element++) starts[element + 1] += starts[element];
        for (size_t i = 0; i < count; i++) room[starts[places[i] >> FA_POSITION_BITS & 15]++] = places[i];
        memcpy(places, room, count * sizeof *places);
        if (!is_rising(places, count)) qsort(places, count, sizeof *places, compare_numbers);
        return;
    }
    for (size_t i = 1; i < count; i++) {
        uint64_t place = places[i];
        size_t at = i;
        for (; at && places[at - 1] > place; at--) places[at] = places[at - 1];
        places[at] = place;
    }
}

/* Make the list of a word from its occurrences. */
static enum fa_status put_list(fa_batch *batch, uint64_t *occurrences, size_t count, uint64_t *room,
                               const uint8_t *languages) {
    const uint32_t *extents = (const uint32_t *)batch->extents.data;
    enum fa_status status = FA_OK;
    for (size_t first = 0; first < count && status == FA_OK;) {
        uint32_t page = (uint32_t)(occurrences[first] >> 32);
        size_t end = first + 1;
        while (end < count && occurrences[end] >> 32 == page) end++;
        sort_places(occurrences + first, end - first, room);
        status = fa_lists_pair(&batch->lists, page, occurrences + first, end - first, fa_bit_width(extents[page]));
        if (languages[page] < 64) batch->lists.language |= (uint64_t)1 << languages[page];
        first = end;
    }
    return status;
}

static enum fa_status put_lists(fa_batch *batch, const uint64_t *order, const uint8_t *by_word, const uint8_t *languages) {
    const uint32_t *counts = (const uint32_t *)batch->word_counts.data;
    uint32_t longest = 1;
    for (uint32_t word = 0; word < batch->words.count; word++) {
        if (counts[word] > longest) longest = counts[word];
    }
    uint64_t *occurrences = malloc((size_t)longest * 2 * sizeof *occurrences); /* of the word in hand, and as many more */
    enum fa_status status = occurrences ? FA_OK : FA_NO_MEMORY;
    for (size_t place = 0; place < batch->words.count && status == FA_OK; place++) {
        uint32_t word = (uint32_t)order[place];
        if (!counts[word]) continue; /* named by columns, used by none */
        status = fa_lists_word(&batch->lists, fa_intern_at(&batch->words, word), (uint32_t)(order[place] >> 32));
        for (uint32_t i = 0; i < counts[word]; i++, by_word += OCCURRENCE_BYTES) occurrences[i] = ordered_at(by_word);
        if (status == FA_OK) status = put_list(batch, occurrences, counts[word], occurrences + longest, languages);
        if (status == FA_OK) status = fa_lists_end(&batch->lists);
    }
    free(occurrences);
    return status;
}

enum fa_status fa_batch_invert(fa_batch *batch, const uint8_t *languages) {
    if (batch->is_inverted) return FA_CORRUPT;
    batch->is_inverted = 1;
    uint64_t *order = ordered_words(batch);
    uint8_t *by_word = order ? ordered_by_word(batch, order) : NULL;
    enum fa_status status = by_word ? put_lists(batch, order, by_word, languages) : FA_NO_MEMORY;
    free(by_word);
    free(order);
    return status;
}
