/* Texts of links -> which of them a page gets, and how often: the rules of indexer/store/inlinks.py.
 *
 * The links lie in files, one a segment (link_rows.h has the columns). Texts are known by their rank among all that a call
 * is about, which the caller finds out: first fa_fold_mark tells which texts of a file those are.
 */
#ifndef FINDINGAID_FOLD_H
#define FINDINGAID_FOLD_H

#include "core.h"

enum { FA_FOLD_STEP = 16 }; /* where every so many-th target and edge begins is given */

/* A file of links, and the segment whose pages link. */
typedef struct fa_fold_source {
    fa_bytes targets;             /* uint64_t, rising */
    fa_bytes edges, texts, links; /* numbers of `edge_size`, `text_size` and `link_size` bytes: 1, 2 or 4 */
    fa_bytes sources;             /* uint16_t */
    fa_bytes edge_begins;         /* int64_t: how many edges there are before every FA_FOLD_STEP-th target */
    fa_bytes link_begins;         /* int64_t: how many links before every FA_FOLD_STEP-th edge */
    fa_bytes sites, pages;        /* uint32_t: of each version its site, and its page */
    fa_bytes alive;               /* uint8_t: of each version; empty when all are there */
    uint32_t edge_size, text_size, link_size;
    uint32_t text_count;
} fa_fold_source;

/* Set used[text] to 1 for the texts of a file that live pages call some targets by. keys: of the targets, rising.
 * FA_CORRUPT: what lies in the file does not fit. */
FA_EXPORT enum fa_status fa_fold_mark(const fa_fold_source *source, const uint64_t *keys, size_t count, uint8_t *used);

typedef struct fa_fold fa_fold;

typedef struct fa_fold_wish {
    const fa_fold_source *sources;
    const uint32_t *const *ranks; /* of each text of each source that fa_fold_mark has marked; others say nothing */
    size_t source_count;
    const uint64_t *keys; /* of the targets, rising, each once; 0 for none */
    const uint32_t *own;  /* the site of each */
    size_t key_count;
    uint32_t site_count, first_rank; /* texts of a lower rank are left out, but their links are counted */
    uint32_t most_texts, most_times;
} fa_fold_wish;

/* What came of it: a row a text of a target, by target, and then by weight. */
typedef struct fa_fold_table {
    fa_bytes targets, texts, times; /* uint32_t: index of the target, rank of the text, how often it counts */
    fa_bytes linking;               /* uint32_t: from how many other sites each target is linked to */
} fa_fold_table;

/* NULL when memory is short. */
FA_EXPORT fa_fold *fa_fold_new(void);
FA_EXPORT void fa_fold_free(fa_fold *fold);

/* Work it out, once. FA_CORRUPT: what lies in a file does not fit. Time: n log n in the links to a target; memory: 40 bytes
 * for each of them, and 4 a site. */
FA_EXPORT enum fa_status fa_fold_run(fa_fold *fold, const fa_fold_wish *wish, fa_fold_table *table);

#endif
