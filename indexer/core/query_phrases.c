/* Phrases: words one behind the other, or moved by some places. */
#include "query_inside.h"

#define WHERE 256      /* versions of which is told at once where the words stand */
#define FEW_PLACES 128 /* places of a word in a version that are read one and all */

/* ---------------------------------------------------------------- in a row */

/* Return where in rising numbers the first stands that is at least `wanted`. */
static size_t first_from(const uint64_t *numbers, size_t count, uint64_t wanted) {
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (numbers[middle] < wanted) low = middle + 1;
        else high = middle;
    }
    return low;
}

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

/* All words stand there few times: all is read, and marked where the phrase would begin by how many words one behind
 * the other. No branch for an occurrence: which of them fit cannot be foreseen. runs: of the words in their order. */
static int count_words(fa_query *query, const reader *from, const fa_runs *runs, buffer *spots, size_t *count) {
    uint32_t last = from->list_count - 1, begins[FEW_PLACES], begin_count = 0, any = 1;
    uint8_t *marks = query->marks, *elements;
    uint32_t *positions;
    for (uint32_t at = 0; at < last && any; at++) {
        const held *list = from->lists[from->order[at]];
        TRY(read_runs(query, &runs[at], &elements, &positions));
        any = at == 0;
        for (uint32_t one = 0; one < runs[at].total; one++) {
            int counts = positions[one] >= list->place && list->elements >> elements[one] & 1;
            uint32_t begin = counts ? positions[one] - list->place : MARKS; /* behind them: never marked */
            if (at == 0) {
                begins[begin_count] = begin;
                begin_count += (uint32_t)counts;
            } else {
                uint8_t fits = marks[begin] == at;
                marks[begin] += fits;
                any |= fits;
            }
        }
        for (uint32_t one = 0; at == 0 && one < begin_count; one++) marks[begins[one]] = 1;
    }
    int status = any ? read_runs(query, &runs[last], &elements, &positions) : FA_OK;
    if (any && status == FA_OK) {
        uint32_t total = runs[last].total, in = from->lists[from->order[last]]->elements;
        spot *all = buffer_get(spots, (*count + total) * sizeof(spot));
        for (uint32_t one = 0; all != NULL && one < total; one++) {
            all[*count] = (spot){place_at(elements[one], positions[one]), elements[one], positions[one]};
            *count += marks[positions[one]] == last && in >> elements[one] & 1;
        }
        if (all == NULL) status = FA_NO_MEMORY;
    }
    for (uint32_t one = 0; one < begin_count; one++) marks[begins[one]] = 0;
    return status;
}

/* The word that stands there least often, of the first one and the rarest of the others, says where the phrase may
 * begin; the others are only asked whether they stand there: the first word last, since it tells in which elements. */
static int look_for_words(fa_query *query, const reader *from, fa_runs *runs, buffer *spots, size_t *count) {
    uint32_t last = from->list_count - 1, begin = runs[last].total < runs[0].total ? last : 0;
    uint64_t *starts;
    size_t left;
    TRY(read_starts(query, from->lists[from->order[begin]], &runs[begin], 0, &starts, &left));
    for (uint32_t at = 0; at < last && left; at++)
        if (at != begin)
            TRY(leave_standing(query, from->lists[from->order[at]], &runs[at], 0, starts, &left));
    if (begin == last) return add_all(starts, left, spots, count);
    const held *first = from->lists[from->order[last]];
    return left ? add_standing(query, first, &runs[last], 0, 0, starts, left, spots, count) : FA_OK;
}

