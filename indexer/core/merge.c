#include "merge.h"

/* A segment that is being read, word by word. */
typedef struct reader {
    fa_source from;
    size_t words, shapes;
    size_t pairs; /* for which there is room in its `shapes`: those it has, or one more */
    uint32_t *numbers; /* what each of its shapes is in the merge, UINT32_MAX where that is not known yet */
    uint8_t *totals;   /* occurrences of each of its shapes, FA_LONG_RUN for that many or more */
    /* the word in hand, the next one to be joined */
    size_t word;
    fa_bytes spelling;
    uint32_t id;
    /* where its list begins */
    uint32_t pair, ordinal_byte, position_byte, spelling_byte;
    size_t others, rare; /* entries FA_OTHER of shapes before its list, and FA_RARE among those */
} reader;

struct fa_merge {
    reader *readers;
    size_t count, corrupt;
    uint8_t *languages;
    uint32_t versions;
    fa_lists lists;
};

static uint32_t number_at(fa_bytes numbers, size_t row) {
    uint32_t number;
    memcpy(&number, numbers.data + 4 * row, 4);
    return number;
}

/* A number of 1, 2 or 4 bytes. */
static uint32_t small_at(fa_bytes numbers, size_t row, uint32_t size) {
    uint32_t number = 0;
    for (uint32_t byte = 0; byte < size; byte++) number |= (uint32_t)numbers.data[row * size + byte] << (8 * byte);
    return number;
}

static int is_size(uint32_t size) { return size == 1 || size == 2 || size == 4; }

static int sizes_fit(const fa_source *from) {
    size_t words = from->word_ids.size / 4;
    return from->word_ids.size == 4 * words && from->word_ends.size == 4 * words && from->pair_ends.size == 4 * words &&
           from->ordinal_ends.size == 4 * words && from->position_ends.size == 4 * words &&
           from->extents.size == (size_t)4 * from->versions && from->versions <= FA_MAX_VERSIONS &&
           is_size(from->rare_size) && is_size(from->shape_size) && from->rare_shapes.size % from->rare_size == 0 &&
           from->shape_table.size % (from->shape_size * FA_ELEMENTS) == 0 && from->shapes.size <= UINT32_MAX / 2;
}

/* The counts of a shape, and how many occurrences they are. */
static uint64_t counts_of(const reader *r, size_t shape, uint32_t counts[FA_ELEMENTS]) {
    uint64_t total = 0;
    for (unsigned element = 0; element < FA_ELEMENTS; element++) {
        counts[element] = small_at(r->from.shape_table, shape * FA_ELEMENTS + element, r->from.shape_size);
        total += counts[element];
    }
    return total;
}

/* Read the next word. FA_CORRUPT when it does not come after the one before. */
static enum fa_status read_word(reader *r) {
    if (r->word >= r->words) return FA_OK;
    fa_bytes before = r->spelling;
    uint32_t id_before = r->id, end = number_at(r->from.word_ends, r->word);
    if (end < r->spelling_byte || end > r->from.words.size) return FA_CORRUPT;
    r->id = number_at(r->from.word_ids, r->word);
    r->spelling = (fa_bytes){r->from.words.data + r->spelling_byte, end - r->spelling_byte};
    r->spelling_byte = end;
    if (r->word == 0) return FA_OK;
    if (r->id != id_before) return r->id < id_before ? FA_CORRUPT : FA_OK;
    size_t size = before.size < r->spelling.size ? before.size : r->spelling.size;
    int compared = size ? memcmp(before.data, r->spelling.data, size) : 0;
    return compared < 0 || (compared == 0 && before.size < r->spelling.size) ? FA_OK : FA_CORRUPT;
}

static enum fa_status begin_reader(reader *r, const fa_source *from) {
    r->from = *from;
    r->words = from->word_ids.size / 4;
    r->pairs = 2 * from->shapes.size;
    r->shapes = from->shape_table.size / (from->shape_size * FA_ELEMENTS);
    r->numbers = malloc((r->shapes ? r->shapes : 1) * sizeof *r->numbers);
    r->totals = malloc(r->shapes ? r->shapes : 1);
    if (r->numbers == NULL || r->totals == NULL) return FA_NO_MEMORY;
    memset(r->numbers, 255, r->shapes * sizeof *r->numbers);
    for (size_t shape = 0; shape < r->shapes; shape++) {
        uint32_t counts[FA_ELEMENTS];
        uint64_t total = counts_of(r, shape, counts);
        r->totals[shape] = (uint8_t)(total < FA_LONG_RUN ? total : FA_LONG_RUN);
    }
    return read_word(r);
}

