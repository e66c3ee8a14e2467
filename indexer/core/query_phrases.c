/* Phrases: words one behind the other, or moved by some places. */
#include "query_inside.h"

#define WHERE 256      /* versions of which is told at once where the words stand */
#define FEW_PLACES 128 /* places of the rarest word in a version that are read one and all ... */
#define MOST_READ 24   /* ... and of the others: of a word that stands there more often only what is near these is read */

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
    }
    least_first(runs, from->list_count, turns);
    return look_for_words(query, from, runs, turns, spots, count);
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

/* Tell whether a phrase is two different words. */
static int are_two_different(const reader *from) {
    return from->list_count == 2 && from->lists[from->order[0]]->list.word != from->lists[from->order[1]]->list.word;
}

/* where: as above. */
static int moved_about(fa_query *query, reader *from, uint32_t version, const fa_where *where, buffer *spots,
                       size_t *count) {
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
    if (are_two_different(from)) return two_moved(query, from, runs, spots, count);
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

/* The versions that are in the lists of a phrase that were looked at, rising, and the row of each in these, by the order
 * of the lists. */
typedef struct common {
    uint32_t *versions, **rows, count;
} common;

static int begin_common(fa_query *query, const reader *from, uint32_t at, common *made) {
    const held *list = from->lists[from->order[at]];
    made->count = list->list.count;
    made->versions = arena_raw(&query->shortly, made->count * sizeof(uint32_t));
    made->rows = arena_get(&query->shortly, from->list_count * sizeof(uint32_t *));
    if (made->versions == NULL || made->rows == NULL) return FA_NO_MEMORY;
    made->rows[at] = arena_raw(&query->shortly, made->count * sizeof(uint32_t));
    if (made->rows[at] == NULL) return FA_NO_MEMORY;
    memcpy(made->versions, list->all, made->count * sizeof(uint32_t));
    for (uint32_t row = 0; row < made->count; row++) made->rows[at][row] = row;
    return FA_OK;
}

/* Leave of the versions those that are in another list. */
static int leave_common(fa_query *query, const reader *from, uint32_t at, common *made) {
    const held *list = from->lists[from->order[at]];
    uint32_t left = 0, row = 0, *rows = arena_raw(&query->shortly, made->count * sizeof(uint32_t));
    if (rows == NULL) return FA_NO_MEMORY;
    for (uint32_t one = 0; one < made->count && row < list->list.count; one++) {
        row = seek(list->all, row, list->list.count, made->versions[one]);
        if (row >= list->list.count || list->all[row] != made->versions[one]) continue;
        made->versions[left] = made->versions[one];
        for (uint32_t before = 0; before < from->list_count; before++)
            if (made->rows[before] != NULL) made->rows[before][left] = made->rows[before][one];
        rows[left++] = row;
    }
    made->rows[at] = rows;
    made->count = left;
    return FA_OK;
}

static uint32_t pairs_of(const reader *from, uint32_t at) { return from->lists[from->order[at]]->list.count; }

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

static int keep_spots(fa_query *query, keeping *to, uint32_t version_number, const uint32_t *stands, size_t count) {
    if (to->count + count > to->most) to->most = 0;
    if (!to->most) return FA_OK;
    to->spots = buffer_get(&query->more, (to->count + count) * sizeof(uint32_t));
    if (to->spots == NULL) return FA_NO_MEMORY;
    memcpy(to->spots + to->count, stands, count * sizeof(uint32_t));
    to->count += count;
    to->ends[version_number] = (uint32_t)to->count;
    return FA_OK;
}

/* Versions that are looked at together, and where the phrase may begin in them. */
typedef struct together {
    const common *all;
    uint32_t first;              /* of `all` */
    uint32_t left[WHERE], count; /* those that are left, counted from there */
    uint8_t is_long[WHERE];      /* of each from there on: whether a word stands there too often to be read */
    fa_where *where;             /* of the words in their order, each WHERE behind the one before */
    uint32_t *begins, *others;   /* of those left: position << 4 and, once the first word was looked at, its element; where
                                  * words may be moved, the section << SECTION_SHIFT, too */
    uint32_t ends[WHERE];        /* ... and where those of each end */
    uint32_t *places, *spare;    /* of the word at hand: see fa_read_places */
    uint32_t place_ends[WHERE];
} together;

#define ROOM ((size_t)WHERE * FEW_PLACES + FA_PLACES_MORE)

static int begin_together(fa_query *query, const reader *from, const common *all, together *made) {
    made->all = all;
    made->where = arena_raw(&query->shortly, from->list_count * (size_t)WHERE * sizeof(fa_where));
    made->begins = arena_raw(&query->shortly, ROOM * sizeof(uint32_t));
    made->others = arena_raw(&query->shortly, ROOM * sizeof(uint32_t));
    made->places = arena_raw(&query->shortly, ROOM * sizeof(uint32_t));
    made->spare = arena_raw(&query->shortly, 2 * FEW_PLACES * sizeof(uint32_t));
    return made->where == NULL || made->begins == NULL || made->others == NULL || made->places == NULL ||
                   made->spare == NULL
               ? FA_NO_MEMORY
               : FA_OK;
}

#define SECTION_SHIFT 29 /* positions of different sections are further from each other than words are moved */

/* Write those places of the first of two words from `low` behind which, or up to `wide` more, the second stands somewhere;
 * return how many they are. Behind the others there are EIGHT more numbers. */
static uint32_t firsts_near(const uint32_t *firsts, uint32_t count, const uint32_t *others, uint32_t other_count,
                            uint32_t low, uint32_t wide, uint32_t *written) {
    uint32_t found = 0;
    for (uint32_t one = 0; one < count; one++) {
        written[found] = firsts[one];
        found += any_within(others, other_count, (firsts[one] & ~(uint32_t)15) + low, wide, UINT32_MAX);
    }
    return found;
}

#define AT_ONCE 64 /* comparisons that are made one by one */

/* Write those numbers of which one of the others, `up` more, differs in the low bits only; return how many they are. Which
 * are cannot be foreseen: no branch for any of them. */
static inline uint32_t shared(uint8_t *marks, const uint32_t *numbers, uint32_t count, const uint32_t *others,
                              uint32_t other_count, uint32_t up, uint32_t *written) {
    uint32_t found = 0;
    if ((uint64_t)count * other_count <= AT_ONCE) {
        for (uint32_t one = 0; one < count; one++) {
            uint32_t wanted = numbers[one] + up, fits = 0;
            for (uint32_t other = 0; other < other_count; other++) fits |= (wanted ^ others[other]) < 16;
            written[found] = numbers[one];
            found += fits;
        }
        return found;
    }
    for (uint32_t other = 0; other < other_count; other++) marks[others[other] >> 4] = 1;
    for (uint32_t one = 0; one < count; one++) {
        uint32_t at = (numbers[one] + up) >> 4;
        written[found] = numbers[one];
        found += marks[at < MARKS ? at : MARKS];
    }
    for (uint32_t other = 0; other < other_count; other++) marks[others[other] >> 4] = 0;
    return found;
}

/* Find the rows of a word in the versions that are left, and leave those that have one. */
static int find_rows(fa_query *query, reader *from, uint32_t at, together *in, uint32_t *rows, uint32_t *versions) {
    const common *all = in->all;
    const uint32_t each = from->order[at];
    const held *list = from->lists[each];
    uint32_t left = 0, start = 0, kept = 0;
    if (all->rows[at] != NULL) {
        for (uint32_t one = 0; one < in->count; one++) {
            versions[one] = all->versions[in->first + in->left[one]];
            rows[one] = all->rows[at][in->first + in->left[one]];
        }
        return FA_OK;
    }
    if (from->cursors[each].list == NULL) TRY(reader_begin_list(query, from, each));
    for (uint32_t one = 0; one < in->count; one++) {
        const uint32_t version = all->versions[in->first + in->left[one]], end = in->ends[one];
        uint32_t row = from->rows[each] = seek(list->all, from->rows[each], list->list.count, version);
        if (row < list->list.count && list->all[row] == version) {
            versions[left] = version;
            rows[left] = row;
            in->left[left] = in->left[one];
            while (start < end) in->begins[kept++] = in->begins[start++];
            in->ends[left++] = kept;
        }
        start = end;
    }
    in->count = left;
    return FA_OK;
}

/* The same as `shared` for a word that stands in a version often: only what is near the places where the phrase may begin is
 * read. begins: of the phrase in the version, rising or not; a place may be there twice. */
static int shared_with_run(fa_query *query, const held *list, fa_where where, uint32_t version, const uint32_t *begins,
                           uint32_t count, uint32_t *written, uint32_t *written_count) {
    const uint32_t place = list->place < MARKS ? list->place : MARKS;
    uint8_t fits[FEW_PLACES] = {0};
    uint32_t found = 0;
    int is_there;
    fa_runs runs;
    fa_run run;
    TRY(fa_runs_at(list->list.segment, where, version, &runs, &query->fault));
    TRY(next_run(query, list, &runs, &run, &is_there));
    while (is_there) {
        const fa_run begin = run;
        const uint32_t before = found;
        uint32_t last = 0;
        for (uint32_t at = 0; at < count; at++) {
            const uint32_t wanted = (begins[at] >> 4) + place;
            if (wanted < last) run = begin;
            last = wanted;
            if (wanted >= run.extent || fa_run_from(&run, wanted) != wanted) {
                TRY(run_status(query, &run));
                continue;
            }
            fits[at] = 1;
            if (place) continue;
            /* what stands in a run once is found once */
            uint32_t same = before;
            while (same < found && written[same] >> 4 != wanted) same++;
            written[same] = wanted << 4 | run.element;
            found += same == found;
        }
        TRY(next_run(query, list, &runs, &run, &is_there));
    }
    for (uint32_t at = 0; place && at < count; at++) {
        written[found] = begins[at];
        found += fits[at];
    }
    *written_count = found;
    return FA_OK;
}

/* Leave of the versions, and of the places where the phrase may begin in each, those where a word stands. */
static int leave_with_word(fa_query *query, reader *from, uint32_t at, int is_first_turn, together *in) {
    const held *list = from->lists[from->order[at]];
    const fa_segment *segment = list->list.segment;
    const uint32_t place = list->place < MARKS ? list->place : MARKS, up = place << 4; /* no version here is as long */
    const uint32_t slop = query->program.leaves[from->leaf].slop; /* of two words only: that of `order[0]` is the second */
    const uint32_t low = (from->lists[from->order[0]]->place - slop) << 4, wide = slop << 5 | 15;
    uint32_t rows[WHERE], versions[WHERE], left = 0, kept = 0;
    fa_where found[WHERE];
    TRY(find_rows(query, from, at, in, rows, versions));
    if (!in->count) return FA_OK;
    TRY(fa_cursor_rows(&from->cursors[from->order[at]], rows, in->count, found, &query->fault));
    for (uint32_t one = 0; one < in->count; one++) in->where[at * (size_t)WHERE + in->left[one]] = found[one];
    const uint32_t most = is_first_turn ? FEW_PLACES : MOST_READ;
    fa_places form = {list->elements, 4, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}};
    for (uint32_t element = 0; slop && element < FA_KINDS; element++)
        form.codes[element] |= (uint32_t)section_of[element] << SECTION_SHIFT;
    TRY(fa_read_places(segment, found, versions, in->count, &form, most, in->places, in->place_ends, in->spare,
                       &query->fault));
    for (uint32_t one = 0, start = 0, place_start = 0; one < in->count; one++) {
        const uint32_t slot = in->left[one], end = in->ends[one], place_end = in->place_ends[one];
        const uint32_t *places = in->places + place_start;
        uint32_t places_here = place_end - place_start, *written = in->others + kept, some = 0;
        const int is_read = segment->shape_facts[found[one].shape].total <= most;
        if (is_first_turn || slop) in->is_long[slot] |= !is_read || segment->bits[versions[one]] > MARK_BITS;
        if (in->is_long[slot]) some = 0; /* it is looked at for itself */
        else if (slop && is_first_turn) memcpy(written, places, (some = places_here) * sizeof(uint32_t));
        else if (slop && place)
            some = firsts_near(in->begins + start, end - start, places, places_here, low, wide, written);
        else if (slop) some = firsts_near(places, places_here, in->begins + start, end - start, low, wide, written);
        else if (!is_read)
            TRY(shared_with_run(query, list, found[one], versions[one], in->begins + start, end - start, written, &some));
        else if (is_first_turn)
            for (uint32_t other = 0; other < places_here; other++) {
                written[some] = place ? (places[other] & ~(uint32_t)15) - up : places[other];
                some += places[other] >= up;
            }
        else if (place) some = shared(query->marks, in->begins + start, end - start, places, places_here, up, written);
        else some = shared(query->marks, places, places_here, in->begins + start, end - start, 0, written);
        kept += some;
        in->left[left] = slot;
        in->ends[left] = kept;
        left += some || in->is_long[slot];
        start = end;
        place_start = place_end;
    }
    uint32_t *before = in->begins;
    in->begins = in->others;
    in->others = before;
    in->count = left;
    return FA_OK;
}

