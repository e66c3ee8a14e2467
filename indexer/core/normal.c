/* See normal.h, and tokens.h for what normalizing does.
 *
 * Most characters become one other, whatever stands beside them: their records say which, and they are copied as they
 * are met. ASCII goes eight bytes at a time. A *cluster* is a character that nothing before it can join, with what may
 * join it: marks, vowels of Hangul and so on. A mark that joins no letter is copied as well, if it stands in the order
 * of combining classes; when a character comes that may change what has been written of its cluster, that is taken
 * back, and the cluster is normalized letter by letter (unicode.c). Each byte is so looked at twice at most.
 */
#include "normal.h"

#include <stdlib.h>
#include <string.h>

#include "utf8.h"

static const size_t MOST_BYTES = (size_t)1 << 31;
static const uint64_t ONES = 0x0101010101010101, TOPS = 0x8080808080808080;

enum {
    ABOVE_DOT = 0x307,
    DOTLESS_I = 0x131,
    LONGEST_STRING = 64,
    LONGEST_CLUSTER = 1 << 16 /* letters of a cluster that are looked at together; no script has so many */
};

typedef struct walk {
    fa_tokenizer *to;
    const uint8_t *source;
    size_t end;       /* of the source */
    size_t at;        /* place in the source */
    size_t out;       /* place in the normalized text */
    size_t room_left; /* code points that may still be written */
    uint32_t folding;
    /* the cluster being written: where it begins, and what it needs */
    size_t cluster_at, cluster_out, cluster_room_left;
    uint32_t last_class, marks;
    /* the character written last */
    size_t last_at, last_out;
    int in_a_row; /* the last place goes on for what is copied as it is */
    int is_full;
} walk;

static inline uint64_t load8(const uint8_t *bytes) {
    uint64_t word;
    memcpy(&word, bytes, 8);
    return word;
}

static inline void store8(uint8_t *bytes, uint64_t word) { memcpy(bytes, &word, 8); }

static int make_room(fa_tokenizer *to, size_t size) {
    if (size <= to->room) return FA_OK;
    if (size >= MOST_BYTES) return FA_TOO_LARGE;
    size_t room = size + size / 4 + 256;
    uint8_t *text = realloc(to->text, room + FA_PADDING);
    if (text == NULL) return FA_NO_MEMORY;
    to->text = text;
    uint8_t *classes = realloc(to->classes, room + FA_PADDING);
    if (classes == NULL) return FA_NO_MEMORY;
    to->classes = classes;
    to->room = room;
    return FA_OK;
}

/* ---------------------------------------------------------------- places */

static int put_place(walk *w, size_t normal, size_t from, size_t to) {
    fa_tokenizer *t = w->to;
    if (t->place_count == t->place_room) {
        size_t room = t->place_room + t->place_room / 2 + 64;
        if (room > SIZE_MAX / sizeof(fa_place)) return FA_NO_MEMORY;
        fa_place *places = realloc(t->places, room * sizeof *places);
        if (places == NULL) return FA_NO_MEMORY;
        t->places = places;
        t->place_room = room;
    }
    t->places[t->place_count++] = (fa_place){(uint32_t)normal, (uint32_t)from, (uint32_t)to};
    return FA_OK;
}

/* What is written next is as long as in the source, and stands there at w->at. */
static inline int goes_on(walk *w) {
    if (w->in_a_row) {
        const fa_place *last = &w->to->places[w->to->place_count - 1];
        if (w->at - last->from == w->out - last->normal) return FA_OK;
    }
    w->in_a_row = 1;
    return put_place(w, w->out, w->at, 0);
}

static inline int is_made_of(walk *w, size_t from, size_t to) {
    w->in_a_row = 0;
    return put_place(w, w->out, from, to);
}

/* The character written last has something that was left out behind it, up to `to`. */
static int takes_along(walk *w, size_t to) {
    fa_tokenizer *t = w->to;
    if (w->out == w->last_out || t->classes[w->last_out] != FA_WORD) return FA_OK;
    fa_place *last = &t->places[t->place_count - 1];
    w->in_a_row = 0;
    if (last->normal != w->last_out) return put_place(w, w->last_out, w->last_at, to);
    if (last->to == 0) last->from = (uint32_t)w->last_at;
    last->to = (uint32_t)to;
    return FA_OK;
}

