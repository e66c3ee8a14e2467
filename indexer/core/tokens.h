/* Text -> words: the one tokenizer, for pages, queries, snippets and marks. Made by tokens.c, normal.c and unicode.c.
 *
 * A word is a run of letters, digits and marks after NFKC and case folding; every other character parts words. Runs of
 * scripts written without spaces (Han, kana, Hangul, Thai, Lao, Khmer, Myanmar) become overlapping pairs: ABC gives AB,
 * BC, C. Each emoji or other picture sign is a word by itself. A word with "++" or "#" right behind it (C++, C#) stands
 * twice at its place: as it is, and with these signs as a compound.
 *
 * Goes in: UTF-8. A byte that is no UTF-8 counts as U+FFFD, which parts words; a lone surrogate in three bytes (as
 * Python's "surrogatepass" writes it) is a character that parts words, and is handed on as it is.
 * Comes out: the text normalized, and an array of tokens whose spellings lie in it.
 *
 * Time grows with the size of the text, whatever it is. Memory, kept in the handle for the next text, is for each byte
 * of text 2 bytes, 32 for each token, and 12 for each character whose size normalizing changes; text whose characters
 * become many (U+FDFA: 18 of them) takes as much more, and letters that depend on each other 3 MB at most: of more than
 * 65,536 in a row the rest is looked at by itself. Whoever reads strangers' pages passes `most`.
 */
#ifndef FINDINGAID_TOKENS_H
#define FINDINGAID_TOKENS_H

#include "core.h"
#include "page.h"

/* How to fold, and what is asked for (bits of `folding`). */
enum fa_folding {
    FA_DOTLESS_I = 1 /* Turkish and Azerbaijani: I is a capital dotless i */
};

/* What a token is (bits of fa_token.flags). */
enum fa_token_flag {
    FA_COMPOUND = 1, /* c++ or c#: stands behind its word, at the same rank */
    FA_PAIR = 2,     /* one or two characters of a script written without spaces */
    FA_PICTURE = 4   /* an emoji or another picture sign */
};

enum {
    FA_MAX_WORD = 64,   /* code points of a word, before the signs of a compound */
    FA_MOST_MARKS = 30, /* on one letter, as in the stream-safe format of Unicode (UAX 15); more are left out */
    FA_SECTION_GAP = 32 /* positions left free between the sections of a page */
};

typedef struct fa_token {
    uint64_t hash;        /* of the spelling, with the secret of this process: see fa_hash */
    uint32_t begin, size; /* spelling: bytes of fa_tokens.normal */
    uint32_t from, to;    /* bytes of the source text (of its section) that it was made of, dropped ones inside it too */
    uint32_t rank;        /* place in the words of the text, from 0 on; of a page: position in the page */
    uint8_t flags;        /* enum fa_token_flag */
    uint8_t element;      /* enum fa_element; 0 for a text that is no page */
    uint8_t section;      /* place of the section in the page; 0 for a text that is no page */
    uint8_t spare;
} fa_token;

/* The tokens of one text or page. Others only read this struct; all it points to is there until the next call with it. */
typedef struct fa_tokens {
    const uint8_t *normal; /* the normalized text (of all sections, one behind the other); 16 zero bytes behind it */
    size_t normal_size;
    const fa_token *tokens; /* in reading order: rising `begin` */
    size_t token_count;
    size_t code_points; /* of the normalized text */
    size_t used;        /* bytes of the source text (of the last section read) that were taken in */
    uint32_t cut;       /* 1: the text goes on behind `used`, but there was no room for more code points */
    uint32_t extent;    /* of a page: one more than the greatest position, 0 without words */
    uint32_t lengths[FA_INLINK + 1]; /* of a page: tokens of each element */
} fa_tokens;

/* A part of a page with positions of its own: those of section n begin FA_SECTION_GAP * n behind where the words before
 * end. */
