/* NEAR of two words: whether they stand near each other at all, which is most of what is asked.
 *
 * Where the words stand is told for some versions at once, list by list, as it is of a phrase. In a version in which both
 * stand few times all places are read: those of one word become bits, and each of the other looks at the bits around it,
 * without a branch. Of a word that stands there often only what is near the other one is read, and nothing behind the
 * first find. */
#include "query_inside.h"

#define AT_ONCE 256    /* versions of which is told at once where the words stand */
#define MANY 16        /* lists of a word, at most; of more query_places.c takes care */
#define FEW_PLACES 128 /* places of a word in a version that are read one and all */
#define GUARD 128      /* bits between two sections, more than the greatest distance */
#define FEW_OF 8       /* pairs of a list for each version asked for, from which on skips pay */

/* Where one of the words stands. */
typedef struct side {
    reader from[2]; /* by layer */
    uint32_t list_count;
    const held *lists[MANY];
    fa_where *where; /* of the versions at hand, list behind list ... */
    uint32_t holding[AT_ONCE]; /* ... and which lists hold each, a bit for each list */
    /* ... and of one of them: */
    const held *there[MANY]; /* the lists that hold it */
    fa_runs runs[MANY];
    uint32_t count;
    uint64_t total; /* occurrences */
} side;

typedef struct two {
    fa_query *query;
    const uint64_t *candidates;
    const uint32_t *ranks; /* how many candidates stand before each word of their mask */
    uint32_t versions[AT_ONCE], count, first; /* first: how many were looked at before */
    uint8_t *bits; /* a bit for each position in each section; zeros between two versions */
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
    return node->op == FA_OP_BESIDE && node->count == 2 && node->value < GUARD &&
           is_word(query, program->args[node->first], place) && is_word(query, program->args[node->first + 1], place);
}

/* ---------------------------------------------------------------- lists */

/* Return how many candidates stand before a version. */
static uint32_t rank_of(const two *in, uint32_t version) {
    uint64_t before = ((uint64_t)1 << (version & 63)) - 1;
    return in->ranks[version >> 6] + (uint32_t)counts_bits(in->candidates[version >> 6] & before);
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
            made->lists[made->list_count++] = from->lists[each];
        }
    }
    made->where = arena_raw(&query->kept, (made->list_count + 1) * AT_ONCE * sizeof(fa_where));
    return made->where == NULL ? FA_NO_MEMORY : FA_OK;
}

/* Write the rows of a list in which the versions at hand stand, and the place of each among these. */
static uint32_t rows_of(const two *in, const held *list, uint32_t *next, uint32_t *rows, uint32_t *places) {
    uint32_t first = in->versions[0], last = in->versions[in->count - 1], count = 0, row;
    for (row = gallop(list->ordinals, *next, list->count, first); row < list->count; row++) {
        uint32_t version = list->ordinals[row];
        if (version > last) break;
        if (!has_bit(in->candidates, version) || !speaks(list, version)) continue;
        rows[count] = list->rows == NULL ? row : list->rows[row];
        places[count++] = rank_of(in, version) - in->first;
    }
    *next = row;
    return count;
}

static int find_side(two *in, side *of) {
    uint32_t rows[AT_ONCE], places[AT_ONCE];
    fa_where found[AT_ONCE], *where = of->where;
    uint32_t list = 1;
    memset(of->holding, 0, sizeof of->holding);
    for (uint32_t layer = 0; layer < 2; layer++) {
        reader *from = &of->from[layer];
        for (uint32_t each = 0; each < from->list_count; each++, where += AT_ONCE, list *= 2) {
            uint32_t count = rows_of(in, from->lists[each], &from->rows[each], rows, places);
            TRY(fa_cursor_rows(&from->cursors[each], rows, count, found, &in->query->fault));
            for (uint32_t at = 0; at < count; at++) {
                where[places[at]] = found[at];
                of->holding[places[at]] |= list;
            }
        }
    }
    return FA_OK;
}

static uint32_t of_elements(uint32_t elements) {
    uint32_t sections = 0;
    for (; elements; elements &= elements - 1) sections |= (uint32_t)1 << section_of[__builtin_ctz(elements)];
    return sections;
}

