/* See inflate.h. The format: RFC 1951 and 1952.
 *
 * A code of Huffman is looked up by the next bits in a table, whose entries say all that follows from it: how many bits it
 * takes with those behind it that belong to a length or a distance, and to what these are added. Longer codes than the table
 * has bits lead to a second one behind it. */
#include "inflate.h"

#include <string.h>

#include "processor.h"
#include "segment.h"

enum {
    LONGEST_CODE = 15,
    SYMBOL_BITS = 11,
    DISTANCE_BITS = 8,
    MEANING_BITS = 7, /* of the lengths of codes */
    SYMBOLS = 288,
    DISTANCES = 32,
    MEANINGS = 19,
    /* entries that tables can take with all that follow, by enough.c of zlib: 2,342 and 402 */
    SYMBOL_ROOM = 2400,
    DISTANCE_ROOM = 512,
    LONGEST_COPY = 258,
    LONGEST_DISTANCE = LONGEST_CODE + 13, /* bits, with those behind the code */
    /* what unpack_ahead may read and write before it asks: two refills of eight bytes; three literals, a copy and 31
     * bytes more */
    AHEAD_IN = 16,
    AHEAD_OUT = LONGEST_COPY + 3 + 31
};

/* An entry: in its lowest byte the bits to be passed, those of the code and those behind it; in the next byte the bits of
 * the code alone; from bit 16 on the value. Of a code that goes on in a further table: the bits of this one, those of
 * the next, and where that begins. */
#define LITERAL 0x80000000u
#define SPECIAL 0x8000u /* beside the bits of the code: one of the next three */
#define FURTHER 0x4000u
#define END 0x2000u
#define WRONG 0x1000u

/* The packed bytes, bit by bit. */
typedef struct reading {
    const uint8_t *in, *end;
    uint64_t bits;   /* the next ones, the lowest first */
    unsigned count;  /* how many are there */
    unsigned beyond; /* zero bytes that were read behind the end */
} reading;

typedef struct unpacking {
    reading from;
    uint8_t *out, *begin, *out_end;
    const uint32_t *symbols, *distances; /* the tables of the block in hand: one of the next, or the fixed ones */
    uint32_t own_symbols[SYMBOL_ROOM], own_distances[DISTANCE_ROOM];
} unpacking;

/* ---------------------------------------------------------------- bits */

static inline uint64_t eight_at(const uint8_t *at) {
    uint64_t value = 0;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(&value, at, sizeof value);
#else
    for (unsigned k = 0; k < 8; k++) value |= (uint64_t)at[k] << 8 * k;
#endif
    return value;
}

/* Have 56 bits or more; eight bytes are there. Of the count only the lowest byte is looked at. */
static inline void refill_inside(reading *r) {
    r->bits |= eight_at(r->in) << (r->count & 63);
    r->in += 7 - (r->count >> 3 & 7);
    r->count |= 56;
}

/* Have 56 bits or more; behind the end there are zeros. */
static void refill(reading *r) {
    if (r->end - r->in >= 8) {
        refill_inside(r);
        return;
    }
    for (; r->count < 56; r->count += 8) {
        if (r->in < r->end)
            r->bits |= (uint64_t)*r->in++ << r->count;
        else
            r->beyond++;
    }
}

static inline uint32_t lowest(uint64_t bits, unsigned count) { return (uint32_t)(bits & (((uint64_t)1 << count) - 1)); }

static inline uint32_t take(reading *r, unsigned count) {
    uint32_t taken = lowest(r->bits, count);
    r->bits >>= count;
    r->count -= count;
    return taken;
}

/* Were bits taken that are not there? */
static inline int is_beyond(const reading *r) { return r->beyond * 8 > r->count; }

/* Go on with the next whole byte: give those back that were only looked at. Returns 0 behind the end. */
static int to_byte(reading *r) {
    unsigned held = r->count / 8;
    if (r->beyond > held) return 0;
    r->in -= held - r->beyond;
    r->bits = r->count = r->beyond = 0;
    return 1;
}

/* ---------------------------------------------------------------- tables */

/* What symbols and distances mean, without the bits of their codes: value, and how many bits behind the code. */
typedef struct meanings {
    uint32_t symbols[SYMBOLS], distances[DISTANCES], lengths[MEANINGS];
} meanings;

static meanings means;
static uint32_t fixed_symbols[1 << SYMBOL_BITS], fixed_distances[1 << DISTANCE_BITS];

