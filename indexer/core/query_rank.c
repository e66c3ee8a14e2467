/* The best versions: bounds say which need not be scored at all, exact scores put the others in order. */
#include <math.h>
#include <stdlib.h>

#include "query_inside.h"

#define FEW 256      /* versions scored without looking at bounds first, if these have to be worked out */
#define AT_ONCE 16   /* versions scored between two looks at what is wanted yet */
#define STEPS 256    /* of bounds, by which words and versions are put in order */
#define LOOK_EVERY 8192 /* versions scored between two looks at the clock */

typedef struct ranking {
    fa_query *query;
    leaders wanted, needed; /* exact scores */
    fa_found *found;         /* all that were scored and may be wanted */
    size_t count, room;
    uint64_t most;           /* wanted versions */
    uint32_t scored;         /* all of them */
    uint32_t since;          /* since the last look at the clock */
    int is_over;
} ranking;

/* Return the score below which a version is not wanted any more. */
static double floor_of(const ranking *in) {
    double least = -INFINITY;
    if (in->wanted.count == in->wanted.most) least = in->wanted.least_first[0];
    if (in->needed.count == in->needed.most) {
        double within = in->needed.least_first[0] - in->query->greatest_nearness;
        if (within > least) least = within;
    }
    return least;
}

static inline int by_score(const fa_found *a, const fa_found *b) {
    if (a->score != b->score) return a->score > b->score ? -1 : 1;
    if (a->key != b->key) return a->key < b->key ? -1 : 1;
    if (a->place != b->place) return a->place < b->place ? -1 : 1;
    return (a->ordinal > b->ordinal) - (a->ordinal < b->ordinal);
}

static void sift(fa_found *heap, size_t at, size_t count) {
    fa_found moved = heap[at];
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && by_score(&heap[child], &heap[child + 1]) < 0) child++;
        if (by_score(&heap[child], &moved) <= 0) break;
        heap[at] = heap[child];
    }
    heap[at] = moved;
}

/* Put versions in order, the best first; all differ. A call for each comparison, as qsort makes, takes longer. */
static void sort_found(fa_found *found, size_t count) {
    for (size_t at = count / 2; at--;) sift(found, at, count);
    for (size_t left = count; left > 1;) {
        fa_found worst = found[0];
        found[0] = found[--left];
        found[left] = worst;
        sift(found, 0, left);
    }
}

static void leave_best(ranking *in) {
    double least = in->wanted.count == in->wanted.most ? in->wanted.least_first[0] : -INFINITY;
    size_t left = 0;
    for (size_t at = 0; at < in->count; at++)
        if (!(in->found[at].score < least)) in->found[left++] = in->found[at];
    in->count = left;
    sort_found(in->found, in->count);
    if (in->count > in->most) in->count = (size_t)in->most;
}

static int keep(ranking *in, uint32_t place, uint32_t ordinal, double score) {
    const fa_live *live = live_at(in->query, place);
    if (in->count == in->room) {
        if (in->count >= 2 * in->most + FEW) leave_best(in);
        if (in->count * 2 >= in->room) {
            size_t room = in->room * 2 + FEW;
            fa_found *moved = realloc(in->found, room * sizeof(fa_found));
            if (moved == NULL) return FA_NO_MEMORY;
            in->found = moved;
            in->room = room;
        }
    }
    in->found[in->count++] = (fa_found){score, live->key[ordinal], place, ordinal, live->document[ordinal], 0};
    put(&in->wanted, score);
    put(&in->needed, score);
    return FA_OK;
}

/* Versions to be scored at once, with a bound of each. */
typedef struct batch {
    uint32_t ordinals[AT_ONCE], count;
    double upper[AT_ONCE], scores[AT_ONCE];
} batch;

