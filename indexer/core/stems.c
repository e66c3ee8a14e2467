#include "stems.h"

#include "buffer.h"
#include "intern.h"
#include "md5.h"
#include "order.h"

enum { LANGUAGES = 64, BYTES_A_WORD = 36 };

/* What is known of a word: its keys are those from `first` on. */
typedef struct entry {
    uint32_t first;
    uint8_t count, is_own;
} entry;

struct fa_stems {
    fa_intern words[LANGUAGES];
    fa_buffer entries[LANGUAGES]; /* an entry a word */
    fa_buffer keys[LANGUAGES];
    uint64_t asked, asked_last[LANGUAGES]; /* how often it was asked for words, and when for those of each language */
    size_t most;
    fa_buffer rows; /* of the segment in hand, a fa_item each: a key, a word, whether it stands for the word itself */
};

fa_stems *fa_stems_new(size_t most) {
    fa_stems *stems = calloc(1, sizeof *stems);
    if (stems == NULL) return NULL;
    stems->most = most;
    return stems;
}

static void forget(fa_stems *stems, unsigned bit) {
    fa_intern_free(&stems->words[bit]);
    fa_buffer_free(&stems->entries[bit]);
    fa_buffer_free(&stems->keys[bit]);
}

void fa_stems_free(fa_stems *stems) {
    if (stems == NULL) return;
    for (unsigned bit = 0; bit < LANGUAGES; bit++) forget(stems, bit);
    fa_buffer_free(&stems->rows);
    free(stems);
}

static size_t bytes_of(const fa_stems *stems, unsigned bit) {
    return stems->words[bit].bytes.size + stems->keys[bit].size + (size_t)stems->words[bit].count * BYTES_A_WORD;
}

/* Forget the languages that were asked for longest ago, until what is kept is not too much. */
static void make_room(fa_stems *stems) {
    size_t bytes = 0;
    for (unsigned bit = 0; bit < LANGUAGES; bit++) bytes += bytes_of(stems, bit);
    while (bytes > stems->most) {
        unsigned oldest = LANGUAGES;
        for (unsigned bit = 0; bit < LANGUAGES; bit++)
            if (stems->words[bit].count && (oldest == LANGUAGES || stems->asked_last[bit] < stems->asked_last[oldest]))
                oldest = bit;
        if (oldest == LANGUAGES) return;
        bytes -= bytes_of(stems, oldest);
        forget(stems, oldest);
    }
}

/* Give the spelling of a word. Returns 0 when its ends do not fit. */
static int spelling_of(const fa_stem_words *words, size_t word, fa_bytes *spelling) {
    uint32_t start = word ? words->ends[word - 1] : 0, end = words->ends[word];
    if (end < start || end > words->words.size) return 0;
    *spelling = (fa_bytes){words->words.data + start, end - start};
    return 1;
}

/* The languages that a word may have keys in. */
static uint64_t languages_of(const fa_stem_words *words, size_t word, fa_bytes spelling) {
    uint8_t all = 0;
    int others = 0;
    for (size_t i = 0; i < spelling.size; i++) {
        all |= spelling.data[i];
        others |= (uint8_t)((spelling.data[i] | 0x20) - 'a') >= 26;
    }
    uint64_t own = (uint64_t)1 << FA_SPELLING_BIT;
    if (all & 0x80) return words->languages[word] | own;
    return others ? 0 : words->languages[word] & ~own;
}

static unsigned lowest_bit(uint64_t bits) { return (unsigned)__builtin_ctzll(bits); }

enum fa_status fa_stems_missing(fa_stems *stems, const fa_stem_words *words, size_t first, uint32_t *rows,
                                uint8_t *bits, size_t room, size_t *found, size_t *reached) {
    *found = 0;
    make_room(stems);
    stems->asked++;
    size_t word = first;
    for (; word < words->count && room - *found >= LANGUAGES; word++) {
        fa_bytes spelling;
        uint32_t number;
        if (!spelling_of(words, word, &spelling)) return FA_CORRUPT;
        for (uint64_t left = languages_of(words, word, spelling); left; left &= left - 1) {
            unsigned bit = lowest_bit(left);
            stems->asked_last[bit] = stems->asked;
            if (fa_intern_find(&stems->words[bit], spelling.data, spelling.size, &number)) continue;
            rows[*found] = (uint32_t)word;
            bits[(*found)++] = (uint8_t)bit;
        }
    }
    *reached = word;
    return FA_OK;
}

size_t fa_stems_spell(const fa_stem_words *words, const uint32_t *rows, size_t count, uint8_t *room) {
    size_t size = 0;
    for (size_t i = 0; i < count; i++) {
        fa_bytes spelling;
        if (rows[i] >= words->count || !spelling_of(words, rows[i], &spelling)) return 0;
        if (room) {
            if (spelling.size) memcpy(room + size, spelling.data, spelling.size);
            room[size + spelling.size] = 0;
        }
        size += spelling.size + 1;
    }
    return size;
}