static void make_meanings(void) {
    for (uint32_t symbol = 0; symbol < SYMBOLS; symbol++) means.symbols[symbol] = SPECIAL | WRONG;
    for (uint32_t byte = 0; byte < 256; byte++) means.symbols[byte] = LITERAL | byte << 16;
    means.symbols[256] = SPECIAL | END;
    for (uint32_t symbol = 257, value = 3; symbol < 285; symbol++) {
        uint32_t more = symbol < 265 ? 0 : (symbol - 261) / 4;
        means.symbols[symbol] = value << 16 | more;
        value += 1u << more;
    }
    means.symbols[285] = (uint32_t)LONGEST_COPY << 16;
    for (uint32_t symbol = 0, value = 1; symbol < DISTANCES; symbol++) {
        uint32_t more = symbol < 4 ? 0 : symbol / 2 - 1;
        means.distances[symbol] = symbol < 30 ? value << 16 | more : SPECIAL | WRONG;
        value += 1u << more;
    }
    for (uint32_t symbol = 0; symbol < MEANINGS; symbol++) means.lengths[symbol] = symbol << 16;
}

/* Give the entry of a code of so many bits. */
static inline uint32_t entry_of(uint32_t meaning, unsigned bits) { return meaning + bits + (bits << 8); }

/* Give the code behind one of so many bits, both with their first bit as the lowest; the last one has none behind it. */
static inline uint32_t next_code(uint32_t code, unsigned bits) {
    uint32_t highest_zero = 1u << (31 - __builtin_clz(code ^ ((1u << bits) - 1)));
    return (code & (highest_zero - 1)) | highest_zero;
}

/* Make the table of a code from the number of bits of each symbol. Returns 0 for what is no complete code; one of a single
 * bit may stand alone, and may be missing where `may_be_none`. */
static int make_table(uint32_t *table, unsigned table_bits, const uint8_t *bits_of, unsigned symbols,
                      const uint32_t *meaning_of, int may_be_none) {
    uint16_t sorted[SYMBOLS], counts[LONGEST_CODE + 1] = {0}, starts[LONGEST_CODE + 2];
    for (unsigned symbol = 0; symbol < symbols; symbol++) counts[bits_of[symbol]]++;
    starts[1] = 0;
    uint32_t used = 0;
    for (unsigned bits = 1; bits <= LONGEST_CODE; bits++) {
        starts[bits + 1] = starts[bits] + counts[bits];
        used += (uint32_t)counts[bits] << (LONGEST_CODE - bits);
    }
    for (unsigned symbol = 0; symbol < symbols; symbol++)
        if (bits_of[symbol]) sorted[starts[bits_of[symbol]]++] = (uint16_t)symbol;
    if (used != 1u << LONGEST_CODE) {
        int is_none = used == 0 && may_be_none, is_one = counts[1] == 1 && used == 1u << (LONGEST_CODE - 1);
        if (!is_none && !is_one) return 0;
        for (uint32_t place = 0; place < 1u << table_bits; place++)
            table[place] = is_none || place & 1 ? entry_of(SPECIAL | WRONG, 1) : entry_of(meaning_of[sorted[0]], 1);
        return 1;
    }
    /* the table grows by copies of itself as the codes grow */
    const uint16_t *next = sorted;
    uint32_t code = 0, end = 2, last = 0;
    unsigned bits = 1, left = counts[1];
    for (;;) {
        while (left == 0) {
            left = counts[++bits];
            if (bits > table_bits) break;
            memcpy(table + end, table, end * sizeof *table);
            end <<= 1;
        }
        if (bits > table_bits) break;
        table[code] = entry_of(meaning_of[*next++], bits);
        left--;
        if ((last = code == (1u << bits) - 1)) break;
        code = next_code(code, bits);
    }
    if (last) {
        for (; bits < table_bits; bits++, end <<= 1) memcpy(table + end, table, end * sizeof *table);
        return 1;
    }
    uint32_t begun = UINT32_MAX, start = 0, mask = (1u << table_bits) - 1;
    end = mask + 1;
    for (;;) {
        while (left == 0) left = counts[++bits];
        if ((code & mask) != begun) {
            begun = code & mask;
            start = end;
            unsigned more = bits - table_bits;
            for (uint32_t there = left; there < 1u << more;) there = (there << 1) + counts[table_bits + ++more];
            end = start + (1u << more);
            table[begun] = start << 16 | SPECIAL | FURTHER | more << 8 | table_bits;
        }
        uint32_t entry = entry_of(meaning_of[*next++], bits - table_bits);
        for (uint32_t place = start + (code >> table_bits); place < end; place += 1u << (bits - table_bits))
            table[place] = entry;
        if (code == (1u << bits) - 1) return 1;
        code = next_code(code, bits);
        left--;
    }
}

