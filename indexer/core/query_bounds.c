/* Bounds: scores that are never below the exact ones, for all versions of a segment that match.
 *
 * What an occurrence weighs in an element of a version is stored in one byte: c stands for at most
 * 2 ** ((c - ZERO) / STEPS), 255 for no bound (see indexer/store/weights.py). A pair weighs at most its counts times
 * these; `slack` says by what factor that may be wrong under the ranking of today. All is rounded up: floats are enough.
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

/* The versions that match, rising; `upper` has a number for each version of the segment, and only theirs are right. */
typedef struct bounds {
    fa_query *query;
    uint32_t place, versions;
    const uint32_t *ordinals;
    size_t count;
    double slack;
    float *upper;
} bounds;

#define SPARSE 16 /* from one version in so many pairs on, pairs are looked up one by one */

/* By what the weights of a list are multiplied; more than all that floats lose on the way. */
static float scale_of(const bounds *in, const held *list) {
    return (float)(in->slack * (1 + 1e-6) * list->factor) * UP * UP;
}

/* A list whose pairs are bounded, and what is added for each. */
typedef struct bounded {
    fa_query *query;
    const fa_segment *segment;
    const uint8_t *norms; /* NULL for none, and no bounds */
    uint64_t start;
    uint32_t versions;
    float scale, most; /* `most` times the saturated weight is added; 0: the weight itself */
    const float *norm; /* by code */
} bounded;

static inline float share_of(const bounded *in, float weight) {
    return in->most > 0 ? in->most * saturated(in->query, weight * in->scale) : weight * in->scale;
}

static int bound_list(fa_query *query, const held *list, bounded *made) {
    const fa_segment *segment = list->list.segment;
    uint64_t start = list->list.start;
    made->query = query;
    made->norm = query->bounds;
    made->segment = segment;
    made->norms = NULL;
    made->start = start;
    made->versions = segment->versions;
    if (segment->norms.data == NULL) return FA_OK;
    TRY(fa_require(segment, &segment->norms, 0, (uint64_t)segment->versions * FA_KINDS, &query->fault));
    TRY(fa_require_shapes(segment, start, start + list->list.count, &query->fault));
    TRY(fa_require(segment, &segment->shape_table, 0, segment->shape_table.size, &query->fault));
    made->norms = segment->norms.data;
    return FA_OK;
}

/* Return what a pair of a shape adds: most of them have the word in few elements, and are added up without a branch. */
static inline float share_of_pair(const bounded *in, uint32_t shape, uint32_t version) {
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
    return share_of(in, weight);
}

/* Add to the number of a version what the pair in a row of the list gives at most. */
static int add_pair(const bounded *in, uint32_t row, uint32_t version, float *to) {
    uint32_t shape;
    TRY(fa_shape_of(in->segment, in->start + row, &shape, &in->query->fault));
    to[version] += share_of_pair(in, shape, version);
    return FA_OK;
}

/* The same for all pairs of a list whose versions match. */
static int add_all(const bounded *in, const uint32_t *ordinals, uint32_t count, const uint64_t *matched, float *to) {
    const fa_segment *segment = in->segment;
    fa_rank rank;
    TRY(fa_rank_of(segment, in->start, &rank, &in->query->fault));
    for (uint32_t row = 0; row < count; row++) {
        uint32_t shape = fa_coded_shape(segment, in->start + row);
        if (shape == FA_OTHER || shape >= segment->shape_count)
            TRY(fa_next_shape(segment, in->start + row, &rank, &shape, &in->query->fault));
        if (has_bit(matched, ordinals[row])) to[ordinals[row]] += share_of_pair(in, shape, ordinals[row]);
    }
    return FA_OK;
}

