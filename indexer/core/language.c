/* See language.h. */
#include "language.h"

#include "tokens.h"
#include "unicode.h"
#include "utf8.h"

/* In the order of _SCRIPTS in indexer/text/detection.py. */
static const struct {
    uint32_t low, high, script;
} RANGES[] = {
    {0x3040, 0x30ff, 0},  /* kana */
    {0x1100, 0x11ff, 1},  /* Hangul */
    {0xac00, 0xd7ff, 1},
    {0x3400, 0x9fff, 2},  /* Han */
    {0x0e00, 0x0e7f, 3},  /* Thai */
    {0x0370, 0x03ff, 4},  /* Greek */
    {0x1f00, 0x1fff, 4},
    {0x0530, 0x058f, 5},  /* Armenian */
    {0x10a0, 0x10ff, 6},  /* Georgian */
    {0x0b80, 0x0bff, 7},  /* Tamil */
    {0x0e80, 0x0eff, 8},  /* Lao */
    {0x1780, 0x17ff, 9},  /* Khmer */
    {0x1000, 0x109f, 10}, /* Myanmar */
};

static void count_foreign(fa_language_sample *sample, uint32_t code) {
    sample->foreign++;
    for (size_t k = 0; k < sizeof RANGES / sizeof *RANGES; k++)
        if (code >= RANGES[k].low && code <= RANGES[k].high) sample->scripts[RANGES[k].script]++;
}

static uint64_t languages_of(const fa_stop_words *stop_words, uint64_t hash) {
    size_t mask = stop_words->places - 1, place = hash & mask;
    for (; stop_words->languages[place]; place = (place + 1) & mask)
        if (stop_words->hashes[place] == hash) return stop_words->languages[place];
    return 0;
}

static void count_word(fa_language_sample *sample, uint64_t languages) {
    sample->words++;
    if (languages == 0) return;
    uint32_t k = 0;
    while (k < sample->speaker_count && sample->speakers[k] != languages) k++;
    if (k == FA_MOST_SPEAKERS) return;
    if (k == sample->speaker_count) {
        sample->speaker_count++;
        sample->speakers[k] = languages;
    }
    sample->speaking[k]++;
}

static inline int is_ascii_letter(uint8_t byte) { return (uint8_t)((byte | 0x20) - 'a') < 26; }

void fa_sample_language(fa_bytes text, const fa_stop_words *stop_words, fa_language_sample *sample) {
    *sample = (fa_language_sample){0};
    size_t begin = 0; /* of the word read, up to `at` */
    for (size_t at = 0; at < text.size;) {
        for (; at + 1 < text.size && is_ascii_letter(text.data[at]); at++) sample->letters++;
        uint32_t code;
        size_t next = at + fa_decode(text.data, at, text.size, &code);
        int is_letter = fa_is_letter(fa_properties_of(code));
        if (code >= 0x370 && code <= 0xffff) count_foreign(sample, code);
        sample->letters += (uint32_t)is_letter;
        if (is_letter && next < text.size) {
            at = next;
            continue;
        }
        size_t end = is_letter ? next : at;
        if (end > begin) count_word(sample, languages_of(stop_words, fa_hash(text.data + begin, end - begin)));
        begin = at = next;
    }
}
