/* Phrases of which the words may be moved by some places, and which are not just two different words.
 *
 * Each word moved back by its place has to stand in s to s + slop for one s, the first word among them. Words that stand
 * in the phrase several times take different places: which is possible if and only if for each row of such copies, from
 * place p to place q, at least as many occurrences as copies are in s + p to s + q + slop. For which s that is so is told
 * for 64 of them at once, by a bit for each. The occurrence of the first word itself is not there for its copies: to
 * those rows of them in which it lies, one more must be left. */
#include "query_inside.h"

#define AT_ONCE 1024     /* numbers s that are looked at together */
#define APART 512        /* how far two first words are from each other, at most, that are looked at together */
#define LOOK_EVERY 65536 /* steps of these between two looks at the clock within a version */
#define MOST_PLACES ((uint32_t)1 << 14)

/* A word of a phrase: its copies, but the first word of the phrase, and where it stands in a version. */
typedef struct copies {
    const uint32_t *places; /* of the copies, rising */
    uint32_t count, word;
    const uint64_t *at;     /* rising, each once */
    size_t at_count;
    size_t from, to;        /* of these: what the numbers at hand reach */
} copies;

typedef struct gap {
    int64_t from, end;
} gap;

/* The numbers s from `begin` on. gaps: room for those of a word. */
typedef struct window {
    int64_t begin;
    uint32_t count, slop, length;
    size_t words;            /* numbers of 64 bits for a bit of each s */
    gap *gaps;
    uint64_t *fits, *own, *spare;
    uint64_t *with, *without, *chosen; /* for each copy of the first word, see choose_beside */
} window;

/* Write the places of a word in the version, rising, each once. */
static int read_at(fa_query *query, const held *list, const fa_runs *runs, copies *made) {
    uint8_t *elements;
    uint32_t *positions;
    size_t count = 0, left = 0;
    TRY(read_runs(query, runs, &elements, &positions));
    uint64_t *at = arena_raw(&query->version, runs->total * sizeof(uint64_t));
    if (at == NULL) return FA_NO_MEMORY;
    for (uint32_t one = 0; one < runs->total; one++) {
        at[count] = place_at(elements[one], positions[one]);
        count += list->elements >> elements[one] & 1;
    }
    TRY(sort_numbers(query, at, count));
    for (size_t one = 0; one < count; one++)
        if (!left || at[left - 1] != at[one]) at[left++] = at[one];
    made->at = at;
    made->at_count = left;
    return FA_OK;
}

/* Leave of the first words those near which a word stands as often as the phrase has it. own: 1 for the first word itself,
 * if it lies where its copies do wherever these are; else 0. */
static size_t leave_near(const copies *of, uint32_t own, uint32_t slop, uint64_t *firsts, size_t count) {
    size_t left = 0, low = 0, high = 0;
    for (size_t one = 0; one < count; one++) {
        uint64_t first = firsts[one] >> 4, end = first + of->places[of->count - 1] + slop;
        while (low < of->at_count && of->at[low] + slop < first + of->places[0]) low++;
        while (high < of->at_count && of->at[high] <= end) high++;
        if (low + of->count + own <= high) firsts[left++] = firsts[one];
    }
    return left;
}

/* The same where the phrase is a word twice: then this is all, but that no occurrence is beside itself. */
static size_t leave_twice(const copies *of, uint32_t slop, uint64_t *firsts, size_t count) {
    size_t left = 0, low = 0;
    for (size_t one = 0; one < count; one++) {
        uint64_t first = firsts[one] >> 4;
        while (low < of->at_count && of->at[low] + slop < first + of->places[0]) low++;
        size_t other = low + (low < of->at_count && of->at[low] == first);
        firsts[left] = firsts[one];
        left += other < of->at_count && of->at[other] <= first + of->places[0] + slop;
    }
    return left;
}

/* ---------------------------------------------------------------- bits */

