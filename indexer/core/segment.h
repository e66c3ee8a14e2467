/* Reading a segment: the arrays of an opened file, verified block by block before anything is read of them.
 *
 * What a segment is made of stands in docs/index-format.md. Python maps the files and fills in a fa_segment; it belongs
 * to no thread: nothing in it changes but the bytes that tell which blocks are verified, which only ever go from 0 to 1.
 *
 * Everything in a file may be wrong although its checksums fit: each offset, ordinal, shape and position is compared
 * with what there is, and FA_CORRUPT told with the array in which it stood.
 */
#ifndef FINDINGAID_SEGMENT_H
#define FINDINGAID_SEGMENT_H

#include <string.h>

#include "core.h"

#define FA_PAGE 4096      /* bytes of a page of the catalogue, with those for its checksum: see indexer/store/pages.py */
#define FA_RESERVED 8
#define FA_KINDS 10       /* elements of a page, as in indexer/text/elements.py */
#define FA_OTHER 15       /* instead of one of the most frequent shapes: it stands among the other ones */
#define FA_RARE 255       /* instead of one of the other shapes: it stands among the rare ones */
#define FA_RANK_BLOCK 256 /* pairs for which it is told how many other and rare shapes stand before them */
#define FA_FEW 4          /* pairs: a list of fewer has two bytes a gap */
#define FA_GAP_BITS 16    /* of the greatest gap */
#define FA_MARK 64        /* items for which it is told what stands before them */
#define FA_GREAT 255      /* instead of a size: it stands among the great ones */
#define FA_FIRST 3        /* elements of a shape that are told apart at once */
#define FA_EXACT 0xFFFFFF /* the greatest number up to which a float tells all apart */
#define FA_MOST_EXTENT ((uint64_t)1 << 28) /* positions are below it: FA_POSITION_BITS in codec.h */
#define FA_LONG 8         /* positions from which on a run is split into low and high bits */

/* One array of a file. */
typedef struct fa_array {
    const uint8_t *data;
    uint64_t size;        /* in bytes; there may be nothing readable behind them */
    const uint32_t *sums; /* CRC-32 of each block; NULL for an array that is not of a file */
    uint8_t *verified;    /* one byte a block, not 0 when it was verified */
    uint32_t block;       /* bytes of a block, a power of two */
    uint16_t width;       /* bytes of an item: 1, 2, 4 or 8, little endian */
    uint16_t number;      /* which array this is: to be told when it is damaged */
} fa_array;

/* What a shape (how often a word stands in which element) comes to. */
typedef struct fa_shape {
    uint32_t total;
    int32_t more;      /* bits of the positions beside `total` numbers, in versions of wider positions than is_long; else
                        * see runs.c. Beside `total`: shapes are many, what is asked together should lie together */
    uint16_t elements; /* a bit for each element that has the word */
    uint8_t is_long;   /* not 0 when an element has FA_LONG or more: the most high bits that a run of it can have */
    uint8_t has_more;  /* 1 when more than FA_FIRST elements have the word, or one has it more than FA_EXACT times */
    uint8_t first[FA_FIRST + 1]; /* the first of these; last one of no meaning */
    float times[FA_FIRST];       /* how often the word stands in each; 0 where there is none */
} fa_shape;

/* Where items of different length end: their sizes, those that are FA_GREAT or more, and for each FA_MARK-th item two
 * numbers: what all before it take, and how many great ones are among them. */
typedef struct fa_ends {
    fa_array sizes, great, marks;
} fa_ends;

typedef struct fa_segment {
    fa_ends pair_ends, ordinal_ends, position_ends; /* by word */
    fa_array ordinals, positions, shapes, other_shapes, rare_shapes, shape_ranks, shape_table;
    fa_array lengths, extent, language;         /* by version */
    fa_array norms; /* element by element a byte for each version: see query_bounds.c; size 0 when there are none */
    const fa_shape *shape_facts;                /* one for each row of shape_table, see fa_segment_shapes */
    const uint8_t *bits;                        /* of a position in each version, see fa_segment_bits */
    uint64_t pairs, serial; /* serial: no other segment of this process has it */
    uint32_t versions, words, shape_count, languages;
    /* where the length of each element begins in a row of `lengths`, and last how long a row is: see docs/index-format.md */
    uint8_t length_ends[FA_KINDS + 1];
} fa_segment;

/* Where damage was found. */
typedef struct fa_fault {
    const fa_segment *segment;
    uint32_t array;
} fa_fault;

