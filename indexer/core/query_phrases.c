/* Phrases: words one behind the other, or moved by some places. */
#include "query_inside.h"

#define WHERE 256      /* versions of which is told at once where the words stand */
#define FEW_PLACES 128 /* places of a word in a version that are read one and all */

/* ---------------------------------------------------------------- in a row */

/* Places of a word in a version, in numbers that rise: the element in the low bits; the place in the page where words
 * may be moved, else the position at which the phrase would begin. */
static int read_starts(fa_query *query, const held *list, const fa_runs *runs, int is_moved, uint64_t **starts,
                       size_t *count) {
    uint8_t *elements;
    uint32_t *positions, place = is_moved ? 0 : list->place;
    TRY(read_runs(query, runs, &elements, &positions));
    *count = 0;
    *starts = buffer_get(&query->places[2], runs->total * sizeof(uint64_t));
    if (*starts == NULL) return FA_NO_MEMORY;
    for (uint32_t at = 0; at < runs->total; at++) {
        uint64_t start = is_moved ? place_at(elements[at], positions[at]) : positions[at] - place;
        int counts = list->elements >> elements[at] & 1 && positions[at] >= place;
        if (counts) (*starts)[(*count)++] = start << 4 | elements[at];
    }
    return sort_numbers(query, *starts, *count);
}

#define MARK ((uint64_t)1 << 63) /* of a start: that the word at hand is there */

/* Return where an element begins among starts. */
static uint64_t base_of(const fa_run *run, uint32_t slop) { return slop ? place_at(run->element, 0) : 0; }

/* Leave of the starts of first words those from which a word stands at its place, or at most `slop` off. */
static int leave_standing(fa_query *query, const held *list, fa_runs *runs, uint32_t slop, uint64_t *starts,
                          size_t *count) {
    size_t left = 0;
    int is_there;
    fa_run run;
    TRY(next_run(query, list, runs, &run, &is_there));
    while (is_there) {
        uint64_t base = base_of(&run, slop);
        for (size_t at = 0; at < *count; at++) {
            uint64_t start = (starts[at] & ~MARK) >> 4;
            if (start < base) continue;
            uint64_t wanted = start - base + list->place, low = wanted > slop ? wanted - slop : 0;
            if (low >= run.extent) break;
            if (fa_run_from(&run, (uint32_t)low) == FA_NO_POSITION) break;
            if (run.position <= wanted + slop) starts[at] |= MARK;
        }
        TRY(run_status(query, &run));
        TRY(next_run(query, list, runs, &run, &is_there));
    }
    for (size_t at = 0; at < *count; at++)
        if (starts[at] & MARK) starts[left++] = starts[at] & ~MARK;
    *count = left;
    return FA_OK;
}

/* Add where the first word stands at starts; or, where these are places of another word, whose place in the phrase is
 * `place`, at most `slop` off. */
static int add_standing(fa_query *query, const held *first, fa_runs *runs, uint32_t place, uint32_t slop,
                        const uint64_t *starts, size_t start_count, buffer *spots, size_t *count) {
    int is_there;
    fa_run run;
    TRY(next_run(query, first, runs, &run, &is_there));
    while (is_there) {
        uint64_t base = base_of(&run, slop), next = 0; /* next: what lies before was looked at */
        for (size_t at = 0; at < start_count; at++) {
            uint64_t start = starts[at] >> 4;
            if (start < base || start - base + slop < place) continue;
            uint64_t high = start - base + slop - place, wide = 2 * (uint64_t)slop, low = high > wide ? high - wide : 0;
            low = low > next ? low : next;
            if (low >= run.extent) break;
            for (; fa_run_from(&run, (uint32_t)low) != FA_NO_POSITION && run.position <= high; low = next) {
                TRY(add_spot(spots, count, run.element, run.position));
                next = (uint64_t)run.position + 1;
            }
        }
        TRY(run_status(query, &run));
        TRY(next_run(query, first, runs, &run, &is_there));
    }
    return FA_OK;
}

static int add_all(const uint64_t *starts, size_t start_count, buffer *spots, size_t *count) {
    for (size_t at = 0; at < start_count; at++)
        TRY(add_spot(spots, count, starts[at] & 15, (uint32_t)(starts[at] >> 4)));
    return FA_OK;
}

