#include "codec.h"

enum fa_status fa_lists_word(fa_lists *lists, fa_bytes word, uint32_t id) {
    if (!fa_buffer_put(&lists->words, word.data, word.size) || !fa_buffer_put_u32(&lists->word_ids, id)) {
        return FA_NO_MEMORY;
    }
    lists->gaps.size = 0;
    lists->next_ordinal = 0;
    lists->bit = (uint64_t)lists->positions.size * 8;
    lists->language = 0;
    return FA_OK;
}

/* ---- positions ---- */

/* Put a number of at most 56 bits at a bit where nothing is yet; there is room for eight bytes. */
static inline void put_bits(uint8_t *data, uint64_t bit, uint64_t number) {
    uint64_t eight;
    memcpy(&eight, data + (bit >> 3), 8);
    eight |= number << (bit & 7);
    memcpy(data + (bit >> 3), &eight, 8);
}

/* Make room for bits behind lists->bit, and eight bytes more. */
static int reserve_bits(fa_lists *lists, uint64_t bits) {
    if (bits > SIZE_MAX / 2) return 0;
    uint64_t end = (lists->bit + bits + 7) / 8 + 8;
    return fa_buffer_reserve(&lists->positions, (size_t)end - lists->positions.size);
}

static enum fa_status put_run(fa_lists *lists, const uint64_t *places, uint32_t count, uint32_t width) {
    const uint64_t mask = ((uint64_t)1 << FA_POSITION_BITS) - 1;
    fa_run run = fa_run_of(count, width);
    if (!reserve_bits(lists, run.bits)) return FA_NO_MEMORY;
    uint8_t *data = lists->positions.data;
    uint64_t bit = lists->bit, low = ((uint64_t)1 << run.low) - 1;
    for (uint32_t i = 0; i < count; i++, bit += run.low) {
        uint64_t position = places[i] & mask;
        if (position >> width) return FA_CORRUPT;
        put_bits(data, bit, position & low);
    }
    if (run.split >= 0) {
        for (uint32_t i = 0; i < count; i++) {
            uint64_t one = bit + ((places[i] & mask) >> run.low) + i;
            data[one >> 3] |= (uint8_t)(1u << (one & 7));
        }
    }
    lists->bit += run.bits;
    return FA_OK;
}

enum fa_status fa_lists_copy_bits(fa_lists *lists, fa_bytes from, uint64_t bit, uint64_t bits) {
    if (!reserve_bits(lists, bits)) return FA_NO_MEMORY;
    uint8_t *data = lists->positions.data;
    uint64_t to = lists->bit;
    lists->bit += bits;
    while (bits) {
        /* 56 bits are whole wherever they begin */
        uint64_t some = bits < 56 ? bits : 56, eight = 0;
        size_t first = (size_t)(bit >> 3), there = from.size - first;
        if (there >= 8) {
            memcpy(&eight, from.data + first, 8);
        } else {
            memcpy(&eight, from.data + first, there);
        }
        put_bits(data, to, (eight >> (bit & 7)) & (((uint64_t)1 << some) - 1));
        bit += some;
        to += some;
        bits -= some;
    }
    return FA_OK;
}

/* ---- shapes ---- */

/* Six bits a count tell shapes apart exactly while their sum is below 64. */
static int is_small(const uint32_t counts[FA_ELEMENTS], uint64_t *key) {
    uint64_t total = 0;
    *key = 0;
    for (unsigned element = 0; element < FA_ELEMENTS; element++) {
        total += counts[element];
        *key |= (uint64_t)(counts[element] & 63) << (6 * element);
    }
    return total < 64;
}

enum fa_status fa_lists_shape(fa_lists *lists, const uint32_t counts[FA_ELEMENTS], uint32_t *number) {
    uint64_t key;
    uint32_t known = lists->shape_numbers.count;
    size_t size = FA_ELEMENTS * sizeof(uint32_t);
    enum fa_status status = is_small(counts, &key)
                                ? fa_intern_put(&lists->shape_numbers, (const uint8_t *)&key, sizeof key, number)
                                : fa_intern_put(&lists->shape_numbers, (const uint8_t *)counts, size, number);
    if (status != FA_OK || *number < known) return status;
    if (!fa_buffer_put(&lists->shape_counts, counts, size)) return FA_NO_MEMORY;
    return fa_buffer_put_u64(&lists->shape_uses, 0) ? FA_OK : FA_NO_MEMORY;
}

/* Give the number of the shape of a pair whose last run is `count` occurrences of an element. */
static inline enum fa_status shape_of_pair(fa_lists *lists, const uint32_t counts[FA_ELEMENTS], uint32_t element,
                                           size_t count, uint32_t *number) {
    if (counts[element] != count || count >= FA_PLAIN) return fa_lists_shape(lists, counts, number);
    uint32_t *known = &lists->plain_shapes[element][count];
    if (*known) {
        *number = *known - 1;
        return FA_OK;
    }
    enum fa_status status = fa_lists_shape(lists, counts, number);
    if (status == FA_OK) *known = *number + 1;
    return status;
}

