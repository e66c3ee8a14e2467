#include "html_tokens.h"

#include <stdlib.h>
#include <string.h>

#ifdef __AVX2__
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

#define AT_SPACE 1 /* ends names and values */
#define AT_SLASH 2
#define AT_CLOSE 4 /* > */
#define AT_EQUALS 8
#define AT_LETTER 16
#define AT_DECLARATION 32 /* ! or ?, behind "<" */

#define LETTERS(a, b, c, d) [a] = AT_LETTER, [b] = AT_LETTER, [c] = AT_LETTER, [d] = AT_LETTER

static const uint8_t byte_class[256] = {
    ['\t'] = AT_SPACE, ['\n'] = AT_SPACE, ['\f'] = AT_SPACE, ['\r'] = AT_SPACE,  [' '] = AT_SPACE,
    ['/'] = AT_SLASH,  ['>'] = AT_CLOSE,  ['='] = AT_EQUALS, ['!'] = AT_DECLARATION, ['?'] = AT_DECLARATION,
    LETTERS('A', 'B', 'C', 'D'), LETTERS('E', 'F', 'G', 'H'), LETTERS('I', 'J', 'K', 'L'), LETTERS('M', 'N', 'O', 'P'),
    LETTERS('Q', 'R', 'S', 'T'), LETTERS('U', 'V', 'W', 'X'), ['Y'] = AT_LETTER, ['Z'] = AT_LETTER,
    LETTERS('a', 'b', 'c', 'd'), LETTERS('e', 'f', 'g', 'h'), LETTERS('i', 'j', 'k', 'l'), LETTERS('m', 'n', 'o', 'p'),
    LETTERS('q', 'r', 's', 't'), LETTERS('u', 'v', 'w', 'x'), ['y'] = AT_LETTER, ['z'] = AT_LETTER,
};

#undef LETTERS

void html_tokens_start(html_tokens *tokens, fa_bytes html) {
    tokens->html = html.data;
    tokens->size = tokens->end = (uint32_t)html.size;
    tokens->at = 0;
    tokens->raw = RAW_NONE;
    tokens->is_foreign = tokens->drops_feed = false;
    tokens->reads_all = tokens->passes_anchors = tokens->counts = false;
    tokens->decoded_size = 0;
}

static inline bool is_letter(uint8_t byte) { return byte_class[byte] & AT_LETTER; }

static bool is_alphanumeric(uint8_t byte) { return is_letter(byte) || (byte >= '0' && byte <= '9'); }

/* Tells whether `name` (in lower case) stands at a place, in any case. */
static bool stands_at(const uint8_t *at, const uint8_t *end, const char *name) {
    for (; *name; name++, at++) {
        if (at == end || html_lower(*at) != (uint8_t)*name) return false;
    }
    return true;
}

/* -- many bytes at once, where the processor can: a jump for each of them is hard to foresee */

#ifdef __SSE2__
enum { WIDE = 32 };

#ifdef __AVX2__
typedef __m256i wide;

static inline wide wide_at(const uint8_t *at) { return _mm256_loadu_si256((const __m256i *)(const void *)at); }

/* Returns a bit for each byte that is equal. */
static inline uint32_t are(wide bytes, char byte) {
    return (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(byte)));
}

/* Returns a bit for each byte that is a blank or a control character. */
static inline uint32_t are_blank(wide bytes) {
    return (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_min_epu8(bytes, _mm256_set1_epi8(' ')), bytes));
}
#else
typedef struct wide {
    __m128i low, high;
} wide;

static inline wide wide_at(const uint8_t *at) {
    const __m128i *both = (const __m128i *)(const void *)at;
    return (wide){_mm_loadu_si128(both), _mm_loadu_si128(both + 1)};
}

static inline uint32_t joined(__m128i low, __m128i high) {
    return (uint32_t)_mm_movemask_epi8(low) | (uint32_t)_mm_movemask_epi8(high) << 16;
}

static inline uint32_t are(wide bytes, char byte) {
    __m128i all = _mm_set1_epi8(byte);
    return joined(_mm_cmpeq_epi8(bytes.low, all), _mm_cmpeq_epi8(bytes.high, all));
}

static inline uint32_t are_blank(wide bytes) {
    __m128i blanks = _mm_set1_epi8(' ');
    return joined(_mm_cmpeq_epi8(_mm_min_epu8(bytes.low, blanks), bytes.low),
                  _mm_cmpeq_epi8(_mm_min_epu8(bytes.high, blanks), bytes.high));
}
#endif

/* Returns a bit for each byte that is "<", "&", a carriage return or zero. */
static inline uint32_t signs_in(const uint8_t *at) {
    wide bytes = wide_at(at);
    return are(bytes, '<') | are(bytes, '&') | are(bytes, '\r') | are(bytes, 0);
}

/* Returns a bit for each byte that byte_class knows, and for other control characters. */
static inline uint32_t stops_in(const uint8_t *at) {
    wide bytes = wide_at(at);
    return are_blank(bytes) | are(bytes, '/') | are(bytes, '>') | are(bytes, '=');
}
#endif

/* Returns the first byte of some classes, the end if there is none. */
static inline const uint8_t *next_of(unsigned classes, const uint8_t *at, const uint8_t *end) {
#ifdef __SSE2__
    if (end - at >= WIDE) {
        uint32_t stops = stops_in(at);
        at += stops ? __builtin_ctz(stops) : WIDE;
    }
#endif
    while (at < end && !(byte_class[*at] & classes)) at++;
    return at;
}