/* Put the words of a phrase in the order of how often they stand in a version, the first of them least often. */
static void least_first(const fa_runs *runs, uint32_t count, uint32_t *turns) {
    for (uint32_t at = 0; at < count; at++) {
        uint32_t to = at;
        for (; to && runs[turns[to - 1]].total > runs[at].total; to--) turns[to] = turns[to - 1];
        turns[to] = at;
    }
}

/* All words stand there few times: they are read, the least frequent first, and marked where the phrase would begin by
 * how many of them fit. No branch for an occurrence: which of them fit cannot be foreseen. Most versions are done with
 * after two words. runs: of the words in their order. */
static int count_words(fa_query *query, const reader *from, const fa_runs *runs, const uint32_t *turns, buffer *spots,
                       size_t *count) {
    const uint32_t words = from->list_count, last = words - 1, firsts = runs[last].total;
    uint32_t begins[FEW_PLACES], begin_count = 0, any = 1;
    uint8_t *marks = query->marks, first_elements[FEW_PLACES], *elements;
    uint32_t first_positions[FEW_PLACES], *positions;
    int status = FA_OK;
    for (uint32_t turn = 0; turn < words && any; turn++) {
        const uint32_t at = turns[turn];
        const held *list = from->lists[from->order[at]];
        if (at == last) { /* it tells in which elements: kept until the others were looked at */
            elements = first_elements;
            positions = first_positions;
            status = fa_runs_positions(&runs[at], elements, positions, &query->fault);
        } else status = read_runs(query, &runs[at], &elements, &positions);
        if (status != FA_OK) break;
        any = turn == 0;
        for (uint32_t one = 0; one < runs[at].total; one++) {
            int counts = positions[one] >= list->place && list->elements >> elements[one] & 1;
            uint32_t begin = counts ? positions[one] - list->place : MARKS; /* behind them: never marked */
            if (turn == 0) {
                begins[begin_count] = begin;
                begin_count += (uint32_t)counts;
            } else {
                uint8_t fits = marks[begin] == turn;
                marks[begin] += fits;
                any |= fits;
            }
        }
        for (uint32_t one = 0; turn == 0 && one < begin_count; one++) marks[begins[one]] = 1;
    }
    if (any && status == FA_OK) {
        const uint32_t in = from->lists[from->order[last]]->elements;
        spot *all = buffer_get(spots, (*count + firsts) * sizeof(spot));
        for (uint32_t one = 0; all != NULL && one < firsts; one++) {
            uint32_t element = first_elements[one], position = first_positions[one];
            all[*count] = (spot){place_at(element, position), element, position};
            *count += marks[position] == words && in >> element & 1;
        }
        if (all == NULL) status = FA_NO_MEMORY;
    }
    for (uint32_t one = 0; one < begin_count; one++) marks[begins[one]] = 0;
    return status;
}

/* The word that stands there least often says where the phrase may begin; the others are only asked whether they stand
 * there, the first word last, since it tells in which elements. */
static int look_for_words(fa_query *query, const reader *from, fa_runs *runs, const uint32_t *turns, buffer *spots,
                          size_t *count) {
    const uint32_t last = from->list_count - 1, begin = turns[0];
    uint64_t *starts;
    size_t left;
    TRY(read_starts(query, from->lists[from->order[begin]], &runs[begin], 0, &starts, &left));
    for (uint32_t turn = 1; turn <= last && left; turn++) {
        const uint32_t at = turns[turn];
        if (at != last) TRY(leave_standing(query, from->lists[from->order[at]], &runs[at], 0, starts, &left));
    }
    if (begin == last) return add_all(starts, left, spots, count);
    const held *first = from->lists[from->order[last]];
    return left ? add_standing(query, first, &runs[last], 0, 0, starts, left, spots, count) : FA_OK;
}