/* where: of the words in their order, each WHERE behind the one before; NULL: not known. */
static int in_a_row(fa_query *query, reader *from, uint32_t version, const fa_where *where, buffer *spots,
                    size_t *count) {
    int are_few = from->list_count > 1 && from->list_count < 255;
    fa_runs *runs = arena_raw(&query->version, from->list_count * sizeof(fa_runs));
    if (runs == NULL) return FA_NO_MEMORY;
    if (from->lists[from->order[from->list_count - 1]]->place != 0) return FA_OK;
    for (uint32_t at = 0; at < from->list_count; at++) {
        uint32_t each = from->order[at];
        const fa_segment *segment = from->lists[each]->list.segment;
        if (where == NULL) TRY(list_runs(query, from, each, version, &runs[at]));
        else TRY(fa_runs_at(segment, where[at * (size_t)WHERE], version, &runs[at], &query->fault));
        if (!runs[at].total) return FA_OK;
        are_few &= runs[at].total <= FEW_PLACES && runs[at].extent <= MARKS;
    }
    return are_few ? count_words(query, from, runs, spots, count) : look_for_words(query, from, runs, spots, count);
}

/* ---------------------------------------------------------------- moved */

/* Each word moved back by its place has to stand in s to s + slop for one s, the first word among them. Words that stand
 * in the phrase several times take different places: the lowest that is free for each. Which s do is worked out for
 * many of them at once: with `ranks` of a word saying how many of its occurrences stand before a position, its copy at
 * place p takes the occurrence number max(ranks[s + p], 1 + that of the copy before), which is near enough when it is
 * below ranks[s + p + slop + 1]. */

#define AT_ONCE 1024            /* numbers s that are looked at together */
#define LOOK_EVERY 65536        /* steps of these between two looks at the clock within a version */
#define MOST_RANKS ((uint32_t)1 << 14)

typedef struct moved {
    uint32_t place, word;
    const uint64_t *at; /* rising, each once */
    size_t count;
} moved;

/* The numbers s from `begin` on. ranks, taken, fits: room, see above; of_first: the ranks of the first word; own, spare:
 * which numbers fit its other copies, and which with an occurrence to spare. */
typedef struct window {
    int64_t begin;
    uint32_t count, slop;
    int16_t *ranks, *of_first, *taken, *fits, *own, *spare;
} window;

/* Read the places of a word in the version, rising, each once. */
static int read_moved(fa_query *query, reader *from, uint32_t each, uint32_t version, moved *made) {
    uint8_t *elements;
    uint32_t *positions, total;
    size_t count = 0, left = 0;
    const held *list = from->lists[each];
    TRY(list_occurrences(query, from, each, version, &elements, &positions, &total));
    uint64_t *places = arena_raw(&query->version, total * sizeof(uint64_t));
    if (places == NULL) return FA_NO_MEMORY;
    for (uint32_t one = 0; one < total; one++)
        if (list->elements >> elements[one] & 1) places[count++] = place_at(elements[one], positions[one]);
    TRY(sort_numbers(query, places, count));
    for (size_t one = 0; one < count; one++)
        if (!left || places[left - 1] != places[one]) places[left++] = places[one];
    *made = (moved){list->place, list->list.word, places, left};
    return FA_OK;
}

/* Leave of the first words those near which a word stands as often as the phrase has it. */
static size_t leave_near(const moved *copies, size_t copy_count, uint32_t slop, uint64_t *firsts, size_t count) {
    size_t left = 0, low = 0, high = 0;
    for (size_t one = 0; one < count; one++) {
        uint64_t first = firsts[one] >> 4, end = first + copies[copy_count - 1].place + slop;
        while (low < copies->count && copies->at[low] + slop < first + copies->place) low++;
        while (high < copies->count && copies->at[high] <= end) high++;
        if (low + copy_count <= high) firsts[left++] = firsts[one];
    }
    return left;
}

/* The same where the phrase is a word twice: then this is all, but that no occurrence is beside itself. */
static size_t leave_twice(const moved *copy, uint32_t slop, uint64_t *firsts, size_t count) {
    size_t left = 0, low = 0;
    for (size_t one = 0; one < count; one++) {
        uint64_t first = firsts[one] >> 4;
        while (low < copy->count && copy->at[low] + slop < first + copy->place) low++;
        size_t other = low + (low < copy->count && copy->at[low] == first);
        firsts[left] = firsts[one];
        left += other < copy->count && copy->at[other] <= first + copy->place + slop;
    }
    return left;
}

static size_t copies_from(const moved *others, size_t count) {
    size_t end = 1;
    while (end < count && others[end].word == others->word) end++;
    return end;
}

