/* Posting lists and shapes: see segment.h, and docs/index-format.md for the bytes. */
#include "segment.h"

#ifdef __SSSE3__ /* in the library for AVX2 */
#include <tmmintrin.h>
#endif

int fa_bounds_of(const fa_segment *segment, const fa_ends *ends, uint32_t item, uint64_t *from, uint64_t *to,
                 fa_fault *fault) {
    uint64_t block = item / FA_MARK, first = block * FA_MARK, great = 0, size;
    int status = fa_item_at(segment, &ends->marks, 2 * block, from, fault);
    if (status == FA_OK) status = fa_item_at(segment, &ends->marks, 2 * block + 1, &great, fault);
    if (status == FA_OK) status = fa_require(segment, &ends->sizes, first, (uint64_t)item + 1, fault);
    if (status != FA_OK) return status;
    for (*to = *from; first <= item; first++) {
        size = ends->sizes.data[first];
        if (size == FA_GREAT) status = fa_item_at(segment, &ends->great, great++, &size, fault);
        if (status != FA_OK) return status;
        *from = *to;
        *to += size;
    }
    return FA_OK;
}

int fa_list_of(const fa_segment *segment, uint32_t word, fa_list *list, fa_fault *fault) {
    uint64_t from = 0, to = 0;
    if (word >= segment->words) return fa_damaged(segment, &segment->pair_ends.sizes, fault);
    int status = fa_bounds_of(segment, &segment->pair_ends, word, &from, &to, fault);
    if (status != FA_OK) return status;
    if (to > segment->pairs || to - from > segment->versions || to == from)
        return fa_damaged(segment, &segment->pair_ends.sizes, fault);
    list->segment = segment;
    list->word = word;
    list->start = from;
    list->count = (uint32_t)(to - from);
    status = fa_bounds_of(segment, &segment->ordinal_ends, word, &list->ordinals_from, &list->ordinals_to, fault);
    if (status != FA_OK) return status;
    if (list->ordinals_to > segment->ordinals.size) return fa_damaged(segment, &segment->ordinal_ends.sizes, fault);
    return FA_OK;
}

int fa_walk_begin(fa_walk *walk, const fa_segment *segment, fa_fault *fault) {
    *walk = (fa_walk){.segment = segment};
    int status = fa_require(segment, &segment->pair_ends.sizes, 0, segment->words, fault);
    return status != FA_OK ? status : fa_require(segment, &segment->ordinal_ends.sizes, 0, segment->words, fault);
}

static int next_size(const fa_walk *walk, const fa_ends *ends, uint64_t *great, uint64_t *size, fa_fault *fault) {
    *size = ends->sizes.data[walk->word];
    return *size == FA_GREAT ? fa_item_at(walk->segment, &ends->great, (*great)++, size, fault) : FA_OK;
}

int fa_walk_next(fa_walk *walk, fa_list *list, fa_fault *fault) {
    const fa_segment *segment = walk->segment;
    uint64_t pairs, bytes;
    int status = next_size(walk, &segment->pair_ends, &walk->great_pairs, &pairs, fault);
    if (status == FA_OK) status = next_size(walk, &segment->ordinal_ends, &walk->great_ordinals, &bytes, fault);
    if (status != FA_OK) return status;
    if (!pairs || pairs > segment->versions || pairs > segment->pairs - walk->pair)
        return fa_damaged(segment, &segment->pair_ends.sizes, fault);
    if (bytes > segment->ordinals.size - walk->ordinal)
        return fa_damaged(segment, &segment->ordinal_ends.sizes, fault);
    *list = (fa_list){segment, walk->pair, walk->word++, (uint32_t)pairs, walk->ordinal, walk->ordinal + bytes};
    walk->pair += pairs;
    walk->ordinal += bytes;
    return FA_OK;
}

/* The gaps of a list, as they are read: in bits, and behind these in two bytes each those that are `escape` there. */
typedef struct gaps {
    const uint8_t *data, *great, *end; /* the bits; the next great gap; where the list ends */
    uint64_t readable;                 /* bytes from `data` on */
    uint32_t width, escape, count;
} gaps;