/* Returns the first byte that is equal, NULL if there is none; most are near. */
static inline const uint8_t *near_byte(const uint8_t *at, uint8_t byte, const uint8_t *end) {
#ifdef __SSE2__
    if (end - at >= WIDE) {
        uint32_t found = are(wide_at(at), (char)byte);
        if (found) return at + __builtin_ctz(found);
        at += WIDE;
    }
#endif
    return memchr(at, byte, (size_t)(end - at));
}

/* -- texts */

static uint64_t zero_bytes(uint64_t word) {
    return (word - 0x0101010101010101u) & ~word & 0x8080808080808080u;
}

/* Returns the first "<", or "&", carriage return or zero; the end if there is none. */
static inline const uint8_t *next_sign(const uint8_t *at, const uint8_t *end) {
#ifdef __SSE2__
    for (; end - at >= WIDE; at += WIDE) {
        uint32_t signs = signs_in(at);
        if (signs) return at + __builtin_ctz(signs);
    }
#endif
    while (end - at >= 8) {
        uint64_t word;
        memcpy(&word, at, 8);
        if (zero_bytes(word) | zero_bytes(word ^ 0x3C3C3C3C3C3C3C3Cu) | zero_bytes(word ^ 0x2626262626262626u) |
            zero_bytes(word ^ 0x0D0D0D0D0D0D0D0Du)) {
            break;
        }
        at += 8;
    }
    while (at < end && *at != '<' && *at != '&' && *at != '\r' && *at) at++;
    return at;
}

/* Tells whether a "<" begins a tag, a comment or the like. */
static inline bool begins_markup(const uint8_t *at, const uint8_t *end) {
    if (end - at < 2) return false;
    uint8_t class = byte_class[at[1]];
    return class & (AT_LETTER | AT_DECLARATION) || (class & AT_SLASH && end - at > 2);
}

/* Returns where a text ends: at what begins a tag, a comment or the like. */
static const uint8_t *text_end(const uint8_t *at, const uint8_t *end, bool *has_references) {
    for (;;) {
        if (*has_references) {
            const uint8_t *found = memchr(at, '<', (size_t)(end - at));
            at = found ? found : end;
        } else {
            at = next_sign(at, end);
        }
        if (at == end) return at;
        if (*at != '<') {
            *has_references = true;
        } else if (begins_markup(at, end)) {
            return at;
        }
        at++;
    }
}

bool html_has_signs(const uint8_t *at, const uint8_t *end) {
    for (; (at = next_sign(at, end)) < end; at++) {
        if (*at != '<') return true;
    }
    return false;
}

static bool ends_tag_name(const uint8_t *at, const uint8_t *end) {
    return at < end && (byte_class[*at] & (AT_SPACE | AT_SLASH | AT_CLOSE));
}

static bool is_end_tag(const uint8_t *at, const uint8_t *end, const char *name) {
    return end - at > 2 && at[1] == '/' && stands_at(at + 2, end, name) && ends_tag_name(at + 2 + strlen(name), end);
}

/* Returns where raw text ends: at the end tag that fits, else at the end. */
static const uint8_t *raw_end(const uint8_t *at, const uint8_t *end, const char *name) {
    while (at < end) {
        at = memchr(at, '<', (size_t)(end - at));
        if (!at) return end;
        if (is_end_tag(at, end, name)) return at;
        at++;
    }
    return end;
}

/* The same for scripts, in which <!-- <script></script> --> does not end. */
static const uint8_t *script_end(const uint8_t *at, const uint8_t *end) {
    enum { PLAIN, ESCAPED, TWICE_ESCAPED } state = PLAIN;
    while (at < end) {
        if (state == PLAIN) {
            at = memchr(at, '<', (size_t)(end - at));
            if (!at) return end;
            if (is_end_tag(at, end, "script")) return at;
            if (stands_at(at, end, "<!--")) {
                state = ESCAPED;
                at++; /* the dashes may belong to "-->", too */
            }
        } else if (*at == '-' && stands_at(at, end, "-->")) {
            state = PLAIN;
            at += 2;
        } else if (*at == '<' && state == ESCAPED) {
            if (is_end_tag(at, end, "script")) return at;
            if (stands_at(at + 1, end, "script") && ends_tag_name(at + 7, end)) state = TWICE_ESCAPED;
        } else if (*at == '<' && is_end_tag(at, end, "script")) {
            state = ESCAPED;
        }
        at++;
    }
    return end;
}

/* -- tags */

