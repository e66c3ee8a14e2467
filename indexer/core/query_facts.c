/* What a word comes to in the segments of an index, kept from query to query: which versions hold it, in which row of a
 * list each stands, what it weighs there under the ranking of the query, and where positions begin. Finding that out
 * takes a look at each of its pairs; what is kept takes some bytes for each of them, and about one bit for each version
 * of the segments and form of the word. It is done when a word is asked for first: those that take long stand on many
 * pages, and come again soon.
 *
 * It is a copy in one piece of memory of the caller that nobody writes to: many handles may read it at once.
 */
#include "query_inside.h"

#ifndef FA_WORTH_IT /* fuzzing keeps more */
#define FA_WORTH_IT 128 /* pairs of a word in all segments */
#endif

struct fa_facts {
    uint32_t places;
    state *states;    /* by segment */
    uint8_t *held_in; /* by segment and layer */
};

/* The piece of memory; without one it is only counted how large it has to be. place: where it will lie. */
typedef struct block {
    uint8_t *data, *place;
    size_t used;
} block;

/* Copy something; return where the copy will lie. */
static void *put_copy(block *to, const void *from, size_t size) {
    uint8_t *copy = to->data == NULL ? NULL : to->place + to->used;
    if (from == NULL) return NULL;
    if (copy != NULL && size) memcpy(to->data + to->used, from, size);
    to->used += (size + 15) & ~(size_t)15;
    return copy;
}

/* Return where a copy lies now. */
static void *now_at(const block *in, const void *copy) { return in->data + ((const uint8_t *)copy - in->place); }

/* Copy where the positions of a list begin, and the skips over them. */
static const fa_cursor *copy_begin(block *to, const held *list) {
    if (list->begin == NULL) return NULL;
    fa_cursor made = *list->begin;
    made.skips = put_copy(to, made.skips, ((size_t)list->list.count / FA_SKIP + 1) * sizeof(fa_skip));
    return put_copy(to, &made, sizeof made);
}

/* Copy a state, whose lists are dense, or decoded when they are few. */
static state copy_state(block *to, const state *from, size_t words) {
    state made = {.list_count = from->list_count, .count = from->count};
    made.lists = put_copy(to, from->lists, from->list_count * sizeof(held));
    for (uint32_t each = 0; each < from->list_count; each++) {
        const held *list = &from->lists[each];
        held own = *list;
        own.bits = put_copy(to, list->bits, words * 8);
        own.ranks = put_copy(to, list->ranks, words * sizeof(uint32_t));
        own.all = own.ordinals = list->bits != NULL ? NULL : put_copy(to, list->all, list->count * sizeof(uint32_t));
        own.begin = copy_begin(to, list);
        if (from->mask != NULL && from->mask == list->bits) made.mask = own.bits;
        if (made.lists != NULL) ((held *)now_at(to, made.lists))[each] = own;
    }
    if (from->mask != NULL && (from->list_count != 1 || from->mask != from->lists->bits))
        made.mask = put_copy(to, from->mask, words * 8);
    made.rare = put_copy(to, from->rare, words * 8);
    made.most = put_copy(to, from->most, words * 8);
    made.most_of_word = put_copy(to, from->most_of_word, words);
    made.weights = put_copy(to, from->weights, from->count);
    made.exact = put_copy(to, from->exact, from->count * sizeof(double));
    if (made.mask != NULL && from->mask == from->lists->bits)
        made.ranks = ((const held *)now_at(to, made.lists))->ranks;
    else made.ranks = put_copy(to, from->ranks, words * sizeof(uint32_t));
    return made;
}

static fa_facts *copy_leaf(const fa_query *query, uint32_t leaf, const uint8_t *held_in, block *to) {
    uint32_t places = query->program.segment_count;
    fa_facts head = {.places = places};
    const state *states = state_of(query, leaf, 0);
    fa_facts *made = put_copy(to, &head, sizeof head);
    state *own = put_copy(to, states, places * sizeof(state));
    uint8_t *own_held = put_copy(to, held_in, 2 * (size_t)places);
    for (uint32_t place = 0; place < places; place++) {
        state copy = copy_state(to, &states[place], words_of(live_at(query, place)->layers[0]->versions));
        if (own != NULL) ((state *)now_at(to, own))[place] = copy;
    }
    if (made != NULL) *(fa_facts *)now_at(to, made) = (fa_facts){places, own, own_held};
    return made;
}

int facts_are_wanted(const fa_query *query, uint32_t leaf) {
    uint32_t every = ((uint32_t)1 << FA_KINDS) - 1;
    const fa_leaf *asked = &query->program.leaves[leaf];
    uint64_t pairs = 0;
    if (query->is_learned == NULL || !query->is_learned[leaf]) return 0;
    if (asked->kind != FA_WORD || (asked->elements & every) != every || facts_of(query, leaf) != NULL) return 0;
    for (uint32_t place = 0; place < query->program.segment_count; place++) {
        const state *known = state_of(query, leaf, place);
        if (query->complete[place] < live_at(query, place)->layers[0]->versions) return 0;
        for (uint32_t each = 0; each < known->list_count; each++) pairs += known->lists[each].list.count;
    }
    return pairs >= FA_WORTH_IT;
}

/* Find where the positions of a list begin. */
static int find_begin(fa_query *query, held *list) {
    fa_cursor *begin = arena_raw(&query->kept, sizeof(fa_cursor));
    if (begin == NULL) return FA_NO_MEMORY;
    TRY(fa_cursor_begin(begin, &list->list, list->all, &query->fault));
    TRY(skips_find(query, list, begin));
    list->begin = begin;
    return FA_OK;
}

int facts_size(fa_query *query, uint32_t leaf, const uint8_t *held_in, uint64_t *size) {
    block counted = {NULL, NULL, 0};
    *size = 0;
    if (!facts_are_wanted(query, leaf)) return FA_OK;
    for (uint32_t place = 0; place < query->program.segment_count; place++) {
        state *known = state_of(query, leaf, place);
        if (!known->count) continue;
        for (uint32_t each = 0; each < known->list_count; each++) {
            if (known->lists[each].bits == NULL) TRY(held_keep(query, &known->lists[each]));
            TRY(find_begin(query, &known->lists[each]));
        }
        TRY(leaf_most(query, place, leaf));
    }
    copy_leaf(query, leaf, held_in, &counted);
    *size = counted.used;
    return FA_OK;
}

int fa_query_keep(fa_query *query, uint32_t leaf, const fa_answer *answer, void *room, const void *place,
                  uint64_t size) {
    block made = {room, (uint8_t *)(uintptr_t)place, 0};
    if (leaf >= query->program.leaf_count || answer->kept == NULL || answer->kept[leaf] != size || !size)
        return FA_TOO_LARGE;
    copy_leaf(query, leaf, answer->held_in + 2 * (size_t)leaf * query->program.segment_count, &made);
    return FA_OK;
}

int facts_take(fa_query *query, uint32_t leaf, uint32_t place, uint8_t *held_in) {
    const fa_facts *from = facts_of(query, leaf);
    state *made = state_of(query, leaf, place);
    if (from->places != query->program.segment_count) return FA_TOO_LARGE;
    *made = from->states[place];
    memcpy(held_in, from->held_in + 2 * (size_t)place, 2);
    if (!made->list_count) return FA_OK;
    /* lists may be decoded, for this query alone */
    made->lists = arena_raw(&query->kept, made->list_count * sizeof(held));
    if (made->lists == NULL) return FA_NO_MEMORY;
    memcpy(made->lists, from->states[place].lists, made->list_count * sizeof(held));
    return FA_OK;
}
