/* A query over all segments: leaves, then the nodes that join them, then totals; see query.h. */
#include <stdlib.h>

#include "query_inside.h"

/* ---------------------------------------------------------------- the tree */

/* A mask is right in the versions that were asked about: those that are left of an AND, or of an OR. What takes longest
 * comes last there, so that it is not asked about the others. */
#define MOST_DEPTH 1024 /* of nodes below others: many more than a query that is typed may have */

typedef struct tree {
    fa_query *query;
    uint32_t place, versions;
    uint64_t **masks; /* by node; NULL: not asked for */
    double *costs;    /* by node: what takes longer has more */
    uint8_t *held_in;
    uint32_t depth;
    uint32_t *candidates;
} tree;

static int look_at(tree *in, uint32_t number, const uint64_t *within);

static const fa_node *node_at(const tree *in, uint32_t number) { return &in->query->program.nodes[number]; }

static int is_leaf(const tree *in, uint32_t number) { return node_at(in, number)->op == FA_OP_LEAF; }

static uint32_t count_of(const tree *in, uint32_t number) {
    return state_of(in->query, node_at(in, number)->value, in->place)->count;
}

/* Return the mask of a node that was looked at; of a leaf it is made here. */
static int mask_of(tree *in, uint32_t number, const uint64_t **mask) {
    const fa_node *node = node_at(in, number);
    if (node->op == FA_OP_LEAF && in->masks[number] == NULL) {
        const state *known = state_of(in->query, node->value, in->place);
        if (known->mask != NULL) {
            *mask = known->mask;
            return FA_OK;
        }
        in->masks[number] = arena_get(&in->query->tree, words_of(in->versions) * 8);
        if (in->masks[number] == NULL) return FA_NO_MEMORY;
        TRY(leaf_mark(in->query, node->value, in->place, in->masks[number]));
    }
    *mask = in->masks[number];
    return FA_OK;
}

/* Leave of the candidates those that hold a leaf. */
static int leave_holding(tree *in, uint32_t leaf, uint32_t *count) {
    state *known = state_of(in->query, leaf, in->place);
    uint32_t left = 0, row = 0;
    if (known->mask != NULL) {
        for (uint32_t at = 0; at < *count; at++) {
            in->candidates[left] = in->candidates[at];
            left += has_bit(known->mask, in->candidates[at]);
        }
    } else if (known->count) {
        view found;
        TRY(held_view(in->query, known->lists, &found));
        for (uint32_t at = 0; at < *count && row < found.count; at++) {
            uint32_t wanted = in->candidates[at];
            row = gallop(found.ordinals, row, found.count, wanted);
            if (row < found.count && found.ordinals[row] == wanted) in->candidates[left++] = wanted;
        }
    }
    *count = left;
    return FA_OK;
}

static int all_of_leaf(tree *in, uint32_t leaf, uint32_t *count) {
    state *known = state_of(in->query, leaf, in->place);
    *count = 0;
    if (known->mask != NULL) {
        for (size_t word = 0; word < words_of(in->versions); word++)
            for (uint64_t left = known->mask[word]; left; left &= left - 1)
                in->candidates[(*count)++] = (uint32_t)(word * 64) + (uint32_t)__builtin_ctzll(left);
    } else if (known->count) {
        view found;
        TRY(held_view(in->query, known->lists, &found));
        memcpy(in->candidates, found.ordinals, found.count * sizeof(uint32_t));
        *count = found.count;
    }
    return FA_OK;
}

static int is_masked(const tree *in, uint32_t number) {
    return state_of(in->query, node_at(in, number)->value, in->place)->mask != NULL;
}

static uint64_t *mask_for(tree *in) { return arena_get(&in->query->tree, words_of(in->versions) * 8); }

static int is_empty(const tree *in, const uint64_t *mask) {
    uint64_t any = 0;
    for (size_t word = 0; word < words_of(in->versions); word++) any |= mask[word];
    return !any;
}

