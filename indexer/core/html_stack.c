/* The stack of open elements, the list of active formatting elements, and the events that their changes cause. */
#include <stdlib.h>
#include <string.h>

#include "html_tree.h"

bool html_room(void **items, size_t *room, size_t count, size_t size) {
    if (count < *room) return true;
    size_t wanted = *room ? *room + *room / 2 : 256;
    void *grown = realloc(*items, wanted * size);
    if (!grown) return false;
    *items = grown;
    *room = wanted;
    return true;
}

/* -- events */

/* Puts an event behind another one, where there is room for it, and returns its number. */
static inline uint32_t put_event(html_tree *tree, uint32_t place, unsigned kind, html_span span) {
    uint32_t number = (uint32_t)tree->event_count++;
    tree->events[number] = (html_event){tree->events[place].next, kind, span};
    tree->events[place].next = number;
    return number;
}

/* The same; 0 when memory is short. */
static __attribute__((noinline)) uint32_t insert_event(html_tree *tree, uint32_t place, unsigned kind, html_span span) {
    if (tree->event_count == tree->event_room &&
        !html_room((void **)&tree->events, &tree->event_room, tree->event_count, sizeof(html_event))) {
        tree->failed = true;
        return 0;
    }
    return put_event(tree, place, kind, span);
}

static __attribute__((noinline)) void tell_in_new_room(html_tree *tree, unsigned kind, html_span span) {
    tree->cursor = insert_event(tree, tree->cursor, kind, span);
}

/* Mostly there is room: to make some is apart, so that who tells keeps no registers for it. */
static inline void tell(html_tree *tree, unsigned kind, html_span span) {
    if (tree->skipped) return;
    if (tree->event_count == tree->event_room) {
        tell_in_new_room(tree, kind, span);
    } else {
        tree->cursor = put_event(tree, tree->cursor, kind, span);
    }
}

void html_tell(html_tree *tree, unsigned kind, html_span span) { tell(tree, kind, span); }

static const html_span nothing = {0, 0};

/* The edge of a block behind another one says nothing. Only for ends: begins are places to insert at. */
static void tell_end_of_part(html_tree *tree) {
    if (tree->events[tree->cursor].kind != EVENT_PART) tell(tree, EVENT_PART, nothing);
}

static void tell_begin(html_tree *tree, unsigned kind, uint32_t link) {
    if (kind == KIND_PART) {
        tell(tree, EVENT_PART, nothing);
    } else if (kind != KIND_NONE && kind != KIND_SKIP) {
        tell(tree, EVENT_BEGIN + kind, (html_span){link, 0});
    }
}

static void tell_end(html_tree *tree, unsigned kind) {
    if (kind == KIND_PART) {
        tell_end_of_part(tree);
    } else if (kind != KIND_NONE && kind != KIND_SKIP) {
        tell(tree, EVENT_END + kind, nothing);
    }
}

/* -- attributes */

/* Takes the value of an attribute; false when it is not there or empty. */
static bool value_of(html_tree *tree, const html_token *token, unsigned attribute, html_span *value) {
    *value = nothing;
    if (!html_has(token, attribute)) return false;
    html_span span = token->values[attribute];
    const uint8_t *bytes = html_bytes(&tree->tokens, span);
    if (html_has_signs(bytes, bytes + span.size)) {
        if (!html_decode(&tree->tokens, &span, DECODE_REFERENCES | DECODE_ATTRIBUTE)) {
            tree->failed = true;
            return false;
        }
    }
    *value = span;
    return span.size > 0;
}

static bool is_word(uint8_t byte) {
    return (html_lower(byte) >= 'a' && html_lower(byte) <= 'z') || (byte >= '0' && byte <= '9') || byte == '_' ||
           byte >= 0x80;
}

static bool has_word(const uint8_t *text, size_t size, const char *word) {
    size_t length = strlen(word);
    for (size_t at = 0; at + length <= size; at++) {
        size_t same = 0;
        while (same < length && html_lower(text[at + same]) == (uint8_t)word[same]) same++;
        if (same == length && (!at || !is_word(text[at - 1])) && (at + length == size || !is_word(text[at + length]))) {
            return true;
        }
    }
    return false;
}

