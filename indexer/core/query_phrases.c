/* Phrases: words one behind the other, or moved by some places. */
#include "query_inside.h"

#define LOOK_EVERY 4096 /* steps between two looks at the clock within a version */

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

/* Write where the phrase would begin for each occurrence of a word, rising. */
static int starts_of(fa_query *query, const held *list, const uint8_t *elements, const uint32_t *positions,
                     uint32_t total, uint64_t *starts, size_t *count) {
    *count = 0;
    for (uint32_t at = 0; at < total; at++)
        if (list->elements >> elements[at] & 1 && positions[at] >= list->place)
            starts[(*count)++] = positions[at] - list->place;
    return sort_numbers(query, starts, *count);
}

static size_t in_both(uint64_t *some, size_t count, const uint64_t *others, size_t other_count) {
    size_t left = 0, other = 0;
    for (size_t at = 0; at < count; at++) {
        while (other < other_count && others[other] < some[at]) other++;
        if (other < other_count && others[other] == some[at]) some[left++] = some[at];
    }
    return left;
}

/* The rarest word says where the phrase may begin; the first word, looked at last, in which elements. */
static int in_a_row(fa_query *query, reader *from, uint32_t version, buffer *spots, size_t *count) {
    uint8_t *elements;
    uint32_t *positions, total;
    size_t left = 0;
    for (uint32_t at = 0; at < from->list_count; at++) {
        uint32_t each = from->order[at];
        const held *list = from->lists[each];
        TRY(list_occurrences(query, from, each, version, &elements, &positions, &total));
        if (list->place == 0) {
            const uint64_t *begins = query->places[2].data;
            size_t begin = 0;
            for (uint32_t one = 0; one < total; one++) {
                if (!(list->elements >> elements[one] & 1)) continue;
                if (at) {
                    if (one && elements[one] != elements[one - 1]) begin = 0; /* they rise within an element */
                    while (begin < left && begins[begin] < positions[one]) begin++;
                    if (begin == left || begins[begin] != positions[one]) continue;
                }
                TRY(add_spot(spots, count, elements[one], positions[one]));
            }
            return FA_OK;
        }
        /* what is left in the front, those of this word behind it */
        uint64_t *starts = buffer_get(&query->places[2], (left + total) * sizeof(uint64_t));
        if (starts == NULL) return FA_NO_MEMORY;
        size_t more;
        TRY(starts_of(query, list, elements, positions, total, starts + left, &more));
        left = at == 0 ? more : in_both(starts, left, starts + left, more);
        if (!left) return FA_OK;
    }
    return FA_OK;
}

/* ---------------------------------------------------------------- moved */

typedef struct moved {
    uint32_t place, word;
    int is_repeated;   /* another place has the same word */
    uint64_t *at;      /* rising */
    size_t count, taken; /* taken: 1 + where the place stands that it took */
} moved;

/* Read the places of a word in the version, rising. */
static int read_moved(fa_query *query, reader *from, uint32_t each, uint32_t version, moved *made) {
    uint8_t *elements;
    uint32_t *positions, total;
    size_t count = 0;
    const held *list = from->lists[each];
    TRY(list_occurrences(query, from, each, version, &elements, &positions, &total));
    made->place = list->place;
    made->word = list->list.word;
    made->at = arena_raw(&query->version, total * sizeof(uint64_t));
    if (made->at == NULL) return FA_NO_MEMORY;
    for (uint32_t one = 0; one < total; one++)
        if (list->elements >> elements[one] & 1) made->at[count++] = place_at(elements[one], positions[one]);
    TRY(sort_numbers(query, made->at, count));
    made->count = count;
    return FA_OK;
}

/* `at` moved by a place of the phrase and back by the slop: nothing is below 0. */
static uint64_t moved_by(uint64_t at, uint64_t place, uint64_t slop) {
    return at + place >= slop ? at + place - slop : 0;
}

static int is_near(const moved *other, uint64_t first, uint32_t slop) {
    size_t at = first_from(other->at, other->count, moved_by(first, other->place, slop));
    return at < other->count && other->at[at] <= first + other->place + slop;
}

/* Tell whether the others, moved back by their places, stand in begin to begin + slop. A word that stands in the phrase
 * several times takes different places: the lowest that is free for each. begin: `first` moved back by `before`. */
static int fit(moved *others, size_t count, uint32_t word, uint64_t first, uint32_t before, uint32_t slop) {
    for (size_t each = 0; each < count; each++) {
        moved *other = &others[each];
        uint64_t low = moved_by(first, other->place, before);
        if (other->is_repeated)
            for (size_t earlier = each; earlier-- > 0;)
                if (others[earlier].word == other->word) {
                    uint64_t taken = others[earlier].at[others[earlier].taken];
                    if (low <= taken) low = taken + 1;
                    break;
                }
        size_t at = first_from(other->at, other->count, low);
        if (other->word == word && at < other->count && other->at[at] == first) at++;
        /* first + place + slop is at least `before` */
        if (at >= other->count || other->at[at] + before > first + other->place + slop) return 0;
        other->taken = at;
    }
    return 1;
}

