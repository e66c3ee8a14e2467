/* The links of the pages of a batch. See links.h. */
#include "links.h"

#include <stdlib.h>
#include <string.h>

#include "buffer.h"
#include "intern.h"
#include "link_keys.h"
#include "tokens.h"

/* Addresses that depend on the page itself are kept under a number that no folder has. */
static const uint32_t OF_PAGE = (uint32_t)1 << 31;

/* The numbers of folders that are known here begin behind those that are given. */
static const uint32_t OWN_FOLDERS = (uint32_t)1 << 30;

struct fa_links {
    fa_intern texts;
    fa_intern addresses;         /* each behind the four bytes of its folder */
    fa_buffer meant, are_pages;  /* for each address: uint64_t, uint8_t */
    fa_buffer targets, numbers, sources;
    fa_buffer asked, waiting; /* addresses that have to be explained, and their numbers (uint32_t) */
    fa_buffer of_page;        /* for each link of the page in hand the number of its address (uint32_t) */
    fa_buffer looked_up;      /* a `name` a link */
    fa_buffer name, key;
    fa_intern folders;        /* of plain addresses: their sort keys, each behind a byte for its scheme */
};

static const uint32_t NOWHERE = UINT32_MAX; /* in of_page: leads to no other place */

/* What is looked up for a link: in links->name, or the text of the link. The tables are larger than what the processor
 * has at hand: it is told of all links of a page before the first is looked up. */
typedef struct name {
    size_t begin, size; /* size 0: nothing */
    uint64_t hash;
} name;

fa_links *fa_links_new(void) { return calloc(1, sizeof(fa_links)); }

void fa_links_free(fa_links *links) {
    if (links == NULL) return;
    fa_intern_free(&links->texts);
    fa_intern_free(&links->addresses);
    fa_intern_free(&links->folders);
    fa_buffer *buffers[] = {&links->meant, &links->are_pages, &links->targets,   &links->numbers, &links->sources,
                            &links->asked, &links->waiting,   &links->of_page,   &links->name,    &links->key,
                            &links->looked_up};
    for (size_t k = 0; k < sizeof buffers / sizeof *buffers; k++) fa_buffer_free(buffers[k]);
    free(links);
}

/* The address without what tells a place in a page; empty for what leads to the page itself. */
static fa_bytes without_fragment(fa_bytes href) {
    const uint8_t *mark = href.size ? memchr(href.data, '#', href.size) : NULL;
    return (fa_bytes){href.data, mark ? (size_t)(mark - href.data) : href.size};
}

/* Make room for what is looked up for each link of a page; NULL when memory is short. */
static name *room_for_names(fa_links *links, const fa_page *page) {
    links->looked_up.size = 0; /* what lies behind is written over, nothing is put bit by bit */
    return fa_buffer_reserve(&links->looked_up, page->link_count * sizeof(name) + 1) ? (name *)links->looked_up.data : NULL;
}

/* Put the names of the addresses of a page into links->name. */
static enum fa_status name_all(fa_links *links, const fa_page *page, uint32_t folder, uint32_t ordinal) {
    size_t size = 0;
    for (size_t k = 0; k < page->link_count; k++) size += sizeof folder + page->links[k].href.size;
    links->name.size = 0;
    name *names = room_for_names(links, page);
    if (!names || !fa_buffer_reserve(&links->name, size)) return FA_NO_MEMORY;
    uint8_t *begin = links->name.data, *to = begin;
    for (size_t k = 0; k < page->link_count; k++) {
        fa_bytes href = without_fragment(page->links[k].href);
        names[k] = (name){.begin = (size_t)(to - begin)};
        if (!href.size) continue;
        uint32_t place = fa_link_is_of_folder(href) ? folder : OF_PAGE | ordinal;
        memcpy(to, &place, sizeof place);
        memcpy(to + sizeof place, href.data, href.size);
        names[k].size = sizeof place + href.size;
        names[k].hash = fa_hash(to, sizeof place + href.size);
        to += sizeof place + href.size;
        fa_intern_prepare(&links->addresses, names[k].hash);
    }
    return FA_OK;
}

static enum fa_status put_asked(fa_links *links, fa_bytes href) {
    size_t begin = links->asked.size;
    if (!fa_buffer_put(&links->asked, href.data, href.size) || !fa_buffer_put(&links->asked, "", 1)) return FA_NO_MEMORY;
    uint8_t *text = links->asked.data + begin;
    for (uint8_t *zero; (zero = memchr(text, 0, href.size)) != NULL;) *zero = ' ';
    return FA_OK;
}

