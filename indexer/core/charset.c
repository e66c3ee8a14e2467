/* See charset.h. */
#include "charset.h"

#include <string.h>

#include "utf8.h"

typedef struct attribute {
    fa_bytes name, value;
} attribute;

static int is_blank(uint8_t byte) {
    return byte == ' ' || byte == '\n' || byte == '\t' || byte == '\r' || byte == '\f';
}

static uint8_t lower(uint8_t byte) { return byte >= 'A' && byte <= 'Z' ? byte | 0x20 : byte; }

/* Does the text begin with a word, given in small letters? */
static int begins(fa_bytes text, size_t at, const char *word) {
    size_t size = strlen(word);
    if (text.size - at < size) return 0;
    for (size_t k = 0; k < size; k++)
        if (lower(text.data[at + k]) != (uint8_t)word[k]) return 0;
    return 1;
}

static int is_word(fa_bytes text, const char *word) { return text.size == strlen(word) && begins(text, 0, word); }

static size_t pass_blanks(fa_bytes text, size_t at) {
    while (at < text.size && is_blank(text.data[at])) at++;
    return at;
}

/* Return where a byte stands from `at` on, the size of the text if nowhere. */
static size_t find(fa_bytes text, size_t at, uint8_t byte) {
    const uint8_t *found = at < text.size ? memchr(text.data + at, byte, text.size - at) : NULL;
    return found ? (size_t)(found - text.data) : text.size;
}

static fa_bytes part(fa_bytes text, size_t begin, size_t end) { return (fa_bytes){text.data + begin, end - begin}; }

/* Read the value behind an equals sign and go behind it. Returns 0 for a quote that is never closed. */
static int read_value(fa_bytes start, size_t *at, fa_bytes *value) {
    size_t begin = pass_blanks(start, *at), end = begin;
    uint8_t quote = begin < start.size ? start.data[begin] : 0;
    if (quote == '"' || quote == '\'') {
        end = find(start, ++begin, quote);
        *at = end + 1;
    } else {
        while (end < start.size && !is_blank(start.data[end]) && start.data[end] != '>') end++;
        *at = end;
    }
    if (*at > start.size) return 0;
    *value = part(start, begin, end);
    return 1;
}

/* Read the next attribute, perhaps without a name, and go behind it. Returns 0 for a quote that is never closed. */
static int next_attribute(fa_bytes start, size_t *at, attribute *found) {
    while (*at < start.size && (is_blank(start.data[*at]) || start.data[*at] == '/')) ++*at;
    size_t end = *at + (*at < start.size && start.data[*at] == '=');
    while (end < start.size && !is_blank(start.data[end]) && start.data[end] != '=' && start.data[end] != '/' &&
           start.data[end] != '>')
        end++;
    *found = (attribute){part(start, *at, end), {NULL, 0}};
    *at = end;
    size_t equals = pass_blanks(start, end);
    if (equals == start.size || start.data[equals] != '=') return 1;
    *at = equals + 1;
    return read_value(start, at, &found->value);
}

/* The attributes of a meta element that count, the first of each name. */
typedef struct meta {
    attribute pragma, content, charset;
} meta;

static void keep_first(attribute *kept, attribute found) {
    if (kept->name.data == NULL) *kept = found;
}

/* Read the attributes of a tag. Returns the place of its ">", or the size where the text ends before. */
static size_t read_attributes(fa_bytes start, size_t at, meta *kept) {
    attribute found;
    while (next_attribute(start, &at, &found)) {
        if (is_word(found.name, "http-equiv")) keep_first(&kept->pragma, found);
        if (is_word(found.name, "content")) keep_first(&kept->content, found);
        if (is_word(found.name, "charset")) keep_first(&kept->charset, found);
        if (at >= start.size || start.data[at] == '>') return at < start.size ? at : start.size;
    }
    return start.size;
}

/* Give the label behind the first "charset=" of a content attribute. Returns 0 where there is none. */
static int label_in(fa_bytes content, fa_bytes *label) {
    for (size_t at = 0; at < content.size; at++) {
        if (!begins(content, at, "charset")) continue;
        size_t begin = pass_blanks(content, at + 7);
        if (begin == content.size || content.data[begin] != '=') continue;
        begin = pass_blanks(content, begin + 1);
        *label = part(content, begin, begin);
        if (begin == content.size) return 1;
        uint8_t quote = content.data[begin];
        if (quote == '"' || quote == '\'') {
            size_t end = find(content, begin + 1, quote);
            if (end < content.size) *label = part(content, begin + 1, end);
            return 1;
        }
        size_t end = begin;
        while (end < content.size && !is_blank(content.data[end]) && content.data[end] != ';') end++;
        *label = part(content, begin, end);
        return 1;
    }
    return 0;
}

static int label_of(const meta *kept, fa_bytes *label) {
    if (kept->charset.name.data != NULL) {
        *label = kept->charset.value;
        return 1;
    }
    return is_word(kept->pragma.value, "content-type") && label_in(kept->content.value, label);
}

/* Return where a comment ends that begins at `at`, or where the text ends. */
static size_t end_of_comment(fa_bytes start, size_t at) {
    for (at += 2; (at = find(start, at, '-')) < start.size; at++)
        if (start.size - at > 2 && start.data[at + 1] == '-' && start.data[at + 2] == '>') return at + 2;
    return start.size;
}

static int is_letter(fa_bytes start, size_t at) {
    return at < start.size && (uint8_t)(lower(start.data[at]) - 'a') < 26;
}

static int begins_meta(fa_bytes start, size_t at) {
    return begins(start, at, "<meta") && at + 5 < start.size && (is_blank(start.data[at + 5]) || start.data[at + 5] == '/');
}

/* Return where the tag, comment or declaration ends that begins at `at`. */
static size_t pass_markup(fa_bytes start, size_t at) {
    meta ignored = {0};
    if (begins(start, at, "<!--")) return end_of_comment(start, at);
    size_t name = at + 1 + (at + 1 < start.size && start.data[at + 1] == '/');
    if (is_letter(start, name)) {
        while (name < start.size && !is_blank(start.data[name]) && start.data[name] != '>') name++;
        return read_attributes(start, name, &ignored);
    }
    uint8_t next = at + 1 < start.size ? start.data[at + 1] : 0;
    return next == '!' || next == '/' || next == '?' ? find(start, at + 1, '>') : at + 1;
}

size_t fa_prescan(fa_bytes start, size_t at, fa_bytes *label) {
    for (at = find(start, at, '<'); at < start.size; at = find(start, at, '<')) {
        if (!begins_meta(start, at)) {
            at = pass_markup(start, at);
            continue;
        }
        meta kept = {0};
        at = read_attributes(start, at + 5, &kept);
        if (at < start.size && label_of(&kept, label)) return at;
    }
    return 0;
}

int fa_is_utf_8(fa_bytes text) {
    for (size_t at = 0; (at = fa_pass_ascii(text.data, at, text.size)) < text.size;) {
        uint32_t code;
        size_t size = fa_decode(text.data, at, text.size, &code);
        if ((code == FA_REPLACEMENT && size == 1) || (code >= 0xd800 && code < 0xe000)) return 0;
        at += size;
    }
    return 1;
}