static int gaps_of(const fa_list *list, gaps *made, fa_fault *fault) {
    const fa_segment *segment = list->segment;
    const fa_array *bytes = &segment->ordinals;
    uint64_t from = list->ordinals_from, size = list->ordinals_to - from;
    uint32_t width = size ? bytes->data[from++] : 0;
    if (width == 0 || width > FA_GAP_BITS) return fa_damaged(segment, bytes, fault);
    uint64_t packed = ((uint64_t)list->count * width + 7) / 8;
    if (packed > list->ordinals_to - from) return fa_damaged(segment, &segment->ordinal_ends.sizes, fault);
    made->data = bytes->data + from;
    made->great = made->data + packed;
    made->end = bytes->data + list->ordinals_to;
    made->readable = bytes->size - from;
    made->width = width;
    made->escape = ((uint32_t)1 << width) - 1;
    made->count = list->count;
    return FA_OK;
}

/* Write the ordinals of eight gaps each, as long as eight gaps and great gaps can be read; return how many were written.
 * A width that is known when this is compiled, and no branch for great gaps, which cannot be foreseen, make it fast. */
static inline __attribute__((always_inline)) uint32_t whole_eights(gaps *in, uint32_t width, uint64_t *next,
                                                                   uint32_t *ordinals) {
    const uint8_t *at = in->data, *great = in->great, *readable = in->data + in->readable;
    const uint32_t escape = ((uint32_t)1 << width) - 1;
    uint64_t last = 0;
    uint32_t row = 0;
    for (; row + 8 <= in->count && readable - great >= 16; row += 8, at += width) {
        uint64_t eight;
        memcpy(&eight, at, 8);
        for (uint32_t each = 0; each < 8; each++) {
            uint32_t gap = (uint32_t)(eight >> each * width) & escape, is_great = gap == escape;
            uint16_t other;
            memcpy(&other, great, 2);
            gap ^= (gap ^ other) & (0 - is_great);
            great += 2 * is_great;
            last += gap;
            ordinals[row + each] = (uint32_t)last++;
        }
    }
    in->great = great;
    *next = last;
    return row;
}

/* The same for widths of a byte or less. */
static uint32_t first_eights(gaps *in, uint64_t *next, uint32_t *ordinals) {
    switch (in->width) {
    case 1: return whole_eights(in, 1, next, ordinals);
    case 2: return whole_eights(in, 2, next, ordinals);
    case 3: return whole_eights(in, 3, next, ordinals);
    case 4: return whole_eights(in, 4, next, ordinals);
    case 5: return whole_eights(in, 5, next, ordinals);
    case 6: return whole_eights(in, 6, next, ordinals);
    case 7: return whole_eights(in, 7, next, ordinals);
    case 8: return whole_eights(in, 8, next, ordinals);
    default: return 0;
    }
}

/* Write the other ordinals; tell whether there are as many great gaps as are asked for. */
static int last_gaps(gaps *in, uint32_t row, uint64_t *next, uint32_t *ordinals) {
    const uint32_t mask = ((uint32_t)1 << in->width) - 1;
    uint64_t bit = (uint64_t)row * in->width, last = *next;
    for (; row < in->count; row++, bit += in->width) {
        uint32_t gap = 0;
        uint64_t byte = bit >> 3;
        if (in->readable - byte >= 4) memcpy(&gap, in->data + byte, 4);
        else
            for (uint64_t place = 0; byte + place < in->readable && place < 3; place++)
                gap |= (uint32_t)in->data[byte + place] << 8 * place;
        gap = gap >> (bit & 7) & mask;
        if (gap == in->escape) {
            if (in->end - in->great < 2) return 0;
            gap = (uint32_t)in->great[0] | (uint32_t)in->great[1] << 8;
            in->great += 2;
        }
        last += gap;
        ordinals[row] = (uint32_t)last++;
    }
    *next = last;
    return 1;
}

