/* Bounds: scores that are never below the exact ones, for eight versions at a time and for the 64 of a word of a mask.
 *
 * What an occurrence weighs in an element of a version is stored in one byte: c stands for at most
 * 2 ** ((c - ZERO) / STEPS), 255 for no bound (see indexer/store/weights.py). A pair weighs at most its counts times
 * these; `slack` says by what factor that may be wrong under the ranking of today. The greatest weight of a leaf in
 * eight versions is kept in one byte again, which does not depend on the ranking of today. All is rounded up: floats are
 * enough.
 */
#include <math.h>

#include "query_inside.h"

#define STEPS 12.0
#define ZERO 120.0
#define LEAST (-24) /* 2 ** LEAST: below it the first of the saturations holds */
#define PARTS 64    /* of a doubling */
#define UNBOUNDED 1e30f /* more than any norm; not infinite, for 0 times it has to be 0 */
#define UP 1.00001f /* more than all rounding of a sum of some hundred floats */

/* The saturation of a weight: a table over its exponent and the first bits behind it. */
static void make_saturations(fa_query *query) {
    const fa_program *program = &query->program;
    if (query->saturated_k1 == program->k1 && query->saturated_slope == program->slope && query->saturations[0] != 0)
        return;
    for (int at = 0; at < SATURATIONS; at++) {
        double weight = ldexp(1.0 + (double)(at % PARTS + 1) / PARTS, LEAST + at / PARTS);
        query->saturations[at] = (float)saturate(program, weight) * UP;
    }
    for (int code = 0; code < 255; code++) query->bounds[code] = (float)exp2((code - ZERO) / STEPS) * UP;
    query->bounds[255] = UNBOUNDED;
    query->saturated_k1 = program->k1;
    query->saturated_slope = program->slope;
}

static float saturated(const fa_query *query, float weight) {
    uint32_t bits;
    memcpy(&bits, &weight, 4);
    int64_t at = (int64_t)(bits >> 17) - (int64_t)(127 + LEAST) * PARTS;
    if (at >= SATURATIONS) return UP;
    return query->saturations[at < 0 ? 0 : at];
}

/* ---------------------------------------------------------------- codes of weights */

#define LEAST_CODED 12 /* weights below 2 ** -LEAST_CODED have one code */
#define CODE_SHIFT 20  /* of the bits of a float: eight codes for each doubling */
#define UNBOUNDED_CODE 255
#define FIRST_CODE ((127 - LEAST_CODED) << 3)

/* Return the code of a weight: 0 for none, 255 for one without bound. */
static inline uint8_t code_of(float weight) {
    uint32_t bits;
    memcpy(&bits, &weight, 4);
    int32_t code = (int32_t)(bits >> CODE_SHIFT) - FIRST_CODE + 1;
    return weight > 0 ? (uint8_t)(code < 1 ? 1 : code > 255 ? 255 : code) : 0;
}

/* Return what no weight of a code, from 1 to 254, is above. */
static inline float top_of(uint32_t code) {
    uint32_t bits = (code + FIRST_CODE) << CODE_SHIFT;
    float weight;
    memcpy(&weight, &bits, 4);
    return weight;
}

/* ---------------------------------------------------------------- weights of lists */

/* A list whose pairs are bounded. */
typedef struct bounded {
    fa_query *query;
    const fa_segment *segment;
    const uint8_t *norms; /* NULL for none, and no bounds */
    uint64_t start;
    uint32_t versions;
    float scale;       /* what weights are multiplied by */
    const float *norm; /* by code */
} bounded;

static int bound_list(fa_query *query, const held *list, bounded *made) {
    const fa_segment *segment = list->list.segment;
    uint64_t start = list->list.start;
    make_saturations(query);
    made->query = query;
    made->norm = query->bounds;
    made->scale = (float)(list->factor * (1 + 1e-6)) * UP * UP; /* more than all that floats lose on the way */
    made->segment = segment;
    made->norms = NULL;
    made->start = start;
    made->versions = segment->versions;
    TRY(fa_require_shapes(segment, start, start + list->list.count, &query->fault));
    TRY(fa_require(segment, &segment->shape_table, 0, segment->shape_table.size, &query->fault));
    if (segment->norms.data == NULL) return FA_OK;
    TRY(fa_require(segment, &segment->norms, 0, (uint64_t)segment->versions * FA_KINDS, &query->fault));
    made->norms = segment->norms.data;
    return FA_OK;
}

