/* A batch of pages -> the lists of a segment.
 *
 * Pages are added one behind the other; each gets the next ordinal. Memory: 8 bytes an occurrence, its words once;
 * inverting takes 8 bytes an occurrence more, and what the lists take. After anything but FA_OK a batch can only be
 * emptied or freed.
 */
#ifndef FINDINGAID_BATCH_H
#define FINDINGAID_BATCH_H

#include "codec.h"
#include "core.h"
#include "tokens.h"

typedef struct fa_batch fa_batch;

/* NULL when memory is short. */
FA_EXPORT fa_batch *fa_batch_new(void);
FA_EXPORT void fa_batch_free(fa_batch *batch);

/* Let all pages and lists go, as if the batch were new; what its occurrences took stays for the next ones, up to 24 MiB
 * a buffer, as the system takes its time to give memory anew. */
FA_EXPORT void fa_batch_empty(fa_batch *batch);

/* Add a page from its words, as fa_tokenize_sections and fa_tokens_of_page find them; linear time. FA_TOO_LARGE: there
 * are FA_MAX_VERSIONS pages, or 2^32 occurrences. */
FA_EXPORT enum fa_status fa_batch_add_tokens(fa_batch *batch, const fa_tokens *tokens);

/* Add pages from occurrences as columns, those of a page together and the pages rising.
 *
 * words, word_ends: the distinct words one behind the other in UTF-8, and where each ends; word: for each occurrence an
 * index into them; page: the page, from 0 to pages - 1; element, position: its place. Positions of a word in an element
 * may come in any order.
 */
typedef struct fa_columns {
    fa_bytes words;
    const uint32_t *word_ends;
    size_t word_count;
    const uint32_t *word, *page;
    const uint8_t *element;
    const uint32_t *position;
    size_t occurrences;
    uint32_t pages;
} fa_columns;

/* FA_CORRUPT: the columns do not fit each other. FA_TOO_LARGE: more than FA_MAX_VERSIONS pages, a position of more than
 * FA_POSITION_BITS, 2^32 occurrences. */
FA_EXPORT enum fa_status fa_batch_add_columns(fa_batch *batch, const fa_columns *columns);

/* The number of pages and of occurrences so far. */
FA_EXPORT uint32_t fa_batch_pages(const fa_batch *batch);
FA_EXPORT uint64_t fa_batch_occurrences(const fa_batch *batch);

/* For each page ten uint32_t: occurrences by element. One uint32_t: one more than its greatest position, 0 without
 * words. Valid until the next page is added. */
FA_EXPORT fa_bytes fa_batch_lengths(const fa_batch *batch);
FA_EXPORT fa_bytes fa_batch_extents(const fa_batch *batch);

/* Make the lists. languages: a byte a page, the number of its language if that is below 64, which sets this bit in the
 * column FA_LANGUAGES of each of its words. The lists belong to the batch; linear time. */
FA_EXPORT enum fa_status fa_batch_invert(fa_batch *batch, const uint8_t *languages);
FA_EXPORT const fa_lists *fa_batch_lists(const fa_batch *batch);

#endif