/* The posting list of a word. */
typedef struct fa_list {
    const fa_segment *segment;
    uint64_t start;                   /* number of its first pair in the segment */
    uint32_t word, count;             /* count: pairs */
    uint64_t ordinals_from, ordinals_to; /* bytes */
} fa_list;

/* Shapes that stand before a pair of the segment apart from `shapes`: the other ones, and the rare ones among them. */
typedef struct fa_rank {
    uint64_t others, rare;
} fa_rank;

/* Where the positions of every FA_SKIP-th pair of a list begin, counted from those of its first pair, and the rare
 * shapes between: see fa_cursor_skips. */
typedef struct fa_skip {
    uint32_t bit, others, rare;
} fa_skip;

#define FA_SKIP 8

/* The next pair of a list whose positions can be read: see fa_cursor_to. */
typedef struct fa_cursor {
    const fa_list *list;
    const uint32_t *ordinals; /* of the pairs of the list, as they are needed: from the pair `first` on */
    uint32_t first;
    uint64_t bit;             /* where the positions of the pair `row` begin */
    fa_rank rank;             /* of that pair */
    uint64_t first_bit;       /* both at the first pair */
    fa_rank first_rank;
    const fa_skip *skips;     /* NULL: not known */
    uint32_t row;
} fa_cursor;

FA_EXPORT uint32_t fa_crc32(uint32_t crc, const uint8_t *data, size_t size);
/* Return where the first of the pages of a catalogue begins, from `first` on, which is at most `size`, that does not fit
 * the checksum in its last FA_RESERVED bytes, or is not whole; `size` when all do. */
FA_EXPORT size_t fa_pages_sound(const uint8_t *data, size_t size, size_t first);
int fa_verify(const fa_segment *segment, const fa_array *array, uint64_t from, uint64_t to, fa_fault *fault);

static inline int fa_damaged(const fa_segment *segment, const fa_array *array, fa_fault *fault) {
    fault->segment = segment;
    fault->array = array->number;
    return FA_CORRUPT;
}

/* Make sure that the bytes `from` to `to` (excluded) are there and sound. */
static inline int fa_require(const fa_segment *segment, const fa_array *array, uint64_t from, uint64_t to,
                             fa_fault *fault) {
    if (to > array->size || from > to) return fa_damaged(segment, array, fault);
    if (from == to || array->sums == NULL) return FA_OK;
    int shift = __builtin_ctz(array->block);
    uint64_t last = (to - 1) >> shift;
    for (uint64_t block = from >> shift; block <= last; block++)
        if (!__atomic_load_n(&array->verified[block], __ATOMIC_ACQUIRE))
            return fa_verify(segment, array, from, to, fault);
    return FA_OK;
}

/* Return the item at a place that was required before. */
static inline uint64_t fa_item(const fa_array *array, uint64_t place) {
    const uint8_t *at = array->data + place * array->width;
    uint64_t found = 0;
    if (array->width == 1) return *at;
    if (array->width == 2) return (uint64_t)at[0] | (uint64_t)at[1] << 8;
    if (array->width == 4) return (uint64_t)at[0] | (uint64_t)at[1] << 8 | (uint64_t)at[2] << 16 | (uint64_t)at[3] << 24;
    for (uint32_t byte = array->width; byte-- > 0;) found = found << 8 | at[byte];
    return found;
}

/* Read the item at a place. */
static inline int fa_item_at(const fa_segment *segment, const fa_array *array, uint64_t place, uint64_t *found,
                             fa_fault *fault) {
    /* no file is so large that this is too great a number */
    if (place >= array->size || (place + 1) * array->width > array->size) return fa_damaged(segment, array, fault);
    int status = fa_require(segment, array, place * array->width, (place + 1) * array->width, fault);
    if (status == FA_OK) *found = fa_item(array, place);
    return status;
}

/* Make sure that the lengths of some versions can be read. */
static inline int fa_require_lengths(const fa_segment *segment, uint64_t from, uint64_t to, fa_fault *fault) {
    uint64_t row = segment->length_ends[FA_KINDS];
    return fa_require(segment, &segment->lengths, from * row, to * row, fault);
}

/* Return how many occurrences an element of a version has, whose lengths were required before. */
static inline uint64_t fa_length(const fa_segment *segment, uint64_t version, uint32_t element) {
    const uint8_t *ends = segment->length_ends, *row = segment->lengths.data + version * ends[FA_KINDS];
    uint32_t from = ends[element], to = ends[element + 1];
    uint64_t found = 0;
    if (to - from == 1) return row[from];
    if (to - from == 2) return (uint64_t)row[from] | (uint64_t)row[from + 1] << 8;
    for (uint32_t byte = to; byte-- > from;) found = found << 8 | row[byte];
    return found;
}