/* Score versions; where bounds are known, those of them that may be wanted. */
static int score_some(ranking *in, uint32_t place, const bounds *from, batch *some) {
    double least = floor_of(in);
    in->since += some->count;
    if (in->since > LOOK_EVERY) {
        in->since = 0;
        if (in->count && ranking_is_over(in->query)) {
            in->is_over = 1;
            return FA_OK;
        }
    }
    if (from == NULL) TRY(exact_scores(in->query, place, some->ordinals, some->count, some->scores));
    else TRY(reaching_scores(in->query, place, from, least, some->ordinals, some->upper, &some->count, some->scores));
    in->scored += some->count;
    for (uint32_t at = 0; at < some->count; at++)
        if (!(some->scores[at] < least)) TRY(keep(in, place, some->ordinals[at], some->scores[at]));
    some->count = 0;
    return FA_OK;
}

/* Score all versions that match. */
static int score_all(ranking *in, uint32_t place, const uint64_t *mask, size_t words) {
    batch some = {.count = 0};
    for (size_t word = 0; word < words; word++)
        for (uint64_t left = mask[word]; left && !in->is_over; left &= left - 1) {
            some.ordinals[some.count++] = (uint32_t)(word * 64) + (uint32_t)__builtin_ctzll(left);
            if (some.count == AT_ONCE) TRY(score_some(in, place, NULL, &some));
        }
    return some.count && !in->is_over ? score_some(in, place, NULL, &some) : FA_OK;
}

/* The words of a mask and the versions that match, in steps of falling bounds: a version comes out of its word when the
 * step of the word is reached, and stands in that step or in a later one. */
typedef struct steps {
    bounds from;
    const uint64_t *mask;
    float most, scale;          /* the greatest bound, and steps for each unit below it */
    float *upper;               /* by word */
    uint32_t *order;            /* words, by step */
    uint32_t ends[STEPS + 1];   /* where the words of each step end in `order`, one step later */
    uint32_t heads[STEPS];      /* of a list of versions, NEVER for none */
    uint32_t *versions, *nexts; /* of these lists */
    double *bounds;
    uint32_t count;
} steps;

static inline uint32_t step_of(const steps *in, float bound) { return (uint32_t)((in->most - bound) * in->scale); }

static int steps_open(fa_query *query, uint32_t place, const uint64_t *mask, size_t words, size_t count, steps *made) {
    memset(made->ends, 0, sizeof made->ends);
    memset(made->heads, 255, sizeof made->heads);
    made->mask = mask;
    made->most = 0;
    made->count = 0;
    made->upper = arena_raw(&query->shortly, words * sizeof(float));
    made->order = arena_raw(&query->shortly, words * sizeof(uint32_t));
    made->versions = arena_raw(&query->shortly, count * sizeof(uint32_t));
    made->nexts = arena_raw(&query->shortly, count * sizeof(uint32_t));
    made->bounds = arena_raw(&query->shortly, count * sizeof(double));
    if (made->upper == NULL || made->order == NULL || made->versions == NULL || made->nexts == NULL ||
        made->bounds == NULL)
        return FA_NO_MEMORY;
    TRY(bounds_open(query, place, &made->from));
    for (size_t word = 0; word < words; word++) {
        if (!mask[word]) continue;
        made->upper[word] = (float)bound_of_word(&made->from, word);
        if (made->upper[word] > made->most) made->most = made->upper[word];
    }
    made->scale = made->most > 0 && made->most < INFINITY ? (STEPS - 1) / made->most : 0;
    for (size_t word = 0; word < words; word++)
        if (mask[word]) made->ends[step_of(made, made->upper[word]) + 1]++;
    for (uint32_t step = 0; step < STEPS; step++) made->ends[step + 1] += made->ends[step];
    for (size_t word = 0; word < words; word++)
        if (mask[word]) made->order[made->ends[step_of(made, made->upper[word])]++] = (uint32_t)word;
    return FA_OK;
}