static void clear_bits(uint64_t *bits, size_t from, size_t end) {
    size_t word = from >> 6, last = (end - 1) >> 6;
    uint64_t first = ~(uint64_t)0 << (from & 63), behind = ~(uint64_t)0 >> (63 - ((end - 1) & 63));
    if (word == last) {
        bits[word] &= ~(first & behind);
        return;
    }
    bits[word] &= ~first;
    while (++word < last) bits[word] = 0;
    bits[last] &= ~behind;
}

static int any_bit(const uint64_t *bits, size_t from, size_t end) {
    size_t word = from >> 6, last = (end - 1) >> 6;
    uint64_t first = ~(uint64_t)0 << (from & 63), behind = ~(uint64_t)0 >> (63 - ((end - 1) & 63)), any;
    if (word == last) return (bits[word] & first & behind) != 0;
    any = (bits[word] & first) | (bits[last] & behind);
    while (++word < last) any |= bits[word];
    return any != 0;
}

static uint64_t all_bits(const uint64_t *bits, size_t words) {
    uint64_t any = 0;
    for (size_t word = 0; word < words; word++) any |= bits[word];
    return any;
}

/* ---------------------------------------------------------------- numbers that fit */

/* Find the positions, from `begin` on, from which on fewer than `needed` occurrences are within `distance`: they are between
 * an occurrence and the one that comes as many behind it. */
static size_t find_gaps(const window *in, const copies *of, size_t needed, uint32_t distance) {
    const uint64_t *at = of->at + of->from;
    size_t count = of->to - of->from, found = 0;
    in->gaps[found++] = (gap){0, INT64_MAX};
    if (count < needed) return found;
    in->gaps[0].end = (int64_t)at[needed - 1] - in->begin - distance;
    for (size_t one = 0; one + needed < count; one++)
        if (at[one + needed] - at[one] > (uint64_t)distance + 1)
            in->gaps[found++] = (gap){(int64_t)at[one] - in->begin + 1, (int64_t)at[one + needed] - in->begin - distance};
    in->gaps[found++] = (gap){(int64_t)at[count - needed] - in->begin + 1, INT64_MAX};
    return found;
}

/* Leave out the numbers with which a row of copies from one to another place does not find enough occurrences: those of the
 * gaps, moved down by each of these places. */
static void leave_out(const window *in, size_t gaps, uint32_t first, uint32_t last, uint64_t *fits) {
    for (size_t one = 0; one < gaps; one++) {
        int64_t from = in->gaps[one].from - last, end = in->gaps[one].end;
        if (in->gaps[one].from >= end) continue;
        end = end < in->count + (int64_t)first ? end - first : in->count;
        if (end <= 0) continue;
        if (from >= in->count) break;
        clear_bits(fits, from > 0 ? (size_t)from : 0, (size_t)end);
    }
}

/* Leave of the numbers those with which the copies of a word find their places, where `more` occurrences are not there for
 * them; tell whether one is left. apart: how far the numbers for the rows of each copy on are from those of the copy
 * before; 0: they are the same. */
static int leave_fitting(const window *in, const copies *of, uint32_t more, uint64_t *fits, size_t apart) {
    for (uint32_t row = of->count; row; row--) {
        uint32_t known = UINT32_MAX;
        size_t gaps = 0;
        for (uint32_t copy = 0, end; copy + row <= of->count; copy = end) {
            const uint32_t *places = of->places;
            uint32_t distance = places[copy + row - 1] - places[copy] + in->slop;
            if (distance != known) gaps = find_gaps(in, of, row + more, known = distance);
            /* rows side by side leave out numbers side by side */
            for (end = copy + 1; !apart && end + row <= of->count; end++)
                if (places[end] - places[end - 1] > 1 || places[end + row - 1] - places[end + row - 2] > 1) break;
            leave_out(in, gaps, places[copy], places[end - 1], fits + copy * apart);
        }
        if (!apart && !all_bits(fits, in->words)) return 0;
    }
    return 1;
}

/* Work out with which numbers the copies of the first word find their places beside it: `chosen`, for when it lies before
 * all of them, behind the first of them, and so on. */
