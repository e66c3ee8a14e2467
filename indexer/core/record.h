/* What an ordinary record of a WARC file says: the places of what the index asks for, in one walk over its headers.
 *
 * Ordinary is a record as nearly all are: alone in its member, its length right to the byte, each header line a name and a
 * value in printable ASCII with CR LF behind, nothing folded, no field twice that counts once, no part of another record,
 * dates and lengths as the standards write them. Whatever is not so is told as FA_ODD and is for archiver/warc, which
 * reads all that can be read at all; of an ordinary record it says the same (tests/indexer/text/test_records.py). */
#ifndef FINDINGAID_RECORD_H
#define FINDINGAID_RECORD_H

#include "core.h"

enum fa_record_kind {
    FA_ODD = 0,
    FA_RESPONSE = 1, /* with the header of an HTTP response */
    FA_REVISIT = 2,  /* with such a header, or an empty block */
    FA_ASIDE = 3     /* warcinfo, request or metadata: only `type` is told */
};

/* Bytes of the record; both 0 where it says nothing. A value is without blanks around it. */
typedef struct fa_place {
    uint32_t begin, size;
} fa_place;

typedef struct fa_record {
    uint32_t kind, version; /* version: 10 or 11, for WARC/1.0 and WARC/1.1 */
    uint32_t status;        /* of the HTTP response, from 200 on; 0 without one */
    fa_place type;          /* WARC-Type as written */
    fa_place url;           /* without < and >; never empty, no dns: */
    fa_place payload;       /* WARC-Payload-Digest */
    fa_place refers_to;     /* WARC-Refers-To-Target-URI */
    fa_place content_type;  /* of the block */
    fa_place http_type, http_language, transfer_coding, content_coding, no_sniffing; /* fields of HTTP */
    fa_place body;          /* what stands behind the header of HTTP, codings not undone */
    uint32_t is_plain_page; /* 1: the body is a page in UTF-8 as it stands, by all rules for media types and charsets */
    uint8_t timestamp[16];  /* 14 digits */
} fa_record;

/* Read the record that is all of an unpacked member, of at most FA_MOST_RECORD bytes; `record->kind` tells what it is.
 * size: of what is there of the member, which is `whole` bytes long: its start will do, and then the body is what is
 * there of it, without a character that may be cut.
 * Linear time, no memory. */
#define FA_MOST_RECORD ((size_t)1 << 30)
FA_EXPORT void fa_record_read(const uint8_t *member, size_t size, size_t whole, fa_record *record);

/* A gzip member: how many bytes it takes, where its unpacked ones lie in the room, and what the record says in it. */
typedef struct fa_member {
    uint64_t packed, begin, size;
    fa_record record;
} fa_member;

/* Unpack the members that lie one behind the other from the first byte on, into a room of `most` bytes, and read the record of
 * each; return how many: up to `count`, as long as they are sound (inflate.h) and ordinary and fit in with those before.
 * Only the first may be odd, and is the only one then. is_cut: whether the first member goes on behind the bytes.
 * Linear time, no memory. */
FA_EXPORT uint32_t fa_members_read(fa_bytes packed, uint8_t *room, size_t most, fa_member *found, uint32_t count,
                                   uint32_t *is_cut);

#endif
