/* Pages of the catalogue -> the file, with their checksums: see sealing.h. */
#include "sealing.h"

enum { SHORT_READ = 522, HEADER = 100 }; /* of sqlite3.h; how much SQLite reads of a file first */

static const fa_sealing *methods_of(void *file) {
    const fa_sealing *methods;
    memcpy(&methods, file, sizeof methods);
    return methods;
}

int fa_sealing_read(void *file, void *buffer, int size, int64_t place) {
    int status = methods_of(file)->their_read(file, buffer, size, place);
    if (status == SHORT_READ && place == 0 && size == HEADER) {
        uint8_t *header = buffer;
        header[16] = FA_PAGE >> 8;
        header[17] = FA_PAGE & 255;
        header[20] = FA_RESERVED;
    }
    return status;
}

int fa_sealing_write(void *file, void *buffer, int size, int64_t place) {
    if (size != FA_PAGE) return methods_of(file)->their_write(file, buffer, size, place);
    uint8_t page[FA_PAGE];
    memcpy(page, buffer, FA_PAGE - FA_RESERVED);
    uint32_t sum = fa_crc32(0, page, FA_PAGE - FA_RESERVED);
    for (int byte = 0; byte < 4; byte++) page[FA_PAGE - FA_RESERVED + byte] = (uint8_t)(sum >> 8 * byte);
    memset(page + FA_PAGE - FA_RESERVED + 4, 0, 4);
    return methods_of(file)->their_write(file, page, size, place);
}
