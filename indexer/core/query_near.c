/* Words of a query that stand near each other: what that adds to the scores of the best versions.
 *
 * Each occurrence of the first word of a pair counts 1 / d**2, d being the distance to the nearest occurrence of the
 * second, up to REACH places before or behind; counts are weighed by element and saturate as those of a word do.
 */
#include <stdlib.h>

#include "query_inside.h"

#define REACH 10
#define STEP 4 /* of the versions read so far one in so many are read before it is asked again which of the others may win */

typedef struct pool {
    fa_query *query;
    reader *readers;   /* by leaf and layer */
    uint64_t **lines;  /* by leaf: occurrences in the version at hand: line << 4 | element; NULL: not read yet */
    size_t *counts;
    uint8_t *is_asked; /* by leaf */
} pool;

static int open_pool(fa_query *query, pool *made, uint32_t place, const uint64_t *candidates, size_t asked) {
    const fa_program *program = &query->program;
    size_t leaves = program->leaf_count;
    made->query = query;
    made->readers = arena_get(&query->kept, 2 * leaves * sizeof(reader));
    made->lines = arena_get(&query->kept, leaves * sizeof(uint64_t *));
    made->counts = arena_get(&query->kept, leaves * sizeof(size_t));
    made->is_asked = arena_get(&query->kept, leaves);
    if (made->readers == NULL || made->lines == NULL || made->counts == NULL || made->is_asked == NULL)
        return FA_NO_MEMORY;
    for (uint32_t at = 0; at < 2 * program->pair_count; at++) made->is_asked[program->pairs[at]] = 1;
    for (uint32_t at = 0; at < 2 * leaves; at++)
        if (made->is_asked[at / 2]) TRY(reader_open_for(query, &made->readers[at], at / 2, place, at % 2, candidates, asked));
    return FA_OK;
}

static void begin_version(pool *in) {
    arena_empty(&in->query->version, (size_t)1 << 20);
    memset(in->lines, 0, in->query->program.leaf_count * sizeof(uint64_t *));
}

/* Read where a word stands in the version at hand. Link texts are far from everything else. */
static int read_lines(pool *in, uint32_t leaf, uint32_t version) {
    fa_query *query = in->query;
    size_t count = 0;
    if (in->lines[leaf] != NULL) return FA_OK;
    for (int layer = 0; layer < 2; layer++)
        TRY(reader_spots(query, &in->readers[2 * (size_t)leaf + layer], version, &query->places[3], &count));
    const spot *stands = query->places[3].data;
    uint64_t *lines = arena_raw(&query->version, (count + 1) * sizeof(uint64_t));
    if (lines == NULL) return FA_NO_MEMORY;
    for (size_t at = 0; at < count; at++) {
        uint64_t line = stands[at].position + (stands[at].element == INLINK ? (uint64_t)1 << 32 : 0);
        lines[at] = line << 4 | stands[at].element;
    }
    in->lines[leaf] = lines;
    in->counts[leaf] = count;
    return FA_OK;
}

/* What occurrences of a first word count that stand near the second one, each as line << 8 | element << 4 | distance, is
 * added in the order of the lines: it is part of the result. */
static int add_near(fa_query *query, uint64_t *near, size_t count, double counts[FA_KINDS]) {
    TRY(sort_numbers(query, near, count));
    for (size_t at = 0; at < count; at++) {
        uint64_t distance = near[at] & 15;
        counts[near[at] >> 4 & 15] += 1.0 / (double)(distance * distance);
    }
    return FA_OK;
}

/* Bits of the lines of a word: those of the page, and those of link texts, so far apart that no word reaches over. */
static inline uint64_t bit_of(uint64_t line) { return 64 + (line >> 32) * (MARKS + 64) + (uint32_t)line; }

static void set_lines(uint64_t *bits, const uint64_t *lines, size_t count) {
    for (size_t at = 0; at < count; at++) set_bit(bits, (uint32_t)bit_of(lines[at] >> 4));
}

static void clear_lines(uint64_t *bits, const uint64_t *lines, size_t count) {
    for (size_t at = 0; at < count; at++) bits[bit_of(lines[at] >> 4) / 64] = 0;
}