/* Tells whether the page vouches for a link. */
static bool is_followed(html_tree *tree, const html_token *token) {
    html_span rel;
    if (!value_of(tree, token, ATTRIBUTE_REL, &rel)) return true;
    const uint8_t *text = html_bytes(&tree->tokens, rel);
    return !has_word(text, rel.size, "nofollow") && !has_word(text, rel.size, "ugc") &&
           !has_word(text, rel.size, "sponsored");
}

/* Keeps the address of an element; its number goes to *link. False when it has none. */
static bool take_link(html_tree *tree, const html_token *token, html_span alternative, uint32_t *link) {
    html_span href;
    if (!value_of(tree, token, ATTRIBUTE_HREF, &href)) return false;
    if (!html_room((void **)&tree->links, &tree->link_room, tree->link_count, sizeof(html_link))) {
        tree->failed = true;
        return false;
    }
    *link = (uint32_t)tree->link_count;
    tree->links[tree->link_count++] = (html_link){href, alternative, is_followed(tree, token)};
    return true;
}

static void tell_meta(html_tree *tree, const html_token *token) {
    html_meta meta;
    if (!value_of(tree, token, ATTRIBUTE_NAME, &meta.name)) value_of(tree, token, ATTRIBUTE_PROPERTY, &meta.name);
    value_of(tree, token, ATTRIBUTE_CONTENT, &meta.content);
    value_of(tree, token, ATTRIBUTE_HTTP_EQUIV, &meta.http_equiv);
    if (!html_room((void **)&tree->metas, &tree->meta_room, tree->meta_count, sizeof meta)) {
        tree->failed = true;
        return;
    }
    tree->metas[tree->meta_count] = meta;
    html_tell(tree, EVENT_META, (html_span){(uint32_t)tree->meta_count++, 0});
}

/* A frameset has no text of its own: what a frame is called, and where it is from, is all that can be said of it. */
static void tell_frame(html_tree *tree, const html_token *token) {
    static const unsigned told[] = {ATTRIBUTE_TITLE, ATTRIBUTE_NAME, ATTRIBUTE_SRC};
    html_span spans[3];
    size_t size = 0;
    for (size_t i = 0; i < 3; i++) {
        value_of(tree, token, told[i], &spans[i]);
        size += spans[i].size + 1;
    }
    uint8_t *to = html_decoded_room(&tree->tokens, size), *begin = to;
    if (!to) {
        tree->failed = true;
        return;
    }
    for (size_t i = 0; i < 3; i++) {
        if (!spans[i].size) continue;
        if (to > begin) *to++ = ' ';
        memcpy(to, html_bytes(&tree->tokens, spans[i]), spans[i].size);
        to += spans[i].size;
    }
    html_span joined = {(uint32_t)(tree->tokens.size + tree->tokens.decoded_size), (uint32_t)(to - begin)};
    tree->tokens.decoded_size += joined.size;
    html_tell(tree, EVENT_ALTERNATIVE, joined);
}

static bool is_button(html_tree *tree, const html_token *token) {
    html_span type;
    if (!value_of(tree, token, ATTRIBUTE_TYPE, &type)) return false;
    const uint8_t *bytes = html_bytes(&tree->tokens, type);
    static const char *const buttons[] = {"submit", "button", "image"};
    for (size_t i = 0; i < 3; i++) {
        size_t same = 0;
        while (same < type.size && buttons[i][same] && html_lower(bytes[same]) == (uint8_t)buttons[i][same]) same++;
        if (same == type.size && !buttons[i][same]) return true;
    }
    return false;
}

static void tell_input(html_tree *tree, const html_token *token) {
    html_span label;
    if (!is_button(tree, token)) {
        html_tell(tree, EVENT_PART, nothing);
        return;
    }
    if (!value_of(tree, token, ATTRIBUTE_VALUE, &label)) value_of(tree, token, ATTRIBUTE_ALT, &label);
    html_tell(tree, EVENT_ALTERNATIVE, label);
}

