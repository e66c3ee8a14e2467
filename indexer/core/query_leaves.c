/* Leaves of a query in a segment: which versions hold a word in its forms. */
#include "query_inside.h"

#define EVERY (((uint32_t)1 << FA_KINDS) - 1)

enum { COUNTS_NOT, COUNTS, IS_RARE, IS_NO_SHAPE };

/* Tell by the number of a shape, as far as a byte goes, whether a word with it stands in some of the elements. */
static const uint8_t *counting_shapes(fa_query *query, const fa_segment *segment, uint32_t elements) {
    uint8_t *made = arena_raw(&query->kept, FA_RARE + 1);
    if (made == NULL) return NULL;
    for (uint32_t shape = 0; shape < FA_RARE; shape++) {
        if (shape >= segment->shape_count) made[shape] = IS_NO_SHAPE;
        else made[shape] = segment->shape_facts[shape].elements & elements ? COUNTS : COUNTS_NOT;
    }
    made[FA_RARE] = IS_RARE;
    return made;
}

/* Read the next of the rare shapes. */
static int rare_shape(const fa_segment *segment, fa_rank *rank, uint32_t *shape, fa_fault *fault) {
    uint64_t found;
    TRY(fa_item_at(segment, &segment->rare_shapes, rank->rare++, &found, fault));
    if (found >= segment->shape_count) return fa_damaged(segment, &segment->rare_shapes, fault);
    *shape = (uint32_t)found;
    return FA_OK;
}

/* Write the pairs with the word in some of the elements. */
static int choose_elements(const held *list, const uint32_t *all, uint32_t *ordinals, uint32_t *rows, uint32_t *shapes,
                           uint32_t *count, fa_fault *fault) {
    const fa_segment *segment = list->list.segment;
    uint64_t start = list->list.start;
    uint32_t pairs = list->list.count, chosen = 0;
    uint8_t codes[FA_SHAPES];
    fa_rank rank;
    TRY(fa_require_shapes(segment, start, start + pairs, fault));
    TRY(fa_rank_of(segment, start, &rank, fault));
    for (uint32_t done = 0, some; done < pairs; done += some) {
        some = pairs - done < FA_SHAPES ? pairs - done : FA_SHAPES;
        TRY(fa_read_shapes(segment, start + done, some, &rank, codes, fault));
        for (uint32_t at = 0; at < some; at++) {
            uint32_t counts = list->counting[codes[at]];
            ordinals[chosen] = all[done + at];
            rows[chosen] = done + at;
            shapes[chosen] = codes[at];
            if (counts > COUNTS) {
                if (counts == IS_NO_SHAPE) return fa_damaged(segment, &segment->shapes, fault);
                TRY(rare_shape(segment, &rank, &shapes[chosen], fault));
                counts = (segment->shape_facts[shapes[chosen]].elements & list->elements) != 0;
            }
            chosen += counts;
        }
    }
    *count = chosen;
    return FA_OK;
}

/* Return the memory that there is for decoded lists yet. */
static size_t room_left(const fa_query *query) {
    return query->kept.held < RETAINED ? RETAINED - query->kept.held : 0;
}

/* Find the ordinals of all pairs of a list where they are known, or are worth keeping for other leaves. */
static int find_shared(fa_query *query, held *list) {
    if (list->all != NULL || !list->is_shared) return FA_OK;
    if (list->same != NULL) list->all = list->same->all;
    /* the other half is for what is chosen of them */
    if (list->all != NULL || query->kept.held > RETAINED / 2) return FA_OK;
    uint32_t *all = arena_raw(&query->kept, list->list.count * sizeof(uint32_t));
    if (all == NULL) return FA_NO_MEMORY;
    TRY(fa_list_ordinals(&list->list, all, &query->fault));
    list->all = all;
    if (list->same != NULL) list->same->all = all;
    return FA_OK;
}

/* Decode a list into memory that is good until the next one. */
static int decode(fa_query *query, held *list, view *found) {
    void *room[4];
    const uint32_t *all = list->all;
    for (int each = 0; each < 4; each++) {
        room[each] = buffer_get(&query->decoded[each], query->longest * sizeof(uint32_t));
        if (room[each] == NULL) return FA_NO_MEMORY;
    }
    if (all == NULL) {
        TRY(fa_list_ordinals(&list->list, room[0], &query->fault));
        all = room[0];
    }
    *found = (view){all, NULL, NULL, list->list.count};
    if (list->counting == NULL) return FA_OK;
    *found = (view){room[1], room[2], room[3], 0};
    return choose_elements(list, all, room[1], room[2], room[3], &found->count, &query->fault);
}

static const uint32_t *kept(fa_query *query, const uint32_t *numbers, uint32_t count) {
    uint32_t *made = arena_raw(&query->kept, count * sizeof(uint32_t));
    return made == NULL ? NULL : memcpy(made, numbers, count * sizeof(uint32_t));
}

