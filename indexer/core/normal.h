/* UTF-8 -> normalized UTF-8, with the class of every byte and its place in the source; used by tokens.c alone. */
#ifndef FINDINGAID_NORMAL_H
#define FINDINGAID_NORMAL_H

#include "tokens.h"
#include "unicode.h"

enum { FA_PADDING = 16 /* zero bytes behind text and classes, for who reads eight at once */ };

/* From `normal` on, up to the next place: bytes that stand in the source text in a row from `from` on, where `to` is 0;
 * else all of them were made of the source bytes from `from` to `to`. */
typedef struct fa_place {
    uint32_t normal, from, to;
} fa_place;

/* What is behind a fa_tokens *. */
typedef struct fa_tokenizer {
    fa_tokens told;
    uint8_t *text;    /* normalized */
    uint8_t *classes; /* enum fa_class of each byte of it: that of its character */
    size_t size, room; /* of both, without FA_PADDING */
    fa_place *places; /* of the section worked on */
    size_t place_count, place_room;
    fa_token *tokens;
    size_t token_count, token_room;
    fa_letters letters, spare;
} fa_tokenizer;

/* Put a text, normalized, behind what is there; at most `most` code points of it. Adds to told.code_points, sets
 * told.used and told.cut. Returns FA_OK, FA_NO_MEMORY or FA_TOO_LARGE. */
FA_HIDDEN int fa_normalize_onto(fa_tokenizer *to, fa_bytes text, uint32_t folding, size_t most);

#endif