const char *const html_attribute_names[ATTRIBUTE_COUNT] = {
    [ATTRIBUTE_ALT] = "alt",
    [ATTRIBUTE_BACKGROUND] = "background",
    [ATTRIBUTE_CLIP_PATH] = "clip-path",
    [ATTRIBUTE_COLOR] = "color",
    [ATTRIBUTE_CONTENT] = "content",
    [ATTRIBUTE_CURSOR] = "cursor",
    [ATTRIBUTE_DATA] = "data",
    [ATTRIBUTE_DATA_HI_RES_SRC] = "data-hi-res-src",
    [ATTRIBUTE_DATA_LAZY] = "data-lazy",
    [ATTRIBUTE_DATA_LAZY_SRC] = "data-lazy-src",
    [ATTRIBUTE_DATA_ORIGINAL] = "data-original",
    [ATTRIBUTE_DATA_SRC] = "data-src",
    [ATTRIBUTE_DATA_SRCSET] = "data-srcset",
    [ATTRIBUTE_ENCODING] = "encoding",
    [ATTRIBUTE_FACE] = "face",
    [ATTRIBUTE_FILL] = "fill",
    [ATTRIBUTE_FILTER] = "filter",
    [ATTRIBUTE_HREF] = "href",
    [ATTRIBUTE_HTTP_EQUIV] = "http-equiv",
    [ATTRIBUTE_IMAGESRCSET] = "imagesrcset",
    [ATTRIBUTE_LANG] = "lang",
    [ATTRIBUTE_MARKER] = "marker",
    [ATTRIBUTE_MARKER_END] = "marker-end",
    [ATTRIBUTE_MARKER_MID] = "marker-mid",
    [ATTRIBUTE_MARKER_START] = "marker-start",
    [ATTRIBUTE_MASK] = "mask",
    [ATTRIBUTE_NAME] = "name",
    [ATTRIBUTE_POSTER] = "poster",
    [ATTRIBUTE_PROPERTY] = "property",
    [ATTRIBUTE_REL] = "rel",
    [ATTRIBUTE_SIZE] = "size",
    [ATTRIBUTE_SRC] = "src",
    [ATTRIBUTE_SRCDOC] = "srcdoc",
    [ATTRIBUTE_SRCSET] = "srcset",
    [ATTRIBUTE_STROKE] = "stroke",
    [ATTRIBUTE_STYLE] = "style",
    [ATTRIBUTE_TITLE] = "title",
    [ATTRIBUTE_TYPE] = "type",
    [ATTRIBUTE_VALUE] = "value",
    [ATTRIBUTE_XLINK_HREF] = "xlink:href",
    [ATTRIBUTE_XML_LANG] = "xml:lang",
};

/* Returns the number of an attribute, ATTRIBUTE_COUNT for one that is not looked at. */
static unsigned attribute_named(const uint8_t *name, size_t size) {
    /* the names by their sizes, and where those of each size begin */
    static const uint8_t by_size[ATTRIBUTE_COUNT] = {
        ATTRIBUTE_ALT,
        ATTRIBUTE_REL,
        ATTRIBUTE_SRC,
        ATTRIBUTE_DATA,
        ATTRIBUTE_FACE,
        ATTRIBUTE_FILL,
        ATTRIBUTE_HREF,
        ATTRIBUTE_LANG,
        ATTRIBUTE_MASK,
        ATTRIBUTE_NAME,
        ATTRIBUTE_SIZE,
        ATTRIBUTE_TYPE,
        ATTRIBUTE_COLOR,
        ATTRIBUTE_STYLE,
        ATTRIBUTE_TITLE,
        ATTRIBUTE_VALUE,
        ATTRIBUTE_CURSOR,
        ATTRIBUTE_FILTER,
        ATTRIBUTE_MARKER,
        ATTRIBUTE_POSTER,
        ATTRIBUTE_SRCDOC,
        ATTRIBUTE_SRCSET,
        ATTRIBUTE_STROKE,
        ATTRIBUTE_CONTENT,
        ATTRIBUTE_DATA_SRC,
        ATTRIBUTE_ENCODING,
        ATTRIBUTE_PROPERTY,
        ATTRIBUTE_XML_LANG,
        ATTRIBUTE_CLIP_PATH,
        ATTRIBUTE_DATA_LAZY,
        ATTRIBUTE_BACKGROUND,
        ATTRIBUTE_HTTP_EQUIV,
        ATTRIBUTE_MARKER_END,
        ATTRIBUTE_MARKER_MID,
        ATTRIBUTE_XLINK_HREF,
        ATTRIBUTE_DATA_SRCSET,
        ATTRIBUTE_IMAGESRCSET,
        ATTRIBUTE_MARKER_START,
        ATTRIBUTE_DATA_LAZY_SRC,
        ATTRIBUTE_DATA_ORIGINAL,
        ATTRIBUTE_DATA_HI_RES_SRC,
    };
    static const uint8_t first_of_size[] = {0, 0, 0, 0, 3, 12, 16, 23, 24, 28, 30, 35, 37, 38, 40, 40, 41};
    if (size + 1 >= sizeof first_of_size) return ATTRIBUTE_COUNT;
    for (unsigned i = first_of_size[size]; i < first_of_size[size + 1]; i++) {
        if (stands_at(name, name + size, html_attribute_names[by_size[i]])) return by_size[i];
    }
    return ATTRIBUTE_COUNT;
}

static void take_attribute(html_tokens *tokens, html_token *token, const uint8_t *name, size_t size,
                           const uint8_t *value, size_t value_size) {
    unsigned number = attribute_named(name, size);
    if (number == ATTRIBUTE_COUNT || html_has(token, number)) return;
    token->present |= UINT64_C(1) << number;
    token->values[number] = (html_span){(uint32_t)(value - tokens->html), (uint32_t)value_size};
}

/* Tells whether the attributes of a tag are looked at. */
static bool is_tag_read(const html_tokens *tokens, const html_token *token) {
    if (token->type != HTML_START) return false;
    if (tokens->reads_all) return true;
    return html_tag_infos[token->tag].flags & TAG_IS_READ && !(tokens->passes_anchors && token->tag == TAG_A);
}

