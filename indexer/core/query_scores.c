/* Exact scores: BM25F in float64, every number made and added in one order, whatever is asked for.
 *
 * score = sum over the words of idf * boost * times / (1 + (k1 / weight) ** slope), and what the version has ahead; the
 * weight of a word is the sum over its forms of factor * (sum over the elements of count * norm).
 */
#include <math.h>

#include "query_inside.h"

double saturate(const fa_program *program, double weight) {
    double ratio = program->k1 / weight, power;
    if (program->slope == 0.5) power = sqrt(ratio);
    else if (program->slope == 1.0) power = ratio;
    else if (program->slope == 2.0) power = ratio * ratio;
    else power = pow(ratio, program->slope);
    return 1 / (1 + power);
}

static double rarity(const fa_program *program, uint64_t holding) {
    double odds = ((double)((int64_t)program->versions - (int64_t)holding) + 0.5) / ((double)holding + 0.5);
    return program->is_plus_idf ? log(1 + odds) : log(odds);
}

/* Return boost / ((1 - b) + b * length / mean) of an element. */
double norm_of_length(const fa_program *program, uint32_t element, uint64_t length) {
    double mean = program->means[element], b = program->b[element];
    double relative = mean > 0 ? (double)length / mean : 1.0;
    double divisor = (1 - b) + b * relative;
    return program->boost[element] / (divisor > 1e-9 ? divisor : 1e-9);
}

/* Work out the norms of most lengths, once for a ranking of an index. */
static void make_norms(fa_query *query) {
    const fa_program *program = &query->program;
    size_t size = sizeof program->boost;
    if (!memcmp(query->normed[0], program->boost, size) && !memcmp(query->normed[1], program->b, size) &&
        !memcmp(query->normed[2], program->means, size))
        return;
    for (uint32_t element = 0; element < FA_KINDS; element++)
        for (uint32_t length = 0; length < NORMED; length++)
            query->norms[element][length] = norm_of_length(program, element, length);
    memcpy(query->normed[0], program->boost, size);
    memcpy(query->normed[1], program->b, size);
    memcpy(query->normed[2], program->means, size);
}

int prepare_scores(fa_query *query, const uint64_t *holding) {
    const fa_program *program = &query->program;
    make_norms(query);
    query->idfs = arena_get(&query->kept, program->scored_count * sizeof(double));
    query->factors = arena_get(&query->kept, program->scored_count * sizeof(double));
    query->pair_factors = arena_get(&query->kept, program->pair_count * sizeof(double));
    if (query->idfs == NULL || query->factors == NULL || query->pair_factors == NULL) return FA_NO_MEMORY;
    query->greatest = query->greatest_nearness = 0;
    for (uint32_t leaf = 0; leaf < program->scored_count; leaf++) {
        query->idfs[leaf] = rarity(program, holding[leaf]);
        query->factors[leaf] = query->idfs[leaf] * program->leaves[leaf].boost * program->leaves[leaf].times;
        if (query->factors[leaf] > 0) query->greatest += query->factors[leaf];
    }
    for (uint32_t pair = 0; pair < program->pair_count; pair++) {
        double first = query->idfs[program->pairs[2 * pair]], second = query->idfs[program->pairs[2 * pair + 1]];
        double less = second < first ? second : first;
        int do_meet;
        TRY(leaves_meet(query, program->pairs[2 * pair], program->pairs[2 * pair + 1], &do_meet));
        query->pair_factors[pair] = do_meet && less > 0 ? program->near * less : 0.0;
        query->greatest_nearness += query->pair_factors[pair];
    }
    query->greatest_nearness *= 1 + 1e-9;
    return FA_OK;
}

int norms_begin(fa_query *query, uint32_t place, const uint32_t *ordinals, uint32_t count, norms *made) {
    const fa_live *live = live_at(query, place);
    for (int layer = 0; layer < 2; layer++) {
        const fa_segment *segment = live->layers[layer];
        if (segment == NULL) continue;
        for (uint32_t at = 0; at < count; at++)
            TRY(fa_require_lengths(segment, ordinals[at], ordinals[at] + 1u, &query->fault));
    }
    for (uint32_t at = 0; at < count; at++) {
        made[at].known = 0;
        made[at].ordinal = ordinals[at];
    }
    return FA_OK;
}

