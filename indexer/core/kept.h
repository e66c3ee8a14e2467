/* Addresses as the catalogue keeps them, for those that are as most are; the rules are those of indexer/store/compact.py
 * for any address, to which the tests hold this. */
#ifndef FINDINGAID_KEPT_H
#define FINDINGAID_KEPT_H

#include "core.h"

enum fa_kept_how {
    FA_KEPT_ODD = 0,     /* written so that the rules for all have to be asked */
    FA_KEPT_PLAIN = 1,   /* folder, name and bits are all there is to it */
    FA_KEPT_CAPITALS = 2 /* its path has capital letters, which folder and name have not */
};

/* What is kept of an address that is not odd. page: the first 8 bytes of the MD5 of its sort key, as a signed number.
 * Its urlkey lies in the room from `begin` on: `folder` bytes of folder, `name` bytes of name. bits: 1 for https, 2 for
 * "www.", 4 for a slash at the end, which a urlkey leaves out. capitals: 0, or how many bytes from `begin` on of the room
 * for capitals hold the bits and behind them, for each capital letter, how many others stand before it, FA_FAR for as many
 * and more to come. */
typedef struct fa_kept {
    int64_t page;
    uint32_t begin, folder, name, capitals;
    uint32_t bits, how;
} fa_kept;

enum { FA_FAR = 255 };

/* urls, ends: addresses one behind the other, and where each ends; kept: room for as many; room, capitals: as large as
 * urls. FA_CORRUPT: the ends do not fit. Linear time. */
FA_EXPORT enum fa_status fa_keep_addresses(fa_bytes urls, const uint32_t *ends, size_t count, fa_kept *kept,
                                           uint8_t *room, uint8_t *capitals);

#endif
