/* HTML as a tree that is never built: section "Tree construction" of the HTML standard over the stack of open elements.
 *
 * What a tree would hold in document order is a list of *events*: texts, edges of blocks, begins and ends of elements
 * that matter to the text of a page. It is a linked list, since the standard moves things: what stands in a table
 * outside its cells goes before the table, and an end tag that crosses others ("<a>1<p>2</a>3") closes its element
 * before the block and opens it again inside. Both are links changed in place.
 *
 * Bounds, so that no page takes more than linear time: MOST_OPEN elements are open at once (more push the innermost
 * out), MOST_FORMATS formatting elements are reopened, and a count of steps (`work`) stops the reopening in pages that
 * are made of misnested tags.
 */
#ifndef FINDINGAID_HTML_TREE_H
#define FINDINGAID_HTML_TREE_H

#include "html_tokens.h"

enum {
    MOST_OPEN = 4096,
    MOST_FORMATS = 256, /* behind a marker */
    MOST_FORMATS_AND_MARKERS = 8192,
    MOST_TEMPLATES = 1024,
    MOST_NESTED = 3, /* noframes in noframes */
    MOST_PARTS = 100000,
    MOST_REOPENED_JUDGED = 2000000
};

enum html_event_kind {
    EVENT_TEXT = 0, /* a span */
    EVENT_ALTERNATIVE, /* a span: the text that stands for a picture, or the label of a button; parts on both sides */
    EVENT_PART, /* the edge of a block */
    EVENT_AREA, /* span.begin: number of a link; its text is the alternative before it */
    EVENT_META, /* span.begin: number of a meta element */
    EVENT_BASE, /* a span */
    EVENT_ELEMENT, /* span.begin: number of a part */
    EVENT_UNFRAME, /* the text of a noframes element is markup, and was read as such */
    EVENT_BEGIN = 16, /* + enum html_kind; of an anchor, span.begin is the number of a link */
    EVENT_END = 32 /* + enum html_kind */
};

typedef struct html_event {
    uint32_t next; /* 0: the last one */
    uint32_t kind;
    html_span span;
} html_event;

/* An element with an address: an anchor or an area. */
typedef struct html_link {
    html_span href, alternative;
    bool is_followed;
} html_link;

typedef struct html_meta {
    html_span name, content, http_equiv; /* name: or else the property */
} html_meta;

/* An element with attributes that may hold addresses, or the text of a style element. */
typedef struct html_part {
    html_span name; /* of its tag, as written */
    html_span style; /* only of a style element */
    uint32_t first, count; /* its attributes */
} html_part;

typedef struct html_part_attribute {
    unsigned name; /* enum html_attribute */
    html_span value;
} html_part_attribute;

enum html_namespace { NAMESPACE_HTML, NAMESPACE_SVG, NAMESPACE_MATH };

/* An open element. Indices are places in the stack, 0 for none: the html element at 0 is never looked for. */
typedef struct html_node {
    uint16_t tag; /* TAG_COUNT for an element that is off the stack, yet around what is open above it */
    uint8_t namespace, kind; /* kind: enum html_kind, the end event it gets */
    bool is_html_point; /* an annotation-xml that holds HTML */
    uint16_t below; /* the next open element below with this tag */
    uint16_t scope, button_scope, list_scope, table_scope; /* the nearest element at or below that bounds a scope */
    uint16_t special, item; /* the nearest special element; the same without address, div and p */
    uint16_t format; /* 1 + its place in the list of formatting elements, 0 if it is not there */
    uint32_t hash; /* of its name, if that is not known; of a form, its number */
    uint32_t before; /* the event that it begins behind */
    uint32_t resume; /* where events go on when it ends, 0: behind its end; for what was moved before a table */
    uint32_t link;
} html_node;

/* An entry of the list of active formatting elements. */
typedef struct html_format {
    uint16_t tag; /* 0: a marker */
    uint16_t open; /* its place in the stack, 0 if it is not open */
    uint8_t kind;
    bool is_hashed;
    html_span attributes; /* as written */
    uint32_t hash; /* of them, where is_hashed is set */
    uint32_t link;
} html_format;

enum html_mode {
    MODE_INITIAL,
    MODE_BEFORE_HTML,
    MODE_BEFORE_HEAD,
    MODE_IN_HEAD,
    MODE_IN_HEAD_NOSCRIPT,
    MODE_AFTER_HEAD,
    MODE_IN_BODY,
    MODE_TEXT,
    MODE_IN_TABLE,
    MODE_IN_CAPTION,
    MODE_IN_COLUMN_GROUP,
    MODE_IN_TABLE_BODY,
    MODE_IN_ROW,
    MODE_IN_CELL,
    MODE_IN_TEMPLATE,
    MODE_AFTER_BODY,
    MODE_IN_FRAMESET,
    MODE_AFTER_FRAMESET,
    MODE_AFTER_AFTER_BODY,
    MODE_AFTER_AFTER_FRAMESET
};

/* What a document knows beside its stack; that of a frameset is kept while the markup in its noframes is read. */
typedef struct html_document {
    enum html_mode mode, original_mode;
    uint16_t base; /* its html element's place in the stack */
    bool is_quirky, frameset_ok, has_head;
    uint32_t form; /* number of the open form, 0 for none */
    unsigned templates; /* how many insertion modes of templates there were before */
    uint32_t at, end; /* where the markup around goes on */
} html_document;