double norm_of(const fa_query *query, uint32_t place, norms *known, uint32_t element) {
    if (known->known >> element & 1) return known->of[element];
    known->known |= (uint32_t)1 << element;
    return known->of[element] = norm_in(query, live_at(query, place), known->ordinal, element);
}

/* The weight of a pair of some shape: its counts in some elements, each times its norm, added in the order of the
 * elements. */
static int shape_weight(fa_query *query, uint32_t place, const held *list, uint32_t shape, norms *known,
                        double *weight) {
    const fa_segment *segment = list->list.segment;
    const fa_shape *facts = &segment->shape_facts[shape];
    double total = 0;
    if (!facts->has_more) {
        for (int at = 0; at < FA_FIRST && facts->times[at] > 0; at++)
            if (list->elements >> facts->first[at] & 1)
                total += (double)facts->times[at] * norm_of(query, place, known, facts->first[at]);
        *weight = total;
        return FA_OK;
    }
    TRY(fa_shape_row(segment, shape, &query->fault));
    for (uint32_t left = facts->elements & list->elements; left; left &= left - 1) {
        uint32_t element = (uint32_t)__builtin_ctz(left);
        total += (double)fa_item(&segment->shape_table, (uint64_t)FA_KINDS * shape + element) *
                 norm_of(query, place, known, element);
    }
    *weight = total;
    return FA_OK;
}

static int pair_weight(fa_query *query, uint32_t place, const held *list, uint32_t row, norms *known,
                       double *weight) {
    uint32_t shape;
    TRY(fa_shape_of(list->list.segment, list->list.start + row, &shape, &query->fault));
    return shape_weight(query, place, list, shape, known, weight);
}

/* The same of one of the pairs that count; where there was no room to keep these, they are chosen anew. */
static int counting_weight(fa_query *query, uint32_t place, held *list, uint32_t at, norms *known, double *weight) {
    view found = {.shapes = list->shapes};
    if (list->counting == NULL) return pair_weight(query, place, list, at, known, weight);
    if (found.shapes == NULL) TRY(held_view(query, list, &found));
    return shape_weight(query, place, list, found.shapes[at], known, weight);
}

/* Add what the occurrences of the lists of a word weigh in a version: form by form. `by_form`: times the factor of each;
 * else each in full. */
static int add_word(fa_query *query, uint32_t place, const state *known, int by_form, norms *norms_at, double *weight) {
    uint32_t version = norms_at->ordinal;
    int is_there, is_rare = known->rare == NULL || has_bit(known->rare, version);
    double added;
    if (known->mask != NULL && !has_bit(known->mask, version)) return FA_OK;
    for (uint32_t each = 0; each < known->list_count; each++) {
        held *list = &known->lists[each];
        if (list->bits != NULL ? !has_bit(list->bits, version) : !is_rare) continue;
        TRY(held_row(query, list, version, &list->next, &is_there));
        if (!is_there || !speaks(list, version)) continue;
        TRY(counting_weight(query, place, list, list->next, norms_at, &added));
        *weight += by_form ? added * list->factor : added;
    }
    return FA_OK;
}

static int add_words(fa_query *query, uint32_t place, const state *known, int by_form, uint32_t count, norms *norms_at,
                     double *weights) {
    for (uint32_t each = 0; each < known->list_count; each++) known->lists[each].next = 0;
    for (uint32_t at = 0; at < count; at++)
        TRY(add_word(query, place, known, by_form, &norms_at[at], &weights[at]));
    return FA_OK;
}

/* Write the weights that are known of a word. */
static int known_weights(fa_query *query, state *known, uint32_t count, const norms *norms_at, double *weights) {
    int is_there;
    if (known->mask != NULL) {
        for (uint32_t at = 0; at < count; at++) {
            uint32_t version = norms_at[at].ordinal;
            weights[at] = has_bit(known->mask, version) ? known->exact[rank_in(known, version)] : 0;
        }
        return FA_OK;
    }
    for (uint32_t at = 0; at < count; at++) {
        held *list = known->lists; /* without a mask there is one, for all languages */
        TRY(held_row(query, list, norms_at[at].ordinal, &list->next, &is_there));
        weights[at] = is_there ? known->exact[list->next] : 0;
    }
    return FA_OK;
}

