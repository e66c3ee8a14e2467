/* See intake.h. */
#define _POSIX_C_SOURCE 200809L /* for clock_gettime */
#include "intake.h"

#include <string.h>
#include <time.h>

static inline uint8_t lower(uint8_t byte) { return (uint8_t)(byte - 'A') < 26 ? byte | 0x20 : byte; }

/* Tell whether an address is indexed as it stands behind its scheme: ASCII without escapes. */
static int is_plain(fa_bytes url) {
    for (size_t at = 0; at < url.size; at++)
        if (url.data[at] >= 0x80 || url.data[at] == '%') return 0;
    return 1;
}

/* Give what of a plain address is indexed: all behind "http://", "https://www2." and the like; url_words in
 * indexer/text/analysis.py. */
static fa_bytes url_words(fa_bytes url) {
    static const char WWW[] = "www";
    size_t at = 0, word = 0;
    while (at < url.size && ((uint8_t)(lower(url.data[at]) - 'a') < 26 ||
                             (at && ((url.data[at] >= '0' && url.data[at] <= '9') || url.data[at] == '+' ||
                                     url.data[at] == '.' || url.data[at] == '-'))))
        at++;
    if (at == 0 || url.size - at < 3 || memcmp(url.data + at, "://", 3) != 0) return url;
    at += 3;
    while (word < 3 && at + word < url.size && lower(url.data[at + word]) == (uint8_t)WWW[word]) word++;
    if (word == 3) {
        size_t end = at + word;
        if (end < url.size && url.data[end] >= '0' && url.data[end] <= '9') end++;
        if (end < url.size && url.data[end] == '.') at = end + 1;
    }
    return (fa_bytes){url.data + at, url.size - at};
}

/* Turkish and Azerbaijani have a dotless i; folding_of in indexer/text/analysis.py. */
static uint32_t folding_of(const char language[4]) {
    return memcmp(language, "tr", 3) == 0 || memcmp(language, "az", 3) == 0 ? FA_DOTLESS_I : 0;
}

static enum fa_status take_links(fa_intake *intake, fa_bytes url) {
    fa_taken *taken = &intake->taken;
    enum fa_links_left left;
    enum fa_status status = fa_links_of_page(intake->links, intake->page, url, fa_batch_pages(intake->batch), &left,
                                             &taken->asked, &taken->own);
    if (left == FA_LINKS_ODD) taken->left |= FA_LEFT_LINKS;
    if (left == FA_LINKS_ASKED) taken->left |= FA_LEFT_ADDRESSES;
    return status;
}

/* Put the words of a page into the batch, unless its address is odd. */
static enum fa_status take_words(fa_intake *intake, fa_bytes url) {
    fa_taken *taken = &intake->taken;
    if (!is_plain(url)) {
        taken->left |= FA_LEFT_WORDS;
        return FA_OK;
    }
    taken->left &= ~(uint32_t)FA_LEFT_WORDS;
    enum fa_status status = (enum fa_status)fa_tokens_of_page(intake->tokens, intake->page, url_words(url),
                                                              folding_of(taken->language.language), intake->most);
    taken->is_cut = intake->tokens->cut;
    return status ? status : fa_batch_add_tokens(intake->batch, intake->tokens);
}

enum fa_status fa_take_page(fa_intake *intake, const uint8_t *url, size_t url_size, const uint8_t *header,
                            size_t header_size, int in_utf_8) {
    enum fa_status status = FA_OK;
    fa_taken *taken = &intake->taken;
    fa_bytes address = {url, url_size};
    taken->left = in_utf_8 ? 0 : FA_LEFT_LINKS;
    taken->is_cut = 0;
    if (in_utf_8) status = take_links(intake, address);
    fa_language_of(intake->page, (fa_bytes){header, header_size}, intake->rules, &taken->language);
    if (!taken->language.is_settled) taken->left |= FA_LEFT_LANGUAGE | FA_LEFT_WORDS;
    return status || !taken->language.is_settled ? status : take_words(intake, address);
}

/* ---- many pages in one call ---- */

static int64_t clock_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void tell_page(const fa_intake *intake, fa_pages *pages, uint32_t k) {
    fa_bytes title = intake->page->title;
    uint32_t begin = k ? pages->title_end[k - 1] : 0;
    uint32_t size = (uint32_t)(title.size < FA_LONGEST_TITLE ? title.size : FA_LONGEST_TITLE);
    if (begin > sizeof pages->titles - size) begin = 0; /* never of pages that were taken in their order */
    if (size) memcpy(pages->titles + begin, title.data, size);
    pages->title_end[k] = begin + size;
    memcpy(pages->language[k], intake->taken.language.language, sizeof pages->language[k]);
    pages->is_cut[k] = intake->taken.is_cut != 0;
}

enum fa_status fa_take_pages(fa_intake *intake, fa_page *page, fa_pages *pages, uint32_t *at, uint32_t end, int64_t now_ms,
                             volatile fa_shown *shown, uint32_t *stop) {
    int64_t ahead = now_ms - clock_ms();
    *stop = FA_ALL_TAKEN;
    for (uint32_t k = *at; k < end && k < FA_MOST_PAGES; k++) {
        shown->offset = pages->offset[k];
        shown->inner = pages->inner[k];
        shown->busy_since_ms = clock_ms() + ahead;
        shown->parsing = 1;
        if (fa_page_read(page, (fa_bytes){pages->data[k] + pages->begin[k], pages->size[k]}, 0) != FA_OK) {
            *stop = FA_STOPPED_UNREAD;
            return FA_OK;
        }
        enum fa_status status = fa_take_page(intake, pages->url[k], pages->url_size[k], pages->header[k],
                                             pages->header_size[k], pages->in_utf_8[k]);
        if (status != FA_OK) return status;
        tell_page(intake, pages, k);
        shown->pages++;
        *at = k + 1;
        if (intake->taken.left) {
            *stop = FA_STOPPED_LEFT;
            return FA_OK;
        }
    }
    return FA_OK;
}

enum fa_status fa_take_letters(fa_intake *intake, fa_pages *pages, uint32_t at, const uint8_t *name, size_t name_size,
                               uint32_t distance) {
    fa_taken *taken = &intake->taken;
    if (at < 1 || at > FA_MOST_PAGES || !(taken->left & FA_LEFT_LANGUAGE) || taken->language.text_size == 0) return FA_OK;
    uint32_t k = at - 1;
    fa_language_by_letters((fa_bytes){name, name_size}, distance, intake->rules, &taken->language);
    taken->left &= ~(uint32_t)FA_LEFT_LANGUAGE;
    enum fa_status status = take_words(intake, (fa_bytes){pages->url[k], pages->url_size[k]});
    if (status == FA_OK) tell_page(intake, pages, k);
    return status;
}