typedef struct html_tree {
    html_tokens tokens;
    html_document document, outer[MOST_NESTED];
    unsigned nested;

    html_node *stack; /* MOST_OPEN + 1 of them */
    unsigned open; /* how many */
    unsigned foreign; /* at least how many of them are in drawings and formulas, none where none are */
    uint16_t top_of[TAG_COUNT]; /* the innermost open element of each tag, of HTML */
    html_format *formats;
    size_t format_count, format_room;
    uint8_t templates[MOST_TEMPLATES]; /* their insertion modes */
    unsigned template_count;
    unsigned skipped; /* open elements whose contents are left out */
    bool tells_text_alone;
    bool fosters; /* what comes now goes before the table */
    uint32_t forms;
    uint64_t work, most_work; /* steps that were taken along the stack and the list of formatting elements */
    uint64_t reopened, most_reopened; /* begins and ends that no tag stands for */
    uint64_t repeated; /* bytes of the attributes that a parser copies for such begins */
    bool is_cut, failed; /* failed: memory was short */

    html_event *events; /* the first is no event; the list begins behind it */
    size_t event_count, event_room;
    uint32_t cursor; /* the event behind which the next goes */
    html_link *links;
    size_t link_count, link_room;
    html_meta *metas;
    size_t meta_count, meta_room;
    html_part *parts;
    size_t part_count, part_room;
    html_part_attribute *part_attributes;
    size_t part_attribute_count, part_attribute_room;
    bool parts_are_cut;
    html_span language, xml_language; /* of the html element */
    bool has_language, has_xml_language;
} html_tree;

/* Makes an empty tree; false when memory is short. */
bool html_tree_make(html_tree *tree);
void html_tree_clear(html_tree *tree);

/* What a tree tells of beside the texts and what parts them. */
enum html_telling { HTML_TEXT_ALONE, HTML_ELEMENTS, HTML_ELEMENTS_AND_PARTS };

/* Reads all markup; the events of the tree are then there. HTML_TEXT_ALONE: those of anchors and emphasised texts are not,
 * for they neither part words nor are text. False when memory is short. */
bool html_tree_read(html_tree *tree, fa_bytes html, enum html_telling telling);

/* Says what becomes of a token before the tree takes it: all of the markup before a token that ends it is read. */
typedef enum html_choice { HTML_TAKE, HTML_PASS, HTML_STOP } html_choice;
typedef html_choice (*html_judge)(html_tree *tree, const html_token *token, void *judging);

/* Reads markup as html_tree_read does, less the tokens that are passed over and all from one on that is stopped at. Of
 * markup inside a noframes element, which is read a second time, nobody is asked. Misnested tags are mended longer than
 * usual, so that who judges sees what any other parser would do: ask html_is_tired. */
bool html_tree_read_judged(html_tree *tree, fa_bytes html, html_judge judge, void *judging);

/* Makes room for another item of an array; false when memory is short. */
bool html_room(void **items, size_t *room, size_t count, size_t size);

/* -- the stack (html_stack.c) */

/* Misnested so often that it is mended no longer. */
static inline bool html_is_tired(const html_tree *tree) {
    return tree->work > tree->most_work || tree->reopened > tree->most_reopened;
}

static inline html_node *html_top(html_tree *tree) { return &tree->stack[tree->open - 1]; }

static inline bool html_is(const html_node *node, unsigned tag) {
    return node->tag == tag && node->namespace == NAMESPACE_HTML;
}

static inline unsigned html_flags(const html_node *node) {
    return node->namespace == NAMESPACE_HTML && node->tag < TAG_COUNT ? html_tag_infos[node->tag].flags : 0;
}

/* Adds an event at the cursor. */
void html_tell(html_tree *tree, unsigned kind, html_span span);

/* Opens an element at the appropriate place for inserting a node, and tells of its begin. */
void html_open(html_tree *tree, const html_token *token, enum html_namespace namespace);

/* The same for an element without attributes. */
void html_open_tag(html_tree *tree, unsigned tag);

/* Tells of an element that holds nothing. */
void html_tell_void(html_tree *tree, const html_token *token);

/* Tells of the attributes of a tag that may hold addresses, if that is asked for. */
void html_tell_part(html_tree *tree, const html_token *token);

/* Inserts a text as decoded by `how`. */
void html_tell_text(html_tree *tree, const html_token *token, unsigned how);

/* Closes the innermost element. The html element stays. */
void html_close(html_tree *tree);

/* Closes elements until one at a place of the stack is closed. */
void html_close_from(html_tree *tree, unsigned place);

/* Takes an element out of the stack whose contents go on; what is open above it stays inside it. */
void html_take_out(html_tree *tree, unsigned place);

/* Puts the innermost element into the list of formatting elements. */
void html_add_format(html_tree *tree, const html_token *token);
void html_add_marker(html_tree *tree);
void html_clear_formats(html_tree *tree);
void html_remove_format(html_tree *tree, size_t place);

/* Returns 1 + the place of the last formatting element of a tag behind the last marker, 0 for none. */
size_t html_last_format(const html_tree *tree, unsigned tag);

/* Opens the formatting elements again that were closed with the elements around them; the last one was. */
void html_reopen_closed_formats(html_tree *tree);

static inline void html_reopen_formats(html_tree *tree) {
    size_t count = tree->format_count;
    if (count && tree->formats[count - 1].tag && !tree->formats[count - 1].open) html_reopen_closed_formats(tree);
}

/* The adoption agency: ends a formatting element that may cross others. False: there is none, it is any end tag. */
bool html_adopt(html_tree *tree, unsigned tag);

#endif
