/* The spellings that a word of a query stands for: looked up in all segments of an index at once.
 *
 * A segment lists its words under keys: of their stem in each language that they occur in, and of other ways in which
 * spellings go together (docs/index-format.md). Words that have nothing in common may share a key: whether a spelling
 * belongs to the word that was asked for the stemmers say; where other ways are asked for, or there are no stemmers,
 * Python does, once for each spelling that was found.
 */
#ifndef FINDINGAID_FORMS_H
#define FINDINGAID_FORMS_H

#include "query.h"
#include "stems.h"

/* The words of a layer of a segment. Keys rise; `stem_words` has for each the number of a word that is listed under it. */
typedef struct fa_dictionary {
    fa_ends word_ends;
    fa_array words, word_ids, stem_keys, stem_words;
    const uint8_t *ways; /* by language of the segment: the way of its stems, FA_NO_WAY for none */
    uint64_t languages;
} fa_dictionary;

/* Ways in which spellings go together: up to FA_FOLD those of stems. */
enum {
    FA_FOLD = 62,      /* they differ by accents: in all languages in which they do not count anyway */
    FA_ALWAYS = 63,    /* in all languages */
    FA_WAYS = 64,      /* a bit for each in a number */
    FA_NO_WAY = 255
};

/* Words that are listed under the key of a spelling go together with the word; so does the spelling, which may not be
 * listed. */
typedef struct fa_way {
    uint32_t way, spelling; /* spelling: number of one of those given */
} fa_way;

typedef struct fa_forms fa_forms;

typedef struct fa_forms_found {
    const uint8_t *spellings; /* one behind the other; the first ones are those given */
    const uint32_t *ends;
    const uint64_t *ways;     /* of each: those by which it was found */
    uint64_t count;
    uint32_t bad_place, bad_array; /* with FA_CORRUPT: where */
} fa_forms_found;

typedef struct fa_forms_made {
    const fa_form *forms;   /* dictionary by dictionary, by spelling in each */
    const uint32_t *ends;   /* where those of each dictionary end */
    const uint8_t *sets;    /* see fa_leaf */
    const uint8_t *used;    /* the spellings of which there is a form, with zero bytes between them */
    uint64_t form_count, set_bytes, used_bytes;
} fa_forms_made;

FA_EXPORT fa_forms *fa_forms_new(void);
FA_EXPORT void fa_forms_free(fa_forms *forms);

/* Strings one behind the other. */
typedef struct fa_strings {
    const uint8_t *data;
    const uint32_t *ends;
    uint64_t count;
} fa_strings;

/* Find what may go together with a word. dictionaries: NULL where there is no layer; names: for each way what stands
 * before a spelling in the name that the key is made of, FA_WAYS; spellings: those given, of which the first is the word,
 * and none is there twice; ways: those of stems by rising number. Once for each handle. Time and memory: what is listed
 * under the keys. */
FA_EXPORT int fa_forms_find(fa_forms *forms, const fa_dictionary *const *dictionaries, uint32_t count,
                            const fa_strings *names, const fa_strings *spellings, const fa_way *ways,
                            uint32_t way_count, fa_forms_found *found);

/* Write the numbers of some words, dictionary by dictionary: UINT32_MAX for one that is not held. */
FA_EXPORT int fa_forms_numbers(const fa_dictionary *const *dictionaries, uint32_t count, const fa_strings *words,
                               uint32_t *numbers, uint32_t *bad_place, uint32_t *bad_array);

/* Make the forms, of what was found and belongs to the word. ways: by spelling, those by which it does; fold, others:
 * what occurrences count for of spellings with other accents, and of those with the same stem. */
FA_EXPORT int fa_forms_make(fa_forms *forms, const uint64_t *ways, double fold, double others, fa_forms_made *made);

/* Both of these for a word that is stemmed, and nothing else: of letters alone, its accents as they are. ways: of the
 * stems that are asked for, rising, each with its stemmer, which nobody else uses meanwhile. */
FA_EXPORT int fa_forms_stemmed(fa_forms *forms, const fa_dictionary *const *dictionaries, uint32_t count,
                               const fa_strings *names, const fa_stemmers *stemmers, const uint8_t *word, size_t size,
                               const uint8_t *ways, uint32_t way_count, double others, fa_forms_found *found,
                               fa_forms_made *made);

#endif
