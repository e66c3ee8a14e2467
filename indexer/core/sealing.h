/* Pages of the catalogue on their way to the file -> with their checksums (see indexer/store/pages.py).
 *
 * Two methods of a file of SQLite's, which call those of the file that they stand in front of. SQLite holds its own lock
 * while it calls them; they hold nothing, and take a page of the stack.
 */
#ifndef FINDINGAID_SEALING_H
#define FINDINGAID_SEALING_H

#include "segment.h"

typedef int fa_transfer(void *file, void *buffer, int size, int64_t place);

/* An open file begins with the address of its methods: here ours, as SQLite lays them out, and behind them theirs. */
typedef struct {
    int version;
    void *close;
    fa_transfer *read, *write;
    void *others[15];
    fa_transfer *their_read, *their_write;
} fa_sealing;

/* Read. The header of a file that is empty yet says how large its pages are, and what SQLite leaves free in them. */
FA_EXPORT int fa_sealing_read(void *file, void *buffer, int size, int64_t place);
/* Write; a page gets its CRC-32 and four zero bytes at its end, in the file and not in SQLite's memory. */
FA_EXPORT int fa_sealing_write(void *file, void *buffer, int size, int64_t place);

#endif
