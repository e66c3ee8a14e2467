/* Answering a query over all segments of an index in one call: which versions match, how many pages, the best of them.
 *
 * Python parses the query, looks up which spellings its words stand for, and makes a flat program of it: leaves (a
 * word in its forms, a phrase) and nodes that join them. What filters mean comes in as masks. Scores are float64 and
 * the same bits everywhere: idf, lengths and counts as docs/ranking.md says, added in the order told here.
 *
 * Everything that a program points to has to live until the next fa_query_run of the same handle. Facts are good for
 * programs with the same segments and ranking, and for a leaf of the same forms, whose memory they point to. Memory: RETAINED
 * bytes of decoded lists, a few masks of one bit a version for each node, some numbers for each version of a segment,
 * and what the hits asked for take.
 */
#ifndef FINDINGAID_QUERY_H
#define FINDINGAID_QUERY_H

#include "segment.h"

/* A segment with what a snapshot knows of it. Masks have one bit a version, in 64-bit words; NULL: all, or none. */
typedef struct fa_live {
    const fa_segment *layers[2]; /* the text of pages, and the texts of links to them or NULL */
    const uint64_t *alive;       /* NULL: no version was removed */
    const uint64_t *shared;      /* versions of pages that have several; NULL: none */
    const uint32_t *document;    /* number of the page of each version */
    const uint64_t *key;         /* what orders versions of equal score */
    const double *prior;         /* share of the greatest score that a version has ahead; NULL: nothing */
    const float *prior_most;     /* of each eight versions, rounded up: eight for each word of a mask */
    const float *prior_of_word;  /* of each 64 */
    double slack;                /* factor by which stored weights may differ from those of this ranking */
} fa_live;

/* A spelling that a leaf stands for in one layer of one segment; of a phrase: its word at place `languages`. */
typedef struct fa_form {
    uint32_t word;
    uint32_t languages; /* 0: counts in versions of all languages; else 1 + where a byte for each begins in `sets` */
    double factor;      /* what an occurrence counts for */
} fa_form;

enum fa_leaf_kind {
    FA_WORD = 0,   /* forms of a word: weights added form by form */
    FA_WORDS = 1,  /* words of a wildcard: weights added layer by layer */
    FA_PHRASE = 2, /* `length` places; forms may leave out some, and those of a layer rise */
    FA_ANY = 3     /* any word at all; weighs nothing */
};

typedef struct fa_leaf {
    const fa_form *forms;
    const uint32_t *ends; /* where the forms of each segment and layer end: two for each segment */
    const uint8_t *sets;
    double boost;
    uint32_t kind, elements; /* a bit for each element in which it counts */
    uint32_t slop, length;
    uint32_t times; /* how often the query has it */
    uint32_t unused;
} fa_leaf;

/* What a word comes to in all segments, kept from query to query; see query_facts.c. */
typedef struct fa_facts fa_facts;

enum fa_op {
    FA_OP_LEAF = 0, /* value: number of the leaf */
    FA_OP_MASK = 1, /* value: number of the mask */
    FA_OP_AND = 2,
    FA_OP_OR = 3,
    FA_OP_NOT = 4,
    FA_OP_NEAR = 5,   /* arguments: versions that may match, and the spans of which one must be there */
    FA_OP_SPANS = 6,  /* where the leaf `value` stands */
    FA_OP_UNION = 7,  /* spans of any of the arguments */
    FA_OP_IN_ALL = 8, /* spans of all arguments, where each has one */
    FA_OP_BESIDE = 9  /* spans of the first argument that stand at most `value` places from one of each other */
};

typedef struct fa_node {
    uint32_t op, value;
    uint32_t first, count; /* its arguments in `args`: numbers of nodes before it */
} fa_node;

typedef struct fa_program {
    const fa_live *segments;
    const fa_leaf *leaves; /* those that count for the score first, in their order */
    const fa_node *nodes;
    const uint32_t *args;
    const uint64_t *const *masks; /* mask m of segment s: masks[m * segment_count + s] */
    const uint32_t *pairs;        /* two leaves each: words whose nearness counts */
    const fa_facts *const *facts; /* by leaf: kept from an earlier query, or NULL; NULL: of none */
    uint32_t segment_count, leaf_count, scored_count, node_count, arg_count, mask_count, pair_count;
    uint32_t root; /* node that says which versions match */
    double k1, slope, near;
    double boost[FA_KINDS], b[FA_KINDS], means[FA_KINDS];
    uint64_t versions;       /* alive in all segments */
    uint32_t is_plus_idf;
    uint32_t count;          /* pages asked for; 0: only count */
    uint32_t pool, ties;     /* versions in which near words count; places for versions of one page at its border */
    double finding_s, ranking_s;           /* seconds for finding, and for both; below 0: no limit */
    uint64_t finding_looks, ranking_looks; /* not 0: the look at the clock at which the time is up; for tests */
} fa_program;

typedef struct fa_found {
    double score;
    uint64_t key;
    uint32_t place, ordinal, document;
    uint32_t is_near; /* whether nearness was looked at */
} fa_found;