/* Find where a leaf occurs in a segment, if that is not known yet. held_in: of its row of the answer. */
static int need_leaf(fa_query *query, uint32_t leaf, uint32_t place, uint8_t *held_in) {
    state *known = state_of(query, leaf, place);
    if (known->is_matched || !query->complete[place]) return FA_OK; /* the time is up, too */
    if (finding_is_over(query)) {
        query->complete[place] = 0;
        return FA_OK;
    }
    TRY(leaf_match(query, leaf, place, held_in + 2 * ((size_t)leaf * query->program.segment_count + place)));
    known->is_matched = 1;
    return FA_OK;
}

/* Tell whether it is already known where a node matches. */
static int is_ready(const tree *in, uint32_t number) {
    const fa_node *node = node_at(in, number);
    if (node->op == FA_OP_LEAF) return (int)state_of(in->query, node->value, in->place)->is_matched;
    return node->op == FA_OP_MASK;
}

/* All of the arguments that are known: the leaf that fewest hold says which versions are looked at for the others. */
static int all_ready(tree *in, const fa_node *node, uint64_t *mask) {
    const uint32_t *args = in->query->program.args + node->first;
    uint32_t rarest = NEVER, count = 0;
    size_t words = words_of(in->versions);
    const uint64_t *other;
    int are_leaves_done = 0;
    in->candidates = buffer_get(&in->query->more, in->versions * sizeof(uint32_t));
    if (in->candidates == NULL) return FA_NO_MEMORY;
    for (uint32_t at = 0; at < node->count; at++)
        if (is_leaf(in, args[at]) && is_ready(in, args[at]) &&
            (rarest == NEVER || count_of(in, args[at]) < count_of(in, args[rarest])))
            rarest = at;
    if (rarest != NEVER && count_of(in, args[rarest]) > words && is_masked(in, args[rarest])) {
        TRY(mask_of(in, args[rarest], &other));
        memcpy(mask, other, words * 8);
    } else if (rarest == NEVER) {
        memset(mask, 255, words * 8);
        if (in->versions & 63) mask[words - 1] = ((uint64_t)1 << (in->versions & 63)) - 1;
    } else {
        TRY(all_of_leaf(in, node_at(in, args[rarest])->value, &count));
        for (uint32_t at = 0; at < node->count && count; at++)
            if (at != rarest && is_leaf(in, args[at]) && is_ready(in, args[at]))
                TRY(leave_holding(in, node_at(in, args[at])->value, &count));
        for (uint32_t at = 0; at < count; at++) set_bit(mask, in->candidates[at]);
        if (!count) return FA_OK;
        are_leaves_done = 1;
    }
    for (uint32_t at = 0; at < node->count; at++) {
        if (at == rarest || !is_ready(in, args[at]) || (are_leaves_done && is_leaf(in, args[at]))) continue;
        if (in->masks[args[at]] == NULL) TRY(look_at(in, args[at], NULL));
        TRY(mask_of(in, args[at], &other));
        for (size_t word = 0; word < words; word++) mask[word] &= other[word];
    }
    return FA_OK;
}

#define NEAR_COST 4  /* of a pair of a NEAR */
#define NODE_COST 64 /* of any node */

/* Say how long each node takes, about: as many steps as there are pairs of words that have to be looked at for it. */
static void weigh_nodes(tree *in, uint32_t root) {
    const fa_program *program = &in->query->program;
    for (uint32_t number = 0; number <= root; number++) {
        const fa_node *node = node_at(in, number);
        double cost = NODE_COST;
        if (node->op == FA_OP_LEAF) {
            const fa_leaf *leaf = &program->leaves[node->value];
            const state *known = state_of(in->query, node->value, in->place);
            for (uint32_t each = 0; each < known->list_count; each++) cost += known->lists[each].list.count;
            if (leaf->kind == FA_PHRASE && !known->is_matched) cost = (double)in->versions * (1 + leaf->slop);
        }
        for (uint32_t at = 0; at < node->count && node->op < FA_OP_SPANS; at++)
            cost += in->costs[program->args[node->first + at]] * (node->op == FA_OP_NEAR ? NEAR_COST : 1);
        in->costs[number] = cost;
    }
}