/* where: of the words in their order, each WHERE behind the one before; NULL: not known. */
static int in_a_row(fa_query *query, reader *from, uint32_t version, const fa_where *where, buffer *spots,
                    size_t *count) {
    int are_few = from->list_count > 1 && from->list_count < 255;
    fa_runs *runs = arena_raw(&query->version, from->list_count * sizeof(fa_runs));
    uint32_t *turns = arena_raw(&query->version, from->list_count * sizeof(uint32_t));
    if (runs == NULL || turns == NULL) return FA_NO_MEMORY;
    if (from->lists[from->order[from->list_count - 1]]->place != 0) return FA_OK;
    for (uint32_t at = 0; at < from->list_count; at++) {
        uint32_t each = from->order[at];
        const fa_segment *segment = from->lists[each]->list.segment;
        if (where == NULL) TRY(list_runs(query, from, each, version, &runs[at]));
        else TRY(fa_runs_at(segment, where[at * (size_t)WHERE], version, &runs[at], &query->fault));
        if (!runs[at].total) return FA_OK;
        are_few &= runs[at].total <= FEW_PLACES && runs[at].extent <= MARKS;
    }
    least_first(runs, from->list_count, turns);
    return are_few ? count_words(query, from, runs, turns, spots, count)
                   : look_for_words(query, from, runs, turns, spots, count);
}

/* ---------------------------------------------------------------- moved */

/* Two different words: of the one that stands there more often only what is near the other one is looked at. */
static int two_moved(fa_query *query, const reader *from, fa_runs *runs, buffer *spots, size_t *count) {
    const held *first = from->lists[from->order[1]], *other = from->lists[from->order[0]];
    uint32_t slop = query->program.leaves[from->leaf].slop;
    uint64_t *starts;
    size_t left;
    if (runs[1].total > runs[0].total) {
        TRY(read_starts(query, other, &runs[0], 1, &starts, &left));
        return add_standing(query, first, &runs[1], other->place, slop, starts, left, spots, count);
    }
    TRY(read_starts(query, first, &runs[1], 1, &starts, &left));
    TRY(leave_standing(query, other, &runs[0], slop, starts, &left));
    return add_all(starts, left, spots, count);
}

/* where: as above. */
static int moved_about(fa_query *query, reader *from, uint32_t version, const fa_where *where, buffer *spots,
                       size_t *count) {
    const held *first = from->lists[from->order[from->list_count - 1]];
    fa_runs *runs = arena_raw(&query->version, from->list_count * sizeof(fa_runs));
    if (runs == NULL) return FA_NO_MEMORY;
    for (uint32_t at = 0; at < from->list_count; at++) {
        uint32_t each = from->order[at];
        const held *list = from->lists[each];
        if (at && from->lists[from->order[at - 1]]->list.word == list->list.word) runs[at] = runs[at - 1];
        else if (where == NULL) TRY(list_runs(query, from, each, version, &runs[at]));
        else TRY(fa_runs_at(list->list.segment, where[at * (size_t)WHERE], version, &runs[at], &query->fault));
        if (!runs[at].total) return FA_OK;
    }
    if (from->list_count == 2 && from->lists[from->order[0]]->list.word != first->list.word)
        return two_moved(query, from, runs, spots, count);
    return words_moved(query, from, runs, spots, count);
}

int phrase_spots(fa_query *query, reader *from, uint32_t version, buffer *spots, size_t *count) {
    if (!from->list_count) return FA_OK;
    if (query->program.leaves[from->leaf].slop) return moved_about(query, from, version, NULL, spots, count);
    return in_a_row(query, from, version, NULL, spots, count);
}

/* ---------------------------------------------------------------- all versions */

#define BLOCK 16 /* ordinals of which is counted how many are too small: without a branch for each */

/* The same as gallop, for what is probably some places further on. */
static inline uint32_t seek(const uint32_t *ordinals, uint32_t row, uint32_t count, uint32_t wanted) {
    for (uint32_t blocks = 0; blocks < 4 && count - row >= BLOCK; blocks++, row += BLOCK) {
        uint32_t less = 0;
        if (ordinals[row + BLOCK - 1] < wanted) continue;
        for (uint32_t at = 0; at < BLOCK; at++) less += ordinals[row + at] < wanted;
        return row + less;
    }
    return gallop(ordinals, row, count, wanted);
}