/* Runs while the library is loaded, before any thread can ask. */
__attribute__((constructor)) static void make_fixed_tables(void) {
    uint8_t bits[SYMBOLS], five[DISTANCES];
    memset(bits, 8, sizeof bits);
    memset(bits + 144, 9, 256 - 144);
    memset(bits + 256, 7, 280 - 256);
    memset(five, 5, sizeof five);
    make_meanings();
    make_table(fixed_symbols, SYMBOL_BITS, bits, SYMBOLS, means.symbols, 0);
    make_table(fixed_distances, DISTANCE_BITS, five, DISTANCES, means.distances, 0);
}

/* Read the tables of a block from its header. */
static int read_tables(unpacking *u) {
    static const uint8_t ORDER[MEANINGS] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    enum { MOST_TIMES = 138 };
    reading *r = &u->from;
    uint8_t bits[SYMBOLS + DISTANCES + MOST_TIMES] = {0}, lengths[MEANINGS] = {0};
    uint32_t table[1 << MEANING_BITS];
    refill(r);
    unsigned symbols = take(r, 5) + 257, distances = take(r, 5) + 1, given = take(r, 4) + 4;
    if (symbols > 286 || distances > 30) return 0;
    for (unsigned k = 0; k < given; k++) {
        if (r->count < 3) refill(r);
        lengths[ORDER[k]] = (uint8_t)take(r, 3);
    }
    if (!make_table(table, MEANING_BITS, lengths, MEANINGS, means.lengths, 0)) return 0;
    for (unsigned at = 0; at < symbols + distances;) {
        if (r->count < MEANING_BITS + 7) refill(r);
        uint32_t entry = table[lowest(r->bits, MEANING_BITS)];
        if (entry & SPECIAL) return 0;
        take(r, entry & 255);
        unsigned length = entry >> 16, times = 1;
        if (length == 16) {
            if (at == 0) return 0;
            length = bits[at - 1];
            times = 3 + take(r, 2);
        } else if (length > 16) {
            times = length == 17 ? 3 + take(r, 3) : 11 + take(r, 7);
            length = 0;
        }
        memset(bits + at, (int)length, times);
        at += times;
        if (at > symbols + distances || is_beyond(r)) return 0;
    }
    u->symbols = u->own_symbols;
    u->distances = u->own_distances;
    return bits[256] && make_table(u->own_symbols, SYMBOL_BITS, bits, symbols, means.symbols, 0) &&
           make_table(u->own_distances, DISTANCE_BITS, bits + symbols, distances, means.distances, 1);
}

/* ---------------------------------------------------------------- blocks */

static enum fa_unpacked copy_stored(unpacking *u) {
    reading *r = &u->from;
    if (!to_byte(r) || r->end - r->in < 4) return FA_UNPACKED_CUT;
    size_t size = (size_t)(r->in[0] | r->in[1] << 8);
    if ((size ^ 0xffff) != (size_t)(r->in[2] | r->in[3] << 8)) return FA_UNPACKED_ODD;
    r->in += 4;
    if ((size_t)(r->end - r->in) < size) return FA_UNPACKED_CUT;
    size_t left = (size_t)(u->out_end - u->out), taken = size < left ? size : left;
    memcpy(u->out, r->in, taken);
    r->in += taken;
    u->out += taken;
    return taken < size ? FA_UNPACKED_FULL : FA_UNPACKED;
}

/* Give the entry for the next bits, and pass those of a code that goes on in a further table. */
static inline uint32_t look_up(reading *r, const uint32_t *table, unsigned table_bits) {
    uint32_t entry = table[lowest(r->bits, table_bits)];
    if (entry & FURTHER) {
        take(r, table_bits);
        entry = table[(entry >> 16) + lowest(r->bits, entry >> 8 & 15)];
    }
    return entry;
}

/* Pass the bits of an entry and give its value, with what the bits behind its code add. */
static inline uint32_t value_of(reading *r, uint32_t entry) {
    return (entry >> 16) + (take(r, entry & 255) >> (entry >> 8 & 15));
}

/* Copy bytes that stand so far before; up to 31 bytes behind them are written, too: how long a copy is no processor can
 * foresee, and to be wrong takes longer than to copy 32 bytes. */
