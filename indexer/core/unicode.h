/* What is known of each character, and normalizing the letters of a few of them that depend on each other.
 *
 * Used by normal.c alone, which knows UTF-8; here are code points. The tables are made by make_unicode.py.
 */
#ifndef FINDINGAID_UNICODE_H
#define FINDINGAID_UNICODE_H

#include "core.h"

#define FA_HIDDEN __attribute__((visibility("hidden")))

/* Kinds of records: what becomes of a character. See make_unicode.py, which has the same numbers. */
enum fa_kind {
    FA_SAME = 0,
    FA_ONE = 1,
    FA_SEVERAL = 2,
    FA_DROPPED = 3,
    FA_POINT = 4,
    FA_MARK = 5,
    FA_TOGETHER = 6
};

enum fa_special {
    FA_IGNORABLE = 1,
    FA_BLANK = 2,
    FA_LETTERLIKE = 3,
    FA_DOTTED = 4,
    FA_VOWEL_POINT = 5,
    FA_ALEF = 6
};

extern const uint8_t fa_records_blocks[] FA_HIDDEN;
extern const uint32_t fa_records[] FA_HIDDEN;
extern const uint8_t fa_properties_blocks[] FA_HIDDEN;
extern const uint8_t fa_properties[] FA_HIDDEN;
extern const uint8_t fa_strings[] FA_HIDDEN; /* size in bytes, number of code points, UTF-8 */

enum { FA_CODES = 0x110000, FA_CODE = 0x1fffff /* bits that hold a code point */ };

/* All for code < FA_CODES. */
static inline uint32_t fa_record_of(uint32_t code) {
    return fa_records[(uint32_t)fa_records_blocks[code >> 7] << 7 | (code & 127)];
}
static inline uint32_t fa_kind_of(uint32_t record) { return record >> 23; }
static inline uint32_t fa_class_in(uint32_t record) { return record >> 21 & 3; }
static inline uint32_t fa_payload_of(uint32_t record) { return record & 0x1fffff; }

static inline uint32_t fa_properties_of(uint32_t code) {
    return fa_properties[(uint32_t)fa_properties_blocks[code >> 7] << 7 | (code & 127)];
}
static inline uint32_t fa_class_among(uint32_t properties) { return properties & 3; }
static inline int fa_counts_as_mark(uint32_t properties) { return (int)(properties >> 2 & 1); }
static inline uint32_t fa_special_in(uint32_t properties) { return properties >> 3 & 7; }
/* A letter, or a number that is no digit, as a Roman one; what is a letter or a mark, too, is a letter for sure. */
static inline int fa_is_letter(uint32_t properties) { return (int)(properties >> 6 & 1); }
static inline int fa_is_letter_or_mark(uint32_t properties) { return (int)(properties >> 7 & 1); }

FA_HIDDEN uint32_t fa_combining_class(uint32_t code); /* code < FA_CODES */

/* A character with the bytes of the source text that it was made of. */
typedef struct fa_letter {
    uint32_t code; /* bits 0-20; bits 24-31: combining class, or anything */
    uint32_t from, to;
} fa_letter;

typedef struct fa_letters {
    fa_letter *data;
    size_t count, room;
} fa_letters;

FA_HIDDEN int fa_letters_put(fa_letters *letters, uint32_t code, uint32_t from, uint32_t to); /* a status */
FA_HIDDEN void fa_letters_free(fa_letters *letters);

/* NFKC, case folding, without vowel points, alefs made plain, NFC; what is special before NFKC has been done.
 * spare: any letters, which are lost. Linear time: the marks of a letter are sorted by counting when they are many.
 * Memory: at most 18 letters for each. Returns FA_OK or FA_NO_MEMORY. */
FA_HIDDEN int fa_letters_normalize(fa_letters *letters, fa_letters *spare);

#endif
