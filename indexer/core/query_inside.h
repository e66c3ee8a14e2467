/* What the files of query.c share; nobody else includes it. */
#ifndef FINDINGAID_QUERY_INSIDE_H
#define FINDINGAID_QUERY_INSIDE_H

#include "query.h"

#define TRY(what)                           \
    do {                                    \
        int try_status = (what);            \
        if (try_status != FA_OK) return try_status; \
    } while (0)

#define INLINK 9             /* the element of link texts */
#ifndef FA_RETAINED /* tests have few lists */
#define FA_RETAINED ((size_t)48 << 20)
#endif
#define RETAINED FA_RETAINED /* bytes of decoded lists; beyond these one is decoded whenever it is needed */
#define SATURATIONS 3072     /* 64 for each doubling, see query_scores.c */
#define NEVER UINT32_MAX
#define MARK_BITS 14
#define MARKS ((uint32_t)1 << MARK_BITS) /* positions of which is marked what stands there; of longer versions it is not */
#define NORMED 2048          /* lengths of elements of which the norm is known */

/* Memory that is given back all at once. */
typedef struct chunk {
    struct chunk *before;
    size_t size, used;
} chunk;

typedef struct arena {
    chunk *last;
    size_t held; /* bytes of all chunks */
} arena;

/* A buffer that grows. */
typedef struct buffer {
    void *data;
    size_t size;
} buffer;

/* The posting list of one form. */
typedef struct held {
    fa_list list;
    double factor;
    const uint8_t *languages; /* a byte for each language of the segment; NULL: all */
    uint32_t layer, elements;
    uint32_t place;           /* in a phrase */
    uint32_t count;           /* pairs with the word in these elements */
    const uint8_t *counting;  /* by shape: whether a pair has the word in these elements; NULL: all have */
    const uint32_t *all;      /* ordinals of all pairs; NULL while not asked for, see held_keep */
    const uint32_t *ordinals; /* of the pairs that `count` counts; `languages` has to be asked for each: speaks. NULL
                               * while not decoded */
    const uint32_t *rows;     /* of these in the list; NULL: all rows, or it is not asked where the leaf stands */
    const uint32_t *shapes;   /* shapes of those that were chosen for their elements; NULL: all pairs count */
    struct held *same;        /* list of the same word of a leaf before, which may be decoded; NULL: none */
    uint32_t is_shared;       /* whether other leaves have a list of the same word */
    uint32_t has_places;      /* whether it may be asked where the leaf stands */
    const uint64_t *bits;     /* of a dense list for all elements: a mask of its versions; else NULL */
    const uint32_t *ranks;    /* ... and how many rows stand before each word of it */
    const fa_cursor *begin;   /* at the first pair, of facts: for any copy of this list; NULL: not known */
    uint32_t next;            /* row from which on the next version is looked for */
} held;

/* What is known of a leaf in a segment. */
typedef struct state {
    held *lists;
    uint32_t list_count;
    uint32_t count;          /* versions that hold it, removed ones too */
    uint32_t is_matched;     /* whether this is known yet */
    const uint64_t *mask;    /* of these; NULL: a single list for all languages, or none */
    const uint64_t *rare;    /* of several lists: versions in which one stands that is not dense; NULL: not known */
    const uint8_t *most;         /* a code of its greatest weight in each eight versions; NULL: not worked out */
    const uint8_t *most_of_word; /* ... and in each 64 */
    const uint8_t *weights;      /* a code of the weight in each version of `mask`; NULL: not worked out */
    const uint32_t *ranks;       /* how many of these stand before each word of the mask */
    const double *exact;         /* the weight in each version that holds it; NULL: not worked out */
    uint64_t looked_for;     /* versions whose weights were asked for */
    uint32_t *offsets;       /* of a wildcard: as those of a reader, when they have paid */
    uint32_t *entries;
    uint32_t *ordinals[2];   /* of a phrase, by layer: the versions that hold it ... */
    uint32_t *counts[2];     /* ... and how often by element */
    uint32_t found[2];       /* ... and their number */
    uint32_t *spots[2];      /* ... and where: position << 4 | element; NULL: not kept */
    uint32_t *spot_ends[2];  /* ... and where those of each version end */
} state;

#define SKIPS 4096

typedef struct skip_entry {
    uint64_t serial;
    uint32_t word;
    fa_skip *skips; /* NULL: an empty entry */
} skip_entry;

typedef struct skips {
    skip_entry entries[SKIPS];
    size_t count, size;
} skips;