/* ---------------------------------------------------------------- characters that need no other */

/* Begin a cluster with the next character, of `code_points` once it is normalized. Returns 0 when it does not fit. */
static inline int begins_cluster(walk *w, size_t code_points) {
    if (code_points > w->room_left) {
        w->is_full = 1;
        return 0;
    }
    w->cluster_at = w->last_at = w->at;
    w->cluster_out = w->last_out = w->out;
    w->cluster_room_left = w->room_left;
    w->last_class = w->marks = 0;
    w->room_left -= code_points;
    return 1;
}

/* Copy ASCII up to the next other byte, in small letters. Returns a status. */
static int copy_ascii(walk *w) {
    fa_tokenizer *t = w->to;
    if (goes_on(w)) return FA_NO_MEMORY;
    size_t at = w->at, out = w->out, stop = w->end;
    if (stop - at > w->room_left) stop = at + w->room_left;
    int is_dotless = (w->folding & FA_DOTLESS_I) != 0;
    while (at < stop) {
        uint64_t bytes;
        size_t count = stop - at < 8 ? stop - at : 8;
        if (count == 8) {
            bytes = load8(w->source + at);
        } else {
            uint8_t tail[8] = {0};
            memcpy(tail, w->source + at, count);
            bytes = load8(tail);
        }
        uint64_t others = bytes & TOPS;
        if (is_dotless) {
            /* the lowest bit set is right, those above it may not be */
            uint64_t no_i = bytes ^ 'I' * ONES;
            others |= (no_i - ONES) & ~no_i & TOPS;
        }
        uint64_t low = bytes & ~TOPS;
        uint64_t capital = (low + (0x80 - 'A') * ONES) & ~(low + (0x80 - 'Z' - 1) * ONES) & TOPS;
        low |= capital >> 2;
        uint64_t letter = (low + (0x80 - 'a') * ONES) & ~(low + (0x80 - 'z' - 1) * ONES);
        uint64_t digit = (low + (0x80 - '0') * ONES) & ~(low + (0x80 - '9' - 1) * ONES);
        store8(t->text + out, low);
        store8(t->classes + out, ((letter | digit) & TOPS) >> 7);
        if (others) {
            size_t before = (size_t)__builtin_ctzll(others) >> 3;
            if (before < count) {
                at += before;
                out += before;
                break;
            }
        }
        at += count;
        out += count;
    }
    size_t written = at - w->at;
    if (written) {
        w->room_left -= written;
        w->at = at;
        w->out = out;
        /* a mark behind it belongs to the last letter */
        w->cluster_at = w->last_at = at - 1;
        w->cluster_out = w->last_out = out - 1;
        w->cluster_room_left = w->room_left + 1;
        w->last_class = w->marks = 0;
    }
    return FA_OK;
}

static inline void copy_character(walk *w, size_t size, uint32_t class) {
    uint8_t *text = w->to->text + w->out, *classes = w->to->classes + w->out;
    const uint8_t *source = w->source + w->at;
    for (size_t k = 0; k < size; k++) {
        text[k] = source[k];
        classes[k] = (uint8_t)class;
    }
    w->at += size;
    w->out += size;
}

/* Write one character that has become another. */
static inline int write_other(walk *w, size_t size, uint32_t code, uint32_t class) {
    uint8_t encoded[4];
    size_t length = fa_encode(encoded, code);
    if (length == size ? goes_on(w) : is_made_of(w, w->at, w->at + size)) return FA_NO_MEMORY;
    for (size_t k = 0; k < length; k++) {
        w->to->text[w->out + k] = encoded[k];
        w->to->classes[w->out + k] = (uint8_t)class;
    }
    w->at += size;
    w->out += length;
    return FA_OK;
}

/* Room for `bytes` more, and for the rest of the source as it is. */
static inline int need(walk *w, size_t bytes) { return make_room(w->to, w->out + bytes + (w->end - w->at)); }

static int write_several(walk *w, size_t size, const uint8_t *string) {
    int status = need(w, LONGEST_STRING);
    if (status) return status;
    size_t length = string[0];
    if (is_made_of(w, w->at, w->at + size)) return FA_NO_MEMORY;
    uint8_t *text = w->to->text + w->out, *classes = w->to->classes + w->out;
    memcpy(text, string + 2, length);
    for (size_t k = 0; k < length;) {
        uint32_t code;
        size_t next = k + fa_decode(text, k, length, &code);
        uint8_t class = (uint8_t)fa_class_among(fa_properties_of(code));
        while (k < next) classes[k++] = class;
    }
    w->at += size;
    w->out += length;
    return FA_OK;
}

