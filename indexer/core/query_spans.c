/* NEAR: where parts of a query stand in a version, from which place to which, and which of them are near others. */
#include <stdlib.h>

#include "query_inside.h"

/* Spans of a node in one version: sorted by start, end. */
typedef struct spans {
    uint64_t *start, *end;
    size_t count;
} spans;

/* Where one of two words stands in a version: room for all its lists. */
typedef struct side {
    const held **lists; /* those that hold the version */
    fa_runs *runs;      /* ... and where */
    size_t count;
    uint64_t total; /* occurrences */
} side;

typedef struct near {
    fa_query *query;
    uint32_t place, version;
    reader *readers;   /* by leaf and layer */
    spans *found;      /* by node */
    uint8_t *is_used;  /* by node */
    side sides[2];     /* of two words */
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

/* ---------------------------------------------------------------- two words */

/* Most of what is asked: whether two words stand near each other at all. Of the one that stands in the version more
 * often only what is near the other one is looked at, and nothing behind the first find. */

static int is_word(const near *in, uint32_t number) {
    const fa_node *node = &in->query->program.nodes[number];
    const fa_leaf *leaf = &in->query->program.leaves[node->value];
    return node->op == FA_OP_SPANS && (leaf->kind == FA_WORD || leaf->kind == FA_WORDS) && leaf->length <= 1;
}

static int is_of_two_words(const near *in, uint32_t root) {
    const fa_program *program = &in->query->program;
    const fa_node *node = &program->nodes[root];
    return node->op == FA_OP_BESIDE && node->count == 2 && is_word(in, program->args[node->first]) &&
           is_word(in, program->args[node->first + 1]);
}

static reader *readers_of(const near *in, uint32_t number) {
    return &in->readers[2 * (size_t)in->query->program.nodes[number].value];
}

static int open_sides(near *in, uint32_t root) {
    const fa_program *program = &in->query->program;
    for (uint32_t each = 0; each < 2; each++) {
        const reader *readers = readers_of(in, program->args[program->nodes[root].first + each]);
        size_t room = (size_t)readers[0].list_count + readers[1].list_count;
        in->sides[each].lists = arena_raw(&in->query->kept, room * sizeof(held *));
        in->sides[each].runs = arena_raw(&in->query->kept, room * sizeof(fa_runs));
        if (in->sides[each].lists == NULL || in->sides[each].runs == NULL) return FA_NO_MEMORY;
    }
    return FA_OK;
}

static int find_side(near *in, uint32_t number, side *made) {
    fa_query *query = in->query;
    reader *readers = readers_of(in, number);
    made->count = 0;
    made->total = 0;
    for (reader *from = readers; from < readers + 2; from++) {
        uint32_t at = from->offsets == NULL ? 0 : from->offsets[in->version];
        uint32_t end = from->offsets == NULL ? from->list_count : from->offsets[in->version + 1];
        for (; at < end; at++) {
            uint32_t each = from->offsets == NULL ? at : from->entries[2 * (size_t)at];
            fa_runs *runs = &made->runs[made->count];
            if (from->offsets == NULL) TRY(list_runs(query, from, each, in->version, runs));
            else TRY(entry_runs(query, from, at, in->version, runs));
            if (!runs->total) continue;
            made->lists[made->count++] = from->lists[each];
            made->total += runs->total;
        }
    }
    return FA_OK;
}

/* Write the places of a word, rising. */
static int read_places(near *in, const side *of, uint64_t *places, size_t *count) {
    uint8_t *elements;
    uint32_t *positions;
    *count = 0;
    for (size_t each = 0; each < of->count; each++) {
        TRY(read_runs(in->query, &of->runs[each], &elements, &positions));
        for (uint32_t at = 0; at < of->runs[each].total; at++)
            if (of->lists[each]->elements >> elements[at] & 1)
                places[(*count)++] = place_at(elements[at], positions[at]);
    }
    return sort_numbers(in->query, places, *count);
}

/* Tell whether a run has a position that is at most `distance` before or behind one of these places, and not there. */
static int is_near_any(fa_run *run, const uint64_t *places, size_t count, uint64_t distance) {
    uint64_t base = place_at(run->element, 0), same = UINT64_MAX; /* same: a position that was one of the places */
    for (size_t at = 0; at < count; at++) {
        if (places[at] < base) continue;
        uint64_t place = places[at] - base, low = place > distance ? place - distance : 0;
        if (low >= run->extent) break; /* also where another section begins */
        if (place != same && same != UINT64_MAX && place - same <= distance) return 1;
        uint32_t found = fa_run_from(run, (uint32_t)low);
        if (found == place) {
            same = place;
            if (place < UINT32_MAX) found = fa_run_from(run, (uint32_t)place + 1);
        }
        if (found == FA_NO_POSITION && same == UINT64_MAX) break;
        if (found != FA_NO_POSITION && found != place && found <= place + distance) return 1;
    }
    return 0;
}

static int look_for_two(near *in, uint32_t root, int *is_found) {
    fa_query *query = in->query;
    const fa_node *node = &query->program.nodes[root];
    side *sides = in->sides;
    size_t count;
    *is_found = 0;
    for (int each = 0; each < 2; each++) {
        TRY(find_side(in, query->program.args[node->first + (uint32_t)each], &sides[each]));
        if (!sides[each].total) return FA_OK;
    }
    const side *fewer = &sides[sides[1].total < sides[0].total], *other = &sides[fewer == sides];
    uint64_t *places = arena_raw(&query->version, fewer->total * sizeof(uint64_t));
    if (places == NULL) return FA_NO_MEMORY;
    TRY(read_places(in, fewer, places, &count));
    for (size_t each = 0; each < other->count && !*is_found; each++) {
        fa_run run;
        int is_there;
        TRY(next_run(query, other->lists[each], &other->runs[each], &run, &is_there));
        while (is_there && !*is_found) {
            *is_found = is_near_any(&run, places, count, node->value);
            TRY(run_status(query, &run));
            TRY(next_run(query, other->lists[each], &other->runs[each], &run, &is_there));
        }
    }
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
    TRY(near_words_mask(query, root, place, candidates, mask, &left));
    for (size_t word = 0; word < words_of(versions); word++) any |= left[word];
    if (!any) return FA_OK;
    candidates = left;
    TRY(open_readers(&in, root, candidates));
    int (*look_in)(near *, uint32_t, int *) = is_of_two_words(&in, root) ? look_for_two : look, is_found;
    if (look_in == look_for_two) TRY(open_sides(&in, root));
    for (uint32_t version = 0; version < versions; version++) {
        if (!has_bit(candidates, version)) {
            if (!candidates[version >> 6]) version |= 63;
            continue;
        }
        in.version = version;
        arena_empty(&query->version, (size_t)1 << 20);
        int status = finding_is_over(query) ? FA_TIME_UP : look_in(&in, root, &is_found);
        if (status == FA_TIME_UP) {
            if (version < query->complete[place]) query->complete[place] = version;
            return FA_OK;
        }
        TRY(status);
        if (is_found) set_bit(mask, version);
    }
    return FA_OK;
}