/* Keep the pairs that were chosen of a list. */
static int keep_chosen(fa_query *query, held *list, const view *found) {
    list->ordinals = kept(query, found->ordinals, found->count);
    list->shapes = kept(query, found->shapes, found->count);
    list->count = found->count;
    if (list->has_places) list->rows = kept(query, found->rows, found->count);
    if (list->has_places && list->rows == NULL) return FA_NO_MEMORY;
    return list->ordinals == NULL || list->shapes == NULL ? FA_NO_MEMORY : FA_OK;
}

int held_keep(fa_query *query, held *list) {
    view found;
    TRY(find_shared(query, list));
    if (list->all == NULL) {
        uint32_t *all = arena_raw(&query->kept, list->list.count * sizeof(uint32_t));
        if (all == NULL) return FA_NO_MEMORY;
        TRY(fa_list_ordinals(&list->list, all, &query->fault));
        list->all = all;
    }
    if (list->counting == NULL) list->ordinals = list->all;
    if (list->ordinals != NULL) return FA_OK;
    TRY(decode(query, list, &found));
    return keep_chosen(query, list, &found);
}

int held_view(fa_query *query, held *list, view *found) {
    if (list->ordinals == NULL) TRY(find_shared(query, list));
    if (list->ordinals == NULL && list->counting == NULL && list->list.count <= room_left(query) / sizeof(uint32_t))
        TRY(held_keep(query, list));
    if (list->ordinals == NULL) {
        size_t each = (list->has_places ? 3 : 2) * sizeof(uint32_t);
        TRY(decode(query, list, found));
        if (list->counting == NULL || found->count > room_left(query) / each) return FA_OK;
        TRY(keep_chosen(query, list, found));
    }
    *found = (view){list->ordinals, list->rows, list->shapes, list->count};
    return FA_OK;
}

/* Make sure that each version has a language, for which there is a byte in the sets of a program. */
static int require_languages(fa_query *query, uint32_t place, uint32_t layer) {
    const fa_segment *segment = live_at(query, place)->layers[layer];
    const fa_array *column = &segment->language;
    uint64_t greatest = 0;
    uint8_t *is_known = &query->has_languages[2 * place + layer], greatest_byte = 0;
    if (*is_known) return FA_OK;
    TRY(fa_require(segment, column, 0, (uint64_t)segment->versions * column->width, &query->fault));
    if (column->width == 1) {
        for (uint32_t version = 0; version < segment->versions; version++)
            greatest_byte = column->data[version] > greatest_byte ? column->data[version] : greatest_byte;
        greatest = greatest_byte;
    } else {
        for (uint32_t version = 0; version < segment->versions; version++)
            if (fa_item(column, version) > greatest) greatest = fa_item(column, version);
    }
    if (greatest >= segment->languages) return fa_damaged(segment, column, &query->fault);
    *is_known = 1;
    return FA_OK;
}

/* Tell whether two leaves have the same words in a segment. */
static int have_same_words(const fa_leaf *one, const fa_leaf *other, uint32_t place) {
    uint32_t first = place ? one->ends[2 * place - 1] : 0, count = one->ends[2 * place + 1] - first;
    uint32_t others = place ? other->ends[2 * place - 1] : 0;
    if (one->kind != FA_WORDS || other->kind != FA_WORDS || other->ends[2 * place + 1] - others != count) return 0;
    if (one->ends[2 * place] - first != other->ends[2 * place] - others) return 0;
    for (uint32_t at = 0; at < count; at++)
        if (one->forms[first + at].word != other->forms[others + at].word) return 0;
    return 1;
}

/* Let the lists of a leaf be decoded once for all leaves with the same words, as a wildcard has that is asked for in
 * several elements. */
static void share_lists(const fa_query *query, uint32_t number, uint32_t place, state *made) {
    const fa_program *program = &query->program;
    const state *same = NULL;
    uint32_t leaves = 0;
    for (uint32_t other = 0; other < program->leaf_count; other++) {
        if (!have_same_words(&program->leaves[number], &program->leaves[other], place)) continue;
        leaves++;
        if (same == NULL && other < number) same = state_of(query, other, place);
    }
    for (uint32_t each = 0; each < made->list_count && leaves > 1; each++) {
        made->lists[each].is_shared = 1;
        if (same != NULL) made->lists[each].same = &same->lists[each];
    }
}

