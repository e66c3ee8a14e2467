/* See pieces.h. */
#include "pieces.h"

#include <stdbool.h>
#include <stdio.h>

#include "html_tables.h"
#include "page.h"

/* What a tag does to the visible text. */
enum effect { EFFECT_NONE, EFFECT_PARTS, EFFECT_OPENS, EFFECT_CLOSES };

/* What a tag is written as. */
enum fate { FATE_JUDGED, FATE_WRITTEN, FATE_LEFT_OUT };

typedef struct found_tag {
    const uint8_t *end; /* what is behind it */
    enum effect effect;
    enum fate fate;  /* of a link: of all but its address */
    fa_bytes link;   /* the value of the href of an `a`, data NULL for none */
    fa_bytes around; /* the same with its name and the blank before it */
} found_tag;

enum { INSIDE_NOT_TEXT = 1, WRITTEN = 2, WRITTEN_END = 4 };

/* INSIDE_NOT_TEXT: text in these is no text of the page, or may hold no mark. WRITTEN: nothing in these is written
 * otherwise if their attributes are plain, too. */
static const uint8_t tag_rules[TAG_COUNT] = {
    [TAG_A] = WRITTEN | WRITTEN_END,
    [TAG_ABBR] = WRITTEN | WRITTEN_END,
    [TAG_ACRONYM] = WRITTEN | WRITTEN_END,
    [TAG_ADDRESS] = WRITTEN | WRITTEN_END,
    [TAG_ARTICLE] = WRITTEN | WRITTEN_END,
    [TAG_ASIDE] = WRITTEN | WRITTEN_END,
    [TAG_B] = WRITTEN | WRITTEN_END,
    [TAG_BDI] = WRITTEN | WRITTEN_END,
    [TAG_BDO] = WRITTEN | WRITTEN_END,
    [TAG_BIG] = WRITTEN | WRITTEN_END,
    [TAG_BLOCKQUOTE] = WRITTEN | WRITTEN_END,
    [TAG_BR] = WRITTEN,
    [TAG_BUTTON] = WRITTEN | WRITTEN_END,
    [TAG_CAPTION] = WRITTEN | WRITTEN_END,
    [TAG_CENTER] = WRITTEN | WRITTEN_END,
    [TAG_CITE] = WRITTEN | WRITTEN_END,
    [TAG_CODE] = WRITTEN | WRITTEN_END,
    [TAG_COL] = WRITTEN,
    [TAG_DATA] = WRITTEN | WRITTEN_END,
    [TAG_DD] = WRITTEN | WRITTEN_END,
    [TAG_DEL] = WRITTEN | WRITTEN_END,
    [TAG_DETAILS] = WRITTEN | WRITTEN_END,
    [TAG_DFN] = WRITTEN | WRITTEN_END,
    [TAG_DIV] = WRITTEN | WRITTEN_END,
    [TAG_DL] = WRITTEN | WRITTEN_END,
    [TAG_DT] = WRITTEN | WRITTEN_END,
    [TAG_EM] = WRITTEN | WRITTEN_END,
    [TAG_FIELDSET] = WRITTEN | WRITTEN_END,
    [TAG_FIGCAPTION] = WRITTEN | WRITTEN_END,
    [TAG_FIGURE] = WRITTEN | WRITTEN_END,
    [TAG_FONT] = WRITTEN | WRITTEN_END,
    [TAG_FOOTER] = WRITTEN | WRITTEN_END,
    [TAG_H1] = WRITTEN | WRITTEN_END,
    [TAG_H2] = WRITTEN | WRITTEN_END,
    [TAG_H3] = WRITTEN | WRITTEN_END,
    [TAG_H4] = WRITTEN | WRITTEN_END,
    [TAG_H5] = WRITTEN | WRITTEN_END,
    [TAG_H6] = WRITTEN | WRITTEN_END,
    [TAG_HEAD] = INSIDE_NOT_TEXT,
    [TAG_HEADER] = WRITTEN | WRITTEN_END,
    [TAG_HR] = WRITTEN,
    [TAG_HTML] = WRITTEN | WRITTEN_END,
    [TAG_I] = WRITTEN | WRITTEN_END,
    [TAG_IFRAME] = INSIDE_NOT_TEXT,
    [TAG_INS] = WRITTEN | WRITTEN_END,
    [TAG_KBD] = WRITTEN | WRITTEN_END,
    [TAG_LABEL] = WRITTEN | WRITTEN_END,
    [TAG_LEGEND] = WRITTEN | WRITTEN_END,
    [TAG_LI] = WRITTEN | WRITTEN_END,
    [TAG_MAIN] = WRITTEN | WRITTEN_END,
    [TAG_MARK] = WRITTEN | WRITTEN_END,
    [TAG_MATH] = INSIDE_NOT_TEXT,
    [TAG_NAV] = WRITTEN | WRITTEN_END,
    [TAG_NOEMBED] = INSIDE_NOT_TEXT,
    [TAG_NOFRAMES] = INSIDE_NOT_TEXT,
    [TAG_OL] = WRITTEN | WRITTEN_END,
    [TAG_OPTGROUP] = INSIDE_NOT_TEXT,
    [TAG_OPTION] = INSIDE_NOT_TEXT,
    [TAG_P] = WRITTEN | WRITTEN_END,
    [TAG_PLAINTEXT] = INSIDE_NOT_TEXT,
    [TAG_PRE] = WRITTEN | WRITTEN_END,
    [TAG_Q] = WRITTEN | WRITTEN_END,
    [TAG_S] = WRITTEN | WRITTEN_END,
    [TAG_SAMP] = WRITTEN | WRITTEN_END,
    [TAG_SCRIPT] = INSIDE_NOT_TEXT,
    [TAG_SECTION] = WRITTEN | WRITTEN_END,
    [TAG_SELECT] = INSIDE_NOT_TEXT,
    [TAG_SMALL] = WRITTEN | WRITTEN_END,
    [TAG_SPAN] = WRITTEN | WRITTEN_END,
    [TAG_STRIKE] = WRITTEN | WRITTEN_END,
    [TAG_STRONG] = WRITTEN | WRITTEN_END,
    [TAG_STYLE] = INSIDE_NOT_TEXT,
    [TAG_SUB] = WRITTEN | WRITTEN_END,
    [TAG_SUMMARY] = WRITTEN | WRITTEN_END,
    [TAG_SUP] = WRITTEN | WRITTEN_END,
    [TAG_SVG] = INSIDE_NOT_TEXT,
    [TAG_TABLE] = WRITTEN | WRITTEN_END,
    [TAG_TBODY] = WRITTEN | WRITTEN_END,
    [TAG_TD] = WRITTEN | WRITTEN_END,
    [TAG_TEMPLATE] = INSIDE_NOT_TEXT,
    [TAG_TEXTAREA] = INSIDE_NOT_TEXT,
    [TAG_TFOOT] = WRITTEN | WRITTEN_END,
    [TAG_TH] = WRITTEN | WRITTEN_END,
    [TAG_THEAD] = WRITTEN | WRITTEN_END,
    [TAG_TIME] = WRITTEN | WRITTEN_END,
    [TAG_TITLE] = INSIDE_NOT_TEXT | WRITTEN | WRITTEN_END,
    [TAG_TR] = WRITTEN | WRITTEN_END,
    [TAG_TT] = WRITTEN | WRITTEN_END,
    [TAG_U] = WRITTEN | WRITTEN_END,
    [TAG_UL] = WRITTEN | WRITTEN_END,
    [TAG_VAR] = WRITTEN | WRITTEN_END,
    [TAG_WBR] = WRITTEN,
    [TAG_XMP] = INSIDE_NOT_TEXT,
};