#define MANY 256 /* versions, which rise then: they may be looked for in the list, or its pairs among them */

/* The same as add_list, pair by pair: those from `row` to `end` of what was found. */
static int add_pairs(fa_query *query, uint32_t place, const held *list, const view *found, uint32_t row, uint32_t end,
                     double factor, const uint32_t *ordinals, uint32_t count, norms *norms_at, double *weights) {
    const fa_segment *segment = list->list.segment;
    uint64_t start = list->list.start;
    uint32_t at = 0, shape = 0;
    fa_rank rank;
    double weight;
    if (found->shapes == NULL) { /* then they are read one behind the other */
        TRY(fa_require_shapes(segment, start + row, start + end, &query->fault));
        TRY(fa_rank_of(segment, start + row, &rank, &query->fault));
    }
    for (; row < end; row++) {
        if (found->shapes == NULL) TRY(fa_next_shape(segment, start + row, &rank, &shape, &query->fault));
        at = gallop(ordinals, at, count, found->ordinals[row]);
        if (at >= count) break;
        if (ordinals[at] != found->ordinals[row] || !speaks(list, ordinals[at])) continue;
        if (found->shapes != NULL) shape = found->shapes[row];
        TRY(shape_weight(query, place, list, shape, &norms_at[at], &weight));
        weights[at] += weight * factor;
    }
    return FA_OK;
}

/* Add what the occurrences of a list weigh, each `factor` times, to the weights of some versions. */
static int add_list(fa_query *query, uint32_t place, held *list, double factor, const uint32_t *ordinals,
                    uint32_t count, norms *norms_at, double *weights) {
    uint32_t row = 0;
    int is_there;
    if (count >= MANY) {
        view found;
        TRY(held_view(query, list, &found));
        uint32_t first = gallop(found.ordinals, 0, found.count, ordinals[0]);
        uint32_t end = gallop(found.ordinals, first, found.count, ordinals[count - 1] + 1);
        if (first == end) return FA_OK;
        if (end - first < 2 * count)
            return add_pairs(query, place, list, &found, first, end, factor, ordinals, count, norms_at, weights);
    }
    for (uint32_t at = 0; at < count; at++) {
        double weight;
        TRY(held_row(query, list, ordinals[at], &row, &is_there));
        if (!is_there || !speaks(list, ordinals[at])) continue;
        TRY(counting_weight(query, place, list, row, &norms_at[at], &weight));
        weights[at] += weight * factor;
    }
    return FA_OK;
}

static void add_phrase(const fa_query *query, uint32_t place, const state *known, int layer, const uint32_t *ordinals,
                       uint32_t count, norms *norms_at, double *weights) {
    uint32_t row = 0;
    for (uint32_t at = 0; at < count; at++) {
        if (row && known->ordinals[layer][row - 1] >= ordinals[at]) row = 0;
        row = gallop(known->ordinals[layer], row, known->found[layer], ordinals[at]);
        if (row >= known->found[layer]) continue;
        if (known->ordinals[layer][row] != ordinals[at]) continue;
        const uint32_t *counts = known->counts[layer] + (size_t)row * FA_KINDS;
        double total = 0;
        for (uint32_t element = 0; element < FA_KINDS; element++)
            if (counts[element]) total += (double)counts[element] * norm_of(query, place, &norms_at[at], element);
        weights[at] += total;
    }
}

#define FEW 16 /* lists of a wildcard that are looked at in turn */

/* Write down which lists of a wildcard hold each version, once as many were looked for in each of them that this would
 * have been less work. */
