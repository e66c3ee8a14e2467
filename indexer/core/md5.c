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

/* Four digests that are made at once, one in each lane. */
enum { LANES = 4, BLOCK = 64, MOST_IN_ONE = 55 /* bytes that one block has room for */ };
typedef uint32_t lanes __attribute__((vector_size(4 * LANES)));

static uint32_t load(const uint8_t *at) {
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static void store(uint8_t *at, uint32_t value) {
    for (unsigned byte = 0; byte < 4; byte++) at[byte] = (uint8_t)(value >> (8 * byte));
}

/* All of this takes numbers and lanes alike. */
#define TURNED(value, bits) ((value) << (bits) | (value) >> (32 - (bits)))
#define STEP(a, b, c, d, mixed, part, bits, i) \
    a += (mixed) + parts[part] + sines[i];     \
    a = b + TURNED(a, bits)
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

#define ALL_ROUNDS                                                            \
    for (unsigned i = 0; i < 16; i += 4) { ROUND(F, i, PART_F, 7, 12, 17, 22); }  \
    for (unsigned i = 16; i < 32; i += 4) { ROUND(G, i, PART_G, 5, 9, 14, 20); }  \
    for (unsigned i = 32; i < 48; i += 4) { ROUND(H, i, PART_H, 4, 11, 16, 23); } \
    for (unsigned i = 48; i < 64; i += 4) { ROUND(I, i, PART_I, 6, 10, 15, 21); }

static const uint32_t START[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};

static void take_block(uint32_t state[4], const uint8_t *block) {
    uint32_t parts[16], a = state[0], b = state[1], c = state[2], d = state[3];
    for (unsigned part = 0; part < 16; part++) parts[part] = load(block + 4 * part);
    ALL_ROUNDS
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
}

/* Put the size of a message in bytes to the end of its last block. */
static void end_block(uint8_t *block, uint64_t size) {
    store(block + BLOCK - 8, (uint32_t)(size << 3));
    store(block + BLOCK - 4, (uint32_t)(size >> 29));
}

void fa_md5(const uint8_t *data, size_t size, uint8_t digest[16]) {
    uint32_t state[4] = {START[0], START[1], START[2], START[3]};
    uint8_t last[2 * BLOCK] = {0};
    size_t whole = size & ~(size_t)(BLOCK - 1), rest = size - whole;
    for (size_t at = 0; at < whole; at += BLOCK) take_block(state, data + at);
    if (rest) memcpy(last, data + whole, rest);
    last[rest] = 0x80;
    uint8_t *end = last + (rest > MOST_IN_ONE ? BLOCK : 0);
    end_block(end, size);
    if (end > last) take_block(state, last);
    take_block(state, end);
    for (unsigned part = 0; part < 4; part++) store(digest + 4 * part, state[part]);
}

static uint64_t key_in(uint32_t first, uint32_t second) {
    return (uint64_t)__builtin_bswap32(first) << 32 | __builtin_bswap32(second);
}

uint32_t fa_md5_id(const uint8_t *data, size_t size) {
    uint8_t digest[16];
    fa_md5(data, size, digest);
    return __builtin_bswap32(load(digest));
}

/* The keys of four blocks. */
static void take_blocks(const uint8_t blocks[LANES][BLOCK], uint64_t keys[LANES]) {
    const lanes none = {0};
    lanes parts[16], a = none + START[0], b = none + START[1], c = none + START[2], d = none + START[3];
    for (unsigned lane = 0; lane < LANES; lane++)
        for (unsigned part = 0; part < 16; part++) parts[part][lane] = load(blocks[lane] + 4 * part);
    ALL_ROUNDS
    for (unsigned lane = 0; lane < LANES; lane++) keys[lane] = key_in(a[lane] + START[0], b[lane] + START[1]);
}

void fa_md5_keys(const fa_bytes *names, size_t count, uint64_t *keys) {
    for (size_t first = 0; first < count; first += LANES) {
        uint8_t blocks[LANES][BLOCK] = {{0}}, digest[16];
        uint64_t made[LANES];
        size_t here = count - first < LANES ? count - first : LANES;
        for (size_t lane = 0; lane < here; lane++) {
            fa_bytes name = names[first + lane];
            if (name.size > MOST_IN_ONE) continue;
            if (name.size) memcpy(blocks[lane], name.data, name.size);
            blocks[lane][name.size] = 0x80;
            end_block(blocks[lane], name.size);
        }
        take_blocks(blocks, made);
        for (size_t lane = 0; lane < here; lane++) {
            fa_bytes name = names[first + lane];
            if (name.size > MOST_IN_ONE) {
                fa_md5(name.data, name.size, digest);
                made[lane] = key_in(load(digest), load(digest + 4));
            }
            keys[first + lane] = made[lane];
        }
    }
}
