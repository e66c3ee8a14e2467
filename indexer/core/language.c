/* See language.h. */
#include "language.h"

#include <string.h>

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

/* Return where the letters of ASCII end that begin at `at`, eight bytes at a time: a jump for each is hard to foresee. */
static inline size_t pass_letters(const uint8_t *text, size_t at, size_t end) {
    static const uint64_t ONES = 0x0101010101010101u, HIGH = 0x8080808080808080u;
    for (uint64_t word; end - at >= sizeof word; at += sizeof word) {
        memcpy(&word, text + at, sizeof word);
        uint64_t small = (word | 0x20 * ONES) & ~HIGH;
        uint64_t from_a = small + (0x80 - 'a') * ONES, behind_z = small + (0x7f - 'z') * ONES;
        uint64_t others = (~from_a | behind_z | word) & HIGH;
        if (others) return at + (size_t)__builtin_ctzll(others) / 8; /* numbers are little endian */
    }
    while (at < end && is_ascii_letter(text[at])) at++;
    return at;
}

static inline void end_word(fa_language_sample *sample, const fa_stop_words *stop_words, fa_bytes text, size_t begin,
                            size_t end) {
    if (end == begin) return;
    const uint8_t *word = text.data + begin;
    uint64_t hash = text.size - end >= FA_HASH_AHEAD ? fa_hash_ahead(word, end - begin) : fa_hash(word, end - begin);
    count_word(sample, languages_of(stop_words, hash));
}

void fa_sample_language(fa_bytes text, const fa_stop_words *stop_words, fa_language_sample *sample) {
    *sample = (fa_language_sample){0};
    size_t begin = 0; /* of the word read, up to `at` */
    uint32_t letters = 0;
    for (size_t at = 0; at < text.size;) {
        size_t end = pass_letters(text.data, at, text.size - 1);
        letters += (uint32_t)(end - at);
        at = end;
        uint32_t code = text.data[at];
        size_t next = at + (code < 0x80 ? 1 : fa_decode(text.data, at, text.size, &code));
        if (code < 0x80 && !is_ascii_letter((uint8_t)code)) {
            end_word(sample, stop_words, text, begin, at);
            begin = at = next;
            continue;
        }
        int is_letter = fa_is_letter(fa_properties_of(code));
        if (code >= 0x370 && code <= 0xffff) count_foreign(sample, code);
        letters += (uint32_t)is_letter;
        if (is_letter && next < text.size) {
            at = next;
            continue;
        }
        end_word(sample, stop_words, text, begin, is_letter ? next : at);
        begin = at = next;
    }
    sample->letters = letters;
}

/* ---------------------------------------------------------------- small letters */

enum { KEPT, CODES_ON, TO_ODD, TO_EVEN }; /* what becomes of the capitals in a range: pairs end with an odd or an even code */

/* Where it is simple, and of one size in UTF-8; a test compares all of it with Python. */
static const struct {
    uint32_t low, high, how, by;
} SMALL[] = {
    {0x80, 0xbf, KEPT, 0},          {0xc0, 0xd6, CODES_ON, 0x20},   {0xd7, 0xd7, KEPT, 0},
    {0xd8, 0xde, CODES_ON, 0x20},   {0xdf, 0xff, KEPT, 0},          {0x100, 0x12f, TO_ODD, 0},
    {0x132, 0x137, TO_ODD, 0},      {0x138, 0x138, KEPT, 0},        {0x139, 0x148, TO_EVEN, 0},
    {0x14a, 0x177, TO_ODD, 0},      {0x179, 0x17e, TO_EVEN, 0},     {0x1a0, 0x1a5, TO_ODD, 0},
    {0x1af, 0x1b0, TO_EVEN, 0},     {0x1cd, 0x1dc, TO_EVEN, 0},     {0x1de, 0x1ef, TO_ODD, 0},
    {0x1f8, 0x21f, TO_ODD, 0},      {0x222, 0x233, TO_ODD, 0},      {0x250, 0x36f, KEPT, 0},
    {0x386, 0x386, CODES_ON, 0x26}, {0x388, 0x38a, CODES_ON, 0x25}, {0x38c, 0x38c, CODES_ON, 0x40},
    {0x38e, 0x38f, CODES_ON, 0x3f}, {0x390, 0x390, KEPT, 0},        {0x391, 0x3a1, CODES_ON, 0x20},
    {0x3a4, 0x3ab, CODES_ON, 0x20}, {0x3ac, 0x3ce, KEPT, 0},        {0x400, 0x40f, CODES_ON, 0x50},
    {0x410, 0x42f, CODES_ON, 0x20}, {0x430, 0x45f, KEPT, 0},        {0x460, 0x481, TO_ODD, 0},
    {0x482, 0x489, KEPT, 0},        {0x48a, 0x4bf, TO_ODD, 0},      {0x4c1, 0x4ce, TO_EVEN, 0},
    {0x4d0, 0x52f, TO_ODD, 0},      {0x531, 0x556, CODES_ON, 0x30}, {0x561, 0x587, KEPT, 0},
    {0x590, 0x109f, KEPT, 0},       {0x1100, 0x11ff, KEPT, 0},      {0x1e00, 0x1e95, TO_ODD, 0},
    {0x1ea0, 0x1eff, TO_ODD, 0},    {0x2000, 0x2125, KEPT, 0},      {0x212c, 0x2131, KEPT, 0},
    {0x2133, 0x215f, KEPT, 0},      {0x2160, 0x216f, CODES_ON, 0x10}, {0x2170, 0x2182, KEPT, 0},
    {0x2190, 0x24b5, KEPT, 0},      {0x24b6, 0x24cf, CODES_ON, 0x1a}, {0x24d0, 0x2bff, KEPT, 0},
    {0x2e80, 0xa4ff, KEPT, 0},      {0xac00, 0xd7ff, KEPT, 0},      {0xe000, 0xff20, KEPT, 0},
    {0x1f000, 0x2ffff, KEPT, 0},
};

