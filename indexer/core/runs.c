/* The positions of pairs, out of bits.
 *
 * A run is the positions of a word in one element of one version, rising; the runs of a list follow each other pair by
 * pair. With b bits for the extent of its version, k positions are k numbers of b bits where the run is short
 * (k < FA_LONG) or nearly full; else, with s = log2(k) rounded down, k numbers of b - s bits and then k + 2**s bits for
 * the high ones: of position j with the high bits h, bit h + j is 1 (Elias 1974). So the size of a run follows from k
 * and b alone.
 */
#include "segment.h"

#ifdef __BMI2__ /* in the library for AVX2 */
#include <immintrin.h>
#endif

typedef struct layout {
    uint32_t count, low; /* positions, and bits of the number of each */
    int split;           /* log2 of the high values; -1: there are none */
    uint64_t bits;       /* that it takes */
} layout;

static layout layout_of(uint32_t count, uint32_t width) {
    layout found = {count, width, -1, (uint64_t)count * width};
    if (count < FA_LONG) return found;
    uint32_t high = 31u - (uint32_t)__builtin_clz(count);
    if (high >= width) return found;
    found.low = width - high;
    found.split = (int)high;
    found.bits = (uint64_t)count * found.low + count + ((uint64_t)1 << high);
    return found;
}

/* Return how often a word of this shape, whose row was required, stands in an element. */
static inline uint32_t count_in(const fa_segment *segment, uint32_t shape, uint32_t element) {
    return (uint32_t)fa_item(&segment->shape_table, (uint64_t)FA_KINDS * shape + element);
}

/* Return how many bits the positions of a pair take. */
static inline int size_of(const fa_segment *segment, uint32_t shape, uint32_t width, uint64_t *size, fa_fault *fault) {
    const fa_shape *facts = &segment->shape_facts[shape];
    *size = (uint64_t)facts->total * width + (uint64_t)(int64_t)facts->more;
    if (!facts->is_long || facts->is_long < width) return FA_OK;
    int status = fa_shape_row(segment, shape, fault);
    if (status != FA_OK) return status;
    *size = 0;
    for (uint32_t left = facts->elements; left; left &= left - 1)
        *size += layout_of(count_in(segment, shape, (uint32_t)__builtin_ctz(left)), width).bits;
    return FA_OK;
}

int fa_cursor_begin(fa_cursor *cursor, const fa_list *list, const uint32_t *ordinals, fa_fault *fault) {
    const fa_segment *segment = list->segment;
    uint64_t before = 0, end = 0;
    int status = fa_bounds_of(segment, &segment->position_ends, list->word, &before, &end, fault);
    if (status != FA_OK) return status;
    if (before > segment->positions.size) return fa_damaged(segment, &segment->position_ends.sizes, fault);
    cursor->list = list;
    cursor->ordinals = ordinals;
    cursor->first = 0;
    cursor->skips = NULL;
    cursor->row = 0;
    cursor->bit = before * 8;
    status = fa_require_shapes(segment, list->start, list->start + list->count, fault);
    if (status == FA_OK) status = fa_rank_of(segment, list->start, &cursor->rank, fault);
    cursor->first_bit = cursor->bit;
    cursor->first_rank = cursor->rank;
    return status;
}

#define PAIRS 64 /* that are gone over at once, at most */

