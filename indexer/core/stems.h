/* Under which keys the words of a segment are listed: stems by language, spellings without accents, first characters.
 *
 * A spelling is stemmed once in each language: its key is kept here from segment to segment, as are those of its
 * spellings without accents. Which words share a key is worked out for each segment.
 */
#ifndef FINDINGAID_STEMS_H
#define FINDINGAID_STEMS_H

#include "core.h"

typedef struct fa_stems fa_stems;

enum {
    FA_SPELLING_BIT = 63, /* stands for all languages: what words are listed under by their letters alone */
    FA_STEM_LANGUAGES = 64,
    FA_FOLDED = 0x2000 /* code points below which there are accents */
};

/* What letters become without their accents (indexer/text/folding.py): for each code point below FA_FOLDED the place of
 * a string, its size in one byte before it; 0 for itself. spelled_out: the same for the other way to spell a word.
 * folded, paired: what stands before such a spelling, and before the first character of a pair. */
typedef struct fa_fold_rules {
    const uint16_t *plain, *spelled_out;
    fa_bytes strings, folded, paired;
} fa_fold_rules;

/* Stemmers of Snowball: sb_stemmer_stem and sb_stemmer_length of libstemmer, and a handle for each language; NULL for one
 * whose stems Python is asked for. prefixes: what stands before the stems of each in the names that keys are made of. */
struct sb_stemmer;
typedef struct fa_stemmers {
    const uint8_t *(*stem)(struct sb_stemmer *stemmer, const uint8_t *word, int size);
    int (*length)(struct sb_stemmer *stemmer);
    struct sb_stemmer *languages[FA_STEM_LANGUAGES];
    fa_bytes prefixes[FA_STEM_LANGUAGES];
} fa_stemmers;

/* Tell whether a word is made of letters, with the marks that belong to them, and is stemmed: is_stemmable in
 * indexer/text/languages.py. */
int fa_is_stemmable(fa_bytes spelling);

/* The words of a segment: `ends` of their UTF-8 bytes, and for each a bit for each language that it occurs in. A word
 * with other letters than ASCII has FA_SPELLING_BIT, too, whatever is said here; one with other signs than letters and
 * their marks is not stemmed, and one of ASCII has no keys then. */
typedef struct fa_stem_words {
    fa_bytes words;
    const uint32_t *ends;
    const uint64_t *languages;
    size_t count;
} fa_stem_words;

/* rules, stemmers: have to be there as long, the stemmers used by nobody else meanwhile. most: bytes to be kept, about; of
 * more than that all is forgotten, when the next words are begun with. NULL when memory is short. */
FA_EXPORT fa_stems *fa_stems_new(const fa_fold_rules *rules, const fa_stemmers *stemmers, size_t most);
FA_EXPORT void fa_stems_free(fa_stems *stems);

/* Begin with the words from `first` on, up to `reached`, which is greater than `first` if there are any: so many that
 * what is not known of them is about `at_once` stems and spellings. FA_OK, FA_CORRUPT (the ends do not rise, or go
 * beyond the words), FA_NO_MEMORY, FA_TOO_LARGE. */
FA_EXPORT enum fa_status fa_stems_begin(fa_stems *stems, const fa_stem_words *words, size_t first, size_t at_once,
                                        size_t *reached);

/* Stem words, and ask for those stems for which there is no stemmer, in one language: the words in sound UTF-8, with
 * zero bytes between them, are there until the next call. bit: of the language; 64 when there is no more to ask. FA_OK,
 * FA_NO_MEMORY, FA_TOO_LARGE. */
FA_EXPORT enum fa_status fa_stems_ask(fa_stems *stems, uint32_t *bit, fa_bytes *spelled);

/* Tell the stems that were asked for, in the same form. The key of a stem that is the word itself is of use only when
 * another word shares it. FA_OK, FA_CORRUPT (not as many stems as words), FA_NO_MEMORY, FA_TOO_LARGE. */
FA_EXPORT enum fa_status fa_stems_tell(fa_stems *stems, fa_bytes told);

/* Take the keys of the words that were begun with, from `first` on, for the segment in hand, which begins with word 0;
 * what was not told is passed over. 32 bytes a key. FA_OK, FA_CORRUPT, FA_NO_MEMORY. */
FA_EXPORT enum fa_status fa_stems_take(fa_stems *stems, const fa_stem_words *words, size_t first);

/* End the segment: tell how many rows it has (FA_OK, FA_NO_MEMORY), and put them into `keys` and `rows`, by rising key
 * and then by word, in fa_stems_rows. */
FA_EXPORT enum fa_status fa_stems_end(fa_stems *stems, size_t *found);
FA_EXPORT void fa_stems_rows(fa_stems *stems, uint64_t *keys, uint32_t *rows);

/* The keys of names, which lie one behind the other: the first 8 bytes of the MD5 of each as a big-endian number.
 * FA_CORRUPT when the ends do not rise, or go beyond the names. */
FA_EXPORT enum fa_status fa_keys_of(fa_bytes names, const uint32_t *ends, size_t count, uint64_t *keys);

#endif
