/* The text of a page by elements, from the events that html_tree.c makes of its markup: see page.h.
 *
 * The tree gives the order, this file says what the order means: which element a text counts for, where blocks part,
 * which text stands for a link. All that is done in one pass over the events; every text is copied once, into the
 * running text.
 */
#include <stdlib.h>
#include <string.h>

#include "html_tree.h"
#include "page.h"

typedef struct buffer {
    uint8_t *data;
    size_t size, room;
} buffer;

typedef struct stretch {
    size_t begin, size; /* in the strings of the page */
} stretch;

typedef struct found_link {
    stretch href, text;
} found_link;

/* The handle: what a page says, and all that is kept to read the next one. */
typedef struct reader {
    fa_page page; /* the first: a handle is the address of its page */
    html_tree tree;
    buffer text, strings, title_text;
    fa_piece *pieces;
    size_t piece_count, piece_room;
    found_link *found;
    size_t found_room, found_count;
    fa_link *links;
    size_t link_room;
    buffer part_strings;
    fa_part *parts;
    size_t part_count, part_room;
    size_t new_part, open_part; /* 1 + the part whose begin comes next; that whose link is open; 0: none */
    stretch title, description, keywords, language, robots, base;
    bool has_base;
    uint32_t options;
    bool failed;

    /* where we are */
    unsigned in_head, in_picture, in_pre;
    unsigned headings, anchors, emphases; /* how many are open */
    bool raw_frames, special; /* special: text goes elsewhere than to the running text */
    bool collects_title, title_done;
    bool parted; /* the text so far ends at the edge of a block */
    bool has_link; /* the text of a link is being read */
    uint32_t link;
    size_t link_begin;
    bool links_are_cut;
} reader;

/* -- white space, as Python has it */

static inline bool is_ascii_space(uint8_t byte) {
    return byte == ' ' || (uint8_t)(byte - 9) <= 13 - 9 || (uint8_t)(byte - 0x1C) <= 0x1F - 0x1C;
}

/* Returns the size of the white space character at a place, 0 if none stands there. */
static size_t space_at(const uint8_t *at, const uint8_t *end) {
    if (*at < 0x80) return is_ascii_space(*at);
    if (*at == 0xC2) return end - at > 1 && (at[1] == 0x85 || at[1] == 0xA0) ? 2 : 0;
    if (end - at < 3 || *at < 0xE1 || *at > 0xE3) return 0;
    if (*at == 0xE1) return at[1] == 0x9A && at[2] == 0x80 ? 3 : 0;
    if (*at == 0xE3) return at[1] == 0x80 && at[2] == 0x80 ? 3 : 0;
    if (at[1] == 0x80) return at[2] <= 0x8A || at[2] == 0xA8 || at[2] == 0xA9 || at[2] == 0xAF ? 3 : 0;
    return at[1] == 0x81 && at[2] == 0x9F ? 3 : 0;
}

/* Most bytes: printable ASCII, which is no white space. */
static inline bool is_printable(uint8_t byte) { return (uint8_t)(byte - 0x21) < 0x7F - 0x21; }

static bool is_blank(const uint8_t *at, const uint8_t *end) {
    while (at < end) {
        if (is_printable(*at)) return false;
        size_t space = is_ascii_space(*at) ? 1 : space_at(at, end);
        if (!space) return false;
        at += space;
    }
    return true;
}

static fa_bytes stripped(fa_bytes text) {
    const uint8_t *at = text.data, *end = text.data + text.size;
    while (at < end) {
        size_t space = space_at(at, end);
        if (!space) break;
        at += space;
    }
    while (end > at) {
        size_t back = 1;
        while (back < 3 && end - at > (ptrdiff_t)back && (end[-(ptrdiff_t)back] & 0xC0) == 0x80) back++;
        if (space_at(end - back, end) != back) break;
        end -= back;
    }
    return (fa_bytes){at, (size_t)(end - at)};
}

/* -- buffers */

/* Apart, so that who appends keeps no registers for it. */
static __attribute__((noinline)) bool grow(reader *r, buffer *into, size_t needed) {
    size_t room = into->room < 1024 ? 1024 : into->room;
    while (room < needed) room += room / 2;
    uint8_t *grown = realloc(into->data, room);
    if (!grown) {
        r->failed = true;
        return false;
    }
    into->data = grown;
    into->room = room;
    return true;
}

/* Makes room for `more` bytes, at least one, and returns where they go, NULL when memory is short. */
static inline uint8_t *room_in(reader *r, buffer *into, size_t more) {
    size_t needed = into->size + more;
    if (needed > into->room && !grow(r, into, needed)) return NULL;
    return into->data + into->size;
}