/* Write how many occurrences that are not before `begin` stand before each of `count` positions from there on. */
static void rank_all(const moved *of, int64_t begin, uint32_t count, int16_t *ranks) {
    size_t at = first_from(of->at, of->count, begin > 0 ? (uint64_t)begin : 0);
    uint32_t done = 0;
    for (int16_t rank = 0; done < count; rank++, at++) {
        uint64_t next = at < of->count ? (uint64_t)((int64_t)of->at[at] - begin) + 1 : count;
        uint32_t end = next < count ? (uint32_t)next : count;
        for (; done < end; done++) ranks[done] = rank;
    }
}

/* Leave of the numbers that `fits` marks those with which the copies of a word find their places; tell whether there is
 * one. ranks: from the position begin + the place of the first copy on. more: so many occurrences are to spare wherever
 * some copies find their places. */
static int leave_fitting(const moved *copies, size_t copy_count, const int16_t *ranks, uint32_t count, uint32_t slop,
                         int16_t more, int16_t *restrict taken, int16_t *restrict fits) {
    for (uint32_t at = 0; at < count; at++) taken[at] = -1;
    for (size_t copy = 0; copy < copy_count; copy++) {
        const int16_t *low = ranks + (copies[copy].place - copies->place), *high = low + slop + 1;
        for (uint32_t at = 0; at < count; at++) {
            int16_t next = (int16_t)(taken[at] + 1);
            taken[at] = next > low[at] ? next : low[at];
            fits[at] &= (int16_t)-(taken[at] + more < high[at]);
        }
    }
    int16_t any = 0;
    for (uint32_t at = 0; at < count; at++) any |= fits[at];
    return any != 0;
}

/* How many positions the copies of a word may take for `count` numbers s, and one. */
static uint32_t reach_of(const moved *copies, size_t copy_count, uint32_t count, uint32_t slop) {
    return count + (copies[copy_count - 1].place - copies->place) + slop + 1;
}

/* The same with one first word, whose occurrence its own copies do not take. Returns whether a number is left. */
static int fits_first(const window *in, const moved *copies, size_t copy_count, uint64_t first) {
    /* from the number first - slop on; the ranks of these begin with the place of the first copy */
    size_t from = (size_t)((int64_t)first - in->slop - in->begin);
    const int16_t *ranks = in->of_first + from;
    uint32_t count = in->slop + 1, reach = reach_of(copies, copy_count, count, in->slop), at;
    int64_t own = (int64_t)in->slop - copies->place; /* where it stands among these */
    int is_own = own >= 0 && own + 1 < reach;
    if (ranks[reach - 1] - ranks[0] - is_own < (int)copy_count) return 0;
    for (at = 0; at < reach; at++) in->ranks[at] = (int16_t)(ranks[at] - (is_own && at > own));
    int16_t *fits = in->taken + count;
    memcpy(fits, in->fits + from, count * sizeof(int16_t));
    return leave_fitting(copies, copy_count, in->ranks, count, in->slop, 0, in->taken, fits);
}

/* The same with a single copy: one occurrence beside the first word, near enough for a number that fits. `next_fits`:
 * of each number which is the next that fits. from: its occurrences from which on those near this first word are. */
static int fits_once(const window *in, const moved *copy, uint64_t first, const uint16_t *next_fits, size_t *from) {
    int64_t least = (int64_t)first - in->slop, place = copy->place;
    while (*from < copy->count && (int64_t)copy->at[*from] < least + place) (*from)++;
    for (size_t at = *from; at < copy->count; at++) {
        int64_t begin = (int64_t)copy->at[at] - place, low = begin - in->slop, high = begin;
        if (low > (int64_t)first) return 0;
        if (copy->at[at] == first) continue;
        low = low > least ? low : least;
        high = high < (int64_t)first ? high : (int64_t)first;
        if (next_fits[low - in->begin] <= high - in->begin) return 1;
    }
    return 0;
}

