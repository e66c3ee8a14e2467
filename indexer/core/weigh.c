/* The stored weights of a segment: one byte a pair, see indexer/store/weights.py for what it stands for. */
#include <math.h>
#include <stdlib.h>

#include "weigh.h"

#define STEPS 12
#define ZERO 120

/* Where in a doubling each code ends. A weight that is told to be above an end by rounding alone is not. */
static void ends_of_codes(double ends[STEPS]) {
    for (int step = 0; step < STEPS; step++) ends[step] = exp2((step + 1e-9) / STEPS);
}

/* Return the byte of a weight; 0 for 0 and below the scale, 255 for what is above it. */
static uint8_t code_of(double weight, const double ends[STEPS]) {
    int exponent = 0, steps = 0;
    if (!(weight > 0)) return 0;
    double part = 2 * frexp(weight, &exponent); /* from 1 to 2 */
    for (int step = 0; step < STEPS; step++) steps += part > ends[step];
    int code = ZERO + STEPS * (exponent - 1) + steps;
    return (uint8_t)(code < 0 ? 0 : code > 255 ? 255 : code);
}

/* Write the codes of one list. */
static int weigh_list(const fa_list *list, const uint32_t *ordinals, const double *norms, const double ends[STEPS],
                      uint8_t *codes, uint64_t *rare, fa_fault *fault) {
    const fa_segment *segment = list->segment;
    const fa_array *table = &segment->shape_table;
    for (uint32_t row = 0; row < list->count; row++) {
        const double *norm = norms + (size_t)ordinals[row] * FA_KINDS;
        double weight = 0;
        uint32_t shape;
        int status = fa_shape_in_row(segment, segment->shapes.data[list->start + row], rare, &shape, fault);
        if (status == FA_OK) status = fa_shape_row(segment, shape, fault);
        if (status != FA_OK) return status;
        for (uint32_t left = segment->shape_facts[shape].elements; left; left &= left - 1) {
            uint32_t element = (uint32_t)__builtin_ctz(left);
            weight += (double)fa_item(table, (uint64_t)FA_KINDS * shape + element) * norm[element];
        }
        codes[list->start + row] = code_of(weight, ends);
    }
    return FA_OK;
}

int fa_segment_codes(const fa_segment *segment, const double *norms, uint8_t *codes, fa_fault *fault) {
    double ends[STEPS];
    uint64_t next = 0, rare = 0;
    uint32_t *ordinals = malloc((segment->versions ? segment->versions : 1) * sizeof(uint32_t));
    if (ordinals == NULL) return FA_NO_MEMORY;
    ends_of_codes(ends);
    int status = fa_require(segment, &segment->shapes, 0, segment->pairs, fault);
    for (uint32_t word = 0; word < segment->words && status == FA_OK; word++) {
        fa_list list;
        status = fa_list_of(segment, word, &list, fault);
        /* the lists are all pairs, one behind the other: so are the rare shapes */
        if (status == FA_OK && list.start != next) status = fa_damaged(segment, &segment->pair_ends.sizes, fault);
        if (status == FA_OK) status = fa_list_ordinals(&list, ordinals, fault);
        if (status == FA_OK) status = weigh_list(&list, ordinals, norms, ends, codes, &rare, fault);
        if (status == FA_OK) next += list.count;
    }
    if (status == FA_OK && next != segment->pairs) status = fa_damaged(segment, &segment->pair_ends.sizes, fault);
    free(ordinals);
    return status;
}