static int index_words(fa_query *query, uint32_t place, state *known, uint32_t count) {
    uint64_t pairs = 0;
    if (count >= MANY) return FA_OK; /* then the lists are gone over */
    known->looked_for += count;
    if (known->offsets != NULL || known->list_count <= FEW || query->kept.held > RETAINED) return FA_OK;
    for (uint32_t each = 0; each < known->list_count; each++) pairs += known->lists[each].count;
    if (known->looked_for * known->list_count < pairs / 2) return FA_OK;
    held **lists = arena_raw(&query->kept, known->list_count * sizeof(held *));
    if (lists == NULL) return FA_NO_MEMORY;
    for (uint32_t each = 0; each < known->list_count; each++) lists[each] = &known->lists[each];
    uint32_t versions = live_at(query, place)->layers[0]->versions;
    return index_lists(query, lists, known->list_count, versions, NULL, NULL, &known->offsets, &known->entries, NULL);
}

/* Add what the words of a wildcard weigh, each layer for itself. */
static int add_indexed(fa_query *query, uint32_t place, const state *known, uint32_t count, norms *norms_at,
                       double *weights) {
    for (uint32_t at = 0; at < count; at++) {
        double of_layer = 0, weight;
        uint32_t version = norms_at[at].ordinal, layer = 0;
        for (uint32_t each = known->offsets[version]; each < known->offsets[version + 1]; each++) {
            const uint32_t *entry = known->entries + 2 * (size_t)each;
            held *list = &known->lists[entry[0]];
            if (list->layer != layer) {
                weights[at] += of_layer;
                of_layer = 0;
                layer = list->layer;
            }
            TRY(counting_weight(query, place, list, entry[1], &norms_at[at], &weight));
            of_layer += weight * list->factor;
        }
        weights[at] += of_layer;
    }
    return FA_OK;
}

/* Write the exact weight of a leaf in some versions; 0 where it does not occur. Those that rise are found soonest. */
int leaf_weights(fa_query *query, uint32_t place, uint32_t leaf, const uint32_t *ordinals, uint32_t count,
                 norms *norms_at, double *weights) {
    state *known = state_of(query, leaf, place);
    uint32_t kind = query->program.leaves[leaf].kind;
    if (known->exact != NULL && count && norms_at->known != GIVEN)
        return known_weights(query, known, count, norms_at, weights);
    for (uint32_t at = 0; at < count; at++) weights[at] = 0;
    if (kind == FA_PHRASE) {
        for (int layer = 0; layer < 2; layer++) add_phrase(query, place, known, layer, ordinals, count, norms_at, weights);
        return FA_OK;
    }
    if (kind == FA_WORD) return add_words(query, place, known, 1, count, norms_at, weights);
    TRY(index_words(query, place, known, count));
    if (known->offsets != NULL && count < MANY) return add_indexed(query, place, known, count, norms_at, weights);
    /* the words of a wildcard: each layer for itself */
    double *of_layer = arena_raw(&query->version, count * sizeof(double));
    if (of_layer == NULL) return FA_NO_MEMORY;
    for (uint32_t layer = 0; layer < 2; layer++) {
        for (uint32_t at = 0; at < count; at++) of_layer[at] = 0;
        for (uint32_t each = 0; each < known->list_count; each++)
            if (known->lists[each].layer == layer)
                TRY(add_list(query, place, &known->lists[each], known->lists[each].factor, ordinals, count, norms_at,
                             of_layer));
        for (uint32_t at = 0; at < count; at++) weights[at] += of_layer[at];
    }
    return FA_OK;
}

int occurrence_weights(fa_query *query, uint32_t place, uint32_t leaf, uint32_t count, norms *norms_at,
                       double *weights) {
    state *known = state_of(query, leaf, place);
    double least = 1;
    for (uint32_t each = 0; each < known->list_count; each++)
        if (known->lists[each].factor < least) least = known->lists[each].factor;
    if (known->exact != NULL && least > 0) {
        TRY(known_weights(query, known, count, norms_at, weights));
        for (uint32_t at = 0; at < count; at++) weights[at] = weights[at] / least * (1 + 1e-9);
        return FA_OK;
    }
    for (uint32_t at = 0; at < count; at++) weights[at] = 0;
    return add_words(query, place, known, 0, count, norms_at, weights);
}