/* ---------------------------------------------------------------- clusters */

/* What is written next begins a cluster, whatever it is. */
static void begin_anew(walk *w) {
    w->cluster_at = w->at;
    w->cluster_out = w->out;
    w->cluster_room_left = w->room_left;
    w->last_class = w->marks = 0;
}

static inline int joins_what_is_before(uint32_t code) { return fa_kind_of(fa_record_of(code)) >= FA_DROPPED; }

/* Collect the letters of a cluster, from w->cluster_at on; w->at comes to stand behind it. */
static int collect_cluster(walk *w) {
    fa_letters *letters = &w->to->letters;
    letters->count = 0;
    size_t at = w->cluster_at, marks = 0;
    for (int is_first = 1; at < w->end; is_first = 0) {
        uint32_t code;
        size_t from = at, next = at + fa_decode(w->source, at, w->end, &code);
        if (!is_first && !joins_what_is_before(code)) break;
        at = next;
        if (code == 'I' && w->folding & FA_DOTLESS_I) {
            uint32_t dot = 0;
            size_t behind = at < w->end ? at + fa_decode(w->source, at, w->end, &dot) : at;
            int is_dotted = behind > at && dot == ABOVE_DOT;
            code = is_dotted ? 'i' : DOTLESS_I;
            at = is_dotted ? behind : at;
        }
        uint32_t properties = fa_properties_of(code), special = fa_special_in(properties);
        if (letters->count >= LONGEST_CLUSTER && !fa_counts_as_mark(properties)) {
            at = from;
            break;
        }
        if (special == FA_IGNORABLE) continue;
        marks = fa_counts_as_mark(properties) ? marks + 1 : 0;
        if (marks > FA_MOST_MARKS) continue;
        uint32_t start = (uint32_t)from, end = (uint32_t)at;
        int is_apart = special == FA_LETTERLIKE;
        if (is_apart && fa_letters_put(letters, ' ', start, end)) return FA_NO_MEMORY;
        code = special == FA_BLANK ? ' ' : special == FA_DOTTED ? 'i' : code;
        if (fa_letters_put(letters, code, start, end)) return FA_NO_MEMORY;
        if (is_apart && fa_letters_put(letters, ' ', start, end)) return FA_NO_MEMORY;
    }
    w->at = at;
    return FA_OK;
}

/* Places of characters rise, also where marks have changed theirs. */
static void let_places_rise(fa_letters *letters) {
    for (size_t i = letters->count; i-- > 1;)
        if (letters->data[i - 1].from > letters->data[i].from) letters->data[i - 1].from = letters->data[i].from;
    for (size_t i = 1; i < letters->count; i++)
        if (letters->data[i].to < letters->data[i - 1].to) letters->data[i].to = letters->data[i - 1].to;
}

/* A cluster that does not fit is left out whole: the text ends before it. */
static int leave_cluster_out(walk *w) {
    w->at = w->cluster_at;
    w->out = w->cluster_out;
    w->room_left = w->cluster_room_left;
    w->is_full = 1;
    return FA_OK;
}

/* Take back what is written of the cluster that w->at stands in, and write it again from the start. */
static int rewrite_cluster(walk *w) {
    fa_tokenizer *t = w->to;
    fa_letters *letters = &t->letters;
    w->out = w->cluster_out;
    w->room_left = w->cluster_room_left;
    w->in_a_row = 0;
    while (t->place_count && t->places[t->place_count - 1].normal >= w->out) t->place_count--;
    if (collect_cluster(w) || fa_letters_normalize(letters, &t->spare)) return FA_NO_MEMORY;
    if (letters->count > w->room_left) return leave_cluster_out(w);
    int status = letters->count >= MOST_BYTES / 4 ? FA_TOO_LARGE : need(w, letters->count * 4);
    if (status) return status;
    let_places_rise(letters);
    for (size_t i = 0; i < letters->count; i++) {
        const fa_letter *letter = &letters->data[i];
        if (is_made_of(w, letter->from, letter->to)) return FA_NO_MEMORY;
        w->last_at = letter->from;
        w->last_out = w->out;
        size_t size = fa_encode(t->text + w->out, letter->code & FA_CODE);
        memset(t->classes + w->out, (int)fa_class_among(fa_properties_of(letter->code & FA_CODE)), size);
        w->out += size;
    }
    w->room_left -= letters->count;
    begin_anew(w);
    return FA_OK;
}

