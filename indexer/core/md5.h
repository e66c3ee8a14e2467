/* MD5 (RFC 1321), by whose first bytes an index knows words, stems and addresses. It keeps no secret here. */
#ifndef FINDINGAID_MD5_H
#define FINDINGAID_MD5_H

#include "core.h"

/* Put the 16 bytes of the digest of some bytes into `digest`. Linear time, no memory. */
void fa_md5(const uint8_t *data, size_t size, uint8_t digest[16]);

/* The first 4 bytes of the digest as a big-endian number: the id of a word. */
uint32_t fa_md5_id(const uint8_t *data, size_t size);

/* The keys of names: the first 8 bytes of the digest of each as a big-endian number. Several are made at once, in a
 * third of the time of one after the other. */
void fa_md5_keys(const fa_bytes *names, size_t count, uint64_t *keys);

#endif
