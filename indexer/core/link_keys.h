/* What an address in a page means, worked out for addresses as most are written; the rules are those of
 * archiver/warc/urls.py (canonical_url, surt_key), to which the tests hold this. */
#ifndef FINDINGAID_LINK_KEYS_H
#define FINDINGAID_LINK_KEYS_H

#include "buffer.h"
#include "core.h"

enum fa_meaning {
    FA_LINK_ODD = 0, /* written so that the rules for all have to be asked */
    FA_LINK_PAGE = 1,
    FA_LINK_NO_PAGE = 2 /* of another scheme: mailto:, javascript: ... */
};

/* Tell whether an address, not empty, means the same on all pages of a folder. */
int fa_link_is_of_folder(fa_bytes href);

/* Tell what `href` means, and put the number of a page into `number`: the first 8 bytes of the MD5 of its sort key.
 *
 * href: without fragment, not empty. folder: the sort key of what it is relative to ("com,example)/a/b/"), empty where there
 * is none that is plain. room: gets the sort key of a page; what is in it is lost. FA_OK or FA_NO_MEMORY; linear time. */
enum fa_status fa_link_meaning(fa_buffer *room, fa_bytes folder, fa_bytes href, enum fa_meaning *meaning,
                               uint64_t *number);

#endif