/* Passes over attributes that nobody looks at, as long as they are written like most: a blank, a short name, "=" and a
 * quoted value. Returns what is behind them, NULL when the markup ends in a value. */
static const uint8_t *pass_attributes(html_token *token, const uint8_t *at, const uint8_t *end) {
#ifdef __SSE2__
    while (end - at >= WIDE && byte_class[*at] & AT_SPACE) {
        wide bytes = wide_at(at);
        uint32_t quotes = are(bytes, '"') | are(bytes, '\''), stops = stops_in(at);
        if (!quotes) return at;
        unsigned quote = (unsigned)__builtin_ctz(quotes);
        bool is_plain = quote > 2 && at[quote - 1] == '=' && (stops & ((1u << quote) - 1)) == (1u | 1u << (quote - 1));
        if (!is_plain) return at;
        token->attributes++;
        at = near_byte(at + quote + 1, at[quote], end);
        if (!at) return NULL;
        at++;
    }
#endif
    return at;
}

#ifdef __SSE2__
/* For each bit, whether an odd number of bits are set up to it. */
static inline uint64_t odd_up_to(uint64_t bits) {
    for (unsigned shift = 1; shift < 64; shift *= 2) bits ^= bits << shift;
    return bits;
}

static inline uint64_t both_are(wide first, wide second, char byte) {
    return are(first, byte) | (uint64_t)are(second, byte) << WIDE;
}
#endif

/* Reads the rest of a tag behind its name. Returns what is behind its ">", NULL when the markup ends before. */
static __attribute__((noinline)) const uint8_t *tag_end(html_tokens *tokens, html_token *token, const uint8_t *at, const uint8_t *end) {
    bool is_read = is_tag_read(tokens, token);
    if (!is_read) at = pass_attributes(token, at, end);
    while (at && at < end) {
        uint8_t class = byte_class[*at];
        if (class & AT_CLOSE) return at + 1;
        if (class & AT_SPACE) {
            at++;
            continue;
        }
        if (class & AT_SLASH) {
            at++;
            if (at < end && *at == '>') token->self_closing = true;
            continue;
        }
        token->attributes++;
        const uint8_t *name = at;
        at = next_of(AT_SPACE | AT_SLASH | AT_CLOSE | AT_EQUALS, at + 1, end);
        const uint8_t *name_end = at;
        while (at < end && byte_class[*at] & AT_SPACE) at++;
        const uint8_t *value = name_end, *value_end = name_end;
        if (at < end && *at == '=') {
            at++;
            while (at < end && byte_class[*at] & AT_SPACE) at++;
            if (at == end) return NULL;
            value = value_end = at;
            if (*at == '"' || *at == '\'') {
                value++;
                value_end = near_byte(value, *at, end);
                if (!value_end) return NULL;
                at = value_end + 1;
            } else {
                value_end = at = next_of(AT_SPACE | AT_CLOSE, at, end);
            }
        }
        if (is_read) {
            take_attribute(tokens, token, name, (size_t)(name_end - name), value, (size_t)(value_end - value));
        }
    }
    return NULL;
}

/* Returns the first eight bytes of a name in lower case, zeros behind a shorter one. A byte that is no letter stays what it is,
 * or becomes another that stands in no name of a tag that is known. */
static inline uint64_t first_of_name(const uint8_t *name, size_t size, const uint8_t *end) {
    uint64_t first = 0;
    if (end - name >= 8) {
        memcpy(&first, name, 8);
        if (size < 8) first &= ~(~UINT64_C(0) << 8 * size);
    } else {
        memcpy(&first, name, size);
    }
    return first | (first & 0x4040404040404040u) >> 1;
}

static uint32_t hash_of_name(const uint8_t *name, size_t size) {
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < size; i++) hash = (hash ^ html_lower(name[i])) * 16777619u;
    return hash;
}

/* A tag as far as it can be seen at once. name_end: NULL when it cannot be; next: what is behind the tag, NULL when that
 * cannot be told. */
typedef struct seen_tag {
    const uint8_t *name_end, *next;
    bool self_closing;
} seen_tag;

/* Looks at a tag whose name begins at `at`. Behind most names there is a ">". Else the tag is seen if it is short and each value
 * is quoted by '"' directly behind a "=" behind a name: then no quote is part of a name, so that all are told apart by their
 * number, and the first ">" that is not between two of them is its end. */