static uint64_t key_of(const uint8_t *name, size_t size) {
    uint8_t digest[16];
    uint64_t key = 0;
    fa_md5(name, size, digest);
    for (unsigned byte = 0; byte < 8; byte++) key = key << 8 | digest[byte];
    return key;
}

/* Keep the key of a name behind the prefix that is in `named`. */
static enum fa_status put_key(fa_buffer *keys, fa_buffer *named, size_t prefix, fa_bytes name) {
    named->size = prefix;
    if (!fa_buffer_put(named, name.data, name.size)) return FA_NO_MEMORY;
    return fa_buffer_put_u64(keys, key_of(named->data, named->size)) ? FA_OK : FA_NO_MEMORY;
}

static enum fa_status put_words(fa_stems *stems, const fa_stem_words *words, unsigned bit, const uint32_t *rows,
                                const uint8_t *counts, size_t count, size_t prefix, fa_bytes names,
                                const uint32_t *ends, size_t name_count, fa_buffer *named) {
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        fa_bytes spelling;
        uint32_t number, known = stems->words[bit].count;
        if (rows[i] >= words->count || counts[i] > FA_MOST_KEYS || counts[i] > name_count - used ||
            !spelling_of(words, rows[i], &spelling)) {
            return FA_CORRUPT;
        }
        size_t first = stems->keys[bit].size / sizeof(uint64_t);
        if (first > UINT32_MAX - FA_MOST_KEYS) return FA_TOO_LARGE;
        entry told = {(uint32_t)first, counts[i], 0};
        for (size_t end = used + counts[i]; used < end; used++) {
            uint32_t start = used ? ends[used - 1] : 0;
            if (ends[used] < start || ends[used] > names.size) return FA_CORRUPT;
            fa_bytes name = {names.data + start, ends[used] - start};
            told.is_own = bit != FA_SPELLING_BIT && name.size == spelling.size && name.size &&
                          memcmp(name.data, spelling.data, name.size) == 0;
            enum fa_status status = put_key(&stems->keys[bit], named, prefix, name);
            if (status != FA_OK) return status;
        }
        if (!fa_buffer_reserve(&stems->entries[bit], sizeof(entry))) return FA_NO_MEMORY;
        enum fa_status status = fa_intern_put(&stems->words[bit], spelling.data, spelling.size, &number);
        if (status != FA_OK) return status;
        if (number < known) continue; /* told twice */
        fa_buffer_put(&stems->entries[bit], &told, sizeof told);
    }
    return FA_OK;
}

enum fa_status fa_stems_put(fa_stems *stems, const fa_stem_words *words, unsigned bit, const uint32_t *rows,
                            const uint8_t *counts, size_t count, fa_bytes prefix, fa_bytes names, const uint32_t *ends,
                            size_t name_count) {
    fa_buffer named = {0};
    if (bit >= LANGUAGES) return FA_CORRUPT;
    enum fa_status status = FA_NO_MEMORY;
    if (fa_buffer_put(&named, prefix.data, prefix.size))
        status = put_words(stems, words, bit, rows, counts, count, prefix.size, names, ends, name_count, &named);
    fa_buffer_free(&named);
    return status;
}

enum fa_status fa_stems_take(fa_stems *stems, const fa_stem_words *words, size_t first, size_t last) {
    if (first == 0) stems->rows.size = 0;
    for (size_t word = first; word < last && word < words->count; word++) {
        fa_bytes spelling;
        uint32_t number;
        if (!spelling_of(words, word, &spelling)) return FA_CORRUPT;
        for (uint64_t left = languages_of(words, word, spelling); left; left &= left - 1) {
            unsigned bit = lowest_bit(left);
            if (!fa_intern_find(&stems->words[bit], spelling.data, spelling.size, &number)) continue;
            entry known = ((const entry *)stems->entries[bit].data)[number];
            for (unsigned i = 0; i < known.count; i++) {
                fa_item made = {((const uint64_t *)stems->keys[bit].data)[known.first + i], (uint32_t)word, known.is_own};
                if (!fa_buffer_put(&stems->rows, &made, sizeof made)) return FA_NO_MEMORY;
            }
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

enum fa_status fa_keys_of(fa_bytes names, const uint32_t *ends, size_t count, uint64_t *keys) {
    uint32_t start = 0;
    for (size_t i = 0; i < count; i++) {
        if (ends[i] < start || ends[i] > names.size) return FA_CORRUPT;
        keys[i] = key_of(names.data + start, ends[i] - start);
        start = ends[i];
    }
    return FA_OK;
}