/* Go over some pairs; write the shape of each, and how many bits are before it from the first one on. */
static int step_over(fa_cursor *cursor, uint32_t count, uint32_t *shapes, uint64_t *before, fa_fault *fault) {
    const fa_segment *segment = cursor->list->segment;
    const fa_shape *facts = segment->shape_facts;
    const uint32_t *ordinals = cursor->ordinals + (cursor->row - cursor->first);
    const uint32_t limit = segment->shape_count < FA_RARE ? segment->shape_count : FA_RARE;
    uint8_t codes[PAIRS], odd[PAIRS + 1];
    uint32_t odd_count = 0;
    uint64_t bits = 0, more;
    int status = fa_read_shapes(segment, cursor->list->start + cursor->row, count, &cursor->rank, codes, fault);
    if (status != FA_OK) return status;
    for (uint32_t at = 0; at < count; at++) {
        uint32_t shape = codes[at] < limit ? codes[at] : 0, width = segment->bits[ordinals[at]];
        shapes[at] = shape;
        before[at] = (uint64_t)facts[shape].total * width + (uint64_t)(int64_t)facts[shape].more;
        odd[odd_count] = (uint8_t)at;
        odd_count += (codes[at] >= limit) | (facts[shape].is_long >= width);
    }
    for (uint32_t each = 0; each < odd_count; each++) {
        uint32_t at = odd[each];
        uint64_t found = codes[at];
        if (found < limit) continue;
        const fa_array *from = found == FA_RARE ? &segment->rare_shapes : &segment->shapes;
        if (found == FA_RARE) status = fa_item_at(segment, from, cursor->rank.rare++, &found, fault);
        if (status == FA_OK && found >= segment->shape_count) status = fa_damaged(segment, from, fault);
        if (status != FA_OK) return status;
        shapes[at] = (uint32_t)found;
        __builtin_prefetch(&facts[found]); /* what is known of rare shapes is far apart */
    }
    for (uint32_t each = 0; each < odd_count; each++) {
        uint32_t at = odd[each];
        status = size_of(segment, shapes[at], segment->bits[ordinals[at]], &before[at], fault);
        if (status != FA_OK) return status;
    }
    for (uint32_t at = 0; at < count; at++, bits += more) {
        more = before[at];
        before[at] = bits;
    }
    cursor->bit += bits;
    cursor->row += count;
    return FA_OK;
}

#define FEW 8 /* pairs that are gone over one by one */

/* Go over the pairs before `row`. */
static int step_to(fa_cursor *cursor, uint32_t row, fa_fault *fault) {
    const fa_segment *segment = cursor->list->segment;
    uint32_t shapes[PAIRS];
    uint64_t before[PAIRS], size;
    int status = FA_OK;
    while (row - cursor->row >= FEW && status == FA_OK)
        status = step_over(cursor, row - cursor->row < PAIRS ? row - cursor->row : PAIRS, shapes, before, fault);
    for (; cursor->row < row && status == FA_OK; cursor->row++) {
        uint32_t width = segment->bits[cursor->ordinals[cursor->row - cursor->first]];
        status = fa_next_shape(segment, cursor->list->start + cursor->row, &cursor->rank, shapes, fault);
        if (status == FA_OK) status = size_of(segment, shapes[0], width, &size, fault);
        if (status == FA_OK) cursor->bit += size;
    }
    return status;
}

/* Go on to the last pair before a row, or that row, of which it is known where it begins. */
static void skip_to(fa_cursor *cursor, uint32_t row) {
    if (cursor->skips == NULL || row / FA_SKIP * FA_SKIP <= cursor->row) return;
    const fa_skip *skip = &cursor->skips[row / FA_SKIP];
    cursor->row = row / FA_SKIP * FA_SKIP;
    cursor->bit = cursor->first_bit + skip->bit;
    cursor->rank.others = cursor->first_rank.others + skip->others;
    cursor->rank.rare = cursor->first_rank.rare + skip->rare;
}

int fa_cursor_skips(fa_cursor *cursor, fa_skip *skips, fa_fault *fault) {
    fa_cursor moved = *cursor;
    for (uint32_t row = 0, at = 0;; at++) {
        uint64_t bit = moved.bit - moved.first_bit;
        /* no list has as many pairs as would not fit */
        uint32_t others = (uint32_t)(moved.rank.others - moved.first_rank.others);
        uint32_t rare = (uint32_t)(moved.rank.rare - moved.first_rank.rare);
        if (bit > UINT32_MAX) return FA_TOO_LARGE;
        skips[at] = (fa_skip){(uint32_t)bit, others, rare};
        if (cursor->list->count - row <= FA_SKIP) return FA_OK;
        row += FA_SKIP;
        int status = step_to(&moved, row, fault);
        if (status != FA_OK) return status;
    }
}

int fa_cursor_to(fa_cursor *cursor, uint32_t row, uint32_t *shape, fa_fault *fault) {
    const fa_segment *segment = cursor->list->segment;
    skip_to(cursor, row);
    int status = step_to(cursor, row, fault);
    if (status != FA_OK) return status;
    fa_rank rank = cursor->rank; /* not counted on: the pair may be asked for again */
    return fa_next_shape(segment, cursor->list->start + row, &rank, shape, fault);
}

