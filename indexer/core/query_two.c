/* NEAR of two words: whether they stand near each other at all, which is most of what is asked.
 *
 * Where the words stand is told for some versions at once, list by list, as it is of a phrase; so are the places read of
 * a word in those versions in which it stands few times. Where both do, as in most, each place of one word is compared with
 * each of the other, without a branch. Of a word that stands there often only what is near the other one is read, and
 * nothing behind the first find. The most frequent form of each word is looked at first: versions in which these stand near
 * each other are not looked at for the others. */
#include "query_inside.h"

#define AT_ONCE 256    /* versions of which is told at once where the words stand */
#define MANY 64        /* lists of a word, at most; of more query_places.c takes care */
#define MOST_READ 24   /* places of a list in a version that are read before anything else is known of it */
#define SECTION_BITS 29 /* of a position in its section, and of more than the greatest distance behind it */
#define MOST_APART 127 /* the greatest distance */
#define FEW_OF 8       /* pairs of a list for each version asked for, from which on skips pay */

/* Where one of the words stands. */
typedef struct side {
    reader from[2]; /* by layer */
    uint32_t list_count;
    const held *lists[MANY]; /* the one with most pairs first ... */
    fa_cursor *cursors[MANY];
    uint32_t *rows[MANY];    /* ... and the next row of each, see reader */
    fa_where *where; /* of the versions at hand, list behind list ... */
    uint64_t holding[AT_ONCE]; /* ... and which lists hold each, a bit for each list */
    uint32_t *places[MANY];    /* of each list: section << SECTION_BITS | position */
    uint32_t *ends;            /* ... and where those of each version begin and end: two each */
    uint64_t unread[AT_ONCE];  /* lists that stand too often in each, a bit for each list */
} side;

typedef struct two {
    fa_query *query;
    const uint64_t *candidates;
    const uint32_t *ranks; /* how many candidates stand before each word of their mask */
    uint32_t versions[AT_ONCE], count, first; /* first: how many were looked at before */
    uint64_t distance;
    side sides[2];
} two;

static int is_word(const fa_query *query, uint32_t number, uint32_t place) {
    const fa_node *node = &query->program.nodes[number];
    const fa_leaf *leaf = &query->program.leaves[node->value];
    return node->op == FA_OP_SPANS && (leaf->kind == FA_WORD || leaf->kind == FA_WORDS) && leaf->length <= 1 &&
           state_of(query, node->value, place)->list_count <= MANY;
}

int are_two_words(const fa_query *query, uint32_t root, uint32_t place) {
    const fa_program *program = &query->program;
    const fa_node *node = &program->nodes[root];
    return node->op == FA_OP_BESIDE && node->count == 2 && node->value <= MOST_APART &&
           is_word(query, program->args[node->first], place) && is_word(query, program->args[node->first + 1], place);
}

/* ---------------------------------------------------------------- lists */

/* Return how many candidates stand before a version. */
static uint32_t rank_of(const two *in, uint32_t version) {
    uint64_t before = ((uint64_t)1 << (version & 63)) - 1;
    return in->ranks[version >> 6] + (uint32_t)counts_bits(in->candidates[version >> 6] & before);
}

static void add_list(side *to, reader *from, uint32_t each) {
    uint32_t at = to->list_count++;
    for (; at && to->lists[at - 1]->list.count < from->lists[each]->list.count; at--) {
        to->lists[at] = to->lists[at - 1];
        to->cursors[at] = to->cursors[at - 1];
        to->rows[at] = to->rows[at - 1];
    }
    to->lists[at] = from->lists[each];
    to->cursors[at] = &from->cursors[each];
    to->rows[at] = &from->rows[each];
}

static int open_side(two *in, uint32_t leaf, uint32_t place, uint32_t asked, side *made) {
    fa_query *query = in->query;
    for (uint32_t layer = 0; layer < 2; layer++) {
        reader *from = &made->from[layer];
        TRY(reader_begin(query, from, leaf, place, layer));
        for (uint32_t each = 0; each < from->list_count; each++) {
            TRY(held_keep(query, from->lists[each]));
            from->cursors[each].ordinals = from->lists[each]->all;
            if (asked < from->lists[each]->count / FEW_OF) TRY(skips_find(query, from->lists[each], &from->cursors[each]));
            add_list(made, from, each);
        }
    }
    made->where = arena_raw(&query->kept, (made->list_count + 1) * AT_ONCE * sizeof(fa_where));
    made->ends = arena_raw(&query->kept, (made->list_count + 1) * 2 * AT_ONCE * sizeof(uint32_t));
    for (uint32_t each = 0; each < made->list_count; each++) {
        const size_t most = made->lists[each]->count < AT_ONCE ? made->lists[each]->count : AT_ONCE;
        made->places[each] = arena_raw(&query->kept, (most * MOST_READ + FA_PLACES_MORE) * sizeof(uint32_t));
        if (made->places[each] == NULL) return FA_NO_MEMORY;
    }
    return made->where == NULL || made->ends == NULL ? FA_NO_MEMORY : FA_OK;
}