/* Return the small letter of a character that is no ASCII, 0 where it is not known. row: of the character before, mostly
 * that of this one, too. */
static uint32_t small_of(uint32_t code, size_t *row) {
    if (code < SMALL[*row].low || code > SMALL[*row].high) {
        size_t low = 0, high = sizeof SMALL / sizeof *SMALL;
        while (low + 1 < high) {
            size_t middle = low + (high - low) / 2;
            if (SMALL[middle].low <= code) low = middle;
            else high = middle;
        }
        *row = low;
        if (code < SMALL[low].low || code > SMALL[low].high) return 0;
    }
    if (code == 0x130) return 0; /* a dotted capital i becomes two characters */
    switch (SMALL[*row].how) {
        case CODES_ON: return code + SMALL[*row].by;
        case TO_ODD: return code == 0x131 ? code : code | 1;
        case TO_EVEN: return code + (code & 1);
        default: return code;
    }
}

/* Tell of the character beside a sigma whether it is a letter: 1, or 0 for none. -1 where that is not known here, or
 * where it is one that is passed over (as an apostrophe is). */
static int is_cased(uint32_t code) {
    static const char PASSED[] = "'.:^`";
    if (code < 0x80) return code && memchr(PASSED, (int)code, sizeof PASSED - 1) ? -1 : is_ascii_letter((uint8_t)code);
    int is_none = code == 0x387 || code == 0x38b || code == 0x38d || code == 0x3a2; /* the first one is passed over */
    return code >= 0x386 && code <= 0x3ce && !is_none ? 1 : -1;
}

/* Return the small letter of a capital sigma of two bytes, which is another one at the end of a word; 0 where it is not
 * known whether it stands there. */
static uint32_t small_sigma(fa_bytes text, size_t at) {
    enum { FINAL = 0x3c2, OTHER = 0x3c3 };
    uint32_t code = ' ';
    if (at) fa_decode(text.data, at >= 2 && text.data[at - 1] >= 0x80 ? at - 2 : at - 1, at, &code);
    int is_behind = is_cased(code);
    code = ' ';
    if (at + 2 < text.size) fa_decode(text.data, at + 2, text.size, &code);
    int is_before = is_cased(code);
    if (is_behind == 0) return OTHER;
    return is_behind < 0 || is_before < 0 ? 0 : is_before ? OTHER : FINAL;
}

int fa_small_letters(fa_bytes text, uint8_t *room) {
    enum { SIGMA = 0x3a3 };
    size_t row = 0;
    for (size_t at = 0; at < text.size;) {
        for (size_t end = fa_pass_ascii(text.data, at, text.size); at < end; at++)
            room[at] = (uint8_t)(text.data[at] | ((uint8_t)(text.data[at] - 'A') < 26) << 5);
        if (at == text.size) break;
        uint32_t code;
        size_t size = fa_decode(text.data, at, text.size, &code);
        uint32_t small = code == SIGMA ? small_sigma(text, at) : size > 1 ? small_of(code, &row) : 0;
        if (small == 0) return 0;
        fa_encode(room + at, small);
        at += size;
    }
    return 1;
}

