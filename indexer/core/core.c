#include "core.h"

/* Found in the bytes of the library by build.py, which compares it with the sources as they are. */
#ifdef FA_SOURCES
FA_EXPORT const char fa_sources[] = FA_SOURCES;
#endif

uint32_t fa_abi(void) { return FA_ABI; }