/* Write the rows of a list in which the versions at hand stand, and the place of each among these. done: versions that are
 * left out. */
static uint32_t rows_by_ordinal(const two *in, const held *list, const uint64_t *done, uint32_t *next, uint32_t *rows,
                                uint32_t *places) {
    uint32_t first = in->versions[0], last = in->versions[in->count - 1], count = 0, row;
    for (row = gallop(list->ordinals, *next, list->count, first); row < list->count; row++) {
        uint32_t version = list->ordinals[row];
        if (version > last) break;
        if (!has_bit(in->candidates, version) || has_bit(done, version) || !speaks(list, version)) continue;
        rows[count] = list->rows == NULL ? row : list->rows[row];
        places[count++] = rank_of(in, version) - in->first;
    }
    *next = row;
    return count;
}

/* The same of a list with a mask. */
static uint32_t rows_by_mask(const two *in, const held *list, const uint64_t *done, uint32_t *rows, uint32_t *places) {
    const uint32_t first = in->versions[0], last = in->versions[in->count - 1];
    uint32_t count = 0;
    for (size_t word = first >> 6; word <= last >> 6; word++) {
        const uint64_t candidates = in->candidates[word], holding = list->bits[word];
        uint64_t left = candidates & holding & ~done[word];
        if (word == first >> 6) left &= ~(uint64_t)0 << (first & 63);
        if (word == last >> 6) left &= ~(uint64_t)0 >> (63 - (last & 63));
        for (; left; left &= left - 1) {
            const uint64_t before = (left & -left) - 1;
            if (!speaks(list, (uint32_t)word * 64 + (uint32_t)__builtin_ctzll(left))) continue;
            rows[count] = list->ranks[word] + (uint32_t)counts_bits(holding & before);
            places[count++] = in->ranks[word] + (uint32_t)counts_bits(candidates & before) - in->first;
        }
    }
    return count;
}

/* Return how places of a list are written. */
static fa_places form_of(const held *list) {
    fa_places form = {.elements = list->elements, .shift = 0};
    for (uint32_t element = 0; element < FA_KINDS; element++)
        form.codes[element] = (uint32_t)section_of[element] << SECTION_BITS;
    return form;
}

/* Read the list `number` of a word. */
static int find_list(two *in, side *of, const uint64_t *done, uint32_t number) {
    uint32_t rows[AT_ONCE], slots[AT_ONCE], versions[AT_ONCE], ends[AT_ONCE], spare[2 * MOST_READ], before = 0;
    fa_where found[AT_ONCE], *where = of->where + number * (size_t)AT_ONCE;
    const held *list = of->lists[number];
    const fa_segment *segment = list->list.segment;
    const fa_places form = form_of(list);
    uint32_t *own = of->ends + number * (size_t)(2 * AT_ONCE);
    const uint32_t count = list->bits != NULL ? rows_by_mask(in, list, done, rows, slots)
                                              : rows_by_ordinal(in, list, done, of->rows[number], rows, slots);
    if (!count) return FA_OK;
    TRY(fa_cursor_rows(of->cursors[number], rows, count, found, &in->query->fault));
    for (uint32_t at = 0; at < count; at++) versions[at] = in->versions[slots[at]];
    TRY(fa_read_places(segment, found, versions, count, &form, MOST_READ, of->places[number], ends,
                       spare, &in->query->fault));
    for (uint32_t at = 0; at < count; before = ends[at++]) {
        const uint32_t slot = slots[at];
        const uint64_t is_unread = segment->shape_facts[found[at].shape].total > MOST_READ;
        where[slot] = found[at];
        of->holding[slot] |= (uint64_t)1 << number;
        of->unread[slot] |= is_unread << number;
        own[2 * slot] = before;
        own[2 * slot + 1] = ends[at];
    }
    return FA_OK;
}

/* ---------------------------------------------------------------- one version */

/* Places of a word in a version, or those of one of its lists. */
typedef struct some_places {
    const uint32_t *at;
    uint32_t count;
} some_places;

static some_places places_read(const side *of, uint32_t number, uint32_t at) {
    const uint32_t *ends = of->ends + number * (size_t)(2 * AT_ONCE) + 2 * (size_t)at;
    return (some_places){of->places[number] + ends[0], ends[1] - ends[0]};
}

