/* HTML as tokens: texts, tags, processing instructions, the document type; section "Tokenization" of the standard.
 *
 * Comments and what only looks like markup are passed over. The tree (html_tree.c) asks for one token after the other
 * and says before each whether raw text follows. Time is linear in the markup; nothing is copied but texts that hold
 * character references or carriage returns.
 */
#ifndef FINDINGAID_HTML_TOKENS_H
#define FINDINGAID_HTML_TOKENS_H

#include <stdbool.h>

#include "html_tables.h"

/* A stretch of the markup; from its end on, of the buffer of decoded text that continues it. */
typedef struct html_span {
    uint32_t begin, size;
} html_span;

enum html_token_type { HTML_EOF, HTML_TEXT, HTML_START, HTML_END, HTML_DOCTYPE, HTML_INSTRUCTION };

/* Attributes that are looked at, in the order of their names; only the first of each name in a tag counts. */
enum html_attribute {
    ATTRIBUTE_ALT,
    ATTRIBUTE_BACKGROUND,
    ATTRIBUTE_CLIP_PATH,
    ATTRIBUTE_COLOR,
    ATTRIBUTE_CONTENT,
    ATTRIBUTE_CURSOR,
    ATTRIBUTE_DATA,
    ATTRIBUTE_DATA_HI_RES_SRC,
    ATTRIBUTE_DATA_LAZY,
    ATTRIBUTE_DATA_LAZY_SRC,
    ATTRIBUTE_DATA_ORIGINAL,
    ATTRIBUTE_DATA_SRC,
    ATTRIBUTE_DATA_SRCSET,
    ATTRIBUTE_ENCODING,
    ATTRIBUTE_FACE,
    ATTRIBUTE_FILL,
    ATTRIBUTE_FILTER,
    ATTRIBUTE_HREF,
    ATTRIBUTE_HTTP_EQUIV,
    ATTRIBUTE_IMAGESRCSET,
    ATTRIBUTE_LANG,
    ATTRIBUTE_MARKER,
    ATTRIBUTE_MARKER_END,
    ATTRIBUTE_MARKER_MID,
    ATTRIBUTE_MARKER_START,
    ATTRIBUTE_MASK,
    ATTRIBUTE_NAME,
    ATTRIBUTE_POSTER,
    ATTRIBUTE_PROPERTY,
    ATTRIBUTE_REL,
    ATTRIBUTE_SIZE,
    ATTRIBUTE_SRC,
    ATTRIBUTE_SRCDOC,
    ATTRIBUTE_SRCSET,
    ATTRIBUTE_STROKE,
    ATTRIBUTE_STYLE,
    ATTRIBUTE_TITLE,
    ATTRIBUTE_TYPE,
    ATTRIBUTE_VALUE,
    ATTRIBUTE_XLINK_HREF,
    ATTRIBUTE_XML_LANG,
    ATTRIBUTE_COUNT
};

typedef struct html_token {
    enum html_token_type type;
    unsigned tag; /* enum html_tag */
    uint32_t hash; /* of the name of a tag that is not known (TAG_OTHER), in lower case */
    bool self_closing;
    bool is_plain; /* a text without character references: raw text, CDATA */
    bool has_references; /* a text must be decoded: it holds "&", a carriage return or a zero */
    bool is_quirky; /* a document type that stands for the markup of old browsers */
    html_span span; /* a text as it stands; of a tag, its attributes */
    html_span name; /* of a tag, as written */
    uint32_t attributes; /* how many a tag has, of whatever names; only where they are counted */
    uint64_t present; /* bits of enum html_attribute; only for tags that are TAG_IS_READ, unless all are read */
    html_span values[ATTRIBUTE_COUNT]; /* as written */
} html_token;

enum html_raw { RAW_NONE, RAW_RCDATA, RAW_TEXT, RAW_SCRIPT, RAW_PLAINTEXT };

typedef struct html_tokens {
    const uint8_t *html;
    uint32_t size, at, end;
    enum html_raw raw; /* what comes next; set by the tree behind a start tag */
    const char *raw_name; /* the tag whose end tag ends raw text, in lower case */
    bool reads_all; /* attributes of all start tags */
    bool passes_anchors; /* attributes of none of them */
    bool counts; /* it is asked how many attributes tags have */
    bool is_foreign; /* we are in a drawing or formula: CDATA is told */
    bool drops_feed; /* a line feed at the very beginning of the next text does not count */
    uint8_t *decoded;
    size_t decoded_size, decoded_room;
} html_tokens;

extern const char *const html_attribute_names[ATTRIBUTE_COUNT];

static inline bool html_has(const html_token *token, unsigned attribute) { return token->present >> attribute & 1; }

void html_tokens_start(html_tokens *tokens, fa_bytes html);

/* Reads the next token; HTML_EOF again and again at the end. */
void html_next(html_tokens *tokens, html_token *token);

enum html_decoding {
    DECODE_REFERENCES = 1,
    DECODE_ATTRIBUTE = 2, /* the rules for references in attributes */
    DECODE_DROP_ZEROS = 4 /* else a zero becomes U+FFFD */
};

/* Tells whether there is anything to be decoded: "&", a carriage return or a zero. */
bool html_has_signs(const uint8_t *at, const uint8_t *end);

/* Replaces a span by its decoded text; false when memory is short. */
bool html_decode(html_tokens *tokens, html_span *span, unsigned how);

/* Returns the bytes of a span; valid until something is decoded. */
static inline const uint8_t *html_bytes(const html_tokens *tokens, html_span span) {
    return span.begin < tokens->size ? tokens->html + span.begin : tokens->decoded + (span.begin - tokens->size);
}

/* Makes room for `more` bytes of decoded text and returns where they go, NULL when memory is short. */
uint8_t *html_decoded_room(html_tokens *tokens, size_t more);

static inline bool html_is_space(uint8_t byte) {
    return byte == ' ' || (byte >= '\t' && byte <= '\r' && byte != '\v');
}

static inline uint8_t html_lower(uint8_t byte) { return byte >= 'A' && byte <= 'Z' ? byte | 0x20 : byte; }

#endif