/* Names that are no tags to html_tables.h, all of them INSIDE_NOT_TEXT. */
static const char *const others_not_text[] = {"audio", "canvas", "datalist", "meter", "progress", "video"};

/* Plain attributes: free texts first, then those in whose values a slash could be the beginning of an address. Names
 * that begin with "data-" and "aria-" are among the latter. */
static const char *const free_texts[] = {
    "abbr", "alt", "class", "for", "headers", "id", "label", "name", "placeholder", "summary", "title", "value",
};
static const char *const looks[] = {
    "align", "bgcolor", "border", "cellpadding", "cellspacing", "clear", "color", "colspan", "dir", "face", "height",
    "hidden", "lang", "nowrap", "open", "rel", "role", "rowspan", "scope", "size", "start", "tabindex", "type",
    "valign", "width",
};

#define IS_ONE_OF(names, text, size) is_one_of(names, sizeof(names) / sizeof *(names), text, size)

static bool is_one_of(const char *const *names, size_t count, const uint8_t *text, size_t size) {
    for (size_t i = 0; i < count; i++)
        if (strlen(names[i]) == size && memcmp(names[i], text, size) == 0) return true;
    return false;
}

/* ---------------------------------------------------------------- tags */

static bool is_letter(uint8_t byte) { return (uint8_t)((byte | 0x20) - 'a') < 26; }