static enum fa_status put_shape(fa_lists *lists, uint32_t number) {
    ((uint64_t *)lists->shape_uses.data)[number]++;
    return fa_buffer_put_u32(&lists->shapes, number) ? FA_OK : FA_NO_MEMORY;
}

typedef struct used {
    uint64_t uses, key;
    uint32_t number;
} used;

static int compare_used(const void *a, const void *b) {
    const used *first = a, *second = b;
    if (first->uses != second->uses) return first->uses > second->uses ? -1 : 1;
    return first->key < second->key ? -1 : first->key > second->key;
}

enum fa_status fa_lists_order_shapes(const fa_lists *lists, uint32_t *order) {
    uint32_t count = lists->shape_numbers.count;
    used *all = malloc((count ? count : 1) * sizeof *all);
    if (all == NULL) return FA_NO_MEMORY;
    for (uint32_t number = 0; number < count; number++) {
        const uint32_t *counts = (const uint32_t *)lists->shape_counts.data + (size_t)number * FA_ELEMENTS;
        uint64_t key;
        /* great ones behind the small ones, as they came: the pairs come in the same order however they are cut */
        if (!is_small(counts, &key)) key = (uint64_t)1 << 63 | number;
        all[number] = (used){((const uint64_t *)lists->shape_uses.data)[number], key, number};
    }
    qsort(all, count, sizeof *all, compare_used);
    for (uint32_t place = 0; place < count; place++) order[place] = all[place].number;
    free(all);
    return FA_OK;
}

enum fa_status fa_code_shapes(fa_shape_codes *codes, const uint32_t *numbers, size_t count) {
    if (count > codes->pairs - codes->done) return FA_CORRUPT;
    size_t others = codes->other_count, rare = codes->rare_count;
    for (size_t i = 0; i < count; i++) {
        size_t pair = codes->done + i;
        if (numbers[i] >= codes->place_count) return FA_CORRUPT;
        if (pair % FA_RANK_BLOCK == 0) {
            codes->ranks[pair / FA_RANK_BLOCK * 2] = (uint32_t)others;
            codes->ranks[pair / FA_RANK_BLOCK * 2 + 1] = (uint32_t)rare;
        }
        uint32_t place = codes->places[numbers[i]], told = place < FA_OTHER ? place : FA_OTHER;
        codes->shapes[pair / 2] |= (uint8_t)(told << 4 * (pair % 2));
        /* what does not count is written over by the next: to guess which do would take longer */
        codes->others[others] = (uint8_t)(place < FA_RARE ? place : FA_RARE);
        codes->rare[rare] = place;
        others += place >= FA_OTHER;
        rare += place >= FA_RARE;
    }
    codes->done += count;
    codes->other_count = others;
    codes->rare_count = rare;
    return FA_OK;
}

/* ---- pairs and lists ---- */

static enum fa_status put_ordinal(fa_lists *lists, uint32_t ordinal) {
    if (ordinal < lists->next_ordinal || ordinal >= FA_MAX_VERSIONS) return FA_CORRUPT;
    uint32_t gap = ordinal - lists->next_ordinal;
    lists->next_ordinal = ordinal + 1;
    return fa_buffer_put_u32(&lists->gaps, gap) ? FA_OK : FA_NO_MEMORY;
}

enum fa_status fa_lists_pair(fa_lists *lists, uint32_t ordinal, const uint64_t *places, size_t count,
                             uint32_t width) {
    uint32_t counts[FA_ELEMENTS] = {0}, shape, element = 0;
    if (count > UINT32_MAX) return FA_TOO_LARGE;
    enum fa_status status = put_ordinal(lists, ordinal);
    for (size_t first = 0; first < count && status == FA_OK;) {
        element = (uint32_t)(places[first] >> FA_POSITION_BITS) & 15;
        size_t end = first + 1;
        while (end < count && ((uint32_t)(places[end] >> FA_POSITION_BITS) & 15) == element) end++;
        if (element >= FA_ELEMENTS || counts[element]) return FA_CORRUPT;
        counts[element] = (uint32_t)(end - first);
        status = put_run(lists, places + first, counts[element], width);
        first = end;
    }
    if (status == FA_OK) status = shape_of_pair(lists, counts, element, count, &shape);
    if (status == FA_OK) status = put_shape(lists, shape);
    lists->occurrences += count;
    return status;
}

enum fa_status fa_lists_known_pair(fa_lists *lists, uint32_t ordinal, uint32_t shape, uint64_t count) {
    enum fa_status status = put_ordinal(lists, ordinal);
    if (status == FA_OK) status = put_shape(lists, shape);
    lists->occurrences += count;
    return status;
}

/* Return how many bits a gap takes so that the list is smallest. One whose bits are all ones stands behind the others,
 * in two bytes; *great: how many do. */