/* Return how far from a bit the next other one is, REACH + 1 where none is near. */
static inline uint32_t distance_to(const uint64_t *bits, uint64_t bit) {
    const uint32_t within = ((uint32_t)1 << REACH) - 1;
    uint64_t from = bit - REACH, low = bits[from / 64] >> (from & 63);
    uint64_t high = bits[from / 64 + 1] << 1 << (63 - (from & 63));
    uint32_t around = (uint32_t)(low | high), before = around & within, after = around >> (REACH + 1) & within;
    uint32_t back = before ? (uint32_t)__builtin_clz(before) - (31 - REACH) : REACH + 1;
    uint32_t ahead = after ? (uint32_t)__builtin_ctz(after) + 1 : REACH + 1;
    return back < ahead ? back : ahead;
}

static int has_far_lines(const uint64_t *lines, size_t count) {
    uint32_t greatest = 0;
    for (size_t at = 0; at < count; at++) {
        uint32_t position = (uint32_t)(lines[at] >> 4);
        greatest = position > greatest ? position : greatest;
    }
    return greatest >= MARKS;
}

/* Find which occurrences of a first word are near the second one, which is marked bit by bit. */
static void find_marked(const pool *in, uint32_t first, uint32_t second, uint64_t *near, size_t *count) {
    uint64_t *bits = in->query->near_bits;
    const uint64_t *here = in->lines[first];
    set_lines(bits, in->lines[second], in->counts[second]);
    for (size_t at = 0; at < in->counts[first]; at++) {
        if ((uint32_t)(here[at] >> 4) >= MARKS + REACH) continue;
        /* what stands at the very same place, as the parts of "don't" do, is not beside it */
        uint32_t distance = distance_to(bits, bit_of(here[at] >> 4));
        near[*count] = here[at] << 4 | distance;
        *count += distance <= REACH;
    }
    clear_lines(bits, in->lines[second], in->counts[second]);
}

/* The same of long pages: both are put in order. */
static int find_sorted(const pool *in, uint32_t first, uint32_t second, uint64_t *near, size_t *count) {
    uint64_t *here = in->lines[first], *there = in->lines[second];
    size_t before = 0, after = 0, others = in->counts[second];
    TRY(sort_numbers(in->query, here, in->counts[first]));
    TRY(sort_numbers(in->query, there, others));
    for (size_t at = 0; at < in->counts[first]; at++) {
        uint64_t line = here[at] >> 4, distance = UINT64_MAX;
        while (before < others && there[before] >> 4 < line) before++;
        while (after < others && there[after] >> 4 <= line) after++;
        if (before) distance = line - (there[before - 1] >> 4);
        if (after < others && (there[after] >> 4) - line < distance) distance = (there[after] >> 4) - line;
        if (distance <= REACH) near[(*count)++] = here[at] << 4 | distance;
    }
    return FA_OK;
}

/* Count how near the second word of a pair stands to the first, by element of the first. */
static int count_near(const pool *in, uint32_t first, uint32_t second, double counts[FA_KINDS]) {
    size_t count = 0;
    uint64_t *near = arena_raw(&in->query->version, (in->counts[first] + 1) * sizeof(uint64_t));
    if (near == NULL) return FA_NO_MEMORY;
    for (int element = 0; element < FA_KINDS; element++) counts[element] = 0;
    if (has_far_lines(in->lines[second], in->counts[second])) TRY(find_sorted(in, first, second, near, &count));
    else find_marked(in, first, second, near, &count);
    return add_near(in->query, near, count, counts);
}

/* Tell, as far as that is seen at once, whether a word may stand in a version. */
static inline int may_stand(const fa_query *query, uint32_t leaf, uint32_t place, uint32_t version) {
    const state *known = state_of(query, leaf, place);
    return known->count && (known->mask == NULL || has_bit(known->mask, version));
}

/* Work out what the pairs add to a version: of one that does not stand there neither word is read. */
static int nearness_in(pool *in, uint32_t place, uint32_t version, norms *known, double *total) {
    fa_query *query = in->query;
    const fa_program *program = &query->program;
    *total = 0;
    begin_version(in);
    for (uint32_t pair = 0; pair < program->pair_count; pair++) {
        uint32_t first = program->pairs[2 * pair], second = program->pairs[2 * pair + 1];
        double counts[FA_KINDS], weight = 0;
        if (!(query->pair_factors[pair] > 0) || !may_stand(query, first, place, version) ||
            !may_stand(query, second, place, version))
            continue;
        TRY(read_lines(in, second, version));
        if (!in->counts[second]) continue;
        TRY(read_lines(in, first, version));
        TRY(count_near(in, first, second, counts));
        for (uint32_t element = 0; element < FA_KINDS; element++)
            if (counts[element] > 0) weight += counts[element] * norm_of(query, place, known, element);
        *total += query->pair_factors[pair] * saturate(program, weight);
    }
    return FA_OK;
}