static bool is_in_name(uint8_t byte) {
    return is_letter(byte) || (uint8_t)(byte - '0') < 11 /* digits and ":" */ || byte == '_' || byte == '.' ||
           byte == '-' || byte >= 0x80;
}

static bool is_in_attribute_name(uint8_t byte) {
    return byte != ' ' && byte != '\t' && byte != '\n' && byte != '\f' && byte != '\r' && byte != '=' && byte != '/' &&
           byte != '>';
}

static bool is_plain_value(const uint8_t *at, const uint8_t *end, bool may_have_slashes) {
    for (; at < end; at++) {
        switch (*at) {
            case '&':
            case '<':
            case '>':
            case '\r':
            case '\0': return false;
            case '/':
            case '\\':
                if (!may_have_slashes) return false;
                break;
            default: break;
        }
    }
    return true;
}

/* Is it a look, or "data-..." or "aria-..."? Those of several parts ("data-x:href") are judged by their last part. */
static bool is_look(const uint8_t *name, size_t size) {
    if (IS_ONE_OF(looks, name, size)) return true;
    if (size < 6 || (memcmp(name, "data-", 5) != 0 && memcmp(name, "aria-", 5) != 0)) return false;
    for (size_t i = 5; i < size; i++)
        if ((uint8_t)(name[i] - 'a') >= 26 && (uint8_t)(name[i] - '0') >= 10 && name[i] != '-') return false;
    return true;
}

/* Reads ` name="value"` ...; returns what is behind them, NULL for another form. is_plain: whether all are, but for the
 * address of a link, which is put into `tag` if has_link. */
static const uint8_t *read_attributes(const uint8_t *at, const uint8_t *end, bool *is_plain, bool has_link,
                                      found_tag *tag) {
    while (at < end && *at == ' ') {
        const uint8_t *begin = ++at;
        if (at < end && *at == '=') at++;
        while (at < end && is_in_attribute_name(*at)) at++;
        size_t size = (size_t)(at - begin);
        if (end - at < 2 || at[0] != '=' || at[1] != '"') return NULL;
        const uint8_t *value = at + 2;
        at = memchr(value, '"', (size_t)(end - value));
        if (at == NULL) return NULL;
        if (has_link && size == 4 && memcmp(begin, "href", 4) == 0 && !tag->link.data) {
            tag->link = (fa_bytes){value, (size_t)(at - value)};
            tag->around = (fa_bytes){begin - 1, (size_t)(at + 2 - begin)};
        } else if (*is_plain) {
            bool is_free = IS_ONE_OF(free_texts, begin, size);
            *is_plain = (is_free || is_look(begin, size)) && is_plain_value(value, at, is_free);
        }
        at++;
    }
    return at;
}

