/* Bytes that grow: what a batch, a merge or a table of words is collected in.
 *
 * What lies behind `size`, up to `room`, is zero unless it was asked for otherwise: bits can be put there one by one.
 */
#ifndef FINDINGAID_BUFFER_H
#define FINDINGAID_BUFFER_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct fa_buffer {
    uint8_t *data;
    size_t size, room; /* in bytes */
} fa_buffer;

enum { FA_LARGE = 4 << 20 }; /* from so many bytes on a block is a mapping of its own in a worker (_keep_memory in worker.py) */

/* Ask the system for pages of 2 MB under a block of FA_LARGE bytes or more: what is read and written all over it, as tables
 * and columns of words are, finds them with fewer steps, and they are given with fewer. It may decline. */
void fa_buffer_is_large(void *data, size_t size);

/* Make room for `more` bytes behind `size`, of any content: memory that nothing is written to costs nothing. Returns 0
 * when memory is short; the buffer is as it was then. */
static inline int fa_buffer_reserve_any(fa_buffer *buffer, size_t more) {
    if (more <= buffer->room - buffer->size) return 1;
    if (more > SIZE_MAX / 2 - buffer->size) return 0;
    size_t room = buffer->room + buffer->room / 2 + 256;
    if (room < buffer->size + more) room = buffer->size + more;
    uint8_t *data = realloc(buffer->data, room);
    if (data == NULL) return 0;
    if (room >= FA_LARGE) fa_buffer_is_large(data, room);
    buffer->data = data;
    buffer->room = room;
    return 1;
}

/* The same, and the room is zero. */
static inline int fa_buffer_reserve(fa_buffer *buffer, size_t more) {
    size_t before = buffer->room;
    if (!fa_buffer_reserve_any(buffer, more)) return 0;
    if (buffer->room > before) memset(buffer->data + before, 0, buffer->room - before);
    return 1;
}

/* Put bytes behind the others. Returns 0 when memory is short. */
static inline int fa_buffer_put(fa_buffer *buffer, const void *data, size_t size) {
    if (!fa_buffer_reserve(buffer, size)) return 0;
    if (size) memcpy(buffer->data + buffer->size, data, size);
    buffer->size += size;
    return 1;
}

static inline int fa_buffer_put_u32(fa_buffer *buffer, uint32_t number) {
    return fa_buffer_put(buffer, &number, sizeof number);
}

static inline int fa_buffer_put_u64(fa_buffer *buffer, uint64_t number) {
    return fa_buffer_put(buffer, &number, sizeof number);
}

/* Let what is in it go; its memory stays for what comes next. */
static inline void fa_buffer_empty(fa_buffer *buffer) {
    if (buffer->size) memset(buffer->data, 0, buffer->size);
    buffer->size = 0;
}

static inline void fa_buffer_free(fa_buffer *buffer) {
    free(buffer->data);
    *buffer = (fa_buffer){0};
}

#endif