static uint32_t width_of_gaps(const uint32_t *gaps, size_t count, size_t *great) {
    size_t of_width[FA_GAP_BITS + 2] = {0}, greater = count, least = SIZE_MAX;
    uint32_t found = FA_GAP_BITS;
    for (size_t i = 0; i < count; i++) of_width[32 - __builtin_clz(gaps[i] + 1)]++;
    for (uint32_t width = 1; width <= FA_GAP_BITS; width++) {
        greater -= of_width[width];
        size_t bits = width * count + FA_GAP_BITS * greater;
        if (bits >= least) continue;
        least = bits;
        found = width;
        *great = greater;
    }
    return found;
}

static int put_u16(fa_buffer *buffer, uint32_t number) {
    uint8_t two[2] = {(uint8_t)number, (uint8_t)(number >> 8)};
    return fa_buffer_put(buffer, two, sizeof two);
}

/* The gaps of a list: see docs/index-format.md. Each is below 2^FA_GAP_BITS, as put_ordinal made sure. */
static int put_gaps(fa_lists *lists) {
    const uint32_t *gaps = (const uint32_t *)lists->gaps.data;
    size_t count = lists->gaps.size / sizeof *gaps, great = 0;
    fa_buffer *to = &lists->ordinals;
    if (count < FA_FEW_PAIRS) {
        for (size_t i = 0; i < count; i++) {
            if (!put_u16(to, gaps[i])) return 0;
        }
        return 1;
    }
    uint32_t width = width_of_gaps(gaps, count, &great), all = ((uint32_t)1 << width) - 1;
    uint8_t told = (uint8_t)width;
    size_t size = (count * width + 7) / 8;
    if (!fa_buffer_put(to, &told, 1) || !fa_buffer_reserve(to, size + 8 + 2 * great)) return 0;
    for (size_t i = 0; i < count; i++) put_bits(to->data + to->size, i * width, gaps[i] < all ? gaps[i] : all);
    to->size += size;
    for (size_t i = 0; i < count; i++) {
        if (gaps[i] >= all && !put_u16(to, gaps[i])) return 0;
    }
    return 1;
}

static enum fa_status put_end(fa_buffer *ends, uint64_t end) {
    if (end > UINT32_MAX) return FA_TOO_LARGE;
    return fa_buffer_put_u32(ends, (uint32_t)end) ? FA_OK : FA_NO_MEMORY;
}

enum fa_status fa_lists_end(fa_lists *lists) {
    if (!put_gaps(lists)) return FA_NO_MEMORY;
    lists->positions.size = (size_t)((lists->bit + 7) / 8);
    enum fa_status status = put_end(&lists->word_ends, lists->words_before + lists->words.size);
    if (status == FA_OK) status = put_end(&lists->pair_ends, lists->pairs_before + lists->shapes.size / 4);
    if (status == FA_OK) status = put_end(&lists->ordinal_ends, lists->ordinals_before + lists->ordinals.size);
    if (status == FA_OK) status = put_end(&lists->position_ends, lists->positions_before + lists->positions.size);
    if (status == FA_OK && !fa_buffer_put_u64(&lists->languages, lists->language)) status = FA_NO_MEMORY;
    return status;
}

/* ---- taking out ---- */

static const fa_buffer *buffer_of(const fa_lists *lists, enum fa_column column) {
    switch (column) {
    case FA_WORD_IDS: return &lists->word_ids;
    case FA_WORD_ENDS: return &lists->word_ends;
    case FA_WORDS: return &lists->words;
    case FA_PAIR_ENDS: return &lists->pair_ends;
    case FA_ORDINAL_ENDS: return &lists->ordinal_ends;
    case FA_ORDINALS: return &lists->ordinals;
    case FA_POSITION_ENDS: return &lists->position_ends;
    case FA_POSITIONS: return &lists->positions;
    case FA_LANGUAGES: return &lists->languages;
    case FA_SHAPES: return &lists->shapes;
    case FA_SHAPE_COUNTS: return &lists->shape_counts;
    case FA_SHAPE_USES: return &lists->shape_uses;
    }
    return NULL;
}

fa_bytes fa_lists_column(const fa_lists *lists, enum fa_column column) {
    const fa_buffer *buffer = buffer_of(lists, column);
    return buffer ? (fa_bytes){buffer->data, buffer->size} : (fa_bytes){NULL, 0};
}

uint64_t fa_lists_occurrences(const fa_lists *lists) { return lists->occurrences; }

void fa_lists_empty(fa_lists *lists) {
    lists->words_before += lists->words.size;
    lists->pairs_before += lists->shapes.size / 4;
    lists->ordinals_before += lists->ordinals.size;
    lists->positions_before += lists->positions.size;
    for (enum fa_column column = FA_WORD_IDS; column <= FA_SHAPES; column++) {
        fa_buffer_empty((fa_buffer *)buffer_of(lists, column));
    }
}

void fa_lists_free(fa_lists *lists) {
    for (enum fa_column column = FA_WORD_IDS; column <= FA_SHAPE_USES; column++) {
        fa_buffer_free((fa_buffer *)buffer_of(lists, column));
    }
    fa_buffer_free(&lists->gaps);
    fa_intern_free(&lists->shape_numbers);
}
