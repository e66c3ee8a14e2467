/* Under which keys the words of a segment are listed: stems by language, spellings without accents, first characters.
 *
 * What a key is, Python says (indexer/store/stems.py), once for each spelling and language: it is kept here from segment
 * to segment. Which spellings those are that share a key is worked out for each segment.
 */
#ifndef FINDINGAID_STEMS_H
#define FINDINGAID_STEMS_H

#include "core.h"

typedef struct fa_stems fa_stems;

enum {
    FA_SPELLING_BIT = 63, /* stands for all languages: what words are listed under by their letters alone */
    FA_MOST_KEYS = 15     /* of a word in a language */
};

/* The words of a segment: `ends` of their UTF-8 bytes, and for each a bit for each language that it occurs in. A word
 * with other letters than ASCII has FA_SPELLING_BIT, too, whatever is said here; one of ASCII with other signs than
 * letters, which is not stemmed, has no keys. */
typedef struct fa_stem_words {
    fa_bytes words;
    const uint32_t *ends;
    const uint64_t *languages;
    size_t count;
} fa_stem_words;

/* most: bytes to be kept, about; of more than that fa_stems_missing forgets the languages that were asked for longest ago. NULL
 * when memory is short. */
FA_EXPORT fa_stems *fa_stems_new(size_t most);
FA_EXPORT void fa_stems_free(fa_stems *stems);

/* Tell which words from `first` on nothing is known of: rows[i] in the language bits[i], `found` of them and at most `room`
 * (not less than 64). Looks at the words up to `reached`, which is greater than `first` if there are any.
 * FA_OK, FA_CORRUPT (the ends do not rise, or go beyond the words). */
FA_EXPORT enum fa_status fa_stems_missing(fa_stems *stems, const fa_stem_words *words, size_t first, uint32_t *rows,
                                          uint8_t *bits, size_t room, size_t *found, size_t *reached);

/* Put the spellings of `count` words into `room`, a zero byte behind each, and tell how many bytes that are; with NULL for
 * `room` only tell. 0 for words that are not there. */
FA_EXPORT size_t fa_stems_spell(const fa_stem_words *words, const uint32_t *rows, size_t count, uint8_t *room);

/* Keep what has been missing in one language: counts[i] names (at most FA_MOST_KEYS) of the word rows[i], one behind the
 * other in `names`, which end at `ends`; the key of each is made of it behind `prefix`. Of a name that is the word itself
 * the key is of use only when another word shares it. FA_OK, FA_CORRUPT, FA_NO_MEMORY, FA_TOO_LARGE. */
FA_EXPORT enum fa_status fa_stems_put(fa_stems *stems, const fa_stem_words *words, unsigned bit, const uint32_t *rows,
                                      const uint8_t *counts, size_t count, fa_bytes prefix, fa_bytes names,
                                      const uint32_t *ends, size_t name_count);

/* Take the keys of the words from `first` to `last` for the segment in hand, which begins with word 0; what is not known is
 * passed over. 32 bytes a key. */
FA_EXPORT enum fa_status fa_stems_take(fa_stems *stems, const fa_stem_words *words, size_t first, size_t last);

/* End the segment: tell how many rows it has (FA_OK, FA_NO_MEMORY), and put them into `keys` and `rows`, by rising key and
 * then by word, in fa_stems_rows. */
FA_EXPORT enum fa_status fa_stems_end(fa_stems *stems, size_t *found);
FA_EXPORT void fa_stems_rows(fa_stems *stems, uint64_t *keys, uint32_t *rows);

/* The keys of names, which lie one behind the other: the first 8 bytes of the MD5 of each as a big-endian number. FA_CORRUPT
 * when the ends do not rise, or go beyond the names. */
FA_EXPORT enum fa_status fa_keys_of(fa_bytes names, const uint32_t *ends, size_t count, uint64_t *keys);

#endif