enum { SHORT = 64 };

/* Most texts are short, and of all sizes: so many bytes are copied at once, whatever the size, where the markup has as many
 * from there on. What lies behind the text is written over by the next. */
static void append(reader *r, buffer *into, fa_bytes text) {
    uint8_t *to = room_in(r, into, text.size + SHORT);
    if (!to) return;
    uint64_t place = (uint64_t)((uintptr_t)text.data - (uintptr_t)r->tree.tokens.html);
    if (text.size <= SHORT && place + SHORT <= r->tree.tokens.size && place < r->tree.tokens.size) {
        memcpy(to, text.data, SHORT);
    } else if (text.size) {
        memcpy(to, text.data, text.size);
    }
    into->size += text.size;
}

static void append_byte(reader *r, buffer *into, uint8_t byte) {
    uint8_t *to = room_in(r, into, 1);
    if (!to) return;
    *to = byte;
    into->size++;
}

static fa_bytes bytes_of(const reader *r, html_span span) {
    if (!span.size) return (fa_bytes){(const uint8_t *)"", 0};
    return (fa_bytes){html_bytes(&r->tree.tokens, span), span.size};
}

/* Keeps a text among the strings of the page. */
static stretch keep(reader *r, fa_bytes text) {
    stretch kept = {r->strings.size, text.size};
    append(r, &r->strings, text);
    return kept;
}

/* The same with each run of white space as one blank, none at its ends, and at most `most` characters. */
static stretch keep_folded(reader *r, fa_bytes text, size_t most, bool ones_are_blanks) {
    stretch kept = {r->strings.size, 0};
    uint8_t *to = text.size ? room_in(r, &r->strings, text.size) : NULL;
    if (!to) return kept;
    uint8_t *begin = to;
    const uint8_t *at = text.data, *end = text.data + text.size;
    bool blank = false;
    while (at < end && most) {
        if (!blank && is_printable(*at)) {
            *to++ = *at++;
            most--;
            continue;
        }
        size_t space = space_at(at, end);
        if (!space && ones_are_blanks && *at == 1) space = 1;
        if (space) {
            blank = to > begin;
            at += space;
            continue;
        }
        if (blank) {
            *to++ = ' ';
            blank = false;
            if (!--most) break;
        }
        do {
            *to++ = *at++;
        } while (at < end && (*at & 0xC0) == 0x80);
        most--;
    }
    kept.size = (size_t)(to - begin);
    r->strings.size += kept.size;
    return kept;
}

/* -- running text */

static unsigned current_element(const reader *r) {
    return r->headings ? FA_HEADING : r->anchors ? FA_ANCHOR : r->emphases ? FA_EMPHASIS : FA_BODY;
}

static void begin_piece(reader *r, unsigned element) {
    if (r->options & FA_TEXT_ALONE) return;
    if (r->piece_count && r->pieces[r->piece_count - 1].element == element) return;
    if (!html_room((void **)&r->pieces, &r->piece_room, r->piece_count, sizeof(fa_piece))) {
        r->failed = true;
        return;
    }
    r->pieces[r->piece_count++] = (fa_piece){(uint32_t)r->text.size, element};
}

static void append_text(reader *r, fa_bytes text, unsigned element) {
    begin_piece(r, element);
    size_t begin = r->text.size;
    append(r, &r->text, text);
    if (r->options & FA_PARAGRAPHS && !r->in_pre && element != FA_ALT) {
        uint8_t *at = r->text.data + begin, *end = r->text.data + r->text.size;
        while (at < end && (at = memchr(at, '\n', (size_t)(end - at)))) *at++ = ' ';
    }
}

static void part(reader *r) {
    if (r->parted) return;
    append_byte(r, &r->text, '\n');
    r->parted = true;
}

static void characters(reader *r, fa_bytes text) {
    if (r->special) {
        if (r->collects_title) {
            append(r, &r->title_text, text);
            return;
        }
        if (r->in_head) return;
    } else if (r->parted && is_blank(text.data, text.data + text.size)) {
        return;
    }
    if ((r->options & (FA_TEXT_ALONE | FA_PARAGRAPHS)) == FA_TEXT_ALONE) {
        append(r, &r->text, text);
    } else {
        append_text(r, text, current_element(r));
    }
    r->parted = false;
}

/* -- links */