/* Versions that are in all lists of a phrase, rising, and the row of each by the order of the lists. */
typedef struct common {
    uint32_t *versions, **rows, count;
} common;

static int in_all_lists(fa_query *query, const reader *from, common *made) {
    const uint32_t lists = from->list_count;
    uint32_t rarest = 0;
    for (uint32_t at = 1; at < lists; at++)
        if (from->lists[from->order[at]]->list.count < from->lists[from->order[rarest]]->list.count) rarest = at;
    const held *least = from->lists[from->order[rarest]];
    made->count = least->list.count;
    made->versions = arena_raw(&query->shortly, made->count * sizeof(uint32_t));
    made->rows = arena_get(&query->shortly, lists * sizeof(uint32_t *));
    if (made->versions == NULL || made->rows == NULL) return FA_NO_MEMORY;
    for (uint32_t at = 0; at < lists; at++) {
        made->rows[at] = arena_raw(&query->shortly, made->count * sizeof(uint32_t));
        if (made->rows[at] == NULL) return FA_NO_MEMORY;
    }
    memcpy(made->versions, least->all, made->count * sizeof(uint32_t));
    for (uint32_t row = 0; row < made->count; row++) made->rows[rarest][row] = row;
    for (uint32_t each = 0; each < lists && made->count; each++) {
        const held *list = from->lists[from->order[each]];
        uint32_t left = 0, row = 0;
        if (each == rarest) continue;
        for (uint32_t at = 0; at < made->count && row < list->list.count; at++) {
            row = seek(list->all, row, list->list.count, made->versions[at]);
            if (row >= list->list.count || list->all[row] != made->versions[at]) continue;
            made->versions[left] = made->versions[at];
            for (uint32_t before = 0; before < each; before++) made->rows[before][left] = made->rows[before][at];
            if (rarest > each) made->rows[rarest][left] = made->rows[rarest][at];
            made->rows[each][left++] = row;
        }
        made->count = left;
    }
    return FA_OK;
}

/* Tell where the words of a phrase are in some versions that hold all of them, from the version `first` on. */
static int find_words(fa_query *query, reader *from, const common *all, uint32_t first, uint32_t count,
                      fa_where *where) {
    for (uint32_t at = 0; at < from->list_count; at++) {
        uint32_t each = from->order[at];
        if (at && from->lists[from->order[at - 1]]->list.word == from->lists[each]->list.word)
            memcpy(where + at * (size_t)WHERE, where + (at - 1) * (size_t)WHERE, count * sizeof(fa_where));
        else
            TRY(fa_cursor_rows(&from->cursors[each], all->rows[at] + first, count, where + at * (size_t)WHERE,
                               &query->fault));
    }
    return FA_OK;
}

/* Where a phrase stands in the versions found so far: found out once, but no more than there is room for. */
typedef struct keeping {
    uint32_t *spots, *ends;
    size_t count, most; /* most: 0 where none are kept */
} keeping;

static int keep_spots(fa_query *query, keeping *to, uint32_t version_number, size_t count) {
    const spot *stands = query->places[3].data;
    if (to->count + count > to->most) to->most = 0;
    if (!to->most) return FA_OK;
    to->spots = buffer_get(&query->more, (to->count + count) * sizeof(uint32_t));
    if (to->spots == NULL) return FA_NO_MEMORY;
    for (size_t one = 0; one < count; one++) to->spots[to->count++] = stands[one].position << 4 | stands[one].element;
    to->ends[version_number] = (uint32_t)to->count;
    return FA_OK;
}

#define LOOK_AFTER 16 /* versions between two looks at the clock */
#define FEW_OF 8      /* pairs of a list for each version that holds all words, from which on skips pay */