static inline void copy_ahead(uint8_t *out, uint32_t distance, uint32_t length) {
    const uint8_t *from = out - distance, *end = out + length;
    if (distance >= 16) {
        memcpy(out, from, 16);
        memcpy(out + 16, from + 16, 16);
        for (out += 32, from += 32; out < end; out += 16, from += 16) memcpy(out, from, 16);
    } else if (distance >= 8) {
        for (; out < end; out += 8, from += 8) memcpy(out, from, 8);
    } else if (distance == 1) {
        memset(out, *from, length);
    } else {
        while (out < end) *out++ = *from++;
    }
}

/* Pass the bits of an entry, and give what the bits were before. The count is then right in its lowest byte alone, which is
 * all that refill_inside looks at: to take an entry off as a whole saves a step. */
static inline uint64_t pass(reading *r, uint32_t entry) {
    uint64_t before = r->bits;
    r->bits >>= entry & 63;
    r->count -= entry;
    return before;
}

/* The value of an entry that was passed, with what the bits behind its code add. */
static inline uint32_t value_in(uint64_t before, uint32_t entry) {
    return (entry >> 16) + (uint32_t)((before & (((uint64_t)1 << (entry & 63)) - 1)) >> (entry >> 8 & 63));
}

static inline uint32_t refill_and_look(reading *r, const uint32_t *symbols) {
    refill_inside(r);
    return symbols[lowest(r->bits, SYMBOL_BITS)];
}

/* Unpack symbols as long as nothing has to be asked of the ends of input and room. Returns 1 when the block has ended, -1 when
 * it is broken. The next entry is looked up before bytes are copied, so that neither waits for the other. */
static inline __attribute__((always_inline)) int unpack_ahead(unpacking *u) {
    reading r = u->from;
    uint8_t *out = u->out, *const begin = u->begin;
    const uint32_t *symbols = u->symbols, *distances = u->distances;
    int told = 0;
    if (r.end - r.in < AHEAD_IN) return 0;
    uint32_t entry = refill_and_look(&r, symbols);
    while (told == 0 && r.end - r.in >= AHEAD_IN && u->out_end - out >= AHEAD_OUT) {
        uint64_t before = pass(&r, entry);
        if (entry & LITERAL) {
            *out++ = (uint8_t)(entry >> 16);
            entry = symbols[lowest(r.bits, SYMBOL_BITS)];
            before = pass(&r, entry);
        }
        if (entry & LITERAL) {
            *out++ = (uint8_t)(entry >> 16);
            entry = symbols[lowest(r.bits, SYMBOL_BITS)];
            before = pass(&r, entry);
        }
        if (entry & FURTHER) {
            entry = symbols[(entry >> 16) + lowest(r.bits, entry >> 8 & 15)];
            before = pass(&r, entry);
        }
        if (entry & LITERAL) {
            *out++ = (uint8_t)(entry >> 16);
            entry = refill_and_look(&r, symbols);
            continue;
        }
        if (entry & SPECIAL) {
            told = entry & END ? 1 : -1;
            break;
        }
        uint32_t length = value_in(before, entry);
        if ((uint8_t)r.count < LONGEST_DISTANCE) refill_inside(&r);
        entry = distances[lowest(r.bits, DISTANCE_BITS)];
        before = pass(&r, entry);
        if (entry & FURTHER) {
            entry = distances[(entry >> 16) + lowest(r.bits, entry >> 8 & 15)];
            before = pass(&r, entry);
        }
        uint32_t distance = value_in(before, entry);
        if (entry & SPECIAL || distance > (size_t)(out - begin)) {
            told = -1;
            break;
        }
        entry = refill_and_look(&r, symbols);
        copy_ahead(out, distance, length);
        out += length;
    }
    r.count = (uint8_t)r.count;
    u->from = r;
    u->out = out;
    return told;
}

#ifdef FA_HAS_ABILITIES
__attribute__((target("bmi2"))) static int unpack_ahead_shifting(unpacking *u) { return unpack_ahead(u); }

static int unpack_inside(unpacking *u) { return fa_processor & FA_CAN_SHIFT ? unpack_ahead_shifting(u) : unpack_ahead(u); }
#else
static int unpack_inside(unpacking *u) { return unpack_ahead(u); }
#endif

