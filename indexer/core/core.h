/* The core of Finding Aid: everything that is done once a page, a word or a posting.
 *
 * Plain C11 without Python.h; indexer/core/library.py loads it with ctypes. Read README.md beside this file first.
 *
 * Rules that hold everywhere:
 * - No function opens a file, allocates without telling when it cannot, recurses on input, or calls back.
 * - Sizes and offsets are size_t or 64 bits, ordinals and counts within a segment 32 bits; text is UTF-8.
 * - A function that can fail returns an enum fa_status; whatever it was given stays valid and can be freed.
 * - Handles are made by *_new (NULL when memory is short) and given back by *_free (which takes NULL, too).
 *   A handle is used by one thread at a time; two handles have nothing in common.
 */
#ifndef FINDINGAID_CORE_H
#define FINDINGAID_CORE_H

#include <stddef.h>
#include <stdint.h>

/* Changed whenever a signature or a struct here changes: library.py refuses a library of another number. */
#define FA_ABI 17

#define FA_EXPORT __attribute__((visibility("default")))

enum fa_status {
    FA_OK = 0,
    FA_NO_MEMORY = 1, /* malloc said no; nothing has changed */
    FA_TOO_LARGE = 2, /* more than a limit of this function; see there */
    FA_CORRUPT = 3,   /* bytes of an index that do not mean anything */
    FA_TIME_UP = 4    /* the deadline came first; what is there is a part */
};

/* Bytes that belong to somebody else. */
typedef struct fa_bytes {
    const uint8_t *data;
    size_t size;
} fa_bytes;

FA_EXPORT uint32_t fa_abi(void);

#endif