/* Return what a pair of a shape weighs at most. Most of them have the word in few elements, and are added up without a
 * branch. */
static inline float weight_of_pair(const bounded *in, uint32_t shape, uint32_t version) {
    const fa_shape *facts = &in->segment->shape_facts[shape];
    const uint8_t *codes = in->norms + version;
    const float *norm = in->norm;
    float weight = facts->times[0] * norm[codes[facts->first[0] * (size_t)in->versions]] +
                   facts->times[1] * norm[codes[facts->first[1] * (size_t)in->versions]] +
                   facts->times[2] * norm[codes[facts->first[2] * (size_t)in->versions]];
    if (facts->has_more) {
        weight = 0;
        for (uint32_t left = facts->elements; left; left &= left - 1) {
            uint32_t element = (uint32_t)__builtin_ctz(left);
            weight += (float)fa_item(&in->segment->shape_table, (uint64_t)FA_KINDS * shape + element) *
                      norm[codes[element * (size_t)in->versions]];
        }
    }
    return weight * in->scale;
}

/* Reads the shapes of the pairs of a list, which rise. */
typedef struct shapes {
    fa_rank rank;
    uint32_t row; /* the next one */
} shapes;

static int shapes_begin(const bounded *in, shapes *made) {
    made->row = 0;
    return fa_rank_of(in->segment, in->start, &made->rank, &in->query->fault);
}

static inline int next_shape(const bounded *in, shapes *from, uint32_t *shape) {
    uint64_t pair = in->start + from->row++;
    *shape = fa_coded_shape(in->segment, pair);
    if (*shape != FA_OTHER && *shape < in->segment->shape_count) return FA_OK;
    return fa_next_shape(in->segment, pair, &from->rank, shape, &in->query->fault);
}

/* Raise the greatest code of eight versions: codes rise with the weights that they stand for. */
static inline void raise(uint8_t *most, uint32_t version, uint8_t code) {
    if (code > most[version / 8]) most[version / 8] = code;
}

/* Raise the greatest code of each eight versions of a segment by those of a list, and write a code of each weight. */
static int raise_eights(const bounded *in, const view *found, uint8_t *most, uint8_t *codes) {
    shapes from;
    uint32_t shape;
    TRY(shapes_begin(in, &from));
    for (uint32_t at = 0; at < found->count; at++) {
        uint32_t version = found->ordinals[at];
        if (found->shapes != NULL) shape = found->shapes[at];
        else TRY(next_shape(in, &from, &shape));
        codes[at] = code_of(weight_of_pair(in, shape, version));
        raise(most, version, codes[at]);
    }
    return FA_OK;
}

/* Add to the weight of each version what a list gives at most. */
static int add_weights(const bounded *in, const view *found, float *weights) {
    shapes from;
    uint32_t shape;
    TRY(shapes_begin(in, &from));
    for (uint32_t at = 0; at < found->count; at++) {
        if (found->shapes != NULL) shape = found->shapes[at];
        else TRY(next_shape(in, &from, &shape));
        weights[found->ordinals[at]] += weight_of_pair(in, shape, found->ordinals[at]);
    }
    return FA_OK;
}

/* How often the words of a wildcard stand in each version, by element, as far as that is told by shapes of one element:
 * of those the norms are asked for once a version. */
typedef struct sums {
    float *of;                        /* element behind element: a number for each version */
    size_t from[FA_RARE + 1];         /* by shape: where its element begins */
    float times[FA_RARE + 1];         /* ... and how often it has the word; 0 for shapes of several elements */
    uint8_t is_single[FA_RARE + 1];
} sums;

static void sums_begin(const fa_segment *segment, sums *made) {
    memset(made->of, 0, (size_t)FA_KINDS * segment->versions * sizeof(float));
    for (uint32_t shape = 0; shape <= FA_RARE; shape++) {
        int is_there = shape < FA_RARE && shape < segment->shape_count;
        const fa_shape *facts = &segment->shape_facts[is_there ? shape : 0];
        made->is_single[shape] = (uint8_t)(is_there && !facts->has_more && facts->times[1] == 0);
        made->times[shape] = made->is_single[shape] ? facts->times[0] : 0;
        made->from[shape] = made->is_single[shape] ? facts->first[0] * (size_t)segment->versions : 0;
    }
}