/* The ordinals of a list of fewer than FA_FEW pairs, as most are: two bytes each. */
static int few_ordinals(const fa_list *list, uint32_t *ordinals, fa_fault *fault) {
    const fa_segment *segment = list->segment;
    const uint8_t *at = segment->ordinals.data + list->ordinals_from;
    uint32_t next = 0;
    if (list->ordinals_to - list->ordinals_from != 2 * (uint64_t)list->count)
        return fa_damaged(segment, &segment->ordinal_ends.sizes, fault);
    for (uint32_t row = 0; row < list->count; row++, at += 2) {
        next += (uint32_t)at[0] | (uint32_t)at[1] << 8;
        ordinals[row] = next++;
    }
    return next > segment->versions ? fa_damaged(segment, &segment->ordinals, fault) : FA_OK;
}

int fa_list_ordinals(const fa_list *list, uint32_t *ordinals, fa_fault *fault) {
    const fa_segment *segment = list->segment;
    gaps in;
    uint64_t next = 0;
    int status = fa_require(segment, &segment->ordinals, list->ordinals_from, list->ordinals_to, fault);
    if (status == FA_OK && list->count < FA_FEW) return few_ordinals(list, ordinals, fault);
    if (status == FA_OK) status = gaps_of(list, &in, fault);
    if (status != FA_OK) return status;
    uint32_t row = first_eights(&in, &next, ordinals);
    if (in.great > in.end || !last_gaps(&in, row, &next, ordinals))
        return fa_damaged(segment, &segment->ordinals, fault);
    if (in.great != in.end) return fa_damaged(segment, &segment->ordinal_ends.sizes, fault);
    /* they rise, so that none is greater than the last */
    return next > segment->versions ? fa_damaged(segment, &segment->ordinals, fault) : FA_OK;
}

int fa_segment_list(const fa_segment *segment, uint32_t word, uint32_t *ordinals, uint32_t room, uint32_t *count,
                    fa_fault *fault) {
    fa_list list;
    int status = fa_list_of(segment, word, &list, fault);
    if (status != FA_OK) return status;
    *count = list.count;
    return list.count > room ? FA_TOO_LARGE : fa_list_ordinals(&list, ordinals, fault);
}

int fa_segment_holding(const fa_segment *segment, const uint32_t *words, uint32_t count, int64_t *counts,
                       fa_fault *fault) {
    for (uint32_t at = 0; at < count; at++) {
        fa_list list;
        if (words[at] == UINT32_MAX) continue;
        int status = fa_list_of(segment, words[at], &list, fault);
        if (status != FA_OK) return status;
        counts[at] += list.count;
    }
    return FA_OK;
}

/* ---------------------------------------------------------------- shapes */

/* Return, in each byte of eight, how many of its two numbers of four bits are FA_OTHER. */
static inline uint64_t others_in(uint64_t sixteen) {
    uint64_t all = sixteen & sixteen >> 1;
    all &= all >> 2;
    return (all & 0x0101010101010101u) + (all >> 4 & 0x0101010101010101u);
}

/* Count the other shapes among the pairs `from`, which is even, to `to`, FA_RANK_BLOCK at most; `shapes` was required
 * of them. */
static uint64_t count_others(const fa_segment *segment, uint64_t from, uint64_t to) {
    const uint8_t *at = segment->shapes.data + from / 2, *end = segment->shapes.data + to / 2;
    uint64_t found = to % 2 && fa_coded_shape(segment, to - 1) == FA_OTHER, eight, by_byte = 0;
    for (; end - at >= 8; at += 8) {
        memcpy(&eight, at, 8);
        by_byte += others_in(eight); /* no more than 32 in a byte */
    }
    by_byte = (by_byte & 0x00FF00FF00FF00FFu) + (by_byte >> 8 & 0x00FF00FF00FF00FFu);
    found += by_byte * 0x0001000100010001u >> 48;
    for (; at < end; at++) found += others_in(*at);
    return found;
}