static inline seen_tag see_tag(const uint8_t *at, const uint8_t *end) {
    seen_tag seen = {NULL, NULL, false};
#ifdef __SSE2__
    if (end - at < 2 * WIDE) return seen;
    wide first = wide_at(at);
    uint32_t first_closes = are(first, '>'), first_slashes = are(first, '/'), first_blanks = are_blank(first);
    uint32_t stops = first_closes | first_slashes | first_blanks;
    if (!stops) return seen;
    unsigned size = (unsigned)__builtin_ctz(stops);
    if (!(byte_class[at[size]] & (AT_SPACE | AT_SLASH | AT_CLOSE))) return seen; /* another control character */
    seen.name_end = at + size;
    if (first_closes >> size & 1) {
        seen.next = seen.name_end + 1;
        return seen;
    }
    wide second = wide_at(at + WIDE);
    uint64_t closes = first_closes | (uint64_t)are(second, '>') << WIDE;
    if (!closes) return seen;
    uint64_t last = closes & -closes, inside = (last - 1) & ~UINT64_C(0) << size;
    uint64_t quotes = both_are(first, second, '"') & inside, equals = both_are(first, second, '=') & inside;
    uint64_t slashes = first_slashes | (uint64_t)are(second, '/') << WIDE;
    uint64_t blanks = first_blanks | (uint64_t)are_blank(second) << WIDE;
    uint64_t quoted = odd_up_to(quotes), assigned = equals & ~quoted;
    if (quoted & last || assigned << 1 != (quotes & quoted)) return seen;
    if (assigned & (blanks | slashes | quotes | equals) << 1) return seen;
    if (both_are(first, second, '\'') & inside & ~quoted) return seen;
    seen.self_closing = slashes & inside & ~quoted & last >> 1;
    seen.next = at + __builtin_ctzll(closes) + 1;
#else
    (void)at, (void)end;
#endif
    return seen;
}

/* Reads a tag behind its "<" or "</". Returns what is behind it, NULL when the markup ends before. */
static inline const uint8_t *read_tag(html_tokens *tokens, html_token *token, const uint8_t *name, const uint8_t *end) {
    seen_tag seen = see_tag(name, end);
    const uint8_t *at = seen.name_end ? seen.name_end : next_of(AT_SPACE | AT_SLASH | AT_CLOSE, name, end);
    size_t size = (size_t)(at - name);
    token->tag = html_tag_named(first_of_name(name, size, end), name, size);
    token->hash = token->tag == TAG_OTHER ? hash_of_name(name, size) : 0;
    token->name = (html_span){(uint32_t)(name - tokens->html), (uint32_t)size};
    token->self_closing = seen.self_closing;
    token->attributes = 0;
    token->present = 0;
    const uint8_t *next = seen.next;
    bool has_attributes = !next || next > at + 1;
    if (has_attributes && (!next || tokens->counts || is_tag_read(tokens, token))) {
        token->self_closing = false;
        next = tag_end(tokens, token, at, end);
    }
    if (next) {
        uint32_t begin = (uint32_t)(at - tokens->html);
        token->span = (html_span){begin, (uint32_t)(next - 1 - tokens->html) - begin};
    }
    return next;
}

/* -- comments and the document type */

/* Returns what is behind a comment; at: behind its "<!--". */
static const uint8_t *comment_end(const uint8_t *at, const uint8_t *end) {
    const uint8_t *begin = at;
    while (at < end && (at = memchr(at, '>', (size_t)(end - at)))) {
        ptrdiff_t inside = at - begin;
        if (inside == 0 || (inside == 1 && at[-1] == '-') || (inside >= 2 && at[-1] == '-' && at[-2] == '-') ||
            (inside >= 3 && at[-1] == '!' && at[-2] == '-' && at[-3] == '-')) {
            return at + 1;
        }
        at++;
    }
    return end;
}

static const uint8_t *behind(const uint8_t *at, const uint8_t *end, uint8_t byte) {
    const uint8_t *found = at < end ? memchr(at, byte, (size_t)(end - at)) : NULL;
    return found ? found + 1 : end;
}

static const uint8_t *without_spaces(const uint8_t *at, const uint8_t *end) {
    while (at < end && html_is_space(*at)) at++;
    return at;
}

/* Returns the quoted text at a place, data NULL for none, and moves behind it. */
static fa_bytes quoted(const uint8_t **place, const uint8_t *end) {
    const uint8_t *at = without_spaces(*place, end);
    if (at == end || (*at != '"' && *at != '\'')) return (fa_bytes){NULL, 0};
    const uint8_t *close = memchr(at + 1, *at, (size_t)(end - at - 1));
    *place = close ? close + 1 : end;
    return (fa_bytes){at + 1, (size_t)((close ? close : end) - at - 1)};
}

static bool begins_with(fa_bytes text, const char *start) {
    return text.data && stands_at(text.data, text.data + text.size, start);
}

static bool is_exactly(fa_bytes text, const char *known) {
    return begins_with(text, known) && text.size == strlen(known);
}

/* Tells whether a document type asks for the ways of old browsers (section "The initial insertion mode").
 * at: behind "<!doctype"; end: its ">". */