/* Add what the sums weigh; in: of one of their lists. */
static void sums_end(const bounded *in, const sums *from, float *weights) {
    const float scale = 1.0001f; /* more than all that is lost; the factor of each list is in the sums */
    for (uint32_t element = 0; element < FA_KINDS && in->norms != NULL; element++) {
        const float *times = from->of + element * (size_t)in->versions;
        const uint8_t *codes = in->norms + element * (size_t)in->versions;
        for (uint32_t version = 0; version < in->versions; version++)
            weights[version] += times[version] * in->norm[codes[version]] * scale;
    }
}

/* Add the weights of the pairs of a list, but those that go to the sums. */
static int add_to_sums(const bounded *in, const view *found, float factor, sums *to, float *weights) {
    const fa_segment *segment = in->segment;
    uint8_t codes[FA_SHAPES];
    uint32_t rows[FA_SHAPES];
    fa_rank rank;
    TRY(fa_rank_of(segment, in->start, &rank, &in->query->fault));
    for (uint32_t done = 0, some; done < found->count; done += some) {
        const uint32_t *versions = found->ordinals + done;
        uint32_t count = 0;
        some = found->count - done < FA_SHAPES ? found->count - done : FA_SHAPES;
        TRY(fa_read_shapes(segment, in->start + done, some, &rank, codes, &in->query->fault));
        for (uint32_t at = 0; at < some; at++) { /* without a branch: which are of one element cannot be foreseen */
            to->of[to->from[codes[at]] + versions[at]] += to->times[codes[at]] * factor;
            rows[count] = at;
            count += !to->is_single[codes[at]];
        }
        for (uint32_t each = 0; each < count; each++) {
            uint64_t shape = codes[rows[each]];
            if (shape == FA_RARE)
                TRY(fa_item_at(segment, &segment->rare_shapes, rank.rare++, &shape, &in->query->fault));
            if (shape >= segment->shape_count) return fa_damaged(segment, &segment->shapes, &in->query->fault);
            weights[versions[rows[each]]] += weight_of_pair(in, (uint32_t)shape, versions[rows[each]]);
        }
    }
    return FA_OK;
}

/* ---------------------------------------------------------------- exact weights */

/* Return the weight of a pair with its word in any element; the same as pair_weight in query_scores.c. */
static inline double exact_of_pair(const bounded *in, const fa_live *live, uint32_t shape, uint32_t version) {
    const fa_shape *facts = &in->segment->shape_facts[shape];
    double weight = 0;
    if (!facts->has_more) {
        for (int at = 0; at < FA_FIRST && facts->times[at] > 0; at++)
            weight += (double)facts->times[at] * norm_in(in->query, live, version, facts->first[at]);
        return weight;
    }
    for (uint32_t left = facts->elements; left; left &= left - 1) {
        uint32_t element = (uint32_t)__builtin_ctz(left);
        weight += (double)fa_item(&in->segment->shape_table, (uint64_t)FA_KINDS * shape + element) *
                  norm_in(in->query, live, version, element);
    }
    return weight;
}

/* Add the weights of a list to those of the versions of a word: one for each row, or by version. */
static int add_exact(fa_query *query, const fa_live *live, held *list, int by_version, double *weights) {
    bounded pairs;
    view found;
    uint8_t codes[FA_SHAPES];
    fa_rank rank;
    TRY(held_view(query, list, &found));
    TRY(bound_list(query, list, &pairs));
    TRY(fa_rank_of(pairs.segment, pairs.start, &rank, &query->fault));
    for (uint32_t done = 0, some; done < found.count; done += some) {
        some = found.count - done < FA_SHAPES ? found.count - done : FA_SHAPES;
        TRY(fa_read_shapes(pairs.segment, pairs.start + done, some, &rank, codes, &query->fault));
        for (uint32_t at = 0; at < some; at++) {
            uint32_t row = done + at, version = found.ordinals[row];
            uint64_t shape = codes[at];
            if (shape == FA_RARE)
                TRY(fa_item_at(pairs.segment, &pairs.segment->rare_shapes, rank.rare++, &shape, &query->fault));
            if (shape >= pairs.segment->shape_count)
                return fa_damaged(pairs.segment, &pairs.segment->shapes, &query->fault);
            if (!speaks(list, version)) continue;
            weights[by_version ? version : row] += exact_of_pair(&pairs, live, (uint32_t)shape, version) * list->factor;
        }
    }
    return FA_OK;
}