static void add_link(reader *r, fa_bytes text) {
    if (!html_room((void **)&r->found, &r->found_room, r->found_count, sizeof(found_link))) {
        r->failed = true;
        return;
    }
    stretch href = keep(r, bytes_of(r, r->tree.links[r->link].href));
    stretch shown = keep_folded(r, text, FA_MOST_LINK_TEXT, true);
    r->found[r->found_count++] = (found_link){href, shown};
}

static void end_link(reader *r) {
    if (!r->has_link) return;
    r->has_link = false;
    size_t size = r->text.size - r->link_begin;
    add_link(r, size ? (fa_bytes){r->text.data + r->link_begin, size} : (fa_bytes){(const uint8_t *)"", 0});
}

static void begin_link(reader *r, uint32_t number) {
    if (r->options & FA_TEXT_ALONE) return;
    end_link(r); /* links do not nest */
    if (!r->tree.links[number].is_followed) return;
    if (r->found_count >= FA_MOST_LINKS) {
        r->links_are_cut = true;
        return;
    }
    r->has_link = true;
    r->link = number;
    r->link_begin = r->text.size;
}

static void area(reader *r, uint32_t number) {
    begin_link(r, number);
    if (!r->has_link) return;
    r->has_link = false;
    add_link(r, bytes_of(r, r->tree.links[number].alternative));
}

static void alternative(reader *r, fa_bytes text) {
    part(r);
    if (!text.size) return;
    append_text(r, text, FA_ALT);
    r->parted = false;
    part(r);
}

/* -- what the head says */

static bool is_named(fa_bytes name, const char *known) {
    name = stripped(name);
    if (name.size != strlen(known)) return false;
    for (size_t i = 0; i < name.size; i++) {
        if (html_lower(name.data[i]) != (uint8_t)known[i]) return false;
    }
    return true;
}

static void take_language(reader *r, fa_bytes content) {
    const uint8_t *comma = content.size ? memchr(content.data, ',', content.size) : NULL;
    if (comma) content.size = (size_t)(comma - content.data);
    r->language = keep(r, stripped(content));
}

static void meta(reader *r, const html_meta *meta) {
    fa_bytes name = bytes_of(r, meta->name), content = bytes_of(r, meta->content);
    if (is_named(name, "description") || (is_named(name, "og:description") && !r->description.size)) {
        r->description = keep(r, content);
    } else if (is_named(name, "keywords")) {
        r->keywords = keep(r, content);
    } else if (is_named(name, "robots")) {
        r->robots = keep(r, content);
    } else if (!r->language.size && is_named(bytes_of(r, meta->http_equiv), "content-language")) {
        take_language(r, content);
    }
}

static void read_language(reader *r) {
    const html_tree *tree = &r->tree;
    if (tree->has_language && tree->language.size) {
        r->language = keep(r, stripped(bytes_of(r, tree->language)));
    } else if (tree->has_xml_language) {
        r->language = keep(r, stripped(bytes_of(r, tree->xml_language)));
    }
}

/* -- parts */

static void append_string(reader *r, fa_bytes text) {
    append(r, &r->part_strings, text);
    append_byte(r, &r->part_strings, 0);
}

static fa_bytes bytes_of_name(const char *name) { return (fa_bytes){(const uint8_t *)name, strlen(name)}; }

static void add_part(reader *r, const html_part *part) {
    if (!html_room((void **)&r->parts, &r->part_room, r->part_count, sizeof(fa_part))) {
        r->failed = true;
        return;
    }
    r->parts[r->part_count++] = (fa_part){.strings = 1 + 2 * (part->style.size ? 1 : part->count)};
    r->new_part = r->part_count;
    if (part->style.size) {
        append_string(r, bytes_of_name("style"));
        append_string(r, bytes_of_name("#text"));
        append_string(r, bytes_of(r, part->style));
        return;
    }
    size_t begin = r->part_strings.size;
    append_string(r, bytes_of(r, part->name));
    if (r->failed) return;
    for (size_t i = begin; i + 1 < r->part_strings.size; i++) {
        uint8_t byte = r->part_strings.data[i];
        r->part_strings.data[i] = byte ? html_lower(byte) : '?';
    }
    for (uint32_t i = 0; i < part->count; i++) {
        const html_part_attribute *attribute = &r->tree.part_attributes[part->first + i];
        append_string(r, bytes_of_name(html_attribute_names[attribute->name]));
        append_string(r, bytes_of(r, attribute->value));
    }
}

static void open_part(reader *r) {
    r->open_part = r->new_part;
    r->new_part = 0;
    if (r->open_part) r->parts[r->open_part - 1].begin = r->parts[r->open_part - 1].end = (uint32_t)r->text.size;
}

