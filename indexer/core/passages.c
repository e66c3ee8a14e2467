/* See passages.h. */
#include "passages.h"

#include <string.h>

#include "utf8.h"

#define MIX 0x9E3779B97F4A7C15u

/* ---------------------------------------------------------------- texts that are alike */

static inline int is_blank(uint32_t code) {
    if (code < 0x80) return code == ' ' || (code >= 9 && code <= 13) || (code >= 28 && code <= 31);
    return code == 0x85 || code == 0xa0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200a) || code == 0x2028 ||
           code == 0x2029 || code == 0x202f || code == 0x205f || code == 0x3000;
}

static inline uint64_t scramble(uint64_t value) {
    value = (value ^ value >> 31) * MIX;
    return value ^ value >> 29;
}

/* Put a run into the table; returns 1 where it is new, 0 where it is there, 2 where there is no room. */
static int put_run(uint64_t *runs, size_t room, size_t count, uint64_t run) {
    size_t place = run & (room - 1);
    while (runs[place] != 0 && runs[place] != run) place = (place + 1) & (room - 1);
    if (runs[place] == run) return 0;
    if (count + 1 > room / 2) return 2;
    runs[place] = run;
    return 1;
}

static int is_there(const uint64_t *runs, size_t room, uint64_t run) {
    size_t place = run & (room - 1);
    while (runs[place] != 0 && runs[place] != run) place = (place + 1) & (room - 1);
    return runs[place] == run;
}

size_t fa_word_runs(fa_bytes text, uint64_t *runs, size_t room, size_t *count) {
    *count = 0;
    if (room < 2 || (room & (room - 1)) != 0) return FA_NO_ROOM;
    memset(runs, 0, room * sizeof *runs);
    uint64_t words[FA_RUN_WORDS] = {0};
    size_t word_count = 0, begin = 0, at = 0;
    while (begin < text.size) {
        uint32_t code;
        size_t size = fa_decode(text.data, at = begin, text.size, &code);
        if (is_blank(code)) {
            begin += size;
            continue;
        }
        do at += size;
        while (at < text.size && (size = fa_decode(text.data, at, text.size, &code), !is_blank(code)));
        words[word_count++ % FA_RUN_WORDS] = fa_hash(text.data + begin, at - begin);
        begin = at;
        if (word_count < FA_RUN_WORDS) continue;
        uint64_t run = 0;
        for (size_t k = word_count - FA_RUN_WORDS; k < word_count; k++)
            run = scramble(run * 31 + words[k % FA_RUN_WORDS]);
        int put = put_run(runs, room, *count, run == 0 ? 1 : run);
        if (put == 2) return FA_NO_ROOM;
        *count += (size_t)put;
    }
    return word_count;
}

size_t fa_common_runs(const uint64_t *first, size_t first_room, const uint64_t *second, size_t second_room) {
    size_t common = 0;
    for (size_t k = 0; k < first_room; k++) common += first[k] != 0 && is_there(second, second_room, first[k]);
    return common;
}

/* ---------------------------------------------------------------- the best passage */

static int is_left_out(const fa_spot *spot, const uint32_t *kind_of, const fa_left_out *left_out) {
    if (left_out->kinds != NULL && left_out->kinds[kind_of[spot->which]]) return 1;
    return left_out->low <= spot->start && spot->start < left_out->high;
}

void fa_best_passage(const fa_spot *spots, size_t count, const uint32_t *kind_of, size_t kind_count, uint32_t reach,
                     const fa_left_out *left_out, uint32_t *inside, fa_passage *best) {
    memset(inside, 0, kind_count * sizeof *inside);
    *best = (fa_passage){0, 0, 0, 0};
    uint32_t kinds = 0, words = 0, most_words = 0;
    size_t end = 0;
    for (size_t k = 0; k < count; k++) {
        if (is_left_out(&spots[k], kind_of, left_out)) continue;
        for (; end < count && spots[end].start < (uint64_t)spots[k].start + reach; end++) {
            if (is_left_out(&spots[end], kind_of, left_out)) continue;
            kinds += inside[kind_of[spots[end].which]]++ == 0;
            words++;
        }
        if (kinds > best->kinds || (kinds == best->kinds && words > most_words)) {
            *best = (fa_passage){spots[k].start, kinds, (uint32_t)k, (uint32_t)end};
            most_words = words;
        }
        kinds -= --inside[kind_of[spots[k].which]] == 0;
        words--;
    }
}

size_t fa_kinds_among(const fa_spot *spots, size_t first, size_t end, const uint32_t *kind_of,
                      const fa_left_out *left_out, uint8_t *seen) {
    size_t found = 0;
    for (size_t k = first; k < end; k++) {
        if (is_left_out(&spots[k], kind_of, left_out)) continue;
        uint8_t *kind = &seen[kind_of[spots[k].which]];
        found += *kind == 0;
        *kind = 1;
    }
    return found;
}
