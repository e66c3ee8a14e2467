/* See kept.h. */
#include "kept.h"

#include <string.h>

#include "md5.h"

enum { HTTPS = 1, WWW = 2, SLASH = 4, LONGEST_HOST = 240 };

static int is_digit(uint8_t byte) { return byte >= '0' && byte <= '9'; }
static int is_small(uint8_t byte) { return byte >= 'a' && byte <= 'z'; }
static int is_capital(uint8_t byte) { return byte >= 'A' && byte <= 'Z'; }

static int begins(fa_bytes text, const char *with, size_t size) {
    return text.size >= size && memcmp(text.data, with, size) == 0;
}

static fa_bytes behind(fa_bytes text, size_t size) { return (fa_bytes){text.data + size, text.size - size}; }

/* "www.", "www2." */
static int is_of_www(fa_bytes host) {
    size_t at = 3;
    if (!begins(host, "www", 3)) return 0;
    while (at < host.size && is_digit(host.data[at])) at++;
    return at < host.size && host.data[at] == '.';
}

/* Put the labels of a host the last first, with commas. Returns 0 for one that is not plain. */
static int put_turned(uint8_t *out, fa_bytes host) {
    size_t end = host.size, at = host.size;
    if (host.size > LONGEST_HOST) return 0;
    for (int is_last = 1;; is_last = 0) {
        for (; at > 0 && host.data[at - 1] != '.'; at--) {
            uint8_t byte = host.data[at - 1];
            if (!is_small(byte) && (is_last || (!is_digit(byte) && byte != '-' && byte != '_'))) return 0;
        }
        if (end - at < (is_last ? 2u : 1u)) return 0;
        memcpy(out, host.data + at, end - at);
        out += end - at;
        if (at == 0) return !is_last;
        *out++ = ',';
        end = --at;
    }
}

/* Is it made of steps of letters, digits and _ ~ - . that are not empty and do not begin with a dot? It begins with a
 * slash and may end with one. */
static int is_plain_path(fa_bytes path, int *has_capitals) {
    *has_capitals = 0;
    for (size_t at = 1; at < path.size; at++) {
        uint8_t byte = path.data[at];
        if (is_capital(byte))
            *has_capitals = 1;
        else if (byte == '/' || byte == '.') {
            if (path.data[at - 1] == '/') return 0;
        } else if (!is_small(byte) && !is_digit(byte) && byte != '_' && byte != '~' && byte != '-')
            return 0;
    }
    return 1;
}

/* Put the urlkey of an address at `out`, which has as much room as that; its sort key stands there before. */
static void keep(fa_bytes url, fa_kept *kept, uint8_t *out) {
    kept->how = FA_KEPT_ODD;
    size_t scheme = begins(url, "http://", 7) ? 7 : begins(url, "https://", 8) ? 8 : 0;
    if (!scheme) return;
    fa_bytes rest = behind(url, scheme);
    kept->bits = scheme == 8 ? HTTPS : 0;
    if (begins(rest, "www.", 4)) {
        kept->bits |= WWW;
        rest = behind(rest, 4);
    }
    const uint8_t *slash = rest.size ? memchr(rest.data, '/', rest.size) : NULL;
    if (slash == NULL || is_of_www(rest)) return;
    size_t host = (size_t)(slash - rest.data), size = host;
    fa_bytes path = behind(rest, host);
    int has_capitals;
    if (!is_plain_path(path, &has_capitals) || !put_turned(out, (fa_bytes){rest.data, host})) return;

    if (kept->bits & WWW) {
        memcpy(out + size, ",www", 4);
        size += 4;
    }
    out[size++] = ')';
    memcpy(out + size, path.data, path.size);
    uint8_t digest[16];
    fa_md5(out, size + path.size, digest);
    uint64_t page = 0;
    for (unsigned byte = 0; byte < 8; byte++) page = page << 8 | digest[byte];
    kept->page = (int64_t)page;

    if (path.size > 1 && path.data[path.size - 1] == '/') {
        kept->bits |= SLASH;
        path.size--;
    }
    size_t folder = path.size;
    while (path.data[folder - 1] != '/') folder--;
    out[host] = ')';
    for (size_t at = 0; at < path.size; at++) {
        uint8_t byte = path.data[at];
        out[host + 1 + at] = is_capital(byte) ? byte | 0x20 : byte;
    }
    kept->folder = (uint32_t)(host + 1 + folder);
    kept->name = (uint32_t)(path.size - folder);
    kept->how = has_capitals ? FA_KEPT_CAPITALS : FA_KEPT_PLAIN;
}

/* Put the bits of an address and where its capital letters are; they take less room than it does, for a scheme has none. */
static void put_capitals(fa_bytes url, fa_kept *kept, uint8_t *out) {
    size_t place = 0, size = 0;
    out[size++] = (uint8_t)kept->bits;
    for (size_t at = 0; at < url.size; at++) {
        if (!is_capital(url.data[at])) continue;
        for (; at - place >= FA_FAR; place += FA_FAR) out[size++] = FA_FAR;
        out[size++] = (uint8_t)(at - place);
        place = at + 1;
    }
    kept->capitals = (uint32_t)size;
}

enum fa_status fa_keep_addresses(fa_bytes urls, const uint32_t *ends, size_t count, fa_kept *kept, uint8_t *room,
                                 uint8_t *capitals) {
    uint32_t begin = 0;
    for (size_t at = 0; at < count; at++) {
        if (ends[at] < begin || ends[at] > urls.size) return FA_CORRUPT;
        kept[at] = (fa_kept){.begin = begin};
        /* a key is shorter than its address: "http://a.b/" and "b,a)/" */
        fa_bytes url = {urls.data + begin, ends[at] - begin};
        keep(url, &kept[at], room + begin);
        if (kept[at].how == FA_KEPT_CAPITALS) put_capitals(url, &kept[at], capitals + begin);
        begin = ends[at];
    }
    return FA_OK;
}
