#include "stems.h"

#include <limits.h>

#include "buffer.h"
#include "intern.h"
#include "md5.h"
#include "order.h"
#include "tokens.h"
#include "unicode.h"
#include "utf8.h"

enum { LANGUAGES = FA_STEM_LANGUAGES, BYTES_A_WORD = 36 /* in a fa_intern */ };
enum { MANY = 64 /* names whose keys are made at once */ };
enum { MOST_FOLDS = 3 /* of a word, and its first character */ };
#define NONE UINT32_MAX

/* What is known of a word: in which languages, and its key that was put last, + 1; 0 for none. */
typedef struct word {
    uint64_t languages;
    uint32_t last, spare;
} word;

typedef struct key {
    uint64_t key;
    uint32_t before; /* the key of the same word that was put before, + 1 */
    uint8_t bit, is_own;
} key;

struct fa_stems {
    fa_intern words;
    fa_buffer known; /* a word each */
    fa_buffer keys;
    size_t most;
    const fa_fold_rules *rules;
    const fa_stemmers *stemmers;
    /* of the words in hand: the number of each, NONE for one without keys; the numbers of those asked for */
    fa_buffer numbers, asked[LANGUAGES];
    fa_buffer spelled; /* of the language in hand, `bit` */
    unsigned bit;
    /* names that wait for their keys, one behind the other: where each ends, of which word, and whether it is that */
    fa_buffer names;
    size_t name_ends[MANY], waiting;
    uint32_t name_words[MANY];
    uint8_t name_is_own[MANY];
    fa_buffer rows; /* of the segment in hand, a fa_item each: a key, a word, whether it stands for the word itself */
};

fa_stems *fa_stems_new(const fa_fold_rules *rules, const fa_stemmers *stemmers, size_t most) {
    fa_stems *stems = calloc(1, sizeof *stems);
    if (stems == NULL) return NULL;
    stems->rules = rules;
    stems->stemmers = stemmers;
    stems->most = most;
    stems->bit = LANGUAGES;
    return stems;
}

static void forget(fa_stems *stems) {
    fa_intern_free(&stems->words);
    fa_buffer_free(&stems->known);
    fa_buffer_free(&stems->keys);
}

void fa_stems_free(fa_stems *stems) {
    if (stems == NULL) return;
    forget(stems);
    for (unsigned bit = 0; bit < LANGUAGES; bit++) fa_buffer_free(&stems->asked[bit]);
    fa_buffer_free(&stems->numbers);
    fa_buffer_free(&stems->spelled);
    fa_buffer_free(&stems->names);
    fa_buffer_free(&stems->rows);
    free(stems);
}

/* Give the spelling of a word. Returns 0 when its ends do not fit. */
static int spelling_of(const fa_stem_words *words, size_t row, fa_bytes *spelling) {
    uint32_t start = row ? words->ends[row - 1] : 0, end = words->ends[row];
    if (end < start || end > words->words.size) return 0;
    *spelling = (fa_bytes){words->words.data + start, end - start};
    return 1;
}

/* The languages that a word may have keys in. */
static uint64_t languages_of(const fa_stem_words *words, size_t row, fa_bytes spelling) {
    uint8_t all = 0;
    int others = 0;
    for (size_t i = 0; i < spelling.size; i++) {
        all |= spelling.data[i];
        others |= (uint8_t)((spelling.data[i] | 0x20) - 'a') >= 26;
    }
    uint64_t own = (uint64_t)1 << FA_SPELLING_BIT;
    if (all & 0x80) return words->languages[row] | own;
    return others ? 0 : words->languages[row] & ~own;
}

static unsigned lowest_bit(uint64_t bits) { return (unsigned)__builtin_ctzll(bits); }

int fa_is_stemmable(fa_bytes spelling) {
    for (size_t at = 0; at < spelling.size;) {
        uint32_t code;
        size_t size = fa_decode(spelling.data, at, spelling.size, &code);
        uint32_t properties = fa_properties_of(code);
        if (!fa_is_letter_or_mark(properties) || (at == 0 && !fa_is_letter(properties))) return 0;
        at += size;
    }
    return spelling.size > 0;
}

/* ---- keys ---- */