int fa_rank_of(const fa_segment *segment, uint64_t pair, fa_rank *rank, fa_fault *fault) {
    uint64_t block = pair / FA_RANK_BLOCK, begin = block * FA_RANK_BLOCK;
    int status = fa_item_at(segment, &segment->shape_ranks, 2 * block, &rank->others, fault);
    if (status == FA_OK) status = fa_item_at(segment, &segment->shape_ranks, 2 * block + 1, &rank->rare, fault);
    if (status == FA_OK) status = fa_require_shapes(segment, begin, pair, fault);
    if (status != FA_OK) return status;
    uint64_t first = rank->others, last = first + count_others(segment, begin, pair);
    status = fa_require(segment, &segment->other_shapes, first, last, fault);
    if (status != FA_OK) return status;
    for (uint64_t at = first; at < last; at++) rank->rare += segment->other_shapes.data[at] == FA_RARE;
    rank->others = last;
    return FA_OK;
}

int fa_next_shape(const fa_segment *segment, uint64_t pair, fa_rank *rank, uint32_t *shape, fa_fault *fault) {
    const fa_array *from = &segment->shapes;
    uint64_t found = fa_coded_shape(segment, pair);
    int status = FA_OK;
    if (found == FA_OTHER) {
        from = &segment->other_shapes;
        status = fa_item_at(segment, from, rank->others++, &found, fault);
        if (status == FA_OK && found == FA_RARE) {
            from = &segment->rare_shapes;
            status = fa_item_at(segment, from, rank->rare++, &found, fault);
        }
    }
    if (status != FA_OK) return status;
    if (found >= segment->shape_count) return fa_damaged(segment, from, fault);
    *shape = (uint32_t)found;
    return FA_OK;
}

/* Put other shapes into their places, eight places at a time, with instructions that not every processor has; return how
 * many were gone over. */
static inline uint32_t put_others(uint8_t *shapes, uint32_t count, const uint8_t *others, uint32_t *other) {
    uint32_t at = 0;
#ifdef __SSSE3__
    for (; at + 8 <= count; at += 8) {
        uint64_t eight, are, upto;
        memcpy(&eight, shapes + at, 8);
        are = eight & eight >> 1;
        are &= are >> 2;
        are &= 0x0101010101010101u;          /* a byte for each that is FA_OTHER: of no byte are the high bits set */
        upto = are * 0x0101010101010101u;    /* ... how many there are up to it */
        __m128i from = _mm_loadl_epi64((const __m128i *)(others + *other));
        /* of the others a place above 127 takes 0 */
        uint64_t places = (upto - are) | (are ^ 0x0101010101010101u) << 7;
        uint64_t put = (uint64_t)_mm_cvtsi128_si64(_mm_shuffle_epi8(from, _mm_cvtsi64_si128((long long)places)));
        eight = (eight & ~(are * 15)) | put;
        memcpy(shapes + at, &eight, 8);
        *other += (uint32_t)(upto >> 56);
    }
#else
    (void)shapes, (void)count, (void)others, (void)other;
#endif
    return at;
}

int fa_read_shapes(const fa_segment *segment, uint64_t pair, uint32_t count, fa_rank *rank, uint8_t *shapes,
                   fa_fault *fault) {
    const fa_array *from = &segment->other_shapes;
    uint8_t others[FA_SHAPES + 8];
    uint32_t other_count = 0, other = 0, done = 0;
    if (pair % 2 && count) shapes[done++] = (uint8_t)fa_coded_shape(segment, pair);
    const uint8_t *codes = segment->shapes.data + (pair + done) / 2;
    for (uint32_t two = 0; two < (count - done) / 2; two++) {
        shapes[done + 2 * two] = codes[two] & 15;
        shapes[done + 2 * two + 1] = codes[two] >> 4;
    }
    if ((count - done) % 2) shapes[count - 1] = (uint8_t)fa_coded_shape(segment, pair + count - 1);
    for (uint32_t at = 0; at < count; at++) other_count += shapes[at] == FA_OTHER;
    int status = fa_require(segment, from, rank->others, rank->others + other_count, fault);
    if (status != FA_OK) return status;
    if (!other_count) return FA_OK;
    memcpy(others, from->data + rank->others, other_count);
    memset(others + other_count, 0, 8);
    rank->others += other_count;
    for (uint32_t at = put_others(shapes, count, others, &other); at < count; at++) {
        /* without a branch: which are other ones cannot be foreseen */
        uint8_t is_other = shapes[at] == FA_OTHER, differs = (uint8_t)(shapes[at] ^ others[other]);
        shapes[at] ^= differs & (uint8_t)-is_other;
        other += is_other;
    }
    return FA_OK;
}