/* Return which of the arguments that are not done takes least, and note it as done; NEVER: there is none. */
static uint32_t next_cheapest(const tree *in, const fa_node *node, uint8_t *is_done) {
    const uint32_t *args = in->query->program.args + node->first;
    uint32_t cheapest = NEVER;
    for (uint32_t at = 0; at < node->count; at++)
        if (!is_done[at] && (cheapest == NEVER || in->costs[args[at]] < in->costs[args[cheapest]])) cheapest = at;
    if (cheapest != NEVER) is_done[cheapest] = 1;
    return cheapest;
}

static int all_of(tree *in, const fa_node *node, const uint64_t *within, uint64_t *mask) {
    const uint32_t *args = in->query->program.args + node->first;
    size_t words = words_of(in->versions);
    uint8_t *is_done = arena_get(&in->query->tree, node->count);
    const uint64_t *other;
    if (is_done == NULL) return FA_NO_MEMORY;
    for (uint32_t at = 0; at < node->count; at++) is_done[at] = (uint8_t)is_ready(in, args[at]);
    TRY(all_ready(in, node, mask));
    for (size_t word = 0; within != NULL && word < words; word++) mask[word] &= within[word];
    for (uint32_t at = next_cheapest(in, node, is_done); at != NEVER; at = next_cheapest(in, node, is_done)) {
        if (is_empty(in, mask)) return FA_OK;
        TRY(look_at(in, args[at], mask));
        TRY(mask_of(in, args[at], &other));
        for (size_t word = 0; word < words; word++) mask[word] &= other[word];
    }
    return FA_OK;
}

static int any_of(tree *in, const fa_node *node, const uint64_t *within, uint64_t *mask) {
    const uint32_t *args = in->query->program.args + node->first;
    size_t words = words_of(in->versions);
    uint64_t *left = mask_for(in);
    uint8_t *is_done = arena_get(&in->query->tree, node->count);
    const uint64_t *other;
    if (left == NULL || is_done == NULL) return FA_NO_MEMORY;
    for (uint32_t at = 0; at < node->count; at++)
        if (is_leaf(in, args[at])) {
            is_done[at] = 1;
            TRY(look_at(in, args[at], within));
            TRY(leaf_mark(in->query, node_at(in, args[at])->value, in->place, mask));
        }
    for (uint32_t at = next_cheapest(in, node, is_done); at != NEVER; at = next_cheapest(in, node, is_done)) {
        for (size_t word = 0; word < words; word++)
            left[word] = (within == NULL ? ~(uint64_t)0 : within[word]) & ~mask[word];
        if (in->versions & 63) left[words - 1] &= ((uint64_t)1 << (in->versions & 63)) - 1;
        if (is_empty(in, left)) return FA_OK;
        TRY(look_at(in, args[at], left));
        TRY(mask_of(in, args[at], &other));
        for (size_t word = 0; word < words; word++) mask[word] |= other[word] & left[word];
    }
    return FA_OK;
}

static void none_of(const tree *in, const uint64_t *other, uint64_t *mask) {
    size_t words = words_of(in->versions);
    for (size_t word = 0; word < words; word++) mask[word] = ~other[word];
    if (in->versions & 63) mask[words - 1] &= ((uint64_t)1 << (in->versions & 63)) - 1;
}

/* The leaves of a NEAR: what holds it may be known without some of them. */
static int need_leaves(tree *in, uint32_t root) {
    uint8_t *is_used = arena_get(&in->query->tree, (size_t)root + 1);
    if (is_used == NULL) return FA_NO_MEMORY;
    is_used[root] = 1;
    for (uint32_t number = root + 1; number-- > 0;) {
        const fa_node *node = node_at(in, number);
        if (!is_used[number]) continue;
        for (uint32_t at = 0; at < node->count; at++) is_used[in->query->program.args[node->first + at]] = 1;
        if (node->op == FA_OP_SPANS) TRY(need_leaf(in->query, node->value, in->place, in->held_in));
    }
    return FA_OK;
}

