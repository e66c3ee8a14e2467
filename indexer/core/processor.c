#include "processor.h"

#ifdef FA_HAS_ABILITIES
#include <cpuid.h>
#endif

uint32_t fa_processor;

static uint32_t what_it_has(void) {
    uint32_t has = 0;
#ifdef FA_HAS_ABILITIES
    unsigned a, b, c, d;
    if (__get_cpuid(1, &a, &b, &c, &d)) {
        if (c & bit_PCLMUL && c & bit_SSE4_1) has |= FA_CAN_FOLD;
        if (c & bit_POPCNT) has |= FA_CAN_COUNT;
    }
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d) && b & bit_BMI2) has |= FA_CAN_SHIFT;
#endif
    return has;
}

uint32_t fa_processor_use(uint32_t wanted) { return fa_processor = what_it_has() & wanted; }

__attribute__((constructor)) static void use_all(void) { fa_processor_use(UINT32_MAX); }
