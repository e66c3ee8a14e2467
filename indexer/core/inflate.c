/* See inflate.h.
 *
 * A code is looked up by the bits that come next, in a table of one entry for all values of them; codes that are longer
 * have a second table each, which the entry of their first bits names. Bits are held in a word of 64, filled up once for
 * each match, or for three literals.
 */
#include "inflate.h"

#include <string.h>

enum {
    LITERALS = 288,
    DISTANCES = 32,
    LENGTHS = 19,
    LONGEST_CODE = 15,
    LITERAL_BITS = 11, /* looked up at once */
    DISTANCE_BITS = 9,
    LENGTH_BITS = 7,
    LITERAL_ROOM = (1 << LITERAL_BITS) + LITERALS / 2 * (1 << (LONGEST_CODE - LITERAL_BITS)),
    DISTANCE_ROOM = (1 << DISTANCE_BITS) + DISTANCES / 2 * (1 << (LONGEST_CODE - DISTANCE_BITS)),
    LENGTH_ROOM = 1 << LENGTH_BITS,
    LONGEST_MATCH = 258,
    LONGEST_DISTANCE = LONGEST_CODE + 13 /* bits */
};

/* An entry: bits 0-7 how many bits it takes, with those of a number behind the code; 8-12 how many of them are code;
 * 16-30 a literal, the least length or distance, or where the second table begins, whose bits 8-12 tell its size. */
#define IS_LITERAL 0x80000000u
#define IS_ODD 0x2000u    /* neither literal nor match: nothing, if it is none of these two */
#define IS_SECOND 0x4000u /* a second table */
#define IS_END 0x8000u

static inline unsigned bits_in(uint32_t entry) { return entry & 0xff; }
static inline unsigned code_bits_in(uint32_t entry) { return entry >> 8 & 31; }
static inline unsigned value_in(uint32_t entry) { return entry >> 16 & 0x7fff; }

/* The lowest bits of a word: a mask is looked up faster than it is shifted. */
static const uint16_t masks[] = {0, 1, 3, 7, 15, 31, 63, 127, 255, 511, 1023, 2047, 4095, 8191};

/* Return the length or distance that an entry stands for, with the bits behind its code. held: bits from the code on. */
static inline size_t number_of(uint32_t entry, uint64_t held) {
    return value_in(entry) + (held >> code_bits_in(entry) & masks[bits_in(entry) - code_bits_in(entry)]);
}

typedef struct tables {
    uint32_t literals[LITERAL_ROOM], distances[DISTANCE_ROOM];
    uint8_t lengths[LITERALS + DISTANCES + LONGEST_MATCH];
} tables;

/* What is read and written. */
typedef struct inflating {
    const uint8_t *at, *end;
    uint64_t held;        /* bits, the next one lowest; above those that count may be some that come again */
    unsigned count, over; /* over: bytes that were read behind the end, as zeros */
    uint8_t *begin, *out, *limit;
} inflating;

/* ---------------------------------------------------------------- bits */

static inline uint64_t lowest(uint64_t word, unsigned bits) { return word & (((uint64_t)1 << bits) - 1); }

/* The same at the end of what there is. Returns 0 when bits are asked for that are not there. */
static int fill_at_end(inflating *s) {
    for (; s->count < 56; s->count += 8) {
        if (s->at < s->end)
            s->held |= (uint64_t)*s->at++ << s->count;
        else
            s->over++;
    }
    return s->over <= 8;
}

/* Hold at least 56 bits. */
static inline int fill(inflating *s) {
    if (__builtin_expect(s->end - s->at < 8, 0)) return fill_at_end(s);
    uint64_t word;
    memcpy(&word, s->at, 8);
    s->held |= word << s->count;
    s->at += (63 - s->count) >> 3;
    s->count |= 56;
    return 1;
}

static inline void drop(inflating *s, unsigned bits) {
    s->held >>= bits;
    s->count -= bits;
}

static inline unsigned take(inflating *s, unsigned bits) {
    unsigned taken = (unsigned)lowest(s->held, bits);
    drop(s, bits);
    return taken;
}

/* Go to the next whole byte and give back those behind it. Returns 0 when that is behind the end. */
static int align(inflating *s) {
    unsigned bytes = s->count >> 3;
    if (bytes < s->over) return 0;
    s->at -= bytes - s->over;
    s->held = 0;
    s->count = s->over = 0;
    return 1;
}