/* What was found of a phrase in a layer of a segment. */
typedef struct matched {
    state *into;
    uint32_t layer, found;
    uint32_t *versions, *counts;
    keeping kept;
} matched;

/* Write down where a phrase stands in a version: position << 4 | element each. */
static int add_found(fa_query *query, matched *to, uint32_t version, const uint32_t *stands, size_t count) {
    uint32_t *counts = buffer_get(&query->upper, ((size_t)to->found + 1) * FA_KINDS * sizeof(uint32_t));
    if (counts == NULL) return FA_NO_MEMORY;
    to->counts = counts;
    counts += (size_t)to->found * FA_KINDS;
    memset(counts, 0, FA_KINDS * sizeof(uint32_t));
    for (size_t one = 0; one < count; one++) counts[stands[one] & 15]++;
    TRY(keep_spots(query, &to->kept, to->found, stands, count));
    to->versions[to->found++] = version;
    return FA_OK;
}

/* The same of the spots of a version that was looked at for itself. */
static int add_found_spots(fa_query *query, matched *to, uint32_t version, size_t count) {
    const spot *stands = query->places[3].data;
    uint32_t *places = arena_raw(&query->version, count * sizeof(uint32_t));
    if (places == NULL) return FA_NO_MEMORY;
    for (size_t one = 0; one < count; one++) places[one] = stands[one].position << 4 | stands[one].element;
    return add_found(query, to, version, places, count);
}

