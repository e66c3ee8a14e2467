/* Byte strings numbered as they come: a hash table, by hashes with a secret (fa_hash), so that no page can be made to fill
 * one place.
 *
 * Memory: the bytes of each string once, 4 bytes and two to four places of 8 bytes for each. At most 2^32 - 2
 * strings of 2^32 - 1 bytes together.
 */
#ifndef FINDINGAID_INTERN_H
#define FINDINGAID_INTERN_H

#include "buffer.h"
#include "core.h"

typedef struct fa_intern {
    uint64_t *slots; /* 0 for a free place, else 32 bits of the hash and, below them, the number + 1 */
    size_t places;   /* a power of two, or 0 */
    uint32_t count;
    fa_buffer bytes, ends; /* the strings one behind the other; ends: uint32_t each */
} fa_intern;

/* Give the number of a string, a new one if it is not there yet; hash: fa_hash of it. A table that is all zeros is empty.
 * FA_OK, FA_NO_MEMORY or FA_TOO_LARGE. */
enum fa_status fa_intern_put_hashed(fa_intern *table, const uint8_t *data, size_t size, uint64_t hash, uint32_t *number);
/* Have the place of a string with this hash ready in a while; then, what stands there; and then, its bytes. */
void fa_intern_prepare(const fa_intern *table, uint64_t hash);
void fa_intern_prepare_string(const fa_intern *table, uint64_t hash);
void fa_intern_prepare_bytes(const fa_intern *table, uint64_t hash);

enum fa_status fa_intern_put(fa_intern *table, const uint8_t *data, size_t size, uint32_t *number);

/* Give the number of a string if it is there, and tell whether it is. */
int fa_intern_find(const fa_intern *table, const uint8_t *data, size_t size, uint32_t *number);

/* The string of a number below `count`. It is valid until the next one is put in. */
fa_bytes fa_intern_at(const fa_intern *table, uint32_t number);

/* Let go of all strings and their memory. */
void fa_intern_free(fa_intern *table);

#endif
