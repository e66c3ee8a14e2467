/* Some text from the middle of a page, as its language is told by: menus stand first and say little. */
#include "page.h"

static inline int begins_character(uint8_t byte) { return (byte & 0xc0) != 0x80; }

enum { CHUNK = 128 }; /* counted in a byte */

static inline size_t characters_of_chunk(const uint8_t *text) {
    uint8_t count = 0;
    for (size_t at = 0; at < CHUNK; at++) count = (uint8_t)(count + begins_character(text[at]));
    return count;
}

static size_t characters_of(fa_bytes text) {
    size_t count = 0, at = 0;
    for (; text.size - at >= CHUNK; at += CHUNK) count += characters_of_chunk(text.data + at);
    for (; at < text.size; at++) count += (size_t)begins_character(text.data[at]);
    return count;
}

/* Return the byte behind the next `count` characters from `at` on, where one begins. */
static size_t pass(fa_bytes text, size_t at, size_t count) {
    for (; text.size - at >= CHUNK; at += CHUNK) {
        size_t passed = characters_of_chunk(text.data + at);
        if (passed > count) break;
        count -= passed;
    }
    for (; at < text.size; at++)
        if (begins_character(text.data[at]) && count-- == 0) break;
    return at;
}

fa_bytes fa_page_middle(const fa_page *page, size_t most) {
    fa_bytes text = page->text;
    size_t count = characters_of(text);
    if (count <= most) return text;
    size_t begin = pass(text, 0, (count - most) / 2);
    return (fa_bytes){text.data + begin, pass(text, begin, most) - begin};
}