/* Say from which version on nothing is known, when time is up. */
static void stop_at(fa_query *query, uint32_t place, uint32_t version) {
    if (version < query->complete[place]) query->complete[place] = version;
}

#define FEW_OF 8      /* pairs of a list for each version asked for, from which on skips pay */
#define LIST_OF 16    /* pairs of a list that are decoded in the time that a version takes */

/* Tell whether the words of a phrase are in a row, or two of which one may be moved: they are looked for in the same way. */
static int is_like_row(const fa_query *query, const reader *from) {
    const uint32_t slop = query->program.leaves[from->leaf].slop;
    if (!slop) return 1;
    const held *second = from->lists[from->order[0]], *first = from->lists[from->order[from->list_count - 1]];
    return are_two_different(from) && !first->place && second->place && second->place < MARKS && slop < MARKS;
}

/* The words in a row: word by word in some versions at once, the rarest ones first. Most versions are done with after two
 * words: the lists of others are not decoded before a version is left in which they are needed, but those that are so
 * short that this is soon done. */
static int match_row(fa_query *query, reader *from, uint32_t place, matched *to) {
    const uint32_t lists = from->list_count, slop = query->program.leaves[from->leaf].slop;
    uint32_t *turns = arena_raw(&query->shortly, lists * sizeof(uint32_t));
    common all;
    together in = {.first = 0};
    if (turns == NULL) return FA_NO_MEMORY;
    if (from->lists[from->order[lists - 1]]->place != 0) return FA_OK;
    for (uint32_t at = 0; at < lists; at++) {
        uint32_t turn = at;
        for (; turn && pairs_of(from, turns[turn - 1]) > pairs_of(from, at); turn--) turns[turn] = turns[turn - 1];
        turns[turn] = at;
    }
    for (uint32_t turn = 0; turn < lists; turn++) {
        if (turn > 1 && pairs_of(from, turns[turn]) / LIST_OF > all.count) break;
        TRY(reader_begin_list(query, from, from->order[turns[turn]]));
        TRY(turn ? leave_common(query, from, turns[turn], &all) : begin_common(query, from, turns[0], &all));
        if (!all.count) return FA_OK;
    }
    for (uint32_t at = 0; at < lists; at++) /* else its pairs are gone over one by one */
        if (all.rows[at] != NULL && all.count < pairs_of(from, at) / FEW_OF)
            TRY(skips_find(query, from->lists[from->order[at]], &from->cursors[from->order[at]]));
    TRY(begin_together(query, from, &all, &in));
    to->versions = all.versions;
    for (uint32_t some; in.first < all.count; in.first += some) {
        if (finding_is_over(query)) {
            stop_at(query, place, all.versions[in.first]);
            return FA_OK;
        }
        some = in.count = all.count - in.first < WHERE ? all.count - in.first : WHERE;
        for (uint32_t one = 0; one < some; one++) in.left[one] = one;
        memset(in.ends, 0, sizeof in.ends);
        memset(in.is_long, 0, sizeof in.is_long);
        for (uint32_t turn = 0; turn < lists && in.count; turn++)
            TRY(leave_with_word(query, from, turns[turn], !turn, &in));
        for (uint32_t one = 0, start = 0; one < in.count; start = in.ends[one++]) {
            const uint32_t version = all.versions[in.first + in.left[one]];
            size_t spots = 0;
            if (!in.is_long[in.left[one]]) {
                for (uint32_t begin = start; slop && begin < in.ends[one]; begin++)
                    in.begins[begin] &= ((uint32_t)1 << SECTION_SHIFT) - 1;
                TRY(add_found(query, to, version, in.begins + start, in.ends[one] - start));
                continue;
            }
            arena_empty(&query->version, (size_t)1 << 20);
            if (finding_is_over(query)) {
                stop_at(query, place, version);
                return FA_OK;
            }
            TRY((slop ? moved_about : in_a_row)(query, from, version, in.where + in.left[one], &query->places[3],
                                                &spots));
            if (spots) TRY(add_found_spots(query, to, version, spots));
        }
    }
    return FA_OK;
}