static int match_layer(fa_query *query, uint32_t number, uint32_t place, uint32_t layer) {
    state *made = state_of(query, number, place);
    reader from;
    uint32_t found = 0;
    uint32_t slop = query->program.leaves[number].slop;
    TRY(reader_begin(query, &from, number, place, layer));
    if (!from.list_count) return FA_OK;
    arena_empty(&query->shortly, (size_t)1 << 20);
    uint32_t *counts = NULL;
    common all;
    fa_where *where = arena_raw(&query->shortly, from.list_count * (size_t)WHERE * sizeof(fa_where));
    keeping kept = {NULL, NULL, 0, 0};
    if (has_spans(query, number) && query->kept.held < RETAINED / 2) {
        kept.most = (RETAINED / 2 - query->kept.held) / sizeof(uint32_t);
        kept.ends = arena_raw(&query->shortly, query->longest * sizeof(uint32_t));
        if (kept.ends == NULL) return FA_NO_MEMORY;
    }
    if (where == NULL) return FA_NO_MEMORY;
    TRY(in_all_lists(query, &from, &all));
    const uint32_t count = all.count;
    for (uint32_t each = 0; each < from.list_count; each++) /* else its pairs are gone over one by one */
        if (count < from.lists[each]->list.count / FEW_OF)
            TRY(skips_find(query, from.lists[each], &from.cursors[each]));
    for (uint32_t at = 0; at < count; at++) {
        size_t spots = 0;
        int status = FA_OK;
        arena_empty(&query->version, (size_t)1 << 20);
        if ((slop || at % LOOK_AFTER == 0) && finding_is_over(query)) status = FA_TIME_UP;
        else {
            uint32_t some = count - at < WHERE ? count - at : WHERE;
            if (at % WHERE == 0) TRY(find_words(query, &from, &all, at, some, where));
            status = (slop ? moved_about : in_a_row)(query, &from, all.versions[at], where + at % WHERE, &query->places[3],
                                                     &spots);
        }
        if (status == FA_TIME_UP) {
            if (all.versions[at] < query->complete[place]) query->complete[place] = all.versions[at];
            break;
        }
        TRY(status);
        if (!spots) continue;
        counts = buffer_get(&query->upper, ((size_t)found + 1) * FA_KINDS * sizeof(uint32_t));
        if (counts == NULL) return FA_NO_MEMORY;
        memset(counts + (size_t)found * FA_KINDS, 0, FA_KINDS * sizeof(uint32_t));
        const spot *stands = query->places[3].data;
        for (size_t one = 0; one < spots; one++) counts[(size_t)found * FA_KINDS + stands[one].element]++;
        TRY(keep_spots(query, &kept, found, spots));
        all.versions[found++] = all.versions[at];
    }
    if (!found) return FA_OK;
    if (kept.most) {
        made->spots[layer] = arena_raw(&query->kept, kept.count * sizeof(uint32_t));
        made->spot_ends[layer] = arena_raw(&query->kept, found * sizeof(uint32_t));
        if (made->spots[layer] == NULL || made->spot_ends[layer] == NULL) return FA_NO_MEMORY;
        memcpy(made->spots[layer], kept.spots, kept.count * sizeof(uint32_t));
        memcpy(made->spot_ends[layer], kept.ends, found * sizeof(uint32_t));
    }
    made->ordinals[layer] = arena_raw(&query->kept, found * sizeof(uint32_t));
    made->counts[layer] = arena_raw(&query->kept, (size_t)found * FA_KINDS * sizeof(uint32_t));
    if (made->ordinals[layer] == NULL || made->counts[layer] == NULL) return FA_NO_MEMORY;
    memcpy(made->ordinals[layer], all.versions, found * sizeof(uint32_t));
    memcpy(made->counts[layer], counts, (size_t)found * FA_KINDS * sizeof(uint32_t));
    made->found[layer] = found;
    return FA_OK;
}

int phrase_match(fa_query *query, uint32_t number, uint32_t place) {
    state *made = state_of(query, number, place);
    uint32_t versions = live_at(query, place)->layers[0]->versions;
    uint64_t *mask = arena_get(&query->kept, words_of(versions) * 8);
    if (mask == NULL) return FA_NO_MEMORY;
    for (uint32_t layer = 0; layer < 2; layer++) {
        TRY(match_layer(query, number, place, layer));
        for (uint32_t at = 0; at < made->found[layer]; at++) set_bit(mask, made->ordinals[layer][at]);
    }
    made->mask = mask;
    made->count = (uint32_t)bits_in(mask, words_of(versions));
    return FA_OK;
}