static void tell_picture(html_tree *tree, const html_token *token) {
    html_span alternative;
    value_of(tree, token, ATTRIBUTE_ALT, &alternative);
    html_tell(tree, EVENT_ALTERNATIVE, alternative);
    uint32_t link;
    if (token->tag == TAG_AREA && take_link(tree, token, alternative, &link)) {
        html_tell(tree, EVENT_AREA, (html_span){link, 0});
    }
}

static void tell_base(html_tree *tree, const html_token *token) {
    html_tell(tree, EVENT_PART, nothing);
    html_span href;
    value_of(tree, token, ATTRIBUTE_HREF, &href);
    if (html_has(token, ATTRIBUTE_HREF)) html_tell(tree, EVENT_BASE, href);
}

#define BIT(name) (UINT64_C(1) << ATTRIBUTE_##name)

/* Attributes that may hold addresses ... */
#define ADDRESSES                                                                                                      \
    (BIT(BACKGROUND) | BIT(CLIP_PATH) | BIT(CURSOR) | BIT(DATA) | BIT(DATA_HI_RES_SRC) | BIT(DATA_LAZY) |              \
    BIT(DATA_LAZY_SRC) | BIT(DATA_ORIGINAL) | BIT(DATA_SRC) | BIT(DATA_SRCSET) | BIT(FILL) | BIT(FILTER) | BIT(HREF) | \
    BIT(IMAGESRCSET) | BIT(MARKER) | BIT(MARKER_END) | BIT(MARKER_MID) | BIT(MARKER_START) | BIT(MASK) | BIT(POSTER) | \
    BIT(SRC) | BIT(SRCDOC) | BIT(SRCSET) | BIT(STROKE) | BIT(STYLE) | BIT(XLINK_HREF))
/* ... and what says more of them. */
static const uint64_t of_parts = ADDRESSES | BIT(CONTENT) | BIT(HTTP_EQUIV) | BIT(NAME) | BIT(REL);

static void add_part(html_tree *tree, html_part part) {
    if (tree->part_count == MOST_PARTS) {
        tree->parts_are_cut = true;
        return;
    }
    if (!html_room((void **)&tree->parts, &tree->part_room, tree->part_count, sizeof part)) {
        tree->failed = true;
        return;
    }
    tree->parts[tree->part_count] = part;
    tree->cursor = insert_event(tree, tree->cursor, EVENT_ELEMENT, (html_span){(uint32_t)tree->part_count++, 0});
}

void html_tell_part(html_tree *tree, const html_token *token) {
    if (!tree->tokens.reads_all || tree->skipped) return;
    if (!(token->present & ADDRESSES) && !(token->tag == TAG_META && html_has(token, ATTRIBUTE_CONTENT))) return;
    html_part part = {.name = token->name, .first = (uint32_t)tree->part_attribute_count};
    for (unsigned name = 0; name < ATTRIBUTE_COUNT; name++) {
        if (!((token->present & of_parts) >> name & 1)) continue;
        html_part_attribute attribute = {.name = name};
        value_of(tree, token, name, &attribute.value);
        if (!html_room((void **)&tree->part_attributes, &tree->part_attribute_room, tree->part_attribute_count,
                       sizeof attribute)) {
            tree->failed = true;
            return;
        }
        tree->part_attributes[tree->part_attribute_count++] = attribute;
        part.count++;
    }
    add_part(tree, part);
}

/* The text of a style element is no text of the page, but may hold addresses. */
static __attribute__((noinline)) void tell_style(html_tree *tree, const html_token *token) {
    const html_node *top = html_top(tree);
    if (!tree->tokens.reads_all || tree->skipped != 1 || top->tag != TAG_STYLE) return;
    html_span span = token->span;
    if (token->has_references && !html_decode(&tree->tokens, &span, token->is_plain ? 0 : DECODE_REFERENCES)) {
        tree->failed = true;
    }
    if (span.size) add_part(tree, (html_part){.style = span});
}