/* Leave of first words that are near each other those around which all others fit. */
static size_t leave_fitted(const window *in, const moved *others, size_t count, uint32_t word, uint64_t *firsts,
                           size_t first_count) {
    const moved *own = NULL;
    size_t own_count = 0, left = 0;
    for (uint32_t at = 0; at < in->count; at++) in->fits[at] = -1;
    for (size_t from = 0, copies; from < count; from += copies) {
        copies = copies_from(others + from, count - from);
        uint32_t reach = reach_of(others + from, copies, in->count, in->slop);
        int16_t *ranks = others[from].word == word ? in->of_first : in->ranks;
        rank_all(&others[from], in->begin + others[from].place, reach, ranks);
        if (others[from].word == word) {
            own = others + from;
            own_count = copies;
        } else if (!leave_fitting(others + from, copies, ranks, in->count, in->slop, 0, in->taken, in->fits)) return 0;
    }
    if (own_count > 1) {
        memcpy(in->own, in->fits, in->count * sizeof(int16_t));
        memcpy(in->spare, in->fits, in->count * sizeof(int16_t));
        if (!leave_fitting(own, own_count, in->of_first, in->count, in->slop, 0, in->taken, in->own)) return 0;
        leave_fitting(own, own_count, in->of_first, in->count, in->slop, 1, in->taken, in->spare);
    }
    int64_t last = -1, last_spare = -1; /* the last number that fits, from `begin` */
    const int16_t *fitting = own_count > 1 ? in->own : in->fits;
    uint32_t at = 0;
    uint16_t *next_fits = (uint16_t *)in->taken, next = UINT16_MAX;
    size_t near = 0;
    for (uint32_t number = in->count; own_count == 1 && number-- > 0;)
        next_fits[number] = next = in->fits[number] ? (uint16_t)number : next;
    for (size_t one = 0; one < first_count; one++) {
        uint64_t first = firsts[one] >> 4;
        int64_t place = (int64_t)first - in->begin;
        for (; (int64_t)at <= place; at++) {
            last = fitting[at] ? (int64_t)at : last;
            last_spare = own_count > 1 && in->spare[at] ? (int64_t)at : last_spare;
        }
        if (last < 0 || last < place - (int64_t)in->slop) continue;
        /* whichever occurrence is taken away, the copies find others where there is one to spare */
        int is_fit = own == NULL || (last_spare >= 0 && last_spare >= place - (int64_t)in->slop);
        if (!is_fit)
            is_fit = own_count == 1 ? fits_once(in, own, first, next_fits, &near) : fits_first(in, own, own_count, first);
        if (is_fit) firsts[left++] = firsts[one];
    }
    return left;
}

static int find_fitted(fa_query *query, moved *others, size_t count, uint32_t word, uint32_t slop, uint64_t *firsts,
                       size_t *first_count) {
    uint32_t length = 0;
    size_t left = 0;
    uint64_t steps = 0;
    for (size_t at = 0; at < count; at++) length = others[at].place > length ? others[at].place : length;
    if (slop > MOST_RANKS || length > MOST_RANKS) return FA_TOO_LARGE;
    /* a number for each s; and ranks for the positions that they reach */
    uint32_t numbers = AT_ONCE + 2 * slop + 2, reach = numbers + length + slop + 2;
    int16_t *room = arena_raw(&query->version, (2 * (size_t)reach + 4 * (size_t)numbers) * sizeof(int16_t));
    if (room == NULL) return FA_NO_MEMORY;
    int16_t *by_number = room + 2 * (size_t)reach;
    window in = {0, 0, slop, room, room + reach, by_number, by_number + numbers, by_number + 2 * (size_t)numbers,
                 by_number + 3 * (size_t)numbers};
    for (size_t from = 0, to; from < *first_count; from = to) {
        if (steps > LOOK_EVERY && finding_is_over(query)) return FA_TIME_UP;
        steps = steps > LOOK_EVERY ? 0 : steps;
        uint64_t begin = firsts[from] >> 4, end = begin;
        for (to = from + 1; to < *first_count; end = firsts[to++] >> 4)
            if ((firsts[to] >> 4) - end > slop || (firsts[to] >> 4) - begin >= AT_ONCE) break;
        in.begin = (int64_t)begin - slop;
        in.count = (uint32_t)(end - begin) + slop + 1;
        size_t some = leave_fitted(&in, others, count, word, firsts + from, to - from);
        memmove(firsts + left, firsts + from, some * sizeof(uint64_t));
        left += some;
        steps += in.count * (uint64_t)count;
    }
    *first_count = left;
    return FA_OK;
}

