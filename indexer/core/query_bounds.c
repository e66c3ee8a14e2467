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

/* A leaf of a single list: what a pair gives is told by its code alone. */
static int add_single(fa_query *query, held *list, double slack, double factor, float *upper) {
    const uint8_t *codes;
    float shares[256];
    view found;
    TRY(held_view(query, list, &found));
    TRY(codes_of(query, list, &codes));
    for (int code = 0; code < 256; code++)
        shares[code] =
            (float)(factor * saturate(&query->program, bound_of(code, slack, list->factor))) * UP;
    if (codes == NULL) {
        for (uint32_t at = 0; at < found.count; at++) upper[found.ordinals[at]] += shares[255];
    } else if (found.rows == NULL) {
        for (uint32_t at = 0; at < found.count; at++) upper[found.ordinals[at]] += shares[codes[at]];
    } else {
        for (uint32_t at = 0; at < found.count; at++) upper[found.ordinals[at]] += shares[codes[found.rows[at]]];
    }
    return FA_OK;
}

/* A leaf of several lists: weights are added before they saturate. */
static int add_several(fa_query *query, const state *known, uint32_t versions, double slack, double factor,
                       float *upper) {
    float *weights = buffer_get(&query->more, versions * sizeof(float));
    if (weights == NULL) return FA_NO_MEMORY;
    memset(weights, 0, versions * sizeof(float));
    for (uint32_t each = 0; each < known->list_count; each++) {
        held *list = &known->lists[each];
        const uint8_t *codes;
        float bounds[256];
        view found;
        TRY(held_view(query, list, &found));
        TRY(codes_of(query, list, &codes));
        for (int code = 0; code < 256; code++) bounds[code] = (float)bound_of(code, slack, list->factor) * UP;
        for (uint32_t at = 0; at < found.count; at++)
            weights[found.ordinals[at]] +=
                bounds[codes == NULL ? 255 : codes[found.rows == NULL ? at : found.rows[at]]];
    }
    for (size_t word = 0; word < words_of(versions); word++)
        for (uint64_t left = known->mask[word]; left; left &= left - 1) {
            size_t version = word * 64 + (size_t)__builtin_ctzll(left);
            upper[version] += (float)factor * UP * saturated(query, weights[version] * UP);
        }
    return FA_OK;
}

/* A phrase: few versions hold one, so that its weight is exact. */
static int add_phrase(fa_query *query, const state *known, uint32_t leaf, uint32_t place, double factor,
                      float *upper) {
    enum { AT_ONCE = 64 };
    double norms[AT_ONCE * FA_KINDS], weights[AT_ONCE];
    uint32_t ordinals[AT_ONCE], versions = live_at(query, place)->layers[0]->versions;
    size_t word = 0, words = words_of(versions);
    for (; word < words; word++) {
        uint32_t count = 0;
        for (uint64_t left = known->mask[word]; left; left &= left - 1)
            ordinals[count++] = (uint32_t)(word * 64) + (uint32_t)__builtin_ctzll(left);
        if (!count) continue;
        TRY(norms_of(query, place, ordinals, count, norms));
        TRY(leaf_weights(query, place, leaf, ordinals, count, norms, weights));
        for (uint32_t at = 0; at < count; at++)
            upper[ordinals[at]] += (float)(factor * saturate(&query->program, weights[at] * (1 + 1e-9))) * UP;
    }
    return FA_OK;
}

int upper_scores(fa_query *query, uint32_t place, float *upper) {
    const fa_program *program = &query->program;
    const fa_live *live = live_at(query, place);
    uint32_t versions = live->layers[0]->versions;
    make_saturations(query);
    for (uint32_t version = 0; version < versions; version++)
        upper[version] = live->prior == NULL ? 0.0f : (float)(live->prior[version] * query->greatest) * UP;
    for (uint32_t leaf = 0; leaf < program->scored_count; leaf++) {
        const state *known = state_of(query, leaf, place);
        double factor = query->factors[leaf];
        uint32_t kind = program->leaves[leaf].kind;
        if (!(factor > 0) || !known->count || kind == FA_ANY) continue;
        if (kind == FA_PHRASE) TRY(add_phrase(query, known, leaf, place, factor, upper));
        else if (known->mask == NULL) TRY(add_single(query, known->lists, live->slack, factor, upper));
        else TRY(add_several(query, known, versions, live->slack, factor, upper));
    }
    /* the floats of many words are added with some error each */
    float more = 1.0f + 1e-6f * (float)(program->scored_count + 8);
    for (uint32_t version = 0; version < versions; version++) upper[version] *= more;
    return FA_OK;
}