/* A mark that joins no letter; in order, it is copied. */
static int copy_mark(walk *w, size_t size, uint32_t record) {
    uint32_t class = fa_payload_of(record);
    if (class < w->last_class || w->marks >= FA_MOST_MARKS) return rewrite_cluster(w);
    if (w->room_left == 0) return leave_cluster_out(w);
    if (goes_on(w)) return FA_NO_MEMORY;
    w->room_left--;
    w->marks++;
    w->last_class = class;
    w->last_at = w->at;
    w->last_out = w->out;
    copy_character(w, size, fa_class_in(record));
    return FA_OK;
}

/* ---------------------------------------------------------------- the walk */

static int write_dotless(walk *w) {
    uint32_t dot = 0;
    size_t behind = w->at + 1 < w->end ? w->at + 1 + fa_decode(w->source, w->at + 1, w->end, &dot) : w->at;
    int is_dotted = behind > w->at + 1 && dot == ABOVE_DOT;
    if (!begins_cluster(w, 1)) return FA_OK;
    int status = need(w, 4);
    if (status) return status;
    return write_other(w, is_dotted ? behind - w->at : 1, is_dotted ? 'i' : DOTLESS_I, FA_WORD);
}

static int write_broken(walk *w) {
    if (!begins_cluster(w, 1)) return FA_OK;
    int status = need(w, 4);
    return status ? status : write_other(w, 1, FA_REPLACEMENT, FA_SEPARATOR);
}

/* A character beyond ASCII. */
static inline int write_character(walk *w) {
    uint32_t code;
    size_t size = fa_decode(w->source, w->at, w->end, &code);
    if (size == 1) return write_broken(w);
    uint32_t record = fa_record_of(code);
    switch (fa_kind_of(record)) {
    case FA_SAME:
        if (!begins_cluster(w, 1)) return FA_OK;
        if (goes_on(w)) return FA_NO_MEMORY;
        copy_character(w, size, fa_class_in(record));
        return FA_OK;
    case FA_ONE: {
        if (!begins_cluster(w, 1)) return FA_OK;
        int status = need(w, 4); /* a few become longer */
        return status ? status : write_other(w, size, fa_payload_of(record), fa_class_in(record));
    }
    case FA_SEVERAL: {
        const uint8_t *string = fa_strings + fa_payload_of(record);
        return begins_cluster(w, string[1]) ? write_several(w, size, string) : FA_OK;
    }
    case FA_DROPPED:
        w->at += size;
        return FA_OK;
    case FA_POINT:
        w->at += size;
        if (++w->marks >= LONGEST_CLUSTER) begin_anew(w);
        return takes_along(w, w->at);
    case FA_MARK:
        return copy_mark(w, size, record);
    default:
        return rewrite_cluster(w);
    }
}

int fa_normalize_onto(fa_tokenizer *to, fa_bytes text, uint32_t folding, size_t most) {
    if (text.size >= MOST_BYTES) return FA_TOO_LARGE;
    walk w = {.to = to, .source = text.data, .end = text.size, .out = to->size, .room_left = most, .folding = folding};
    w.cluster_out = w.last_out = w.out;
    w.cluster_room_left = most;
    to->place_count = 0;
    int status = need(&w, FA_PADDING);
    while (status == FA_OK && w.at < w.end && !w.is_full) {
        uint8_t byte = w.source[w.at];
        if (byte >= 0x80)
            status = write_character(&w);
        else if (byte == 'I' && folding & FA_DOTLESS_I)
            status = write_dotless(&w);
        else if (w.room_left)
            status = copy_ascii(&w);
        else
            w.is_full = 1;
    }
    if (status) return status;
    memset(to->text + w.out, 0, FA_PADDING);
    memset(to->classes + w.out, 0, FA_PADDING);
    to->size = w.out;
    to->told.code_points += most - w.room_left;
    to->told.used = w.at;
    to->told.cut = (uint32_t)w.is_full;
    return FA_OK;
}
