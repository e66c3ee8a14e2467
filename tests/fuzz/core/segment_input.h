/* The arrays of a segment out of the input of a fuzzer: see _packed_segment in seeds.py. */
#ifndef SEGMENT_INPUT_H
#define SEGMENT_INPUT_H

#include <stdlib.h>

#include "segment.h"

#define ARRAYS 20

typedef struct input {
    const uint8_t *data;
    size_t size;
} input;

static uint32_t number(input *from, unsigned bytes) {
    uint32_t value = 0;
    for (; bytes && from->size; bytes--, from->data++, from->size--) value = value << 8 | *from->data;
    return value;
}

/* Each array in memory of its own, so that a byte read behind it is noticed. */
static int read_array(input *from, fa_array *array, uint16_t place) {
    uint32_t width = number(from, 1), size = number(from, 2);
    if (width != 1 && width != 2 && width != 4 && width != 8) width = 1;
    if (size > from->size) size = (uint32_t)from->size;
    uint8_t *data = malloc(size + 1);
    if (data == NULL) return 0;
    data = realloc(data, size ? size : 1);
    memcpy(data, from->data, size);
    from->data += size;
    from->size -= size;
    *array = (fa_array){.data = data, .size = size, .block = 64, .width = (uint16_t)width, .number = place};
    return 1;
}

static fa_array *arrays_of(fa_segment *segment) { return &segment->pair_ends.sizes; }

/* Return whether there is a segment whose columns are as long as Python makes sure of. */
static int read_segment(input *from, fa_segment *made) {
    memset(made, 0, sizeof *made);
    fa_array *all = arrays_of(made);
    made->versions = number(from, 2) % 300;
    made->languages = number(from, 1);
    for (int element = 0; element < FA_KINDS; element++)
        made->length_ends[element + 1] = (uint8_t)(made->length_ends[element] + number(from, 1) % 5);
    for (uint16_t place = 0; place < ARRAYS; place++)
        if (!read_array(from, &all[place], place)) return 0;
    made->serial = 1;
    made->pairs = number(from, 3);
    if (made->pairs > 2 * made->shapes.size) made->pairs = 2 * made->shapes.size;
    made->words = (uint32_t)made->pair_ends.sizes.size;
    made->shape_count = (uint32_t)(made->shape_table.size / made->shape_table.width / FA_KINDS);
    if (made->norms.size != (uint64_t)made->versions * FA_KINDS) {
        free((void *)(uintptr_t)made->norms.data);
        made->norms.data = NULL;
    }
    if (made->extent.size / made->extent.width < made->versions) return 0;
    fa_shape *facts = calloc(made->shape_count + 1, sizeof(fa_shape));
    uint8_t *bits = calloc(made->versions + 1, 1);
    fa_fault fault;
    int is_sound = fa_segment_shapes(made, facts, &fault) == FA_OK && fa_segment_bits(made, bits, &fault) == FA_OK;
    made->shape_facts = facts;
    made->bits = bits;
    return is_sound;
}

static void free_segment(fa_segment *made) {
    fa_array *all = arrays_of(made);
    for (int place = 0; place < ARRAYS; place++) free((void *)(uintptr_t)all[place].data);
    free((void *)(uintptr_t)made->shape_facts);
    free((void *)(uintptr_t)made->bits);
}

#endif
