/* Where the positions of long lists begin, remembered by a handle from query to query: finding out takes as long as
 * reading the whole list. */
#include <stdlib.h>

#include "query_inside.h"

#define LONG 64                      /* pairs from which on a list is worth it */
#define MOST ((size_t)4 << 20)       /* bytes; when they are full, all are forgotten */

static size_t place_of(const skips *known, uint64_t serial, uint32_t word) {
    uint64_t mixed = (serial * 0x9E3779B97F4A7C15u ^ word) * 0xD6E8FEB86659FD93u;
    size_t at = (size_t)(mixed >> 32) % SKIPS;
    while (known->entries[at].skips != NULL &&
           (known->entries[at].serial != serial || known->entries[at].word != word))
        at = (at + 1) % SKIPS;
    return at;
}

void skips_forget(skips *known) {
    for (size_t at = 0; known->count && at < SKIPS; at++) {
        free(known->entries[at].skips);
        known->entries[at].skips = NULL;
    }
    known->count = 0;
    known->size = 0;
}

/* Let a cursor at the first pair of its list know the skips. They are good until the next query. The list may have to
 * be decoded. */
int skips_find(fa_query *query, held *from, fa_cursor *cursor) {
    skips *known = &query->skips;
    const fa_list *list = cursor->list;
    if (list->count < LONG || cursor->skips != NULL) return FA_OK;
    skip_entry *entry = &known->entries[place_of(known, list->segment->serial, list->word)];
    if (entry->skips == NULL) {
        size_t size = ((size_t)list->count / FA_SKIP + 1) * sizeof(fa_skip);
        /* there is room for those of this query in any case: they are forgotten between queries alone */
        if (known->count >= SKIPS / 2) return FA_OK;
        TRY(held_keep(query, from));
        cursor->ordinals = from->all;
        fa_skip *made = malloc(size);
        if (made == NULL) return FA_NO_MEMORY;
        int status = fa_cursor_skips(cursor, made, &query->fault);
        if (status != FA_OK) {
            free(made);
            return status == FA_TOO_LARGE ? FA_OK : status; /* then it is gone over pair by pair */
        }
        *entry = (skip_entry){list->segment->serial, list->word, made};
        known->count++;
        known->size += size;
    }
    cursor->skips = entry->skips;
    return FA_OK;
}

/* Make room between two queries. */
void skips_rest(skips *known) {
    if (known->size > MOST || known->count > SKIPS / 4) skips_forget(known);
}
