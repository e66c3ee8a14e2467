/* See stored_pages.h. */
#include "stored_pages.h"

#include <stdlib.h>
#include <string.h>

#include "inflate.h"
#include "record.h"
#include "utf8.h"

#ifdef __AVX2__
#include <immintrin.h>
#endif

/* ---------------------------------------------------------------- the start of a page */

/* Cut the best passage of what the start of a page says; see fa_snippet_of_page. */
static int snippet_of_start(fa_tokens *tokens, fa_bytes text, fa_bytes description, int is_whole,
                            const fa_wanted *wanted, uint32_t sought, enum fa_page_shown *shown, fa_snippet *snippet) {
    int status = fa_snippet_without_hyphens(tokens, text, wanted, sought, snippet);
    *shown = is_whole || snippet->has_hits ? FA_SHOWN : FA_FURTHER_ON;
    if (status != FA_OK || *shown == FA_FURTHER_ON || snippet->has_hits) return status;
    status = fa_snippet_without_hyphens(tokens, description, wanted, 0, snippet);
    if (status != FA_OK || snippet->has_hits) return status;
    status = fa_snippet_without_hyphens(tokens, text, wanted, 0, snippet);
    if (status != FA_OK || snippet->part_count) return status;
    return fa_snippet_without_hyphens(tokens, description, wanted, 0, snippet);
}

int fa_snippet_of_page(fa_page *page, fa_tokens *tokens, fa_bytes member, size_t whole, size_t characters,
                       const fa_wanted *wanted, uint32_t sought, enum fa_page_shown *shown, fa_snippet *snippet,
                       uint32_t *is_whole) {
    fa_record record;
    *shown = FA_NOT_PLAIN;
    fa_record_read(member.data, member.size, whole, &record);
    if (!record.is_plain_page) return FA_OK;
    fa_bytes body = {member.data + record.body.begin, record.body.size};
    int is_cut = whole > member.size, status;
    size_t end = fa_pass_characters(body.data, 0, body.size, &characters);
    *shown = FA_CUT_SHORT;
    if (is_cut && end == body.size) return FA_OK;
    *is_whole = !is_cut && end == body.size;
    *shown = FA_SHOWN;
    status = fa_page_read(page, (fa_bytes){body.data, end}, FA_TEXT_ALONE);
    if (wanted == NULL || status != FA_OK) return status;
    return snippet_of_start(tokens, page->text, page->description, (int)*is_whole, wanted, sought, shown, snippet);
}

/* Unpack as much of a member as there is room for. Returns how many bytes it has in all, 0 when it is not sound or not
 * alone. */
static size_t unpack(fa_bytes packed, uint8_t *room, size_t most, size_t *size) {
    size_t taken = 0, whole = 0;
    switch (fa_gunzip(packed, room, most, &taken, size)) {
        case FA_UNPACKED: return taken == packed.size ? *size : 0;
        case FA_UNPACKED_FULL: /* only its end says so */
            for (size_t k = 1; k <= 4; k++) whole = whole << 8 | packed.data[packed.size - k];
            return whole > *size ? whole : 0;
        default: return 0;
    }
}

/* ---------------------------------------------------------------- the start of a page in an archive */

/* What is unpacked to, and read with. */
typedef struct looking {
    fa_page *page;
    fa_tokens *tokens;
    const fa_depth *depth;
    const fa_wanted *wanted;
    uint32_t sought;
    uint8_t *room; /* of as many bytes as were asked for at most */
    size_t room_size;
    fa_snippet snippet;
} looking;

static int make_room(looking *l, size_t size) {
    if (size <= l->room_size) return FA_OK;
    free(l->room);
    l->room = malloc(size);
    l->room_size = l->room == NULL ? 0 : size;
    return l->room == NULL ? FA_NO_MEMORY : FA_OK;
}

static int look_at_member(looking *l, fa_bytes packed, size_t most, fa_page_told *told) {
    int status = make_room(l, most);
    if (status != FA_OK) return status;
    size_t size, whole = unpack(packed, l->room, most, &size);
    enum fa_page_shown shown = FA_NOT_PLAIN;
    if (whole)
        status = fa_snippet_of_page(l->page, l->tokens, (fa_bytes){l->room, size}, whole, l->depth->characters, l->wanted,
                                    l->sought, &shown, &l->snippet, &told->is_whole);
    told->shown = shown;
    return status;
}

