/* The links of the pages of a batch. See links.h. */
#include "links.h"

#include <stdlib.h>
#include <string.h>

#include "buffer.h"
#include "intern.h"

/* Addresses that depend on the page itself are kept under a number that no folder has. */
static const uint32_t OF_PAGE = (uint32_t)1 << 31;

struct fa_links {
    fa_intern texts;
    fa_intern addresses;         /* each behind the four bytes of its folder */
    fa_buffer meant, are_pages;  /* for each address: uint64_t, uint8_t */
    fa_buffer targets, numbers, sources;
    fa_buffer asked, name;
    uint32_t explained; /* addresses that have been */
};

fa_links *fa_links_new(void) { return calloc(1, sizeof(fa_links)); }

void fa_links_free(fa_links *links) {
    if (links == NULL) return;
    fa_intern_free(&links->texts);
    fa_intern_free(&links->addresses);
    fa_buffer *buffers[] = {&links->meant,   &links->are_pages, &links->targets, &links->numbers,
                            &links->sources, &links->asked,     &links->name};
    for (size_t k = 0; k < sizeof buffers / sizeof *buffers; k++) fa_buffer_free(buffers[k]);
    free(links);
}

/* Tell whether an address means the same on all pages of a folder: it begins with a letter, a digit, '.' or '/'. */
static int is_of_folder(fa_bytes href) {
    uint8_t first = href.data[0], letter = first | 0x20;
    return (letter >= 'a' && letter <= 'z') || (first >= '.' && first <= '9');
}

/* What leads to another place than the page itself. */
static int is_asked(const fa_link *link) { return link->href.size && link->href.data[0] != '#'; }

/* Put the name of an address among the addresses into links->name. */
static enum fa_status name_of(fa_links *links, fa_bytes href, uint32_t folder, uint32_t ordinal) {
    uint32_t place = is_of_folder(href) ? folder : OF_PAGE | ordinal;
    links->name.size = 0; /* what lies behind is written over, nothing is put there bit by bit */
    if (!fa_buffer_put_u32(&links->name, place)) return FA_NO_MEMORY;
    return fa_buffer_put(&links->name, href.data, href.size) ? FA_OK : FA_NO_MEMORY;
}

static enum fa_status put_asked(fa_links *links, fa_bytes href) {
    size_t begin = links->asked.size;
    if (!fa_buffer_put(&links->asked, href.data, href.size) || !fa_buffer_put(&links->asked, "", 1)) return FA_NO_MEMORY;
    uint8_t *text = links->asked.data + begin;
    for (uint8_t *zero; (zero = memchr(text, 0, href.size)) != NULL;) *zero = ' ';
    return FA_OK;
}

enum fa_status fa_links_ask(fa_links *links, const fa_page *page, uint32_t folder, uint32_t ordinal, fa_bytes *asked) {
    *asked = (fa_bytes){0};
    fa_buffer_empty(&links->asked);
    for (size_t k = 0; k < page->link_count; k++) {
        const fa_link *link = &page->links[k];
        if (!is_asked(link)) continue;
        enum fa_status status = name_of(links, link->href, folder, ordinal);
        uint32_t number, before = links->addresses.count;
        if (status == FA_OK) status = fa_intern_put(&links->addresses, links->name.data, links->name.size, &number);
        if (status == FA_OK && number == before) status = put_asked(links, link->href);
        if (status) return status;
    }
    *asked = (fa_bytes){links->asked.data, links->asked.size};
    return FA_OK;
}

/* Put a link behind the others; its text is numbered here, in the order in which texts are first kept. */
static enum fa_status put_link(fa_links *links, fa_bytes text, uint64_t target, uint32_t ordinal) {
    uint32_t number;
    enum fa_status status = fa_intern_put(&links->texts, text.data, text.size, &number);
    if (status) return status;
    int is_put = fa_buffer_put_u64(&links->targets, target) && fa_buffer_put_u32(&links->numbers, number) &&
                 fa_buffer_put_u32(&links->sources, ordinal);
    return is_put ? FA_OK : FA_NO_MEMORY;
}

enum fa_status fa_links_add(fa_links *links, const fa_page *page, uint32_t folder, uint32_t ordinal, uint64_t own,
                            const uint64_t *targets, const uint8_t *are_pages, size_t count) {
    if (count != links->addresses.count - links->explained) return FA_CORRUPT;
    if (count && !(fa_buffer_put(&links->meant, targets, count * sizeof *targets) &&
                   fa_buffer_put(&links->are_pages, are_pages, count)))
        return FA_NO_MEMORY;
    links->explained = links->addresses.count;
    for (size_t k = 0; k < page->link_count; k++) {
        const fa_link *link = &page->links[k];
        if (!is_asked(link)) continue;
        enum fa_status status = name_of(links, link->href, folder, ordinal);
        if (status) return status;
        uint32_t number;
        if (!fa_intern_find(&links->addresses, links->name.data, links->name.size, &number)) return FA_CORRUPT;
        if (!links->are_pages.data[number]) continue;
        uint64_t target;
        memcpy(&target, links->meant.data + (size_t)number * sizeof target, sizeof target);
        if (target == own) continue;
        status = put_link(links, link->text, target, ordinal);
        if (status) return status;
    }
    return FA_OK;
}

void fa_links_columns(const fa_links *links, fa_link_columns *columns) {
    *columns = (fa_link_columns){
        .targets = {links->targets.data, links->targets.size},
        .texts = {links->numbers.data, links->numbers.size},
        .sources = {links->sources.data, links->sources.size},
        .spelled = {links->texts.bytes.data, links->texts.bytes.size},
        .text_ends = {links->texts.ends.data, links->texts.ends.size},
    };
}