static bool is_quirky(const uint8_t *at, const uint8_t *end, bool is_cut) {
    static const char *const old[] = {
        "+//silmaril//dtd html pro v0r11 19970101//", "-//as//dtd html 3.0 aswedit + extensions//",
        "-//advasoft ltd//dtd html 3.0 aswedit + extensions//", "-//ietf//dtd html 2.0 level 1//",
        "-//ietf//dtd html 2.0 level 2//", "-//ietf//dtd html 2.0 strict level 1//",
        "-//ietf//dtd html 2.0 strict level 2//", "-//ietf//dtd html 2.0 strict//", "-//ietf//dtd html 2.0//",
        "-//ietf//dtd html 2.1e//", "-//ietf//dtd html 3.0//", "-//ietf//dtd html 3.2 final//",
        "-//ietf//dtd html 3.2//", "-//ietf//dtd html 3//", "-//ietf//dtd html level 0//",
        "-//ietf//dtd html level 1//", "-//ietf//dtd html level 2//", "-//ietf//dtd html level 3//",
        "-//ietf//dtd html strict level 0//", "-//ietf//dtd html strict level 1//",
        "-//ietf//dtd html strict level 2//", "-//ietf//dtd html strict level 3//", "-//ietf//dtd html strict//",
        "-//ietf//dtd html//", "-//metrius//dtd metrius presentational//",
        "-//microsoft//dtd internet explorer 2.0 html strict//", "-//microsoft//dtd internet explorer 2.0 html//",
        "-//microsoft//dtd internet explorer 2.0 tables//", "-//microsoft//dtd internet explorer 3.0 html strict//",
        "-//microsoft//dtd internet explorer 3.0 html//", "-//microsoft//dtd internet explorer 3.0 tables//",
        "-//netscape comm. corp.//dtd html//", "-//netscape comm. corp.//dtd strict html//",
        "-//o'reilly and associates//dtd html 2.0//", "-//o'reilly and associates//dtd html extended 1.0//",
        "-//o'reilly and associates//dtd html extended relaxed 1.0//",
        "-//sq//dtd html 2.0 hotmetal + extensions//",
        "-//softquad software//dtd hotmetal pro 6.0::19990601::extensions to html 4.0//",
        "-//softquad//dtd hotmetal pro 4.0::19971010::extensions to html 4.0//", "-//spyglass//dtd html 2.0 extended//",
        "-//sun microsystems corp.//dtd hotjava html//", "-//sun microsystems corp.//dtd hotjava strict html//",
        "-//w3c//dtd html 3 1995-03-24//", "-//w3c//dtd html 3.2 draft//", "-//w3c//dtd html 3.2 final//",
        "-//w3c//dtd html 3.2//", "-//w3c//dtd html 3.2s draft//", "-//w3c//dtd html 4.0 frameset//",
        "-//w3c//dtd html 4.0 transitional//", "-//w3c//dtd html experimental 19960712//",
        "-//w3c//dtd html experimental 970421//", "-//w3c//dtd w3 html//", "-//w3o//dtd w3 html 3.0//",
        "-//webtechs//dtd mozilla html 2.0//", "-//webtechs//dtd mozilla html//",
    };
    at = without_spaces(at, end);
    if (!stands_at(at, end, "html")) return true;
    at += 4;
    if (at < end && !html_is_space(*at)) return true;
    at = without_spaces(at, end);
    fa_bytes public_id = {NULL, 0}, system_id = {NULL, 0};
    if (stands_at(at, end, "public")) {
        at += 6;
        public_id = quoted(&at, end);
        if (!public_id.data) return true;
        system_id = quoted(&at, end);
        if (!system_id.data && without_spaces(at, end) < end) return true;
    } else if (stands_at(at, end, "system")) {
        at += 6;
        system_id = quoted(&at, end);
        if (!system_id.data) return true;
    } else if (at < end) {
        return true;
    }
    if (is_cut) return true;
    if (is_exactly(public_id, "-//w3o//dtd w3 html strict 3.0//en//") ||
        is_exactly(public_id, "-/w3c/dtd html 4.0 transitional/en") || is_exactly(public_id, "html") ||
        is_exactly(system_id, "http://www.ibm.com/data/dtd/v11/ibmxhtml1-transitional.dtd")) {
        return true;
    }
    for (size_t i = 0; i < sizeof old / sizeof *old; i++) {
        if (begins_with(public_id, old[i])) return true;
    }
    return !system_id.data && (begins_with(public_id, "-//w3c//dtd html 4.01 frameset//") ||
                               begins_with(public_id, "-//w3c//dtd html 4.01 transitional//"));
}

/* Reads what begins with "<!"; returns what is behind it, and whether it is a token. */
static const uint8_t *read_declaration(html_tokens *tokens, html_token *token, const uint8_t *at, const uint8_t *end,
                                       bool *is_token) {
    *is_token = false;
    if (stands_at(at, end, "<!--")) return comment_end(at + 4, end);
    if (stands_at(at, end, "<!doctype")) {
        const uint8_t *close = memchr(at, '>', (size_t)(end - at));
        token->type = HTML_DOCTYPE;
        token->is_quirky = is_quirky(at + 9, close ? close : end, !close);
        *is_token = true;
        return close ? close + 1 : end;
    }
    if (tokens->is_foreign && end - at >= 9 && memcmp(at, "<![CDATA[", 9) == 0) {
        const uint8_t *begin = at + 9;
        for (at = begin; at < end; at++) {
            at = memchr(at, ']', (size_t)(end - at));
            if (!at) at = end;
            if (end - at >= 3 && at[1] == ']' && at[2] == '>') break;
            if (at == end) break;
        }
        token->type = HTML_TEXT;
        token->is_plain = token->has_references = true;
        token->span = (html_span){(uint32_t)(begin - tokens->html), (uint32_t)(at - begin)};
        *is_token = at > begin;
        return at < end ? at + 3 : end;
    }
    return behind(at + 2, end, '>');
}

/* Tells whether "<?" begins a processing instruction like <?php ... >; other such things are comments.
 * at: behind the "<?"; end: its ">". */
static bool is_instruction(const uint8_t *at, const uint8_t *end) {
    const uint8_t *begin = at;
    while (at < end && (is_alphanumeric(*at) || *at == '_' || *at == '-')) at++;
    if (at == begin || !(is_letter(*begin) || *begin == '_')) return false;
    if (at < end && !html_is_space(*at) && *at != '?') return false;
    size_t size = (size_t)(at - begin);
    return !(size == 3 && stands_at(begin, at, "xml")) && !(size == 14 && stands_at(begin, at, "xml-stylesheet"));
}