/* Two different words: of the one that stands there more often only what is near the other one is looked at. */
static int two_moved(fa_query *query, reader *from, uint32_t version, uint32_t slop, buffer *spots, size_t *count) {
    const held *first = from->lists[from->order[1]], *other = from->lists[from->order[0]];
    fa_runs of_first, of_other;
    uint64_t *starts;
    size_t left;
    TRY(list_runs(query, from, from->order[1], version, &of_first));
    TRY(list_runs(query, from, from->order[0], version, &of_other));
    if (!of_first.total || !of_other.total) return FA_OK;
    if (of_first.total > of_other.total) {
        TRY(read_starts(query, other, &of_other, 1, &starts, &left));
        return add_standing(query, first, &of_first, other->place, slop, starts, left, spots, count);
    }
    TRY(read_starts(query, first, &of_first, 1, &starts, &left));
    TRY(leave_standing(query, other, &of_other, slop, starts, &left));
    return add_all(starts, left, spots, count);
}

/* Each word moved back by its place, all within `slop` of each other. Memory: of the arena `version`, which others fill,
 * too. */
static int moved_about(fa_query *query, reader *from, uint32_t version, buffer *spots, size_t *count) {
    uint32_t slop = query->program.leaves[from->leaf].slop, first_list = from->order[from->list_count - 1];
    uint8_t *elements;
    uint32_t *positions, total;
    size_t other_count = from->list_count - 1, left = 0;
    const held *list = from->lists[first_list];
    if (other_count == 1 && from->lists[from->order[0]]->list.word != list->list.word)
        return two_moved(query, from, version, slop, spots, count);
    moved *others = arena_get(&query->version, from->list_count * sizeof(moved));
    if (others == NULL) return FA_NO_MEMORY;
    TRY(list_occurrences(query, from, first_list, version, &elements, &positions, &total));
    uint64_t *firsts = arena_raw(&query->version, total * sizeof(uint64_t)); /* element in the low bits */
    if (firsts == NULL) return FA_NO_MEMORY;
    for (uint32_t one = 0; one < total; one++)
        if (list->elements >> elements[one] & 1)
            firsts[left++] = place_at(elements[one], positions[one]) << 4 | elements[one];
    TRY(sort_numbers(query, firsts, left));
    for (size_t each = 0, copies; each < other_count && left; each += copies) {
        TRY(read_moved(query, from, from->order[each], version, &others[each]));
        for (copies = 1; each + copies < other_count; copies++) {
            const held *copy = from->lists[from->order[each + copies]];
            if (copy->list.word != others[each].word) break;
            others[each + copies] = others[each];
            others[each + copies].place = copy->place;
        }
        left = leave_near(&others[each], copies, slop, firsts, left);
    }
    if (other_count == 1) left = leave_twice(others, slop, firsts, left);
    else if (left && other_count) TRY(find_fitted(query, others, other_count, list->list.word, slop, firsts, &left));
    for (size_t one = 0; one < left; one++) {
        uint64_t at = firsts[one] >> 4;
        TRY(add_spot(spots, count, firsts[one] & 15, (uint32_t)at));
    }
    return FA_OK;
}

int phrase_spots(fa_query *query, reader *from, uint32_t version, buffer *spots, size_t *count) {
    if (!from->list_count) return FA_OK;
    if (query->program.leaves[from->leaf].slop) return moved_about(query, from, version, spots, count);
    return in_a_row(query, from, version, NULL, spots, count);
}

/* ---------------------------------------------------------------- all versions */