/* Other words that may be moved. */
static int match_moved(fa_query *query, reader *from, uint32_t place, matched *to) {
    const uint32_t lists = from->list_count;
    fa_where *where = arena_raw(&query->shortly, lists * (size_t)WHERE * sizeof(fa_where));
    uint32_t rarest = 0;
    common all;
    if (where == NULL) return FA_NO_MEMORY;
    for (uint32_t at = 0; at < lists; at++) {
        TRY(reader_begin_list(query, from, from->order[at]));
        if (pairs_of(from, at) < pairs_of(from, rarest)) rarest = at;
    }
    TRY(begin_common(query, from, rarest, &all));
    for (uint32_t at = 0; at < lists && all.count; at++)
        if (at != rarest) TRY(leave_common(query, from, at, &all));
    for (uint32_t at = 0; at < lists; at++)
        if (all.count < pairs_of(from, at) / FEW_OF)
            TRY(skips_find(query, from->lists[from->order[at]], &from->cursors[from->order[at]]));
    to->versions = all.versions;
    for (uint32_t at = 0; at < all.count; at++) {
        const uint32_t version = all.versions[at];
        size_t spots = 0;
        arena_empty(&query->version, (size_t)1 << 20);
        if (at % WHERE == 0) TRY(find_words(query, from, &all, at, all.count - at < WHERE ? all.count - at : WHERE, where));
        int status = finding_is_over(query) ? FA_TIME_UP
                                            : moved_about(query, from, version, where + at % WHERE, &query->places[3], &spots);
        if (status == FA_TIME_UP) {
            stop_at(query, place, version);
            return FA_OK;
        }
        TRY(status);
        if (spots) TRY(add_found_spots(query, to, version, spots));
    }
    return FA_OK;
}