#define SPARSE 16 /* one version in so many, or fewer */

/* Zero the numbers of the versions of a mask, of which there are `count`: of few that takes less than to zero all. What
 * is added to those of others nobody reads. */
static void zero_marked(const uint64_t *mask, uint32_t count, uint32_t versions, void *numbers, size_t size) {
    if (count > versions / SPARSE) {
        memset(numbers, 0, versions * size);
        return;
    }
    for (size_t word = 0; word < words_of(versions); word++)
        for (uint64_t left = mask[word]; left; left &= left - 1)
            memset((uint8_t *)numbers + (word * 64 + (size_t)__builtin_ctzll(left)) * size, 0, size);
}

/* Write the weight of a word in each version that holds it. Each form is added in turn, as everywhere. */
static int write_exact(fa_query *query, uint32_t place, const state *known, double *exact) {
    const fa_live *live = live_at(query, place);
    uint32_t versions = live->layers[0]->versions;
    for (int layer = 0; layer < 2; layer++)
        if (live->layers[layer] != NULL) TRY(fa_require_lengths(live->layers[layer], 0, versions, &query->fault));
    if (known->mask == NULL || known->list_count == 1) {
        memset(exact, 0, known->count * sizeof(double));
        if (known->lists->languages == NULL) return add_exact(query, live, known->lists, 0, exact);
    }
    double *weights = buffer_get(&query->more, versions * sizeof(double));
    if (weights == NULL) return FA_NO_MEMORY;
    zero_marked(known->mask, known->count, versions, weights, sizeof(double));
    for (uint32_t each = 0; each < known->list_count; each++)
        TRY(add_exact(query, live, &known->lists[each], 1, weights));
    for (size_t word = 0; word < words_of(versions); word++)
        for (uint64_t left = known->mask[word]; left; left &= left - 1)
            *exact++ = weights[word * 64 + (size_t)__builtin_ctzll(left)];
    return FA_OK;
}

/* ---------------------------------------------------------------- the most of a leaf */

/* Exact weights are known. */
static int most_of_exact(fa_query *query, uint32_t place, const state *known, uint8_t *most, uint8_t *codes) {
    size_t words = words_of(live_at(query, place)->layers[0]->versions);
    const double *exact = known->exact;
    if (known->mask == NULL) {
        view found;
        TRY(held_view(query, known->lists, &found));
        for (uint32_t row = 0; row < found.count; row++) {
            codes[row] = code_of((float)exact[row] * UP);
            raise(most, found.ordinals[row], codes[row]);
        }
        return FA_OK;
    }
    for (size_t word = 0; word < words; word++)
        for (uint64_t left = known->mask[word]; left; left &= left - 1) {
            *codes = code_of((float)*exact++ * UP);
            raise(most, (uint32_t)(word * 64) + (uint32_t)__builtin_ctzll(left), *codes++);
        }
    return FA_OK;
}

/* A single list for all languages: each version stands in it once. */
static int most_of_list(fa_query *query, held *list, uint8_t *most, uint8_t *codes) {
    bounded pairs;
    view found;
    TRY(held_view(query, list, &found));
    TRY(bound_list(query, list, &pairs));
    if (pairs.norms != NULL) return raise_eights(&pairs, &found, most, codes);
    for (uint32_t row = 0; row < found.count; row++) most[found.ordinals[row] / 8] = UNBOUNDED_CODE;
    memset(codes, UNBOUNDED_CODE, found.count);
    return FA_OK;
}

/* A phrase: few versions hold one, so that its weight is exact. */
static int add_phrase(fa_query *query, uint32_t place, uint32_t leaf, float *weights) {
    enum { AT_ONCE = 128 };
    const state *known = state_of(query, leaf, place);
    uint32_t some[AT_ONCE], count = 0;
    norms norms_at[AT_ONCE];
    double exact[AT_ONCE];
    size_t words = words_of(live_at(query, place)->layers[0]->versions);
    for (size_t word = 0; word < words; word++) {
        for (uint64_t left = known->mask[word]; left; left &= left - 1)
            some[count++] = (uint32_t)(word * 64) + (uint32_t)__builtin_ctzll(left);
        if (count + 64 <= AT_ONCE && word + 1 < words) continue;
        TRY(norms_begin(query, place, some, count, norms_at));
        TRY(leaf_weights(query, place, leaf, some, count, norms_at, exact));
        for (uint32_t at = 0; at < count; at++) weights[some[at]] = (float)exact[at] * UP;
        count = 0;
    }
    return FA_OK;
}