typedef struct fa_section {
    fa_bytes text;
    const fa_piece *pieces; /* as in fa_page; a word belongs to the piece of its first byte. NULL: all is `element` */
    size_t piece_count;
    uint32_t element;
    uint32_t folding;
} fa_section;

/* Returns a handle without tokens, NULL when memory is short. */
FA_EXPORT fa_tokens *fa_tokens_new(void);
FA_EXPORT void fa_tokens_free(fa_tokens *tokens);

/* Normalize a text: NFKC, case folded, NFC, without ignorable characters, vowel points and tatweel; `normal`,
 * `normal_size`, `code_points`, `used` and `cut` are told, there are no tokens.
 * most: code points of the normalized text; SIZE_MAX for all of it.
 * Returns FA_OK, FA_NO_MEMORY or FA_TOO_LARGE (a text, or what becomes of it, of 2^31 bytes); after a failure there is
 * nothing in the handle. */
FA_EXPORT int fa_normalize(fa_tokens *tokens, fa_bytes text, uint32_t folding, size_t most);

/* The same, and find its words. */
FA_EXPORT int fa_tokenize(fa_tokens *tokens, fa_bytes text, uint32_t folding, size_t most);

/* The words of several sections, with element and position; `most` is for all of them together. */
FA_EXPORT int fa_tokenize_sections(fa_tokens *tokens, const fa_section *sections, size_t count, size_t most);

/* The words of a page: its title, description, keywords, address and running text are sections 0 to 4.
 * url_words: what of the address is indexed, see url_words in indexer/text/analysis.py; never folded with FA_DOTLESS_I.
 * folding: by the language of the page. */
FA_EXPORT int fa_tokens_of_page(fa_tokens *tokens, const fa_page *page, fa_bytes url_words, uint32_t folding, size_t most);

/* Where a word that is looked for stands. */
typedef struct fa_spot {
    uint32_t start, end; /* code points of the source text */
    uint32_t rank;       /* as in its token */
    uint32_t which;      /* place among those looked for */
} fa_spot;

/* Tell where words stand in a text that fa_tokenize has taken in just before.
 * wanted: their hashes, rising; left: for each of them how many spots are still to be told, counted down here.
 * Returns the number of spots, which rise by start; at most `room`. Linear time. */
FA_EXPORT size_t fa_find_words(const fa_tokens *tokens, fa_bytes text, const uint64_t *wanted, uint32_t *left,
                               size_t count, fa_spot *spots, size_t room);

/* The same of a text that was not taken in before, without the ranks, which are 0: most words of it are only looked at.
 * What is in the handle afterwards means nothing.
 * starts: for each size up to FA_MAX_WORD, a bit for the lowest six bits of the first byte of each word looked for that
 * has so many bytes.
 * Returns FA_OK, FA_NO_MEMORY or FA_TOO_LARGE as fa_tokenize does, and in `found` what fa_find_words returns. */
FA_EXPORT int fa_find_in_text(fa_tokens *tokens, fa_bytes text, const uint64_t *wanted, const uint64_t *starts,
                              uint32_t *left, size_t count, fa_spot *spots, size_t room, size_t *found);

/* Set the secret that hashes depend on: once, before the first word is hashed. Without it hashes can be foreseen. */
FA_EXPORT void fa_set_secret(const uint64_t secret[4]);

/* Hash of a spelling in normalized UTF-8, the same as in its fa_token. Not to be kept on disk. */
FA_EXPORT uint64_t fa_hash(const uint8_t *word, size_t size);

/* The same of one that is not empty, and that so many bytes can be read behind: faster. */
enum { FA_HASH_AHEAD = 7 };
uint64_t fa_hash_ahead(const uint8_t *word, size_t size);

/* Class of one code point as it stands, not normalized: 0 parts words, 1 letter, digit or mark, 2 of a script without
 * spaces, 3 picture sign. */
enum fa_class { FA_SEPARATOR = 0, FA_WORD = 1, FA_PAIRED = 2, FA_SINGLE = 3 };
FA_EXPORT int fa_class_of(uint32_t code);

#endif
