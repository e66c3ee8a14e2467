/* gzip members that are wholly in memory, unpacked in one go.
 *
 * For the many members that are sound and of common size. Whatever is wrong or rare is only told as such: what it is, and
 * what can be saved of it, is for archiver/warc/members.py. */
#ifndef FINDINGAID_INFLATE_H
#define FINDINGAID_INFLATE_H

#include "core.h"

enum fa_unpacked {
    FA_UNPACKED = 0,
    FA_UNPACKED_CUT,  /* the bytes end before the member does */
    FA_UNPACKED_FULL, /* it unpacks to more than there is room for */
    FA_UNPACKED_ODD   /* no gzip member, a broken one, or one with a checksum of its header */
};

/* Unpack the member that begins with the bytes into `room`: `*size` bytes, at most `most`, checked by length and CRC; it takes
 * `*packed` bytes. Of one that unpacks to more, the first `most` bytes are there, which nothing was held against. Bytes of
 * the room behind `*size` may be written, too. Linear time, no memory. */
FA_EXPORT enum fa_unpacked fa_gunzip(fa_bytes bytes, uint8_t *room, size_t most, size_t *packed, size_t *size);

#endif