/* Write the versions that are in all lists of a phrase, rising. */
static uint32_t in_all_lists(const reader *from, uint32_t *common) {
    const held *rarest = from->lists[0];
    for (uint32_t each = 1; each < from->list_count; each++)
        if (from->lists[each]->list.count < rarest->list.count) rarest = from->lists[each];
    uint32_t count = rarest->list.count;
    memcpy(common, rarest->all, count * sizeof(uint32_t));
    for (uint32_t each = 0; each < from->list_count && count; each++) {
        const held *list = from->lists[each];
        uint32_t left = 0, row = 0;
        if (list == rarest) continue;
        for (uint32_t at = 0; at < count && row < list->list.count; at++) {
            row = gallop(list->all, row, list->list.count, common[at]);
            if (row < list->list.count && list->all[row] == common[at]) common[left++] = common[at];
        }
        count = left;
    }
    return count;
}

/* Tell where the words of a phrase are in some versions that hold all of them. */
static int find_words(fa_query *query, reader *from, const uint32_t *versions, uint32_t count, fa_where *where) {
    uint32_t rows[WHERE];
    for (uint32_t at = 0; at < from->list_count; at++) {
        uint32_t each = from->order[at], row = from->rows[each];
        const held *list = from->lists[each];
        for (uint32_t one = 0; one < count; one++)
            rows[one] = row = gallop(list->all, row, list->list.count, versions[one]);
        from->rows[each] = row;
        TRY(fa_cursor_rows(&from->cursors[each], rows, count, where + at * (size_t)WHERE, &query->fault));
    }
    return FA_OK;
}

/* Tell whether it is asked where a leaf stands, too. */
static int has_spans(const fa_query *query, uint32_t leaf) {
    for (uint32_t number = 0; number < query->program.node_count; number++)
        if (query->program.nodes[number].op == FA_OP_SPANS && query->program.nodes[number].value == leaf) return 1;
    return 0;
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
    if (slop) TRY(reader_open(query, &from, number, place, layer, NULL));
    else TRY(reader_begin(query, &from, number, place, layer));
    if (!from.list_count) return FA_OK;
    arena_empty(&query->shortly, (size_t)1 << 20);
    uint32_t *common = arena_raw(&query->shortly, query->longest * sizeof(uint32_t)), *counts = NULL;
    fa_where *where = arena_raw(&query->shortly, from.list_count * (size_t)WHERE * sizeof(fa_where));
    keeping kept = {NULL, NULL, 0, 0};
    if (has_spans(query, number) && query->kept.held < RETAINED / 2) {
        kept.most = (RETAINED / 2 - query->kept.held) / sizeof(uint32_t);
        kept.ends = arena_raw(&query->shortly, query->longest * sizeof(uint32_t));
        if (kept.ends == NULL) return FA_NO_MEMORY;
    }
    if (common == NULL || where == NULL) return FA_NO_MEMORY;
    uint32_t count = in_all_lists(&from, common);
    for (uint32_t each = 0; each < from.list_count && !slop; each++) /* else its pairs are gone over one by one */
        if (count < from.lists[each]->list.count / FEW_OF)
            TRY(skips_find(query, from.lists[each], &from.cursors[each]));
    for (uint32_t at = 0; at < count; at++) {
        size_t spots = 0;
        int status = FA_OK;
        arena_empty(&query->version, (size_t)1 << 20);
        if ((slop || at % LOOK_AFTER == 0) && finding_is_over(query)) status = FA_TIME_UP;
        else if (slop) status = phrase_spots(query, &from, common[at], &query->places[3], &spots);
        else {
            uint32_t some = count - at < WHERE ? count - at : WHERE;
            if (at % WHERE == 0) TRY(find_words(query, &from, common + at, some, where));
            status = in_a_row(query, &from, common[at], where + at % WHERE, &query->places[3], &spots);
        }
        if (status == FA_TIME_UP) {
            if (common[at] < query->complete[place]) query->complete[place] = common[at];
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
        common[found++] = common[at];
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
    memcpy(made->ordinals[layer], common, found * sizeof(uint32_t));
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
    for (size_t word = 0; word < words_of(versions); word++) made->count += (uint32_t)counts_bits(mask[word]);
    return FA_OK;
}