int fa_cursor_rows(fa_cursor *cursor, const uint32_t *rows, uint32_t count, fa_where *where, fa_fault *fault) {
    uint32_t shapes[PAIRS];
    uint64_t before[PAIRS];
    for (uint32_t at = 0, end; at < count; at = end) {
        int status = FA_OK;
        if (rows[at] - cursor->row >= PAIRS) {
            skip_to(cursor, rows[at]);
            status = step_to(cursor, rows[at], fault);
        }
        uint32_t first = cursor->row;
        uint64_t bit = cursor->bit;
        for (end = at + 1; end < count && rows[end] - first < PAIRS;) end++;
        if (status == FA_OK) status = step_over(cursor, rows[end - 1] - first + 1, shapes, before, fault);
        if (status != FA_OK) return status;
        for (uint32_t each = at; each < end; each++)
            where[each] = (fa_where){bit + before[rows[each] - first], shapes[rows[each] - first]};
    }
    return FA_OK;
}

/* Return eight bytes from a byte on, all of which are there. */
static inline uint64_t known_bytes(const uint8_t *at) {
    uint64_t found = 0;
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(&found, at, 8);
#else
    for (int part = 8; part-- > 0;) found = found << 8 | at[part];
#endif
    return found;
}

/* Return eight bytes from a byte on; what would lie behind the array is 0. */
static inline uint64_t eight_bytes(const fa_array *array, uint64_t byte) {
    uint64_t found = 0;
    if (byte + 8 <= array->size) return known_bytes(array->data + byte);
    for (uint64_t part = byte; part < array->size; part++) found |= (uint64_t)array->data[part] << 8 * (part - byte);
    return found;
}

static inline uint32_t ones_in(uint64_t word) {
#ifdef __POPCNT__
    return (uint32_t)__builtin_popcountll(word);
#endif
    word -= word >> 1 & 0x5555555555555555u;
    word = (word & 0x3333333333333333u) + (word >> 2 & 0x3333333333333333u);
    return (uint32_t)(((word + (word >> 4)) & 0x0F0F0F0F0F0F0F0Fu) * 0x0101010101010101u >> 56);
}

/* Read a run that begins at a bit, all of which is there. Damage: a high part that has not as many ones as positions,
 * or a position that is not in its version. */
static int read_run(const fa_segment *segment, layout wanted, uint64_t bit, uint32_t extent, uint32_t *positions,
                    fa_fault *fault) {
    const fa_array *bits = &segment->positions;
    const uint64_t mask = wanted.low ? ~(uint64_t)0 >> (64 - wanted.low) : 0;
    uint64_t lows = bit;
    uint32_t is_beyond = 0;
    if (wanted.split < 0) {
        for (uint32_t place = 0; place < wanted.count; place++, lows += wanted.low) {
            positions[place] = (uint32_t)(eight_bytes(bits, lows >> 3) >> (lows & 7) & mask);
            is_beyond |= positions[place] >= extent;
        }
        return is_beyond ? fa_damaged(segment, bits, fault) : FA_OK;
    }
    uint64_t left = wanted.count + ((uint64_t)1 << wanted.split), place = 0;
    const uint64_t begin = bit + (uint64_t)wanted.count * wanted.low;
    for (uint64_t at = begin, some; left; at += some, left -= some) {
        some = left < 56 ? left : 56; /* 56 bits are whole wherever they begin */
        uint64_t ones = eight_bytes(bits, at >> 3) >> (at & 7) & (~(uint64_t)0 >> (64 - some));
        if (ones_in(ones) > wanted.count - place) return fa_damaged(segment, bits, fault);
        for (; ones; ones &= ones - 1, place++, lows += wanted.low) {
            uint64_t high = at + (uint64_t)__builtin_ctzll(ones) - begin - place;
            uint64_t low = eight_bytes(bits, lows >> 3) >> (lows & 7) & mask;
            positions[place] = (uint32_t)(high << wanted.low | low);
            is_beyond |= positions[place] >= extent;
        }
    }
    return is_beyond || place != wanted.count ? fa_damaged(segment, bits, fault) : FA_OK;
}