/* ---------------------------------------------------------------- tables */

/* Return the entry of a symbol whose code has `size` bits. kinds: what each symbol stands for, without its bits. */
static inline uint32_t entry_of(const uint32_t *kinds, unsigned symbol, unsigned size) {
    return kinds[symbol] + (size << 8 | size);
}

/* Return the code that follows one of `size` bits; the first bit of a code is its lowest. */
static inline unsigned next_code(unsigned code, unsigned size) {
    unsigned bit = 1u << (size - 1);
    for (; code & bit; bit >>= 1) code ^= bit;
    return code | bit;
}

/* Put the symbols into the order of their codes. Returns 0 when there are more codes of some size than there can be. */
static int order_symbols(const uint8_t *sizes, unsigned symbols, uint16_t counts[LONGEST_CODE + 1], uint16_t *order) {
    uint16_t starts[LONGEST_CODE + 2] = {0};
    unsigned space = 0;
    memset(counts, 0, (LONGEST_CODE + 1) * sizeof *counts);
    for (unsigned symbol = 0; symbol < symbols; symbol++) counts[sizes[symbol]]++;
    counts[0] = 0;
    for (unsigned size = 1; size <= LONGEST_CODE; size++) {
        space += (unsigned)counts[size] << (LONGEST_CODE - size);
        starts[size + 1] = (uint16_t)(starts[size] + counts[size]);
    }
    for (unsigned symbol = 0; symbol < symbols; symbol++)
        if (sizes[symbol]) order[starts[sizes[symbol]]++] = (uint16_t)symbol;
    return space <= 1u << LONGEST_CODE;
}

/* Make the table that is looked up by `bits` bits. Returns 0 when the sizes of the codes make no sense. */
static int make_table(const uint8_t *sizes, unsigned symbols, const uint32_t *kinds, unsigned bits, uint32_t *table,
                      size_t room) {
    uint16_t counts[LONGEST_CODE + 1], order[LITERALS];
    if (!order_symbols(sizes, symbols, counts, order)) return 0;
    const uint16_t *symbol = order;
    unsigned code = 0, size = 1, longest = LONGEST_CODE;
    while (longest && !counts[longest]) longest--;
    table[0] = table[1] = IS_ODD;
    for (; size <= bits; size++) {
        /* with one bit more each half of the table begins as all of it was */
        size_t half = (size_t)1 << (size - 1);
        if (size > 1) memcpy(table + half, table, half * sizeof *table);
        for (unsigned left = counts[size]; left; left--) {
            table[code] = entry_of(kinds, *symbol++, size);
            code = next_code(code, size);
        }
    }
    size_t used = (size_t)1 << bits, second = used;
    unsigned first = UINT32_MAX, more = longest > bits ? longest - bits : 0;
    for (; size <= longest; size++) {
        for (unsigned left = counts[size]; left; left--) {
            if ((code & ((1u << bits) - 1)) != first) {
                first = code & ((1u << bits) - 1);
                second = used;
                used += (size_t)1 << more;
                if (used > room) return 0;
                for (size_t place = second; place < used; place++) table[place] = IS_ODD;
                table[first] = (uint32_t)second << 16 | IS_ODD | IS_SECOND | more << 8 | bits;
            }
            uint32_t entry = entry_of(kinds, *symbol++, size - bits);
            for (size_t place = second + (code >> bits); place < used; place += (size_t)1 << (size - bits))
                table[place] = entry;
            code = next_code(code, size);
        }
    }
    return 1;
}

/* A length or distance: the least one, and how many bits say how many more. */
#define MATCH(least, more) ((uint32_t)(least) << 16 | (more))
#define LITERAL(byte) (IS_LITERAL | (uint32_t)(byte) << 16)
#define LITERALS_4(n) LITERAL(n), LITERAL(n + 1), LITERAL(n + 2), LITERAL(n + 3)
#define LITERALS_16(n) LITERALS_4(n), LITERALS_4(n + 4), LITERALS_4(n + 8), LITERALS_4(n + 12)
#define LITERALS_64(n) LITERALS_16(n), LITERALS_16(n + 16), LITERALS_16(n + 32), LITERALS_16(n + 48)