fa_merge *fa_merge_new(const fa_source *sources, size_t count, const uint8_t *languages, uint32_t versions) {
    if (versions > FA_MAX_VERSIONS) return NULL;
    fa_merge *merge = calloc(1, sizeof *merge);
    if (merge == NULL) return NULL;
    merge->readers = calloc(count ? count : 1, sizeof *merge->readers);
    merge->languages = malloc(versions ? versions : 1);
    int fits = merge->readers != NULL && merge->languages != NULL;
    if (fits && versions) memcpy(merge->languages, languages, versions);
    merge->versions = versions;
    for (size_t i = 0; i < count && fits; i++) {
        merge->count++;
        fits = sizes_fit(&sources[i]) && begin_reader(&merge->readers[i], &sources[i]) == FA_OK;
    }
    if (!fits) {
        fa_merge_free(merge);
        return NULL;
    }
    return merge;
}

void fa_merge_free(fa_merge *merge) {
    if (merge == NULL) return;
    for (size_t i = 0; merge->readers && i < merge->count; i++) {
        free(merge->readers[i].numbers);
        free(merge->readers[i].totals);
    }
    free(merge->readers);
    free(merge->languages);
    fa_lists_free(&merge->lists);
    free(merge);
}

size_t fa_merge_corrupt(const fa_merge *merge) { return merge->corrupt; }

fa_lists *fa_merge_lists(fa_merge *merge) { return &merge->lists; }

/* ---- one list ---- */

/* The gaps of a list, read one by one; `behind` has those that are too great for `width` bits. */
typedef struct gaps {
    const uint8_t *packed, *behind, *end;
    size_t bit;
    uint32_t width, escape;
} gaps;

static enum fa_status begin_gaps(gaps *g, fa_bytes data, size_t count) {
    *g = (gaps){.packed = data.data, .end = data.data + data.size, .width = FA_GAP_BITS, .escape = UINT32_MAX};
    g->behind = g->end;
    if (count < FA_FEW_PAIRS) return data.size == 2 * count ? FA_OK : FA_CORRUPT;
    if (data.size == 0) return FA_CORRUPT;
    g->width = *g->packed++;
    if (g->width == 0 || g->width > FA_GAP_BITS) return FA_CORRUPT;
    size_t size = (count * g->width + 7) / 8;
    if (size > data.size - 1) return FA_CORRUPT;
    g->behind = g->packed + size;
    g->escape = ((uint32_t)1 << g->width) - 1;
    return FA_OK;
}

static inline enum fa_status next_gap(gaps *g, uint32_t *gap) {
    const uint8_t *at = g->packed + (g->bit >> 3);
    uint32_t shift = (uint32_t)g->bit & 7, found = at[0];
    if (shift + g->width > 8) found |= (uint32_t)at[1] << 8;
    if (shift + g->width > 16) found |= (uint32_t)at[2] << 16;
    *gap = found >> shift & (((uint32_t)1 << g->width) - 1);
    g->bit += g->width;
    if (*gap != g->escape) return FA_OK;
    if (g->end - g->behind < 2) return FA_CORRUPT;
    *gap = (uint32_t)g->behind[0] | (uint32_t)g->behind[1] << 8;
    g->behind += 2;
    return FA_OK;
}

/* Read the shape of a pair, the next one in the order of pairs. */
static inline enum fa_status read_shape(reader *r, size_t pair, size_t *shape) {
    *shape = r->from.shapes.data[pair / 2] >> 4 * (pair % 2) & 15u;
    if (*shape == FA_OTHER) {
        if (r->others >= r->from.other_shapes.size) return FA_CORRUPT;
        *shape = r->from.other_shapes.data[r->others++];
        if (*shape == FA_RARE) {
            if (r->rare >= r->from.rare_shapes.size / r->from.rare_size) return FA_CORRUPT;
            *shape = small_at(r->from.rare_shapes, r->rare++, r->from.rare_size);
        }
    }
    return *shape < r->shapes ? FA_OK : FA_CORRUPT;
}

/* Bits of the positions of a shape in a version of a width; 0 for what is no shape. */
static inline uint64_t bits_of(const reader *r, size_t shape, uint32_t width, uint64_t *total) {
    *total = r->totals[shape];
    if (*total < FA_LONG_RUN) return *total * width;
    uint32_t counts[FA_ELEMENTS];
    uint64_t bits = 0;
    *total = counts_of(r, shape, counts);
    for (unsigned element = 0; element < FA_ELEMENTS; element++) {
        if (counts[element]) bits += fa_run_of(counts[element], width).bits;
    }
    return bits;
}

static inline enum fa_status number_of(fa_merge *merge, reader *r, size_t shape, uint32_t *number) {
    if (r->numbers[shape] == UINT32_MAX) {
        uint32_t counts[FA_ELEMENTS];
        counts_of(r, shape, counts);
        enum fa_status status = fa_lists_shape(&merge->lists, counts, &r->numbers[shape]);
        if (status != FA_OK) return status;
    }
    *number = r->numbers[shape];
    return FA_OK;
}

