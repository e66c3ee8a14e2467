/* The links of a page as one text: what crosses to Python once instead of twice a link. */
#include <string.h>

#include "page.h"

static size_t put(fa_bytes text, uint8_t *room, size_t at) {
    if (room != NULL) {
        if (text.size) memcpy(room + at, text.data, text.size);
        /* the reader of HTML leaves none in; a page that somebody else filled in may have one */
        for (uint8_t *zero; text.size && (zero = memchr(room + at, 0, text.size)) != NULL;) *zero = ' ';
        room[at + text.size] = 0;
    }
    return at + text.size + 1;
}

size_t fa_page_links(const fa_page *page, uint8_t *room) {
    size_t size = 0;
    for (size_t i = 0; i < page->link_count; i++) {
        size = put(page->links[i].href, room, size);
        size = put(page->links[i].text, room, size);
    }
    return size;
}