/* Returns what is behind a comment or an instruction whose "<!" or "<?" is at `at`, NULL if it has no end. */
static const uint8_t *behind_comment(const uint8_t *at, const uint8_t *end) {
    bool is_comment = at[1] == '!';
    if (is_comment && (end - at < 4 || at[2] != '-' || at[3] != '-')) return NULL;
    const uint8_t *begin = at + (is_comment ? 4 : 2);
    for (at = begin; (at = memchr(at, '>', (size_t)(end - at))) != NULL; at++)
        if (!is_comment || (at - begin >= 2 && at[-1] == '-' && at[-2] == '-')) return at + 1;
    return NULL;
}

static enum effect effect_of(unsigned number, unsigned rules, bool is_end) {
    if (rules & INSIDE_NOT_TEXT) return is_end ? EFFECT_CLOSES : EFFECT_OPENS;
    unsigned kind = html_tag_infos[number].kind;
    bool is_inline = kind == KIND_NONE || kind == KIND_EMPHASIS || kind == KIND_ANCHOR;
    return is_inline ? EFFECT_NONE : EFFECT_PARTS;
}

/* Reads what begins with the "<" at `at`. Returns false when it is not of the form. */
static bool read_tag(const uint8_t *at, const uint8_t *end, found_tag *tag) {
    if (end - at < 2) return false;
    if (at[1] == '!' || at[1] == '?') {
        *tag = (found_tag){.end = behind_comment(at, end), .effect = EFFECT_PARTS, .fate = FATE_LEFT_OUT};
        return tag->end != NULL;
    }
    bool is_end = at[1] == '/';
    const uint8_t *begin = at + 1 + is_end;
    if (begin == end || !is_letter(*begin)) return false;
    uint64_t first = 0; /* see html_tag_named; names of drawings may have capitals, and none of those has rules */
    bool has_capitals = false;
    for (at = begin; at < end && is_in_name(*at); at++) {
        has_capitals |= *at >= 'A' && *at <= 'Z';
        if (at - begin < 8) first |= (uint64_t)*at << 8 * (at - begin);
    }
    size_t size = (size_t)(at - begin);
    unsigned number = has_capitals ? TAG_OTHER : html_tag_named(first, begin, size);
    unsigned rules = tag_rules[number];
    if (number == TAG_OTHER && IS_ONE_OF(others_not_text, begin, size)) rules = INSIDE_NOT_TEXT;
    bool is_plain = (rules & (is_end ? WRITTEN_END : WRITTEN)) != 0;
    *tag = (found_tag){.effect = effect_of(number, rules, is_end)};
    if (!is_end && (at = read_attributes(at, end, &is_plain, number == TAG_A, tag)) == NULL) return false;
    if (!is_end && at < end && *at == '/') {
        is_plain = false;
        at++;
    }
    if (at == end || *at != '>') return false;
    tag->end = at + 1;
    tag->fate = is_plain ? FATE_WRITTEN : FATE_JUDGED;
    return true;
}

/* ---------------------------------------------------------------- texts */

/* A character of a text: how it stands there, and what it is. */
typedef struct found_sign {
    const uint8_t *end;
    fa_bytes text;
} found_sign;

typedef struct reference {
    fa_bytes written, text;
} reference;

#define BYTES(text) {(const uint8_t *)(text), sizeof(text) - 1}

static const reference references[] = {
    {BYTES("&nbsp;"), BYTES("\xC2\xA0")}, {BYTES("&amp;"), BYTES("&")}, {BYTES("&lt;"), BYTES("<")},
    {BYTES("&gt;"), BYTES(">")},          {BYTES("&quot;"), BYTES("\"")},
};

static bool is_inside_sign(uint8_t byte) { return (byte & 0xC0) == 0x80; }

