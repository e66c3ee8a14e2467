/* Characters of UTF-8, read and written. */
#ifndef FINDINGAID_UTF8_H
#define FINDINGAID_UTF8_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __AVX2__
#include <immintrin.h>
#endif

enum { FA_REPLACEMENT = 0xfffd };

/* Read one character. Returns its size in bytes; `code` is FA_REPLACEMENT for a byte that is no UTF-8, which is passed
 * over alone (a FA_REPLACEMENT that stands in the text has three). at < end. */
static inline size_t fa_decode(const uint8_t *source, size_t at, size_t end, uint32_t *code) {
    const uint8_t *bytes = source + at;
    size_t left = end - at;
    uint32_t lead = bytes[0];
    if (lead < 0x80) {
        *code = lead;
        return 1;
    }
    if (lead >= 0xc2 && lead < 0xe0 && left >= 2 && (bytes[1] & 0xc0) == 0x80) {
        *code = (lead & 31) << 6 | (bytes[1] & 63);
        return 2;
    }
    if (lead >= 0xe0 && lead < 0xf0 && left >= 3 && (bytes[1] & 0xc0) == 0x80 && (bytes[2] & 0xc0) == 0x80) {
        *code = (lead & 15) << 12 | (uint32_t)(bytes[1] & 63) << 6 | (bytes[2] & 63);
        if (*code >= 0x800) return 3;
    }
    if (lead >= 0xf0 && lead < 0xf5 && left >= 4 && (bytes[1] & 0xc0) == 0x80 && (bytes[2] & 0xc0) == 0x80 &&
        (bytes[3] & 0xc0) == 0x80) {
        *code = (lead & 7) << 18 | (uint32_t)(bytes[1] & 63) << 12 | (uint32_t)(bytes[2] & 63) << 6 | (bytes[3] & 63);
        if (*code >= 0x10000 && *code < 0x110000) return 4;
    }
    *code = FA_REPLACEMENT;
    return 1;
}

/* Return where the first byte stands from `at` on that is no ASCII, `end` if there is none. */
static inline size_t fa_pass_ascii(const uint8_t *source, size_t at, size_t end) {
    static const uint64_t HIGH = 0x8080808080808080u;
    uint64_t words[4];
#ifdef __AVX2__
    for (; end - at >= 64; at += 64) {
        const __m256i *both = (const __m256i *)(const void *)(source + at);
        __m256i first = _mm256_loadu_si256(both), second = _mm256_loadu_si256(both + 1);
        if (_mm256_movemask_epi8(_mm256_or_si256(first, second)) == 0) continue;
        uint32_t others = (uint32_t)_mm256_movemask_epi8(first);
        if (others) return at + (size_t)__builtin_ctz(others);
        return at + 32 + (size_t)__builtin_ctz((uint32_t)_mm256_movemask_epi8(second));
    }
#endif
    while (end - at >= sizeof *words) {
        memcpy(words, source + at, sizeof *words);
        if (*words & HIGH) return at + (size_t)__builtin_ctzll(*words & HIGH) / 8; /* numbers are little endian */
        at += sizeof *words;
        for (; end - at >= sizeof words; at += sizeof words) {
            memcpy(words, source + at, sizeof words);
            if ((words[0] | words[1] | words[2] | words[3]) & HIGH) break;
        }
    }
    while (at < end && source[at] < 0x80) at++;
    return at;
}

/* Pass up to `*characters` characters from `at` on, and count them off. Returns where they end. */
static inline size_t fa_pass_characters(const uint8_t *source, size_t at, size_t end, size_t *characters) {
    while (*characters && at < end) {
        size_t plain = fa_pass_ascii(source, at, *characters < end - at ? at + *characters : end) - at;
        at += plain;
        *characters -= plain;
        if (plain) continue;
        do at++;
        while (at < end && (source[at] & 0xc0) == 0x80);
        --*characters;
    }
    return at;
}

/* Is the character white space to Python's str.split? */
static inline int fa_is_blank(uint32_t code) {
    if (code < 0x80) return code == ' ' || (code >= 9 && code <= 13) || (code >= 28 && code <= 31);
    return code == 0x85 || code == 0xa0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200a) || code == 0x2028 ||
           code == 0x2029 || code == 0x202f || code == 0x205f || code == 0x3000;
}

static inline size_t fa_encode(uint8_t *out, uint32_t code) {
    if (code < 0x80) {
        out[0] = (uint8_t)code;
        return 1;
    }
    if (code < 0x800) {
        out[0] = (uint8_t)(0xc0 | code >> 6);
        out[1] = (uint8_t)(0x80 | (code & 63));
        return 2;
    }
    if (code < 0x10000) {
        out[0] = (uint8_t)(0xe0 | code >> 12);
        out[1] = (uint8_t)(0x80 | (code >> 6 & 63));
        out[2] = (uint8_t)(0x80 | (code & 63));
        return 3;
    }
    out[0] = (uint8_t)(0xf0 | code >> 18);
    out[1] = (uint8_t)(0x80 | (code >> 12 & 63));
    out[2] = (uint8_t)(0x80 | (code >> 6 & 63));
    out[3] = (uint8_t)(0x80 | (code & 63));
    return 4;
}

#endif