/* Make the keys of the names that wait, all in one language, and put them to their words. */
static enum fa_status put_keys(fa_stems *stems, unsigned bit) {
    fa_bytes names[MANY];
    uint64_t made[MANY];
    word *known = (word *)stems->known.data;
    size_t start = 0, count = stems->waiting;
    if (stems->keys.size / sizeof(key) > UINT32_MAX - MANY) return FA_TOO_LARGE;
    if (!fa_buffer_reserve(&stems->keys, count * sizeof(key))) return FA_NO_MEMORY;
    for (size_t i = 0; i < count; i++) {
        names[i] = (fa_bytes){stems->names.data + start, stems->name_ends[i] - start};
        start = stems->name_ends[i];
    }
    fa_md5_keys(names, count, made);
    for (size_t i = 0; i < count; i++) {
        word *of = &known[stems->name_words[i]];
        key one = {made[i], of->last, (uint8_t)bit, stems->name_is_own[i]};
        fa_buffer_put(&stems->keys, &one, sizeof one);
        of->last = (uint32_t)(stems->keys.size / sizeof one);
    }
    stems->names.size = stems->waiting = 0;
    return FA_OK;
}

/* What has been put behind the other names is one of a word. */
static void keep_name(fa_stems *stems, uint32_t number, int is_own) {
    stems->name_words[stems->waiting] = number;
    stems->name_is_own[stems->waiting] = (uint8_t)is_own;
    stems->name_ends[stems->waiting++] = stems->names.size;
}

/* Put the stem of a word that was asked for. */
static enum fa_status put_stem(fa_stems *stems, uint32_t number, fa_bytes prefix, fa_bytes stem) {
    word *known = (word *)stems->known.data + number;
    fa_bytes spelling = fa_intern_at(&stems->words, number);
    if (known->languages >> stems->bit & 1) return FA_OK; /* twice among the words of a damaged index */
    known->languages |= (uint64_t)1 << stems->bit;
    if (!fa_buffer_put(&stems->names, prefix.data, prefix.size) || !fa_buffer_put(&stems->names, stem.data, stem.size))
        return FA_NO_MEMORY;
    keep_name(stems, number, stem.size && stem.size == spelling.size && !memcmp(stem.data, spelling.data, stem.size));
    return stems->waiting == MANY ? put_keys(stems, stems->bit) : FA_OK;
}

/* ---- spellings without accents ---- */

/* Put a word behind what is in `out`, each letter as a table says. */
static int put_letters(fa_buffer *out, const fa_fold_rules *rules, const uint16_t *table, fa_bytes spelling) {
    for (size_t at = 0; at < spelling.size;) {
        uint32_t code;
        size_t size = fa_decode(spelling.data, at, spelling.size, &code), place = code < FA_FOLDED ? table[code] : 0;
        fa_bytes letter = {spelling.data + at, size};
        if (place && place < rules->strings.size && rules->strings.data[place] < rules->strings.size - place)
            letter = (fa_bytes){rules->strings.data + place + 1, rules->strings.data[place]};
        if (!fa_buffer_put(out, letter.data, letter.size)) return 0;
        at += size;
    }
    return 1;
}

/* Have the keys made of a word by its letters alone: folds_of in indexer/text/folding.py, and, of a pair of a script
 * without spaces, its first character. */
static enum fa_status put_spellings(fa_stems *stems, uint32_t number, fa_bytes spelling) {
    const fa_fold_rules *rules = stems->rules;
    const uint16_t *tables[2] = {rules->plain, rules->spelled_out};
    fa_buffer *out = &stems->names;
    size_t begin = out->size, plain = 0, plain_size = 0;
    for (unsigned which = 0; which < 2; which++) {
        size_t start = begin + rules->folded.size;
        if (!fa_buffer_put(out, rules->folded.data, rules->folded.size) ||
            !put_letters(out, rules, tables[which], spelling))
            return FA_NO_MEMORY;
        size_t size = out->size - start;
        if ((size == spelling.size && memcmp(out->data + start, spelling.data, size) == 0) ||
            (which && size == plain_size && memcmp(out->data + start, out->data + plain, size) == 0)) {
            out->size = begin;
            continue;
        }
        plain = start;
        plain_size = size;
        keep_name(stems, number, 0);
        begin = out->size;
    }
    uint32_t code, second;
    size_t first = fa_decode(spelling.data, 0, spelling.size, &code);
    if (first < spelling.size && first + fa_decode(spelling.data, first, spelling.size, &second) == spelling.size &&
        code >= 0x80 && fa_class_of(code) == FA_PAIRED) {
        if (!fa_buffer_put(out, rules->paired.data, rules->paired.size) || !fa_buffer_put(out, spelling.data, first))
            return FA_NO_MEMORY;
        keep_name(stems, number, 0);
    }
    return stems->waiting + MOST_FOLDS > MANY ? put_keys(stems, FA_SPELLING_BIT) : FA_OK;
}

/* ---- the words of a segment ---- */

/* Give the number of a word that has keys in some languages, and put it on the lists of those in which it is to be
 * asked for. Adds to `found` in how many it was not known. */