/* Reads the character at `at`; returns false at "&" if it is none of the references. */
static bool read_sign(const uint8_t *at, const uint8_t *end, found_sign *sign) {
    if (*at == '&') {
        for (size_t i = 0; i < sizeof references / sizeof *references; i++) {
            fa_bytes written = references[i].written;
            if ((size_t)(end - at) >= written.size && memcmp(at, written.data, written.size) == 0) {
                *sign = (found_sign){at + written.size, references[i].text};
                return true;
            }
        }
        return false;
    }
    const uint8_t *begin = at++;
    while (at < end && is_inside_sign(*at)) at++;
    *sign = (found_sign){at, {begin, (size_t)(at - begin)}};
    if (*begin == 0) sign->text = (fa_bytes)BYTES("\xEF\xBF\xBD"); /* as parsers have it */
    return true;
}

/* Is it a blank to Python's str.isspace? */
static bool is_blank_sign(fa_bytes text) {
    const uint8_t *at = text.data;
    if (text.size == 1) return (*at >= 0x09 && *at <= 0x0D) || (*at >= 0x1C && *at <= 0x20);
    if (text.size == 2) return at[0] == 0xC2 && (at[1] == 0x85 || at[1] == 0xA0);
    if (text.size != 3) return false;
    unsigned code = (at[0] & 0x0Fu) << 12 | (at[1] & 0x3Fu) << 6 | (at[2] & 0x3Fu);
    return at[0] >= 0xE0 && (code == 0x1680 || (code >= 0x2000 && code <= 0x200A) || code == 0x2028 || code == 0x2029 ||
                             code == 0x202F || code == 0x205F || code == 0x3000);
}

static bool is_blank(const uint8_t *at, const uint8_t *end) {
    found_sign sign;
    for (; at < end; at = sign.end)
        if (!read_sign(at, end, &sign) || !is_blank_sign(sign.text)) return false;
    return true;
}

/* ---------------------------------------------------------------- links */

/* Where a plain link leads: head and tail are its address, of which both may be all. place: of that page, or without
 * an address of the page that it stands in; data NULL for none. */
typedef struct found_link {
    fa_bytes head, tail, place;
} found_link;

/* What stands in an address as it is, wherever that stands; without what parts it. */
static bool is_in_path(uint8_t byte) {
    return is_letter(byte) || (uint8_t)(byte - '0') < 11 /* digits and ":" */ ||
           (byte && strchr("%@!$'()*+,=~-._", byte) != NULL);
}

static bool is_in_place(uint8_t byte) {
    return is_letter(byte) || (uint8_t)(byte - '0') < 10 || byte == '_' || byte == '.' || byte == '~' || byte == '-';
}

static bool is_all(bool (*is_in)(uint8_t), const uint8_t *at, const uint8_t *end) {
    while (at < end && is_in(*at)) at++;
    return at == end;
}

static bool is_host_or_path(uint8_t byte) { return byte == '/' || is_in_path(byte); }

static bool is_printable(uint8_t byte) {
    return byte > 0x20 && byte < 0x7F && byte != '&' && byte != '<' && byte != '>';
}

static bool is_in_host(uint8_t byte) {
    return (uint8_t)(byte - 'a') < 26 || (uint8_t)(byte - '0') < 10 || byte == '.' || byte == '-';
}

/* An address with its host in small letters, and a path. */
static bool is_whole(const uint8_t *at, const uint8_t *end) {
    size_t size = (size_t)(end - at);
    size_t scheme = size > 8 && memcmp(at, "https://", 8) == 0 ? 8 : size > 7 && memcmp(at, "http://", 7) == 0 ? 7 : 0;
    const uint8_t *host = at + scheme;
    for (at = host; at < end && is_in_host(*at); at++) continue;
    return scheme && at > host && at < end && *at == '/' && is_all(is_host_or_path, at, end);
}

