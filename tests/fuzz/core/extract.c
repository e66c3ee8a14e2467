/* Any bytes as a page of HTML: the reader stays inside its memory, and what it gives is what page.h promises.
 *
 * With a fuzzer: `python -m tests.fuzz.core extract`. Compiled with -DFA_FUZZ_MAIN it is a program that tries files.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bounded.h"
#include "page.h"
#include "pieces.h"

static void require(int holds, const char *what) {
    if (!holds) {
        fprintf(stderr, "extract: %s\n", what);
        abort();
    }
}

static uint64_t sum;

/* Looks at every byte, so that the sanitizer sees them. */
static void look_at(fa_bytes bytes) {
    require(bytes.data || !bytes.size, "bytes without an address");
    for (size_t i = 0; i < bytes.size; i++) sum += bytes.data[i];
}

/* As many strings as the parts say, each with its zero byte. */
static void check_parts(const fa_page *page) {
    size_t strings = 0, ends = 0;
    look_at(page->part_strings);
    require(page->part_count <= FA_MOST_PARTS, "too many parts");
    for (size_t i = 0; i < page->part_count; i++) {
        const fa_part *part = &page->parts[i];
        strings += part->strings;
        require(part->strings % 2 == 1, "a name without a value");
        require(part->begin <= part->end && part->end <= page->text.size, "a link whose text is not in the text");
    }
    for (size_t i = 0; i < page->part_strings.size; i++) ends += !page->part_strings.data[i];
    require(ends == strings, "other strings than the parts have");
}

static void check(const fa_page *page, size_t size) {
    look_at(page->text);
    require(page->text.size <= 4 * size + 16, "a text far longer than its markup");
    require(page->piece_count > 0 || page->text.size == 0, "a text without a piece");
    for (size_t i = 0; i < page->piece_count; i++) {
        const fa_piece *piece = &page->pieces[i];
        require(i ? piece->begin >= page->pieces[i - 1].begin : piece->begin == 0, "pieces that do not rise");
        require(piece->begin <= page->text.size, "a piece behind the text");
        require(piece->element == FA_HEADING || piece->element == FA_ANCHOR || piece->element == FA_EMPHASIS ||
                    piece->element == FA_BODY || piece->element == FA_ALT,
                "an element that running text has not");
    }
    require(page->link_count <= FA_MOST_LINKS, "too many links");
    for (size_t i = 0; i < page->link_count; i++) {
        look_at(page->links[i].href);
        look_at(page->links[i].text);
        require(page->links[i].href.size > 0, "a link without an address");
        require(page->links[i].text.size <= 4 * FA_MOST_LINK_TEXT, "a link with a long text");
    }
    const fa_bytes texts[] = {page->title, page->description, page->keywords, page->language, page->robots, page->base};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) look_at(texts[i]);
    check_parts(page);
}

/* Reads the markup with narrow limits into a new place of exactly its size; NULL when memory is short. */
static uint8_t *bounded(fa_bytes html, uint64_t steps, size_t *size, int *is_cut) {
    const fa_markup_limits limits = {.open = 6, .formats = 2, .attributes_of_tag = 2, .attributes = 1000, .steps = steps};
    uint8_t *kept = malloc(html.size ? html.size : 1);
    if (kept && fa_bounded_markup(html, &limits, kept, size, is_cut)) {
        free(kept);
        return NULL;
    }
    require(!kept || *size <= html.size, "more than there was");
    return kept;
}

/* What was bounded once is within its bounds. */
static void check_bounded(fa_bytes html) {
    size_t size = 0, again_size = 0;
    int is_cut, is_cut_again;
    uint8_t *kept = bounded(html, UINT64_MAX, &size, &is_cut);
    if (!kept) return;
    uint8_t *again = bounded((fa_bytes){kept, size}, UINT64_MAX, &again_size, &is_cut_again);
    if (again && !is_cut) {
        require(again_size == size && !is_cut_again && memcmp(kept, again, size) == 0, "bounded again it is another");
    }
    free(again);
    free(kept);
    free(bounded(html, 50, &size, &is_cut));
}

/* Any bytes as what a parser is said to have written: taken apart within memory, or refused by both alike. */
static void check_pieces(fa_bytes form) {
    fa_buffer text = {0}, pieces = {0};
    fa_mark marks[8];
    for (uint32_t i = 0; i < 8; i++) marks[i] = (fa_mark){3 * i + 1, 3 * i + 3 + i % 2};
    fa_bytes start = {(const uint8_t *)"<mark", 5}, id = {(const uint8_t *)" id=\"", 5};
    fa_bytes folder = {(const uint8_t *)"http://a/b/", 11}, page = {(const uint8_t *)"http://a/b/c", 12};
    fa_links links = {.start = start, .folder = folder, .origin = 9, .page = page};
    int read = fa_visible_text(form, 20, &text), split = fa_page_pieces(form, marks, 8, start, id, &links, &pieces);
    require(read == split || read == FA_NO_MEMORY || split == FA_NO_MEMORY, "refused by one, taken by the other");
    look_at((fa_bytes){text.data, text.size});
    look_at((fa_bytes){pieces.data, pieces.size});
    require(text.size <= 20 * 4 + form.size, "more text than was asked for");
    size_t ends = 0;
    for (size_t i = 0; i < pieces.size; i++) ends += !pieces.data[i];
    require(split || ends % 2 == 0, "a tag without a text behind it");
    fa_pieces_free(&text);
    fa_pieces_free(&pieces);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static fa_page *kept; /* a handle that has read other pages before gives the same as a new one */
    if (!kept) kept = fa_page_new();
    fa_page *fresh = fa_page_new();
    fa_bytes html = {data, size};
    for (uint32_t options = 0; options <= (FA_PARAGRAPHS | FA_PARTS); options++) {
        if (!kept || !fresh || fa_page_read(kept, html, options) || fa_page_read(fresh, html, options)) break;
        check(kept, size);
        require(kept->text.size == fresh->text.size && kept->piece_count == fresh->piece_count &&
                    kept->link_count == fresh->link_count && kept->cut == fresh->cut &&
                    kept->part_count == fresh->part_count &&
                    (!kept->text.size || memcmp(kept->text.data, fresh->text.data, kept->text.size) == 0),
                "a handle that remembers the page before");
    }
    fa_page_free(fresh);
    check_bounded(html);
    check_pieces(html);
    return 0;
}

#ifdef FA_FUZZ_MAIN
int main(int count, char **names) {
    for (int i = 1; i < count; i++) {
        FILE *file = fopen(names[i], "rb");
        if (!file) continue;
        fseek(file, 0, SEEK_END);
        long size = ftell(file);
        rewind(file);
        uint8_t *data = malloc(size > 0 ? (size_t)size : 1); /* exactly as large: reading behind it is seen */
        size_t got = data ? fread(data, 1, (size_t)size, file) : 0;
        fclose(file);
        if (data) LLVMFuzzerTestOneInput(data, got);
        free(data);
    }
    return 0;
}
#endif
