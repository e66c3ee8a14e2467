/* Which instructions this processor has beyond those that every one of its family has.
 *
 * What uses such an instruction has a second way without it, with the same result to the bit. Here alone it is decided which
 * is taken, so that tests can take each of them on any machine. */
#ifndef FINDINGAID_PROCESSOR_H
#define FINDINGAID_PROCESSOR_H

#include "core.h"

#if defined(__x86_64__) && !defined(FA_NO_ABILITIES) /* tests: as where there is nothing to use */
#define FA_HAS_ABILITIES
#endif

enum {
    FA_CAN_SHIFT = 1, /* BMI2: to shift by a number in any register is one step instead of three */
    FA_CAN_FOLD = 2,  /* PCLMULQDQ and SSE4.1: to multiply without carrying */
    FA_CAN_COUNT = 4  /* POPCNT: the bits of a word */
};

/* The sum of those that are used. Set while the library is loaded, before any thread can ask. */
extern uint32_t fa_processor;

/* For tests, while no other thread is in the core: use of these only what the processor has, and return what that is. */
FA_EXPORT uint32_t fa_processor_use(uint32_t wanted);

/* Whether this processor, under this system, can run the library that is made for AVX2 (FLAGS_FOR_AVX2 in build.py). */
FA_EXPORT int fa_has_avx2(void);

#endif