static enum fa_status meet(fa_stems *stems, fa_bytes spelling, uint64_t hash, uint64_t languages, uint32_t *number,
                           size_t *found) {
    static const word nothing = {0};
    uint32_t count = stems->words.count;
    if (!fa_buffer_reserve(&stems->known, sizeof(word))) return FA_NO_MEMORY;
    enum fa_status status = fa_intern_put_hashed(&stems->words, spelling.data, spelling.size, hash, number);
    if (status != FA_OK) return status;
    if (*number == count) fa_buffer_put(&stems->known, &nothing, sizeof nothing);
    word *known = (word *)stems->known.data + *number;
    uint64_t missing = languages & ~known->languages, own = (uint64_t)1 << FA_SPELLING_BIT;
    if (missing == 0) return FA_OK;
    *found += (size_t)__builtin_popcountll(missing);
    if (missing & own) status = put_spellings(stems, *number, spelling);
    if (!fa_is_stemmable(spelling)) {
        known->languages |= missing;
        return status;
    }
    known->languages |= missing & own;
    for (uint64_t left = missing & ~own; left; left &= left - 1)
        if (!fa_buffer_put_u32(&stems->asked[lowest_bit(left)], *number)) return FA_NO_MEMORY;
    return status;
}

enum fa_status fa_stems_begin(fa_stems *stems, const fa_stem_words *words, size_t first, size_t at_once,
                              size_t *reached) {
    enum { AHEAD = 16 }; /* words that are made ready: the table is larger than what the processor has at hand */
    size_t found = 0, row = first;
    if (stems->words.bytes.size + stems->words.count * (sizeof(word) + BYTES_A_WORD) + stems->keys.size > stems->most)
        forget(stems);
    stems->numbers.size = 0;
    stems->bit = LANGUAGES;
    stems->names.size = stems->waiting = 0;
    for (unsigned bit = 0; bit < LANGUAGES; bit++) stems->asked[bit].size = 0;
    while (row < words->count && (row == first || found < at_once)) {
        fa_bytes spelling[AHEAD];
        uint64_t languages[AHEAD], hash[AHEAD];
        size_t here = words->count - row < AHEAD ? words->count - row : AHEAD;
        for (size_t i = 0; i < here; i++) {
            if (!spelling_of(words, row + i, &spelling[i])) return FA_CORRUPT;
            languages[i] = languages_of(words, row + i, spelling[i]);
            if (!languages[i]) continue;
            hash[i] = fa_hash(spelling[i].data, spelling[i].size);
            fa_intern_prepare(&stems->words, hash[i]);
        }
        for (size_t i = 0; i < here; i++)
            if (languages[i]) fa_intern_prepare_string(&stems->words, hash[i]);
        for (size_t i = 0; i < here; i++)
            if (languages[i]) fa_intern_prepare_bytes(&stems->words, hash[i]);
        for (size_t i = 0; i < here; i++) {
            uint32_t number = NONE;
            enum fa_status status =
                languages[i] ? meet(stems, spelling[i], hash[i], languages[i], &number, &found) : FA_OK;
            if (status != FA_OK) return status;
            if (!fa_buffer_put_u32(&stems->numbers, number)) return FA_NO_MEMORY;
        }
        row += here;
    }
    *reached = row;
    return put_keys(stems, FA_SPELLING_BIT);
}

/* Stem the words that are to be asked for in the language in hand, with a stemmer for it. */
static enum fa_status stem_all(fa_stems *stems, struct sb_stemmer *stemmer) {
    fa_buffer *asked = &stems->asked[stems->bit];
    const uint32_t *numbers = (const uint32_t *)asked->data;
    for (size_t i = 0; i < asked->size / sizeof *numbers; i++) {
        fa_bytes spelling = fa_intern_at(&stems->words, numbers[i]);
        if (spelling.size > INT_MAX) return FA_TOO_LARGE;
        const uint8_t *stem = stems->stemmers->stem(stemmer, spelling.data, (int)spelling.size);
        int size = stem ? stems->stemmers->length(stemmer) : -1;
        if (size < 0) return FA_NO_MEMORY;
        enum fa_status status =
            put_stem(stems, numbers[i], stems->stemmers->prefixes[stems->bit], (fa_bytes){stem, (size_t)size});
        if (status != FA_OK) return status;
    }
    asked->size = 0;
    return put_keys(stems, stems->bit);
}

