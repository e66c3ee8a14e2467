/* NEAR: where parts of a query stand in a version, from which place to which, and which of them are near others. */
#include <stdlib.h>

#include "query_inside.h"

/* Spans of a node in one version: sorted by start, end. */
typedef struct spans {
    uint64_t *start, *end;
    size_t count;
} spans;

typedef struct near {
    fa_query *query;
    uint32_t place, version;
    reader *readers;   /* by leaf and layer */
    spans *found;      /* by node */
    uint8_t *is_used;  /* by node */
} near;

static int room_for(near *in, size_t count, spans *made) {
    made->count = 0;
    made->start = arena_raw(&in->query->version, count * sizeof(uint64_t));
    made->end = arena_raw(&in->query->version, count * sizeof(uint64_t));
    return made->start == NULL || made->end == NULL ? FA_NO_MEMORY : FA_OK;
}

typedef struct span {
    uint64_t start, end;
} span;

static int by_start(const void *one, const void *other) {
    const span *a = one, *b = other;
    if (a->start != b->start) return a->start < b->start ? -1 : 1;
    return (a->end > b->end) - (a->end < b->end);
}

static int sort_spans(near *in, spans *some) {
    size_t at = 1;
    while (at < some->count && (some->start[at - 1] < some->start[at] ||
                                (some->start[at - 1] == some->start[at] && some->end[at - 1] <= some->end[at])))
        at++;
    if (at >= some->count) return FA_OK;
    span *moved = arena_raw(&in->query->version, some->count * sizeof(span));
    if (moved == NULL) return FA_NO_MEMORY;
    for (at = 0; at < some->count; at++) moved[at] = (span){some->start[at], some->end[at]};
    qsort(moved, some->count, sizeof(span), by_start);
    for (at = 0; at < some->count; at++) {
        some->start[at] = moved[at].start;
        some->end[at] = moved[at].end;
    }
    return FA_OK;
}

static int leaf_spans(near *in, uint32_t leaf, spans *made) {
    fa_query *query = in->query;
    size_t count = 0;
    uint32_t length = query->program.leaves[leaf].length;
    for (int layer = 0; layer < 2; layer++)
        TRY(reader_spots(query, &in->readers[2 * (size_t)leaf + layer], in->version, &query->places[3], &count));
    const spot *stands = query->places[3].data;
    TRY(room_for(in, count, made));
    for (size_t at = 0; at < count; at++) made->start[at] = stands[at].at;
    TRY(sort_numbers(query, made->start, count));
    for (size_t at = 0; at < count; at++) made->end[at] = made->start[at] + (length ? length - 1 : 0);
    made->count = count;
    return FA_OK;
}

static int joined(near *in, const fa_node *node, int in_all, spans *made) {
    const uint32_t *args = in->query->program.args + node->first;
    size_t count = 0;
    for (uint32_t at = 0; at < node->count; at++) {
        count += in->found[args[at]].count;
        if (in_all && !in->found[args[at]].count) return FA_OK;
    }
    TRY(room_for(in, count, made));
    for (uint32_t at = 0; at < node->count; at++) {
        const spans *part = &in->found[args[at]];
        if (!part->count) continue;
        memcpy(made->start + made->count, part->start, part->count * sizeof(uint64_t));
        memcpy(made->end + made->count, part->end, part->count * sizeof(uint64_t));
        made->count += part->count;
    }
    return sort_spans(in, made);
}

/* Go on from `at` to the first of rising numbers that is at least `wanted`; back where less is wanted than before. */
static size_t go_on(const uint64_t *numbers, size_t count, size_t at, uint64_t wanted) {
    while (at && numbers[at - 1] >= wanted) at--;
    while (at < count && numbers[at] < wanted) at++;
    return at;
}