struct fa_query {
    fa_program program;
    arena kept;   /* for the whole query */
    arena shortly; /* for a step */
    arena tree;    /* for the nodes of a program in a segment */
    arena version; /* for one version */
    state *states; /* leaf by leaf, segment by segment */
    double *factors, *idfs, *pair_factors; /* pair_factors: 0 also for words of which no version holds both */
    double greatest, greatest_nearness;    /* greatest_nearness: 0 where no pair can add anything */
    const uint64_t *matched;
    uint8_t *has_languages; /* by segment and layer: whether the languages of its versions were looked at */
    uint32_t *complete;
    uint64_t *mask_at; /* where the mask of each segment begins in `matched` */
    double finding_end, ranking_end;
    uint64_t looks;
    uint32_t longest; /* versions of the greatest segment */
    buffer decoded[4], upper, more, places[4]; /* places: elements, positions, starts, spots of a phrase */
    uint8_t marks[MARKS + 1]; /* zeros between two versions: see query_phrases.c */
    uint64_t near_bits[2 * (MARKS / 64) + 8]; /* zeros between two versions: see query_near.c */
    double saturated_k1, saturated_slope;
    float saturations[SATURATIONS], bounds[256];
    double normed[3][FA_KINDS];        /* boost, b and means for which the norms are known */
    double norms[FA_KINDS][NORMED];    /* by element and its length */
    uint8_t *is_learned;               /* by leaf: whether its facts are wanted; NULL: none are */
    fa_fault fault;
    skips skips;
};

/* query_memory.c */
void *arena_raw(arena *from, size_t size); /* NULL when there is none */
void *arena_get(arena *from, size_t size); /* the same, zeroed */
void arena_empty(arena *all, size_t most); /* keep at most `most` bytes */
void *buffer_get(buffer *grown, size_t size);
double seconds_now(void);
uint64_t bits_in(const uint64_t *mask, size_t words); /* how many are set */
int finding_is_over(fa_query *query);
int ranking_is_over(fa_query *query);

static inline size_t words_of(uint32_t versions) { return ((size_t)versions + 63) / 64; }
static inline int has_bit(const uint64_t *mask, uint32_t at) { return mask[at >> 6] >> (at & 63) & 1; }
static inline void set_bit(uint64_t *mask, uint32_t at) { mask[at >> 6] |= (uint64_t)1 << (at & 63); }
/* Without an instruction that not every processor has, the compiler would call a function for each word. */
static inline int counts_bits(uint64_t word) {
    word -= word >> 1 & 0x5555555555555555u;
    word = (word & 0x3333333333333333u) + (word >> 2 & 0x3333333333333333u);
    return (int)(((word + (word >> 4)) & 0x0F0F0F0F0F0F0F0Fu) * 0x0101010101010101u >> 56);
}
static inline const fa_live *live_at(const fa_query *query, uint32_t place) { return &query->program.segments[place]; }
static inline state *state_of(const fa_query *query, uint32_t leaf, uint32_t place) {
    return &query->states[(size_t)leaf * query->program.segment_count + place];
}

/* Return the first row from `row` on whose ordinal is at least `wanted`. Steps that double find it soon when near. */
static inline uint32_t gallop(const uint32_t *ordinals, uint32_t row, uint32_t count, uint32_t wanted) {
    if (row >= count || ordinals[row] >= wanted) return row;
    uint32_t low = row, step = 1; /* ordinals[low] is too small */
    while (step < count - low && ordinals[low + step] < wanted) {
        low += step;
        step *= 2;
    }
    uint32_t high = step < count - low ? low + step : count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (ordinals[middle] < wanted) low = middle;
        else high = middle;
    }
    return high;
}

#define EIGHT 8 /* numbers that are compared at once */

/* The compiler makes of it what the processor has for it. */
typedef uint32_t eight_numbers __attribute__((vector_size(EIGHT * sizeof(uint32_t))));

/* Tell whether one of some numbers is from `low` to `wide` more, and not `except`. Behind the numbers there are EIGHT more,
 * which do not count. */
static inline uint32_t any_within(const uint32_t *numbers, uint32_t count, uint32_t low, uint32_t wide, uint32_t except) {
    const eight_numbers places = {0, 1, 2, 3, 4, 5, 6, 7};
    uint64_t found[EIGHT / 2];
    eight_numbers any = {0}, it;
    for (uint32_t from = 0; from < count; from += EIGHT) {
        memcpy(&it, numbers + from, sizeof it);
        any |= (eight_numbers)(it - low <= wide) & (eight_numbers)(it != except) & (eight_numbers)(places < count - from);
    }
    memcpy(found, &any, sizeof found);
    return (found[0] | found[1] | found[2] | found[3]) != 0;
}