static void choose_beside(const window *in, const copies *own) {
    size_t words = in->words;
    memset(in->with, 255, own->count * words * sizeof(uint64_t));
    memset(in->without, 255, own->count * words * sizeof(uint64_t));
    leave_fitting(in, own, 0, in->without, words);
    leave_fitting(in, own, 1, in->with, words);
    memcpy(in->chosen + own->count * words, in->fits, words * sizeof(uint64_t));
    for (uint32_t copy = own->count; copy-- > 0;)
        for (size_t word = 0; word < words; word++)
            in->chosen[copy * words + word] =
                in->chosen[(copy + 1) * words + word] & in->without[copy * words + word];
    for (uint32_t copy = 0; copy < own->count; copy++)
        for (size_t word = 0; word < words; word++) {
            if (copy) in->with[copy * words + word] &= in->with[(copy - 1) * words + word];
            in->chosen[(copy + 1) * words + word] &= in->with[copy * words + word];
        }
}

/* Tell whether there is a number for a first word, which stands at a place of them. */
static int fits_first(const window *in, const copies *own, size_t place) {
    for (uint32_t copy = 0; copy <= own->count; copy++) {
        uint32_t low = copy ? own->places[copy - 1] : 0, high = in->slop;
        if (low > in->slop) break;
        if (copy < own->count && own->places[copy] - 1 < high) high = own->places[copy] - 1;
        if (any_bit(in->chosen + copy * in->words, place - high, place - low + 1)) return 1;
    }
    return 0;
}

/* Leave of first words that are near each other those around which all others fit. */
static size_t leave_fitted(window *in, copies *words, size_t word_count, uint32_t first_word, uint64_t *firsts,
                           size_t first_count) {
    const copies *own = NULL;
    size_t left = 0;
    int is_chosen = 0;
    memset(in->fits, 255, in->words * sizeof(uint64_t));
    in->fits[in->words - 1] = ((uint64_t)1 << (in->count & 63)) - 1;
    for (copies *of = words; of < words + word_count; of++) {
        uint64_t end = (uint64_t)(in->begin + in->count) + in->length + in->slop;
        while (of->from < of->at_count && (int64_t)of->at[of->from] < in->begin) of->from++;
        of->to = of->to > of->from ? of->to : of->from;
        while (of->to < of->at_count && of->at[of->to] < end) of->to++;
        if (of->word == first_word) own = of;
        else if (!leave_fitting(in, of, 0, in->fits, 0)) return 0;
    }
    const uint64_t *fits = in->fits, *spare = in->fits;
    if (own != NULL) {
        spare = memcpy(in->spare, in->fits, in->words * sizeof(uint64_t));
        fits = memcpy(in->own, in->fits, in->words * sizeof(uint64_t));
        if (!leave_fitting(in, own, 0, in->own, 0)) return 0;
        leave_fitting(in, own, 1, in->spare, 0);
    }
    for (size_t one = 0; one < first_count; one++) {
        size_t place = (size_t)((int64_t)(firsts[one] >> 4) - in->begin);
        if (!any_bit(fits, place - in->slop, place + 1)) continue;
        /* whichever occurrence is taken away, the copies find others where there is one to spare */
        int is_fit = own == NULL || any_bit(spare, place - in->slop, place + 1);
        if (!is_fit) {
            if (!is_chosen) choose_beside(in, own);
            is_chosen = 1;
            is_fit = fits_first(in, own, place);
        }
        firsts[left] = firsts[one];
        left += (size_t)is_fit;
    }
    return left;
}

