/* Bounds: scores that are never below the exact ones, from one byte a pair, for all versions of a segment.
 *
 * A byte c of the stored weights stands for a weight of at most 2 ** ((c - ZERO) / STEPS), 255 for one without bound
 * (see indexer/store/weights.py); `slack` says by what factor this may be wrong under the ranking of today. All is
 * rounded up: floats are enough.
 */
#include <math.h>

#include "query_inside.h"

#define STEPS 12.0
#define ZERO 120.0
#define LEAST (-24) /* 2 ** LEAST: below it the first of the saturations holds */
#define PARTS 64    /* of a doubling */
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
    for (int code = 0; code < 256; code++) query->bounds[code] = (float)exp2((code - ZERO) / STEPS) * UP;
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

static double bound_of(int code, double slack, double factor) {
    return code == 255 ? INFINITY : exp2((code - ZERO) / STEPS) * slack * (1 + 1e-6) * factor;
}

/* Return the codes of the pairs of a list; NULL: there are none, and no bounds. */
static int codes_of(fa_query *query, const held *list, const uint8_t **codes) {
    const fa_segment *segment = list->list.segment;
    *codes = NULL;
    if (segment->codes.data == NULL) return FA_OK;
    TRY(fa_require(segment, &segment->codes, list->list.start, list->list.start + list->list.count, &query->fault));
    *codes = segment->codes.data + list->list.start;
    return FA_OK;
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

static uint8_t code_at(const uint8_t *codes, const view *found, uint32_t at) {
    if (codes == NULL) return 255;
    return codes[found->rows == NULL ? at : found->rows[at]];
}

/* Add to the number of each version that holds a list what the code of its pair stands for. */
static int add_codes(const bounds *in, held *list, const float shares[256], float *to) {
    const uint8_t *codes;
    view found;
    TRY(held_view(in->query, list, &found));
    TRY(codes_of(in->query, list, &codes));
    if (in->count * SPARSE < found.count) {
        uint32_t row = 0;
        for (size_t at = 0; at < in->count; at++) {
            uint32_t version = in->ordinals[at];
            row = gallop(found.ordinals, row, found.count, version);
            if (row >= found.count) break;
            if (found.ordinals[row] == version) to[version] += shares[code_at(codes, &found, row)];
        }
    } else if (codes != NULL && found.rows == NULL) {
        for (uint32_t at = 0; at < found.count; at++) to[found.ordinals[at]] += shares[codes[at]];
    } else {
        for (uint32_t at = 0; at < found.count; at++) to[found.ordinals[at]] += shares[code_at(codes, &found, at)];
    }
    return FA_OK;
}

/* A leaf of a single list: what a pair gives is told by its code alone. */
static int add_single(const bounds *in, held *list, double factor) {
    float shares[256];
    for (int code = 0; code < 256; code++)
        shares[code] =
            (float)(factor * saturate(&in->query->program, bound_of(code, in->slack, list->factor))) * UP;
    return add_codes(in, list, shares, in->upper);
}

/* A leaf of several lists: weights are added before they saturate. */
static int add_several(const bounds *in, const state *known, double factor) {
    fa_query *query = in->query;
    float *weights = buffer_get(&query->more, in->versions * sizeof(float));
    float most = (float)factor * UP;
    if (weights == NULL) return FA_NO_MEMORY;
    memset(weights, 0, in->versions * sizeof(float));
    for (uint32_t each = 0; each < known->list_count; each++) {
        held *list = &known->lists[each];
        float shares[256];
        float scale = (float)(in->slack * (1 + 1e-6) * list->factor) * UP * UP;
        for (int code = 0; code < 255; code++) shares[code] = query->bounds[code] * scale;
        shares[255] = INFINITY;
        TRY(add_codes(in, list, shares, weights));
    }
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
        else if (known->mask == NULL) TRY(add_single(&in, known->lists, factor));
        else TRY(add_several(&in, known, factor));
    }
    /* the floats of many words are added with some error each */
    float more = 1.0f + 1e-6f * (float)(program->scored_count + 8);
    for (size_t at = 0; at < count; at++) upper[ordinals[at]] *= more;
    return FA_OK;
}