static enum fa_unpacked unpack_symbols(unpacking *u) {
    reading *r = &u->from;
    for (;;) {
        int has_ended = unpack_inside(u);
        if (has_ended) return has_ended > 0 ? FA_UNPACKED : FA_UNPACKED_ODD;
        /* near an end: one at a time */
        refill(r);
        uint32_t entry = look_up(r, u->symbols, SYMBOL_BITS);
        if (entry & LITERAL) {
            take(r, entry & 255);
            if (is_beyond(r)) return FA_UNPACKED_CUT;
            if (u->out == u->out_end) return FA_UNPACKED_FULL;
            *u->out++ = (uint8_t)(entry >> 16);
            continue;
        }
        if (entry & SPECIAL) {
            take(r, entry & 255);
            if (is_beyond(r)) return FA_UNPACKED_CUT;
            return entry & END ? FA_UNPACKED : FA_UNPACKED_ODD;
        }
        uint32_t length = value_of(r, entry);
        entry = look_up(r, u->distances, DISTANCE_BITS);
        uint32_t distance = value_of(r, entry);
        if (is_beyond(r)) return FA_UNPACKED_CUT;
        if (entry & SPECIAL || distance > (size_t)(u->out - u->begin)) return FA_UNPACKED_ODD;
        for (; length && u->out < u->out_end; length--, u->out++) *u->out = *(u->out - distance);
        if (length) return FA_UNPACKED_FULL;
    }
}

static enum fa_unpacked unpack_blocks(unpacking *u) {
    enum { STORED, FIXED, DYNAMIC };
    for (;;) {
        refill(&u->from);
        if (is_beyond(&u->from)) return FA_UNPACKED_CUT;
        unsigned is_last = take(&u->from, 1), kind = take(&u->from, 2);
        enum fa_unpacked told = FA_UNPACKED_ODD;
        u->symbols = fixed_symbols;
        u->distances = fixed_distances;
        if (kind == STORED)
            told = copy_stored(u);
        else if (kind == FIXED || (kind == DYNAMIC && read_tables(u)))
            told = unpack_symbols(u);
        else if (is_beyond(&u->from))
            told = FA_UNPACKED_CUT;
        if (told != FA_UNPACKED || is_last) return told;
    }
}

/* ---------------------------------------------------------------- members */

/* Give where the deflated bytes begin, 0 when the header is cut or odd. */
static size_t behind_header(fa_bytes bytes, enum fa_unpacked *told) {
    enum { HEADER_CRC = 2, EXTRA = 4, NAME = 8, COMMENT = 16, HEADER = 10 };
    static const uint8_t MAGIC[] = {0x1f, 0x8b, 8};
    *told = FA_UNPACKED_ODD;
    if (bytes.size >= 4 && (memcmp(bytes.data, MAGIC, sizeof MAGIC) || bytes.data[3] & (0xe0 | HEADER_CRC))) return 0;
    *told = FA_UNPACKED_CUT;
    if (bytes.size < HEADER + 2) return 0;
    size_t at = HEADER;
    if (bytes.data[3] & EXTRA) at += 2 + (size_t)(bytes.data[at] | bytes.data[at + 1] << 8);
    for (unsigned flag = NAME; flag <= COMMENT; flag <<= 1) {
        if (!(bytes.data[3] & flag)) continue;
        const uint8_t *end = at < bytes.size ? memchr(bytes.data + at, 0, bytes.size - at) : NULL;
        if (end == NULL) return 0;
        at = (size_t)(end - bytes.data) + 1;
    }
    return at < bytes.size ? at : 0;
}

static uint32_t four_at(const uint8_t *at) {
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

enum fa_unpacked fa_gunzip(fa_bytes bytes, uint8_t *room, size_t most, size_t *packed, size_t *size) {
    enum fa_unpacked told;
    size_t at = behind_header(bytes, &told);
    if (at == 0) return told;
    unpacking u; /* its tables are written before they are read */
    u.from = (reading){.in = bytes.data + at, .end = bytes.data + bytes.size};
    u.out = u.begin = room;
    u.out_end = room + most;
    told = unpack_blocks(&u);
    *size = (size_t)(u.out - room);
    if (told != FA_UNPACKED) return told;
    if (!to_byte(&u.from) || u.from.end - u.from.in < 8) return FA_UNPACKED_CUT;
    const uint8_t *sums = u.from.in;
    *packed = (size_t)(sums - bytes.data) + 8;
    return four_at(sums) == fa_crc32(0, room, *size) && four_at(sums + 4) == (uint32_t)*size ? FA_UNPACKED : FA_UNPACKED_ODD;
}