/* ---------------------------------------------------------------- what a page declares */

/* Read a code of two or three letters, perhaps with a country behind it. */
static int read_code(fa_bytes written, char code[4]) {
    size_t size = 0;
    memset(code, 0, 4);
    for (; size < written.size && size < 3 && is_ascii_letter(written.data[size]); size++)
        code[size] = (char)(written.data[size] | 0x20);
    return size >= 2 && (size == written.size || written.data[size] == '-' || written.data[size] == '_');
}

static fa_language_code meaning_of(const fa_language_rules *rules, const char code[4]) {
    for (size_t k = 0; k < rules->code_count; k++)
        if (memcmp(rules->codes[k].written, code, 4) == 0) return rules->codes[k];
    fa_language_code unknown = {.bit = 0};
    memcpy(unknown.told, code, 4);
    return unknown;
}

/* Return how many words are stop words of one language (its bit) and not of another one. */
static uint32_t count_speaking(const fa_language_sample *sample, uint64_t own, uint64_t other) {
    uint32_t count = 0;
    for (uint32_t k = 0; k < sample->speaker_count; k++)
        if (sample->speakers[k] & own && !(sample->speakers[k] & other)) count += sample->speaking[k];
    return count;
}

static double share_of(const fa_language_sample *sample, uint64_t own, uint64_t other) {
    return sample->words ? count_speaking(sample, own, other) / (double)sample->words : 0.0;
}

static double share_of_foreign(const fa_language_sample *sample) {
    return sample->letters ? (double)sample->foreign / sample->letters : 0.0;
}

/* Does a text in one language contradict the declared one? */
static int contradicts(const fa_language_sample *sample, const fa_language_rules *rules, const fa_language_code *declared,
                       uint64_t found) {
    double share = share_of(sample, found, declared->bit);
    return sample->words >= rules->few_words && share >= rules->contradicts &&
           share >= rules->times * share_of(sample, declared->bit, found);
}

/* The same of a language that is told by its script. */
static int script_contradicts(const fa_language_sample *sample, const fa_language_code *declared) {
    return !declared->is_foreign && share_of_foreign(sample) > 0.5;
}

/* May what the letters look like contradict the declared language, whatever that is? */
static int may_contradict(const fa_language_sample *sample, const fa_language_rules *rules,
                          const fa_language_code *declared) {
    if (script_contradicts(sample, declared)) return 1;
    for (uint64_t left = rules->languages & ~declared->bit; left; left &= left - 1)
        if (contradicts(sample, rules, declared, left & ~(left - 1))) return 1;
    return 0;
}

/* Return the language that alone is written in the script of most letters, NULL for scripts of several languages. */
static const char *script_of(const fa_language_sample *sample, const fa_language_rules *rules) {
    if (share_of_foreign(sample) < rules->foreign) return NULL;
    for (unsigned k = 0; k < FA_SCRIPTS; k++) {
        double fewest = rules->scripts[k].share * sample->letters;
        if (sample->scripts[k] >= (fewest > rules->few_letters ? fewest : rules->few_letters)) return rules->scripts[k].language;
    }
    return NULL;
}

/* Return the row of the language whose stop words make up running text, NULL where they are few or of two languages. */
static const fa_language_code *spoken_of(const fa_language_sample *sample, const fa_language_rules *rules) {
    const fa_language_code *best = NULL;
    double most = -1, next = -1;
    for (size_t k = 0; k < rules->code_count; k++) {
        const fa_language_code *code = &rules->codes[k];
        if (code->bit == 0 || memcmp(code->written, code->told, 4) != 0) continue;
        double share = share_of(sample, code->bit, 0);
        if (share > most) {
            next = most;
            most = share;
            best = code;
        } else if (share > next) {
            next = share;
        }
    }
    return best && most >= rules->speaks && most >= rules->clearly * next ? best : NULL;
}

static int is_ascii(fa_bytes text) { return fa_pass_ascii(text.data, 0, text.size) == text.size; }

static size_t count_characters(fa_bytes text) {
    size_t count = 0;
    for (size_t at = 0; at < text.size; at++) count += (text.data[at] & 0xc0) != 0x80;
    return count;
}