/* -- all tokens */

static void take_text(html_tokens *tokens, html_token *token, const uint8_t *begin, const uint8_t *end) {
    token->type = HTML_TEXT;
    token->span = (html_span){(uint32_t)(begin - tokens->html), (uint32_t)(end - begin)};
    tokens->at = (uint32_t)(end - tokens->html);
}

/* Reads raw text; false when there is none. */
static __attribute__((noinline)) bool read_raw(html_tokens *tokens, html_token *token, const uint8_t *at, const uint8_t *end) {
    enum html_raw raw = tokens->raw;
    tokens->raw = RAW_NONE;
    const uint8_t *stop = raw == RAW_PLAINTEXT ? end
                          : raw == RAW_SCRIPT  ? script_end(at, end)
                                               : raw_end(at, end, tokens->raw_name);
    if (stop == at) return false;
    token->is_plain = raw != RAW_RCDATA;
    token->has_references = html_has_signs(at, stop);
    take_text(tokens, token, at, stop);
    return true;
}

/* Reads what begins with "<" and is no tag. Returns what is behind it, and whether it is a token. */
static __attribute__((noinline)) const uint8_t *read_other(html_tokens *tokens, html_token *token, const uint8_t *at,
                                                           const uint8_t *end, bool *is_token) {
    if (at[1] == '!') return read_declaration(tokens, token, at, end, is_token);
    *is_token = false;
    if (at[1] == '/') return at[2] == '>' ? at + 3 : behind(at + 2, end, '>');
    const uint8_t *next = behind(at + 2, end, '>');
    *is_token = next[-1] == '>' && is_instruction(at + 2, next - 1);
    token->type = HTML_INSTRUCTION;
    return next;
}

static const uint8_t *without_feed(const uint8_t *at, const uint8_t *end) {
    if (at < end && *at == '\r') at++;
    return at < end && *at == '\n' ? at + 1 : at;
}

static inline bool is_text(const uint8_t *at, const uint8_t *end) { return *at != '<' || !begins_markup(at, end); }

/* Reads a text that has been seen as far as `seen`. */
static __attribute__((noinline)) void read_rest_of_text(html_tokens *tokens, html_token *token, const uint8_t *at,
                                                        const uint8_t *seen, const uint8_t *end) {
    take_text(tokens, token, at, text_end(seen, end, &token->has_references));
}

/* Most texts have no references, and end at the first "<". */
static __attribute__((noinline)) void read_text(html_tokens *tokens, html_token *token, const uint8_t *at,
                                                const uint8_t *end) {
    const uint8_t *sign = next_sign(at, end);
    if (sign < end && *sign == '<' && begins_markup(sign, end)) {
        take_text(tokens, token, at, sign);
    } else {
        read_rest_of_text(tokens, token, at, sign, end);
    }
}

/* Reads what begins with "<", the first of it that is a token, or a text behind it. */
static __attribute__((noinline)) void read_markup(html_tokens *tokens, html_token *token, const uint8_t *at,
                                                  const uint8_t *end) {
    while (at < end) {
        const uint8_t *name = at[1] == '/' ? at + 2 : at + 1;
        bool is_token = true;
        if (is_letter(*name)) {
            token->type = name > at + 1 ? HTML_END : HTML_START;
            at = read_tag(tokens, token, name, end);
            if (!at) break; /* a tag that does not end is none */
        } else {
            at = read_other(tokens, token, at, end, &is_token);
        }
        if (is_token) {
            tokens->at = (uint32_t)(at - tokens->html);
            return;
        }
        if (at < end && is_text(at, end)) {
            read_text(tokens, token, at, end);
            return;
        }
    }
    tokens->at = tokens->end;
    token->type = HTML_EOF;
}

/* A text is done with fewer steps and registers than a tag: apart, each pays only for its own. */
static inline void read_here(html_tokens *tokens, html_token *token, const uint8_t *at, const uint8_t *end) {
    if (at < end && is_text(at, end)) {
        read_text(tokens, token, at, end);
    } else {
        read_markup(tokens, token, at, end);
    }
}

/* Reads what follows a tag behind which raw text comes, or one behind which a line feed does not count. */
static __attribute__((noinline)) void read_behind(html_tokens *tokens, html_token *token, const uint8_t *at,
                                                  const uint8_t *end) {
    if (tokens->drops_feed) at = without_feed(at, end);
    tokens->drops_feed = false;
    if (tokens->raw != RAW_NONE && read_raw(tokens, token, at, end)) return;
    read_here(tokens, token, at, end);
}

void html_next(html_tokens *tokens, html_token *token) {
    const uint8_t *at = tokens->html + tokens->at, *end = tokens->html + tokens->end;
    token->is_plain = token->has_references = false;
    if (tokens->drops_feed || tokens->raw != RAW_NONE) {
        read_behind(tokens, token, at, end);
    } else {
        read_here(tokens, token, at, end);
    }
}

/* -- decoding */

