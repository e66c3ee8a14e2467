/* Where leaves stand in versions: positions, read version by version from all lists of a leaf. */
#include <stdlib.h>

#include "query_inside.h"

#define MANY 16 /* lists from which on it is written down which of them hold a version */

/* Title, description, keywords, address, link texts; everything else is running text. */
const uint8_t section_of[FA_KINDS] = {1, 0, 0, 0, 2, 3, 0, 4, 0, 5};

int add_spot(buffer *spots, size_t *count, uint32_t element, uint32_t position) {
    spot *all = buffer_get(spots, (*count + 1) * sizeof(spot));
    if (all == NULL) return FA_NO_MEMORY;
    all[(*count)++] = (spot){place_at(element, position), element, position};
    return FA_OK;
}

/* Return where the numbers stop to rise that begin at `from`. */
static size_t end_of_run(const uint64_t *numbers, size_t from, size_t count) {
    size_t at = from + 1;
    while (at < count && numbers[at - 1] <= numbers[at]) at++;
    return at < count ? at : count;
}

static void merge_runs(const uint64_t *numbers, size_t from, size_t middle, size_t end, uint64_t *merged) {
    size_t one = from, other = middle;
    for (size_t at = from; at < end; at++) {
        int is_first = other >= end || (one < middle && numbers[one] <= numbers[other]);
        merged[at] = is_first ? numbers[one++] : numbers[other++];
    }
}

#define FEW 24 /* numbers that are put in order one by one */

/* They come list by list and element by element, each in order: runs that rise are merged, two and two. */
int sort_numbers(fa_query *query, uint64_t *numbers, size_t count) {
    size_t run = count ? end_of_run(numbers, 0, count) : 0;
    if (run >= count) return FA_OK;
    if (count <= FEW) {
        for (size_t at = run; at < count; at++) {
            uint64_t moved = numbers[at];
            size_t to = at;
            for (; to && numbers[to - 1] > moved; to--) numbers[to] = numbers[to - 1];
            numbers[to] = moved;
        }
        return FA_OK;
    }
    uint64_t *room = arena_raw(&query->version, count * sizeof(uint64_t)), *from = numbers, *to = room;
    if (room == NULL) return FA_NO_MEMORY;
    while (end_of_run(from, 0, count) < count) {
        for (size_t at = 0, middle, end; at < count; at = end) {
            middle = end_of_run(from, at, count);
            end = middle < count ? end_of_run(from, middle, count) : count;
            merge_runs(from, at, middle, end, to);
        }
        uint64_t *other = from;
        from = to;
        to = other;
    }
    if (from != numbers) memcpy(numbers, from, count * sizeof(uint64_t));
    return FA_OK;
}

int has_spans(const fa_query *query, uint32_t leaf) {
    for (uint32_t number = 0; number < query->program.node_count; number++)
        if (query->program.nodes[number].op == FA_OP_SPANS && query->program.nodes[number].value == leaf) return 1;
    return 0;
}

#define ROWS 256                     /* of a list of which it is told at once where they are */
#define MOST_WHERE ((uint32_t)1 << 18) /* entries of which this is told */

/* Tell where some rows of a list are, each of which has its place. */
static int tell_where(fa_query *query, const held *list, fa_cursor *cursor, const uint32_t *rows,
                      const uint32_t *places, uint32_t count, fa_where *where) {
    fa_where found[ROWS];
    cursor->ordinals = list->all;
    cursor->first = 0;
    TRY(fa_cursor_rows(cursor, rows, count, found, &query->fault));
    for (uint32_t at = 0; at < count; at++) where[places[at]] = found[at];
    return FA_OK;
}