static const uint32_t literal_kinds[LITERALS] = {
    LITERALS_64(0), LITERALS_64(64), LITERALS_64(128), LITERALS_64(192), IS_ODD | IS_END,
    MATCH(3, 0),    MATCH(4, 0),     MATCH(5, 0),      MATCH(6, 0),      MATCH(7, 0),
    MATCH(8, 0),    MATCH(9, 0),     MATCH(10, 0),     MATCH(11, 1),     MATCH(13, 1),
    MATCH(15, 1),   MATCH(17, 1),    MATCH(19, 2),     MATCH(23, 2),     MATCH(27, 2),
    MATCH(31, 2),   MATCH(35, 3),    MATCH(43, 3),     MATCH(51, 3),     MATCH(59, 3),
    MATCH(67, 4),   MATCH(83, 4),    MATCH(99, 4),     MATCH(115, 4),    MATCH(131, 5),
    MATCH(163, 5),  MATCH(195, 5),   MATCH(227, 5),    MATCH(258, 0),    IS_ODD,
    IS_ODD,
};

static const uint32_t distance_kinds[DISTANCES] = {
    MATCH(1, 0),      MATCH(2, 0),      MATCH(3, 0),      MATCH(4, 0),      MATCH(5, 1),     MATCH(7, 1),
    MATCH(9, 2),      MATCH(13, 2),     MATCH(17, 3),     MATCH(25, 3),     MATCH(33, 4),    MATCH(49, 4),
    MATCH(65, 5),     MATCH(97, 5),     MATCH(129, 6),    MATCH(193, 6),    MATCH(257, 7),   MATCH(385, 7),
    MATCH(513, 8),    MATCH(769, 8),    MATCH(1025, 9),   MATCH(1537, 9),   MATCH(2049, 10), MATCH(3073, 10),
    MATCH(4097, 11),  MATCH(6145, 11),  MATCH(8193, 12),  MATCH(12289, 12), MATCH(16385, 13), MATCH(24577, 13),
    IS_ODD,           IS_ODD,
};

static const uint32_t length_kinds[LENGTHS] = {
    MATCH(0, 0),  MATCH(1, 0),  MATCH(2, 0),  MATCH(3, 0),  MATCH(4, 0),  MATCH(5, 0),  MATCH(6, 0),
    MATCH(7, 0),  MATCH(8, 0),  MATCH(9, 0),  MATCH(10, 0), MATCH(11, 0), MATCH(12, 0), MATCH(13, 0),
    MATCH(14, 0), MATCH(15, 0), MATCH(16, 0), MATCH(17, 0), MATCH(18, 0),
};

static int make_tables(tables *t, unsigned literals, unsigned distances) {
    return make_table(t->lengths, literals, literal_kinds, LITERAL_BITS, t->literals, LITERAL_ROOM) &&
           make_table(t->lengths + literals, distances, distance_kinds, DISTANCE_BITS, t->distances, DISTANCE_ROOM);
}

static int make_fixed_tables(tables *t) {
    memset(t->lengths, 8, LITERALS);
    memset(t->lengths + 144, 9, 256 - 144);
    memset(t->lengths + 256, 7, 280 - 256);
    memset(t->lengths + LITERALS, 5, DISTANCES);
    return make_tables(t, LITERALS, DISTANCES);
}

/* Read the sizes of the codes that a block begins with, and make its tables. */
static int read_tables(inflating *given, tables *t) {
    static const uint8_t ORDER[LENGTHS] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    uint8_t sizes[LENGTHS] = {0};
    uint32_t table[LENGTH_ROOM];
    inflating s = *given;
    if (!fill(&s)) return 0;
    unsigned literals = take(&s, 5) + 257, distances = take(&s, 5) + 1, lengths = take(&s, 4) + 4, at = 0;
    for (unsigned k = 0; k < lengths; k++) {
        if (s.count < 3 && !fill(&s)) return 0;
        sizes[ORDER[k]] = (uint8_t)take(&s, 3);
    }
    if (literals > LITERALS || !make_table(sizes, LENGTHS, length_kinds, LENGTH_BITS, table, LENGTH_ROOM)) return 0;
    while (at < literals + distances) {
        enum { LONGEST = LENGTH_BITS + 7 };
        if (s.count < LONGEST && !fill(&s)) return 0;
        uint32_t entry = table[lowest(s.held, LENGTH_BITS)];
        drop(&s, bits_in(entry));
        unsigned told = value_in(entry);
        if (__builtin_expect(told < 16 && !(entry & IS_ODD), 1)) {
            t->lengths[at++] = (uint8_t)told;
            continue;
        }
        if (entry & IS_ODD || (told == 16 && at == 0)) return 0;
        unsigned count = told == 16 ? 3 + take(&s, 2) : told == 17 ? 3 + take(&s, 3) : 11 + take(&s, 7);
        memset(t->lengths + at, told == 16 ? t->lengths[at - 1] : 0, count); /* there is room behind the last */
        at += count;
    }
    *given = s;
    return at == literals + distances && make_tables(t, literals, distances);
}