int fa_runs_at(const fa_segment *segment, fa_where where, uint32_t version, fa_runs *runs, fa_fault *fault) {
    const fa_shape *facts = &segment->shape_facts[where.shape];
    uint32_t width = segment->bits[version];
    uint32_t extent = (uint32_t)fa_item(&segment->extent, version); /* all of it was verified for `bits` */
    if (facts->total > (uint64_t)extent * FA_KINDS) return fa_damaged(segment, &segment->shapes, fault);
    *runs = (fa_runs){segment, where.bit, where.shape, facts->total, facts->elements, width, extent};
    return fa_shape_row(segment, where.shape, fault);
}

int fa_cursor_runs(const fa_cursor *cursor, uint32_t shape, fa_runs *runs, fa_fault *fault) {
    uint32_t version = cursor->ordinals[cursor->row - cursor->first];
    return fa_runs_at(cursor->list->segment, (fa_where){cursor->bit, shape}, version, runs, fault);
}

/* Make sure that some bits of the positions can be read. */
static inline int require_bits(const fa_segment *segment, uint64_t bit, uint64_t size, fa_fault *fault) {
    const fa_array *bits = &segment->positions;
    if (size > bits->size * 8 || bit > bits->size * 8 - size) return fa_damaged(segment, bits, fault);
    return fa_require(segment, bits, bit >> 3, (bit + size + 7) >> 3, fault);
}

int fa_mark_places(const fa_segment *segment, fa_where where, uint32_t version, uint32_t elements,
                   const uint8_t *sections, uint32_t width, uint64_t *bits, uint8_t *marked, fa_fault *fault) {
    const fa_shape *facts = &segment->shape_facts[where.shape];
    const uint32_t own = segment->bits[version], extent = (uint32_t)fa_item(&segment->extent, version);
    const uint64_t mask = ((uint64_t)1 << own) - 1;
    uint64_t at = where.bit;
    int status = require_bits(segment, at, (uint64_t)facts->total * own, fault);
    if (status != FA_OK) return status;
    for (int each = 0; each < FA_FIRST && facts->times[each] > 0; each++) {
        uint32_t element = facts->first[each], count = (uint32_t)facts->times[each];
        if (elements >> element & 1) {
            size_t begin = (size_t)sections[element] << width;
            for (uint32_t one = 0; one < count; one++) {
                uint64_t bit = at + (uint64_t)one * own;
                uint64_t position = eight_bytes(&segment->positions, bit >> 3) >> (bit & 7) & mask;
                if (position >= extent) return fa_damaged(segment, &segment->positions, fault);
                bits[(begin + position) >> 6] |= (uint64_t)1 << ((begin + position) & 63);
            }
            *marked |= (uint8_t)(1 << sections[element]);
        }
        at += (uint64_t)count * own;
    }
    return FA_OK;
}

int fa_next_run(fa_runs *runs, uint32_t elements, fa_run *run, int *is_there, fa_fault *fault) {
    const fa_segment *segment = runs->segment;
    *is_there = 0;
    while (runs->elements) {
        uint32_t element = (uint32_t)__builtin_ctz(runs->elements);
        layout lies = layout_of(count_in(segment, runs->shape, element), runs->width);
        uint64_t bit = runs->bit, highs = bit + (uint64_t)lies.count * lies.low;
        runs->elements &= runs->elements - 1;
        runs->bit += lies.bits;
        if (!(elements >> element & 1)) continue;
        *run = (fa_run){.segment = segment, .lows = bit, .highs = highs, .left = runs->bit - highs,
                        .element = element, .count = lies.count, .low = lies.low, .extent = runs->extent};
        *is_there = 1;
        return require_bits(segment, bit, lies.bits, fault);
    }
    return FA_OK;
}

/* Return the low bits of the position at a place in its run. */
static inline uint64_t low_part(const fa_run *run, uint32_t place) {
    uint64_t at = run->lows + (uint64_t)place * run->low, mask = ((uint64_t)1 << run->low) - 1;
    return eight_bytes(&run->segment->positions, at >> 3) >> (at & 7) & mask;
}

static uint32_t damaged_run(fa_run *run) {
    run->is_damaged = 1;
    run->place = run->count;
    return run->position = FA_NO_POSITION;
}

static inline uint32_t found_in(fa_run *run, uint64_t position) {
    return position < run->extent ? (run->position = (uint32_t)position) : damaged_run(run);
}

