/* CRC-32 as zlib computes it: eight bytes at a time, by eight tables. */
#include "segment.h"

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

uint32_t fa_crc32(uint32_t crc, const uint8_t *data, size_t size) {
    crc = ~crc;
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