/* Write the exact scores of some versions, without nearness. */
int exact_scores(fa_query *query, uint32_t place, const uint32_t *ordinals, uint32_t count, double *scores) {
    const fa_live *live = live_at(query, place);
    arena_empty(&query->version, (size_t)1 << 20);
    norms *norms_at = arena_raw(&query->version, count * sizeof(norms));
    double *weights = arena_raw(&query->version, count * sizeof(double));
    if (norms_at == NULL || weights == NULL) return FA_NO_MEMORY;
    TRY(norms_begin(query, place, ordinals, count, norms_at));
    for (uint32_t at = 0; at < count; at++) scores[at] = 0;
    for (uint32_t leaf = 0; leaf < query->program.scored_count; leaf++) {
        TRY(leaf_weights(query, place, leaf, ordinals, count, norms_at, weights));
        for (uint32_t at = 0; at < count; at++)
            scores[at] += query->factors[leaf] * saturate(&query->program, weights[at]);
    }
    for (uint32_t at = 0; at < count; at++)
        scores[at] += live->prior == NULL ? 0.0 : live->prior[ordinals[at]] * query->greatest;
    return FA_OK;
}

/* Leave of some versions those whose exact scores may reach `least`, and write these, without nearness. upper: a bound of
 * each, which is changed. What a leaf gives takes the place of its bound leaf by leaf, the greatest first, so that most
 * versions need no look at all of them. */
int reaching_scores(fa_query *query, uint32_t place, const bounds *from, double least, uint32_t *ordinals, double *upper,
                    uint32_t *count, double *scores) {
    const fa_program *program = &query->program;
    const fa_live *live = live_at(query, place);
    size_t all = *count;
    uint32_t reaching = 0;
    arena_empty(&query->version, (size_t)1 << 20);
    norms *norms_at = arena_raw(&query->version, all * sizeof(norms));
    double *weights = arena_raw(&query->version, all * sizeof(double));
    uint32_t *origin = arena_raw(&query->version, all * sizeof(uint32_t));
    /* by leaf and version, as these were at first */
    double *shares = arena_get(&query->version, program->scored_count * all * sizeof(double));
    if (norms_at == NULL || weights == NULL || origin == NULL || shares == NULL) return FA_NO_MEMORY;
    for (uint32_t at = 0; at < *count; at++) {
        if (upper[at] < least) continue;
        ordinals[reaching] = ordinals[at];
        origin[reaching] = reaching;
        upper[reaching++] = upper[at];
    }
    *count = reaching;
    TRY(norms_begin(query, place, ordinals, *count, norms_at));
    for (uint32_t each = 0; each < from->count && *count; each++) {
        const leaf_bounds *one = &from->leaves[from->order[each]];
        uint32_t left = 0;
        TRY(leaf_weights(query, place, one->leaf, ordinals, *count, norms_at, weights));
        for (uint32_t at = 0; at < *count; at++) {
            double share = query->factors[one->leaf] * saturate(program, weights[at]);
            upper[at] += (share - share_in(one, ordinals[at])) * from->more;
            shares[one->leaf * all + origin[at]] = share;
            if (upper[at] * (1 + 1e-9) < least) continue;
            if (left < at) norms_at[left] = norms_at[at];
            ordinals[left] = ordinals[at];
            origin[left] = origin[at];
            upper[left++] = upper[at];
        }
        *count = left;
    }
    for (uint32_t at = 0; at < *count; at++) scores[at] = 0;
    for (uint32_t leaf = 0; leaf < program->scored_count; leaf++) {
        if (query->factors[leaf] < 0 && *count) { /* a word so common that it takes away */
            TRY(leaf_weights(query, place, leaf, ordinals, *count, norms_at, weights));
            for (uint32_t at = 0; at < *count; at++)
                scores[at] += query->factors[leaf] * saturate(program, weights[at]);
        } else
            for (uint32_t at = 0; at < *count; at++) scores[at] += shares[leaf * all + origin[at]];
    }
    for (uint32_t at = 0; at < *count; at++)
        scores[at] += live->prior == NULL ? 0.0 : live->prior[ordinals[at]] * query->greatest;
    return FA_OK;
}