/* Join the pairs of the word in hand that are not dropped to its list, which begins with the first one. */
static enum fa_status join_list(fa_merge *merge, reader *r, int *begun) {
    const fa_source *from = &r->from;
    uint32_t pair_end = number_at(from->pair_ends, r->word), ordinal_end = number_at(from->ordinal_ends, r->word),
             position_end = number_at(from->position_ends, r->word), gap, shape = 0;
    if (pair_end <= r->pair || pair_end > r->pairs || ordinal_end < r->ordinal_byte ||
        ordinal_end > from->ordinals.size || position_end < r->position_byte || position_end > from->positions.size) {
        return FA_CORRUPT;
    }
    gaps gaps_left;
    fa_bytes data = {from->ordinals.data + r->ordinal_byte, ordinal_end - r->ordinal_byte};
    enum fa_status status = begin_gaps(&gaps_left, data, pair_end - r->pair);
    uint64_t bit = (uint64_t)r->position_byte * 8, last_bit = (uint64_t)position_end * 8, bits = 0, total,
             ordinal = 0, copied = bit; /* the positions up to there are dropped, or copied */
    size_t row;
    for (size_t pair = r->pair; pair < pair_end && status == FA_OK; pair++, ordinal++, bit += bits) {
        if ((status = next_gap(&gaps_left, &gap)) != FA_OK) break;
        ordinal += gap;
        if (ordinal >= from->versions) return FA_CORRUPT;
        int32_t place = from->places[ordinal];
        uint32_t width = fa_bit_width(number_at(from->extents, ordinal));
        if ((status = read_shape(r, pair, &row)) != FA_OK) break;
        bits = bits_of(r, row, width, &total);
        if (total == 0 || bits > last_bit - bit) return FA_CORRUPT;
        if (place < 0) {
            status = fa_lists_copy_bits(&merge->lists, from->positions, copied, bit - copied);
            copied = bit + bits;
            continue;
        }
        if ((uint32_t)place >= merge->versions) return FA_CORRUPT;
        status = number_of(merge, r, row, &shape);
        if (status == FA_OK && !*begun) status = fa_lists_word(&merge->lists, r->spelling, r->id);
        *begun = 1;
        uint8_t language = merge->languages[place];
        if (language < 64) merge->lists.language |= (uint64_t)1 << language;
        if (status == FA_OK) status = fa_lists_known_pair(&merge->lists, (uint32_t)place, shape, total);
    }
    if (status == FA_OK && bit > copied)
        status = fa_lists_copy_bits(&merge->lists, from->positions, copied, bit - copied);
    if (status == FA_OK && gaps_left.behind != gaps_left.end) status = FA_CORRUPT;
    r->pair = pair_end;
    r->ordinal_byte = ordinal_end;
    r->position_byte = position_end;
    return status;
}

/* ---- all lists ---- */

static int compare_words(const reader *a, const reader *b) {
    if (a->id != b->id) return a->id < b->id ? -1 : 1;
    size_t size = a->spelling.size < b->spelling.size ? a->spelling.size : b->spelling.size;
    int compared = size ? memcmp(a->spelling.data, b->spelling.data, size) : 0;
    return compared ? compared : (a->spelling.size > b->spelling.size) - (a->spelling.size < b->spelling.size);
}

static reader *least(const fa_merge *merge) {
    reader *found = NULL;
    for (reader *r = merge->readers; r < merge->readers + merge->count; r++) {
        if (r->word < r->words && (found == NULL || compare_words(r, found) < 0)) found = r;
    }
    return found;
}

/* Join the lists of one word: those of the readers from the first one that has it on. */
static enum fa_status join_word(fa_merge *merge, reader *first) {
    enum fa_status status = FA_OK;
    reader word = *first; /* its word stays in hand while the readers go on */
    int begun = 0;
    for (reader *r = first; r < merge->readers + merge->count && status == FA_OK; r++) {
        if (r->word >= r->words || (r != first && compare_words(r, &word) != 0)) continue;
        status = join_list(merge, r, &begun);
        r->word++;
        if (status == FA_OK) status = read_word(r);
        if (status == FA_CORRUPT) merge->corrupt = (size_t)(r - merge->readers);
    }
    return status == FA_OK && begun ? fa_lists_end(&merge->lists) : status;
}

static size_t bytes_made(const fa_lists *lists) {
    return lists->words.size + lists->ordinals.size + lists->positions.size + lists->shapes.size +
           lists->word_ids.size * 7;
}

enum fa_status fa_merge_next(fa_merge *merge, size_t most, int *done) {
    enum fa_status status = FA_OK;
    *done = 0;
    while (status == FA_OK && bytes_made(&merge->lists) < most) {
        reader *first = least(merge);
        if (first == NULL) {
            *done = 1;
            break;
        }
        status = join_word(merge, first);
    }
    return status;
}