/* ---------------------------------------------------------------- the best of the pool */

typedef struct entry {
    fa_found *found;
    double bound; /* of the score with nearness */
} entry;

static int by_place(const void *one, const void *other) {
    const fa_found *a = ((const entry *)one)->found, *b = ((const entry *)other)->found;
    if (a->place != b->place) return a->place < b->place ? -1 : 1;
    return (a->ordinal > b->ordinal) - (a->ordinal < b->ordinal);
}

#define FEW 24 /* entries that are put in order one by one: a call for each comparison takes longer */

static void sort_by_place(entry *entries, size_t count) {
    if (count > FEW) {
        qsort(entries, count, sizeof(entry), by_place);
        return;
    }
    for (size_t at = 1; at < count; at++) {
        entry moved = entries[at];
        size_t to = at;
        for (; to && by_place(&entries[to - 1], &moved) > 0; to--) entries[to] = entries[to - 1];
        entries[to] = moved;
    }
}

/* Let the entry at a place of a heap sink to where it belongs: the greatest bound in front. */
static void sink(entry *heap, size_t at, size_t count) {
    entry moved = heap[at];
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && heap[child].bound < heap[child + 1].bound) child++;
        if (heap[child].bound <= moved.bound) break;
        heap[at] = heap[child];
    }
    heap[at] = moved;
}

/* Tell of some versions whether a leaf stands in them. */
static int hold(fa_query *query, uint32_t place, uint32_t leaf, const uint32_t *ordinals, uint32_t count,
                uint8_t *is_held) {
    state *known = state_of(query, leaf, place);
    uint32_t row = 0;
    for (uint32_t at = 0; at < count; at++) {
        int is_there = known->mask != NULL && has_bit(known->mask, ordinals[at]);
        /* without a mask there is one list, for all languages, or none */
        if (known->mask == NULL && known->count) TRY(held_row(query, known->lists, ordinals[at], &row, &is_there));
        is_held[at] = (uint8_t)is_there;
    }
    return FA_OK;
}

/* Write a bound for entries of one segment: no occurrence of a first word counts more than once, and where the
 * second does not stand none does. */
static int bound_some(fa_query *query, entry *entries, uint32_t count) {
    const fa_program *program = &query->program;
    uint32_t place = entries[0].found->place;
    arena_empty(&query->version, (size_t)1 << 20);
    uint32_t *ordinals = arena_raw(&query->version, count * sizeof(uint32_t));
    norms *norms_at = arena_raw(&query->version, count * sizeof(norms));
    double *weights = arena_raw(&query->version, count * sizeof(double));
    uint8_t *is_held = arena_raw(&query->version, count);
    if (ordinals == NULL || norms_at == NULL || weights == NULL || is_held == NULL) return FA_NO_MEMORY;
    for (uint32_t at = 0; at < count; at++) {
        ordinals[at] = entries[at].found->ordinal;
        entries[at].bound = 0;
    }
    TRY(norms_begin(query, place, ordinals, count, norms_at));
    for (uint32_t pair = 0; pair < program->pair_count; pair++) {
        TRY(hold(query, place, program->pairs[2 * pair + 1], ordinals, count, is_held));
        TRY(occurrence_weights(query, place, program->pairs[2 * pair], count, norms_at, weights));
        for (uint32_t at = 0; at < count; at++)
            if (is_held[at]) entries[at].bound += query->pair_factors[pair] * saturate(program, weights[at]);
    }
    for (uint32_t at = 0; at < count; at++)
        entries[at].bound = entries[at].found->score + entries[at].bound * (1 + 1e-9);
    return FA_OK;
}

/* Write an entry with its bound for each version found, segment by segment. */
static int bound_all(fa_query *query, fa_found *found, size_t count, entry *entries) {
    size_t from = 0, to = 0;
    for (uint32_t place = 0; place < query->program.segment_count; place++, from = to) {
        for (size_t at = 0; at < count; at++)
            if (found[at].place == place) entries[to++].found = &found[at];
        if (to > from) TRY(bound_some(query, entries + from, (uint32_t)(to - from)));
    }
    return FA_OK;
}