/* Put the versions of a word that may reach a score into their steps. */
static void take_out(steps *in, uint32_t word, uint32_t reached, double least) {
    double bounds_of[8];
    for (uint32_t eight = 0; eight < 8; eight++) {
        uint32_t left = (uint32_t)(in->mask[word] >> 8 * eight & 255);
        if (!left || bound_of_eight(&in->from, (size_t)word * 8 + eight) < least) continue;
        bounds_of_versions(&in->from, (size_t)word * 8 + eight, bounds_of);
        for (; left; left &= left - 1) {
            uint32_t which = (uint32_t)__builtin_ctz(left);
            double bound = bounds_of[which];
            if (bound < least) continue;
            uint32_t step = step_of(in, (float)bound), at = in->count++;
            if (step < reached) step = reached;
            in->versions[at] = word * 64 + eight * 8 + which;
            in->bounds[at] = bound;
            in->nexts[at] = in->heads[step];
            in->heads[step] = at;
        }
    }
}

/* Return how many versions are scored together: as soon as there are as many as are wanted, others can be left out. */
static inline uint32_t at_once(const ranking *in) {
    size_t needed = in->needed.count < in->needed.most ? in->needed.most - in->needed.count : AT_ONCE;
    return needed < AT_ONCE ? (uint32_t)needed : AT_ONCE;
}

/* Score the versions that may be among the best: those of the greatest bounds first, so that few are left then. */
static int score_best(ranking *in, uint32_t place, const uint64_t *mask, size_t words, size_t count) {
    steps line;
    batch some = {.count = 0};
    TRY(steps_open(in->query, place, mask, words, count, &line));
    for (uint32_t step = 0; step < STEPS && !in->is_over; step++) {
        double least = floor_of(in);
        for (uint32_t at = step ? line.ends[step - 1] : 0; at < line.ends[step]; at++)
            if (!((double)line.upper[line.order[at]] < least)) take_out(&line, line.order[at], step, least);
        for (uint32_t at = line.heads[step]; at != NEVER && !in->is_over; at = line.nexts[at]) {
            some.ordinals[some.count] = line.versions[at];
            some.upper[some.count++] = line.bounds[at];
            if (some.count >= at_once(in)) TRY(score_some(in, place, &line.from, &some));
        }
    }
    return some.count && !in->is_over ? score_some(in, place, &line.from, &some) : FA_OK;
}

/* Tell whether the bounds of all leaves are known already. */
static int are_bounded(const fa_query *query, uint32_t place) {
    for (uint32_t leaf = 0; leaf < query->program.scored_count; leaf++) {
        const state *known = state_of(query, leaf, place);
        if (known->count && known->most == NULL) return 0;
    }
    return 1;
}

static int score_segment(ranking *in, uint32_t place) {
    fa_query *query = in->query;
    const uint64_t *mask = query->matched + query->mask_at[place];
    size_t words = words_of(live_at(query, place)->layers[0]->versions), count = (size_t)bits_in(mask, words);
    arena_empty(&query->shortly, (size_t)1 << 20);
    if (!count) return FA_OK;
    if (in->count && ranking_is_over(query)) {
        in->is_over = 1;
        return FA_OK;
    }
    if (count <= in->most || (count <= FEW && !are_bounded(query, place))) return score_all(in, place, mask, words);
    return score_best(in, place, mask, words, count);
}

/* Put the first versions in a new order by what near words add. It is never negative, so the others stay behind. */
static int with_nearness(ranking *in, uint64_t needed) {
    const fa_program *program = &in->query->program;
    if (!(in->query->greatest_nearness > 0) || !in->count) return FA_OK;
    size_t end = in->count < program->pool ? in->count : program->pool;
    if (!end) return FA_OK;
    fa_found last = in->found[end - 1];
    while (end < in->count && in->found[end].score == last.score && in->found[end].key == last.key) end++;
    if (in->count > needed) {
        /* what is too far behind to get among the first may stay where it is */
        double least = in->found[needed - 1].score - in->query->greatest_nearness;
        size_t within = 0;
        while (within < end && in->found[within].score >= least) within++;
        end = within;
    }
    TRY(add_nearness(in->query, in->found, end, in->count > needed ? (size_t)needed : end));
    sort_found(in->found, end);
    return FA_OK;
}