/* query.c */
int fa_told(fa_query *query, int status, fa_answer *answer);

/* query_leaves.c */
/* Tell whether a list counts in versions of the language of this one. The column was required by list_forms. */
static inline int speaks(const held *list, uint32_t version) {
    return list->languages == NULL || list->languages[fa_item(&list->list.segment->language, version)];
}
typedef struct view {
    const uint32_t *ordinals, *rows, *shapes; /* rows, shapes: NULL for all pairs */
    uint32_t count;
} view;
int held_view(fa_query *query, held *list, view *found);  /* good until the next one; of all languages */
int held_keep(fa_query *query, held *list);               /* decode for good */
/* Find the row of a list in which a version stands; no look at its language. *row: the one found before, which is
 * where it is looked for first; 0 at first. */
int held_row(fa_query *query, held *list, uint32_t version, uint32_t *row, int *is_there);
int leaf_match(fa_query *query, uint32_t leaf, uint32_t place, uint8_t *held_in);
int leaf_mark(fa_query *query, uint32_t leaf, uint32_t place, uint64_t *mask);
/* Tell whether any version holds both of two words, which were looked for in all segments. */
int leaves_meet(fa_query *query, uint32_t one, uint32_t other, int *do_meet);

/* query_facts.c */
static inline const fa_facts *facts_of(const fa_query *query, uint32_t leaf) {
    return query->program.facts == NULL ? NULL : query->program.facts[leaf];
}
/* How many bytes the facts of a leaf take that are worth keeping; 0: they are not. */
int facts_size(fa_query *query, uint32_t leaf, const uint8_t *held_in, uint64_t *size);
/* Tell whether facts of a leaf are wanted that was looked for in all segments. */
int facts_are_wanted(const fa_query *query, uint32_t leaf);
int facts_take(fa_query *query, uint32_t leaf, uint32_t place, uint8_t *held_in);

/* query_skips.c */
int skips_find(fa_query *query, held *from, fa_cursor *cursor);
void skips_rest(skips *known);
void skips_forget(skips *known);

/* query_readers.c */
typedef struct spot {
    uint64_t at; /* section of the page in the high 32 bits, position in the low ones */
    uint32_t element, position;
} spot;

/* Reads where a leaf stands, in one layer, in versions that rise from call to call. */
typedef struct reader {
    uint32_t leaf, list_count;
    uint32_t dense;       /* the first lists, which have a mask; 0 where it was not looked for them */
    int are_begun;        /* whether all cursors are; else one that is not has no list */
    const uint64_t *rare; /* versions in which one of the lists stands that is not dense; NULL: not known */
    held **lists;
    fa_cursor *cursors, *begins; /* begins: as they were at first */
    uint32_t *rows;     /* next row of each list among those that count */
    uint32_t *order;    /* of a phrase: the rarest list first, those of a word together, that of its first word last */
    uint32_t *offsets;  /* of many lists: where the entries of each version begin; else NULL */
    uint32_t *entries;  /* two each: list, row in the list */
    fa_where *where;    /* ... and where the positions are; NULL: not known */
} reader;

/* Tell whether it is asked where a leaf stands. */
int has_spans(const fa_query *query, uint32_t leaf);
/* Write down for each version which lists hold it, and in which row: two numbers each; without cursors, in which place
 * of `ordinals`. Memory of the arena `kept`. cursors: of the lists at their first pairs; with them *where tells where the
 * positions of each entry are, or becomes NULL for too many; NULL: it is not asked for. */
int index_lists(fa_query *query, held *const *lists, uint32_t list_count, uint32_t versions, const uint64_t *candidates,
                fa_cursor *cursors, uint32_t **offsets, uint32_t **entries, fa_where **where);
/* The lists of one layer, of which none is begun yet. */
int reader_choose(fa_query *query, reader *made, uint32_t leaf, uint32_t place, uint32_t layer);
/* Decode a list, and put its cursor at its first pair. */
int reader_begin_list(fa_query *query, reader *from, uint32_t each);
/* The lists of one layer, each begun, without skips. */
int reader_begin(fa_query *query, reader *made, uint32_t leaf, uint32_t place, uint32_t layer);
/* The lists of one layer. candidates: versions that may be asked for; NULL: any. Memory of the arena `kept`. */
int reader_open(fa_query *query, reader *made, uint32_t leaf, uint32_t place, uint32_t layer,
                const uint64_t *candidates);
/* The same where only so many of the candidates are probably asked for. */
int reader_open_for(fa_query *query, reader *made, uint32_t leaf, uint32_t place, uint32_t layer,
                    const uint64_t *candidates, uint64_t asked);
