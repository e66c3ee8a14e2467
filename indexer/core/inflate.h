/* A gzip member (RFC 1952, 1951) that lies in memory as a whole: unpacked at once.
 *
 * Only for members that are sound: of all others archiver/warc/members.py tells what is wrong with them, and what can be
 * saved. The checksum is left to the caller.
 */
#ifndef FINDINGAID_INFLATE_H
#define FINDINGAID_INFLATE_H

#include "core.h"

/* Bytes behind what is unpacked that may be written over. */
enum { FA_UNPACK_SLACK = 512 };

typedef struct fa_unpacked {
    size_t size; /* of what was unpacked */
    size_t used; /* of the member, with the 8 bytes of checksum and size that end it */
    uint32_t checksum, told_size; /* of these 8 bytes: CRC-32 of what is unpacked, and its size modulo 2^32 */
} fa_unpacked;

/* Unpack the member that the bytes begin with. room: `size` bytes, FA_UNPACK_SLACK of which are for use on the way.
 * Returns FA_OK, FA_CORRUPT for what is no whole member or has a checksum of its header, or FA_TOO_LARGE when the room is not
 * enough. Time grows with what is read and written; no memory. */
FA_EXPORT enum fa_status fa_unpack(fa_bytes packed, uint8_t *room, size_t size, fa_unpacked *unpacked);

#endif
