/* See passages.h. */
#include "passages.h"

#include <stdlib.h>
#include <string.h>

#include "unicode.h"
#include "utf8.h"

/* ---------------------------------------------------------------- words looked for */

typedef struct wanted_word {
    uint64_t hash;
    uint32_t kind;
} wanted_word;

static int by_hash(const void *first, const void *second) {
    uint64_t one = ((const wanted_word *)first)->hash, other = ((const wanted_word *)second)->hash;
    return (one > other) - (one < other);
}

int fa_wanted_read(fa_bytes words, size_t count, size_t alike, uint64_t *room, fa_wanted *wanted) {
    uint64_t *hashes = room, *starts = hashes + count;
    uint32_t *kind_of = (uint32_t *)(starts + FA_MAX_WORD + 1);
    wanted_word *read = malloc((count + 1) * sizeof *read);
    if (read == NULL) return FA_NO_MEMORY;
    memset(starts, 0, (FA_MAX_WORD + 1) * sizeof *starts);
    fa_bytes kind = {NULL, 0};
    size_t known = 0, at = 0;
    uint32_t kinds = 0;
    for (; known < count && at < words.size; known++) {
        const uint8_t *word = words.data + at, *end = memchr(word, 0, words.size - at);
        size_t size = end == NULL ? words.size - at : (size_t)(end - word), characters = alike;
        size_t shared = fa_pass_characters(word, 0, size, &characters);
        if (kind.data == NULL || shared != kind.size || memcmp(word, kind.data, shared)) kinds++;
        kind = (fa_bytes){word, shared};
        if (size && size <= FA_MAX_WORD) starts[size] |= (uint64_t)1 << (*word & 63);
        read[known] = (wanted_word){fa_hash(word, size), kinds - 1};
        at += size + 1;
    }
    qsort(read, known, sizeof *read, by_hash);
    for (size_t k = 0; k < known; k++) {
        hashes[k] = read[k].hash;
        kind_of[k] = read[k].kind;
    }
    free(read);
    *wanted = (fa_wanted){.hashes = hashes, .starts = starts, .kind_of = kind_of, .count = known, .kind_count = kinds};
    return FA_OK;
}

/* ---------------------------------------------------------------- the best passage */

enum {
    NEAR = 6000,      /* characters of a text that are looked at first */
    MOST_PLACES = 40, /* of each word */
    EDGE = 20         /* how far from its edge a passage may be cut, to end between words */
};

/* A passage: from where on it reaches, how many kinds of words stand in it, and its spots. */
typedef struct passage {
    uint32_t start; /* of its first spot, code points */
    uint32_t kinds; /* different ones among its spots */
    size_t first, end; /* its spots, those left out among them */
} passage;

/* Which spots are left out: those of kinds that were seen, and those that start from `low` on and before `high`. */
typedef struct left_out {
    const uint32_t *seen; /* NULL for none */
    int64_t low, high;
} left_out;

/* The spots of a text, and room to count with. */
typedef struct search {
    const fa_wanted *wanted;
    fa_spot *spots;
    size_t count, room;
    uint32_t *left;   /* of each word, spots still to be told */
    uint32_t *inside; /* of each kind, spots inside the passage in hand */
    uint32_t *seen;   /* of each kind, whether it was seen */
    void *memory;
} search;

static int begin_search(search *s, const fa_wanted *wanted, size_t each, size_t most) {
    *s = (search){.wanted = wanted};
    if (wanted->count > (SIZE_MAX >> 8) / (each + 1) || wanted->kind_count > wanted->count) return FA_TOO_LARGE;
    s->room = each * wanted->count < most ? each * wanted->count : most;
    size_t numbers = wanted->count + 2 * wanted->kind_count;
    s->memory = malloc(s->room * sizeof *s->spots + (numbers + 1) * sizeof *s->left);
    if (s->memory == NULL) return FA_NO_MEMORY;
    s->spots = s->memory;
    s->left = (uint32_t *)(s->spots + s->room);
    s->inside = s->left + wanted->count;
    s->seen = s->inside + wanted->kind_count;
    for (size_t k = 0; k < wanted->count; k++) s->left[k] = (uint32_t)each;
    return FA_OK;
}