/* The versions that hold the words of a NEAR, and in which they are near each other. */
static int near_of(tree *in, const fa_node *node, const uint64_t *within, uint64_t *mask) {
    uint64_t *candidates = mask_for(in);
    const uint64_t *other;
    if (candidates == NULL) return FA_NO_MEMORY;
    TRY(look_at(in, in->query->program.args[node->first], within));
    TRY(mask_of(in, in->query->program.args[node->first], &other));
    for (size_t word = 0; word < words_of(in->versions); word++)
        candidates[word] = other[word] & (within == NULL ? ~(uint64_t)0 : within[word]);
    if (is_empty(in, candidates)) return FA_OK;
    TRY(need_leaves(in, in->query->program.args[node->first + 1]));
    return near_mask(in->query, node, in->place, candidates, mask);
}

/* Work out the mask of a node, at least for the versions `within`; NULL: for all. */
static int look_at(tree *in, uint32_t number, const uint64_t *within) {
    const fa_program *program = &in->query->program;
    const fa_node *node = node_at(in, number);
    const uint64_t *other;
    if (node->op == FA_OP_LEAF) return need_leaf(in->query, node->value, in->place, in->held_in);
    if (node->op == FA_OP_MASK) {
        /* never written to */
        in->masks[number] = (uint64_t *)program->masks[(size_t)node->value * program->segment_count + in->place];
        return FA_OK;
    }
    uint64_t *mask = in->masks[number] = mask_for(in);
    if (mask == NULL) return FA_NO_MEMORY;
    if (++in->depth > MOST_DEPTH) return FA_TOO_LARGE;
    if (node->op == FA_OP_AND) TRY(all_of(in, node, within, mask));
    else if (node->op == FA_OP_OR) TRY(any_of(in, node, within, mask));
    else if (node->op == FA_OP_NEAR) TRY(near_of(in, node, within, mask));
    else {
        TRY(look_at(in, program->args[node->first], within));
        TRY(mask_of(in, program->args[node->first], &other));
        none_of(in, other, mask);
    }
    in->depth--;
    return FA_OK;
}

/* Write the versions of a segment that match. */
static int match_tree(fa_query *query, uint32_t place, uint8_t *held_in, uint64_t *matched) {
    tree in = {.query = query, .place = place, .versions = live_at(query, place)->layers[0]->versions, .held_in = held_in};
    const uint64_t *found;
    uint32_t root = query->program.root;
    arena_empty(&query->tree, (size_t)1 << 20);
    in.masks = arena_get(&query->tree, ((size_t)root + 1) * sizeof(uint64_t *));
    in.costs = arena_get(&query->tree, ((size_t)root + 1) * sizeof(double));
    if (in.masks == NULL || in.costs == NULL) return FA_NO_MEMORY;
    weigh_nodes(&in, root);
    TRY(look_at(&in, root, NULL));
    if (is_leaf(&in, root)) return leaf_mark(query, node_at(&in, root)->value, place, matched);
    TRY(mask_of(&in, root, &found));
    memcpy(matched, found, words_of(in.versions) * 8);
    return FA_OK;
}

/* ---------------------------------------------------------------- totals */

/* Return how many live versions of a segment hold a leaf. */
static int living(fa_query *query, uint32_t leaf, uint32_t place, uint64_t *count) {
    const state *known = state_of(query, leaf, place);
    const fa_live *live = live_at(query, place);
    if (live->alive == NULL || !known->count) {
        *count += known->count;
        return FA_OK;
    }
    if (known->mask != NULL) {
        for (size_t word = 0; word < words_of(live->layers[0]->versions); word++)
            *count += (uint64_t)counts_bits(known->mask[word] & live->alive[word]);
        return FA_OK;
    }
    view found;
    TRY(held_view(query, known->lists, &found));
    for (uint32_t row = 0; row < found.count; row++) *count += (uint64_t)has_bit(live->alive, found.ordinals[row]);
    return FA_OK;
}