static int add_lists(fa_query *query, const state *known, float *weights) {
    for (uint32_t each = 0; each < known->list_count; each++) {
        held *list = &known->lists[each];
        bounded pairs;
        view found;
        if (!(list->factor > 0)) continue; /* it adds nothing, whatever the bounds */
        TRY(held_view(query, list, &found));
        TRY(bound_list(query, list, &pairs));
        if (pairs.norms != NULL) TRY(add_weights(&pairs, &found, weights));
        else
            for (uint32_t row = 0; row < found.count; row++) weights[found.ordinals[row]] = INFINITY;
    }
    return FA_OK;
}

/* The same for very many pairs. of: room for FA_KINDS numbers a version. */
static int add_many_lists(fa_query *query, const state *known, float *of, float *weights) {
    sums to = {.of = of};
    bounded pairs = {.segment = NULL};
    for (uint32_t each = 0; each < known->list_count; each++) {
        held *list = &known->lists[each];
        const fa_segment *before = pairs.segment;
        view found;
        if (!(list->factor > 0)) continue;
        if (before != NULL && before != list->list.segment) sums_end(&pairs, &to, weights);
        TRY(held_view(query, list, &found));
        TRY(bound_list(query, list, &pairs));
        if (before != list->list.segment) sums_begin(pairs.segment, &to);
        if (pairs.norms != NULL) TRY(add_to_sums(&pairs, &found, (float)list->factor, &to, weights));
        else
            for (uint32_t row = 0; row < found.count; row++) weights[found.ordinals[row]] = INFINITY;
    }
    if (pairs.segment != NULL) sums_end(&pairs, &to, weights);
    return FA_OK;
}

#ifndef FA_MANY_PAIRS /* tests have few */
#define FA_MANY_PAIRS 2 /* for each version: of a wildcard whose pairs are all asked for */
#endif

static int has_many_pairs(const state *known, uint32_t versions) {
    uint64_t pairs = 0;
    for (uint32_t each = 0; each < known->list_count; each++) {
        pairs += known->lists[each].list.count;
        if (known->lists[each].counting != NULL || known->lists[each].languages != NULL) return 0;
    }
    return pairs >= (uint64_t)FA_MANY_PAIRS * versions;
}

/* A leaf of several lists, or a phrase: what is in a version is added up first. */
static int most_of_several(fa_query *query, uint32_t place, uint32_t leaf, uint8_t *most, uint8_t *codes) {
    const state *known = state_of(query, leaf, place);
    uint32_t versions = live_at(query, place)->layers[0]->versions;
    int are_many = query->program.leaves[leaf].kind == FA_WORDS && has_many_pairs(known, versions);
    float *weights = buffer_get(&query->more, (are_many ? 1 + FA_KINDS : 1) * (size_t)versions * sizeof(float));
    if (weights == NULL) return FA_NO_MEMORY;
    zero_marked(known->mask, known->count, versions, weights, sizeof(float));
    if (query->program.leaves[leaf].kind == FA_PHRASE) TRY(add_phrase(query, place, leaf, weights));
    else if (are_many) TRY(add_many_lists(query, known, weights + versions, weights));
    else TRY(add_lists(query, known, weights));
    for (size_t word = 0; word < words_of(versions); word++) {
        for (uint64_t left = known->mask[word]; left; left &= left - 1) {
            uint32_t version = (uint32_t)(word * 64) + (uint32_t)__builtin_ctzll(left);
            *codes = code_of(weights[version]);
            raise(most, version, *codes++);
        }
    }
    return FA_OK;
}

/* Write codes of the weights of a leaf: the greatest in each eight versions of a segment and in each 64, and that in each
 * version that holds it. Room: eight bytes, and one, for each word of a mask, and one for each of these versions. */
