/* See intake.h. */
#include "intake.h"

#include <string.h>

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

enum fa_status fa_take_letters(fa_intake *intake, const uint8_t *url, size_t url_size, const uint8_t *name,
                               size_t name_size, uint32_t distance) {
    fa_taken *taken = &intake->taken;
    if (!(taken->left & FA_LEFT_LANGUAGE) || taken->language.text_size == 0) return FA_OK;
    fa_language_by_letters((fa_bytes){name, name_size}, distance, intake->rules, &taken->language);
    taken->left &= ~(uint32_t)FA_LEFT_LANGUAGE;
    return take_words(intake, (fa_bytes){url, url_size});
}