static void end_part(reader *r) {
    if (r->open_part) r->parts[r->open_part - 1].end = (uint32_t)r->text.size;
    r->open_part = 0;
}

/* -- elements */

static void begin_element(reader *r, unsigned kind, html_span span) {
    switch (kind) {
        case KIND_ANCHOR:
            r->anchors++;
            open_part(r);
            begin_link(r, span.begin);
            return;
        case KIND_EMPHASIS: r->emphases++; return;
        case KIND_EMPHASIS_BLOCK:
            part(r);
            r->emphases++;
            return;
        case KIND_TITLE:
            if (!r->title_done && !r->in_picture) {
                r->collects_title = r->special = true;
                r->title_text.size = 0;
            }
            return;
        default: break;
    }
    part(r);
    switch (kind) {
        case KIND_HEADING: r->headings++; break;
        case KIND_HEAD:
            r->in_head++;
            r->special = true;
            break;
        case KIND_SVG: r->in_picture++; break;
        case KIND_NOFRAMES: r->raw_frames = r->special = true; break;
        case KIND_PRE: r->in_pre++; break;
        default: break;
    }
}

static void less(unsigned *count) {
    if (*count) --*count;
}

static void end_element(reader *r, unsigned kind) {
    switch (kind) {
        case KIND_ANCHOR:
            less(&r->anchors);
            end_part(r);
            end_link(r);
            return;
        case KIND_EMPHASIS: less(&r->emphases); return;
        case KIND_EMPHASIS_BLOCK:
            less(&r->emphases);
            part(r);
            return;
        case KIND_TITLE:
            if (r->collects_title) {
                r->title = keep_folded(r, (fa_bytes){r->title_text.data, r->title_text.size}, SIZE_MAX, false);
                r->collects_title = false;
                r->title_done = true;
            }
            break;
        case KIND_HEADING: less(&r->headings); break;
        case KIND_HEAD: less(&r->in_head); break;
        case KIND_SVG: less(&r->in_picture); break;
        case KIND_NOFRAMES: r->raw_frames = false; break;
        case KIND_PRE: less(&r->in_pre); break;
        default: break;
    }
    r->special = r->in_head || r->raw_frames;
    part(r);
}

static void follow(reader *r, const html_event *event) {
    switch (event->kind) {
        case EVENT_TEXT: characters(r, bytes_of(r, event->span)); return;
        case EVENT_PART: part(r); return;
        case EVENT_ALTERNATIVE: alternative(r, bytes_of(r, event->span)); return;
        case EVENT_AREA: area(r, event->span.begin); return;
        case EVENT_META: meta(r, &r->tree.metas[event->span.begin]); return;
        case EVENT_BASE:
            if (!r->has_base) r->base = keep(r, bytes_of(r, event->span));
            r->has_base = true;
            return;
        case EVENT_ELEMENT: add_part(r, &r->tree.parts[event->span.begin]); return;
        case EVENT_UNFRAME: r->raw_frames = r->special = false; return;
        default: break;
    }
    if (event->kind >= EVENT_END) {
        end_element(r, event->kind - EVENT_END);
    } else {
        begin_element(r, event->kind - EVENT_BEGIN, event->span);
    }
}

/* -- the page */

static void forget(reader *r) {
    r->page = (fa_page){.text = {NULL, 0}};
    r->text.size = r->strings.size = r->title_text.size = r->part_strings.size = 0;
    r->piece_count = r->found_count = r->part_count = r->new_part = r->open_part = 0;
    r->title = r->description = r->keywords = r->language = r->robots = r->base = (stretch){0, 0};
    r->has_base = r->failed = false;
    r->in_head = r->in_picture = r->in_pre = r->headings = r->anchors = r->emphases = 0;
    r->raw_frames = r->special = r->collects_title = r->title_done = r->has_link = r->links_are_cut = false;
    r->parted = true;
}

static fa_bytes string_at(const reader *r, stretch kept) {
    return kept.size ? (fa_bytes){r->strings.data + kept.begin, kept.size} : (fa_bytes){NULL, 0};
}