/* Tell whether a place of some is near one of the others, behind which there are EIGHT more numbers, as there are behind
 * these. Places in different sections are further from each other than the greatest distance. */
static int are_near(some_places some, some_places others, uint32_t distance) {
    const eight_numbers lanes = {0, 1, 2, 3, 4, 5, 6, 7};
    if (some.count > others.count) {
        const some_places fewer = others;
        others = some;
        some = fewer;
    }
    for (uint32_t from = 0; from < others.count; from += EIGHT) {
        uint64_t found[EIGHT / 2];
        eight_numbers any = {0}, it;
        memcpy(&it, others.at + from, sizeof it);
        for (uint32_t each = 0; each < some.count; each++) {
            const eight_numbers behind = it - (some.at[each] - distance); /* how far from the first place that is near */
            any |= (eight_numbers)(behind <= 2 * distance) & (eight_numbers)(behind != distance);
        }
        any &= (eight_numbers)(lanes < others.count - from);
        memcpy(found, &any, sizeof found);
        if ((found[0] | found[1] | found[2] | found[3]) != 0) return 1;
    }
    return 0;
}

/* Return how often a word stands in one of the versions at hand. */
static uint64_t total_of(const side *of, uint32_t at) {
    uint64_t total = 0;
    for (uint64_t left = of->holding[at]; left; left &= left - 1) {
        const uint32_t number = (uint32_t)__builtin_ctzll(left);
        total += of->lists[number]->list.segment->shape_facts[of->where[number * (size_t)AT_ONCE + at].shape].total;
    }
    return total;
}

/* Read all places of a list that stands too often in one of the versions at hand. */
static int read_unread(two *in, const side *of, uint32_t number, uint32_t at, some_places *made) {
    const held *list = of->lists[number];
    const fa_segment *segment = list->list.segment;
    const fa_where *where = of->where + number * (size_t)AT_ONCE + at;
    const uint32_t total = segment->shape_facts[where->shape].total;
    const fa_places form = form_of(list);
    arena_empty(&in->query->version, (size_t)1 << 20);
    uint32_t *places = arena_raw(&in->query->version, ((size_t)total + FA_PLACES_MORE) * sizeof(uint32_t));
    uint32_t *spare = arena_raw(&in->query->version, 2 * (size_t)total * sizeof(uint32_t));
    if (places == NULL || spare == NULL) return FA_NO_MEMORY;
    made->at = places;
    return fa_read_places(segment, where, &in->versions[at], 1, &form, total, places, &made->count, spare,
                          &in->query->fault);
}

/* Tell whether a run has a position near one of these places. Only what is near them is read, and nothing behind the first
 * find. */
static int is_near_run(fa_run *run, some_places places, uint32_t distance) {
    const fa_run begin = *run;
    const uint32_t section = section_of[run->element], mask = ((uint32_t)1 << SECTION_BITS) - 1;
    uint32_t next = 0; /* what lies before was passed by */
    for (uint32_t each = 0; each < places.count && !run->is_damaged; each++) {
        if (places.at[each] >> SECTION_BITS != section) continue;
        const uint32_t place = places.at[each] & mask, low = place > distance ? place - distance : 0;
        if (low >= run->extent) continue;
        if (low < next) *run = begin;
        next = low;
        uint32_t found = fa_run_from(run, low);
        if (found == place) found = fa_run_from(run, next = place + 1);
        if (found != FA_NO_POSITION && found <= place + distance) return 1;
    }
    return 0;
}

/* Look for places near some others in a list that stands too often to be read. */
static int look_around(two *in, const side *of, uint32_t number, uint32_t at, some_places places, int *is_found) {
    const held *list = of->lists[number];
    fa_runs runs;
    fa_run run;
    int is_there;
    TRY(fa_runs_at(list->list.segment, of->where[number * (size_t)AT_ONCE + at], in->versions[at], &runs, &in->query->fault));
    TRY(next_run(in->query, list, &runs, &run, &is_there));
    while (is_there && !*is_found) {
        *is_found = is_near_run(&run, places, (uint32_t)in->distance);
        TRY(run_status(in->query, &run));
        TRY(next_run(in->query, list, &runs, &run, &is_there));
    }
    return FA_OK;
}

/* Tell whether the words stand near each other in one of the versions at hand, other than in the first list of each where
 * these were read. */
