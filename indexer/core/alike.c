/* See alike.h. */
#include "alike.h"

#include <stdlib.h>
#include <string.h>

#include "utf8.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { RUN_WORDS = 4 };

/* The runs of a text as hashes (with the secret of this process) in their order, and once it was asked for each of them once
 * in a table, in which 0 is a free place. */
typedef struct text_runs {
    uint64_t *runs, *table;
    size_t words, count, room, different;
} text_runs;

/* ---------------------------------------------------------------- words */

enum { MASK_BYTES = 64 };

/* Return a bit for each of MASK_BYTES bytes that is white space of ASCII; in `leads` one for each that a character begins with
 * which may be other white space. */
static inline uint64_t blanks_in(const uint8_t *text, uint64_t *leads) {
    uint64_t blanks = 0;
    *leads = 0;
#ifdef __SSE2__
    for (unsigned k = 0; k < MASK_BYTES; k += 16) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(text + k));
        __m128i feeds = _mm_sub_epi8(bytes, _mm_set1_epi8(9)), signs = _mm_sub_epi8(bytes, _mm_set1_epi8(28));
        __m128i is_blank = _mm_or_si128(_mm_cmpeq_epi8(_mm_min_epu8(feeds, _mm_set1_epi8(13 - 9)), feeds),
                                        _mm_cmpeq_epi8(_mm_min_epu8(signs, _mm_set1_epi8(' ' - 28)), signs));
        blanks |= (uint64_t)(unsigned)_mm_movemask_epi8(is_blank) << k;
        if (_mm_movemask_epi8(bytes) == 0) continue;
        for (unsigned next = k; next < k + 16; next++)
            *leads |= (uint64_t)(text[next] == 0xc2 || (text[next] >= 0xe1 && text[next] <= 0xe3)) << next;
    }
#else
    for (unsigned k = 0; k < MASK_BYTES; k++) {
        blanks |= (uint64_t)(text[k] < 0x80 && fa_is_blank(text[k])) << k;
        *leads |= (uint64_t)(text[k] == 0xc2 || (text[k] >= 0xe1 && text[k] <= 0xe3)) << k;
    }
#endif
    return blanks;
}

static inline uint64_t hash_between(fa_bytes text, size_t begin, size_t end) {
    const uint8_t *word = text.data + begin;
    return text.size - end >= FA_HASH_AHEAD ? fa_hash_ahead(word, end - begin) : fa_hash(word, end - begin);
}

/* Put the hashes of the words between white space into `hashes`, of which there is room for half as many as the text has
 * bytes, and one more. Returns how many they are. */
static size_t hash_words(fa_bytes text, uint64_t *hashes) {
    size_t count = 0, word = 0;
    uint64_t inside = 0, carried = 0; /* carried: bits of a character that goes on in the next bytes */
    for (size_t at = 0; at < text.size; at += MASK_BYTES) {
        uint8_t last[MASK_BYTES];
        const uint8_t *bytes = text.data + at;
        if (text.size - at < MASK_BYTES) {
            memset(last, ' ', sizeof last);
            bytes = memcpy(last, bytes, text.size - at);
        }
        uint64_t leads, blanks = blanks_in(bytes, &leads) | carried;
        for (carried = 0; leads; leads &= leads - 1) {
            unsigned place = (unsigned)__builtin_ctzll(leads);
            uint32_t code;
            uint64_t all = ((uint64_t)1 << fa_decode(text.data, at + place, text.size, &code)) - 1;
            if (!fa_is_blank(code)) continue;
            blanks |= all << place;
            if (place) carried |= all >> (MASK_BYTES - place);
        }
        uint64_t words = ~blanks, edges = words ^ (words << 1 | inside);
        for (; edges; edges &= edges - 1) {
            size_t edge = at + (size_t)__builtin_ctzll(edges);
            if (inside) hashes[count++] = hash_between(text, word, edge);
            word = edge;
            inside ^= 1;
        }
    }
    if (inside) hashes[count++] = hash_between(text, word, text.size);
    return count;
}

/* The same of the words that fa_tokenize finds, for which room is made. */
static int hash_tokens(fa_tokens *tokens, fa_bytes text, text_runs *into) {
    int status = fa_tokenize(tokens, text, 0, SIZE_MAX);
    if (status != FA_OK) return status;
    uint64_t *hashes = realloc(into->runs, (tokens->token_count + 1) * sizeof *hashes);
    if (hashes == NULL) return FA_NO_MEMORY;
    into->runs = hashes;
    into->words = 0;
    for (size_t k = 0; k < tokens->token_count; k++)
        if (!(tokens->tokens[k].flags & FA_COMPOUND)) hashes[into->words++] = tokens->tokens[k].hash;
    return FA_OK;
}

/* ---------------------------------------------------------------- runs */