/* Fills in the page, now that nothing moves any more. */
static void present(reader *r) {
    fa_page *page = &r->page;
    while (r->link_room < r->found_count) {
        if (!html_room((void **)&r->links, &r->link_room, r->link_room, sizeof(fa_link))) {
            r->failed = true;
            return;
        }
    }
    for (size_t i = 0; i < r->found_count; i++) {
        r->links[i] = (fa_link){string_at(r, r->found[i].href), string_at(r, r->found[i].text)};
    }
    page->text = (fa_bytes){r->text.data, r->text.size};
    page->pieces = r->pieces;
    page->piece_count = r->piece_count;
    page->title = string_at(r, r->title);
    page->description = string_at(r, r->description);
    page->keywords = string_at(r, r->keywords);
    page->language = string_at(r, r->language);
    page->robots = string_at(r, r->robots);
    page->base = string_at(r, r->base);
    if (r->has_base && !page->base.data) page->base = (fa_bytes){(const uint8_t *)"", 0};
    page->links = r->links;
    page->link_count = r->found_count;
    page->part_strings = (fa_bytes){r->part_strings.data, r->part_strings.size};
    page->parts = r->parts;
    page->part_count = r->part_count;
    page->cut = (r->tree.parts_are_cut ? FA_CUT_PARTS : 0u) |
                (r->links_are_cut ? FA_CUT_LINKS : 0u) | (r->tree.is_cut ? FA_CUT_NESTING : 0u);
}

static void give_back(void **data, size_t *room) {
    free(*data);
    *data = NULL;
    *room = 0;
}

/* Gives back what only a very large page needed. */
static void shrink(reader *r, size_t size) {
    enum { SMALL = 1 << 18, LARGE = 1 << 20 };
    if (size > SMALL) return;
    html_tree *tree = &r->tree;
    if (tree->events && tree->event_room * sizeof *tree->events > LARGE) {
        void *smaller = realloc(tree->events, 256 * sizeof *tree->events);
        if (smaller) {
            tree->events = smaller;
            tree->event_room = 256;
        }
    }
    if (tree->format_room * sizeof *tree->formats > LARGE) give_back((void **)&tree->formats, &tree->format_room);
    if (tree->link_room * sizeof *tree->links > LARGE) give_back((void **)&tree->links, &tree->link_room);
    if (tree->meta_room * sizeof *tree->metas > LARGE) give_back((void **)&tree->metas, &tree->meta_room);
    if (tree->tokens.decoded_room > LARGE) give_back((void **)&tree->tokens.decoded, &tree->tokens.decoded_room);
    if (r->text.room > LARGE) give_back((void **)&r->text.data, &r->text.room);
    if (r->strings.room > LARGE) give_back((void **)&r->strings.data, &r->strings.room);
    if (r->part_strings.room > LARGE) give_back((void **)&r->part_strings.data, &r->part_strings.room);
    if (r->part_room * sizeof *r->parts > LARGE) give_back((void **)&r->parts, &r->part_room);
    if (tree->part_room * sizeof *tree->parts > LARGE) give_back((void **)&tree->parts, &tree->part_room);
    if (tree->part_attribute_room * sizeof *tree->part_attributes > LARGE) {
        give_back((void **)&tree->part_attributes, &tree->part_attribute_room);
    }
    if (r->title_text.room > LARGE) give_back((void **)&r->title_text.data, &r->title_text.room);
    if (r->piece_room * sizeof *r->pieces > LARGE) give_back((void **)&r->pieces, &r->piece_room);
}

fa_page *fa_page_new(void) {
    reader *r = calloc(1, sizeof *r);
    if (!r) return NULL;
    if (!html_tree_make(&r->tree)) {
        fa_page_free(&r->page);
        return NULL;
    }
    forget(r);
    return &r->page;
}

void fa_page_free(fa_page *page) {
    reader *r = (reader *)page;
    if (!r) return;
    html_tree_clear(&r->tree);
    free(r->text.data);
    free(r->strings.data);
    free(r->title_text.data);
    free(r->part_strings.data);
    free(r->parts);
    free(r->pieces);
    free(r->found);
    free(r->links);
    free(r);
}

int fa_page_read(fa_page *page, fa_bytes html, uint32_t options) {
    reader *r = (reader *)page;
    forget(r);
    if (html.size > FA_MOST_HTML) return FA_TOO_LARGE;
    shrink(r, html.size);
    if (!html.size) html.data = (const uint8_t *)"";
    r->options = options;
    enum html_telling telling = options & FA_PARTS        ? HTML_ELEMENTS_AND_PARTS
                                : options & FA_TEXT_ALONE ? HTML_TEXT_ALONE
                                                          : HTML_ELEMENTS;
    if (!html_tree_read(&r->tree, html, telling)) return FA_NO_MEMORY;
    read_language(r);
    for (uint32_t at = r->tree.events[0].next; at && !r->failed; at = r->tree.events[at].next) {
        follow(r, &r->tree.events[at]);
    }
    end_part(r);
    end_link(r);
    if (!r->failed) present(r);
    if (r->failed) {
        forget(r);
        return FA_NO_MEMORY;
    }
    return FA_OK;
}