int index_lists(fa_query *query, held *const *lists, uint32_t list_count, uint32_t versions, const uint64_t *candidates,
                fa_cursor *cursors, uint32_t **offsets_made, uint32_t **entries_made, fa_where **where_made) {
    uint32_t rows[ROWS], places[ROWS], waiting = 0;
    fa_where *where = NULL;
    uint32_t *offsets = arena_get(&query->kept, ((size_t)versions + 2) * sizeof(uint32_t)), *entries = NULL;
    uint64_t total = 0;
    if (offsets == NULL) return FA_NO_MEMORY;
    for (int is_second = 0; is_second < 2; is_second++) {
        for (uint32_t each = 0; each < list_count; each++) {
            held *list = lists[each];
            TRY(held_keep(query, list));
            for (uint32_t row = 0; row < list->count; row++) {
                uint32_t version = list->ordinals[row];
                if ((candidates != NULL && !has_bit(candidates, version)) || !speaks(list, version)) continue;
                if (!is_second) {
                    offsets[version + 2]++;
                    total++;
                } else {
                    uint32_t place = offsets[version + 1]++, *entry = entries + 2 * (size_t)place;
                    entry[0] = each;
                    entry[1] = cursors == NULL || list->rows == NULL ? row : list->rows[row];
                    if (where == NULL) continue;
                    rows[waiting] = entry[1];
                    places[waiting++] = place;
                    if (waiting < ROWS) continue;
                    TRY(tell_where(query, list, &cursors[each], rows, places, waiting, where));
                    waiting = 0;
                }
            }
            if (waiting) TRY(tell_where(query, list, &cursors[each], rows, places, waiting, where));
            waiting = 0;
        }
        if (is_second) break;
        if (total > UINT32_MAX) return FA_TOO_LARGE;
        for (uint32_t version = 0, before = 0; version < versions; version++)
            offsets[version + 2] = before += offsets[version + 2];
        entries = arena_raw(&query->kept, total * 2 * sizeof(uint32_t));
        if (cursors != NULL && total <= MOST_WHERE) where = arena_raw(&query->kept, total * sizeof(fa_where));
        if (entries == NULL || (where == NULL && cursors != NULL && total <= MOST_WHERE)) return FA_NO_MEMORY;
    }
    if (cursors != NULL) *where_made = where;
    *offsets_made = offsets;
    *entries_made = entries;
    return FA_OK;
}

/* To go over the pairs of all lists, twice, and write down where they are takes as long as to look for so many versions
 * in each of them, most of which it does not hold. */
#define LOOKS 16

static int is_worth_an_index(const reader *made, const uint64_t *candidates, uint64_t asked) {
    uint64_t pairs = 0;
    if (candidates == NULL || made->list_count < 2) return made->list_count > MANY;
    for (uint32_t each = 0; each < made->list_count; each++) pairs += made->lists[each]->count;
    return asked * made->list_count > LOOKS * pairs;
}

/* The rarest word first, its copies side by side in the order of their places; the first word of the phrase last. */
static int is_before(const held *list, const held *other) {
    if (list->place == 0 || other->place == 0) return list->place != 0;
    if (list->list.count != other->list.count) return list->list.count < other->list.count;
    if (list->list.word != other->list.word) return list->list.word < other->list.word;
    return list->place < other->place;
}

static void order_phrase(reader *made) {
    for (uint32_t at = 0; at < made->list_count; at++) {
        uint32_t to = at;
        const held *list = made->lists[at];
        for (; to; to--) {
            const held *other = made->lists[made->order[to - 1]];
            if (!is_before(list, other)) break;
            made->order[to] = made->order[to - 1];
        }
        made->order[to] = at;
    }
}

/* Choose the lists of a leaf in one layer; no cursor is begun yet. */
static int choose_lists(fa_query *query, reader *made, uint32_t leaf, uint32_t place, uint32_t layer) {
    state *known = state_of(query, leaf, place);
    uint32_t count = known->list_count;
    memset(made, 0, sizeof *made);
    made->leaf = leaf;
    made->rare = known->rare;
    if (!count) return FA_OK;
    made->lists = arena_get(&query->kept, count * sizeof(held *));
    made->cursors = arena_raw(&query->kept, count * sizeof(fa_cursor));
    made->begins = arena_raw(&query->kept, count * sizeof(fa_cursor));
    made->rows = arena_get(&query->kept, count * sizeof(uint32_t));
    made->order = arena_get(&query->kept, count * sizeof(uint32_t));
    if (made->lists == NULL || made->cursors == NULL || made->begins == NULL || made->rows == NULL || made->order == NULL)
        return FA_NO_MEMORY;
    for (uint32_t each = 0; each < count; each++) {
        if (known->lists[each].layer != layer) continue;
        made->cursors[made->list_count].list = made->begins[made->list_count].list = NULL;
        made->lists[made->list_count++] = &known->lists[each];
    }
    return FA_OK;
}

/* Put a cursor at the first pair of a list. */
static int begin_list(fa_query *query, held *list, fa_cursor *cursor) {
    if (list->bits == NULL) TRY(held_keep(query, list));
    if (list->begin == NULL) return fa_cursor_begin(cursor, &list->list, list->all, &query->fault);
    *cursor = *list->begin;
    cursor->list = &list->list;
    cursor->ordinals = list->all;
    return FA_OK;
}