static int by_number(const void *one, const void *other) {
    uint32_t a = *(const uint32_t *)one, b = *(const uint32_t *)other;
    return (a > b) - (a < b);
}

#define MOST_PAGES ((uint32_t)1 << 28) /* of which the numbers are marked in a mask; of more they are sorted */

/* Return how many different numbers there are. */
static int distinct(fa_query *query, uint32_t *numbers, size_t count, uint64_t *found) {
    uint32_t greatest = 0;
    for (size_t at = 0; at < count; at++) greatest = numbers[at] > greatest ? numbers[at] : greatest;
    *found = 0;
    if (greatest >= MOST_PAGES) {
        qsort(numbers, count, sizeof(uint32_t), by_number);
        for (size_t at = 0; at < count; at++) *found += at == 0 || numbers[at] != numbers[at - 1];
        return FA_OK;
    }
    uint64_t *seen = arena_get(&query->shortly, ((size_t)greatest / 64 + 1) * 8);
    if (seen == NULL) return FA_NO_MEMORY;
    for (size_t at = 0; at < count; at++) {
        *found += !has_bit(seen, numbers[at]);
        set_bit(seen, numbers[at]);
    }
    return FA_OK;
}

/* Leave dead versions out, and those that were not looked at; count pages. */
static int count_pages(fa_query *query, fa_answer *answer) {
    uint64_t alone = 0, together = 0;
    uint32_t *numbers = NULL;
    size_t shared = 0;
    arena_empty(&query->shortly, (size_t)1 << 20);
    answer->matching = answer->looked_at = 0;
    for (uint32_t place = 0; place < query->program.segment_count; place++) {
        const fa_live *live = live_at(query, place);
        uint32_t complete = query->complete[place];
        answer->looked_at += complete;
        uint64_t *mask = answer->matched + query->mask_at[place];
        size_t words = words_of(live->layers[0]->versions), word = 0;
        if (live->alive == NULL && live->shared == NULL) { /* nothing has to be left out but at the end */
            word = complete / 64;
            answer->matching += bits_in(mask, word);
        }
        for (; word < words; word++) {
            uint64_t left = mask[word];
            if (word * 64 + 64 > complete)
                left = word * 64 >= complete ? 0 : left & (((uint64_t)1 << (complete - word * 64)) - 1);
            if (live->alive != NULL) left &= live->alive[word];
            mask[word] = left;
            answer->matching += (uint64_t)counts_bits(left);
            if (live->shared != NULL) shared += (size_t)counts_bits(left & live->shared[word]);
        }
    }
    alone = answer->matching - shared;
    if (shared) {
        size_t count = 0;
        numbers = arena_raw(&query->shortly, shared * sizeof(uint32_t));
        if (numbers == NULL) return FA_NO_MEMORY;
        for (uint32_t place = 0; place < query->program.segment_count; place++) {
            const fa_live *live = live_at(query, place);
            const uint64_t *mask = answer->matched + query->mask_at[place];
            for (size_t word = 0; live->shared != NULL && word < words_of(live->layers[0]->versions); word++)
                for (uint64_t left = mask[word] & live->shared[word]; left; left &= left - 1)
                    numbers[count++] = live->document[word * 64 + (size_t)__builtin_ctzll(left)];
        }
        TRY(distinct(query, numbers, count, &together));
    }
    answer->total = alone + together;
    answer->has_shared = shared > 0;
    return FA_OK;
}

/* ---------------------------------------------------------------- all of it */

