#include "intern.h"

#include "tokens.h"

/* The half of a hash that is kept. */
static inline uint64_t half_of(uint64_t hash) { return (uint32_t)(hash ^ hash >> 32); }

fa_bytes fa_intern_at(const fa_intern *table, uint32_t number) {
    const uint32_t *ends = (const uint32_t *)table->ends.data;
    uint32_t start = number ? ends[number - 1] : 0;
    return (fa_bytes){table->bytes.data + start, ends[number] - start};
}

static enum fa_status grow(fa_intern *table) {
    size_t places = table->places ? table->places * 2 : 256;
    uint64_t *slots = calloc(places, sizeof *slots);
    if (slots == NULL) return FA_NO_MEMORY;
    if (places * sizeof *slots >= FA_LARGE) fa_buffer_is_large(slots, places * sizeof *slots);
    for (size_t old = 0; old < table->places; old++) {
        if (!table->slots[old]) continue;
        size_t place = (table->slots[old] >> 32) & (places - 1);
        while (slots[place]) place = (place + 1) & (places - 1);
        slots[place] = table->slots[old];
    }
    free(table->slots);
    table->slots = slots;
    table->places = places;
    return FA_OK;
}

/* memcmp() == 0 without the call, which takes longer than to compare a word: two pieces that overlap are all of one. */
static inline int are_same(const uint8_t *a, const uint8_t *b, size_t size) {
    if (size > 16) return memcmp(a, b, size) == 0;
    uint64_t first = 0, second = 0, last_first = 0, last_second = 0;
    if (size >= 8) {
        memcpy(&first, a, 8);
        memcpy(&second, b, 8);
        memcpy(&last_first, a + size - 8, 8);
        memcpy(&last_second, b + size - 8, 8);
    } else if (size >= 4) {
        memcpy(&first, a, 4);
        memcpy(&second, b, 4);
        memcpy(&last_first, a + size - 4, 4);
        memcpy(&last_second, b + size - 4, 4);
    } else if (size) {
        first = (uint64_t)a[0] | (uint64_t)a[size / 2] << 8 | (uint64_t)a[size - 1] << 16;
        second = (uint64_t)b[0] | (uint64_t)b[size / 2] << 8 | (uint64_t)b[size - 1] << 16;
    }
    return ((first ^ second) | (last_first ^ last_second)) == 0;
}

/* Look for a string: returns its place, or the free one where it belongs. The table has places. */
static size_t place_of(const fa_intern *table, uint64_t hash, const uint8_t *data, size_t size) {
    size_t place = hash & (table->places - 1);
    for (; table->slots[place]; place = (place + 1) & (table->places - 1)) {
        if (table->slots[place] >> 32 != hash) continue;
        fa_bytes held = fa_intern_at(table, (uint32_t)table->slots[place] - 1);
        if (held.size == size && are_same(held.data, data, size)) break;
    }
    return place;
}

void fa_intern_prepare(const fa_intern *table, uint64_t hash) {
    if (table->places) __builtin_prefetch(&table->slots[half_of(hash) & (table->places - 1)]);
}

void fa_intern_prepare_string(const fa_intern *table, uint64_t hash) {
    if (!table->places) return;
    uint32_t number = (uint32_t)table->slots[half_of(hash) & (table->places - 1)];
    if (number) __builtin_prefetch((const uint32_t *)table->ends.data + number - 1);
}

void fa_intern_prepare_bytes(const fa_intern *table, uint64_t hash) {
    if (!table->places) return;
    uint32_t number = (uint32_t)table->slots[half_of(hash) & (table->places - 1)];
    if (number > 1) __builtin_prefetch(table->bytes.data + ((const uint32_t *)table->ends.data)[number - 2]);
}

int fa_intern_find(const fa_intern *table, const uint8_t *data, size_t size, uint32_t *number) {
    if (!table->count) return 0;
    size_t place = place_of(table, half_of(fa_hash(data, size)), data, size);
    *number = (uint32_t)table->slots[place] - 1;
    return table->slots[place] != 0;
}

enum fa_status fa_intern_put(fa_intern *table, const uint8_t *data, size_t size, uint32_t *number) {
    return fa_intern_put_hashed(table, data, size, fa_hash(data, size), number);
}

enum fa_status fa_intern_put_hashed(fa_intern *table, const uint8_t *data, size_t size, uint64_t hash,
                                    uint32_t *number) {
    hash = half_of(hash);
    if ((size_t)table->count * 2 >= table->places) {
        enum fa_status status = grow(table);
        if (status != FA_OK) return status;
    }
    size_t place = place_of(table, hash, data, size);
    if (table->slots[place]) {
        *number = (uint32_t)table->slots[place] - 1;
        return FA_OK;
    }
    if (size > UINT32_MAX - table->bytes.size || table->count >= UINT32_MAX - 1) return FA_TOO_LARGE;
    /* a byte more: an empty string, too, lies somewhere */
    if (!fa_buffer_reserve(&table->ends, sizeof(uint32_t)) || !fa_buffer_reserve(&table->bytes, size + 1)) {
        return FA_NO_MEMORY;
    }
    fa_buffer_put(&table->bytes, data, size);
    fa_buffer_put_u32(&table->ends, (uint32_t)table->bytes.size);
    *number = table->count++;
    table->slots[place] = hash << 32 | table->count;
    return FA_OK;
}

void fa_intern_free(fa_intern *table) {
    free(table->slots);
    table->slots = NULL;
    table->places = table->count = 0;
    fa_buffer_free(&table->bytes);
    fa_buffer_free(&table->ends);
}