static int look_at_packed(looking *l, fa_bytes packed, fa_page_told *told) {
    int status = look_at_member(l, packed, l->depth->first, told);
    if (status != FA_OK || told->shown != FA_CUT_SHORT) return status;
    return look_at_member(l, packed, l->depth->more, told);
}

static int look_at_known(looking *l, const fa_stored_page *stored, fa_page_told *told) {
    enum fa_page_shown shown;
    told->is_whole = stored->is_whole;
    int status = snippet_of_start(l->tokens, stored->text, stored->description, (int)stored->is_whole, l->wanted,
                                  l->sought, &shown, &l->snippet);
    told->shown = shown;
    return status;
}

/* ---------------------------------------------------------------- further on */

enum {
    MOST_PARTS = 8,  /* places further on that are looked at */
    AROUND = 8 << 10 /* characters that are looked at from a place on, and half as many before it where a tag begins there */
};

#ifdef __AVX2__
enum { FIRST_BYTES = 3, SPELLINGS_APART = 8 };
#endif

/* How words looked for may stand in markup. starts: a bit for the first bytes of each, up to four, as start_of has them. */
typedef struct writing {
    fa_bytes spellings; /* a zero byte behind each */
    uint32_t known;     /* of these first bytes: those that the shortest one has */
    size_t shortest;
    uint64_t starts[64];
#ifdef __AVX2__
    /* for each of the first bytes, by its lower and by its upper half: a bit for those spellings, eighth by eighth, that may
     * have it there */
    __m256i lower[FIRST_BYTES], upper[FIRST_BYTES];
#endif
} writing;

static inline uint8_t small(uint8_t byte) { return byte >= 'A' && byte <= 'Z' ? byte | 0x20 : byte; }

/* A number of 12 bits for the first bytes of a text, the same for letters in small and capital. */
static inline uint32_t start_of(const writing *w, const uint8_t *at, size_t left) {
    uint32_t bytes = 0;
    if (left >= sizeof bytes)
        memcpy(&bytes, at, sizeof bytes);
    else
        memcpy(&bytes, at, left);
    return ((bytes | 0x20202020) & w->known) * 0x9e3779b1u >> 20;
}

#ifdef __AVX2__
static void read_halves(writing *w) {
    uint8_t lower[FIRST_BYTES][16] = {0}, upper[FIRST_BYTES][16] = {0};
    size_t size, number = 0;
    for (const uint8_t *at = w->spellings.data, *end = at + w->spellings.size; at < end; at += size + 1, number++) {
        uint8_t bit = (uint8_t)(1 << number % SPELLINGS_APART);
        size = strlen((const char *)at);
        for (size_t k = 0; k < FIRST_BYTES; k++) {
            for (unsigned half = 0; k >= w->shortest && half < 16; half++) lower[k][half] = upper[k][half] = 0xff;
            if (k >= w->shortest) continue;
            lower[k][at[k] & 15] |= bit;
            upper[k][at[k] >> 4] |= bit;
            if (at[k] >= 'a' && at[k] <= 'z') upper[k][at[k] >> 4 ^ 2] |= bit; /* that of the capital */
        }
    }
    for (size_t k = 0; k < FIRST_BYTES; k++) {
        w->lower[k] = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)lower[k]));
        w->upper[k] = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)upper[k]));
    }
}
#endif

/* Return the first place from `at` on where the first bytes of a word may stand, or one before it. */
static inline size_t pass_others(const writing *w, fa_bytes markup, size_t at) {
#ifdef __AVX2__
    const __m256i half = _mm256_set1_epi8(15);
    for (; markup.size - at >= 32 + FIRST_BYTES - 1; at += 32) {
        __m256i may_begin = _mm256_set1_epi8(-1);
        for (size_t k = 0; k < FIRST_BYTES; k++) {
            __m256i bytes = _mm256_loadu_si256((const __m256i *)(const void *)(markup.data + at + k));
            __m256i lower = _mm256_shuffle_epi8(w->lower[k], _mm256_and_si256(bytes, half));
            __m256i upper = _mm256_shuffle_epi8(w->upper[k], _mm256_and_si256(_mm256_srli_epi16(bytes, 4), half));
            may_begin = _mm256_and_si256(may_begin, _mm256_and_si256(lower, upper));
        }
        uint32_t others = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(may_begin, _mm256_setzero_si256()));
        if (others != UINT32_MAX) return at + (size_t)__builtin_ctz(~others);
    }