int fa_shape_of(const fa_segment *segment, uint64_t pair, uint32_t *shape, fa_fault *fault) {
    uint64_t block = pair / FA_RANK_BLOCK, begin = block * FA_RANK_BLOCK, others = 0, found;
    int status = fa_require_shapes(segment, begin, pair + 1, fault);
    if (status != FA_OK) return status;
    found = fa_coded_shape(segment, pair);
    if (found == FA_OTHER) {
        status = fa_item_at(segment, &segment->shape_ranks, 2 * block, &others, fault);
        if (status != FA_OK) return status;
        status = fa_item_at(segment, &segment->other_shapes, others + count_others(segment, begin, pair), &found, fault);
        if (status == FA_OK && found == FA_RARE) {
            fa_rank rank = {0, 0}; /* few are so rare that it has to be known how many rare ones are before them */
            status = fa_rank_of(segment, pair, &rank, fault);
            return status == FA_OK ? fa_next_shape(segment, pair, &rank, shape, fault) : status;
        }
    }
    if (status != FA_OK) return status;
    if (found >= segment->shape_count) return fa_damaged(segment, &segment->shapes, fault);
    *shape = (uint32_t)found;
    return FA_OK;
}

int fa_shape_counts(const fa_segment *segment, uint32_t shape, uint32_t counts[FA_KINDS], fa_fault *fault) {
    int status = fa_shape_row(segment, shape, fault);
    if (status != FA_OK) return status;
    for (int element = 0; element < FA_KINDS; element++)
        counts[element] = (uint32_t)fa_item(&segment->shape_table, (uint64_t)FA_KINDS * shape + (uint64_t)element);
    return FA_OK;
}

int fa_segment_shapes(const fa_segment *segment, fa_shape *facts, fa_fault *fault) {
    for (uint32_t shape = 0; shape < segment->shape_count; shape++) {
        uint32_t counts[FA_KINDS];
        uint64_t total = 0;
        int64_t more = 0;
        int status = fa_shape_counts(segment, shape, counts, fault);
        if (status != FA_OK) return status;
        fa_shape fact = {0};
        int found = 0;
        for (int element = 0; element < FA_KINDS; element++) {
            total += counts[element];
            if (counts[element]) fact.elements |= (uint16_t)(1u << element);
            if (!counts[element]) continue;
            uint32_t high = 31u - (uint32_t)__builtin_clz(counts[element]);
            if (counts[element] >= FA_LONG) {
                if (high > fact.is_long) fact.is_long = (uint8_t)high;
                more += (int64_t)counts[element] + ((int64_t)1 << high) - (int64_t)counts[element] * high;
            }
            if (found == FA_FIRST || counts[element] > FA_EXACT) fact.has_more = 1;
            else {
                fact.first[found] = (uint8_t)element;
                fact.times[found++] = (float)counts[element];
            }
        }
        /* no pair has more positions than a version can have bits for */
        if (total > UINT32_MAX / 64) return fa_damaged(segment, &segment->shape_table, fault);
        fact.total = (uint32_t)total;
        fact.more = (int32_t)more; /* -26 * total or more */
        facts[shape] = fact;
    }
    return FA_OK;
}

int fa_segment_bits(const fa_segment *segment, uint8_t *bits, fa_fault *fault) {
    const fa_array *extent = &segment->extent;
    int status = fa_require(segment, extent, 0, (uint64_t)segment->versions * extent->width, fault);
    if (status != FA_OK) return status;
    for (uint32_t version = 0; version < segment->versions; version++) {
        uint64_t greatest = fa_item(extent, version);
        uint8_t width = 0;
        if (greatest > FA_MOST_EXTENT) return fa_damaged(segment, extent, fault);
        for (greatest -= greatest > 0; greatest; greatest >>= 1) width++;
        bits[version] = width;
    }
    return FA_OK;
}