/* Tell whether the one other word of a phrase is near, and is not the first word itself. */
static int is_other(const moved *other, uint32_t word, uint64_t first, uint32_t slop) {
    if (other->word != word || other->place > slop) return 1;
    size_t at = first_from(other->at, other->count, moved_by(first, other->place, slop));
    return at + 1 < other->count && other->at[at + 1] <= first + other->place + slop;
}

static void sort_by_place(moved *others, size_t count) {
    for (size_t at = 1; at < count; at++)
        for (size_t to = at; to && others[to - 1].place > others[to].place; to--) {
            moved other = others[to];
            others[to] = others[to - 1];
            others[to - 1] = other;
        }
    for (size_t at = 0; at < count; at++)
        for (size_t other = 0; other < count; other++)
            if (other != at && others[other].word == others[at].word) others[at].is_repeated = 1;
}

static int is_found(fa_query *query, moved *others, size_t count, uint32_t word, uint64_t first, uint32_t slop,
                    uint64_t *steps, int *found) {
    *found = 0;
    if (count == 1) {
        *found = is_other(others, word, first, slop);
        return FA_OK;
    }
    for (uint32_t before = 0; before <= slop && !*found; before++) {
        *steps += count;
        if (*steps > LOOK_EVERY) {
            *steps = 0;
            if (finding_is_over(query)) return FA_TIME_UP;
        }
        *found = fit(others, count, word, first, before, slop);
    }
    return FA_OK;
}

/* Each word moved back by its place, all within `slop` of each other. Memory: of the arena `version`, which others fill,
 * too. */
static int moved_about(fa_query *query, reader *from, uint32_t version, buffer *spots, size_t *count) {
    uint32_t slop = query->program.leaves[from->leaf].slop, first_list = from->order[from->list_count - 1];
    uint8_t *elements;
    uint32_t *positions, total;
    uint64_t steps = 0;
    size_t other_count = from->list_count - 1, begin = *count, left = begin;
    const held *list = from->lists[first_list];
    moved *others = arena_get(&query->version, from->list_count * sizeof(moved));
    if (others == NULL) return FA_NO_MEMORY;
    TRY(list_occurrences(query, from, first_list, version, &elements, &positions, &total));
    spot *firsts = buffer_get(spots, (*count + total) * sizeof(spot));
    if (firsts == NULL) return FA_NO_MEMORY;
    for (uint32_t one = 0; one < total; one++)
        if (list->elements >> elements[one] & 1)
            firsts[(*count)++] = (spot){place_at(elements[one], positions[one]), elements[one], positions[one]};
    for (size_t each = 0; each < other_count && *count > begin; each++) {
        TRY(read_moved(query, from, from->order[each], version, &others[each]));
        left = begin;
        for (size_t one = begin; one < *count; one++)
            if (is_near(&others[each], firsts[one].at, slop)) firsts[left++] = firsts[one];
        *count = left;
    }
    if (*count == begin || !other_count) return FA_OK;
    sort_by_place(others, other_count);
    left = begin;
    for (size_t one = begin; one < *count; one++) {
        int found;
        TRY(is_found(query, others, other_count, list->list.word, firsts[one].at, slop, &steps, &found));
        if (found) firsts[left++] = firsts[one];
    }
    *count = left;
    return FA_OK;
}

int phrase_spots(fa_query *query, reader *from, uint32_t version, buffer *spots, size_t *count) {
    if (!from->list_count) return FA_OK;
    if (query->program.leaves[from->leaf].slop) return moved_about(query, from, version, spots, count);
    return in_a_row(query, from, version, spots, count);
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

static int match_layer(fa_query *query, uint32_t number, uint32_t place, uint32_t layer) {
    state *made = state_of(query, number, place);
    reader from;
    uint32_t found = 0;
    TRY(reader_open(query, &from, number, place, layer, NULL));
    if (!from.list_count) return FA_OK;
    arena_empty(&query->shortly, (size_t)1 << 20);
    uint32_t *common = arena_raw(&query->shortly, query->longest * sizeof(uint32_t)), *counts = NULL;
    if (common == NULL) return FA_NO_MEMORY;
    uint32_t count = in_all_lists(&from, common);
    for (uint32_t at = 0; at < count; at++) {
        size_t spots = 0;
        arena_empty(&query->version, (size_t)1 << 20);
        int status = finding_is_over(query) ? FA_TIME_UP
                                            : phrase_spots(query, &from, common[at], &query->places[3], &spots);
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
        common[found++] = common[at];
    }
    if (!found) return FA_OK;
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
