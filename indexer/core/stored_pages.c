/* See stored_pages.h. */
#include "stored_pages.h"

#include <stdlib.h>
#include <string.h>

#include "inflate.h"
#include "record.h"
#include "utf8.h"

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

/* ---------------------------------------------------------------- many pages */

/* What is told of pages, on its way to the answer. The starts are put there at once. */
typedef struct telling {
    fa_buffer *answer, passages, ends, hits;
    uint32_t characters; /* of the passages */
} telling;

static int tell_start(telling *t, const fa_page *page, fa_page_told *told) {
    told->text = (uint32_t)page->text.size;
    told->description = (uint32_t)page->description.size;
    return fa_buffer_put(t->answer, page->text.data, page->text.size) &&
           fa_buffer_put(t->answer, page->description.data, page->description.size);
}

static int tell_snippet(telling *t, const fa_snippet *snippet, fa_page_told *told) {
    uint32_t begin = 0;
    told->parts = snippet->part_count;
    for (uint32_t k = 0; k < snippet->part_count; k++) {
        const fa_snippet_part *part = &snippet->parts[k];
        uint8_t is_hit = (uint8_t)part->is_hit;
        for (; begin < part->end; begin++) t->characters += (snippet->text[begin] & 0xc0) != 0x80;
        if (!fa_buffer_put_u32(&t->ends, t->characters) || !fa_buffer_put(&t->hits, &is_hit, 1)) return 0;
    }
    told->passages = begin;
    return fa_buffer_put(&t->passages, snippet->text, begin);
}

static int put_buffer(fa_buffer *answer, const fa_buffer *more) { return fa_buffer_put(answer, more->data, more->size); }

/* What is unpacked to, and read with. */
typedef struct looking {
    fa_page *page;
    fa_tokens *tokens;
    const fa_depth *depth;
    const fa_wanted *wanted;
    uint32_t sought;
    uint8_t *first, *more; /* of as many bytes as the depth says; the second is made when it is needed */
    fa_snippet snippet;
} looking;

static int look_at_member(looking *l, fa_bytes packed, uint8_t *room, size_t most, fa_page_told *told) {
    size_t size, whole = unpack(packed, room, most, &size);
    enum fa_page_shown shown = FA_NOT_PLAIN;
    int status = FA_OK;
    if (whole)
        status = fa_snippet_of_page(l->page, l->tokens, (fa_bytes){room, size}, whole, l->depth->characters, l->wanted,
                                    l->sought, &shown, &l->snippet, &told->is_whole);
    told->shown = shown;
    return status;
}

static int look_at_packed(looking *l, fa_bytes packed, fa_page_told *told) {
    int status = look_at_member(l, packed, l->first, l->depth->first, told);
    if (status != FA_OK || told->shown != FA_CUT_SHORT) return status;
    if (l->more == NULL) l->more = malloc(l->depth->most);
    return l->more == NULL ? FA_NO_MEMORY : look_at_member(l, packed, l->more, l->depth->most, told);
}

static int look_at_known(looking *l, const fa_stored_page *stored, fa_page_told *told) {
    enum fa_page_shown shown;
    told->is_whole = stored->is_whole;
    int status = snippet_of_start(l->tokens, stored->text, stored->description, (int)stored->is_whole, l->wanted,
                                  l->sought, &shown, &l->snippet);
    told->shown = shown;
    return status;
}

static int tell_page(looking *l, const fa_stored_page *stored, telling *t, fa_page_told *told) {
    *told = (fa_page_told){0};
    int status = stored->is_known ? look_at_known(l, stored, told) : look_at_packed(l, stored->packed, told);
    if (status != FA_OK || told->shown == FA_NOT_PLAIN || told->shown == FA_CUT_SHORT) return status;
    if (!stored->is_known && !tell_start(t, l->page, told)) return FA_NO_MEMORY;
    return told->shown == FA_FURTHER_ON || tell_snippet(t, &l->snippet, told) ? FA_OK : FA_NO_MEMORY;
}

int fa_stored_pages(fa_page *page, fa_tokens *tokens, const fa_stored_page *pages, size_t count, const fa_depth *depth,
                    const fa_wanted *wanted, uint32_t sought, fa_page_told *told, fa_buffer *answer, size_t *done) {
    looking *l = malloc(sizeof *l);
    telling t = {.answer = answer};
    *done = 0;
    if (l == NULL) return FA_NO_MEMORY;
    *l = (looking){.page = page, .tokens = tokens, .depth = depth, .wanted = wanted, .sought = sought};
    l->first = malloc(depth->first);
    int status = l->first == NULL ? FA_NO_MEMORY : FA_OK;
    for (; status == FA_OK && *done < count && answer->size <= FA_TEXTS_AT_ONCE; ++*done)
        status = tell_page(l, &pages[*done], &t, &told[*done]);
    if (status == FA_OK && !(put_buffer(answer, &t.passages) && put_buffer(answer, &t.ends) && put_buffer(answer, &t.hits)))
        status = FA_NO_MEMORY;
    fa_buffer_free(&t.passages);
    fa_buffer_free(&t.ends);
    fa_buffer_free(&t.hits);
    free(l->first);
    free(l->more);
    free(l);
    return status;
}