static int write_most(fa_query *query, uint32_t place, uint32_t leaf, uint8_t *most, uint8_t *most_of_word,
                      uint8_t *codes) {
    const state *known = state_of(query, leaf, place);
    size_t words = words_of(live_at(query, place)->layers[0]->versions);
    memset(most, 0, words * 8);
    int is_single = known->list_count == 1 && known->lists->languages == NULL;
    if (known->exact != NULL) TRY(most_of_exact(query, place, known, most, codes));
    else if (is_single && query->program.leaves[leaf].kind != FA_PHRASE)
        TRY(most_of_list(query, known->lists, most, codes));
    else TRY(most_of_several(query, place, leaf, most, codes));
    for (size_t word = 0; word < words; word++) {
        uint8_t greatest = 0;
        for (size_t eight = word * 8; eight < word * 8 + 8; eight++) greatest = most[eight] > greatest ? most[eight] : greatest;
        most_of_word[word] = greatest;
    }
    return FA_OK;
}

int leaf_most(fa_query *query, uint32_t place, uint32_t leaf) {
    state *known = state_of(query, leaf, place);
    size_t words = words_of(live_at(query, place)->layers[0]->versions);
    if (known->most != NULL) return FA_OK;
    uint8_t *made = arena_raw(&query->kept, words * 9 + known->count);
    if (made == NULL) return FA_NO_MEMORY;
    if (facts_are_wanted(query, leaf)) {
        double *exact = arena_raw(&query->kept, known->count * sizeof(double));
        if (exact == NULL) return FA_NO_MEMORY;
        TRY(write_exact(query, place, known, exact));
        known->exact = exact;
    }
    TRY(write_most(query, place, leaf, made, made + words * 8, made + words * 9));
    known->most = made;
    known->most_of_word = made + words * 8;
    if (known->mask == NULL) return FA_OK;
    uint32_t *ranks = arena_raw(&query->kept, words * sizeof(uint32_t)), rank = 0;
    if (ranks == NULL) return FA_NO_MEMORY;
    for (size_t word = 0; word < words; word++) {
        ranks[word] = rank;
        rank += (uint32_t)counts_bits(known->mask[word]);
    }
    known->weights = made + words * 9;
    known->ranks = ranks;
    return FA_OK;
}

/* ---------------------------------------------------------------- bounds of scores */

/* Write what a leaf gives at most to a score, for each code of its weight. */
static void make_shares(const fa_query *query, double factor, double slack, double *shares) {
    float most = (float)factor * UP, scale = (float)(slack * (1 + 1e-6));
    shares[0] = 0;
    for (uint32_t code = 1; code < 255; code++) shares[code] = (double)(most * saturated(query, top_of(code) * scale));
    shares[255] = (double)(most * UP);
}

int bounds_open(fa_query *query, uint32_t place, bounds *made) {
    const fa_program *program = &query->program;
    const fa_live *live = live_at(query, place);
    made->count = 0;
    made->leaves = arena_raw(&query->shortly, program->scored_count * sizeof(leaf_bounds));
    made->prior = live->prior == NULL ? NULL : live->prior_most;
    made->prior_of_word = live->prior == NULL ? NULL : live->prior_of_word;
    made->greatest = query->greatest * (1 + 1e-6);
    made->more = 1 + 1e-6; /* more than what is lost where a bound is kept as a float */
    made->order = arena_raw(&query->shortly, program->scored_count * sizeof(uint32_t));
    if (made->leaves == NULL || made->order == NULL) return FA_NO_MEMORY;
    make_saturations(query);
    for (uint32_t leaf = 0; leaf < program->scored_count; leaf++) {
        const state *known = state_of(query, leaf, place);
        if (!(query->factors[leaf] > 0) || !known->count || program->leaves[leaf].kind == FA_ANY) continue;
        TRY(leaf_most(query, place, leaf));
        leaf_bounds *one = &made->leaves[made->count];
        uint32_t to = made->count++;
        for (; to && query->factors[made->leaves[made->order[to - 1]].leaf] < query->factors[leaf]; to--)
            made->order[to] = made->order[to - 1];
        made->order[to] = made->count - 1;
        one->leaf = leaf;
        one->known = known;
        one->most = known->most;
        one->most_of_word = known->most_of_word;
        make_shares(query, query->factors[leaf], known->exact != NULL ? 1.0 : live->slack, one->shares);
    }
    return FA_OK;
}
