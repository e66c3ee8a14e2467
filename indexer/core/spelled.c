/* Words that are spelled as a pattern says, or nearly alike: by optimal string alignment, of which only the diagonals are
 * worked out that are as near as is asked for. */
#include "spelled.h"

#include "utf8.h"

enum { WIDE = 2 * FA_MOST_CHANGES + 1 };

static uint32_t lesser(uint32_t one, uint32_t other) { return one < other ? one : other; }

/* Return how many changes two words are from each other, or more than `most`. Of the table of changes, a row for each
 * letter of the text, three rows are kept: the one of `at`, and the two before. In a row place `d` is column
 * at + d - most. */
static uint32_t changes_between(const uint32_t *word, size_t length, const uint8_t *text, size_t size, uint32_t most) {
    uint32_t rows[3][WIDE + 2], *two = rows[0], *one = rows[1], *now = rows[2], before = 0, letter, wide = 2 * most + 1;
    const uint32_t far = most + 1;
    for (uint32_t d = 0; d < WIDE + 2; d++) two[d] = one[d] = now[d] = far;
    for (uint32_t d = most; d < wide && d - most <= length; d++) one[d] = d - most;
    size_t at = 0;
    for (size_t byte = 0; byte < size; before = letter) {
        uint32_t least = far;
        byte += fa_decode(text, byte, size, &letter);
        at++;
        for (uint32_t d = 0; d < wide; d++) {
            now[d] = far;
            if (at + d < most || at + d - most > length) continue;
            size_t column = at + d - most;
            /* a letter added to the row before, one left out, one replaced */
            uint32_t found = d + 1 < wide ? one[d + 1] + 1 : far;
            if (column) {
                if (d) found = lesser(found, now[d - 1] + 1);
                found = lesser(found, one[d] + (word[column - 1] != letter));
                if (column > 1 && at > 1 && word[column - 1] == before && word[column - 2] == letter)
                    found = lesser(found, two[d] + 1);
            }
            now[d] = found;
            least = lesser(least, found);
        }
        if (least > most) return far;
        uint32_t *oldest = two;
        two = one;
        one = now;
        now = oldest;
    }
    size_t place = length + most - at;
    return at > length + most || place >= wide ? far : one[place];
}

static uint32_t bits_in(uint32_t word) {
    word -= word >> 1 & 0x55555555u;
    word = (word & 0x33333333u) + (word >> 2 & 0x33333333u);
    return ((word + (word >> 4)) & 0x0F0F0F0Fu) * 0x01010101u >> 24;
}

/* Return how many of the words `begin` to `end` (excluded) of a length at least `least` versions hold. */
static size_t held_often(const fa_spelled *words, const uint32_t *rows, size_t begin, size_t end, uint32_t least) {
    size_t low = begin, high = end;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (rows[middle] >= words->count || words->held[rows[middle]] >= least) low = middle + 1; /* refused below */
        else high = middle;
    }
    return low - begin;
}

enum fa_status fa_words_near(const fa_spelled *words, const fa_by_length *by_length, const uint32_t *word,
                             size_t length, uint32_t letters, uint32_t most, uint32_t least, uint32_t *rows,
                             uint8_t *changes, size_t *found) {
    if (most > FA_MOST_CHANGES) return FA_TOO_LARGE;
    *found = 0;
    for (uint32_t longer = 0; longer <= 2 * most; longer++) {
        size_t of_length = (uint8_t)(length - most + longer);
        size_t begin = by_length->begins[of_length], end = by_length->begins[of_length + 1];
        if (end < begin || end > words->count) return FA_CORRUPT;
        end = begin + held_often(words, by_length->rows, begin, end, least);
        for (size_t at = begin; at < end; at++) {
            uint32_t own = by_length->letters[at], row = by_length->rows[at];
            /* a change takes one letter away and brings one */
            if (bits_in(own & ~letters) > most || bits_in(letters & ~own) > most) continue;
            if (row >= words->count) return FA_CORRUPT;
            int64_t from = words->begins[row], to = words->begins[row + 1];
            if (from < 0 || to < from || (uint64_t)to > words->size) return FA_CORRUPT;
            uint32_t changed = changes_between(word, length, words->data + from, (size_t)(to - from), most);
            if (changed > most) continue;
            rows[*found] = row;
            changes[(*found)++] = (uint8_t)changed;
        }
    }
    return FA_OK;
}

/* Tell whether a word fits a pattern. What comes behind a star is looked for at its first place: it is never gone back
 * behind the star before. */
static int fits(const uint32_t *pattern, size_t length, const uint8_t *text, size_t size) {
    size_t at = 0, next = 0, star = length, from = 0; /* from: where the text behind the last star is looked for */
    while (at < size) {
        uint32_t letter;
        size_t end = at + fa_decode(text, at, size, &letter);
        if (next < length && pattern[next] == FA_STAR) {
            star = next++;
            from = at;
        } else if (next < length && (pattern[next] == FA_ANY_LETTER || pattern[next] == letter)) {
            next++;
            at = end;
        } else if (star < length) {
            next = star + 1;
            from += fa_decode(text, from, size, &letter);
            at = from;
        } else return 0;
    }
    while (next < length && pattern[next] == FA_STAR) next++;
    return next == length;
}

enum fa_status fa_words_fitting(const fa_spelled *words, const uint32_t *pattern, size_t length, uint32_t letters,
                                uint32_t least, const uint32_t *among, size_t many, uint32_t *rows, size_t *found) {
    size_t stars = 0, count = 0;
    for (size_t at = 0; at < length; at++) stars += pattern[at] == FA_STAR;
    size_t shortest = length - stars, longest = stars ? UINT8_MAX : shortest;
    *found = 0;
    if (words->count > UINT32_MAX) return FA_TOO_LARGE;
    /* without a jump for each word: that takes a third of the time */
    if (among == NULL) many = words->count;
    for (size_t each = 0; each < many; each++) {
        size_t row = among == NULL ? each : among[each];
        if (row >= words->count) return FA_CORRUPT;
        rows[count] = (uint32_t)row;
        count += (words->held[row] >= least) & ((words->letters[row] & letters) == letters) &
                 (words->lengths[row] >= shortest) & (words->lengths[row] <= longest);
    }
    for (size_t each = 0; each < count; each++) {
        uint32_t row = rows[each];
        int64_t begin = words->begins[row], end = words->begins[row + 1];
        if (begin < 0 || end < begin || (uint64_t)end > words->size) return FA_CORRUPT;
        if (fits(pattern, length, words->data + begin, (size_t)(end - begin))) rows[(*found)++] = row;
    }
    return FA_OK;
}
