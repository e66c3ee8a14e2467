/* See sketch.h. */
#include "sketch.h"

#include <stdlib.h>
#include <string.h>

#include "segment.h"
#include "sketch_functions.h"

#define MIX 0x9E3779B97F4A7C15u

static inline uint64_t scramble(uint64_t value) {
    value = (value ^ value >> 31) * MIX;
    return value ^ value >> 29;
}

/* Put the hashes of all runs of four words into `shingles`, and return their number: one for each word but the last
 * three. A word counts by its CRC-32, for fa_hash is another in every process. */
static size_t put_shingles(const fa_tokens *tokens, uint64_t *shingles) {
    uint64_t codes[FA_SHINGLE_WORDS] = {0};
    size_t words = 0;
    for (size_t k = 0; k < tokens->token_count; k++) {
        const fa_token *token = &tokens->tokens[k];
        if (token->flags & FA_COMPOUND) continue;
        codes[words++ % FA_SHINGLE_WORDS] = fa_crc32(0, tokens->normal + token->begin, token->size);
        if (words < FA_SHINGLE_WORDS) continue;
        uint64_t hash = 0;
        for (size_t place = words - FA_SHINGLE_WORDS; place < words; place++)
            hash = scramble(hash * 31 + codes[place % FA_SHINGLE_WORDS]);
        shingles[words - FA_SHINGLE_WORDS] = hash;
    }
    return words;
}

/* Sort by radix, a byte at a time, for time that no text can stretch. spare: as much room. */
static void sort(uint64_t *values, uint64_t *spare, size_t count) {
    for (unsigned shift = 0; shift < 64; shift += 8) {
        size_t places[256] = {0};
        for (size_t k = 0; k < count; k++) places[values[k] >> shift & 255]++;
        size_t place = 0;
        for (size_t byte = 0; byte < 256; byte++) {
            size_t many = places[byte];
            places[byte] = place;
            place += many;
        }
        for (size_t k = 0; k < count; k++) spare[places[values[k] >> shift & 255]++] = values[k];
        memcpy(values, spare, count * sizeof *values);
    }
}

static size_t keep_smallest(uint64_t *shingles, uint64_t *spare, size_t count) {
    if (count <= FA_MOST_SHINGLES) return count;
    sort(shingles, spare, count);
    size_t kept = 1;
    for (size_t k = 1; k < count && kept < FA_MOST_SHINGLES; k++)
        if (shingles[k] != shingles[k - 1]) shingles[kept++] = shingles[k];
    return kept;
}

/* A hash is the high half of factor * shingle + addend, which rises with the whole. Four functions at a time: so many
 * smallest hashes stay in registers, and none waits for another. */
static void sketch_shingles(const uint64_t *shingles, size_t count, uint32_t *sketch) {
    enum { AT_ONCE = 4 };
    for (size_t k = 0; k < FA_SKETCH_HASHES; k += AT_ONCE) {
        uint64_t smallest[AT_ONCE] = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX};
        for (size_t s = 0; s < count; s++)
            for (size_t n = 0; n < AT_ONCE; n++) {
                uint64_t hash = shingles[s] * FUNCTIONS[k + n].factor + FUNCTIONS[k + n].addend;
                smallest[n] = hash < smallest[n] ? hash : smallest[n];
            }
        for (size_t n = 0; n < AT_ONCE; n++) sketch[k + n] = (uint32_t)(smallest[n] >> 32);
    }
}

int fa_sketch(const fa_tokens *tokens, uint32_t *sketch, int *is_long) {
    *is_long = 0;
    if (tokens->token_count < FA_FEWEST_WORDS) return FA_OK;
    if (tokens->token_count > SIZE_MAX / (2 * sizeof(uint64_t))) return FA_NO_MEMORY;
    uint64_t *shingles = malloc(2 * sizeof *shingles * tokens->token_count);
    if (shingles == NULL) return FA_NO_MEMORY;
    size_t words = put_shingles(tokens, shingles);
    if (words >= FA_FEWEST_WORDS) {
        size_t count = keep_smallest(shingles, shingles + tokens->token_count, words - FA_SHINGLE_WORDS + 1);
        sketch_shingles(shingles, count, sketch);
        *is_long = 1;
    }
    free(shingles);
    return FA_OK;
}

void fa_bands(const uint32_t *sketch, int64_t *bands) {
    for (uint64_t band = 0; band < FA_BANDS; band++) {
        uint64_t key = (band + 1) * MIX;
        for (size_t row = 0; row < FA_BAND_ROWS; row++) key = scramble(key ^ sketch[band * FA_BAND_ROWS + row]);
        memcpy(&bands[band], &key, sizeof key);
    }
}

uint32_t fa_agreement(const uint32_t *first, const uint32_t *second) {
    uint32_t places = 0;
    for (size_t k = 0; k < FA_SKETCH_HASHES; k++) places += first[k] == second[k];
    return places;
}