/* Begin anew, for versions that lie before those that were asked for. */
void reader_again(reader *from);
/* Append the occurrences of a word in a version, or of the first word of a phrase. FA_TIME_UP: not all of them. */
int reader_spots(fa_query *query, reader *from, uint32_t version, buffer *spots, size_t *count);
/* Positions in one section of a page have nothing to do with those in another. */
#define SECTIONS 6
extern const uint8_t section_of[FA_KINDS];
static inline uint64_t place_at(uint32_t element, uint32_t position) {
    return (uint64_t)section_of[element] << 32 | position;
}
int add_spot(buffer *spots, size_t *count, uint32_t element, uint32_t position);
/* What a list has in a version, not yet read; runs->total: 0 where there is nothing. */
int list_runs(fa_query *query, reader *from, uint32_t each, uint32_t version, fa_runs *runs);
/* The same of an entry of many lists. */
int entry_runs(fa_query *query, reader *from, uint32_t entry, uint32_t version, fa_runs *runs);
int read_runs(fa_query *query, const fa_runs *runs, uint8_t **elements, uint32_t **positions);
/* Go on to the next element in which a list counts. */
static inline int next_run(fa_query *query, const held *list, fa_runs *runs, fa_run *run, int *is_there) {
    return fa_next_run(runs, list->elements, run, is_there, &query->fault);
}
/* Tell damage that was met in a run. */
static inline int run_status(fa_query *query, const fa_run *run) {
    return run->is_damaged ? fa_damaged(run->segment, &run->segment->positions, &query->fault) : FA_OK;
}
/* Put numbers in order; with memory of the arena `version`. */
int sort_numbers(fa_query *query, uint64_t *numbers, size_t count);

/* query_phrases.c */
int phrase_match(fa_query *query, uint32_t leaf, uint32_t place);
int phrase_spots(fa_query *query, reader *from, uint32_t version, buffer *spots, size_t *count);

/* query_moved.c */
int words_moved(fa_query *query, const reader *from, const fa_runs *runs, buffer *spots, size_t *count);

/* query_places.c */
int near_places_mask(fa_query *query, uint32_t root, uint32_t place, const uint64_t *candidates, uint64_t *mask,
                    uint64_t **left);

/* query_counts.c */
int leaf_counts(fa_query *query, uint32_t place, uint32_t leaf, const uint32_t *ordinals, uint32_t count,
                double *counts);

/* query_two.c */
int are_two_words(const fa_query *query, uint32_t root, uint32_t place);
int two_words_mask(fa_query *query, uint32_t root, uint32_t place, const uint64_t *candidates, uint64_t *mask);

/* query_spans.c */
int near_mask(fa_query *query, const fa_node *node, uint32_t place, const uint64_t *candidates, uint64_t *mask);

/* query_scores.c */
int prepare_scores(fa_query *query, const uint64_t *holding);
/* What the counts of a version are multiplied by: most words stand in one element or two, so that each number is
 * worked out when it is first asked for. */
typedef struct norms {
    double of[FA_KINDS];
    uint32_t known; /* a bit for each element */
    uint32_t ordinal;
} norms;
#define GIVEN UINT32_MAX /* instead of `known`: they are not those of the ranking */
int norms_begin(fa_query *query, uint32_t place, const uint32_t *ordinals, uint32_t count, norms *made);
double norm_of(const fa_query *query, uint32_t place, norms *known, uint32_t element);
double norm_of_length(const fa_program *program, uint32_t element, uint64_t length);
/* The norm of an element of a version whose lengths were required. */
static inline double norm_in(const fa_query *query, const fa_live *live, uint32_t version, uint32_t element) {
    uint64_t length = fa_length(live->layers[0], version, element);
    if (element == INLINK && live->layers[1] != NULL) length += fa_length(live->layers[1], version, element);
    return length < NORMED ? query->norms[element][length] : norm_of_length(&query->program, element, length);
}
double saturate(const fa_program *program, double weight);
int leaf_weights(fa_query *query, uint32_t place, uint32_t leaf, const uint32_t *ordinals, uint32_t count,
                 norms *norms_at, double *weights);
/* Write at least the weight of a leaf with each occurrence in any form counted in full. */
int occurrence_weights(fa_query *query, uint32_t place, uint32_t leaf, uint32_t count, norms *norms_at,
                       double *weights);
int exact_scores(fa_query *query, uint32_t place, const uint32_t *ordinals, uint32_t count, double *scores);