static int is_sound(const fa_program *program) {
    if (program->root >= program->node_count || program->scored_count > program->leaf_count) return 0;
    for (uint32_t number = 0; number < program->node_count; number++) {
        const fa_node *node = &program->nodes[number];
        int is_mask = node->op < FA_OP_SPANS;
        if (node->first > program->arg_count || node->count > program->arg_count - node->first) return 0;
        if ((node->op == FA_OP_LEAF || node->op == FA_OP_SPANS) && node->value >= program->leaf_count) return 0;
        if (node->op == FA_OP_MASK && node->value >= program->mask_count) return 0;
        if (node->op > FA_OP_BESIDE) return 0;
        if ((node->op == FA_OP_NOT && node->count != 1) || (node->op == FA_OP_NEAR && node->count != 2)) return 0;
        if (node->op >= FA_OP_UNION && !node->count) return 0;
        for (uint32_t at = 0; at < node->count; at++) {
            uint32_t arg = program->args[node->first + at];
            if (arg >= number) return 0;
            int wants_mask = is_mask && !(node->op == FA_OP_NEAR && at == 1);
            if ((program->nodes[arg].op < FA_OP_SPANS) != wants_mask) return 0;
        }
    }
    if (program->nodes[program->root].op >= FA_OP_SPANS) return 0;
    for (uint32_t place = 0; place < program->segment_count; place++) {
        const fa_live *live = &program->segments[place];
        if (live->layers[1] != NULL && live->layers[1]->versions != live->layers[0]->versions) return 0;
    }
    for (uint32_t at = 0; at < 2 * program->pair_count; at++)
        if (program->pairs[at] >= program->scored_count) return 0;
    return 1;
}

static int begin(fa_query *query, const fa_program *program, fa_answer *answer) {
    size_t count = program->segment_count;
    arena_empty(&query->kept, (size_t)4 << 20);
    query->program = *program;
    query->looks = 0;
    query->longest = 0;
    query->is_learned = answer->kept == NULL ? NULL : arena_raw(&query->kept, program->leaf_count);
    if (answer->kept != NULL && query->is_learned == NULL) return FA_NO_MEMORY;
    for (uint32_t leaf = 0; answer->kept != NULL && leaf < program->leaf_count; leaf++) {
        query->is_learned[leaf] = answer->kept[leaf] != 0;
        answer->kept[leaf] = 0;
    }
    double now = seconds_now();
    query->finding_end = now + program->finding_s;
    query->ranking_end = now + program->ranking_s;
    query->states = arena_get(&query->kept, program->leaf_count * count * sizeof(state));
    query->mask_at = arena_get(&query->kept, (count + 1) * sizeof(uint64_t));
    query->has_languages = arena_get(&query->kept, 2 * count);
    if (query->states == NULL || query->mask_at == NULL || query->has_languages == NULL) return FA_NO_MEMORY;
    for (uint32_t place = 0; place < count; place++) {
        uint32_t versions = program->segments[place].layers[0]->versions;
        query->mask_at[place + 1] = query->mask_at[place] + words_of(versions);
        answer->complete[place] = versions;
        if (versions > query->longest) query->longest = versions;
    }
    query->matched = answer->matched;
    query->complete = answer->complete;
    memset(answer->matched, 0, query->mask_at[count] * 8);
    memset(answer->holding, 0, program->leaf_count * sizeof(uint64_t));
    memset(answer->held_in, 0, program->leaf_count * count * 2);
    answer->found_count = answer->total = answer->matching = 0;
    answer->scored = 0;
    answer->is_ranked = 1;
    answer->has_shared = 0;
    return FA_OK;
}

static int measure_facts(fa_query *query, fa_answer *answer) {
    const fa_program *program = &query->program;
    for (uint32_t leaf = 0; answer->kept != NULL && leaf < program->leaf_count; leaf++)
        TRY(facts_size(query, leaf, answer->held_in + 2 * (size_t)leaf * program->segment_count, &answer->kept[leaf]));
    return FA_OK;
}

