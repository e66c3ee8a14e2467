/* What models beside BM25F need: how often leaves stand in versions, whatever the element, and numbers of whole versions.
 * They score all that is found, so that lists are gone over from end to end. */
#include "query_inside.h"

#define MANY 256 /* versions from which on lists are gone over; fewer are looked up one by one */

/* Shapes of the pairs of a list, some at once. */
typedef struct shapes {
    const fa_segment *segment;
    fa_rank rank;
    uint8_t codes[FA_SHAPES];
} shapes;

/* Begin to read the shapes of the pairs `from` to `to` of a segment. */
static int shapes_from(shapes *made, const fa_segment *segment, uint64_t from, uint64_t to, fa_fault *fault) {
    made->segment = segment;
    TRY(fa_require_shapes(segment, from, to, fault));
    return fa_rank_of(segment, from, &made->rank, fault);
}

/* Return the shape of one of the pairs that were read; each of them is asked for once, in order. */
static inline int shape_at(shapes *from, uint32_t at, uint32_t *shape, fa_fault *fault) {
    const fa_array *told = &from->segment->shapes;
    uint64_t found = from->codes[at];
    if (found == FA_RARE) {
        told = &from->segment->rare_shapes;
        TRY(fa_item_at(from->segment, told, from->rank.rare++, &found, fault));
    }
    if (found >= from->segment->shape_count) return fa_damaged(from->segment, told, fault);
    *shape = (uint32_t)found;
    return FA_OK;
}

/* ---------------------------------------------------------------- leaves */

/* Occurrences in all versions from `first` to `last`. */
typedef struct tally {
    fa_query *query;
    uint32_t first, last;
    double *counts;
    double times[FA_RARE + 1]; /* of each shape that a byte tells; below 0: it has to be looked at */
} tally;

static int times_in(const held *list, uint32_t shape, double *times, fa_fault *fault) {
    uint32_t counts[FA_KINDS];
    TRY(fa_shape_counts(list->list.segment, shape, counts, fault));
    *times = 0;
    for (uint32_t element = 0; element < FA_KINDS; element++)
        if (list->elements >> element & 1) *times += counts[element];
    return FA_OK;
}

/* Work out the times of most shapes, for the lists of a layer. */
static int know_shapes(tally *in, const held *list) {
    for (uint32_t shape = 0; shape <= FA_RARE; shape++) in->times[shape] = -1;
    for (uint32_t shape = 0; shape < FA_RARE && shape < list->list.segment->shape_count; shape++)
        TRY(times_in(list, shape, &in->times[shape], &in->query->fault));
    return FA_OK;
}

static int all_ordinals(fa_query *query, held *list, const uint32_t **ordinals) {
    view found;
    if (list->counting == NULL && list->all == NULL) {
        TRY(held_view(query, list, &found)); /* kept where there is room */
        *ordinals = found.ordinals;
        return FA_OK;
    }
    if (list->all == NULL) {
        uint32_t *decoded = buffer_get(&query->decoded[0], query->longest * sizeof(uint32_t));
        if (decoded == NULL) return FA_NO_MEMORY;
        TRY(fa_list_ordinals(&list->list, decoded, &query->fault));
        *ordinals = decoded;
    } else *ordinals = list->all;
    return FA_OK;
}

static int add_list(tally *in, held *list, double factor) {
    const uint32_t *ordinals;
    shapes read;
    fa_fault *fault = &in->query->fault;
    TRY(all_ordinals(in->query, list, &ordinals));
    uint32_t row = gallop(ordinals, 0, list->list.count, in->first), shape, some;
    uint32_t end = gallop(ordinals, row, list->list.count, in->last + 1);
    if (row == end) return FA_OK;
    TRY(shapes_from(&read, list->list.segment, list->list.start + row, list->list.start + end, fault));
    for (; row < end; row += some) {
        some = end - row < FA_SHAPES ? end - row : FA_SHAPES;
        TRY(fa_read_shapes(read.segment, list->list.start + row, some, &read.rank, read.codes, fault));
        for (uint32_t at = 0; at < some; at++) {
            uint32_t version = ordinals[row + at];
            double times = in->times[read.codes[at]];
            if (times < 0) {
                TRY(shape_at(&read, at, &shape, fault));
                TRY(times_in(list, shape, &times, fault));
            }
            if (speaks(list, version)) in->counts[version - in->first] += times * factor;
        }
    }
    return FA_OK;
}