/* Add the spots of a text that begins `characters` behind the beginning of all. */
static int look(search *s, fa_tokens *tokens, fa_bytes text, uint32_t characters) {
    fa_spot *spots = s->spots + s->count;
    size_t found;
    int status = fa_find_in_text(tokens, text, s->wanted->hashes, s->wanted->starts, s->left,
                                 s->wanted->count, spots, s->room - s->count, &found);
    for (size_t k = 0; k < found; k++) {
        spots[k].start += characters;
        spots[k].end += characters;
    }
    s->count += found;
    return status;
}

static int is_left_out(const search *s, const fa_spot *spot, const left_out *out) {
    if (out->seen != NULL && out->seen[s->wanted->kind_of[spot->which]]) return 1;
    return out->low <= spot->start && spot->start < out->high;
}

/* Return the passage behind whose first spot, within `reach` code points, most kinds of words stand, then most words,
 * then the first; zeros where no spot is left. Time: spots + kinds. */
static passage best_passage(const search *s, uint32_t reach, left_out out) {
    const fa_spot *spots = s->spots;
    const uint32_t *kind_of = s->wanted->kind_of;
    passage best = {0};
    uint32_t kinds = 0, words = 0, most_words = 0;
    size_t end = 0;
    memset(s->inside, 0, s->wanted->kind_count * sizeof *s->inside);
    for (size_t k = 0; k < s->count; k++) {
        if (is_left_out(s, &spots[k], &out)) continue;
        for (; end < s->count && spots[end].start < (uint64_t)spots[k].start + reach; end++) {
            if (is_left_out(s, &spots[end], &out)) continue;
            kinds += s->inside[kind_of[spots[end].which]]++ == 0;
            words++;
        }
        if (kinds > best.kinds || (kinds == best.kinds && words > most_words)) {
            best = (passage){spots[k].start, kinds, k, end};
            most_words = words;
        }
        kinds -= --s->inside[kind_of[spots[k].which]] == 0;
        words--;
    }
    return best;
}

/* Note in `seen` the kinds of the spots from `first` to `end`, and of no others; returns how many they are. */
static uint32_t see_kinds(const search *s, size_t first, size_t end) {
    uint32_t found = 0;
    memset(s->seen, 0, s->wanted->kind_count * sizeof *s->seen);
    for (size_t k = first; k < end; k++) {
        uint32_t *seen = &s->seen[s->wanted->kind_of[s->spots[k].which]];
        found += *seen == 0;
        *seen = 1;
    }
    return found;
}

/* ---------------------------------------------------------------- its edges */

/* A place in a text, where a character begins or the text ends. */
typedef struct place {
    size_t byte, character;
} place;

static inline int is_inside_character(fa_bytes text, size_t byte) {
    return byte < text.size && (text.data[byte] & 0xc0) == 0x80;
}

/* Go on by some characters, up to the end. */
static place after(fa_bytes text, place at, size_t characters) {
    while (characters && at.byte < text.size) {
        size_t most = characters < text.size - at.byte ? at.byte + characters : text.size;
        size_t plain = fa_pass_ascii(text.data, at.byte, most) - at.byte;
        at = (place){at.byte + plain, at.character + plain};
        characters -= plain;
        if (plain) continue;
        do at.byte++;
        while (is_inside_character(text, at.byte));
        at.character++;
        characters--;
    }
    return at;
}

/* Go back by one. at.character > 0. */
static place before(fa_bytes text, place at) {
    do at.byte--;
    while (at.byte && is_inside_character(text, at.byte));
    at.character--;
    return at;
}

static uint32_t character_at(fa_bytes text, size_t byte) {
    uint32_t code = 0;
    if (byte < text.size) fa_decode(text.data, byte, text.size, &code);
    return code;
}

typedef struct window {
    place start, end;
} window;

/* Return a passage that has `found` in its first quarter, with edges between words if they can be. */
static window window_around(fa_bytes text, uint32_t found, size_t length) {
    size_t ahead = length / 4;
    place start = after(text, (place){0}, found < ahead ? 0 : found - ahead);
    for (int moved = 0; start.character && moved < EDGE; moved++) {
        place previous = before(text, start);
        if (fa_is_blank(character_at(text, previous.byte))) break;
        start = previous;
    }
    place end = after(text, start, length);
    for (int moved = 0; end.byte < text.size && moved < EDGE && !fa_is_blank(character_at(text, end.byte)); moved++)
        end = before(text, end);
    /* a mark above a letter stays with its letter */
    while (start.character && fa_combining_class(character_at(text, start.byte)) &&
           start.character + length / 2 > found)
        start = before(text, start);
    while (end.byte > start.byte && fa_combining_class(character_at(text, end.byte))) end = before(text, end);
    return (window){start, end};
}