/* ---------------------------------------------------------------- blocks */

static enum fa_status read_stored(inflating *s) {
    if (!align(s) || s->end - s->at < 4) return FA_CORRUPT;
    unsigned size = s->at[0] | s->at[1] << 8u, inverse = s->at[2] | s->at[3] << 8u;
    s->at += 4;
    if ((size ^ inverse) != 0xffff || (size_t)(s->end - s->at) < size) return FA_CORRUPT;
    if ((size_t)(s->limit - s->out) < size) return FA_TOO_LARGE;
    memcpy(s->out, s->at, size);
    s->at += size;
    s->out += size;
    return FA_OK;
}

/* Copy what was written before, up to 31 bytes too many. */
static inline void copy_match(uint8_t *out, size_t distance, size_t length) {
    const uint8_t *from = out - distance;
    uint8_t *end = out + length;
    if (__builtin_expect(distance >= 16, 1)) {
        /* nearly all end here: no jump that is hard to foresee */
        memcpy(out, from, 16);
        memcpy(out + 16, from + 16, 16);
        for (size_t done = 32; __builtin_expect(done < length, 0); done += 16) memcpy(out + done, from + done, 16);
    } else if (distance == 1) {
        memset(out, *from, length);
    } else {
        do *out++ = *from++;
        while (out < end);
    }
}

/* Read a block by its tables. */
static enum fa_status read_block(inflating *given, const tables *t) {
    inflating s = *given;
    enum fa_status status = FA_CORRUPT;
    fill(&s);
    uint32_t entry = t->literals[lowest(s.held, LITERAL_BITS)];
    /* here and at each `continue` 56 bits are held, and `entry` is that of the next of them */
    for (;;) {
        if (entry & IS_LITERAL) {
            if (__builtin_expect(s.out > s.limit, 0)) {
                status = FA_TOO_LARGE;
                break;
            }
            drop(&s, bits_in(entry));
            *s.out++ = (uint8_t)(entry >> 16);
            entry = t->literals[lowest(s.held, LITERAL_BITS)];
            if (entry & IS_LITERAL) {
                drop(&s, bits_in(entry));
                *s.out++ = (uint8_t)(entry >> 16);
                entry = t->literals[lowest(s.held, LITERAL_BITS)];
                if (entry & IS_LITERAL) {
                    drop(&s, bits_in(entry));
                    *s.out++ = (uint8_t)(entry >> 16);
                    if (!fill(&s)) break;
                    entry = t->literals[lowest(s.held, LITERAL_BITS)];
                    continue;
                }
            }
        }
        if (__builtin_expect(entry & IS_ODD, 0)) {
            if (entry & IS_SECOND) {
                drop(&s, LITERAL_BITS);
                entry = t->literals[value_in(entry) + lowest(s.held, code_bits_in(entry))];
            }
            if (entry & IS_LITERAL) {
                drop(&s, bits_in(entry));
                *s.out++ = (uint8_t)(entry >> 16);
                if (!fill(&s)) break;
                entry = t->literals[lowest(s.held, LITERAL_BITS)];
                if (s.out > s.limit) {
                    status = FA_TOO_LARGE;
                    break;
                }
                continue;
            }
            if (entry & IS_ODD) {
                if (!(entry & IS_END)) break;
                drop(&s, bits_in(entry));
                status = FA_OK;
                break;
            }
        }
        size_t length = number_of(entry, s.held);
        drop(&s, bits_in(entry));
        if (__builtin_expect(s.count < LONGEST_DISTANCE, 0) && !fill(&s)) break;
        entry = t->distances[lowest(s.held, DISTANCE_BITS)];
        if (__builtin_expect(entry & IS_ODD, 0)) {
            if (!(entry & IS_SECOND)) break;
            drop(&s, DISTANCE_BITS);
            entry = t->distances[value_in(entry) + lowest(s.held, code_bits_in(entry))];
            if (entry & IS_ODD) break;
        }
        size_t distance = number_of(entry, s.held);
        drop(&s, bits_in(entry));
        uint8_t *out = s.out;
        if (__builtin_expect(distance > (size_t)(out - s.begin), 0)) break;
        if (__builtin_expect(out > s.limit, 0)) {
            status = FA_TOO_LARGE;
            break;
        }
        s.out += length;
        /* what comes next is looked up before the copy, which takes its time */
        if (!fill(&s)) break;
        entry = t->literals[lowest(s.held, LITERAL_BITS)];
        copy_match(out, distance, length);
    }
    *given = s;
    return status;
}

