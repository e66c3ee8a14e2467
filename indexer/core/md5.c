#include "md5.h"

#include <string.h>

/* floor(2^32 * |sin(i + 1)|), as RFC 1321 has it */
static const uint32_t sines[64] = {
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
};

static uint32_t turned(uint32_t value, unsigned bits) { return value << bits | value >> (32 - bits); }

static uint32_t load(const uint8_t *at) {
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static void store(uint8_t *at, uint32_t value) {
    for (unsigned byte = 0; byte < 4; byte++) at[byte] = (uint8_t)(value >> (8 * byte));
}

#define STEP(a, b, c, d, mixed, part, bits, i) a = b + turned(a + (mixed) + parts[part] + sines[i], bits)
#define ROUND(mix, i, part, first, second, third, fourth)                          \
    STEP(a, b, c, d, mix(b, c, d), part(i), first, i);                             \
    STEP(d, a, b, c, mix(a, b, c), part(i + 1), second, i + 1);                    \
    STEP(c, d, a, b, mix(d, a, b), part(i + 2), third, i + 2);                     \
    STEP(b, c, d, a, mix(c, d, a), part(i + 3), fourth, i + 3)
#define F(x, y, z) (((x) & (y)) | (~(x) & (z)))
#define G(x, y, z) (((x) & (z)) | ((y) & ~(z)))
#define H(x, y, z) ((x) ^ (y) ^ (z))
#define I(x, y, z) ((y) ^ ((x) | ~(z)))
#define PART_F(i) (i)
#define PART_G(i) ((5 * (i) + 1) % 16)
#define PART_H(i) ((3 * (i) + 5) % 16)
#define PART_I(i) ((7 * (i)) % 16)

static void take_block(uint32_t state[4], const uint8_t *block) {
    uint32_t parts[16], a = state[0], b = state[1], c = state[2], d = state[3];
    for (unsigned part = 0; part < 16; part++) parts[part] = load(block + 4 * part);
    for (unsigned i = 0; i < 16; i += 4) { ROUND(F, i, PART_F, 7, 12, 17, 22); }
    for (unsigned i = 16; i < 32; i += 4) { ROUND(G, i, PART_G, 5, 9, 14, 20); }
    for (unsigned i = 32; i < 48; i += 4) { ROUND(H, i, PART_H, 4, 11, 16, 23); }
    for (unsigned i = 48; i < 64; i += 4) { ROUND(I, i, PART_I, 6, 10, 15, 21); }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
}

void fa_md5(const uint8_t *data, size_t size, uint8_t digest[16]) {
    uint32_t state[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
    uint8_t last[128] = {0};
    size_t whole = size & ~(size_t)63, rest = size - whole;
    for (size_t at = 0; at < whole; at += 64) take_block(state, data + at);
    if (rest) memcpy(last, data + whole, rest);
    last[rest] = 0x80;
    size_t end = rest < 56 ? 64 : 128;
    store(last + end - 8, (uint32_t)((uint64_t)size << 3));
    store(last + end - 4, (uint32_t)((uint64_t)size >> 29));
    for (size_t at = 0; at < end; at += 64) take_block(state, last + at);
    for (unsigned part = 0; part < 4; part++) store(digest + 4 * part, state[part]);
}

uint32_t fa_md5_id(const uint8_t *data, size_t size) {
    uint8_t digest[16];
    fa_md5(data, size, digest);
    return (uint32_t)digest[0] << 24 | (uint32_t)digest[1] << 16 | (uint32_t)digest[2] << 8 | digest[3];
}