/* Return where the best one or two passages are, in the order of the text. */
static size_t best_windows(const search *s, fa_bytes text, window windows[2]) {
    uint32_t reach = FA_SNIPPET_LENGTH * 2 / 3;
    passage best = best_passage(s, reach, (left_out){0});
    windows[0] = window_around(text, best.start, FA_SNIPPET_LENGTH);
    if (best.kinds == see_kinds(s, 0, s->count)) return 1;
    /* the second may not touch the first: a window reaches from a quarter and a word before its place to its length
     * behind it */
    size_t half = FA_SNIPPET_LENGTH / 2;
    passage first = best_passage(s, reach / 2, (left_out){0});
    window around = window_around(text, first.start, half);
    left_out out = {s->seen, (int64_t)around.start.character - (int64_t)half,
                    (int64_t)(around.end.character + half / 4 + EDGE)};
    see_kinds(s, first.first, first.end);
    passage second = best_passage(s, reach / 2, out);
    if (first.kinds + second.kinds <= best.kinds) return 1;
    window other = window_around(text, second.start, half);
    int is_before = other.start.byte < around.start.byte;
    windows[is_before] = around;
    windows[!is_before] = other;
    return 2;
}

/* ---------------------------------------------------------------- what is shown */

static int holds_text(const uint8_t *data, size_t size) {
    uint32_t code;
    for (size_t at = 0; at < size;) {
        at += fa_decode(data, at, size, &code);
        if (!fa_is_blank(code)) return 1;
    }
    return 0;
}

static void end_part(fa_snippet *snippet, size_t end, uint32_t is_hit) {
    size_t begin = snippet->part_count ? snippet->parts[snippet->part_count - 1].end : 0;
    if (end <= begin || snippet->part_count == FA_SNIPPET_PARTS) return;
    snippet->parts[snippet->part_count++] = (fa_snippet_part){(uint32_t)end, is_hit};
    snippet->has_hits |= is_hit;
}

static size_t put_words(fa_snippet *snippet, size_t size, const char *words) {
    size_t count = strlen(words);
    if (count > FA_SNIPPET_BYTES - size) return size;
    memcpy(snippet->text + size, words, count);
    end_part(snippet, size + count, 0);
    return size + count;
}

/* Write a passage with its white space folded. Returns where it ends. */
static size_t put_folded(fa_snippet *snippet, size_t size, const uint8_t *data, size_t count) {
    size_t begin = size;
    int gap = 0;
    uint32_t code;
    for (size_t at = 0, step; at < count; at += step) {
        step = fa_decode(data, at, count, &code);
        if (fa_is_blank(code)) {
            gap = 1;
            continue;
        }
        if (step + 1 > FA_SNIPPET_BYTES - size) break;
        if (gap && size > begin) snippet->text[size++] = ' ';
        gap = 0;
        memcpy(snippet->text + size, data + at, step);
        size += step;
    }
    return size;
}

/* Part a passage into words that are looked for and what stands between them. */
static int mark(fa_snippet *snippet, fa_tokens *tokens, const fa_wanted *wanted, size_t begin, size_t end) {
    fa_bytes shown = {snippet->text + begin, end - begin};
    search s;
    int status = begin_search(&s, wanted, shown.size, shown.size);
    if (status == FA_OK) status = look(&s, tokens, shown, 0);
    place at = {0};
    for (size_t k = 0; status == FA_OK && k < s.count;) {
        /* overlapping pairs of a script without spaces are one */
        uint32_t low = s.spots[k].start, high = s.spots[k].end;
        for (k++; k < s.count && s.spots[k].start < high; k++)
            if (s.spots[k].end > high) high = s.spots[k].end;
        at = after(shown, at, low - at.character);
        end_part(snippet, begin + at.byte, 0);
        at = after(shown, at, high - low);
        end_part(snippet, begin + at.byte, 1);
    }
    end_part(snippet, end, 0);
    free(s.memory);
    return status;
}