/* query_bounds.c */
typedef struct leaf_bounds {
    uint32_t leaf;
    const state *known;
    const uint8_t *most, *most_of_word; /* codes, see state */
    double shares[256];                 /* by code: what the leaf gives at most */
} leaf_bounds;

/* Bounds of the scores in a segment. */
typedef struct bounds {
    leaf_bounds *leaves; /* all that may add something to a score */
    uint32_t *order;     /* of these: those that can add most first */
    uint32_t count;
    const float *prior, *prior_of_word; /* NULL: nothing is ahead */
    double greatest, more;
} bounds;

/* Work out what a leaf that occurs in a segment weighs at most. */
int leaf_most(fa_query *query, uint32_t place, uint32_t leaf);
/* Work it out for all leaves. Memory of the arena `shortly`. */
int bounds_open(fa_query *query, uint32_t place, bounds *made);
static inline double bound_of_word(const bounds *from, size_t word) {
    double bound = from->prior_of_word == NULL ? 0 : from->prior_of_word[word] * from->greatest;
    for (uint32_t leaf = 0; leaf < from->count; leaf++)
        bound += from->leaves[leaf].shares[from->leaves[leaf].most_of_word[word]];
    return bound * from->more;
}
static inline double bound_of_eight(const bounds *from, size_t eight) {
    double bound = from->prior == NULL ? 0 : from->prior[eight] * from->greatest;
    for (uint32_t leaf = 0; leaf < from->count; leaf++)
        bound += from->leaves[leaf].shares[from->leaves[leaf].most[eight]];
    return bound * from->more;
}
/* Return how many versions of the mask of a leaf stand before one. */
static inline uint32_t rank_in(const state *known, uint32_t version) {
    uint64_t before = ((uint64_t)1 << (version & 63)) - 1;
    return known->ranks[version >> 6] + (uint32_t)counts_bits(known->mask[version >> 6] & before);
}
/* Return what a leaf gives at most in a version: what it gives in eight, where that is all that is known. */
static inline double share_in(const leaf_bounds *leaf, uint32_t version) {
    const state *known = leaf->known;
    if (known->weights == NULL) return leaf->shares[leaf->most[version / 8]];
    if (!has_bit(known->mask, version)) return 0;
    return leaf->shares[known->weights[rank_in(known, version)]];
}
/* Write what each of eight versions reaches at most; that of one in which nothing stands has no meaning. */
static inline void bounds_of_versions(const bounds *from, size_t eight, double most[8]) {
    double prior = from->prior == NULL ? 0 : from->prior[eight] * from->greatest;
    for (int at = 0; at < 8; at++) most[at] = prior;
    for (uint32_t each = 0; each < from->count; each++) {
        const leaf_bounds *leaf = &from->leaves[each];
        const state *known = leaf->known;
        if (known->weights == NULL) {
            for (int at = 0; at < 8; at++) most[at] += leaf->shares[leaf->most[eight]];
            continue;
        }
        uint32_t left = (uint32_t)(known->mask[eight / 8] >> eight % 8 * 8 & 255);
        if (!left) continue;
        const uint8_t *weights = known->weights + rank_in(known, (uint32_t)eight * 8);
        for (; left; left &= left - 1) most[__builtin_ctz(left)] += leaf->shares[*weights++];
    }
    for (int at = 0; at < 8; at++) most[at] *= from->more;
}
int reaching_scores(fa_query *query, uint32_t place, const bounds *from, double least, uint32_t *ordinals, double *upper,
                    uint32_t *count, double *scores);

/* query_rank.c, query_near.c */
/* The greatest numbers of those that were put in: the least of them in front. */
typedef struct leaders {
    double *least_first;
    size_t count, most;
} leaders;

static inline void put_among(leaders *kept, double value) {
    double *heap = kept->least_first;
    size_t at;
    if (kept->count < kept->most) {
        for (at = kept->count++; at && heap[(at - 1) / 2] > value; at = (at - 1) / 2) heap[at] = heap[(at - 1) / 2];
        heap[at] = value;
        return;
    }
    for (at = 0;;) {
        size_t child = 2 * at + 1;
        if (child >= kept->count) break;
        if (child + 1 < kept->count && heap[child + 1] < heap[child]) child++;
        if (heap[child] >= value) break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = value;
}

/* Most values are none of the greatest. */
static inline void put(leaders *kept, double value) {
    if (kept->count < kept->most || (kept->most && value > kept->least_first[0])) put_among(kept, value);
}

/* query_near.c */
int add_nearness(fa_query *query, fa_found *found, size_t count, size_t needed);
int near_counts(fa_query *query, uint32_t place, uint32_t ordinal, double *counts);

#endif