static int find_fitted(fa_query *query, copies *words, size_t word_count, uint32_t first_word, uint32_t slop,
                       uint64_t *firsts, size_t *first_count) {
    uint32_t length = 0, own = 0;
    size_t left = 0, greatest = 0;
    uint64_t steps = 0, all = 0;
    for (size_t at = 0; at < word_count; at++) {
        uint32_t last = words[at].places[words[at].count - 1];
        length = last > length ? last : length;
        own = words[at].word == first_word ? words[at].count : own;
        greatest = words[at].at_count > greatest ? words[at].at_count : greatest;
        all += words[at].count;
    }
    if (slop > MOST_PLACES || length > MOST_PLACES) return FA_TOO_LARGE;
    size_t most = (AT_ONCE + slop) / 64 + 1;
    uint64_t *room = arena_raw(&query->version, (3 * (1 + (size_t)own) + 1) * most * sizeof(uint64_t));
    gap *gaps = arena_raw(&query->version, (greatest + 2) * sizeof(gap));
    if (room == NULL || gaps == NULL) return FA_NO_MEMORY;
    window in = {.slop = slop, .length = length, .gaps = gaps, .fits = room};
    in.own = in.fits + most;
    in.spare = in.own + most;
    in.with = in.spare + most;
    in.without = in.with + own * most;
    in.chosen = in.without + own * most;
    for (size_t from = 0, to; from < *first_count; from = to) {
        if (steps > LOOK_EVERY && finding_is_over(query)) return FA_TIME_UP;
        steps = steps > LOOK_EVERY ? 0 : steps;
        uint64_t begin = firsts[from] >> 4, end = begin;
        for (to = from + 1; to < *first_count; end = firsts[to++] >> 4)
            if ((firsts[to] >> 4) - end > APART || (firsts[to] >> 4) - begin >= AT_ONCE) break;
        in.begin = (int64_t)begin - slop;
        in.count = (uint32_t)(end - begin) + slop + 1;
        in.words = in.count / 64 + 1;
        size_t some = leave_fitted(&in, words, word_count, first_word, firsts + from, to - from);
        memmove(firsts + left, firsts + from, some * sizeof(uint64_t));
        left += some;
        steps += in.words * (all * all + 1);
    }
    *first_count = left;
    return FA_OK;
}

/* runs: of the lists in their order. Memory: of the arena `version`, which others fill, too. */
int words_moved(fa_query *query, const reader *from, const fa_runs *runs, buffer *spots, size_t *count) {
    uint32_t slop = query->program.leaves[from->leaf].slop, others = from->list_count - 1;
    uint8_t *elements;
    uint32_t *positions, total = runs[others].total;
    size_t word_count = 0, left = 0;
    const held *first = from->lists[from->order[others]];
    copies *words = arena_get(&query->version, from->list_count * sizeof(copies));
    uint32_t *places = arena_raw(&query->version, from->list_count * sizeof(uint32_t));
    uint64_t *firsts = arena_raw(&query->version, total * sizeof(uint64_t)); /* element in the low bits */
    if (words == NULL || places == NULL || firsts == NULL) return FA_NO_MEMORY;
    TRY(read_runs(query, &runs[others], &elements, &positions));
    for (uint32_t one = 0; one < total; one++) {
        firsts[left] = place_at(elements[one], positions[one]) << 4 | elements[one];
        left += first->elements >> elements[one] & 1;
    }
    TRY(sort_numbers(query, firsts, left));
    for (uint32_t at = 0; at < others && left; at++) {
        const held *list = from->lists[from->order[at]];
        places[at] = list->place;
        if (at && words[word_count - 1].word == list->list.word) {
            words[word_count - 1].count++;
            continue;
        }
        words[word_count] = (copies){.places = places + at, .count = 1, .word = list->list.word};
        TRY(read_at(query, list, &runs[at], &words[word_count++]));
    }
    for (copies *of = words; of < words + word_count && left; of++) {
        if (of->at_count < of->count + (of->word == first->list.word)) return FA_OK;
        left = leave_near(of, of->word == first->list.word && of->places[0] <= slop, slop, firsts, left);
    }
    if (others == 1) left = leave_twice(words, slop, firsts, left);
    else if (left && others) TRY(find_fitted(query, words, word_count, first->list.word, slop, firsts, &left));
    for (size_t one = 0; one < left; one++)
        TRY(add_spot(spots, count, firsts[one] & 15, (uint32_t)(firsts[one] >> 4)));
    return FA_OK;
}
