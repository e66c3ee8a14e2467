#define _DEFAULT_SOURCE /* madvise */
#include "buffer.h"

#if defined(__linux__)
#include <sys/mman.h>
#endif

void fa_buffer_is_large(void *data, size_t size) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    enum { PAGE = 4096 }; /* the least that there is; where they are larger the system refuses what is not at such a place */
    uintptr_t begin = (uintptr_t)data & ~(uintptr_t)(PAGE - 1), end = ((uintptr_t)data + size) & ~(uintptr_t)(PAGE - 1);
    if (end > begin) (void)madvise((void *)begin, end - begin, MADV_HUGEPAGE);
#else
    (void)data;
    (void)size;
#endif
}