static int leaf_tally(tally *in, const state *known, uint32_t kind, const uint32_t *ordinals, uint32_t count,
                      double *counts) {
    size_t size = ((size_t)in->last - in->first + 1) * sizeof(double);
    in->counts = arena_get(&in->query->version, size);
    if (in->counts == NULL) return FA_NO_MEMORY;
    for (uint32_t at = 0; at < count; at++) counts[at] = 0;
    for (uint32_t layer = 0; layer < 2; layer++) {
        const held *first = NULL;
        for (uint32_t each = 0; each < known->list_count; each++) {
            held *list = &known->lists[each];
            if (list->layer != layer) continue;
            if (first == NULL) TRY(know_shapes(in, first = list));
            TRY(add_list(in, list, list->factor));
        }
        if (kind == FA_WORD && layer == 0) continue;
        /* the words of a wildcard: each layer for itself */
        for (uint32_t at = 0; at < count; at++) counts[at] += in->counts[ordinals[at] - in->first];
        memset(in->counts, 0, size);
    }
    return FA_OK;
}

/* Write how often a leaf stands in some versions (rising), its forms times their factors: the weights with norms of 1. */
int leaf_counts(fa_query *query, uint32_t place, uint32_t leaf, const uint32_t *ordinals, uint32_t count,
                double *counts) {
    const state *known = state_of(query, leaf, place);
    uint32_t kind = query->program.leaves[leaf].kind;
    if (count >= MANY && kind != FA_PHRASE) {
        tally in = {.query = query, .first = ordinals[0], .last = ordinals[count - 1]};
        return leaf_tally(&in, known, kind, ordinals, count, counts);
    }
    norms *norms_at = arena_raw(&query->version, count * sizeof(norms));
    if (norms_at == NULL) return FA_NO_MEMORY;
    for (uint32_t at = 0; at < count; at++) {
        for (uint32_t element = 0; element < FA_KINDS; element++) norms_at[at].of[element] = 1;
        norms_at[at].known = GIVEN;
        norms_at[at].ordinal = ordinals[at];
    }
    return leaf_weights(query, place, leaf, ordinals, count, norms_at, counts);
}

/* ---------------------------------------------------------------- whole versions */

/* What is to be found out of all words of a segment; NULL: not asked for. */
typedef struct whole {
    const fa_segment *segment;
    const double *of_shape, *of_word;
    double *squares, *greatest;
} whole;

/* Add what the pairs of a word give; read: of the pair behind the word before. */
static int add_word(const whole *in, const fa_list *list, const uint32_t *ordinals, shapes *read, fa_fault *fault) {
    const fa_shape *facts = in->segment->shape_facts;
    const double *of_shape = in->of_shape, rarity = in->squares == NULL ? 0 : in->of_word[list->word];
    double *squares = in->squares, *greatest = in->greatest;
    uint32_t shape, some;
    TRY(fa_require_shapes(in->segment, list->start, list->start + list->count, fault));
    for (uint32_t row = 0; row < list->count; row += some) {
        some = list->count - row < FA_SHAPES ? list->count - row : FA_SHAPES;
        TRY(fa_read_shapes(read->segment, list->start + row, some, &read->rank, read->codes, fault));
        for (uint32_t at = 0; at < some; at++) {
            uint32_t version = ordinals[row + at];
            TRY(shape_at(read, at, &shape, fault));
            if (greatest != NULL && greatest[version] < (double)facts[shape].total)
                greatest[version] = (double)facts[shape].total;
            if (squares == NULL) continue;
            double weight = of_shape[shape] * rarity;
            squares[version] += weight * weight;
        }
    }
    return FA_OK;
}

int fa_segment_vectors(const fa_segment *segment, const double *of_shape, const double *of_word, uint32_t *room,
                       double *squares, double *greatest, fa_fault *fault) {
    whole in = {segment, of_shape, of_word, squares, greatest};
    fa_walk walk;
    shapes read;
    TRY(fa_walk_begin(&walk, segment, fault));
    if (segment->words) TRY(shapes_from(&read, segment, 0, 0, fault));
    while (walk.word < segment->words) {
        fa_list list;
        TRY(fa_walk_next(&walk, &list, fault));
        TRY(fa_list_ordinals(&list, room, fault));
        TRY(add_word(&in, &list, room, &read, fault));
    }
    return FA_OK;
}

int fa_segment_living(const fa_segment *segment, const uint8_t *alive, uint32_t *room, int64_t *counts,
                      fa_fault *fault) {
    fa_walk walk;
    TRY(fa_walk_begin(&walk, segment, fault));
    while (walk.word < segment->words) {
        fa_list list;
        TRY(fa_walk_next(&walk, &list, fault));
        TRY(fa_list_ordinals(&list, room, fault));
        counts[list.word] = 0;
        for (uint32_t row = 0; row < list.count; row++) counts[list.word] += alive[room[row]];
    }
    return FA_OK;
}
