/* Fuzzes the way from an unpacked record to the passages of its page: four bytes that say how many characters are looked
 * at, how much the record goes on behind what is there and how many kinds of words are enough; then the member.
 *
 * What has to hold: nothing is read behind the member, which lies in a place of its own; the parts of a snippet follow each
 * other within its room; a page that is all there and all looked at is never cut short nor goes further on.
 */
#include "stored_pages.h"

#include "record.h"
#include "segment.h"

#include <stdlib.h>
#include <string.h>

static void check(int holds) {
    if (!holds) abort();
}

static uint64_t sum;

static void look_at(const fa_snippet *snippet) {
    uint32_t begin = 0;
    check(snippet->part_count <= FA_SNIPPET_PARTS);
    for (uint32_t at = 0; at < snippet->part_count; at++) {
        const fa_snippet_part *part = &snippet->parts[at];
        check(part->end >= begin && part->end <= FA_SNIPPET_BYTES && part->is_hit <= 1);
        check(!part->is_hit || snippet->has_hits);
        for (; begin < part->end; begin++) sum += snippet->text[begin];
    }
}

static void look_at_answer(const fa_page_told *told, const fa_buffer *answer) {
    uint32_t starts = 0, parts = 0;
    for (size_t k = 0; k < 2; k++) {
        check(told[k].text_end >= starts && told[k].description_end >= told[k].text_end);
        check(told[k].parts_end >= parts && (told[k].shown == FA_SHOWN || told[k].parts_end == parts));
        starts = told[k].description_end;
        parts = told[k].parts_end;
    }
    check(answer->size >= starts + parts);
    size_t hits = answer->size - parts, between = 0;
    for (size_t k = starts; k < hits; k++) between += answer->data[k] == 0xff;
    check(between + 1 == parts || (parts == 0 && hits == starts));
    for (size_t k = hits; k < answer->size; k++) check(answer->data[k] <= 1);
}

/* The same page by way of its gzip member, packed in blocks as it stands. */
static void look_at_stored(fa_page *page, fa_tokens *tokens, fa_bytes member, size_t first, size_t characters,
                           const fa_wanted *wanted) {
    enum { HEAD = 10, BLOCK = 5, MOST = 1 << 16 };
    if (member.size >= MOST) return;
    uint32_t sums[] = {fa_crc32(0, member.data, member.size), (uint32_t)member.size};
    uint8_t *packed = malloc(HEAD + BLOCK + member.size + sizeof sums), *at = packed;
    check(packed != NULL);
    memcpy(at, "\x1f\x8b\x08\0\0\0\0\0\0\xff", HEAD);
    at[HEAD] = 1;
    for (unsigned k = 0; k < 2; k++) {
        at[HEAD + 1 + k] = (uint8_t)(member.size >> 8 * k);
        at[HEAD + 3 + k] = (uint8_t)~at[HEAD + 1 + k];
    }
    at += HEAD + BLOCK;
    memcpy(at, member.data, member.size);
    at += member.size;
    for (unsigned k = 0; k < sizeof sums; k++) *at++ = (uint8_t)(sums[k / 4] >> 8 * (k % 4));
    const fa_stored_page stored[2] = {
        {.packed = {packed, (size_t)(at - packed)}},
        {.packed = member}, /* no gzip */
    };
    const fa_depth depth = {first, first * 2, MOST, characters, MOST - first};
    fa_page_told told[2];
    fa_buffer answer = {0};
    size_t done;
    int status = fa_stored_pages(page, tokens, stored, 2, &depth, wanted, 1, told, &answer, &done);
    check(status != FA_OK || done == 2);
    if (status == FA_OK) look_at_answer(told, &answer);
    fa_buffer_free(&answer);
    free(packed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 4) return 0;
    size_t characters = 1 + (size_t)(data[0] | data[1] << 8), more = data[2];
    uint32_t sought = data[3] % 4;
    static const uint8_t WORDS[] = "a\0page\0pages\0x"; /* and the zero byte behind it */
    uint64_t room[4 + FA_MAX_WORD + 1 + 2];
    fa_wanted wanted;
    check(fa_wanted_read((fa_bytes){WORDS, sizeof WORDS}, 4, 4, room, &wanted) == FA_OK);
    check(wanted.count == 4 && wanted.kind_count == 3);
    wanted.written = (fa_bytes){WORDS, sizeof WORDS};
    fa_bytes member = {malloc(size - 4 ? size - 4 : 1), size - 4};
    check(member.data != NULL);
    memcpy((uint8_t *)member.data, data + 4, member.size);
    fa_page *page = fa_page_new();
    fa_tokens *tokens = fa_tokens_new();
    check(page != NULL && tokens != NULL);
    static fa_snippet snippet;
    enum fa_page_shown shown;
    uint32_t is_whole = 0;
    int status = fa_snippet_of_page(page, tokens, member, member.size + more, characters, &wanted, sought, &shown,
                                    &snippet, &is_whole);
    if (status == FA_OK && shown == FA_SHOWN) look_at(&snippet);
    check(status != FA_OK || more || (shown != FA_CUT_SHORT && (characters <= size || shown != FA_FURTHER_ON)));
    status = fa_snippet_of_page(page, tokens, member, member.size, characters, NULL, 0, &shown, &snippet, &is_whole);
    check(status != FA_OK || shown == FA_NOT_PLAIN || shown == FA_SHOWN);
    look_at_stored(page, tokens, member, 1 + more * 64, characters, &wanted);
    fa_tokens_free(tokens);
    fa_page_free(page);
    free((uint8_t *)member.data);
    return 0;
}