#else
    (void)w, (void)markup;
#endif
    return at;
}

static void read_writing(writing *w, fa_bytes spellings) {
    *w = (writing){.spellings = spellings, .shortest = SIZE_MAX};
    size_t size;
    for (const uint8_t *at = spellings.data, *end = at + spellings.size; at < end; at += size + 1) {
        size = strlen((const char *)at);
        if (size < w->shortest) w->shortest = size;
    }
    w->known = w->shortest < 4 ? (1u << 8 * w->shortest) - 1 : UINT32_MAX;
    for (const uint8_t *at = spellings.data, *end = at + spellings.size; at < end; at += size + 1) {
        size = strlen((const char *)at);
        uint32_t start = start_of(w, at, size);
        w->starts[start / 64] |= (uint64_t)1 << start % 64;
    }
#ifdef __AVX2__
    read_halves(w);
#endif
}

static int stands_at(fa_bytes markup, size_t at, const uint8_t *spelling, size_t size) {
    if (size > markup.size - at) return 0;
    for (size_t k = 0; k < size; k++)
        if (small(markup.data[at + k]) != spelling[k]) return 0;
    return 1;
}

/* Return the first place from `at` on where a word may stand, the end where there is none. */
static size_t next_place(const writing *w, fa_bytes markup, size_t at) {
    for (; (at = pass_others(w, markup, at)) < markup.size && markup.size - at >= w->shortest; at++) {
        uint32_t start = start_of(w, markup.data + at, markup.size - at);
        if (!(w->starts[start / 64] >> start % 64 & 1)) continue;
        const uint8_t *spelling = w->spellings.data, *end = spelling + w->spellings.size;
        for (size_t size; spelling < end; spelling += size + 1)
            if (size = strlen((const char *)spelling), stands_at(markup, at, spelling, size)) return at;
    }
    return markup.size;
}

/* Return where the part around a place begins: behind the first tag that ends shortly before it, else at the place. */
static size_t begin_of_part(fa_bytes markup, size_t place) {
    size_t before = place;
    for (unsigned k = 0; k < AROUND / 2 && before; k++) {
        do before--;
        while (before && (markup.data[before] & 0xc0) == 0x80);
    }
    const uint8_t *end = place > before ? memchr(markup.data + before, '>', place - before) : NULL;
    return end == NULL ? place : (size_t)(end - markup.data) + 1;
}

/* What was looked at: the texts and the descriptions of the start and of the parts behind it, where no word stands in a text. */
typedef struct looked {
    fa_bytes texts[MOST_PARTS + 1], descriptions[MOST_PARTS + 1]; /* of parts, without `data` */
    size_t count, at; /* at: the byte of the markup up to which it was looked */
    fa_buffer parts;  /* what the parts say, text and description by turns */
} looked;

/* Return some of the bytes of a buffer, which has none at all where nothing was put there. */
static fa_bytes part_of(const fa_buffer *buffer, size_t begin, size_t size) {
    return size ? (fa_bytes){buffer->data + begin, size} : (fa_bytes){NULL, 0};
}

/* Put bytes behind the others, in a buffer whose room may hold anything. */
static int put(fa_buffer *buffer, const void *data, size_t size) {
    if (!fa_buffer_reserve_any(buffer, size)) return 0;
    if (size) memcpy(buffer->data + buffer->size, data, size);
    buffer->size += size;
    return 1;
}

static int keep_part(looked *seen, const fa_page *page) {
    seen->texts[seen->count].size = page->text.size;
    seen->descriptions[seen->count++].size = page->description.size;
    return put(&seen->parts, page->text.data, page->text.size) &&
           put(&seen->parts, page->description.data, page->description.size);
}

/* Look around the next places, as far as the markup is there; is_all: that is all that is ever looked at. *shown becomes
 * FA_SHOWN where a part holds a word, FA_CUT_SHORT where more of the markup has to be there. */