/* Explain an address that is met for the first time, or have it asked. */
static enum fa_status explain(fa_links *links, fa_bytes folder_key, fa_bytes href, uint32_t number) {
    enum fa_meaning meaning = FA_LINK_ODD;
    uint64_t target = 0;
    enum fa_status status = fa_link_meaning(&links->key, folder_key, href, &meaning, &target);
    if (status == FA_OK && meaning == FA_LINK_ODD) {
        status = put_asked(links, href);
        if (status == FA_OK && !fa_buffer_put_u32(&links->waiting, number)) status = FA_NO_MEMORY;
    }
    uint8_t is_page = meaning == FA_LINK_PAGE;
    if (status == FA_OK && !(fa_buffer_put_u64(&links->meant, target) && fa_buffer_put(&links->are_pages, &is_page, 1)))
        status = FA_NO_MEMORY;
    return status;
}

enum fa_status fa_links_ask(fa_links *links, const fa_page *page, uint32_t folder, fa_bytes folder_key, uint32_t ordinal,
                            fa_bytes *asked) {
    *asked = (fa_bytes){0};
    links->asked.size = links->waiting.size = links->of_page.size = 0;
    enum fa_status status = name_all(links, page, folder, ordinal);
    const name *names = (const name *)links->looked_up.data;
    for (size_t k = 0; k < page->link_count && status == FA_OK; k++) {
        uint32_t number = NOWHERE, before = links->addresses.count;
        if (names[k].size) {
            const uint8_t *spelled = links->name.data + names[k].begin;
            status = fa_intern_put_hashed(&links->addresses, spelled, names[k].size, names[k].hash, &number);
            if (status == FA_OK && number == before)
                status = explain(links, folder_key, without_fragment(page->links[k].href), number);
        }
        if (status == FA_OK && !fa_buffer_put_u32(&links->of_page, number)) status = FA_NO_MEMORY;
    }
    if (status) return status;
    *asked = (fa_bytes){links->asked.data, links->asked.size};
    return FA_OK;
}

static enum fa_status hash_texts(fa_links *links, const fa_page *page) {
    name *names = room_for_names(links, page);
    for (size_t k = 0; names && k < page->link_count; k++) {
        fa_bytes text = page->links[k].text;
        names[k] = (name){.size = text.size, .hash = fa_hash(text.data, text.size)};
        fa_intern_prepare(&links->texts, names[k].hash);
    }
    return names ? FA_OK : FA_NO_MEMORY;
}

/* Put a link behind the others; its text is numbered here, in the order in which texts are first kept. */
static enum fa_status put_link(fa_links *links, fa_bytes text, uint64_t hash, uint64_t target, uint32_t ordinal) {
    uint32_t number;
    enum fa_status status = fa_intern_put_hashed(&links->texts, text.data, text.size, hash, &number);
    if (status) return status;
    int is_put = fa_buffer_put_u64(&links->targets, target) && fa_buffer_put_u32(&links->numbers, number) &&
                 fa_buffer_put_u32(&links->sources, ordinal);
    return is_put ? FA_OK : FA_NO_MEMORY;
}

enum fa_status fa_links_add(fa_links *links, const fa_page *page, uint32_t ordinal, uint64_t own,
                            const uint64_t *targets, const uint8_t *are_pages, size_t count) {
    if (count != links->waiting.size / sizeof(uint32_t) || page->link_count != links->of_page.size / sizeof(uint32_t))
        return FA_CORRUPT;
    const uint32_t *waiting = (const uint32_t *)links->waiting.data;
    uint64_t *meant = (uint64_t *)links->meant.data;
    for (size_t k = 0; k < count; k++) {
        if (waiting[k] >= links->are_pages.size) return FA_CORRUPT; /* memory was short when it was met */
        meant[waiting[k]] = targets[k];
        links->are_pages.data[waiting[k]] = are_pages[k];
    }
    links->waiting.size = 0;
    enum fa_status status = hash_texts(links, page);
    for (size_t k = 0; k < page->link_count && status == FA_OK; k++) {
        uint32_t number = ((const uint32_t *)links->of_page.data)[k];
        if (number == NOWHERE) continue;
        if (number >= links->are_pages.size) return FA_CORRUPT;
        if (!links->are_pages.data[number] || meant[number] == own) continue;
        uint64_t hash = ((const name *)links->looked_up.data)[k].hash;
        status = put_link(links, page->links[k].text, hash, meant[number], ordinal);
    }
    return status;
}

/* ---- pages whose address is plain ---- */

/* Is an address, or the path of a base, written so that its folder is where its last step begins, whatever joins the two?
 * What is odd is left for indexer/store/links.py. */