/* Make the lists of the forms of a leaf. */
static int list_forms(fa_query *query, uint32_t number, uint32_t place, state *made) {
    const fa_leaf *leaf = &query->program.leaves[number];
    const fa_live *live = live_at(query, place);
    uint32_t first = place ? leaf->ends[2 * place - 1] : 0, middle = leaf->ends[2 * place];
    uint32_t end = leaf->ends[2 * place + 1];
    if (end == first) return FA_OK;
    made->lists = arena_get(&query->kept, (end - first) * sizeof(held));
    if (made->lists == NULL) return FA_NO_MEMORY;
    const uint8_t *counting[2] = {NULL, NULL};
    const uint32_t is_placed = (uint32_t)has_spans(query, number);
    for (int layer = 0; layer < 2 && (leaf->elements & EVERY) != EVERY; layer++) {
        if (live->layers[layer] == NULL) continue;
        counting[layer] = counting_shapes(query, live->layers[layer], leaf->elements);
        if (counting[layer] == NULL) return FA_NO_MEMORY;
    }
    for (uint32_t at = first; at < end; at++) {
        held *list = &made->lists[made->list_count++];
        const fa_form *form = &leaf->forms[at];
        list->layer = at >= middle;
        TRY(fa_list_of(live->layers[list->layer], form->word, &list->list, &query->fault));
        list->factor = form->factor;
        list->elements = leaf->elements;
        list->has_places = leaf->kind != FA_WORDS || is_placed;
        list->counting = counting[list->layer];
        list->count = list->list.count;
        if (leaf->kind == FA_PHRASE) {
            if (at > (list->layer ? middle : first) && form->languages <= form[-1].languages) return FA_TOO_LARGE;
            list->place = form->languages;
        } else if (form->languages) {
            list->languages = leaf->sets + form->languages - 1;
            TRY(require_languages(query, place, list->layer));
        }
    }
    share_lists(query, number, place, made);
    return FA_OK;
}

/* Lists with one version in so many, or more, get a mask. */
#define DENSE 32

/* Make the mask of a dense list. */
static int make_bits(fa_query *query, held *list, uint32_t versions) {
    view found;
    size_t words = words_of(versions);
    if (list->counting != NULL || (uint64_t)list->list.count * DENSE < versions) return FA_OK;
    uint64_t *bits = arena_get(&query->kept, words * 8);
    uint32_t *ranks = arena_raw(&query->kept, words * sizeof(uint32_t)), rank = 0;
    if (bits == NULL || ranks == NULL) return FA_NO_MEMORY;
    TRY(held_view(query, list, &found));
    for (uint32_t row = 0; row < found.count; row++) set_bit(bits, found.ordinals[row]);
    for (size_t word = 0; word < words; word++) {
        ranks[word] = rank;
        rank += (uint32_t)counts_bits(bits[word]);
    }
    list->bits = bits;
    list->ranks = ranks;
    return FA_OK;
}

int held_row(fa_query *query, held *list, uint32_t version, uint32_t *row, int *is_there) {
    if (list->bits != NULL) {
        uint64_t word = list->bits[version >> 6], before = ((uint64_t)1 << (version & 63)) - 1;
        *is_there = (int)(word >> (version & 63) & 1);
        *row = list->ranks[version >> 6] + (uint32_t)counts_bits(word & before);
        return FA_OK;
    }
    view found;
    TRY(held_view(query, list, &found));
    uint32_t first = *row && found.ordinals[*row - 1] >= version ? 0 : *row;
    uint32_t at = gallop(found.ordinals, first, found.count, version);
    *is_there = at < found.count && found.ordinals[at] == version;
    *row = at;
    return FA_OK;
}

static int mark_list(fa_query *query, held *list, uint64_t *mask, int *is_held) {
    view found;
    if (list->bits != NULL && list->languages == NULL) {
        uint32_t versions = list->list.segment->versions;
        for (size_t word = 0; word < words_of(versions); word++) mask[word] |= list->bits[word];
        *is_held = 1;
        return FA_OK;
    }
    TRY(held_view(query, list, &found));
    if (list->languages == NULL) {
        for (uint32_t row = 0; row < found.count; row++) set_bit(mask, found.ordinals[row]);
        *is_held = found.count > 0;
        return FA_OK;
    }
    int any = 0;
    for (uint32_t row = 0; row < found.count; row++) {
        uint32_t version = found.ordinals[row];
        uint64_t counts = speaks(list, version) != 0;
        mask[version >> 6] |= counts << (version & 63);
        any |= (int)counts;
    }
    *is_held = any;
    return FA_OK;
}

