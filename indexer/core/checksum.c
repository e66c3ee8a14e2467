/* CRC-32 as zlib computes it: eight bytes at a time, by eight tables; or 64, where the processor multiplies without
 * carrying. */
#include "processor.h"
#include "segment.h"

#ifdef FA_HAS_ABILITIES
#include <immintrin.h>
#endif

static uint32_t tables[8][256];

/* Runs while the library is loaded, before any thread can ask. */
__attribute__((constructor)) static void make_tables(void) {
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t rest = byte;
        for (int bit = 0; bit < 8; bit++) rest = rest & 1 ? rest >> 1 ^ 0xEDB88320u : rest >> 1;
        tables[0][byte] = rest;
    }
    for (uint32_t byte = 0; byte < 256; byte++)
        for (int table = 1; table < 8; table++)
            tables[table][byte] = tables[table - 1][byte] >> 8 ^ tables[0][tables[table - 1][byte] & 255];
}

static uint32_t four_bytes(const uint8_t *at) {
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

#ifdef FA_HAS_ABILITIES
#define FOLDING __attribute__((target("pclmul,sse4.1")))

FOLDING static inline __m128i sixteen(const uint8_t *at) { return _mm_loadu_si128((const __m128i *)at); }

/* Move what was read so far behind `more`, by multiplying it with powers of x modulo the polynomial. */
FOLDING static inline __m128i fold(__m128i read, __m128i powers, __m128i more) {
    __m128i low = _mm_clmulepi64_si128(read, powers, 0x00), high = _mm_clmulepi64_si128(read, powers, 0x11);
    return _mm_xor_si128(_mm_xor_si128(low, high), more);
}

/* Read 64 bytes or more, whole sixteens: Gopal and others, "Fast CRC Computation for Generic Polynomials Using PCLMULQDQ
 * Instruction", Intel 2009, with the numbers for the polynomial of zlib. */
FOLDING static uint32_t read_folded(uint32_t crc, const uint8_t *data, size_t size) {
    const __m128i by_64 = _mm_set_epi64x(0x01c6e41596, 0x0154442bd4), by_16 = _mm_set_epi64x(0x00ccaa009e, 0x01751997d0);
    const __m128i by_8 = _mm_set_epi64x(0, 0x0163cd6124), polynomial = _mm_set_epi64x(0x01f7011641, 0x01db710641);
    const __m128i low_halves = _mm_setr_epi32(-1, 0, -1, 0);
    __m128i read = _mm_xor_si128(sixteen(data), _mm_cvtsi32_si128((int)crc));
    __m128i second = sixteen(data + 16), third = sixteen(data + 32), fourth = sixteen(data + 48);
    for (data += 64, size -= 64; size >= 64; data += 64, size -= 64) {
        read = fold(read, by_64, sixteen(data));
        second = fold(second, by_64, sixteen(data + 16));
        third = fold(third, by_64, sixteen(data + 32));
        fourth = fold(fourth, by_64, sixteen(data + 48));
    }
    read = fold(fold(fold(read, by_16, second), by_16, third), by_16, fourth);
    for (; size >= 16; data += 16, size -= 16) read = fold(read, by_16, sixteen(data));
    /* 16 bytes become eight, and these the rest of a division by the polynomial */
    read = _mm_xor_si128(_mm_srli_si128(read, 8), _mm_clmulepi64_si128(read, by_16, 0x10));
    __m128i rest = _mm_srli_si128(read, 4);
    read = _mm_xor_si128(_mm_clmulepi64_si128(_mm_and_si128(read, low_halves), by_8, 0x00), rest);
    rest = _mm_and_si128(_mm_clmulepi64_si128(_mm_and_si128(read, low_halves), polynomial, 0x10), low_halves);
    rest = _mm_clmulepi64_si128(rest, polynomial, 0x00);
    return (uint32_t)_mm_extract_epi32(_mm_xor_si128(read, rest), 1);
}
#endif

uint32_t fa_crc32(uint32_t crc, const uint8_t *data, size_t size) {
    crc = ~crc;
#ifdef FA_HAS_ABILITIES
    if (fa_processor & FA_CAN_FOLD && size >= 64) {
        size_t whole = size & ~(size_t)15;
        crc = read_folded(crc, data, whole);
        data += whole;
        size -= whole;
    }
#endif
    for (; size >= 8; data += 8, size -= 8) {
        uint32_t low = four_bytes(data) ^ crc, high = four_bytes(data + 4);
        crc = tables[7][low & 255] ^ tables[6][low >> 8 & 255] ^ tables[5][low >> 16 & 255] ^ tables[4][low >> 24] ^
              tables[3][high & 255] ^ tables[2][high >> 8 & 255] ^ tables[1][high >> 16 & 255] ^
              tables[0][high >> 24];
    }
    for (; size; data++, size--) crc = crc >> 8 ^ tables[0][(crc ^ *data) & 255];
    return ~crc;
}

/* The slow half of fa_require: verify what is not verified yet. Two threads may do the same, with the same result. */
int fa_verify(const fa_segment *segment, const fa_array *array, uint64_t from, uint64_t to, fa_fault *fault) {
    uint64_t last = (to - 1) / array->block;
    for (uint64_t block = from / array->block; block <= last; block++) {
        if (__atomic_load_n(&array->verified[block], __ATOMIC_ACQUIRE)) continue;
        uint64_t begin = block * array->block;
        uint64_t size = array->size - begin < array->block ? array->size - begin : array->block;
        if (fa_crc32(0, array->data + begin, size) != array->sums[block]) return fa_damaged(segment, array, fault);
        __atomic_store_n(&array->verified[block], 1, __ATOMIC_RELEASE);
    }
    return FA_OK;
}

size_t fa_pages_sound(const uint8_t *data, size_t size, size_t first) {
    while (size - first >= FA_PAGE) {
        const uint8_t *page = data + first, *sum = page + FA_PAGE - FA_RESERVED;
        if (four_bytes(sum) != fa_crc32(0, page, FA_PAGE - FA_RESERVED) || four_bytes(sum + 4)) break;
        first += FA_PAGE;
    }
    return first;
}