static int run(fa_query *query, const fa_program *program, fa_answer *answer) {
    TRY(begin(query, program, answer));
    for (uint32_t place = 0; place < program->segment_count; place++) {
        for (uint32_t leaf = 0; leaf < program->leaf_count; leaf++)
            if (program->leaves[leaf].kind != FA_PHRASE || facts_of(query, leaf) != NULL)
                TRY(need_leaf(query, leaf, place, answer->held_in));
        TRY(match_tree(query, place, answer->held_in, answer->matched + query->mask_at[place]));
    }
    TRY(count_pages(query, answer));
    /* what a phrase weighs depends on all that hold it, which is asked only where something is found */
    for (uint32_t place = 0; place < program->segment_count; place++)
        for (uint32_t leaf = 0; leaf < program->leaf_count; leaf++) {
            if (answer->total) TRY(need_leaf(query, leaf, place, answer->held_in));
            TRY(living(query, leaf, place, &answer->holding[leaf]));
        }
    uint64_t looked_at = 0;
    for (uint32_t place = 0; place < program->segment_count; place++) looked_at += query->complete[place];
    if (looked_at != answer->looked_at) TRY(count_pages(query, answer)); /* the time is up by now */
    TRY(prepare_scores(query, answer->holding));
    answer->greatest = query->greatest;
    uint64_t count = program->count < answer->total ? program->count : answer->total;
    if (!count) return measure_facts(query, answer);
    uint64_t wanted = answer->has_shared ? count * 2 : count;
    uint64_t pool = program->pool + (answer->has_shared ? program->ties : 0);
    int is_nearing = query->greatest_nearness > 0 || (program->pair_count && answer->has_shared);
    if (is_nearing && wanted < pool) wanted = pool;
    TRY(fa_query_rank(query, wanted, answer->has_shared ? wanted : count, answer));
    return measure_facts(query, answer);
}

/* Tell Python where damage was found. */
int fa_told(fa_query *query, int status, fa_answer *answer) {
    answer->bad_place = NEVER;
    answer->looks = query->looks;
    for (uint32_t place = 0; status == FA_CORRUPT && place < query->program.segment_count; place++)
        for (uint32_t layer = 0; layer < 2; layer++)
            if (live_at(query, place)->layers[layer] == query->fault.segment) {
                answer->bad_place = place;
                answer->bad_layer = layer;
                answer->bad_array = query->fault.array;
            }
    return status;
}

int fa_query_run(fa_query *query, const fa_program *program, fa_answer *answer) {
    if (!is_sound(program)) return FA_TOO_LARGE;
    return fa_told(query, run(query, program, answer), answer);
}

/* Give out the next part of a piece of memory. */
static void *part(uint8_t *room, size_t *used, size_t size) {
    void *given = room + *used;
    *used += (size + 7) & ~(size_t)7;
    return given;
}

int fa_query_ask(fa_query *query, const fa_program *program, const fa_wish *wish, const fa_facts *const *facts,
                 void *room, uint64_t size) {
    if (size < sizeof(fa_answer)) return FA_TOO_LARGE;
    fa_program asked = *program;
    asked.facts = facts;
    asked.count = wish->count;
    asked.pool = wish->pool;
    asked.ties = wish->ties;
    asked.finding_s = wish->finding_s;
    asked.ranking_s = wish->ranking_s;
    asked.finding_looks = wish->finding_looks;
    asked.ranking_looks = wish->ranking_looks;
    size_t words = 0, used = 0, leaves = asked.leaf_count;
    for (uint32_t place = 0; place < asked.segment_count; place++)
        words += words_of(asked.segments[place].layers[0]->versions);
    fa_answer *answer = part(room, &used, sizeof *answer);
    answer->matched = part(room, &used, words * 8);
    answer->holding = part(room, &used, leaves * 8);
    answer->kept = part(room, &used, leaves * 8);
    answer->complete = part(room, &used, asked.segment_count * sizeof(uint32_t));
    answer->held_in = part(room, &used, leaves * asked.segment_count * 2);
    answer->found = (fa_found *)((uint8_t *)room + used);
    answer->room = wish->room;
    if (!wish->is_learning) answer->kept = NULL;
    if (used > size || wish->room > (size - used) / sizeof(fa_found)) return FA_TOO_LARGE;
    return fa_query_run(query, &asked, answer);
}