/* Return in which sections a word stands in one of the versions at hand, a bit for each. */
static uint32_t sections_of(const side *of, uint32_t at) {
    uint32_t sections = 0;
    for (uint32_t left = of->holding[at]; left; left &= left - 1) {
        uint32_t each = (uint32_t)__builtin_ctz(left);
        const held *list = of->lists[each];
        uint32_t elements = list->list.segment->shape_facts[of->where[each * AT_ONCE + at].shape].elements;
        sections |= of_elements(elements & list->elements);
    }
    return sections;
}

/* Tell where a word stands in one of the versions at hand. */
static int runs_of(two *in, uint32_t at, side *of) {
    of->count = 0;
    of->total = 0;
    for (uint32_t left = of->holding[at]; left; left &= left - 1) {
        uint32_t each = (uint32_t)__builtin_ctz(left);
        fa_where where = of->where[each * AT_ONCE + at];
        fa_runs *runs = &of->runs[of->count];
        TRY(fa_runs_at(of->lists[each]->list.segment, where, in->versions[at], runs, &in->query->fault));
        of->there[of->count++] = of->lists[each];
        of->total += runs->total;
    }
    return FA_OK;
}

/* ---------------------------------------------------------------- words that stand there few times */

/* Return the bit of a position. */
static size_t bit_of(uint32_t element, uint32_t position, uint32_t extent) {
    return (size_t)section_of[element] * (extent + GUARD) + GUARD + position;
}

/* Return the bits from one on: 57 of them, and more where it begins a byte. */
static inline uint64_t bits_from(const uint8_t *bits, size_t from) {
    uint64_t found = 0;
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(&found, bits + (from >> 3), 8);
#else
    for (int part = 8; part-- > 0;) found = found << 8 | bits[(from >> 3) + (size_t)part];
#endif
    return found >> (from & 7);
}

#define WHOLE 57 /* bits that are there wherever they begin */

static inline uint64_t ones(uint32_t count) { return ((uint64_t)1 << count) - 1; }

/* Tell whether there is a bit at most `distance` before or behind one, but not there. */
static inline uint64_t is_beside(const uint8_t *bits, size_t at, uint32_t distance) {
    uint64_t any = 0;
    if (2 * distance < WHOLE) return bits_from(bits, at - distance) & (ones(2 * distance + 1) ^ (uint64_t)1 << distance);
    for (uint32_t done = 0, some; done < distance; done += some) {
        some = distance - done < WHOLE ? distance - done : WHOLE;
        any |= (bits_from(bits, at - distance + done) | bits_from(bits, at + 1 + done)) & ones(some);
    }
    return any;
}

/* extent: that of the version, below MARKS. */
static int look_at_all(two *in, const side *marked, const side *other, uint32_t extent, int *is_found) {
    fa_query *query = in->query;
    uint32_t marks[FEW_PLACES], mark_count = 0, distance = (uint32_t)in->distance;
    uint64_t any = 0;
    uint8_t *elements;
    uint32_t *positions;
    int status = FA_OK;
    for (uint32_t each = 0; each < marked->count; each++) {
        status = read_runs(query, &marked->runs[each], &elements, &positions);
        for (uint32_t at = 0; status == FA_OK && at < marked->runs[each].total; at++) {
            size_t bit = bit_of(elements[at], positions[at], extent);
            in->bits[bit >> 3] |= (uint8_t)((marked->there[each]->elements >> elements[at] & 1) << (bit & 7));
            marks[mark_count++] = (uint32_t)(bit >> 3);
        }
    }
    for (uint32_t each = 0; each < other->count && status == FA_OK && !any; each++) {
        status = read_runs(query, &other->runs[each], &elements, &positions);
        for (uint32_t at = 0; status == FA_OK && at < other->runs[each].total; at++) {
            uint64_t counts = 0 - (uint64_t)(other->there[each]->elements >> elements[at] & 1);
            any |= is_beside(in->bits, bit_of(elements[at], positions[at], extent), distance) & counts;
        }
    }
    for (uint32_t at = 0; at < mark_count; at++) in->bits[marks[at]] = 0;
    *is_found = any != 0;
    return status;
}

/* ---------------------------------------------------------------- words that stand there often */