static int look_at_parts(looking *l, fa_bytes markup, int is_all, looked *seen, enum fa_page_shown *shown) {
    writing w;
    read_writing(&w, l->wanted->written);
    for (*shown = FA_FURTHER_ON; seen->count <= MOST_PARTS;) {
        size_t place = next_place(&w, markup, seen->at), characters = AROUND;
        size_t end = fa_pass_characters(markup.data, place, markup.size, &characters);
        if (end == markup.size && !is_all) *shown = FA_CUT_SHORT;
        if (place == markup.size || *shown == FA_CUT_SHORT) return FA_OK;
        size_t begin = begin_of_part(markup, place);
        int status = fa_page_read(l->page, (fa_bytes){markup.data + begin, end - begin}, FA_TEXT_ALONE);
        if (status == FA_OK) status = fa_snippet_without_hyphens(l->tokens, l->page->text, l->wanted, 0, &l->snippet);
        if (status != FA_OK) return status;
        if (l->snippet.has_hits) {
            *shown = FA_SHOWN;
            return FA_OK;
        }
        if (!keep_part(seen, l->page)) return FA_NO_MEMORY;
        seen->at = end;
    }
    return FA_OK;
}

/* Unpack so much of a page, and look at the parts that are there. *shown is as above; FA_NOT_PLAIN for a page that is none
 * that far. */
static int look_as_far_as(looking *l, fa_bytes packed, size_t most, looked *seen, enum fa_page_shown *shown) {
    int status = make_room(l, most);
    *shown = FA_NOT_PLAIN;
    if (status != FA_OK) return status;
    size_t size, whole = unpack(packed, l->room, most, &size);
    fa_record record = {0};
    if (whole) fa_record_read(l->room, size, whole, &record);
    if (!record.is_plain_page) return FA_OK;
    fa_bytes markup = {l->room + record.body.begin, record.body.size};
    int is_all = whole == size || markup.size >= l->depth->markup;
    if (markup.size > l->depth->markup) {
        markup.size = l->depth->markup;
        while (markup.size && (markup.data[markup.size] & 0xc0) == 0x80) markup.size--;
    }
    if (!is_all && most == l->depth->most) return FA_OK; /* its headers are longer than most */
    size_t characters = l->depth->characters;
    if (seen->count == 1) seen->at = fa_pass_characters(markup.data, 0, markup.size, &characters);
    return look_at_parts(l, markup, is_all, seen, shown);
}

/* Cut the passage of a page where no part holds a word as text: of a description that does, else the first there is. */
static int snippet_of_rest(looking *l, const looked *seen) {
    fa_bytes all[2][MOST_PARTS + 1];
    size_t at = 0;
    for (size_t k = 0; k < seen->count; k++) {
        all[0][k] = seen->texts[k];
        all[1][k] = seen->descriptions[k];
        for (unsigned kind = 0; kind < 2 && k; kind++) {
            all[kind][k] = part_of(&seen->parts, at, all[kind][k].size);
            at += all[kind][k].size;
        }
    }
    int status = FA_OK, is_found = 0;
    for (unsigned turn = 0; turn < 3; turn++) {
        for (size_t k = 0; status == FA_OK && !is_found && k < seen->count; k++) {
            status = fa_snippet_without_hyphens(l->tokens, all[turn != 1][k], l->wanted, 0, &l->snippet);
            is_found = turn == 0 ? l->snippet.has_hits != 0 : l->snippet.part_count != 0;
        }
    }
    return status;
}

/* Look further than the start of a page, which says `text` and `description`. *shown stays where it is no plain page. */
static int look_further(looking *l, fa_bytes packed, fa_bytes text, fa_bytes description, uint32_t *shown) {
    looked seen = {.texts = {text}, .descriptions = {description}, .count = 1};
    enum fa_page_shown further = FA_FURTHER_ON;
    int status = FA_OK;
    if (l->wanted->written.size) {
        status = look_as_far_as(l, packed, l->depth->more, &seen, &further);
        if (status == FA_OK && further == FA_CUT_SHORT) status = look_as_far_as(l, packed, l->depth->most, &seen, &further);
    }
    if (status == FA_OK && further == FA_FURTHER_ON) status = snippet_of_rest(l, &seen);
    if (further != FA_NOT_PLAIN) *shown = FA_SHOWN;
    fa_buffer_free(&seen.parts);
    return status;
}