enum fa_status fa_stems_ask(fa_stems *stems, uint32_t *bit, fa_bytes *spelled) {
    fa_buffer *out = &stems->spelled;
    out->size = 0;
    *spelled = (fa_bytes){0};
    for (stems->bit = 0; stems->bit < LANGUAGES; stems->bit++) {
        struct sb_stemmer *stemmer = stems->stemmers->languages[stems->bit];
        if (!stems->asked[stems->bit].size) continue;
        if (!stemmer) break;
        enum fa_status status = stem_all(stems, stemmer);
        if (status != FA_OK) return status;
    }
    *bit = stems->bit;
    if (stems->bit == LANGUAGES) return FA_OK;
    const uint32_t *numbers = (const uint32_t *)stems->asked[stems->bit].data;
    for (size_t i = 0; i < stems->asked[stems->bit].size / sizeof *numbers; i++) {
        fa_bytes spelling = fa_intern_at(&stems->words, numbers[i]);
        if (i && !fa_buffer_put(out, "", 1)) return FA_NO_MEMORY;
        if (!fa_buffer_put(out, spelling.data, spelling.size)) return FA_NO_MEMORY;
    }
    *spelled = (fa_bytes){out->data, out->size};
    return FA_OK;
}

enum fa_status fa_stems_tell(fa_stems *stems, fa_bytes told) {
    if (stems->bit >= LANGUAGES) return FA_CORRUPT;
    fa_buffer *asked = &stems->asked[stems->bit];
    const uint32_t *numbers = (const uint32_t *)asked->data;
    size_t count = asked->size / sizeof *numbers, at = 0;
    asked->size = 0;
    for (size_t i = 0; i < count; i++) {
        const uint8_t *begin = told.data + at, *end = at < told.size ? memchr(begin, 0, told.size - at) : NULL;
        size_t size = end ? (size_t)(end - begin) : told.size - at;
        if (at > told.size || (end == NULL) != (i + 1 == count)) return FA_CORRUPT;
        at += size + 1;
        enum fa_status status =
            put_stem(stems, numbers[i], stems->stemmers->prefixes[stems->bit], (fa_bytes){begin, size});
        if (status != FA_OK) return status;
    }
    return put_keys(stems, stems->bit);
}

enum fa_status fa_stems_take(fa_stems *stems, const fa_stem_words *words, size_t first) {
    const uint32_t *numbers = (const uint32_t *)stems->numbers.data;
    size_t count = stems->numbers.size / sizeof *numbers;
    if (first == 0) stems->rows.size = 0;
    if (first > words->count || count > words->count - first) return FA_CORRUPT;
    for (size_t i = 0; i < count; i++) {
        fa_bytes spelling;
        if (numbers[i] == NONE) continue;
        if (!spelling_of(words, first + i, &spelling)) return FA_CORRUPT;
        uint64_t languages = languages_of(words, first + i, spelling);
        const key *keys = (const key *)stems->keys.data;
        for (uint32_t at = ((const word *)stems->known.data)[numbers[i]].last; at; at = keys[at - 1].before) {
            if (!(languages >> keys[at - 1].bit & 1)) continue;
            fa_item made = {keys[at - 1].key, (uint32_t)(first + i), keys[at - 1].is_own};
            if (!fa_buffer_put(&stems->rows, &made, sizeof made)) return FA_NO_MEMORY;
        }
    }
    return FA_OK;
}

enum fa_status fa_stems_end(fa_stems *stems, size_t *found) {
    size_t size = stems->rows.size, count = size / sizeof(fa_item), kept = 0;
    if (!fa_buffer_reserve(&stems->rows, size)) return FA_NO_MEMORY;
    fa_item *rows = (fa_item *)stems->rows.data, *sorted = fa_sorted_items(rows, rows + count, count);
    for (size_t i = 0; i < count; i++) {
        int is_shared =
            (i && sorted[i - 1].key == sorted[i].key) || (i + 1 < count && sorted[i + 1].key == sorted[i].key);
        /* a row moves to the front of those looked at: the one before has not been written over */
        if (is_shared || !sorted[i].more) sorted[kept++] = sorted[i];
    }
    if (sorted != rows) memcpy(rows, sorted, kept * sizeof *rows);
    stems->rows.size = kept * sizeof *rows;
    *found = kept;
    return FA_OK;
}

void fa_stems_rows(fa_stems *stems, uint64_t *keys, uint32_t *rows) {
    const fa_item *made = (const fa_item *)stems->rows.data;
    for (size_t i = 0; i < stems->rows.size / sizeof *made; i++) {
        keys[i] = made[i].key;
        rows[i] = made[i].row;
    }
    fa_buffer_free(&stems->rows);
}

enum fa_status fa_keys_of(fa_bytes joined, const uint32_t *ends, size_t count, uint64_t *keys) {
    fa_bytes name[MANY];
    uint32_t start = 0;
    for (size_t first = 0; first < count; first += MANY) {
        size_t here = count - first < MANY ? count - first : MANY;
        for (size_t i = 0; i < here; i++) {
            uint32_t end = ends[first + i];
            if (end < start || end > joined.size) return FA_CORRUPT;
            name[i] = (fa_bytes){joined.data + start, end - start};
            start = end;
        }
        fa_md5_keys(name, here, keys + first);
    }
    return FA_OK;
}