/* Tells of the begin of an element whose attributes say something. Returns the kind of its end. */
static __attribute__((noinline)) unsigned tell_attributes(html_tree *tree, const html_token *token, uint32_t *link) {
    unsigned kind = html_tag_infos[token->tag].kind;
    switch (token->tag) {
        case TAG_A:
            kind = take_link(tree, token, nothing, link) ? KIND_ANCHOR : KIND_NONE;
            tell_begin(tree, kind, *link);
            return kind;
        case TAG_IMG:
        case TAG_AREA: tell_picture(tree, token); return KIND_PART;
        case TAG_FRAME: tell_frame(tree, token); return KIND_PART;
        case TAG_INPUT: tell_input(tree, token); return KIND_PART;
        case TAG_META:
            html_tell(tree, EVENT_PART, nothing);
            tell_meta(tree, token);
            return KIND_PART;
        case TAG_BASE: tell_base(tree, token); return KIND_PART;
        default: tell_begin(tree, kind, 0); return kind;
    }
}

/* Tells of the begin of an element. Returns the kind of its end. */
static inline unsigned tell_element(html_tree *tree, const html_token *token, uint32_t *link) {
    unsigned kind = html_tag_infos[token->tag].kind;
    *link = 0;
    if (tree->tokens.reads_all) html_tell_part(tree, token);
    if (tree->skipped && kind == KIND_ANCHOR) return KIND_NONE; /* its address is not kept */
    if (tree->tells_text_alone && (kind == KIND_ANCHOR || kind == KIND_EMPHASIS)) return KIND_NONE;
    if (!tree->skipped && html_tag_infos[token->tag].flags & TAG_IS_READ) return tell_attributes(tree, token, link);
    tell_begin(tree, kind, 0);
    return kind;
}

/* -- open elements */

/* Fills in what an element inherits from the one below it. */
static void settle(html_tree *tree, unsigned place) {
    html_node *node = &tree->stack[place];
    uint16_t own = (uint16_t)place;
    if (place) {
        const html_node *under = node - 1;
        node->scope = under->scope;
        node->button_scope = under->button_scope;
        node->list_scope = under->list_scope;
        node->table_scope = under->table_scope;
        node->special = under->special;
        node->item = under->item;
    }
    if (node->namespace != NAMESPACE_HTML) {
        unsigned flags = html_tag_infos[node->tag].flags;
        bool bounds = node->namespace == NAMESPACE_SVG ? flags & TAG_IS_SVG_HTML
                                                       : flags & TAG_IS_MATH_TEXT || node->tag == TAG_ANNOTATION_XML;
        if (bounds) node->scope = node->button_scope = node->list_scope = node->special = node->item = own;
        return;
    }
    if (node->tag == TAG_COUNT) return;
    node->below = tree->top_of[node->tag];
    tree->top_of[node->tag] = own;
    unsigned flags = html_tag_infos[node->tag].flags;
    if (flags & TAG_IS_SPECIAL) {
        node->special = own;
        if (node->tag != TAG_ADDRESS && node->tag != TAG_DIV && node->tag != TAG_P) node->item = own;
    }
    if (!(flags & (TAG_IS_SCOPE | TAG_IS_BUTTON_SCOPE | TAG_IS_LIST_SCOPE | TAG_IS_TABLE_SCOPE))) return;
    if (flags & TAG_IS_SCOPE) node->scope = own;
    if (flags & TAG_IS_BUTTON_SCOPE) node->button_scope = own;
    if (flags & TAG_IS_LIST_SCOPE) node->list_scope = own;
    if (flags & TAG_IS_TABLE_SCOPE) node->table_scope = own;
}

/* Takes elements from a place on out of the chains of their tags; settle puts them back. */
static void unsettle_from(html_tree *tree, unsigned place) {
    for (unsigned i = tree->open; i-- > place;) {
        const html_node *node = &tree->stack[i];
        if (node->namespace == NAMESPACE_HTML && node->tag != TAG_COUNT) tree->top_of[node->tag] = node->below;
    }
}

static void settle_from(html_tree *tree, unsigned place) {
    tree->work += tree->open - place;
    for (unsigned i = place; i < tree->open; i++) {
        settle(tree, i);
        if (tree->stack[i].format) tree->formats[tree->stack[i].format - 1].open = (uint16_t)i;
    }
}