/* Where answers go; all but `total` and what follows is room that the caller gives. */
typedef struct fa_answer {
    uint64_t *matched;  /* masks of the versions that match and are alive, segment behind segment */
    uint32_t *complete; /* by segment: versions below this ordinal were looked at */
    uint64_t *holding;  /* by leaf: live versions that hold it */
    uint8_t *held_in;   /* by leaf, segment and layer: whether it occurs there */
    fa_found *found;
    uint64_t *kept;     /* by leaf: bytes of facts that are worth keeping, see fa_query_keep, or 0; before, not 0 where
                         * they are wanted; NULL: of none */
    uint64_t room;      /* of `found` */
    uint64_t total;     /* pages */
    uint64_t matching;  /* versions */
    uint64_t found_count;
    double greatest;    /* what the words of the query can give at most */
    uint32_t has_shared; /* whether a page matches that has several versions */
    uint32_t is_ranked;  /* 0: the time was up before all that might be among the best were scored */
    uint64_t wanted;     /* versions that were looked for */
    uint64_t looks;      /* at the clock */
    uint64_t looked_at;  /* versions: those of `complete` */
    uint32_t bad_place, bad_layer, bad_array; /* with FA_CORRUPT: where */
    uint32_t scored; /* versions that were scored exactly: bounds left the others out */
} fa_answer;

typedef struct fa_query fa_query;

FA_EXPORT fa_query *fa_query_new(void);
FA_EXPORT void fa_query_free(fa_query *query);

/* Let go of the memory that is more than a small query needs. */
FA_EXPORT void fa_query_rest(fa_query *query);

/* Find what matches, and the best versions: as many as `count` pages may need (see fa_query_rank), best first. */
FA_EXPORT int fa_query_run(fa_query *query, const fa_program *program, fa_answer *answer);

/* What a program is asked this time; see fa_program. */
typedef struct fa_wish {
    uint32_t count, pool, ties;
    uint32_t is_learning; /* `kept` of the room says which facts are wanted */
    double finding_s, ranking_s;
    uint64_t finding_looks, ranking_looks;
    uint64_t room; /* rows of `found` */
} fa_wish;

/* The same with all that goes in and out in one piece of memory, since a caller in Python pays for each thing that it
 * hands over. room: an fa_answer, then what it points to: `matched`, `holding`, `kept`, `complete`, `held_in` up to the
 * next eighth byte, and `found`; all of it zeroed, but for `kept`. facts: instead of those of the program. */
FA_EXPORT int fa_query_ask(fa_query *query, const fa_program *program, const fa_wish *wish,
                           const fa_facts *const *facts, void *room, uint64_t size);

/* Write the facts of a leaf of the program that was run, of the size told in `kept`. room: aligned to 16 bytes; place: where
 * its bytes will lie when they are used, aligned as well: what points into them points there. */
FA_EXPORT int fa_query_keep(fa_query *query, uint32_t leaf, const fa_answer *answer, void *room, const void *place,
                            uint64_t size);

/* The same as fa_query_run for more: the best `wanted` versions, of which the first `needed` have to be right. */
FA_EXPORT int fa_query_rank(fa_query *query, uint64_t wanted, uint64_t needed, fa_answer *answer);

/* Write the exact weight of a leaf in some versions (rising) of a segment; norms: FA_KINDS numbers a version that its
 * counts are multiplied by. */
FA_EXPORT int fa_query_weights(fa_query *query, uint32_t place, uint32_t leaf, const uint32_t *ordinals, uint32_t count,
                               const double *norms, double *weights, fa_answer *answer);

/* The same with norms of 1: how often the leaf stands there, its forms times their factors. */
FA_EXPORT int fa_query_counts(fa_query *query, uint32_t place, uint32_t leaf, const uint32_t *ordinals, uint32_t count,
                              double *counts, fa_answer *answer);

/* Read all words of a segment: add to the squares of each version those of of_shape * of_word for each word that it holds,
 * and raise `greatest` to how often the most frequent word stands in it. squares, greatest: by version, NULL where not
 * asked for; room: for a number for each version. */
FA_EXPORT int fa_segment_vectors(const fa_segment *segment, const double *of_shape, const double *of_word,
                                 uint32_t *room, double *squares, double *greatest, fa_fault *fault);

/* Write how many versions hold each word of a segment, of those whose byte is 1. room: as above. */
FA_EXPORT int fa_segment_living(const fa_segment *segment, const uint8_t *alive, uint32_t *room, int64_t *counts,
                                fa_fault *fault);

/* Write the exact scores of some versions (rising) of a segment, without nearness. */
FA_EXPORT int fa_query_scores(fa_query *query, uint32_t place, const uint32_t *ordinals, uint32_t count,
                              double *scores, fa_answer *answer);

/* Write how often, and how near, the words of each pair stand in a version, by element: FA_KINDS numbers a pair. */
FA_EXPORT int fa_query_nearness(fa_query *query, uint32_t place, uint32_t ordinal, double *counts, fa_answer *answer);

#endif
