/* Links by target, text and page, each once: the columns of a file of links (docs/index-format.md).
 *
 * A *target* has edges, which are the texts that name it, by rising number; an edge has links, which are the pages that
 * name the target so, by rising ordinal. Memory: 8 bytes a target and 4 more, 8 an edge, 2 a link, and 32 for each link
 * of the target in hand.
 */
#ifndef FINDINGAID_LINK_ROWS_H
#define FINDINGAID_LINK_ROWS_H

#include "core.h"

typedef struct fa_link_rows fa_link_rows;

typedef struct fa_link_table {
    fa_bytes targets; /* uint64_t: their numbers, rising */
    fa_bytes edges;   /* uint32_t: how many each target has */
    fa_bytes texts;   /* uint32_t: the number of the text of each edge */
    fa_bytes links;   /* uint32_t: how many each edge has */
    fa_bytes sources; /* uint16_t: the page of each link */
} fa_link_table;

/* Such columns as a file has them, to be joined with others. */
typedef struct fa_link_part {
    fa_bytes targets;                    /* uint64_t */
    fa_bytes edges, texts, links;        /* numbers of `edge_size`, `text_size` and `link_size` bytes: 1, 2 or 4 */
    fa_bytes sources;                    /* uint16_t */
    uint32_t edge_size, text_size, link_size;
    uint32_t versions, text_count;
    const int32_t *places;   /* the new ordinal of each of its pages, negative for one that is dropped */
    const uint32_t *numbers; /* of each of its texts */
} fa_link_part;

/* NULL when memory is short. */
FA_EXPORT fa_link_rows *fa_link_rows_new(void);
FA_EXPORT void fa_link_rows_free(fa_link_rows *rows);

/* Put in the links of a batch, a row a link in any order, once and nothing else. FA_CORRUPT: an ordinal above 65535.
 * Time: n log n in the links of a target; takes 32 bytes a link meanwhile. */
FA_EXPORT enum fa_status fa_link_rows_sort(fa_link_rows *rows, const uint64_t *targets, const uint32_t *texts,
                                           const uint32_t *sources, size_t count);

/* Put in the links of several files, once and nothing else. FA_CORRUPT: what lies in one of them does not fit. */
FA_EXPORT enum fa_status fa_link_rows_join(fa_link_rows *rows, const fa_link_part *parts, size_t count);

/* What was put in; valid until `rows` is freed. */
FA_EXPORT void fa_link_rows_table(const fa_link_rows *rows, fa_link_table *table);

#endif
