/* See unicode.h. The algorithms are those of UAX 15 (normalization forms) and chapter 3.12 of Unicode (Hangul). */
#include "unicode.h"

#include <stdlib.h>
#include <string.h>

#include "unicode_tables.h"

enum {
    L_BASE = 0x1100,
    V_BASE = 0x1161,
    T_BASE = 0x11a7,
    S_BASE = 0xac00,
    L_COUNT = 19,
    V_COUNT = 21,
    T_COUNT = 28,
    S_COUNT = L_COUNT * V_COUNT * T_COUNT
};

enum { FEW = 40 /* marks in a row that are sorted by moving them; with MOST_MARKS on a letter there are seldom more */ };

int fa_letters_put(fa_letters *letters, uint32_t code, uint32_t from, uint32_t to) {
    if (letters->count == letters->room) {
        size_t room = letters->room + letters->room / 2 + 64;
        if (room > SIZE_MAX / sizeof(fa_letter)) return FA_NO_MEMORY;
        fa_letter *data = realloc(letters->data, room * sizeof(fa_letter));
        if (data == NULL) return FA_NO_MEMORY;
        letters->data = data;
        letters->room = room;
    }
    letters->data[letters->count++] = (fa_letter){code, from, to};
    return FA_OK;
}

void fa_letters_free(fa_letters *letters) {
    free(letters->data);
    *letters = (fa_letters){0};
}

uint32_t fa_combining_class(uint32_t code) {
    return fa_combining[(uint32_t)fa_combining_blocks[code >> 7] << 7 | (code & 127)];
}

static int put_with_class(fa_letters *out, uint32_t code, const fa_letter *source) {
    return fa_letters_put(out, code | fa_combining_class(code) << 24, source->from, source->to);
}

/* Take every letter apart as NFKD does. */
static int decompose(const fa_letters *in, fa_letters *out) {
    out->count = 0;
    for (size_t i = 0; i < in->count; i++) {
        const fa_letter *letter = &in->data[i];
        uint32_t code = letter->code & FA_CODE;
        if (code >= S_BASE && code < S_BASE + S_COUNT) {
            uint32_t syllable = code - S_BASE, tail = syllable % T_COUNT;
            if (put_with_class(out, L_BASE + syllable / (V_COUNT * T_COUNT), letter) ||
                put_with_class(out, V_BASE + syllable / T_COUNT % V_COUNT, letter) ||
                (tail && put_with_class(out, T_BASE + tail, letter)))
                return FA_NO_MEMORY;
            continue;
        }
        uint32_t place = fa_decompositions[(uint32_t)fa_decompositions_blocks[code >> 7] << 7 | (code & 127)];
        if (place == 0) {
            if (put_with_class(out, code, letter)) return FA_NO_MEMORY;
            continue;
        }
        for (uint32_t k = 1; k <= fa_code_points[place]; k++)
            if (put_with_class(out, fa_code_points[place + k], letter)) return FA_NO_MEMORY;
    }
    return FA_OK;
}

static void sort_few(fa_letter *run, size_t count) {
    for (size_t i = 1; i < count; i++) {
        fa_letter moved = run[i];
        size_t at = i;
        for (; at && run[at - 1].code >> 24 > moved.code >> 24; at--) run[at] = run[at - 1];
        run[at] = moved;
    }
}

/* spare: room for `count` letters. */
static void sort_many(fa_letter *run, size_t count, fa_letter *spare) {
    size_t begins[257] = {0};
    for (size_t i = 0; i < count; i++) begins[(run[i].code >> 24) + 1]++;
    for (size_t k = 1; k < 257; k++) begins[k] += begins[k - 1];
    for (size_t i = 0; i < count; i++) spare[begins[run[i].code >> 24]++] = run[i];
    memcpy(run, spare, count * sizeof *run);
}