/* Names of folders and of a page, none of them empty or beginning with a dot, and nothing like a scheme in front. */
static bool is_path(const uint8_t *at, const uint8_t *end) {
    if (at == end || !is_all(is_host_or_path, at, end)) return false;
    const uint8_t *slash = memchr(at, '/', (size_t)(end - at));
    if (memchr(at, ':', (size_t)((slash ? slash : end) - at))) return false;
    for (bool begins = true; at < end; begins = *at++ == '/')
        if (begins && (*at == '/' || *at == '.')) return false;
    return true;
}

/* Reads a link where joining it to the address of its page has nothing to put right; false for any other. */
static bool read_link(fa_bytes link, const fa_links *links, found_link *found) {
    const uint8_t *at = link.data, *end = at + link.size;
    *found = (found_link){{0}, {0}, {0}};
    if (at < end && *at == '#') {
        found->place = (fa_bytes){at + 1, link.size - 1};
        return is_all(is_printable, at, end);
    }
    const uint8_t *place = memchr(at, '#', link.size);
    if (place) {
        found->place = (fa_bytes){place + 1, (size_t)(end - place - 1)};
        if (!found->place.size || !is_all(is_in_place, place + 1, end)) return false;
        end = place;
    }
    found->head = links->folder;
    if (is_whole(at, end)) {
        found->head.size = 0;
    } else if (at < end && *at == '/') {
        found->head.size = links->origin;
        at++;
    } else {
        for (; end - at >= 3 && memcmp(at, "../", 3) == 0; at += 3) {
            if (found->head.size <= links->origin) return false;
            do found->head.size--;
            while (found->head.data[found->head.size - 1] != '/');
        }
    }
    found->tail = (fa_bytes){at, (size_t)(end - at)};
    return !found->head.size || is_path(at, end);
}

static bool leads_to(const found_link *link, fa_bytes page) {
    return link->head.size + link->tail.size == page.size &&
           (!link->head.size || memcmp(link->head.data, page.data, link->head.size) == 0) &&
           memcmp(link->tail.data, page.data + link->head.size, link->tail.size) == 0;
}

/* ---------------------------------------------------------------- the page */

/* The visible text as it is come by; what stands in it and where is the same for both functions. */
typedef struct reading {
    size_t hidden;    /* open elements whose contents are no text */
    bool is_parted;   /* the next text stands apart from the one before */
    uint32_t place;   /* characters of the visible text so far */
    fa_buffer *out;
    const fa_mark *marks;
    size_t mark, count; /* mark: the one that comes next, or is open */
    fa_bytes start, id;
    bool is_open;
} reading;

static void pass_tag(reading *r, enum effect effect) {
    if (effect != EFFECT_NONE) r->is_parted = true;
    if (effect == EFFECT_OPENS) r->hidden++;
    if (effect == EFFECT_CLOSES && r->hidden) r->hidden--;
}

/* Tell whether a text is visible; blank ones are not, but part words. is_first: a break has to be put before it. */
static bool begins_visible(reading *r, const uint8_t *at, const uint8_t *end, bool *is_first) {
    if (at == end || r->hidden) return false;
    if (is_blank(at, end)) {
        r->is_parted = true;
        return false;
    }
    *is_first = r->is_parted;
    r->place += r->is_parted;
    r->is_parted = false;
    return true;
}