static int look(two *in, uint32_t at, int *is_found) {
    *is_found = 0;
    if (!in->sides[0].holding[at] || !in->sides[1].holding[at]) return FA_OK;
    const side *of = &in->sides[total_of(&in->sides[1], at) < total_of(&in->sides[0], at)];
    const side *other = &in->sides[of == in->sides];
    for (uint64_t left = of->holding[at]; left; left &= left - 1) {
        const uint32_t number = (uint32_t)__builtin_ctzll(left), is_unread = of->unread[at] >> number & 1;
        some_places places = {NULL, 0};
        if (is_unread) TRY(read_unread(in, of, number, at, &places));
        else places = places_read(of, number, at);
        for (uint64_t rest = other->holding[at]; rest && !*is_found; rest &= rest - 1) {
            const uint32_t its = (uint32_t)__builtin_ctzll(rest);
            if (other->unread[at] >> its & 1) TRY(look_around(in, other, its, at, places, is_found));
            else if (is_unread || number || its)
                *is_found = are_near(places_read(other, its, at), places, (uint32_t)in->distance);
        }
        if (*is_found) break;
    }
    return FA_OK;
}

#define LOOK_AFTER 4 /* versions between two looks at the clock */

/* Mark the versions in which the most frequent forms stand near each other. */
static int look_at_first(two *in, uint64_t *mask) {
    side *sides = in->sides;
    for (int each = 0; each < 2; each++) {
        memset(sides[each].holding, 0, sizeof sides[each].holding);
        memset(sides[each].unread, 0, sizeof sides[each].unread);
        if (sides[each].list_count) TRY(find_list(in, &sides[each], mask, 0));
    }
    for (uint32_t at = 0; at < in->count; at++) {
        if (!(sides[0].holding[at] & sides[1].holding[at]) || sides[0].unread[at] | sides[1].unread[at]) continue;
        if (are_near(places_read(&sides[0], 0, at), places_read(&sides[1], 0, at), (uint32_t)in->distance))
            set_bit(mask, in->versions[at]);
    }
    return FA_OK;
}

static int look_at_some(two *in, uint64_t *mask, uint32_t *done) {
    int is_found;
    *done = 0;
    if (finding_is_over(in->query)) return FA_TIME_UP;
    TRY(look_at_first(in, mask));
    for (int each = 0; each < 2; each++)
        for (uint32_t number = 1; number < in->sides[each].list_count; number++)
            TRY(find_list(in, &in->sides[each], mask, number));
    for (; *done < in->count; (*done)++) {
        const side *one = &in->sides[0], *other = &in->sides[1];
        uint64_t forms = one->holding[*done] | other->holding[*done], unread = one->unread[*done] | other->unread[*done];
        if (*done % LOOK_AFTER == 0 && finding_is_over(in->query)) return FA_TIME_UP;
        if ((forms == 1 && !unread) || has_bit(mask, in->versions[*done])) continue; /* was looked at */
        TRY(look(in, *done, &is_found));
        if (is_found) set_bit(mask, in->versions[*done]);
    }
    return FA_OK;
}

/* Mark the versions among the candidates in which the two words of a node stand near each other. */
int two_words_mask(fa_query *query, uint32_t root, uint32_t place, const uint64_t *candidates, uint64_t *mask) {
    const fa_program *program = &query->program;
    const fa_node *node = &program->nodes[root];
    size_t words = words_of(live_at(query, place)->layers[0]->versions);
    two *in = arena_get(&query->kept, sizeof(two));
    uint32_t *ranks = arena_raw(&query->kept, words * sizeof(uint32_t)), rank = 0, done = 0;
    if (in == NULL || ranks == NULL) return FA_NO_MEMORY;
    in->query = query;
    in->candidates = candidates;
    in->ranks = ranks;
    in->distance = node->value;
    for (size_t word = 0; word < words; word++) {
        ranks[word] = rank;
        rank += (uint32_t)counts_bits(candidates[word]);
    }
    for (uint32_t each = 0; each < 2; each++)
        TRY(open_side(in, program->nodes[program->args[node->first + each]].value, place, rank, &in->sides[each]));
    for (size_t word = 0; word < words; word++)
        for (uint64_t left = candidates[word]; left; left &= left - 1) {
            in->versions[in->count++] = (uint32_t)(word * 64) + (uint32_t)__builtin_ctzll(left);
            if (in->count < AT_ONCE && in->first + in->count < rank) continue;
            int status = look_at_some(in, mask, &done);
            if (status == FA_TIME_UP) {
                if (in->versions[done] < query->complete[place]) query->complete[place] = in->versions[done];
                for (; done < in->count; done++) mask[in->versions[done] >> 6] &= ~((uint64_t)1 << (in->versions[done] & 63));
                return FA_OK;
            }
            TRY(status);
            in->first += in->count;
            in->count = 0;
        }
    return FA_OK;
}