/* Write the places of a word, rising. */
static int read_places(two *in, const side *of, uint64_t *places, size_t *count) {
    uint8_t *elements;
    uint32_t *positions;
    *count = 0;
    for (uint32_t each = 0; each < of->count; each++) {
        TRY(read_runs(in->query, &of->runs[each], &elements, &positions));
        for (uint32_t at = 0; at < of->runs[each].total; at++)
            if (of->there[each]->elements >> elements[at] & 1)
                places[(*count)++] = place_at(elements[at], positions[at]);
    }
    return sort_numbers(in->query, places, *count);
}

/* Tell whether a run has a position that is at most `distance` before or behind one of these places, and not there. */
static int is_near_any(fa_run *run, const uint64_t *places, size_t count, uint64_t distance) {
    uint64_t base = place_at(run->element, 0), same = UINT64_MAX; /* same: a position that was one of the places */
    for (size_t at = 0; at < count; at++) {
        if (places[at] < base) continue;
        uint64_t place = places[at] - base, low = place > distance ? place - distance : 0;
        if (low >= run->extent) break; /* also where another section begins */
        if (place != same && same != UINT64_MAX && place - same <= distance) return 1;
        uint32_t found = fa_run_from(run, (uint32_t)low);
        if (found == place) {
            same = place;
            if (place < UINT32_MAX) found = fa_run_from(run, (uint32_t)place + 1);
        }
        if (found == FA_NO_POSITION && same == UINT64_MAX) break;
        if (found != FA_NO_POSITION && found != place && found <= place + distance) return 1;
    }
    return 0;
}

static int look_around(two *in, const side *fewer, side *other, int *is_found) {
    fa_query *query = in->query;
    size_t count;
    uint64_t *places = arena_raw(&query->version, fewer->total * sizeof(uint64_t));
    if (places == NULL) return FA_NO_MEMORY;
    TRY(read_places(in, fewer, places, &count));
    for (uint32_t each = 0; each < other->count && !*is_found; each++) {
        fa_run run;
        int is_there;
        TRY(next_run(query, other->there[each], &other->runs[each], &run, &is_there));
        while (is_there && !*is_found) {
            *is_found = is_near_any(&run, places, count, in->distance);
            TRY(run_status(query, &run));
            TRY(next_run(query, other->there[each], &other->runs[each], &run, &is_there));
        }
    }
    return FA_OK;
}

/* ---------------------------------------------------------------- all versions */

static uint32_t greatest_extent(const side *of) {
    uint32_t greatest = 0;
    for (uint32_t each = 0; each < of->count; each++)
        greatest = of->runs[each].extent > greatest ? of->runs[each].extent : greatest;
    return greatest;
}

/* Tell whether the words stand near each other in one of the versions at hand. */
static int look(two *in, uint32_t at, int *is_found) {
    side *sides = in->sides;
    *is_found = 0;
    if (!(sections_of(&sides[0], at) & sections_of(&sides[1], at))) return FA_OK;
    for (int each = 0; each < 2; each++) {
        TRY(runs_of(in, at, &sides[each]));
        if (!sides[each].total) return FA_OK;
    }
    side *fewer = &sides[sides[1].total < sides[0].total], *other = &sides[fewer == sides];
    uint32_t extent = greatest_extent(fewer), others = greatest_extent(other);
    extent = others > extent ? others : extent;
    if (other->total <= FEW_PLACES && extent <= MARKS) return look_at_all(in, fewer, other, extent, is_found);
    arena_empty(&in->query->version, (size_t)1 << 20);
    return look_around(in, fewer, other, is_found);
}

#define LOOK_AFTER 4 /* versions between two looks at the clock */

static int look_at_some(two *in, uint64_t *mask, uint32_t *done) {
    int is_found;
    for (int each = 0; each < 2; each++) TRY(find_side(in, &in->sides[each]));
    for (*done = 0; *done < in->count; (*done)++) {
        if (*done % LOOK_AFTER == 0 && finding_is_over(in->query)) return FA_TIME_UP;
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
    in->bits = arena_get(&query->kept, ((size_t)SECTIONS * (MARKS + GUARD) + 2 * GUARD + 64) / 8); /* 64: see bits_from */
    if (in->bits == NULL) return FA_NO_MEMORY;
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
                return FA_OK;
            }
            TRY(status);
            in->first += in->count;
            in->count = 0;
        }
    return FA_OK;
}