int fa_visible_text(fa_bytes html, size_t most, fa_buffer *text) {
    if (!html.size) return FA_OK;
    if (html.size > FA_MOST_HTML) return FA_TOO_LARGE;
    reading r = {.is_parted = true};
    const uint8_t *at = html.data, *end = at + html.size;
    while (at < end) {
        const uint8_t *behind = memchr(at, '<', (size_t)(end - at));
        if (behind == NULL) behind = end;
        bool is_first = false, is_visible = r.place < most && begins_visible(&r, at, behind, &is_first);
        if (is_visible && is_first && !fa_buffer_put(text, "\n", 1)) return FA_NO_MEMORY;
        if (is_visible && !fa_buffer_reserve(text, 3 * (size_t)(behind - at))) return FA_NO_MEMORY;
        found_sign sign;
        for (; at < behind; at = sign.end) {
            if (!read_sign(at, behind, &sign)) return FA_CORRUPT;
            if (is_visible && r.place < most) {
                memcpy(text->data + text->size, sign.text.data, sign.text.size);
                text->size += sign.text.size;
                r.place++;
            }
        }
        if (behind == end) break;
        found_tag tag;
        if (!read_tag(behind, end, &tag)) return FA_CORRUPT;
        pass_tag(&r, tag.effect);
        at = tag.end;
    }
    return FA_OK;
}

static bool put(reading *r, fa_bytes bytes) { return fa_buffer_put(r->out, bytes.data, bytes.size); }

/* Begin a mark; is_new: at its first character, and not in a text that it goes on in. */
static bool open_mark(reading *r, bool is_new) {
    char number[24];
    int size = snprintf(number, sizeof number, "%zu\">", r->mark + 1);
    r->is_open = true;
    if (!put(r, r->start)) return false;
    if (!is_new) return fa_buffer_put(r->out, ">", 1);
    return put(r, r->id) && fa_buffer_put(r->out, number, (size_t)size);
}

static bool close_mark(reading *r) {
    r->is_open = false;
    return fa_buffer_put(r->out, "</mark>", 7);
}

/* Put one character as it stands in HTML, in elements and in attributes. */
static bool put_sign(reading *r, fa_bytes text) {
    switch (text.data[0]) {
        case '&': return fa_buffer_put(r->out, "&amp;", 5);
        case '<': return fa_buffer_put(r->out, "&lt;", 4);
        case '>': return fa_buffer_put(r->out, "&gt;", 4);
        case '"': return fa_buffer_put(r->out, "&quot;", 6);
        case '\r': return fa_buffer_put(r->out, "&#13;", 5);
        default: return put(r, text);
    }
}

/* Returns the end of the signs from `at` on that are written as they stand. */
static const uint8_t *behind_same(const uint8_t *at, const uint8_t *end) {
    while (at < end && *at != '&' && *at != '>' && *at != '"' && *at != '\r' && *at != 0) at++;
    return at;
}

/* Put a text in which no mark stands. */
static int put_unmarked(reading *r, const uint8_t *at, const uint8_t *end) {
    while (at < end) {
        const uint8_t *same = behind_same(at, end);
        if (!fa_buffer_put(r->out, at, (size_t)(same - at))) return FA_NO_MEMORY;
        found_sign sign;
        for (at = same; at < end && behind_same(at, end) == at; at = sign.end) {
            if (!read_sign(at, end, &sign)) return FA_CORRUPT;
            if (!put_sign(r, sign.text)) return FA_NO_MEMORY;
        }
    }
    return FA_OK;
}

/* Put a visible text with its marks. */
static int put_marked(reading *r, const uint8_t *at, const uint8_t *end) {
    while (r->mark < r->count && r->marks[r->mark].end <= r->place) r->mark++;
    if (r->mark < r->count && r->marks[r->mark].begin < r->place && !open_mark(r, false)) return FA_NO_MEMORY;
    while (at < end) {
        found_sign sign;
        if (!read_sign(at, end, &sign)) return FA_CORRUPT;
        bool begins = r->mark < r->count && r->marks[r->mark].begin == r->place;
        if (begins && !open_mark(r, true)) return FA_NO_MEMORY;
        if (!put_sign(r, sign.text)) return FA_NO_MEMORY;
        at = sign.end;
        r->place++;
        if (r->is_open && r->marks[r->mark].end == r->place) {
            r->mark++;
            if (!close_mark(r)) return FA_NO_MEMORY;
        }
    }
    return r->is_open && !close_mark(r) ? FA_NO_MEMORY : FA_OK;
}