static int rank(ranking *in, uint64_t needed, fa_answer *answer) {
    for (uint32_t place = 0; place < in->query->program.segment_count && !in->is_over; place++)
        TRY(score_segment(in, place));
    leave_best(in);
    TRY(with_nearness(in, needed));
    answer->is_ranked = !in->is_over;
    answer->scored = in->scored;
    answer->found_count = in->count < answer->room ? in->count : answer->room;
    if (answer->found_count) memcpy(answer->found, in->found, answer->found_count * sizeof(fa_found));
    return FA_OK;
}

int fa_query_rank(fa_query *query, uint64_t wanted, uint64_t needed, fa_answer *answer) {
    ranking in = {.query = query, .most = wanted < answer->matching ? wanted : answer->matching};
    if (!needed || !in.most) {
        answer->found_count = 0;
        return FA_OK;
    }
    in.wanted.most = (size_t)in.most;
    in.needed.most = (size_t)needed;
    in.wanted.least_first = malloc((size_t)in.most * sizeof(double));
    /* no more are put in than there are */
    size_t room = needed < answer->matching ? (size_t)needed : (size_t)answer->matching;
    in.needed.least_first = malloc((room ? room : 1) * sizeof(double));
    int status = FA_NO_MEMORY;
    answer->wanted = wanted;
    if (in.wanted.least_first != NULL && in.needed.least_first != NULL) status = rank(&in, needed, answer);
    free(in.wanted.least_first);
    free(in.needed.least_first);
    free(in.found);
    return fa_told(query, status, answer);
}

/* ---------------------------------------------------------------- more about some versions */

static int are_sound(const fa_query *query, uint32_t place, const uint32_t *ordinals, uint32_t count) {
    if (place >= query->program.segment_count) return 0;
    for (uint32_t at = 0; at < count; at++)
        if (ordinals[at] >= live_at(query, place)->layers[0]->versions || (at && ordinals[at] <= ordinals[at - 1]))
            return 0;
    return 1;
}

int fa_query_weights(fa_query *query, uint32_t place, uint32_t leaf, const uint32_t *ordinals, uint32_t count,
                     const double *given, double *weights, fa_answer *answer) {
    if (!are_sound(query, place, ordinals, count) || leaf >= query->program.leaf_count) return FA_TOO_LARGE;
    arena_empty(&query->version, (size_t)1 << 20);
    norms *norms_at = arena_raw(&query->version, count * sizeof(norms));
    if (norms_at == NULL) return FA_NO_MEMORY;
    for (uint32_t at = 0; at < count; at++) {
        memcpy(norms_at[at].of, given + (size_t)at * FA_KINDS, sizeof norms_at[at].of);
        norms_at[at].known = GIVEN;
        norms_at[at].ordinal = ordinals[at];
    }
    return fa_told(query, leaf_weights(query, place, leaf, ordinals, count, norms_at, weights), answer);
}

int fa_query_counts(fa_query *query, uint32_t place, uint32_t leaf, const uint32_t *ordinals, uint32_t count,
                    double *counts, fa_answer *answer) {
    if (!are_sound(query, place, ordinals, count) || leaf >= query->program.leaf_count) return FA_TOO_LARGE;
    arena_empty(&query->version, (size_t)1 << 20);
    return fa_told(query, leaf_counts(query, place, leaf, ordinals, count, counts), answer);
}

int fa_query_scores(fa_query *query, uint32_t place, const uint32_t *ordinals, uint32_t count, double *scores,
                    fa_answer *answer) {
    if (!are_sound(query, place, ordinals, count)) return FA_TOO_LARGE;
    return fa_told(query, exact_scores(query, place, ordinals, count, scores), answer);
}

int fa_query_nearness(fa_query *query, uint32_t place, uint32_t ordinal, double *counts, fa_answer *answer) {
    if (!are_sound(query, place, &ordinal, 1)) return FA_TOO_LARGE;
    return fa_told(query, near_counts(query, place, ordinal, counts), answer);
}
