/* Words of a dictionary -> those that are spelled nearly like a word, or as a pattern says. */
#ifndef FINDINGAID_SPELLED_H
#define FINDINGAID_SPELLED_H

#include "core.h"

/* The words of a segment: one behind the other in UTF-8. */
typedef struct fa_spelled {
    const uint8_t *data;
    size_t size;
    const int64_t *begins;   /* where each word begins, and last `size` */
    const uint8_t *lengths;  /* code points of each word, modulo 256 */
    const uint32_t *letters; /* of each word, a bit for each letter: the same for the same letter */
    const uint32_t *held;    /* how many versions hold each word */
    size_t count;
} fa_spelled;

/* The same words by length, of each length those first that most versions hold. */
typedef struct fa_by_length {
    const uint32_t *rows;    /* their numbers */
    const uint32_t *letters; /* of each of these */
    const uint32_t *begins;  /* by `lengths`: where those of a length begin, and last how many there are: 257 numbers */
} fa_by_length;

enum { FA_MOST_CHANGES = 8 };

/* Write the numbers of the words that at least `least` versions hold and that are at most `most` changes away from a word
 * of `length` code points with these letters, in no order, and how many each is: letters added, left out, replaced, or two
 * neighbours swapped of which neither is changed otherwise. rows, changes: room for one of each word. FA_CORRUPT for
 * words that are not there, FA_TOO_LARGE for more than FA_MOST_CHANGES. Time: that of a look at the letters of each word of
 * about the same length that so many versions hold, and for those of about the same letters that of length * most. */
FA_EXPORT enum fa_status fa_words_near(const fa_spelled *words, const fa_by_length *by_length, const uint32_t *word,
                                       size_t length, uint32_t letters, uint32_t most, uint32_t least, uint32_t *rows,
                                       uint8_t *changes, size_t *found);

/* Instead of code points of a pattern: any letters or none, and one letter. */
#define FA_STAR UINT32_MAX
#define FA_ANY_LETTER (UINT32_MAX - 1)

/* Write the numbers of the words that at least `least` versions hold and that fit a pattern, in which these letters stand,
 * rising. among: the words to be looked at, so many, rising, each once; NULL: all. rows: room for one of each word; errors:
 * as above. Time: that of a look at each word, and for those with these letters that of their length, times that of the
 * pattern at worst. */
FA_EXPORT enum fa_status fa_words_fitting(const fa_spelled *words, const uint32_t *pattern, size_t length,
                                          uint32_t letters, uint32_t least, const uint32_t *among, size_t many,
                                          uint32_t *rows, size_t *found);

#endif