static int has_plain_path(fa_bytes text, size_t root) {
    size_t end = root, last = root;
    for (; end < text.size && text.data[end] != '?'; end++) {
        uint8_t byte = text.data[end];
        if (byte == ';' || (byte == '%' && text.size - end > 2 && text.data[end + 1] == '2' && (text.data[end + 2] | 0x20) == 'e'))
            return 0;
        if (byte == '/' && end > root && text.data[end - 1] == '/') return 0;
        if (byte == '/') last = end + 1;
    }
    return last == end || text.data[last] != '.';
}

static int has_plain_bytes(fa_bytes text) {
    for (size_t at = 0; at < text.size; at++) {
        uint8_t byte = text.data[at];
        if (byte <= 0x20 || byte >= 0x7f || byte == '\\' || byte == '#') return 0;
    }
    return text.size > 0;
}

/* Tell where the path of a plain address begins, 0 for any other. */
static size_t plain_root(fa_bytes url) {
    size_t begin = 0;
    if (!has_plain_bytes(url)) return 0;
    if (url.size > 7 && memcmp(url.data, "http://", 7) == 0) begin = 7;
    if (url.size > 8 && memcmp(url.data, "https://", 8) == 0) begin = 8;
    if (begin == 0) return 0;
    while (begin < url.size && url.data[begin] != '/' && url.data[begin] != '?') begin++;
    if (begin == url.size || url.data[begin] != '/') return 0;
    for (size_t at = begin; at + 1 < url.size && url.data[at] != '?'; at++)
        if (url.data[at] == '/' && url.data[at + 1] == '.') return 0;
    return has_plain_path(url, begin) ? begin : 0;
}

/* Give the number and the key of the folder of a sort key; that is lost. The number is another one for http and https. */
static enum fa_status number_folder(fa_links *links, int is_secure, uint32_t *number, fa_bytes *key) {
    const uint8_t *mark = memchr(links->key.data, '?', links->key.size);
    size_t size = mark ? (size_t)(mark - links->key.data) : links->key.size;
    while (size && links->key.data[size - 1] != '/') size--;
    uint8_t scheme = is_secure ? 's' : ' ';
    links->name.size = 0;
    if (!fa_buffer_put(&links->name, &scheme, 1) || !fa_buffer_put(&links->name, links->key.data, size)) return FA_NO_MEMORY;
    enum fa_status status = fa_intern_put(&links->folders, links->name.data, links->name.size, number);
    if (status) return status;
    if (*number >= OWN_FOLDERS) return FA_TOO_LARGE;
    fa_bytes kept = fa_intern_at(&links->folders, *number);
    *key = (fa_bytes){kept.data + 1, kept.size - 1};
    return FA_OK;
}

/* Put the sort key of the base that a page names into links->key. Only for paths: "../", "/a/"; tells whether it is one. */
static enum fa_status key_of_base(fa_links *links, fa_bytes folder, fa_bytes base, int *is_plain) {
    enum fa_meaning meaning = FA_LINK_ODD;
    uint64_t ignored;
    *is_plain = 0;
    if (!has_plain_bytes(base) || memchr(base.data, '?', base.size) || memchr(base.data, ':', base.size) ||
        !has_plain_path(base, 0))
        return FA_OK;
    enum fa_status status = fa_link_meaning(&links->key, folder, base, &meaning, &ignored);
    *is_plain = status == FA_OK && meaning == FA_LINK_PAGE;
    return status;
}

enum fa_status fa_links_of_page(fa_links *links, const fa_page *page, fa_bytes url, uint32_t ordinal,
                                enum fa_links_left *left, fa_bytes *asked, uint64_t *own) {
    enum fa_meaning meaning = FA_LINK_ODD;
    *left = FA_LINKS_ODD;
    *asked = (fa_bytes){0};
    *own = 0;
    if (!plain_root(url)) return FA_OK;
    enum fa_status status = fa_link_meaning(&links->key, (fa_bytes){NULL, 0}, url, &meaning, own);
    if (status || meaning != FA_LINK_PAGE) return status;
    uint32_t number;
    fa_bytes key;
    int is_secure = url.data[4] == 's';
    status = number_folder(links, is_secure, &number, &key);
    if (status == FA_OK && page->base.size) {
        int is_plain;
        status = key_of_base(links, key, page->base, &is_plain);
        if (status || !is_plain) return status;
        status = number_folder(links, is_secure, &number, &key);
    }
    if (status == FA_OK) status = fa_links_ask(links, page, OWN_FOLDERS | number, key, ordinal, asked);
    if (status) return status;
    *left = asked->size ? FA_LINKS_ASKED : FA_LINKS_DONE;
    return asked->size ? FA_OK : fa_links_add(links, page, ordinal, *own, NULL, NULL, 0);
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