static bool is_table_part(const html_node *node) {
    return node->namespace == NAMESPACE_HTML &&
           (node->tag == TAG_TABLE || node->tag == TAG_TBODY || node->tag == TAG_TFOOT || node->tag == TAG_THEAD ||
            node->tag == TAG_TR);
}

/* The place of the table that something is to be moved before, 0 for none. */
static unsigned foster_table(html_tree *tree) {
    if (!tree->fosters || !is_table_part(html_top(tree))) return 0;
    unsigned table = tree->top_of[TAG_TABLE];
    return table > tree->top_of[TAG_TEMPLATE] && table > tree->document.base ? table : 0;
}

static __attribute__((noinline)) void cut_innermost(html_tree *tree) {
    tree->is_cut = true;
    html_close(tree);
}

/* Closes the innermost element where no more can be open. */
static inline void make_room(html_tree *tree) {
    if (tree->open >= MOST_OPEN) cut_innermost(tree);
}

static html_node *push(html_tree *tree, unsigned tag, enum html_namespace namespace) {
    html_node *node = &tree->stack[tree->open++];
    *node = (html_node){.tag = (uint16_t)tag, .namespace = (uint8_t)namespace};
    tree->foreign += namespace != NAMESPACE_HTML;
    settle(tree, tree->open - 1);
    return node;
}

void html_open(html_tree *tree, const html_token *token, enum html_namespace namespace) {
    make_room(tree);
    unsigned table = foster_table(tree);
    uint32_t resume = 0;
    if (table) {
        resume = tree->cursor;
        tree->cursor = tree->stack[table].before;
    }
    uint32_t before = tree->cursor, link;
    unsigned kind = tell_element(tree, token, &link);
    html_node *node = push(tree, token->tag, namespace);
    node->kind = (uint8_t)kind;
    node->hash = token->hash;
    node->before = before;
    node->resume = resume;
    node->link = link;
    if (kind == KIND_SKIP) tree->skipped++;
}

void html_open_tag(html_tree *tree, unsigned tag) {
    html_token token = {.type = HTML_START, .tag = tag};
    html_open(tree, &token, NAMESPACE_HTML);
}

void html_tell_void(html_tree *tree, const html_token *token) {
    unsigned table = foster_table(tree);
    uint32_t cursor = tree->cursor, link;
    if (table) tree->cursor = tree->stack[table].before;
    unsigned kind = tell_element(tree, token, &link);
    tell_end(tree, kind);
    if (table) {
        tree->stack[table].before = tree->cursor;
        tree->cursor = cursor;
    }
}

/* Inserts a text that has to be decoded, or stands where one may not. */
static __attribute__((noinline)) void tell_odd_text(html_tree *tree, const html_token *token, unsigned how) {
    html_span span = token->span;
    if (token->has_references) {
        if (token->is_plain) how &= ~(unsigned)(DECODE_REFERENCES | DECODE_DROP_ZEROS);
        if (!html_decode(&tree->tokens, &span, how)) tree->failed = true;
    }
    if (!span.size) return;
    unsigned table = foster_table(tree);
    if (table) {
        tree->stack[table].before = insert_event(tree, tree->stack[table].before, EVENT_TEXT, span);
    } else {
        html_tell(tree, EVENT_TEXT, span);
    }
}

void html_tell_text(html_tree *tree, const html_token *token, unsigned how) {
    if (tree->skipped) {
        tell_style(tree, token);
    } else if (token->has_references || tree->fosters) {
        tell_odd_text(tree, token, how);
    } else if (token->span.size) {
        tell(tree, EVENT_TEXT, token->span);
    }
}