/* Are stop words all that counts in a text: too short for letters? */
static int is_told_by_words(const fa_language_sample *sample, const fa_language_rules *rules) {
    return sample->words < rules->many_words && share_of_foreign(sample) <= rules->foreign;
}

/* Judge a text of a page that declares nothing. Returns 0 when its letters have to be looked at. */
static int judge_undeclared(fa_bytes text, const fa_language_rules *rules, fa_language_told *told) {
    const fa_language_sample *sample = &told->sample;
    const char *found = script_of(sample, rules);
    if (found == NULL && count_characters(text) >= rules->few_characters) {
        if (!is_told_by_words(sample, rules)) return 0;
        const fa_language_code *spoken = spoken_of(sample, rules);
        found = spoken ? spoken->told : NULL;
    }
    if (found) memcpy(told->language, found, 4);
    return 1;
}

static int judge_declared(fa_bytes text, const fa_language_rules *rules, const fa_language_code *declared,
                          fa_language_told *told) {
    const fa_language_sample *sample = &told->sample;
    memcpy(told->language, declared->told, 4);
    if (sample->words < rules->few_words && is_ascii(text)) return 1;
    if (share_of(sample, declared->bit, 0) >= rules->speaks) return 1;
    const char *script = script_of(sample, rules);
    if (script) {
        if (memcmp(script, declared->told, 4) != 0 && script_contradicts(sample, declared)) memcpy(told->language, script, 4);
        return 1;
    }
    return count_characters(text) < rules->few_characters || !may_contradict(sample, rules, declared);
}

void fa_language_of(const fa_page *page, fa_bytes header, const fa_language_rules *rules, fa_language_told *told) {
    fa_bytes written = page->language.size ? page->language : header, middle = fa_page_middle(page, FA_MOST_SAMPLE);
    fa_language_code declared = {.bit = 0};
    char code[4];
    told->is_settled = told->text_size = 0;
    memset(told->language, 0, sizeof told->language);
    memset(told->declared, 0, sizeof told->declared);
    if (written.size) {
        if (!read_code(written, code)) return;
        declared = meaning_of(rules, code);
        memcpy(told->declared, declared.told, 4);
    }
    if (middle.size > sizeof told->text || !fa_small_letters(middle, told->text)) return;
    told->text_size = (uint32_t)middle.size;
    fa_bytes text = {told->text, middle.size};
    fa_sample_language(text, &rules->stop_words, &told->sample);
    told->is_settled = (uint32_t)(written.size ? judge_declared(text, rules, &declared, told) : judge_undeclared(text, rules, told));
}

/* ---------------------------------------------------------------- letters */

/* Return what the letters of a text say, `bit` and `told` 0 for nothing; as _detected in indexer/text/detection.py. */
static fa_language_code detected(fa_bytes name, uint32_t distance, fa_bytes text, const fa_language_rules *rules,
                                 const fa_language_sample *sample) {
    static const fa_language_code NOTHING = {.bit = 0};
    int is_foreign = share_of_foreign(sample) > rules->foreign;
    const fa_language_code *spoken = spoken_of(sample, rules);
    if (is_told_by_words(sample, rules)) return spoken ? *spoken : NOTHING;
    char code[4];
    if (name.size > 3 || !read_code(name, code)) return NOTHING; /* "unknown" */
    fa_language_code found = meaning_of(rules, code);
    int is_short = count_characters(text) < 3 * (size_t)rules->few_characters;
    if (distance > (is_foreign || is_short ? rules->near : rules->near_latin)) return NOTHING;
    if (is_foreign) return found;
    if (found.bit) return share_of(sample, found.bit, 0) < rules->silent ? NOTHING : found;
    return spoken ? *spoken : found;
}

void fa_language_by_letters(fa_bytes name, uint32_t distance, const fa_language_rules *rules, fa_language_told *told) {
    const fa_language_sample *sample = &told->sample;
    fa_language_code found = detected(name, distance, (fa_bytes){told->text, told->text_size}, rules, sample);
    int is_taken = found.told[0] != 0;
    if (told->declared[0] && is_taken) {
        fa_language_code declared = meaning_of(rules, told->declared);
        is_taken = memcmp(found.told, declared.told, 4) != 0 &&
                   (found.is_foreign ? script_contradicts(sample, &declared)
                                     : contradicts(sample, rules, &declared, found.bit));
    }
    memcpy(told->language, is_taken ? found.told : told->declared, 4);
    told->is_settled = 1;
}