/* Begin a list that is read for the first time, or begin it anew. */
static int begin_anew(fa_query *query, reader *from, uint32_t each) {
    fa_cursor *begin = &from->begins[each];
    if (begin->list == NULL) {
        TRY(begin_list(query, from->lists[each], begin));
        TRY(skips_find(query, from->lists[each], begin));
    }
    from->cursors[each] = *begin;
    return FA_OK;
}

int reader_choose(fa_query *query, reader *made, uint32_t leaf, uint32_t place, uint32_t layer) {
    TRY(choose_lists(query, made, leaf, place, layer));
    if (query->program.leaves[leaf].kind == FA_PHRASE) order_phrase(made);
    return FA_OK;
}

int reader_begin_list(fa_query *query, reader *from, uint32_t each) {
    return begin_list(query, from->lists[each], &from->cursors[each]);
}

int reader_begin(fa_query *query, reader *made, uint32_t leaf, uint32_t place, uint32_t layer) {
    TRY(reader_choose(query, made, leaf, place, layer));
    for (uint32_t each = 0; each < made->list_count; each++) TRY(reader_begin_list(query, made, each));
    made->are_begun = 1;
    return FA_OK;
}

int reader_open(fa_query *query, reader *made, uint32_t leaf, uint32_t place, uint32_t layer,
                const uint64_t *candidates) {
    size_t words = words_of(live_at(query, place)->layers[0]->versions);
    uint64_t asked = candidates == NULL ? 0 : bits_in(candidates, words);
    return reader_open_for(query, made, leaf, place, layer, candidates, asked);
}

/* Put the lists first that have a mask: in most versions none of the others stands. */
static void put_dense_first(reader *made) {
    for (uint32_t each = 0; each < made->list_count; each++) {
        held *list = made->lists[each];
        if (list->bits == NULL) continue;
        made->lists[each] = made->lists[made->dense];
        made->lists[made->dense++] = list;
    }
}

int reader_open_for(fa_query *query, reader *made, uint32_t leaf, uint32_t place, uint32_t layer,
                    const uint64_t *candidates, uint64_t asked) {
    TRY(choose_lists(query, made, leaf, place, layer));
    if (!made->list_count) return FA_OK;
    int is_phrase = query->program.leaves[leaf].kind == FA_PHRASE;
    if (!is_phrase && !is_worth_an_index(made, candidates, asked)) {
        put_dense_first(made); /* most words have many forms, few of which stand in these versions: begun when needed */
        return FA_OK;
    }
    for (uint32_t each = 0; each < made->list_count; each++) TRY(begin_anew(query, made, each));
    made->are_begun = 1;
    if (is_phrase) order_phrase(made);
    else
        TRY(index_lists(query, made->lists, made->list_count, live_at(query, place)->layers[0]->versions, candidates,
                        made->cursors, &made->offsets, &made->entries, &made->where));
    return FA_OK;
}

void reader_again(reader *from) {
    if (!from->list_count) return;
    if (from->are_begun) memcpy(from->cursors, from->begins, from->list_count * sizeof(fa_cursor));
    memset(from->rows, 0, from->list_count * sizeof(uint32_t));
}

#define WINDOW 32

/* Give a cursor the ordinals that it needs to go to the row of a version: of a dense list these are the versions in its
 * mask before this one. */
static int see_ordinals(fa_query *query, held *list, fa_cursor *cursor, uint32_t row, uint32_t version,
                        uint32_t window[WINDOW]) {
    uint32_t first = fa_cursor_needs(cursor, row), left = row - first + 1;
    if (list->all == NULL && left > WINDOW) TRY(held_keep(query, list));
    if (list->all != NULL) {
        cursor->ordinals = list->all;
        cursor->first = 0;
        return FA_OK;
    }
    size_t word = version >> 6;
    uint64_t bits = list->bits[word] & ~(uint64_t)0 >> (63 - (version & 63));
    while (left) {
        while (!bits) bits = list->bits[--word];
        uint32_t last = 63u - (uint32_t)__builtin_clzll(bits);
        window[--left] = (uint32_t)(word * 64) + last;
        bits &= ~((uint64_t)1 << last);
    }
    cursor->ordinals = window;
    cursor->first = first;
    return FA_OK;
}