uint8_t *html_decoded_room(html_tokens *tokens, size_t more) {
    size_t needed = tokens->decoded_size + more;
    if (needed > tokens->decoded_room || !tokens->decoded) {
        size_t room = tokens->decoded_room < 4096 ? 4096 : tokens->decoded_room;
        while (room < needed) room += room / 2;
        uint8_t *grown = realloc(tokens->decoded, room);
        if (!grown) return NULL;
        tokens->decoded = grown;
        tokens->decoded_room = room;
    }
    return tokens->decoded + tokens->decoded_size;
}

static size_t put_character(uint8_t *to, uint32_t code) {
    if (code < 0x80) {
        to[0] = (uint8_t)code;
        return 1;
    }
    if (code < 0x800) {
        to[0] = (uint8_t)(0xC0 | code >> 6);
        to[1] = (uint8_t)(0x80 | (code & 0x3F));
        return 2;
    }
    if (code < 0x10000) {
        to[0] = (uint8_t)(0xE0 | code >> 12);
        to[1] = (uint8_t)(0x80 | (code >> 6 & 0x3F));
        to[2] = (uint8_t)(0x80 | (code & 0x3F));
        return 3;
    }
    to[0] = (uint8_t)(0xF0 | code >> 18);
    to[1] = (uint8_t)(0x80 | (code >> 12 & 0x3F));
    to[2] = (uint8_t)(0x80 | (code >> 6 & 0x3F));
    to[3] = (uint8_t)(0x80 | (code & 0x3F));
    return 4;
}

/* What browsers take numbers from 128 to 159 for: characters of windows-1252; 0: as it is. */
static const uint16_t windows_1252[32] = {
    0x20AC, 0, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0, 0x017D, 0,
    0, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0, 0x017E,
    0x0178,
};

/* Reads the number behind "&#". Returns what is behind it, NULL when there is none. */
static const uint8_t *read_number(const uint8_t *at, const uint8_t *end, uint32_t *code) {
    bool is_hex = at < end && html_lower(*at) == 'x';
    const uint8_t *begin = is_hex ? ++at : at;
    uint32_t value = 0;
    for (; at < end; at++) {
        uint8_t byte = html_lower(*at);
        uint32_t digit;
        if (byte >= '0' && byte <= '9') {
            digit = byte - '0';
        } else if (is_hex && byte >= 'a' && byte <= 'f') {
            digit = byte - 'a' + 10u;
        } else {
            break;
        }
        value = value > 0x10FFFF ? value : value * (is_hex ? 16 : 10) + digit;
    }
    if (at == begin) return NULL;
    if (at < end && *at == ';') at++;
    if (value >= 0x80 && value < 0xA0 && windows_1252[value - 0x80]) value = windows_1252[value - 0x80];
    if (!value || value > 0x10FFFF || (value >= 0xD800 && value < 0xE000)) value = 0xFFFD;
    *code = value;
    return at;
}

/* Reads a reference; at: its "&". Writes at most 8 bytes to `to` and counts them; returns what is behind the reference,
 * NULL when it is none. */
static const uint8_t *read_reference(const uint8_t *at, const uint8_t *end, bool in_attribute, uint8_t *to,
                                     size_t *count) {
    enum { LONGEST_NAME = 32, LONGEST_WITHOUT_SEMICOLON = 6 };
    at++;
    if (at < end && *at == '#') {
        uint32_t code;
        const uint8_t *next = read_number(at + 1, end, &code);
        if (next) *count = put_character(to, code);
        return next;
    }
    size_t run = 0;
    while (at + run < end && run <= LONGEST_NAME && is_alphanumeric(at[run])) run++;
    fa_bytes text = {NULL, 0};
    size_t size = run + 1;
    if (run && at + run < end && at[run] == ';') text = html_reference_named(at, size);
    if (!text.data) {
        for (size = run < LONGEST_WITHOUT_SEMICOLON ? run : LONGEST_WITHOUT_SEMICOLON; size > 1; size--) {
            text = html_reference_named(at, size);
            if (text.data) break;
        }
        if (!text.data) return NULL;
        if (in_attribute && at + size < end && (at[size] == '=' || is_alphanumeric(at[size]))) return NULL;
    }
    memcpy(to, text.data, text.size);
    *count = text.size;
    return at + size;
}

bool html_decode(html_tokens *tokens, html_span *span, unsigned how) {
    const uint8_t *at = html_bytes(tokens, *span), *end = at + span->size;
    size_t begin = tokens->decoded_size;
    while (at < end) {
        const uint8_t *stop = at;
        while ((stop = next_sign(stop, end)) < end && (*stop == '<' || (*stop == '&' && !(how & DECODE_REFERENCES)))) {
            stop++;
        }
        size_t plain = (size_t)(stop - at), count = 0;
        uint8_t *to = html_decoded_room(tokens, plain + 8);
        if (!to) return false;
        memcpy(to, at, plain);
        to += plain;
        at = stop;
        if (at < end && *at == '&') {
            const uint8_t *next = read_reference(at, end, how & DECODE_ATTRIBUTE, to, &count);
            if (!next) to[count++] = '&';
            at = next ? next : at + 1;
        } else if (at < end && *at == '\r') {
            at++;
            if (at == end || *at != '\n') to[count++] = '\n';
        } else if (at < end) {
            at++;
            if (!(how & DECODE_DROP_ZEROS)) count = put_character(to, 0xFFFD);
        }
        tokens->decoded_size += plain + count;
    }
    *span = (html_span){(uint32_t)(tokens->size + begin), (uint32_t)(tokens->decoded_size - begin)};
    return true;
}