/* Open the pool of a segment for those of the versions that are in it. asked: how many of all are probably read. */
static int open_pool_for(fa_query *query, pool *made, uint32_t place, const fa_found *found, size_t count,
                         size_t asked) {
    uint64_t *candidates = arena_get(&query->kept, words_of(live_at(query, place)->layers[0]->versions) * 8);
    if (candidates == NULL) return FA_NO_MEMORY;
    for (size_t at = 0; at < count; at++)
        if (found[at].place == place) set_bit(candidates, found[at].ordinal);
    return open_pool(query, made, place, candidates, asked);
}

/* Versions that near words may bring forward, and by segment the pool of them, opened when one is needed. */
typedef struct nearing {
    fa_query *query;
    pool *pools;
    const fa_found *found;
    size_t count, asked;
} nearing;

static int add_to(const nearing *all, entry *entries, size_t count) {
    fa_query *query = all->query;
    pool *in = NULL;
    sort_by_place(entries, count);
    for (size_t at = 0; at < count; at++) {
        norms known;
        double nearness;
        fa_found *found = entries[at].found;
        if (at == 0 || found->place != entries[at - 1].found->place) {
            in = &all->pools[found->place];
            if (in->query == NULL) TRY(open_pool_for(query, in, found->place, all->found, all->count, all->asked));
            for (uint32_t each = 0; each < 2 * query->program.leaf_count; each++)
                reader_again(&in->readers[each]);
        }
        TRY(norms_begin(query, found->place, &found->ordinal, 1, &known));
        TRY(nearness_in(in, found->place, found->ordinal, &known, &nearness));
        found->score = found->score + nearness;
        found->is_near = 1;
    }
    return FA_OK;
}

/* Add to the scores of some versions what words near each other give. Of more than `needed` it is left away where it
 * cannot bring a version among the first `needed`. */
int add_nearness(fa_query *query, fa_found *found, size_t count, size_t needed) {
    entry *entries = arena_raw(&query->kept, count * sizeof(entry));
    entry *some = arena_raw(&query->kept, count * sizeof(entry)); /* that are read at once */
    pool *pools = arena_get(&query->kept, query->program.segment_count * sizeof(pool));
    leaders best = {arena_raw(&query->kept, needed * sizeof(double)), 0, needed};
    if (entries == NULL || some == NULL || pools == NULL || best.least_first == NULL) return FA_NO_MEMORY;
    nearing all = {query, pools, found, count, count < 2 * needed ? count : 2 * needed};
    if (needed >= count) {
        for (size_t at = 0; at < count; at++) some[at].found = &found[at];
        return add_to(&all, some, count);
    }
    TRY(bound_all(query, found, count, entries));
    for (size_t at = count / 2; at--;) sink(entries, at, count);
    /* step by step, the greatest bounds first: the more are known, the more of the others cannot win */
    for (size_t left = count, done = 0, taken; left; done += taken) {
        size_t most = done ? done / STEP + 1 : needed;
        for (taken = 0; taken < most && left; taken++) {
            if (done >= needed && entries[0].bound < best.least_first[0]) break;
            some[taken] = entries[0];
            entries[0] = entries[--left];
            sink(entries, 0, left);
        }
        if (!taken) break;
        TRY(add_to(&all, some, taken));
        for (size_t at = 0; at < taken; at++) put(&best, some[at].found->score);
    }
    return FA_OK;
}

int near_counts(fa_query *query, uint32_t place, uint32_t ordinal, double *counts) {
    pool in;
    fa_found one = {.place = place, .ordinal = ordinal};
    TRY(open_pool_for(query, &in, place, &one, 1, 1));
    begin_version(&in);
    for (uint32_t pair = 0; pair < query->program.pair_count; pair++) {
        uint32_t first = query->program.pairs[2 * pair], second = query->program.pairs[2 * pair + 1];
        TRY(read_lines(&in, first, ordinal));
        TRY(read_lines(&in, second, ordinal));
        TRY(count_near(&in, first, second, counts + (size_t)pair * FA_KINDS));
    }
    return FA_OK;
}