/* Find where an item begins and ends. */
int fa_bounds_of(const fa_segment *segment, const fa_ends *ends, uint32_t item, uint64_t *from, uint64_t *to,
                 fa_fault *fault);

/* Find the posting list of a word, by its number. */
int fa_list_of(const fa_segment *segment, uint32_t word, fa_list *list, fa_fault *fault);

/* Goes over the lists of all words, one behind the other: where a list begins is where the one before ends. */
typedef struct fa_walk {
    const fa_segment *segment;
    uint32_t word; /* of the next list */
    uint64_t pair, ordinal, great_pairs, great_ordinals;
} fa_walk;

int fa_walk_begin(fa_walk *walk, const fa_segment *segment, fa_fault *fault);
/* Only while walk->word is below segment->words. */
int fa_walk_next(fa_walk *walk, fa_list *list, fa_fault *fault);

/* Write the ordinals of a list, rising; room for list->count. */
int fa_list_ordinals(const fa_list *list, uint32_t *ordinals, fa_fault *fault);

/* Return what stands before a pair of the segment apart from `shapes`. */
int fa_rank_of(const fa_segment *segment, uint64_t pair, fa_rank *rank, fa_fault *fault);

/* Return the shape of a pair of the segment; it is one of shape_table. */
int fa_shape_of(const fa_segment *segment, uint64_t pair, uint32_t *shape, fa_fault *fault);

/* Make sure that `shapes` can be read for the pairs `from` to `to` (excluded) of the segment. */
static inline int fa_require_shapes(const fa_segment *segment, uint64_t from, uint64_t to, fa_fault *fault) {
    if (to > segment->pairs) return fa_damaged(segment, &segment->shapes, fault);
    return fa_require(segment, &segment->shapes, from / 2, to / 2 + to % 2, fault);
}

/* Return the number of a pair in `shapes`, which was required before: FA_OTHER or a shape that may not be there. */
static inline uint32_t fa_coded_shape(const fa_segment *segment, uint64_t pair) {
    return segment->shapes.data[pair / 2] >> 4 * (pair % 2) & 15u;
}

/* Return the shape of a pair of which `shapes` was required; *rank: of that pair, which becomes that of the next. */
int fa_next_shape(const fa_segment *segment, uint64_t pair, fa_rank *rank, uint32_t *shape, fa_fault *fault);

#define FA_SHAPES 256 /* that are read at once, at most */

/* Read the shapes of some pairs as far as a byte tells them: the others are FA_RARE, and may not be there. `shapes` was
 * required; rank->others becomes that of the pair behind. */
int fa_read_shapes(const fa_segment *segment, uint64_t pair, uint32_t count, fa_rank *rank, uint8_t *shapes,
                   fa_fault *fault);

/* Make sure that the row of a shape can be read: fa_item of `shape_table` from FA_KINDS * shape on. */
static inline int fa_shape_row(const fa_segment *segment, uint32_t shape, fa_fault *fault) {
    uint64_t row = (uint64_t)FA_KINDS * segment->shape_table.width, from = row * shape;
    return fa_require(segment, &segment->shape_table, from, from + row, fault);
}

/* Write how often the word of a pair of this shape stands in each element. */
int fa_shape_counts(const fa_segment *segment, uint32_t shape, uint32_t counts[FA_KINDS], fa_fault *fault);

/* Work out shape_facts and bits, once for each opened segment; room for shape_count and versions. */
FA_EXPORT int fa_segment_shapes(const fa_segment *segment, fa_shape *facts, fa_fault *fault);
FA_EXPORT int fa_segment_bits(const fa_segment *segment, uint8_t *bits, fa_fault *fault);

/* Add to `counts` how many versions hold each of some words, given by their numbers; UINT32_MAX: a word that is not there. */
FA_EXPORT int fa_segment_holding(const fa_segment *segment, const uint32_t *words, uint32_t count, int64_t *counts,
                                 fa_fault *fault);

/* For tests: decode the list of a word; *count: its pairs, at most `room`. */
FA_EXPORT int fa_segment_list(const fa_segment *segment, uint32_t word, uint32_t *ordinals, uint32_t room,
                              uint32_t *count, fa_fault *fault);

/* Begin to read the positions of a list. ordinals: as fa_list_ordinals gives them; NULL: they are put in later. */
int fa_cursor_begin(fa_cursor *cursor, const fa_list *list, const uint32_t *ordinals, fa_fault *fault);