/* A word: a single list that is not dense is left to be decoded when it is needed, several are joined to a mask. */
static int match_word(fa_query *query, uint32_t place, state *made, uint8_t *held_in) {
    uint32_t versions = live_at(query, place)->layers[0]->versions;
    int is_held;
    if (!made->list_count) return FA_OK;
    for (uint32_t each = 0; each < made->list_count; each++) TRY(make_bits(query, &made->lists[each], versions));
    if (made->list_count == 1 && made->lists->languages == NULL) {
        held *list = made->lists;
        view found = {NULL, NULL, NULL, list->list.count};
        if (list->counting != NULL) TRY(held_view(query, list, &found));
        made->count = list->count = found.count;
        made->mask = list->bits;
        held_in[list->layer] = found.count > 0;
        return FA_OK;
    }
    uint64_t *mask = arena_get(&query->kept, words_of(versions) * 8);
    uint64_t *rare = arena_get(&query->kept, words_of(versions) * 8);
    if (mask == NULL || rare == NULL) return FA_NO_MEMORY;
    for (uint32_t each = 0; each < made->list_count; each++) {
        held *list = &made->lists[each];
        TRY(mark_list(query, list, list->bits != NULL ? mask : rare, &is_held));
        if (is_held) held_in[list->layer] = 1;
    }
    for (size_t word = 0; word < words_of(versions); word++) mask[word] |= rare[word];
    made->mask = mask;
    made->rare = rare;
    made->count = (uint32_t)bits_in(mask, words_of(versions));
    return FA_OK;
}

/* The versions that hold any word at all in some elements. */
static int match_any(fa_query *query, const fa_leaf *leaf, uint32_t place, state *made) {
    const fa_live *live = live_at(query, place);
    uint32_t versions = live->layers[0]->versions;
    uint64_t *mask = arena_get(&query->kept, words_of(versions) * 8);
    if (mask == NULL) return FA_NO_MEMORY;
    for (int layer = 0; layer < 2; layer++) {
        const fa_segment *segment = live->layers[layer];
        uint32_t elements = layer ? leaf->elements & (uint32_t)1 << INLINK : leaf->elements;
        if (segment == NULL || !elements) continue;
        TRY(fa_require_lengths(segment, 0, versions, &query->fault));
        for (uint32_t version = 0; version < versions; version++)
            for (uint32_t element = 0; element < FA_KINDS; element++)
                if (elements >> element & 1 && fa_length(segment, version, element)) {
                    set_bit(mask, version);
                    break;
                }
    }
    made->mask = mask;
    made->count = (uint32_t)bits_in(mask, words_of(versions));
    return FA_OK;
}

/* Find where a leaf occurs in a segment. */
int leaf_match(fa_query *query, uint32_t number, uint32_t place, uint8_t *held_in) {
    const fa_leaf *leaf = &query->program.leaves[number];
    state *made = state_of(query, number, place);
    if (facts_of(query, number) != NULL) return facts_take(query, number, place, held_in);
    TRY(list_forms(query, number, place, made));
    if (leaf->kind == FA_ANY) return match_any(query, leaf, place, made);
    if (leaf->kind != FA_PHRASE) return match_word(query, place, made, held_in);
    TRY(phrase_match(query, number, place));
    for (int layer = 0; layer < 2; layer++) held_in[layer] = made->found[layer] > 0;
    return FA_OK;
}

/* Mark the versions that hold a leaf. */
int leaf_mark(fa_query *query, uint32_t number, uint32_t place, uint64_t *mask) {
    const state *known = state_of(query, number, place);
    uint32_t versions = live_at(query, place)->layers[0]->versions;
    int is_held;
    if (known->mask != NULL) {
        for (size_t word = 0; word < words_of(versions); word++) mask[word] |= known->mask[word];
        return FA_OK;
    }
    return known->count ? mark_list(query, known->lists, mask, &is_held) : FA_OK;
}

/* Tell whether a version of a segment holds both of two leaves. Without a mask each has one list, for all languages. */
static int meet_in(fa_query *query, uint32_t place, const state *one, const state *other, int *do_meet) {
    if (!one->count || !other->count) return FA_OK;
    if (one->mask != NULL && other->mask != NULL) {
        size_t words = words_of(live_at(query, place)->layers[0]->versions);
        for (size_t word = 0; word < words && !*do_meet; word++) *do_meet = (one->mask[word] & other->mask[word]) != 0;
        return FA_OK;
    }
    if (one->mask != NULL || (other->mask == NULL && other->count < one->count)) {
        const state *swapped = one;
        one = other;
        other = swapped;
    }
    held *list = one->lists;
    uint32_t row = 0;
    TRY(held_keep(query, list));
    for (uint32_t at = 0; at < list->count && !*do_meet; at++) {
        if (other->mask != NULL) *do_meet = has_bit(other->mask, list->ordinals[at]);
        else TRY(held_row(query, other->lists, list->ordinals[at], &row, do_meet));
    }
    return FA_OK;
}

int leaves_meet(fa_query *query, uint32_t one, uint32_t other, int *do_meet) {
    *do_meet = 0;
    for (uint32_t place = 0; place < query->program.segment_count && !*do_meet; place++)
        TRY(meet_in(query, place, state_of(query, one, place), state_of(query, other, place), do_meet));
    return FA_OK;
}