/* Make runs of the words, in their place. What is added up are hashes with a secret, by odd factors without a pattern. */
static void join_words(text_runs *text) {
    text->count = text->words < RUN_WORDS ? 0 : text->words - RUN_WORDS + 1;
    for (size_t k = 0; k < text->count; k++) {
        const uint64_t *word = &text->runs[k];
        uint64_t run = word[0] * 0x9e3779b97f4a7c15 + word[1] * 0xd1b54a32d192ed03 + word[2] * 0x8bb84b93962eacc9 + word[3];
        text->runs[k] = run == 0 ? 1 : run;
    }
}

static int read_text(text_runs *text, fa_tokens *tokens, const fa_shown_text *shown, const fa_likeness *likeness) {
    if (text->runs != NULL) return FA_OK;
    size_t characters = likeness->characters;
    fa_bytes start = {shown->data, fa_pass_characters(shown->data, 0, shown->size, &characters)};
    characters = likeness->characters - characters;
    text->runs = malloc((start.size / 2 + 1) * sizeof *text->runs);
    if (text->runs == NULL) return FA_NO_MEMORY;
    text->words = hash_words(start, text->runs);
    /* to find words between white space takes a tenth of the time, and what it finds alike, is */
    int status = FA_OK;
    if (text->words * likeness->longest_mean < characters) status = hash_tokens(tokens, start, text);
    if (status == FA_OK) join_words(text);
    return status;
}

static inline size_t place_of(const text_runs *text, uint64_t run) {
    size_t place = run & (text->room - 1);
    while (text->table[place] != 0 && text->table[place] != run) place = (place + 1) & (text->room - 1);
    return place;
}

static inline int has_run(const text_runs *text, uint64_t run) { return text->table[place_of(text, run)] == run; }

static int file_runs(text_runs *text) {
    if (text->table != NULL) return FA_OK;
    for (text->room = 2; text->room < 2 * text->count; text->room *= 2) continue;
    text->table = calloc(text->room, sizeof *text->table);
    if (text->table == NULL) return FA_NO_MEMORY;
    for (size_t k = 0; k < text->count; k++) {
        uint64_t *place = &text->table[place_of(text, text->runs[k])];
        text->different += *place == 0;
        *place = text->runs[k];
    }
    return FA_OK;
}

static size_t count_common(const text_runs *first, const text_runs *second) {
    size_t common = 0;
    for (size_t k = 0; k < first->room; k++) common += first->table[k] != 0 && has_run(second, first->table[k]);
    return common;
}

/* Could so many runs of the second text stand in the first that they are alike? Most texts are told apart by a tenth of
 * their runs. */
static int may_be_alike(const text_runs *first, const text_runs *second, double share) {
    double needed = share * (double)first->different; /* no fewer runs are in one of the two than in the first */
    size_t most = second->count;
    for (size_t k = 0; k < second->count && (double)most >= needed; k++) most -= !has_run(first, second->runs[k]);
    return (double)most >= needed;
}

static int compare(text_runs *first, text_runs *second, const fa_likeness *likeness, int *are_alike) {
    *are_alike = 0;
    if (first->words < likeness->fewest_words || second->words < likeness->fewest_words) return FA_OK;
    int status = file_runs(first);
    if (status != FA_OK || !may_be_alike(first, second, likeness->share)) return status;
    status = file_runs(second);
    if (status != FA_OK) return status;
    size_t common = count_common(first, second), both = first->different + second->different;
    *are_alike = (double)common >= likeness->share * (double)(both - common);
    return FA_OK;
}

static void let_go(text_runs *texts, size_t count) {
    for (size_t k = 0; k < count; k++) {
        free(texts[k].runs);
        free(texts[k].table);
    }
}

/* ---------------------------------------------------------------- what is called */

static int are_about_as_long(uint64_t one, uint64_t other, double share) {
    uint64_t least = one < other ? one : other, most = one < other ? other : one;
    return (double)least >= share * (double)most;
}

int fa_fold_alike(fa_tokens *tokens, const fa_shown_text *texts, size_t count, const fa_likeness *likeness,
                  uint32_t *stands_for) {
    text_runs *read = calloc(count + 1, sizeof *read);
    int status = read == NULL ? FA_NO_MEMORY : FA_OK;
    for (size_t k = 0; status == FA_OK && k < count; k++) {
        stands_for[k] = (uint32_t)k;
        for (size_t other = 0; status == FA_OK && other < k && stands_for[k] == k; other++) {
            int are_alike = 0;
            if (stands_for[other] != other || !are_about_as_long(texts[k].words, texts[other].words, likeness->share))
                continue;
            status = read_text(&read[other], tokens, &texts[other], likeness);
            if (status == FA_OK) status = read_text(&read[k], tokens, &texts[k], likeness);
            if (status == FA_OK) status = compare(&read[other], &read[k], likeness, &are_alike);
            if (are_alike) stands_for[k] = (uint32_t)other;
        }
    }
    if (read != NULL) let_go(read, count);
    free(read);
    return status;
}
