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

#ifdef FA_HAS_ABILITIES
/* The registers that the system keeps for a process when another one has its turn. */
static uint32_t registers_kept(void) {
    uint32_t low, high;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

int fa_has_avx2(void) {
    enum { OF_SSE_AND_AVX = 6 };
    const unsigned first = bit_OSXSAVE | bit_AVX | bit_POPCNT, second = bit_AVX2 | bit_BMI | bit_BMI2;
    unsigned a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d) || (c & first) != first) return 0;
    if ((registers_kept() & OF_SSE_AND_AVX) != OF_SSE_AND_AVX) return 0;
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || (b & second) != second) return 0;
    return __get_cpuid(0x80000001, &a, &b, &c, &d) && c & bit_LZCNT;
}
#else
int fa_has_avx2(void) { return 0; }
#endif
