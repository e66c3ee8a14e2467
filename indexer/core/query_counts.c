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

/* Read the next shapes. Those that are told by a byte are there. */
static int read_shapes(shapes *made, uint64_t pair, uint32_t count, fa_fault *fault) {
    const fa_segment *segment = made->segment;
    TRY(fa_read_shapes(segment, pair, count, &made->rank, made->codes, fault));
    uint8_t greatest = 0; /* one more than the greatest shape; FA_RARE becomes 0 */
    for (uint32_t at = 0; at < count; at++) {
        uint8_t more = (uint8_t)(made->codes[at] + 1);
        greatest = more > greatest ? more : greatest;
    }
    return greatest > segment->shape_count ? fa_damaged(segment, &segment->shapes, fault) : FA_OK;
}

/* Return the first place from one on where a rare shape was read, `count` where there is none. */
static uint32_t next_rare(const shapes *from, uint32_t at, uint32_t count) {
    const uint8_t *found = memchr(from->codes + at, FA_RARE, count - at);
    return found == NULL ? count : (uint32_t)(found - from->codes);
}

/* Read the next of the rare shapes; each of them is asked for once, in order. */
static int rare_shape(shapes *from, uint32_t *shape, fa_fault *fault) {
    const fa_array *told = &from->segment->rare_shapes;
    uint64_t found;
    TRY(fa_item_at(from->segment, told, from->rank.rare++, &found, fault));
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
    double times[FA_RARE + 1]; /* of each shape that a byte tells; 0 of FA_RARE */
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
    in->times[FA_RARE] = 0;
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

static inline void add_times(tally *in, const held *list, uint32_t version, double times) {
    if (speaks(list, version)) in->counts[version - in->first] += times;
}

static int add_list(tally *in, held *list, double factor) {
    const uint32_t *ordinals;
    shapes read;
    fa_fault *fault = &in->query->fault;
    TRY(all_ordinals(in->query, list, &ordinals));
    uint32_t row = gallop(ordinals, 0, list->list.count, in->first), some, shape;
    uint32_t end = gallop(ordinals, row, list->list.count, in->last + 1);
    if (row == end) return FA_OK;
    TRY(shapes_from(&read, list->list.segment, list->list.start + row, list->list.start + end, fault));
    for (; row < end; row += some) {
        const uint32_t *versions = ordinals + row;
        double times;
        some = end - row < FA_SHAPES ? end - row : FA_SHAPES;
        TRY(read_shapes(&read, list->list.start + row, some, fault));
        if (list->languages == NULL)
            for (uint32_t at = 0; at < some; at++)
                in->counts[versions[at] - in->first] += in->times[read.codes[at]] * factor;
        else
            for (uint32_t at = 0; at < some; at++)
                add_times(in, list, versions[at], in->times[read.codes[at]] * factor);
        for (uint32_t at = next_rare(&read, 0, some); at < some; at = next_rare(&read, at + 1, some)) {
            TRY(rare_shape(&read, &shape, fault));
            TRY(times_in(list, shape, &times, fault));
            add_times(in, list, versions[at], times * factor);
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
    double totals[FA_RARE + 1], weights[FA_RARE + 1]; /* of the shapes that a byte tells; 0 of FA_RARE */
    shapes read;            /* of the pair behind the word before */
} whole;

static void add_pair(const whole *in, uint32_t shape, uint32_t version, double rarity) {
    double total = (double)in->segment->shape_facts[shape].total;
    if (in->greatest != NULL && in->greatest[version] < total) in->greatest[version] = total;
    if (in->squares == NULL) return;
    double weight = in->of_shape[shape] * rarity;
    in->squares[version] += weight * weight;
}

/* Add what some pairs give whose shapes were read. */
static int add_pairs_read(whole *in, const uint32_t *ordinals, uint32_t count, double rarity, fa_fault *fault) {
    const uint8_t *codes = in->read.codes;
    double *greatest = in->greatest, *squares = in->squares;
    uint32_t shape;
    for (uint32_t at = 0; greatest != NULL && at < count; at++) {
        double total = in->totals[codes[at]], before = greatest[ordinals[at]];
        greatest[ordinals[at]] = before < total ? total : before; /* without a branch */
    }
    for (uint32_t at = 0; squares != NULL && at < count; at++) {
        double weight = in->weights[codes[at]] * rarity;
        squares[ordinals[at]] += weight * weight;
    }
    for (uint32_t at = next_rare(&in->read, 0, count); at < count; at = next_rare(&in->read, at + 1, count)) {
        TRY(rare_shape(&in->read, &shape, fault));
        add_pair(in, shape, ordinals[at], rarity);
    }
    return FA_OK;
}

#define SHORT 16 /* pairs: of shorter lists the shapes are read one by one */

/* Add what the pairs of a word give. */
static int add_word(whole *in, const fa_list *list, const uint32_t *ordinals, fa_fault *fault) {
    const double rarity = in->squares == NULL ? 0 : in->of_word[list->word];
    uint32_t shape, some;
    TRY(fa_require_shapes(in->segment, list->start, list->start + list->count, fault));
    if (list->count < SHORT) {
        for (uint32_t row = 0; row < list->count; row++) {
            TRY(fa_next_shape(in->segment, list->start + row, &in->read.rank, &shape, fault));
            add_pair(in, shape, ordinals[row], rarity);
        }
        return FA_OK;
    }
    for (uint32_t row = 0; row < list->count; row += some) {
        some = list->count - row < FA_SHAPES ? list->count - row : FA_SHAPES;
        TRY(read_shapes(&in->read, list->start + row, some, fault));
        TRY(add_pairs_read(in, ordinals + row, some, rarity, fault));
    }
    return FA_OK;
}

int fa_segment_vectors(const fa_segment *segment, const double *of_shape, const double *of_word, uint32_t *room,
                       double *squares, double *greatest, fa_fault *fault) {
    whole in = {.segment = segment, .of_shape = of_shape, .of_word = of_word, .squares = squares, .greatest = greatest};
    fa_walk walk;
    for (uint32_t shape = 0; shape < FA_RARE && shape < segment->shape_count; shape++) {
        in.totals[shape] = (double)segment->shape_facts[shape].total;
        in.weights[shape] = squares == NULL ? 0 : of_shape[shape];
    }
    TRY(fa_walk_begin(&walk, segment, fault));
    if (segment->words) TRY(shapes_from(&in.read, segment, 0, 0, fault));
    while (walk.word < segment->words) {
        fa_list list;
        TRY(fa_walk_next(&walk, &list, fault));
        TRY(fa_list_ordinals(&list, room, fault));
        TRY(add_word(&in, &list, room, fault));
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
