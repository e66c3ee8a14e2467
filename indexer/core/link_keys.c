/* See link_keys.h. */
#include "link_keys.h"

#include "md5.h"

enum { LONGEST_HOST = 253 };

/* A sort key that is written: "com,example)/", which ends at `root`, and then a path without steps up. */
typedef struct key {
    uint8_t *out;
    size_t size, root;
} key;

static int is_digit(uint8_t byte) { return byte >= '0' && byte <= '9'; }
static int is_small(uint8_t byte) { return byte >= 'a' && byte <= 'z'; }
static int is_letter(uint8_t byte) { return is_small(byte | 0x20); }

/* Stands for itself everywhere, and no escape is kept for it. */
static int is_unreserved(uint8_t byte) {
    return is_letter(byte) || is_digit(byte) || byte == '-' || byte == '.' || byte == '_' || byte == '~';
}

static int is_kept(uint8_t byte, int in_query) {
    static const char OTHERS[] = "!$&'()*+,;=:@/";
    return is_unreserved(byte) || (byte && memchr(OTHERS, byte, sizeof OTHERS - 1) != NULL) || (in_query && byte == '?');
}

static int hex_value(uint8_t byte) {
    if (is_digit(byte)) return byte - '0';
    uint8_t letter = byte | 0x20;
    return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

static void put_escape(key *k, uint8_t byte) {
    static const char DIGITS[] = "0123456789ABCDEF";
    k->out[k->size++] = '%';
    k->out[k->size++] = (uint8_t)DIGITS[byte >> 4];
    k->out[k->size++] = (uint8_t)DIGITS[byte & 15];
}

/* Put the byte or escape at `at` in its one spelling; returns how many bytes it has. */
static size_t put_spelled(key *k, fa_bytes text, size_t at, int in_query) {
    uint8_t byte = text.data[at];
    if (byte == '%' && text.size - at > 2) {
        int high = hex_value(text.data[at + 1]), low = hex_value(text.data[at + 2]);
        if (high >= 0 && low >= 0) {
            uint8_t meant = (uint8_t)(high << 4 | low);
            if (is_unreserved(meant))
                k->out[k->size++] = meant;
            else
                put_escape(k, meant);
            return 3;
        }
    }
    if (is_kept(byte, in_query))
        k->out[k->size++] = byte;
    else
        put_escape(k, byte);
    return 1;
}

/* Leave the last step of a path that ends with a slash; the root has nothing above it. */
static void go_up(key *k) {
    if (k->size == k->root) return;
    k->size--;
    while (k->size > k->root && k->out[k->size - 1] != '/') k->size--;
}

/* Put a path behind a slash that is there. */
static void put_path(key *k, fa_bytes path) {
    for (size_t at = 0;; at++) {
        size_t begin = k->size;
        while (at < path.size && path.data[at] != '/') at += put_spelled(k, path, at, 0);
        size_t size = k->size - begin;
        int is_dot = size == 1 && k->out[begin] == '.';
        int is_up = size == 2 && k->out[begin] == '.' && k->out[begin + 1] == '.';
        if (is_dot || is_up) k->size = begin;
        if (is_up) go_up(k);
        if (at == path.size) return;
        if (!is_dot && !is_up) k->out[k->size++] = '/';
    }
}

/* Put a path and perhaps a query behind a slash that is there. */
static void put_path_and_query(key *k, fa_bytes text) {
    const uint8_t *mark = text.size ? memchr(text.data, '?', text.size) : NULL;
    size_t size = mark ? (size_t)(mark - text.data) : text.size;
    put_path(k, (fa_bytes){text.data, size});
    if (size + 1 >= text.size) return; /* an empty query is none */
    k->out[k->size++] = '?';
    fa_bytes query = {mark + 1, text.size - size - 1};
    for (size_t at = 0; at < query.size;) at += put_spelled(k, query, at, 1);
}

/* Put a host of plain letters turned round, and the slash behind it. Returns 0 for any other host. */
static int put_host(key *k, fa_bytes host) {
    size_t end = host.size, at = host.size;
    if (host.size > LONGEST_HOST) return 0;
    while (at > 0) {
        int is_last = end == host.size;
        while (at > 0 && host.data[at - 1] != '.') {
            uint8_t byte = host.data[--at];
            if (!is_small(byte) && (is_last || (!is_digit(byte) && byte != '-' && byte != '_'))) return 0;
        }
        if (end - at < (is_last ? 2u : 1u)) return 0;
        memcpy(k->out + k->size, host.data + at, end - at);
        k->size += end - at;
        if (at == 0) break;
        k->out[k->size++] = ',';
        end = --at;
        if (at == 0) return 0; /* begins with a dot */
    }
    if (end == host.size) return 0; /* without a dot */
    k->out[k->size++] = ')';
    k->out[k->size++] = '/';
    k->root = k->size;
    return 1;
}

/* Put an address from its host on. */
static int put_address(key *k, fa_bytes text) {
    size_t size = 0;
    while (size < text.size && text.data[size] != '/' && text.data[size] != '?') size++;
    if (!put_host(k, (fa_bytes){text.data, size})) return 0;
    if (size < text.size && text.data[size] == '/') size++;
    put_path_and_query(k, (fa_bytes){text.data + size, text.size - size});
    return 1;
}

static size_t root_of(fa_bytes folder) {
    for (size_t at = 0; at + 1 < folder.size; at++)
        if (folder.data[at] == ')' && folder.data[at + 1] == '/') return at + 2;
    return 0;
}

static int put_relative(key *k, fa_bytes folder, fa_bytes text) {
    int from_root = text.data[0] == '/';
    k->root = root_of(folder);
    if (k->root == 0 || folder.data[folder.size - 1] != '/') return 0;
    k->size = from_root ? k->root : folder.size;
    memcpy(k->out, folder.data, k->size);
    put_path_and_query(k, (fa_bytes){text.data + from_root, text.size - (size_t)from_root});
    return 1;
}

/* Give the bytes before the colon of a scheme, 0 where there is none. */
static size_t scheme_size(fa_bytes text) {
    size_t size = 0;
    while (size < text.size && (is_letter(text.data[size]) || (size && (is_digit(text.data[size]) || text.data[size] == '+' ||
                                                                      text.data[size] == '.' || text.data[size] == '-'))))
        size++;
    return size < text.size && text.data[size] == ':' ? size : 0;
}

static fa_bytes behind(fa_bytes text, size_t size) { return (fa_bytes){text.data + size, text.size - size}; }

/* Does it begin so, in small letters? */
static int begins(fa_bytes text, const char *with) {
    size_t size = strlen(with);
    return text.size >= size && memcmp(text.data, with, size) == 0;
}

static int is_web_scheme(fa_bytes text, size_t size) {
    static const char HTTPS[] = "https";
    if (size != 4 && size != 5) return 0;
    for (size_t k = 0; k < size; k++)
        if ((text.data[k] | 0x20) != (uint8_t)HTTPS[k]) return 0;
    return 1;
}

int fa_link_is_of_folder(fa_bytes href) {
    uint8_t first = href.data[0];
    size_t scheme = scheme_size(href);
    /* "http:", "http:?q": what follows is relative to the page itself */
    if (scheme && is_web_scheme(href, scheme)) return begins(behind(href, scheme + 1), "//");
    return is_letter(first) || (first >= '.' && first <= '9');
}

/* Blanks around it, line breaks, backslashes and letters of other scripts are left to others. */
static int is_plain(fa_bytes text) {
    if (text.data[0] == ' ' || text.data[text.size - 1] == ' ') return 0;
    for (size_t at = 0; at < text.size; at++) {
        uint8_t byte = text.data[at];
        if (byte < 0x20 || byte >= 0x7f || byte == '\\') return 0;
    }
    return 1;
}

static enum fa_meaning put_key(key *k, fa_bytes folder, fa_bytes href) {
    if (!is_plain(href)) return FA_LINK_ODD;
    if (begins(href, "http://")) return put_address(k, behind(href, 7)) ? FA_LINK_PAGE : FA_LINK_ODD;
    if (begins(href, "https://")) return put_address(k, behind(href, 8)) ? FA_LINK_PAGE : FA_LINK_ODD;
    size_t scheme = scheme_size(href);
    if (scheme) return is_web_scheme(href, scheme) ? FA_LINK_ODD : FA_LINK_NO_PAGE;
    if (folder.size == 0 || href.data[0] == '?') return FA_LINK_ODD;
    if (begins(href, "//")) return put_address(k, behind(href, 2)) ? FA_LINK_PAGE : FA_LINK_ODD;
    return put_relative(k, folder, href) ? FA_LINK_PAGE : FA_LINK_ODD;
}

enum fa_status fa_link_meaning(fa_buffer *room, fa_bytes folder, fa_bytes href, enum fa_meaning *meaning,
                               uint64_t *number) {
    room->size = 0;
    if (href.size > SIZE_MAX / 4 - folder.size || !fa_buffer_reserve(room, folder.size + 3 * href.size + 4)) return FA_NO_MEMORY;
    key k = {.out = room->data};
    *meaning = put_key(&k, folder, href);
    if (*meaning != FA_LINK_PAGE) return FA_OK;
    room->size = k.size;
    uint8_t digest[16];
    fa_md5(k.out, k.size, digest);
    *number = 0;
    for (unsigned byte = 0; byte < 8; byte++) *number = *number << 8 | digest[byte];
    return FA_OK;
}