static void close_top(html_tree *tree) {
    html_node *node = html_top(tree);
    if (node->kind == KIND_SKIP) tree->skipped--;
    tell_end(tree, node->kind);
    if (node->resume) {
        unsigned table = tree->top_of[TAG_TABLE];
        if (table && table < tree->open - 1) tree->stack[table].before = tree->cursor;
        tree->cursor = node->resume;
    }
    if (node->format) tree->formats[node->format - 1].open = 0;
    if (node->namespace == NAMESPACE_HTML && node->tag != TAG_COUNT) {
        tree->top_of[node->tag] = node->below;
        if (node->tag == TAG_TEMPLATE && tree->template_count > tree->document.templates) tree->template_count--;
    }
    if (node->namespace != NAMESPACE_HTML) tree->foreign--;
    tree->open--;
}

void html_close(html_tree *tree) {
    if (tree->open <= tree->document.base + 1u) return;
    close_top(tree);
    while (html_top(tree)->tag == TAG_COUNT) close_top(tree);
}

void html_close_from(html_tree *tree, unsigned place) {
    while (tree->open > place && tree->open > tree->document.base + 1u) html_close(tree);
}

void html_take_out(html_tree *tree, unsigned place) {
    if (place + 1 == tree->open) {
        html_close(tree);
        return;
    }
    unsettle_from(tree, place);
    html_node *node = &tree->stack[place];
    if (node->format) {
        tree->formats[node->format - 1].open = 0;
        node->format = 0;
    }
    node->tag = TAG_COUNT;
    settle_from(tree, place);
}

/* -- formatting elements */

/* Forgets entries from a place on. */
static void drop_formats(html_tree *tree, size_t place) {
    while (tree->format_count > place) {
        const html_format *format = &tree->formats[--tree->format_count];
        if (format->open) tree->stack[format->open].format = 0;
    }
}

void html_remove_format(html_tree *tree, size_t place) {
    const html_format *removed = &tree->formats[place];
    if (removed->open) tree->stack[removed->open].format = 0;
    tree->format_count--;
    for (size_t i = place; i < tree->format_count; i++) {
        tree->formats[i] = tree->formats[i + 1];
        if (tree->formats[i].open) tree->stack[tree->formats[i].open].format = (uint16_t)(i + 1);
    }
    tree->work += tree->format_count - place;
}

static bool insert_format(html_tree *tree, size_t place, html_format format) {
    if (tree->format_count >= MOST_FORMATS_AND_MARKERS) {
        tree->is_cut = true;
        return false;
    }
    if (!html_room((void **)&tree->formats, &tree->format_room, tree->format_count, sizeof format)) {
        tree->failed = true;
        return false;
    }
    for (size_t i = tree->format_count++; i > place; i--) {
        tree->formats[i] = tree->formats[i - 1];
        if (tree->formats[i].open) tree->stack[tree->formats[i].open].format = (uint16_t)(i + 1);
    }
    tree->formats[place] = format;
    if (format.open) tree->stack[format.open].format = (uint16_t)(place + 1);
    return true;
}

static uint32_t hash_of(const html_tree *tree, html_span span) {
    const uint8_t *bytes = html_bytes(&tree->tokens, span);
    while (span.size && html_is_space(bytes[span.size - 1])) span.size--;
    uint64_t hash = span.size;
    uint32_t at = 0;
    for (; at + 8 <= span.size; at += 8) {
        uint64_t word;
        memcpy(&word, bytes + at, 8);
        hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 29;
    }
    for (; at < span.size; at++) hash = (hash ^ bytes[at]) * 0x9E3779B97F4A7C15u;
    return (uint32_t)(hash >> 32);
}

/* The hash of the attributes of an entry, taken when it is first asked for: most are never compared. */
static uint32_t hash_of_format(const html_tree *tree, html_format *format) {
    if (!format->is_hashed) format->hash = hash_of(tree, format->attributes);
    format->is_hashed = true;
    return format->hash;
}

/* How many entries behind the last marker have the tag and the attributes of a new one; *earliest: the first of them. */
static size_t count_same(html_tree *tree, html_format *format, size_t *earliest) {
    size_t same = 0;
    for (size_t i = tree->format_count; i-- > 0 && tree->formats[i].tag;) {
        html_format *other = &tree->formats[i];
        if (other->tag != format->tag || hash_of_format(tree, other) != hash_of_format(tree, format)) continue;
        same++;
        *earliest = i;
    }
    return same;
}