static int match_layer(fa_query *query, uint32_t number, uint32_t place, uint32_t layer) {
    state *made = state_of(query, number, place);
    reader from;
    matched to = {.found = 0};
    TRY(reader_choose(query, &from, number, place, layer));
    if (!from.list_count) return FA_OK;
    arena_empty(&query->shortly, (size_t)1 << 20);
    if (has_spans(query, number) && query->kept.held < RETAINED / 2) {
        to.kept.most = (RETAINED / 2 - query->kept.held) / sizeof(uint32_t);
        to.kept.ends = arena_raw(&query->shortly, query->longest * sizeof(uint32_t));
        if (to.kept.ends == NULL) return FA_NO_MEMORY;
    }
    TRY((is_like_row(query, &from) ? match_row : match_moved)(query, &from, place, &to));
    const uint32_t found = to.found;
    if (!found) return FA_OK;
    if (to.kept.most) {
        made->spots[layer] = arena_raw(&query->kept, to.kept.count * sizeof(uint32_t));
        made->spot_ends[layer] = arena_raw(&query->kept, found * sizeof(uint32_t));
        if (made->spots[layer] == NULL || made->spot_ends[layer] == NULL) return FA_NO_MEMORY;
        memcpy(made->spots[layer], to.kept.spots, to.kept.count * sizeof(uint32_t));
        memcpy(made->spot_ends[layer], to.kept.ends, found * sizeof(uint32_t));
    }
    made->ordinals[layer] = arena_raw(&query->kept, found * sizeof(uint32_t));
    made->counts[layer] = arena_raw(&query->kept, (size_t)found * FA_KINDS * sizeof(uint32_t));
    if (made->ordinals[layer] == NULL || made->counts[layer] == NULL) return FA_NO_MEMORY;
    memcpy(made->ordinals[layer], to.versions, found * sizeof(uint32_t));
    memcpy(made->counts[layer], to.counts, (size_t)found * FA_KINDS * sizeof(uint32_t));
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