/* Return the first of the pairs whose ordinals fa_cursor_to needs to go to a pair; the last one is that pair. */
static inline uint32_t fa_cursor_needs(const fa_cursor *cursor, uint32_t row) {
    uint32_t skipped = cursor->skips == NULL ? 0 : row / FA_SKIP * FA_SKIP;
    return skipped > cursor->row ? skipped : cursor->row;
}

/* Write the skips of a list at whose first pair the cursor stands: room for one for each FA_SKIP pairs begun.
 * FA_TOO_LARGE when its positions take more bits than a skip can tell. */
int fa_cursor_skips(fa_cursor *cursor, fa_skip *skips, fa_fault *fault);

/* Go on to a pair of the list that is not before the one reached, and tell its shape. Takes a step for each pair
 * between them, or less than FA_SKIP where skips are known. */
int fa_cursor_to(fa_cursor *cursor, uint32_t row, uint32_t *shape, fa_fault *fault);

/* Where the positions of a pair begin, and its shape. */
typedef struct fa_where {
    uint64_t bit;
    uint32_t shape;
} fa_where;

/* Tell it of some pairs of the list, which rise from the one reached on; go on to the pair behind the last of them. */
int fa_cursor_rows(fa_cursor *cursor, const uint32_t *rows, uint32_t count, fa_where *where, fa_fault *fault);

/* Where a word stands in the elements of a version: see fa_cursor_runs. */
typedef struct fa_runs {
    const fa_segment *segment;
    uint64_t bit; /* where the next run begins */
    uint32_t shape, total; /* total: positions of all runs */
    uint32_t elements; /* of the runs that come yet */
    uint32_t width, extent;
} fa_runs;

/* ... and in one element: see fa_next_run. */
typedef struct fa_run {
    const fa_segment *segment;
    uint64_t lows, highs; /* bits */
    uint64_t left;        /* bits of the high parts from `highs` on */
    uint32_t element, count, low, extent;
    uint32_t place, zeros; /* positions before `highs`, and zeros */
    uint32_t position;     /* the one found last, FA_NO_POSITION when there is no other */
    int is_damaged;
} fa_run;

#define FA_NO_POSITION UINT32_MAX

/* Begin to read where the pair stands that was reached: as many positions as its version and the bits that are there
 * allow. */
int fa_cursor_runs(const fa_cursor *cursor, uint32_t shape, fa_runs *runs, fa_fault *fault);

/* The same for a pair of a version of which it is known where it is. */
int fa_runs_at(const fa_segment *segment, fa_where where, uint32_t version, fa_runs *runs, fa_fault *fault);

/* Write all positions, by element, rising within each; of runs that were not gone on from. Each is below the extent of
 * its version. */
int fa_runs_positions(const fa_runs *runs, uint8_t *elements, uint32_t *positions, fa_fault *fault);

/* How a place is written: position << shift | codes[element]; without those of elements of which there is no bit. */
typedef struct fa_places {
    uint32_t elements, shift, codes[FA_KINDS];
} fa_places;

/* Write where some pairs stand, in the order of fa_runs_positions; ends: of each pair, where its places end. Of a pair with
 * more than `most` positions nothing is written. Room for `most` of each pair, FA_PLACES_MORE behind them, and `most` elements
 * and positions in `spare`. */
#define FA_PLACES_MORE 8
int fa_read_places(const fa_segment *segment, const fa_where *where, const uint32_t *versions, uint32_t count,
                   const fa_places *form, uint32_t most, uint32_t *places, uint32_t *ends, uint32_t *spare,
                   fa_fault *fault);

/* Mark where a pair stands in some elements: bit sections[element] << width | position of `bits`, which has room for all
 * of them; width: that of its version or more. *marked: a bit for each section in which something is. Only for a shape
 * of few elements, none of them with many positions: others have to be read. */
static inline int fa_is_plain(const fa_segment *segment, uint32_t shape) {
    return !segment->shape_facts[shape].has_more && !segment->shape_facts[shape].is_long;
}
int fa_mark_places(const fa_segment *segment, fa_where where, uint32_t version, uint32_t elements,
                   const uint8_t *sections, uint32_t width, uint64_t *bits, uint8_t *marked, fa_fault *fault);

/* Go on to the next run that is in some of the elements; *is_there: whether there is one. */
int fa_next_run(fa_runs *runs, uint32_t elements, fa_run *run, int *is_there, fa_fault *fault);

/* Return the first position of a run that is at least `wanted`, which does not fall from call to call; FA_NO_POSITION
 * when there is none. What lies before is passed by without being read. Damage: is_damaged. */
uint32_t fa_run_from(fa_run *run, uint32_t wanted);

#endif