void html_add_format(html_tree *tree, const html_token *token) {
    enum { MOST_SAME = 3 };
    html_format format = {.tag = (uint16_t)token->tag,
                          .open = (uint16_t)(tree->open - 1),
                          .kind = html_top(tree)->kind,
                          .attributes = token->span,
                          .link = html_top(tree)->link};
    size_t of_tag = 0, count = 0, earliest = 0;
    for (size_t i = tree->format_count; i-- > 0 && tree->formats[i].tag; count++)
        of_tag += tree->formats[i].tag == format.tag;
    tree->work += count;
    if (of_tag >= MOST_SAME && count_same(tree, &format, &earliest) >= MOST_SAME) {
        html_remove_format(tree, earliest);
    } else if (count >= MOST_FORMATS) {
        html_remove_format(tree, tree->format_count - count);
        tree->is_cut = true;
    }
    insert_format(tree, tree->format_count, format);
}

void html_add_marker(html_tree *tree) { insert_format(tree, tree->format_count, (html_format){.tag = 0}); }

void html_clear_formats(html_tree *tree) {
    size_t place = tree->format_count;
    while (place && tree->formats[place - 1].tag) place--;
    drop_formats(tree, place ? place - 1 : 0);
}

size_t html_last_format(const html_tree *tree, unsigned tag) {
    for (size_t i = tree->format_count; i-- > 0 && tree->formats[i].tag;) {
        if (tree->formats[i].tag == tag) return i + 1;
    }
    return 0;
}

/* Opens an element of the list again. */
static void reopen(html_tree *tree, html_format *format) {
    make_room(tree);
    unsigned table = foster_table(tree);
    uint32_t resume = 0;
    if (table) {
        resume = tree->cursor;
        tree->cursor = tree->stack[table].before;
    }
    uint32_t before = tree->cursor;
    tell_begin(tree, format->kind, format->link);
    html_node *node = push(tree, format->tag, NAMESPACE_HTML);
    node->kind = format->kind;
    node->link = format->link;
    node->before = before;
    node->resume = resume;
    node->format = (uint16_t)(format - tree->formats + 1);
    format->open = (uint16_t)(tree->open - 1);
}

void html_reopen_closed_formats(html_tree *tree) {
    size_t count = tree->format_count, first = count;
    while (first && tree->formats[first - 1].tag && !tree->formats[first - 1].open) first--;
    tree->reopened += count - first;
    if (html_is_tired(tree)) {
        tree->is_cut = true;
        drop_formats(tree, first);
        return;
    }
    for (size_t i = first; i < count; i++) {
        tree->repeated += tree->formats[i].attributes.size;
        reopen(tree, &tree->formats[i]);
    }
}

/* -- the adoption agency */

/* The lowest special element above a place of the stack, 0 for none. */
static unsigned furthest_block(html_tree *tree, unsigned place) {
    if (html_top(tree)->special <= place) return 0;
    for (unsigned i = place + 1; i < tree->open; i++) {
        if (tree->stack[i].special == i) {
            tree->work += i - place;
            return i;
        }
    }
    return 0;
}

/* What move_out keeps of the elements between a formatting element and a block. */
enum { MOST_KEPT = 3 };

typedef struct kept_formats {
    html_node nodes[MOST_KEPT]; /* the lowest first */
    unsigned places[MOST_KEPT];
    unsigned count;
    size_t bookmark; /* where the formatting element goes in the list */
} kept_formats;

/* Finds the formatting elements that begin again, and takes the others and that at `place` out of the list. */
static void choose_kept(html_tree *tree, unsigned place, unsigned block, kept_formats *kept) {
    html_node *stack = tree->stack;
    unsigned first = block - 1 > place + MOST_KEPT ? block - MOST_KEPT : place + 1;
    kept->count = 0;
    for (unsigned i = first; i < block; i++) {
        if (stack[i].format) kept->places[kept->count++] = i;
    }
    for (unsigned i = place + 1; i < first; i++) {
        if (stack[i].format) html_remove_format(tree, stack[i].format - 1u);
    }
    size_t own = stack[place].format - 1u;
    html_remove_format(tree, own);
    kept->bookmark = kept->count ? stack[kept->places[kept->count - 1]].format : own;
    for (unsigned i = 0; i < kept->count; i++) {
        kept->nodes[i] = stack[kept->places[i]];
        kept->nodes[i].resume = 0;
    }
}