/* Put what a link says about its goal; see _link_attributes in webui/rewrite.py. */
static bool put_goal(reading *r, const fa_links *links, const found_link *link) {
    static const fa_bytes before = BYTES(" href=\""), at = BYTES(";at="), top = BYTES("\" target=\"_top\"");
    bool is_here = !link->tail.size || (link->place.data && leads_to(link, links->page));
    if (!put(r, before)) return false;
    if (is_here) return fa_buffer_put(r->out, "#", 1) && put(r, link->place) && fa_buffer_put(r->out, "\"", 1);
    return put(r, links->start) && (!link->place.data || (put(r, at) && put(r, link->place))) &&
           fa_buffer_put(r->out, "/", 1) && put(r, link->head) && put(r, link->tail) && put(r, top);
}

/* Put a tag; one to be judged between 0 bytes. */
static bool put_tag(reading *r, const uint8_t *begin, const found_tag *tag, const fa_links *links) {
    fa_bytes whole = {begin, (size_t)(tag->end - begin)};
    if (tag->fate == FATE_LEFT_OUT) return true;
    if (tag->fate == FATE_WRITTEN && !tag->link.data) return put(r, whole);
    found_link link;
    if (tag->fate == FATE_WRITTEN && links && read_link(tag->link, links, &link)) {
        const uint8_t *rest = tag->around.data + tag->around.size;
        return put(r, (fa_bytes){begin, (size_t)(tag->around.data - begin)}) &&
               put(r, (fa_bytes){rest, (size_t)(tag->end - 1 - rest)}) && put_goal(r, links, &link) &&
               fa_buffer_put(r->out, ">", 1);
    }
    size_t at = r->out->size + 1;
    if (!fa_buffer_put(r->out, "", 1) || !put(r, whole)) return false;
    for (; at < r->out->size; at++)
        if (!r->out->data[at]) r->out->data[at] = ' '; /* no parser leaves any */
    return fa_buffer_put(r->out, "", 1);
}

/* Are they rising, apart and not empty? */
static bool are_in_order(const fa_mark *marks, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (marks[i].begin >= marks[i].end || (i && marks[i].begin < marks[i - 1].end)) return false;
    return true;
}

/* Does the address end with "/", as its origin does? */
static bool is_folder(const fa_links *links) {
    fa_bytes folder = links->folder;
    return links->origin && links->origin <= folder.size && folder.data[links->origin - 1] == '/' &&
           folder.data[folder.size - 1] == '/';
}

int fa_page_pieces(fa_bytes html, const fa_mark *marks, size_t count, fa_bytes start, fa_bytes id,
                   const fa_links *links, fa_buffer *page) {
    if (!are_in_order(marks, count) || (links && !is_folder(links))) return FA_CORRUPT;
    if (!html.size) return FA_OK;
    if (html.size > FA_MOST_HTML) return FA_TOO_LARGE;
    reading r = {.is_parted = true, .out = page, .marks = marks, .count = count, .start = start, .id = id};
    const uint8_t *at = html.data, *end = at + html.size;
    while (at < end) {
        const uint8_t *behind = memchr(at, '<', (size_t)(end - at));
        if (behind == NULL) behind = end;
        bool is_first, is_visible = r.mark < r.count && begins_visible(&r, at, behind, &is_first);
        int status = is_visible ? put_marked(&r, at, behind) : put_unmarked(&r, at, behind);
        if (status != FA_OK || behind == end) return status;
        found_tag tag;
        if (!read_tag(behind, end, &tag)) return FA_CORRUPT;
        pass_tag(&r, tag.effect);
        at = tag.end;
        if (!put_tag(&r, behind, &tag, links)) return FA_NO_MEMORY;
    }
    return FA_OK;
}

void fa_pieces_free(fa_buffer *pieces) { fa_buffer_free(pieces); }