/* Return how many bytes of a text are looked at first: up to the last blank near its start, 0 for a short one. */
static size_t near_the_start(fa_bytes text) {
    if (text.size <= NEAR) return 0;
    size_t end = after(text, (place){0}, NEAR).byte;
    if (end == text.size) return 0;
    while (end && text.data[end - 1] != ' ') end--;
    return end ? end - 1 : 0;
}

static size_t count_characters(const uint8_t *data, size_t size) {
    size_t count = 0;
    for (size_t k = 0; k < size; k++) count += (data[k] & 0xc0) != 0x80;
    return count;
}

/* Find the passages to show. */
static int find_windows(fa_tokens *tokens, fa_bytes text, const fa_wanted *wanted, uint32_t sought, window windows[2],
                        size_t *count) {
    search s;
    int status = begin_search(&s, wanted, MOST_PLACES, text.size);
    size_t near = sought ? near_the_start(text) : 0;
    *count = 0;
    if (status == FA_OK && near) {
        status = look(&s, tokens, (fa_bytes){text.data, near}, 0);
        passage best = best_passage(&s, FA_SNIPPET_LENGTH * 2 / 3, (left_out){0});
        if (status == FA_OK && best.kinds >= sought) {
            windows[0] = window_around(text, best.start, FA_SNIPPET_LENGTH);
            *count = 1;
        }
    }
    if (status == FA_OK && *count == 0) {
        /* a blank parts words whatever stands around it: what was looked at need not be looked at again */
        fa_bytes rest = {text.data + near, text.size - near};
        status = look(&s, tokens, rest, (uint32_t)count_characters(text.data, near));
        if (status == FA_OK) *count = best_windows(&s, text, windows);
    }
    free(s.memory);
    return status;
}

int fa_snippet_of(fa_tokens *tokens, fa_bytes text, const fa_wanted *wanted, uint32_t sought, fa_snippet *snippet) {
    snippet->part_count = snippet->has_hits = 0;
    if (text.size > UINT32_MAX / 2) return FA_TOO_LARGE;
    if (!text.size) text.data = (const uint8_t *)""; /* a page without text has none at all */
    window windows[2];
    size_t count, size = 0;
    int status = find_windows(tokens, text, wanted, sought, windows, &count);
    for (size_t k = 0; status == FA_OK && k < count; k++) {
        size_t start = windows[k].start.byte, end = windows[k].end.byte;
        if (!holds_text(text.data + start, end - start)) continue;
        /* runs of white space may have filled the window: what is left out on either side must still be text */
        if (k || holds_text(text.data, start)) size = put_words(snippet, size, k ? " … " : "… ");
        size_t begin = size;
        size = put_folded(snippet, begin, text.data + start, end - start);
        status = mark(snippet, tokens, wanted, begin, size);
    }
    if (status == FA_OK && snippet->part_count) {
        size_t shown = windows[count - 1].end.byte;
        if (holds_text(text.data + shown, text.size - shown)) put_words(snippet, size, " …");
    }
    return status;
}

/* ---------------------------------------------------------------- without soft hyphens */

static const uint8_t *soft_hyphen_in(const uint8_t *at, const uint8_t *end) {
    while (at < end && (at = memchr(at, 0xC2, (size_t)(end - at))) != NULL) {
        if (end - at > 1 && at[1] == 0xAD) return at;
        at++;
    }
    return NULL;
}

int fa_snippet_without_hyphens(fa_tokens *tokens, fa_bytes text, const fa_wanted *wanted, uint32_t sought,
                               fa_snippet *snippet) {
    const uint8_t *hyphen = text.size ? soft_hyphen_in(text.data, text.data + text.size) : NULL;
    if (hyphen == NULL) return fa_snippet_of(tokens, text, wanted, sought, snippet);
    const uint8_t *at = text.data, *end = at + text.size;
    uint8_t *kept = malloc(text.size), *to = kept;
    if (kept == NULL) return FA_NO_MEMORY;
    for (; hyphen != NULL; hyphen = soft_hyphen_in(at, end)) {
        memcpy(to, at, (size_t)(hyphen - at));
        to += hyphen - at;
        at = hyphen + 2;
    }
    memcpy(to, at, (size_t)(end - at));
    int status = fa_snippet_of(tokens, (fa_bytes){kept, (size_t)(to + (end - at) - kept)}, wanted, sought, snippet);
    free(kept);
    return status;
}