/* ---------------------------------------------------------------- many pages */

/* What is told of pages, on its way to the answer. The starts are put there at once. */
typedef struct telling {
    fa_buffer *answer, parts, hits; /* hits: a byte for each part */
} telling;

enum {
    PART_END = 0xff,
    START_OF_ANSWER = 128 << 10 /* room that most answers are content with: to grow is to copy them */
};

static int put_byte(fa_buffer *buffer, uint8_t byte) { return put(buffer, &byte, 1); }

static int tell_start(telling *t, const fa_page *page, fa_page_told *told) {
    if (!put(t->answer, page->text.data, page->text.size)) return 0;
    told->text_end = (uint32_t)t->answer->size;
    if (!put(t->answer, page->description.data, page->description.size)) return 0;
    told->description_end = (uint32_t)t->answer->size;
    return 1;
}

static int tell_snippet(telling *t, const fa_snippet *snippet, fa_page_told *told) {
    uint32_t begin = 0;
    for (uint32_t k = 0; k < snippet->part_count; k++) {
        const fa_snippet_part *part = &snippet->parts[k];
        if (t->parts.size && !put_byte(&t->parts, PART_END)) return 0;
        if (!put(&t->parts, snippet->text + begin, part->end - begin)) return 0;
        if (!put_byte(&t->hits, (uint8_t)part->is_hit)) return 0;
        begin = part->end;
    }
    told->parts_end = (uint32_t)t->hits.size;
    return 1;
}

static int tell_page(looking *l, const fa_stored_page *stored, telling *t, fa_page_told *told) {
    uint32_t begin = (uint32_t)t->answer->size;
    *told = (fa_page_told){.text_end = begin, .description_end = begin, .parts_end = (uint32_t)t->hits.size};
    int status = stored->is_known ? look_at_known(l, stored, told) : look_at_packed(l, stored->packed, told);
    if (status != FA_OK || told->shown == FA_NOT_PLAIN || told->shown == FA_CUT_SHORT) return status;
    if (!stored->is_known && !tell_start(t, l->page, told)) return FA_NO_MEMORY;
    if (told->shown == FA_FURTHER_ON && stored->packed.size) {
        fa_bytes text = stored->text, description = stored->description;
        if (!stored->is_known) {
            text = part_of(t->answer, begin, told->text_end - begin);
            description = part_of(t->answer, told->text_end, told->description_end - told->text_end);
        }
        status = look_further(l, stored->packed, text, description, &told->shown);
    }
    if (status != FA_OK || told->shown == FA_FURTHER_ON) return status;
    return tell_snippet(t, &l->snippet, told) ? FA_OK : FA_NO_MEMORY;
}

int fa_stored_pages(fa_page *page, fa_tokens *tokens, const fa_stored_page *pages, size_t count, const fa_depth *depth,
                    const fa_wanted *wanted, uint32_t sought, fa_page_told *told, fa_buffer *answer, size_t *done) {
    looking *l = malloc(sizeof *l);
    telling t = {.answer = answer};
    *done = 0;
    if (l == NULL) return FA_NO_MEMORY;
    l->page = page;
    l->tokens = tokens;
    l->depth = depth;
    l->wanted = wanted;
    l->sought = sought;
    l->room = NULL;
    l->room_size = 0;
    l->snippet.part_count = l->snippet.has_hits = 0; /* of 12 kB the rest is written before it is read */
    int status = fa_buffer_reserve_any(answer, START_OF_ANSWER) ? FA_OK : FA_NO_MEMORY;
    for (; status == FA_OK && *done < count && answer->size <= FA_TEXTS_AT_ONCE; ++*done)
        status = tell_page(l, &pages[*done], &t, &told[*done]);
    if (status == FA_OK &&
        !(put(answer, t.parts.data, t.parts.size) && put(answer, t.hits.data, t.hits.size)))
        status = FA_NO_MEMORY;
    fa_buffer_free(&t.parts);
    fa_buffer_free(&t.hits);
    free(l->room);
    free(l);
    return status;
}