/* Put marks in a row in the order of their classes; those of one class keep theirs. */
static int order_marks(fa_letters *letters, fa_letters *spare) {
    for (size_t i = 0; i < letters->count;) {
        size_t begin = i;
        while (i < letters->count && letters->data[i].code >> 24) i++;
        size_t count = i - begin;
        if (count > FEW) {
            if (spare->room < count) {
                fa_letter *data = realloc(spare->data, count * sizeof(fa_letter));
                if (data == NULL) return FA_NO_MEMORY;
                spare->data = data;
                spare->room = count;
            }
            sort_many(letters->data + begin, count, spare->data);
        } else if (count > 1) {
            sort_few(letters->data + begin, count);
        }
        if (i == begin) i++;
    }
    return FA_OK;
}

/* What two characters become when they are joined; 0 when they do not join. */
static uint32_t joined(uint32_t first, uint32_t second) {
    if (first >= L_BASE && first < L_BASE + L_COUNT && second >= V_BASE && second < V_BASE + V_COUNT)
        return S_BASE + ((first - L_BASE) * V_COUNT + (second - V_BASE)) * T_COUNT;
    if (first >= S_BASE && first < S_BASE + S_COUNT && (first - S_BASE) % T_COUNT == 0 && second > T_BASE &&
        second < T_BASE + T_COUNT)
        return first + (second - T_BASE);
    uint64_t sought = (uint64_t)first << 21 | second;
    size_t low = 0, high = sizeof fa_pairs / sizeof *fa_pairs;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (fa_pairs[middle] < sought)
            low = middle + 1;
        else
            high = middle;
    }
    return low < sizeof fa_pairs / sizeof *fa_pairs && fa_pairs[low] == sought ? fa_joined[low] : 0;
}

/* Join what can be joined, in place: each mark with the letter before it unless one of its class stands between. */
static void compose(fa_letters *letters) {
    fa_letter *data = letters->data, *starter = NULL;
    size_t count = 0;
    int last = -1; /* class of the last mark kept behind the starter; -1: none */
    for (size_t i = 0; i < letters->count; i++) {
        fa_letter letter = data[i];
        int class = (int)(letter.code >> 24);
        uint32_t one = starter && last < class ? joined(starter->code, letter.code & FA_CODE) : 0;
        if (one) {
            starter->code = one;
            if (letter.from < starter->from) starter->from = letter.from;
            if (letter.to > starter->to) starter->to = letter.to;
            continue;
        }
        data[count] = letter;
        if (class == 0) {
            starter = &data[count];
            last = -1;
        } else {
            last = class;
        }
        count++;
    }
    letters->count = count;
}

/* Fold the case of every letter, and leave vowel points out. */
static int fold(const fa_letters *in, fa_letters *out) {
    out->count = 0;
    for (size_t i = 0; i < in->count; i++) {
        const fa_letter *letter = &in->data[i];
        uint32_t code = letter->code & FA_CODE;
        uint32_t place = fa_foldings[(uint32_t)fa_foldings_blocks[code >> 7] << 7 | (code & 127)];
        uint32_t count = place ? fa_code_points[place] : 1;
        for (uint32_t k = 1; k <= count; k++) {
            uint32_t folded = place ? fa_code_points[place + k] : code;
            uint32_t special = fa_special_in(fa_properties_of(folded));
            if (special == FA_VOWEL_POINT) {
                if (out->count && out->data[out->count - 1].to < letter->to)
                    out->data[out->count - 1].to = letter->to;
                continue;
            }
            if (fa_letters_put(out, special == FA_ALEF ? 0x627 : folded, letter->from, letter->to))
                return FA_NO_MEMORY;
        }
    }
    return FA_OK;
}

static int decompose_and_compose(fa_letters *letters, fa_letters *spare) {
    if (decompose(letters, spare) || order_marks(spare, letters)) return FA_NO_MEMORY;
    compose(spare);
    fa_letters held = *letters;
    *letters = *spare;
    *spare = held;
    return FA_OK;
}

int fa_letters_normalize(fa_letters *letters, fa_letters *spare) {
    if (decompose_and_compose(letters, spare) || fold(letters, spare)) return FA_NO_MEMORY;
    /* what is folded lies in spare, which the second round reads */
    if (decompose_and_compose(spare, letters)) return FA_NO_MEMORY;
    fa_letters held = *letters;
    *letters = *spare;
    *spare = held;
    return FA_OK;
}
