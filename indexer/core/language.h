/* What some text of a page says of its language: counted here, judged in indexer/text/detection.py. */
#ifndef FINDINGAID_LANGUAGE_H
#define FINDINGAID_LANGUAGE_H

#include "core.h"
#include "page.h"

enum { FA_SCRIPTS = 11, FA_MOST_SPEAKERS = 64 };

/* Stop words of up to 64 languages: a table of hashes (fa_hash), each at the place of its low bits or at the next ones
 * that were free. */
typedef struct fa_stop_words {
    const uint64_t *hashes;
    const uint64_t *languages; /* a bit for each language; 0: a free place, of which there is at least one */
    size_t places;             /* a power of two */
} fa_stop_words;

typedef struct fa_language_sample {
    uint32_t words, letters;
    uint32_t foreign;             /* characters from U+0370 to U+FFFF */
    uint32_t scripts[FA_SCRIPTS]; /* characters of scripts that one language is written in, see language.c */
    uint32_t speaker_count;
    uint32_t speaking[FA_MOST_SPEAKERS]; /* words that are stop words of exactly these languages: */
    uint64_t speakers[FA_MOST_SPEAKERS];
} fa_language_sample;

/* Count a text in small letters. Words are runs of letters. What is stop word of more combinations of languages than
 * fit is not told. Linear time, no memory. */
FA_EXPORT void fa_sample_language(fa_bytes text, const fa_stop_words *stop_words, fa_language_sample *sample);

/* Put a text into `room`, of as many bytes, with small letters for capitals, as Python's str.lower does. Returns 0 where what
 * becomes of a character is not known here, or depends on others, and for what is no UTF-8. Linear time. */
FA_EXPORT int fa_small_letters(fa_bytes text, uint8_t *room);

enum { FA_MOST_SAMPLE = 1500, FA_MOST_LANGUAGES = 64 };

/* A code that pages declare, and what it means: as it is told ("nb" is "no"), its bit among the stop words (or 0), and whether
 * it is written in other letters than Latin ones. */
typedef struct fa_language_code {
    char written[4], told[4];
    uint64_t bit;
    uint32_t is_foreign, spare;
} fa_language_code;

/* What the declared languages of pages are judged by; the same numbers are in indexer/text/detection.py. */
typedef struct fa_language_rules {
    fa_stop_words stop_words;
    const fa_language_code *codes;
    size_t code_count;
    uint64_t languages; /* the bits of all that have stop words */
    uint32_t few_words, spare; /* fewer contradict nothing that is declared */
    double speaks, contradicts, times;
} fa_language_rules;

/* Tell in `language` what a page declares, when its text cannot contradict that, whatever language its letters look like:
 * then language_of of indexer/text/detection.py tells the same. Returns 0 when the text has to be looked at there.
 *
 * header: the language that the header of HTTP declares, counted where the page declares none. Linear time. */
FA_EXPORT int fa_declared_language(const fa_page *page, fa_bytes header, const fa_language_rules *rules, char language[4]);

#endif
