/* Fuzzes how a page gets into a batch: an address up to the first line feed, a declared language up to the second, markup.
 *
 * What has to hold: what is told to be left is all that is left; a page taken in one call leaves the same links as the two
 * calls that ask first, and the same words; small letters are as many bytes, and small already.
 */
#include "intake.h"

#include <stdlib.h>
#include <string.h>

static void check(int holds) {
    if (!holds) abort();
}

static fa_bytes line(const uint8_t **data, size_t *size) {
    const uint8_t *end = *size ? memchr(*data, '\n', *size) : NULL;
    fa_bytes found = {*data, end ? (size_t)(end - *data) : *size};
    *data += found.size + (end != NULL);
    *size -= found.size + (end != NULL);
    return found;
}

static const fa_language_code CODES[] = {
    {.written = "en", .told = "en", .bit = 1},
    {.written = "de", .told = "de", .bit = 2},
    {.written = "nb", .told = "no"},
    {.written = "ja", .told = "ja", .is_foreign = 1},
};

static void rule(fa_language_rules *rules, uint64_t hashes[16], uint64_t languages[16]) {
    static const char *const WORDS[] = {"the", "der", "a"};
    for (unsigned k = 0; k < 3; k++) {
        uint64_t hash = fa_hash((const uint8_t *)WORDS[k], strlen(WORDS[k]));
        size_t place = hash % 16;
        while (languages[place]) place = (place + 1) % 16;
        hashes[place] = hash;
        languages[place] = k + 1;
    }
    *rules = (fa_language_rules){
        .stop_words = {hashes, languages, 16}, .codes = CODES, .code_count = 4, .languages = 3,
        .few_words = 12, .many_words = 60, .few_letters = 4, .few_characters = 120,
        .near = 1000, .near_latin = 700,
        .foreign = 0.3, .speaks = 0.3, .contradicts = 0.12, .times = 3, .clearly = 1.3, .silent = 0.03};
    for (unsigned k = 0; k < FA_SCRIPTS; k++) rules->scripts[k] = (fa_language_script){.language = "ja", .share = 0.5};
}

/* Explain all addresses that are asked for as no pages. */
static void add_rest(fa_links *links, const fa_page *page, uint32_t ordinal, fa_bytes asked, uint64_t own) {
    size_t count = 0;
    for (size_t at = 0; at < asked.size; at++) count += asked.data[at] == 0;
    uint64_t *targets = calloc(count + 1, sizeof *targets);
    uint8_t *are_pages = calloc(count + 1, 1);
    check(targets && are_pages);
    check(fa_links_add(links, page, ordinal, own, targets, are_pages, count) == FA_OK);
    free(targets);
    free(are_pages);
}

static void look_at_letters(const fa_taken *taken) {
    fa_bytes text = {taken->language.text, taken->language.text_size};
    uint8_t *again = malloc(text.size + 1);
    check(again && fa_small_letters(text, again) && memcmp(again, text.data, text.size) == 0);
    free(again);
}

/* The same page twice, to be taken one by one. */
static fa_pages *twice(fa_bytes html, fa_bytes url, fa_bytes header) {
    fa_pages *pages = calloc(1, sizeof *pages);
    check(pages != NULL);
    for (unsigned k = 0; k < 2; k++) {
        pages->data[k] = html.data;
        pages->size[k] = html.size;
        pages->url[k] = url.data;
        pages->url_size[k] = url.size;
        pages->header[k] = header.data;
        pages->header_size[k] = header.size;
        pages->in_utf_8[k] = 1;
    }
    return pages;
}

static void take(fa_intake *intake, fa_page *page, fa_pages *pages, uint32_t ordinal) {
    fa_shown shown = {0};
    uint32_t at = ordinal, stop;
    check(fa_take_pages(intake, page, pages, &at, ordinal + 1, 0, &shown, &stop) == FA_OK);
    check(at == ordinal + 1 && shown.pages == 1 && shown.parsing == 1);
    check(stop == (intake->taken.left ? FA_STOPPED_LEFT : FA_ALL_TAKEN));
    uint32_t begin = ordinal ? pages->title_end[ordinal - 1] : 0, size = pages->title_end[ordinal] - begin;
    check(size <= page->title.size && (size == page->title.size || size == FA_LONGEST_TITLE));
    check(size == 0 || memcmp(pages->titles + begin, page->title.data, size) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    uint64_t hashes[16] = {0}, languages[16] = {0};
    fa_language_rules rules;
    rule(&rules, hashes, languages);
    fa_bytes url = line(&data, &size), header = line(&data, &size);
    fa_page *page = fa_page_new();
    fa_batch *batch = fa_batch_new();
    fa_links *links = fa_links_new();
    fa_tokens *tokens = fa_tokens_new();
    check(page && batch && links && tokens);
    fa_pages *pages = twice((fa_bytes){data, size}, url, header);
    fa_intake intake = {batch, links, tokens, page, &rules, 100000, {0}};
    const fa_taken *taken = &intake.taken;
    for (uint32_t ordinal = 0; ordinal < 2; ordinal++) { /* the second time all addresses are known */
        take(&intake, page, pages, ordinal);
        check(taken->language.is_settled == !(taken->left & FA_LEFT_LANGUAGE));
        look_at_letters(taken);
        if (taken->left & FA_LEFT_LANGUAGE) {
            /* the letters look like what the header says, more or less */
            uint32_t distance = (uint32_t)size % 1200;
            check(fa_take_letters(&intake, pages, ordinal + 1, header.data, header.size, distance) == FA_OK);
            check(!(taken->left & FA_LEFT_LANGUAGE) == (taken->language.text_size > 0));
        }
        if (taken->left & FA_LEFT_ADDRESSES) add_rest(links, page, ordinal, taken->asked, taken->own);
        if (taken->left & FA_LEFT_WORDS) {
            check(fa_tokens_of_page(tokens, page, url, 0, 100000) == FA_OK);
            check(fa_batch_add_tokens(batch, tokens) == FA_OK);
        }
        check(fa_batch_pages(batch) == ordinal + 1);
    }
    fa_link_columns columns;
    fa_links_columns(links, &columns);
    check(columns.targets.size == 2 * columns.texts.size && columns.texts.size == columns.sources.size);
    check(columns.sources.size % 8 == 0); /* as many of each of the two */
    check(columns.sources.size / 8 <= page->link_count);
    fa_tokens_free(tokens);
    fa_links_free(links);
    fa_batch_free(batch);
    fa_page_free(page);
    free(pages);
    return 0;
}