static int row_runs(fa_query *query, reader *from, uint32_t each, uint32_t row, uint32_t version, fa_runs *runs) {
    uint32_t shape, window[WINDOW];
    fa_cursor *cursor = &from->cursors[each];
    if (cursor->list == NULL || row < cursor->row) TRY(begin_anew(query, from, each));
    TRY(see_ordinals(query, from->lists[each], cursor, row, version, window));
    TRY(fa_cursor_to(cursor, row, &shape, &query->fault));
    return fa_cursor_runs(cursor, shape, runs, &query->fault);
}

int entry_runs(fa_query *query, reader *from, uint32_t entry, uint32_t version, fa_runs *runs) {
    const uint32_t *of = from->entries + 2 * (size_t)entry;
    if (from->where == NULL) return row_runs(query, from, of[0], of[1], version, runs);
    return fa_runs_at(from->lists[of[0]]->list.segment, from->where[entry], version, runs, &query->fault);
}

/* Find the row of a list in which a version stands; *is_there: also whether it counts in the version's language. */
static int list_row(fa_query *query, reader *from, uint32_t each, uint32_t version, uint32_t *row, int *is_there) {
    held *list = from->lists[each];
    if (list->counting != NULL) TRY(held_keep(query, list)); /* else only the place among those that count is known */
    TRY(held_row(query, list, version, &from->rows[each], is_there));
    *is_there = *is_there && speaks(list, version);
    *row = list->rows == NULL || !*is_there ? from->rows[each] : list->rows[from->rows[each]];
    return FA_OK;
}

/* Tell whether a list holds a version, as soon as that is seen. */
static inline int may_hold(const held *list, uint32_t row, uint32_t version) {
    if (list->bits != NULL) return has_bit(list->bits, version);
    return list->ordinals == NULL || (row < list->count && list->ordinals[row] <= version) || row == list->count;
}

int list_runs(fa_query *query, reader *from, uint32_t each, uint32_t version, fa_runs *runs) {
    uint32_t row;
    int is_there;
    runs->total = runs->elements = 0;
    if (!may_hold(from->lists[each], from->rows[each], version)) return FA_OK;
    TRY(list_row(query, from, each, version, &row, &is_there));
    return is_there ? row_runs(query, from, each, row, version, runs) : FA_OK;
}

int read_runs(fa_query *query, const fa_runs *runs, uint8_t **elements, uint32_t **positions) {
    *elements = buffer_get(&query->places[0], runs->total);
    *positions = buffer_get(&query->places[1], runs->total * sizeof(uint32_t));
    if (*elements == NULL || *positions == NULL) return FA_NO_MEMORY;
    return runs->total ? fa_runs_positions(runs, *elements, *positions, &query->fault) : FA_OK;
}

static int add_occurrences(const held *list, const uint8_t *elements, const uint32_t *positions, uint32_t total,
                           buffer *spots, size_t *count) {
    spot *all = buffer_get(spots, (*count + total) * sizeof(spot));
    if (all == NULL) return FA_NO_MEMORY;
    for (uint32_t at = 0; at < total; at++)
        if (list->elements >> elements[at] & 1)
            all[(*count)++] = (spot){place_at(elements[at], positions[at]), elements[at], positions[at]};
    return FA_OK;
}

/* Append what a list, or an entry, has in some runs. */
static int add_runs(fa_query *query, const held *list, const fa_runs *runs, buffer *spots, size_t *count) {
    uint8_t *elements;
    uint32_t *positions;
    if (!runs->total) return FA_OK;
    TRY(read_runs(query, runs, &elements, &positions));
    return add_occurrences(list, elements, positions, runs->total, spots, count);
}

int reader_spots(fa_query *query, reader *from, uint32_t version, buffer *spots, size_t *count) {
    fa_runs runs;
    if (query->program.leaves[from->leaf].kind == FA_PHRASE) return phrase_spots(query, from, version, spots, count);
    if (from->offsets == NULL) {
        int is_rare = from->rare == NULL || has_bit(from->rare, version);
        uint32_t lists = is_rare ? from->list_count : from->dense;
        for (uint32_t each = 0; each < lists; each++) {
            if (each < from->dense && !has_bit(from->lists[each]->bits, version)) continue;
            TRY(list_runs(query, from, each, version, &runs));
            TRY(add_runs(query, from->lists[each], &runs, spots, count));
        }
        return FA_OK;
    }
    for (uint32_t at = from->offsets[version]; at < from->offsets[version + 1]; at++) {
        TRY(entry_runs(query, from, at, version, &runs));
        TRY(add_runs(query, from->lists[from->entries[2 * (size_t)at]], &runs, spots, count));
    }
    return FA_OK;
}
