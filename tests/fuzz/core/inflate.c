/* Fuzzes what unpacks gzip members: nothing is read behind them or written behind the room, and what is told fits. */
#include "inflate.h"

#include <stdlib.h>
#include <string.h>

static void check(int holds) {
    if (!holds) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2) return 0;
    /* what there is room for, from the first two bytes; each in a block of its own: a byte too far is seen */
    size_t most = data[0] | (size_t)data[1] << 8, room_size = most + FA_UNPACK_SLACK;
    size -= 2;
    uint8_t *packed = malloc(size ? size : 1), *room = malloc(room_size);
    check(packed && room);
    memcpy(packed, data + 2, size);
    fa_unpacked unpacked;
    enum fa_status status = fa_unpack((fa_bytes){packed, size}, room, room_size, &unpacked);
    check(status == FA_OK || status == FA_CORRUPT || status == FA_TOO_LARGE);
    check(unpacked.size <= most && unpacked.used <= size);
    check(status == FA_OK || (unpacked.size == 0 && unpacked.used == 0));
    check(status != FA_OK || unpacked.used >= 18);
    free(packed);
    free(room);
    return 0;
}