/* The spans of the first argument before or behind which one of each other ends or begins at most `value` places off. */
static int beside(near *in, const fa_node *node, spans *made) {
    const uint32_t *args = in->query->program.args + node->first;
    const spans *of = &in->found[args[0]];
    uint64_t distance = node->value;
    TRY(room_for(in, of->count, made));
    if (of->count) {
        memcpy(made->start, of->start, of->count * sizeof(uint64_t));
        memcpy(made->end, of->end, of->count * sizeof(uint64_t));
    }
    made->count = of->count;
    for (uint32_t other = 1; other < node->count && made->count; other++) {
        const spans *others = &in->found[args[other]];
        size_t left = 0;
        uint64_t *ends = arena_raw(&in->query->version, others->count * sizeof(uint64_t));
        if (ends == NULL) return FA_NO_MEMORY;
        if (others->count) memcpy(ends, others->end, others->count * sizeof(uint64_t));
        TRY(sort_numbers(in->query, ends, others->count));
        size_t before = 0, behind = 0;
        for (size_t at = 0; at < made->count; at++) {
            uint64_t start = made->start[at], end = made->end[at];
            uint64_t least = start >= distance ? start - distance : 0;
            before = go_on(ends, others->count, before, least);
            behind = go_on(others->start, others->count, behind, end + 1);
            int is_near = (before < others->count && ends[before] < start) ||
                          (behind < others->count && others->start[behind] <= end + distance);
            made->start[left] = start;
            made->end[left] = end;
            left += (size_t)is_near;
        }
        made->count = left;
    }
    return FA_OK;
}

/* Work out the spans of all nodes below and with `root` in a version; *is_found: whether there are some of it. */
static int look(near *in, uint32_t root, int *is_found) {
    for (uint32_t number = 0; number <= root; number++) {
        const fa_node *node = &in->query->program.nodes[number];
        spans *made = &in->found[number];
        if (!in->is_used[number]) continue;
        *made = (spans){NULL, NULL, 0};
        if (node->op == FA_OP_SPANS) TRY(leaf_spans(in, node->value, made));
        else if (node->op == FA_OP_BESIDE) TRY(beside(in, node, made));
        else TRY(joined(in, node, node->op == FA_OP_IN_ALL, made));
    }
    *is_found = in->found[root].count > 0;
    return FA_OK;
}

/* ---------------------------------------------------------------- all versions */

static int open_readers(near *in, uint32_t root, const uint64_t *candidates) {
    const fa_program *program = &in->query->program;
    arena *kept = &in->query->kept;
    uint8_t *is_open = arena_get(kept, program->leaf_count);
    in->readers = arena_get(kept, 2 * (size_t)program->leaf_count * sizeof(reader));
    in->found = arena_get(kept, ((size_t)root + 1) * sizeof(spans));
    in->is_used = arena_get(kept, (size_t)root + 1);
    if (is_open == NULL || in->readers == NULL || in->found == NULL || in->is_used == NULL) return FA_NO_MEMORY;
    in->is_used[root] = 1;
    for (uint32_t number = root + 1; number-- > 0;) {
        const fa_node *node = &program->nodes[number];
        if (!in->is_used[number]) continue;
        for (uint32_t at = 0; at < node->count; at++) in->is_used[program->args[node->first + at]] = 1;
        if (node->op != FA_OP_SPANS || is_open[node->value]) continue;
        is_open[node->value] = 1;
    }
    for (uint32_t at = 0; at < 2 * program->leaf_count; at++)
        if (is_open[at / 2]) TRY(reader_open(in->query, &in->readers[at], at / 2, in->place, at % 2, candidates));
    return FA_OK;
}

int near_mask(fa_query *query, const fa_node *node, uint32_t place, const uint64_t *candidates, uint64_t *mask) {
    near in = {.query = query, .place = place};
    uint32_t root = query->program.args[node->first + 1], versions = live_at(query, place)->layers[0]->versions;
    uint64_t *left, any = 0;
    if (are_two_words(query, root, place)) return two_words_mask(query, root, place, candidates, mask);
    TRY(near_places_mask(query, root, place, candidates, mask, &left));
    for (size_t word = 0; word < words_of(versions); word++) any |= left[word];
    if (!any) return FA_OK;
    candidates = left;
    TRY(open_readers(&in, root, candidates));
    int is_found;
    for (uint32_t version = 0; version < versions; version++) {
        if (!has_bit(candidates, version)) {
            if (!candidates[version >> 6]) version |= 63;
            continue;
        }
        in.version = version;
        arena_empty(&query->version, (size_t)1 << 20);
        int status = finding_is_over(query) ? FA_TIME_UP : look(&in, root, &is_found);
        if (status == FA_TIME_UP) {
            if (version < query->complete[place]) query->complete[place] = version;
            return FA_OK;
        }
        TRY(status);
        if (is_found) set_bit(mask, version);
    }
    return FA_OK;
}
