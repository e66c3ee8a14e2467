/* Fuzzes the unpacking of gzip members: two bytes that say how much room there is, and packed bytes.
 *
 * What has to hold: nothing is read or written beyond the bytes and the room, both in places of their own; what is unpacked
 * fits in, and less room is told as such.
 */
#include "inflate.h"

#include <stdlib.h>
#include <string.h>

static void check(int holds) {
    if (!holds) abort();
}

static enum fa_unpacked unpack(const uint8_t *data, size_t size, size_t most, size_t *made) {
    uint8_t *given = malloc(size ? size : 1), *room = malloc(most ? most : 1);
    check(given != NULL && room != NULL);
    if (size) memcpy(given, data, size);
    size_t packed = 0;
    *made = 0;
    enum fa_unpacked told = fa_gunzip((fa_bytes){given, size}, room, most, &packed, made);
    check(told != FA_UNPACKED || (packed <= size && *made <= most));
    free(given);
    free(room);
    return told;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2) return 0;
    size_t most = (size_t)(data[0] | data[1] << 8), made, again;
    if (unpack(data + 2, size - 2, most, &made) != FA_UNPACKED) return 0;
    check(unpack(data + 2, size - 2, made, &again) == FA_UNPACKED && again == made);
    if (made) check(unpack(data + 2, size - 2, made - 1, &again) == FA_UNPACKED_FULL);
    return 0;
}