static enum fa_status read_blocks(inflating *s, tables *t) {
    enum fa_status status = FA_OK;
    unsigned is_last = 0;
    while (status == FA_OK && !is_last) {
        fill(s);
        is_last = take(s, 1);
        switch (take(s, 2)) {
            case 0: status = read_stored(s); break;
            case 1: status = make_fixed_tables(t) ? read_block(s, t) : FA_CORRUPT; break;
            case 2: status = read_tables(s, t) ? read_block(s, t) : FA_CORRUPT; break;
            default: status = FA_CORRUPT;
        }
        if (s->over > 8) return FA_CORRUPT;
    }
    return status == FA_OK && !align(s) ? FA_CORRUPT : status;
}

/* ---------------------------------------------------------------- members */

/* Return where the text ends that ends with a zero byte; the size of all where there is none. */
static size_t behind_text(fa_bytes packed, size_t at) {
    const uint8_t *zero = at < packed.size ? memchr(packed.data + at, 0, packed.size - at) : NULL;
    return zero ? (size_t)(zero - packed.data) + 1 : packed.size;
}

/* Return where what was deflated begins, 0 for a header that is odd. */
static size_t behind_header(fa_bytes packed) {
    enum { HAS_CHECKSUM = 2, HAS_EXTRA = 4, HAS_NAME = 8, HAS_COMMENT = 16, SIZE = 10 };
    const uint8_t *head = packed.data;
    if (packed.size < SIZE || head[0] != 0x1f || head[1] != 0x8b || head[2] != 8) return 0;
    if (head[3] & ~(HAS_EXTRA | HAS_NAME | HAS_COMMENT | 1)) return 0;
    size_t at = SIZE;
    if (head[3] & HAS_EXTRA) {
        if (packed.size - at < 2) return 0;
        at += 2u + head[at] + ((size_t)head[at + 1] << 8);
    }
    if (head[3] & HAS_NAME) at = behind_text(packed, at);
    if (head[3] & HAS_COMMENT) at = behind_text(packed, at);
    return at < packed.size ? at : 0;
}

static uint32_t number_at(const uint8_t *bytes) {
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

enum fa_status fa_unpack(fa_bytes packed, uint8_t *room, size_t size, fa_unpacked *unpacked) {
    *unpacked = (fa_unpacked){0};
    size_t begin = behind_header(packed);
    if (begin == 0) return FA_CORRUPT;
    if (size < FA_UNPACK_SLACK) return FA_TOO_LARGE;
    tables t;
    inflating s = {.at = packed.data + begin,
                   .end = packed.data + packed.size,
                   .begin = room,
                   .out = room,
                   .limit = room + size - FA_UNPACK_SLACK};
    enum fa_status status = read_blocks(&s, &t);
    if (status) return status;
    if (s.out > s.limit) return FA_TOO_LARGE;
    if (s.end - s.at < 8) return FA_CORRUPT;
    *unpacked = (fa_unpacked){.size = (size_t)(s.out - s.begin),
                              .used = (size_t)(s.at + 8 - packed.data),
                              .checksum = number_at(s.at),
                              .told_size = number_at(s.at + 4)};
    return FA_OK;
}