/* Return where the one is that is counted as number `count`, from 1 on; there are as many. */
static inline uint32_t place_of_one(uint64_t word, uint32_t count) {
#ifdef __BMI2__
    return (uint32_t)__builtin_ctzll(_pdep_u64((uint64_t)1 << (count - 1), word));
#else
    while (--count) word &= word - 1;
    return (uint32_t)__builtin_ctzll(word);
#endif
}

uint32_t fa_run_from(fa_run *run, uint32_t wanted) {
    if (run->position >= wanted && run->place) return run->position;
    if (!run->left) { /* there are no high parts */
        while (run->place < run->count) {
            uint64_t position = low_part(run, run->place++);
            if (position >= wanted) return found_in(run, position);
        }
        return run->position = FA_NO_POSITION;
    }
    const uint64_t high = (uint64_t)wanted >> run->low;
    while (run->place < run->count) {
        /* 56 bits are whole wherever they begin */
        const uint32_t some = run->left < 56 ? (uint32_t)run->left : 56;
        uint32_t done = 0;
        if (!some) return damaged_run(run);
        uint64_t bits = eight_bytes(&run->segment->positions, run->highs >> 3) >> (run->highs & 7);
        bits &= ~(uint64_t)0 >> (64 - some);
        if (run->zeros < high) { /* what is before as many zeros is passed by */
            const uint64_t needed = high - run->zeros;
            const uint32_t zeros = some - ones_in(bits), passed = zeros < needed ? zeros : (uint32_t)needed;
            done = zeros < needed ? some : place_of_one(~bits, passed) + 1;
            if (done - passed > run->count - run->place) return damaged_run(run);
            run->place += done - passed;
            run->zeros += passed;
            bits = bits >> done << done;
        }
        for (; bits; bits &= bits - 1) {
            const uint32_t one = (uint32_t)__builtin_ctzll(bits);
            if (run->place++ == run->count) return damaged_run(run);
            run->zeros += one - done;
            done = one + 1;
            uint64_t position = (uint64_t)run->zeros << run->low | low_part(run, run->place - 1);
            if (position < wanted) continue;
            run->highs += done;
            run->left -= done;
            return found_in(run, position);
        }
        run->zeros += some - done;
        run->highs += some;
        run->left -= some;
    }
    return run->position = FA_NO_POSITION;
}

int fa_runs_positions(const fa_runs *runs, uint8_t *elements, uint32_t *positions, fa_fault *fault) {
    const fa_segment *segment = runs->segment;
    const fa_shape *facts = &segment->shape_facts[runs->shape];
    uint32_t total = runs->total, width = runs->width;
    uint64_t bit = runs->bit;
    int status = FA_OK;
    if (!facts->is_long) { /* all runs together are numbers of one width */
        layout all = {total, width, -1, (uint64_t)total * width};
        status = require_bits(segment, bit, all.bits, fault);
        if (status == FA_OK) status = read_run(segment, all, bit, runs->extent, positions, fault);
    }
    for (uint32_t left = facts->elements; left && status == FA_OK; left &= left - 1) {
        uint32_t element = (uint32_t)__builtin_ctz(left), count = count_in(segment, runs->shape, element);
        if (count > total) return fa_damaged(segment, &segment->shape_table, fault);
        total -= count;
        for (uint32_t place = 0; place < count; place++) elements[place] = (uint8_t)element;
        elements += count;
        if (!facts->is_long) continue;
        layout wanted = layout_of(count, width);
        status = require_bits(segment, bit, wanted.bits, fault);
        if (status == FA_OK) status = read_run(segment, wanted, bit, runs->extent, positions, fault);
        bit += wanted.bits;
        positions += count;
    }
    /* a shape whose counts are fewer than their sum would leave the last ones as they were */
    return status == FA_OK && total ? fa_damaged(segment, &segment->shape_table, fault) : status;
}

#define TOGETHER 4 /* positions that are read without asking how many there are */
#define NARROW 14  /* bits of a position up to which so many of them lie in eight bytes, wherever these begin; wider ones,
                    * of texts of more than 16,384 words, are read one by one */
#define MARGIN 32  /* bytes behind a run that may be read with its last positions */

/* The compiler makes of them what the processor has for them. */
typedef uint32_t four_numbers __attribute__((vector_size(TOGETHER * sizeof(uint32_t))));
typedef int32_t four_signs __attribute__((vector_size(TOGETHER * sizeof(int32_t))));