/* Tells of what ends and begins before a block that moves out of the element at `place`. Returns the event that the
 * block begins behind from now on. */
static uint32_t tell_move(html_tree *tree, unsigned place, unsigned block, const kept_formats *kept) {
    tree->cursor = tree->stack[block].before;
    for (unsigned i = block; i-- > place;) tell_end(tree, tree->stack[i].kind);
    for (unsigned i = 0; i < kept->count; i++) tell_begin(tree, kept->nodes[i].kind, kept->nodes[i].link);
    return tree->cursor;
}

/* Bytes of the attributes of the formatting elements next below a block, as many as move_out keeps at most. */
static uint64_t size_of_formats(const html_tree *tree, unsigned place, unsigned block) {
    uint64_t size = 0;
    unsigned count = 0;
    for (unsigned i = block - 1; i > place && count < MOST_KEPT; i--) {
        if (!tree->stack[i].format) continue;
        size += tree->formats[tree->stack[i].format - 1u].attributes.size;
        count++;
    }
    return size;
}

/* Moves the block at `block` out of the formatting element at `place`, which then begins again inside the block.
 *
 * What is open between them ends before the block; the formatting elements among it (at most three) begin again there.
 * In events: ends and begins before the begin of the block, a begin behind it. */
static void move_out(html_tree *tree, unsigned place, unsigned block) {
    html_node *stack = tree->stack;
    html_format format = tree->formats[stack[place].format - 1u];
    html_node wrapper = stack[place], moved = stack[block];
    uint32_t resume = wrapper.resume, cursor = tree->cursor;
    kept_formats kept;
    tree->repeated += format.attributes.size + size_of_formats(tree, place, block);
    unsettle_from(tree, place);
    choose_kept(tree, place, block, &kept);
    tree->reopened += block - place + kept.count + 1;

    uint32_t begin = tree->events[moved.before].next;
    moved.before = tell_move(tree, place, block, &kept);
    if (!tree->skipped) {
        tree->cursor = begin;
        tell_begin(tree, wrapper.kind, wrapper.link);
        for (unsigned i = block + 1; i < tree->open; i++) {
            if (stack[i].before == begin) stack[i].before = tree->cursor;
        }
    }
    if (tree->skipped || cursor != begin) tree->cursor = cursor;

    wrapper.before = begin;
    wrapper.resume = 0;
    wrapper.format = 0;
    unsigned to = place + kept.count;
    memmove(&stack[to + 2], &stack[block + 1], (tree->open - block - 1) * sizeof *stack);
    memcpy(&stack[place], kept.nodes, kept.count * sizeof *stack);
    stack[to] = moved;
    stack[to + 1] = wrapper;
    stack[place].resume = resume;
    tree->open = to + 2 + (tree->open - block - 1);
    settle_from(tree, place);
    format.open = (uint16_t)(to + 1);
    insert_format(tree, kept.bookmark, format);
}

bool html_adopt(html_tree *tree, unsigned tag) {
    if (html_is(html_top(tree), tag) && !html_top(tree)->format) {
        html_close(tree);
        return true;
    }
    for (unsigned round = 0; round < 8; round++) {
        size_t found = html_last_format(tree, tag);
        if (!found) return round > 0;
        unsigned place = tree->formats[found - 1].open;
        if (!place) {
            html_remove_format(tree, found - 1);
            return true;
        }
        if (place < html_top(tree)->scope) return true;
        unsigned block = furthest_block(tree, place);
        if (block && html_is_tired(tree)) {
            tree->is_cut = true;
            html_remove_format(tree, found - 1);
            html_take_out(tree, place);
            return true;
        }
        if (!block) {
            html_close_from(tree, place);
            html_remove_format(tree, found - 1);
            return true;
        }
        move_out(tree, place, block);
    }
    return true;
}
