/* See alike.h. */
#include "alike.h"

#include <stdlib.h>
#include <string.h>

#include "utf8.h"

enum { RUN_WORDS = 4 };

/* The runs of a text as hashes (with the secret of this process) in their order, and once it was asked for each of them once
 * in a table, in which 0 is a free place. */
typedef struct text_runs {
    uint64_t *runs, *table;
    size_t words, count, room, different;
} text_runs;

/* ---------------------------------------------------------------- words */

static inline int is_printable_ascii(uint8_t byte) { return (uint8_t)(byte - '!') <= '~' - '!'; }

/* Put the hashes of the words between white space into `hashes`, of which there is room for half as many as the text has
 * bytes, and one more. Returns how many they are. */
static size_t hash_words(fa_bytes text, uint64_t *hashes) {
    size_t count = 0, begin = 0, at = 0;
    while (begin < text.size) {
        uint32_t code;
        size_t size = fa_decode(text.data, at = begin, text.size, &code);
        if (fa_is_blank(code)) {
            begin += size;
            continue;
        }
        do {
            at += size;
            while (at < text.size && is_printable_ascii(text.data[at])) at++;
        } while (at < text.size && (size = fa_decode(text.data, at, text.size, &code), !fa_is_blank(code)));
        const uint8_t *word = text.data + begin;
        hashes[count++] = text.size - at >= FA_HASH_AHEAD ? fa_hash_ahead(word, at - begin) : fa_hash(word, at - begin);
        begin = at;
    }
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