/* Return TOGETHER numbers of NARROW bits each, or less, all of which are there, and MARGIN bytes more. */
static inline four_numbers numbers_at(const uint8_t *data, uint64_t bit, uint32_t width) {
    const uint64_t all = known_bytes(data + (bit >> 3)) >> (bit & 7);
    const uint32_t mask = ((uint32_t)1 << width) - 1, first = (uint32_t)all, third = (uint32_t)(all >> 2 * width);
    const four_numbers two_each = {first, first, third, third}, behind = {0, width, 0, width};
    return two_each >> behind & mask;
}

/* Write the high parts of the positions of a run; return how many there are, FA_NO_POSITION for too many. */
static inline uint32_t read_highs(const uint8_t *data, uint64_t bit, layout lies, uint32_t *highs) {
    uint32_t left = lies.count + ((uint32_t)1 << lies.split), place = 0;
    for (uint32_t done = 0, some; left; done += some, left -= some) {
        some = left < 56 ? left : 56; /* 56 bits are whole wherever they begin */
        const uint64_t from = bit + done;
        uint64_t ones = known_bytes(data + (from >> 3)) >> (from & 7) & (~(uint64_t)0 >> (64 - some));
        if (ones_in(ones) > lies.count - place) return FA_NO_POSITION;
        for (; ones; ones &= ones - 1, place++) highs[place] = done + (uint32_t)__builtin_ctzll(ones) - place;
    }
    return place;
}

/* Write the positions of a run as they are wanted, and up to TOGETHER - 1 numbers more. Return numbers of which one is
 * below 0 when a position is not in the version. How many positions a run has cannot be foreseen: so they are read some at
 * a time. has_highs: `places` has the high parts. */
static inline __attribute__((always_inline)) four_signs read_lows(const uint8_t *data, uint64_t bit, uint32_t low,
                                                                  uint32_t count, uint32_t extent, uint32_t shift,
                                                                  uint32_t code, int has_highs, uint32_t *places) {
    const int32_t greatest = (int32_t)extent - 1;
    four_signs beyond = {0}, counted = {0, 1, 2, 3};
    four_numbers highs;
    counted -= (int32_t)count; /* below 0 for the numbers that are positions */
    for (uint32_t one = 0; one < count; one += TOGETHER, bit += TOGETHER * (uint64_t)low, counted += TOGETHER) {
        four_numbers it = numbers_at(data, bit, low);
        if (has_highs) {
            memcpy(&highs, places + one, sizeof highs);
            it |= highs << low;
        }
        beyond |= ((four_signs)it > greatest) & counted;
        it = it << shift | code;
        memcpy(places + one, &it, sizeof it);
    }
    return beyond;
}

/* Where fa_read_places is. */
typedef struct places_reader {
    const fa_segment *segment;
    fa_places form;
    uint64_t last;     /* bit at which a pair may end behind which there are MARGIN bytes more */
    four_signs beyond; /* see read_lows */
    uint32_t most, *spare;
    fa_fault *fault;
} places_reader;

/* Write where any pair stands. */
static int any_places(places_reader *in, fa_where where, uint32_t version, uint32_t *places, uint32_t *written) {
    fa_runs runs;
    uint8_t *elements = (uint8_t *)(in->spare + in->most);
    int status = fa_runs_at(in->segment, where, version, &runs, in->fault);
    if (status == FA_OK) status = fa_runs_positions(&runs, elements, in->spare, in->fault);
    for (uint32_t one = 0; status == FA_OK && one < runs.total; one++) {
        places[*written] = in->spare[one] << in->form.shift | in->form.codes[elements[one]];
        *written += in->form.elements >> elements[one] & 1;
    }
    return status;
}

