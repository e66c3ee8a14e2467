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

/* A script that one language is written in, and the share of letters that tells it. */
typedef struct fa_language_script {
    char language[4];
    uint32_t spare;
    double share;
} fa_language_script;

/* What the languages of pages are told by; the same numbers are in indexer/text/detection.py, which explains them. */
typedef struct fa_language_rules {
    fa_stop_words stop_words;
    const fa_language_code *codes;
    size_t code_count;
    uint64_t languages; /* the bits of all that have stop words */
    fa_language_script scripts[FA_SCRIPTS];
    uint32_t few_words, many_words, few_letters, few_characters;
    uint32_t near, near_latin;
    double foreign, speaks, contradicts, times, clearly, silent;
} fa_language_rules;

/* The language of a page as language_of of indexer/text/detection.py tells it. */
typedef struct fa_language_told {
    uint32_t is_settled; /* 0: the letters of the text have to be looked at there */
    char language[4];    /* its code, zero bytes behind it; empty when it cannot be told */
    char declared[4];    /* what the page declares */
    uint32_t text_size;  /* 0, if it is not settled: the text has characters that are not known here, or the declaration is odd */
    fa_language_sample sample;
    uint8_t text[FA_MOST_SAMPLE * 4]; /* from the middle of the page, in small letters */
} fa_language_told;

/* Tell the language of a page. header: what the header of HTTP declares, counted where the page declares nothing. Linear
 * time. */
FA_EXPORT void fa_language_of(const fa_page *page, fa_bytes header, const fa_language_rules *rules, fa_language_told *told);

/* Settle a language that is not, of which there is a text. name: the language that its letters look like, distance: how far
 * they are from that, as detect_fast of the package resiliparse tells them. */
void fa_language_by_letters(fa_bytes name, uint32_t distance, const fa_language_rules *rules, fa_language_told *told);

#endif
