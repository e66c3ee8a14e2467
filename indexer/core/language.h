/* What some text of a page says of its language: counted here, judged in indexer/text/detection.py. */
#ifndef FINDINGAID_LANGUAGE_H
#define FINDINGAID_LANGUAGE_H

#include "core.h"

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

#endif