/* Write where a pair stands of which an element has many places, or that has many elements, or a very long text. */
static __attribute__((noinline)) int more_places(places_reader *in, fa_where where, uint32_t version, uint32_t extent,
                                                 uint32_t *places, uint32_t *written) {
    const fa_segment *segment = in->segment;
    const fa_shape *facts = &segment->shape_facts[where.shape];
    const uint8_t *data = segment->positions.data;
    const uint32_t width = segment->bits[version];
    uint64_t size, bit = where.bit;
    int status = size_of(segment, where.shape, width, &size, in->fault);
    if (status != FA_OK) return status;
    if (facts->has_more || width > NARROW || size > in->last || bit > in->last - size)
        return any_places(in, where, version, places, written);
    status = fa_require(segment, &segment->positions, bit >> 3, (bit + size + 7) >> 3, in->fault);
    for (int each = 0; status == FA_OK && each < FA_FIRST && facts->times[each] > 0; each++) {
        const uint32_t element = facts->first[each], count = (uint32_t)facts->times[each], shift = in->form.shift;
        const layout lies = layout_of(count, width);
        if (in->form.elements >> element & 1) {
            uint32_t *to = places + *written, code = in->form.codes[element];
            if (lies.split < 0)
                in->beyond |= read_lows(data, bit, lies.low, count, extent, shift, code, 0, to);
            else if (read_highs(data, bit + (uint64_t)count * lies.low, lies, to) == count)
                in->beyond |= read_lows(data, bit, lies.low, count, extent, shift, code, 1, to);
            else
                return fa_damaged(segment, &segment->positions, in->fault);
            *written += count;
        }
        bit += lies.bits;
    }
    return status;
}

/* Leave of the positions of all elements, one behind the other, those that are wanted, as they are wanted; return how
 * many. */
static uint32_t by_element(const fa_shape *facts, const fa_places *form, uint32_t *places) {
    uint32_t written = 0, from = 0, count;
    for (int each = 0; each < FA_FIRST && facts->times[each] > 0; each++, from += count) {
        const uint32_t element = facts->first[each], code = form->codes[element];
        count = (uint32_t)facts->times[each];
        if (!(form->elements >> element & 1)) continue;
        for (uint32_t one = 0; one < count && (code || written != from); one++)
            places[written + one] = places[from + one] | code;
        written += count;
    }
    return written;
}

#define AHEAD 8 /* pairs whose bits are fetched before they are needed */

int fa_read_places(const fa_segment *segment, const fa_where *where, const uint32_t *versions, uint32_t count,
                   const fa_places *form, uint32_t most, uint32_t *places, uint32_t *ends, uint32_t *spare,
                   fa_fault *fault) {
    const fa_array *bits = &segment->positions;
    const uint64_t last = bits->size > MARGIN ? 8 * (bits->size - MARGIN) : 0;
    const uint32_t elements = form->elements, shift = form->shift;
    places_reader in = {segment, *form, last, {0}, most, spare, fault};
    four_signs beyond = {0};
    uint32_t end = 0;
    for (uint32_t at = 0; at < count; ends[at++] = end) {
        const uint64_t bit = where[at].bit;
        const fa_shape *facts = &segment->shape_facts[where[at].shape];
        const uint32_t width = segment->bits[versions[at]], extent = (uint32_t)fa_item(&segment->extent, versions[at]);
        const uint32_t total = facts->total;
        const uint64_t size = (uint64_t)total * width;
        int status;
        if (at + AHEAD < count && where[at + AHEAD].bit < last) __builtin_prefetch(bits->data + (where[at + AHEAD].bit >> 3));
        if (total > (uint64_t)extent * FA_KINDS) return fa_damaged(segment, &segment->shapes, fault);
        if (total > most) continue;
        if (facts->is_long || facts->has_more || width > NARROW || size > last || bit > last - size) {
            uint32_t written = 0;
            status = more_places(&in, where[at], versions[at], extent, places + end, &written);
            if (status != FA_OK) return status;
            end += written;
            continue;
        }
        /* a few places, as most pairs are: of all elements they are numbers of one width */
        const uint32_t is_alone = !(facts->elements & (facts->elements - 1) || facts->elements & ~elements);
        const uint32_t code = is_alone ? in.form.codes[facts->first[0]] : 0;
        status = fa_require(segment, bits, bit >> 3, (bit + size + 7) >> 3, fault);
        if (status != FA_OK) return status;
        beyond |= read_lows(bits->data, bit, width, total, extent, shift, code, 0, places + end);
        end += is_alone ? total : by_element(facts, form, places + end);
    }
    beyond |= in.beyond;
    return (beyond[0] | beyond[1] | beyond[2] | beyond[3]) < 0 ? fa_damaged(segment, bits, fault) : FA_OK;
}