/* Add for each version that holds a list what its pair gives at most; `most`: see bounded. */
static int add_bounds(const bounds *in, held *list, float most, float *to) {
    bounded pairs = {.scale = scale_of(in, list), .most = most};
    view found;
    if (!(list->factor > 0)) return FA_OK; /* it adds nothing, whatever the bounds */
    TRY(held_view(in->query, list, &found));
    TRY(bound_list(in->query, list, &pairs));
    if (pairs.norms == NULL) {
        for (uint32_t at = 0; at < found.count; at++) to[found.ordinals[at]] = INFINITY;
    } else if (in->count * SPARSE < found.count) {
        uint32_t row = 0;
        for (size_t at = 0; at < in->count; at++) {
            uint32_t version = in->ordinals[at];
            row = gallop(found.ordinals, row, found.count, version);
            if (row >= found.count) break;
            if (found.ordinals[row] != version) continue;
            TRY(add_pair(&pairs, found.rows == NULL ? row : found.rows[row], version, to));
        }
    } else if (found.rows == NULL) {
        TRY(add_all(&pairs, found.ordinals, found.count, in->query->matched + in->query->mask_at[in->place], to));
    } else {
        for (uint32_t at = 0; at < found.count; at++) TRY(add_pair(&pairs, found.rows[at], found.ordinals[at], to));
    }
    return FA_OK;
}

/* A leaf of several lists: weights are added before they saturate. */
static int add_several(const bounds *in, const state *known, double factor) {
    fa_query *query = in->query;
    float *weights = buffer_get(&query->more, in->versions * sizeof(float));
    float most = (float)factor * UP;
    if (weights == NULL) return FA_NO_MEMORY;
    memset(weights, 0, in->versions * sizeof(float));
    for (uint32_t each = 0; each < known->list_count; each++)
        TRY(add_bounds(in, &known->lists[each], 0, weights));
    for (size_t at = 0; at < in->count; at++) {
        float weight = weights[in->ordinals[at]];
        if (weight > 0) in->upper[in->ordinals[at]] += most * saturated(query, weight * UP);
    }
    return FA_OK;
}

/* A phrase: few versions hold one, so that its weight is exact. */
static int add_phrase(const bounds *in, uint32_t leaf, double factor) {
    enum { AT_ONCE = 64 };
    fa_query *query = in->query;
    norms norms_at[AT_ONCE];
    double weights[AT_ONCE];
    for (size_t done = 0; done < in->count; done += AT_ONCE) {
        const uint32_t *some = in->ordinals + done;
        uint32_t count = in->count - done < AT_ONCE ? (uint32_t)(in->count - done) : AT_ONCE;
        TRY(norms_begin(query, in->place, some, count, norms_at));
        TRY(leaf_weights(query, in->place, leaf, some, count, norms_at, weights));
        for (uint32_t at = 0; at < count; at++)
            in->upper[some[at]] += (float)(factor * saturate(&query->program, weights[at] * (1 + 1e-9))) * UP;
    }
    return FA_OK;
}

int upper_scores(fa_query *query, uint32_t place, const uint32_t *ordinals, size_t count, float *upper) {
    const fa_program *program = &query->program;
    const fa_live *live = live_at(query, place);
    bounds in = {query, place, live->layers[0]->versions, ordinals, count, live->slack, upper};
    make_saturations(query);
    memset(upper, 0, in.versions * sizeof(float));
    for (size_t at = 0; live->prior != NULL && at < count; at++)
        upper[ordinals[at]] = (float)(live->prior[ordinals[at]] * query->greatest) * UP;
    for (uint32_t leaf = 0; leaf < program->scored_count; leaf++) {
        const state *known = state_of(query, leaf, place);
        double factor = query->factors[leaf];
        uint32_t kind = program->leaves[leaf].kind;
        if (!(factor > 0) || !known->count || kind == FA_ANY) continue;
        if (kind == FA_PHRASE) TRY(add_phrase(&in, leaf, factor));
        else if (known->mask == NULL)
            TRY(add_bounds(&in, known->lists, (float)factor * UP, in.upper));
        else TRY(add_several(&in, known, factor));
    }
    /* the floats of many words are added with some error each */
    float more = 1.0f + 1e-6f * (float)(program->scored_count + 8);
    for (size_t at = 0; at < count; at++) upper[ordinals[at]] *= more;
    return FA_OK;
}
