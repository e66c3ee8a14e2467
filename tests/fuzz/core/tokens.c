/* Fuzzes the tokenizer: the first bytes say how a text is folded, cut and parted in pieces, the rest is the text.
 *
 * What has to hold: every token lies in the text and in what it was made of, in order, and is spelled like one of the
 * words of its spelling; normalizing what is normalized changes nothing but marks without a letter; a text cut short is
 * the beginning of the whole; the text is as alike to itself as can be, by its sketch and by its runs of words.
 */
#include "tokens.h"

#include "alike.h"
#include "sketch.h"

#include <stdlib.h>
#include <string.h>

static void check(int holds) {
    if (!holds) abort();
}

static void look_at(const fa_tokens *found, size_t size) {
    check(found->used <= size);
    size_t begin = 0, from = 0;
    unsigned section = 0;
    for (size_t k = 0; k < found->token_count; k++) {
        const fa_token *token = &found->tokens[k];
        if (token->section != section) from = 0;
        section = token->section;
        check(token->size && token->begin >= begin && (size_t)token->begin + token->size <= found->normal_size);
        check(token->from >= from && token->from < token->to && token->to <= size);
        check(token->hash == fa_hash(found->normal + token->begin, token->size));
        check(token->size <= 4 * (FA_MAX_WORD + 2) && token->element <= FA_INLINK);
        check((token->rank + 1) <= found->extent);
        begin = token->begin;
        from = token->from;
    }
}

/* Whatever the text, it is like itself, and not like one without its words; it is its own where it is too short. */
static void look_at_likeness(fa_tokens *tokens, fa_bytes text) {
    fa_likeness likeness = {0.9, 1, (uint32_t)text.size / 2, 3};
    fa_shown_text texts[] = {{text.data, text.size, 10}, {text.data, text.size, 9}, {NULL, 0, 9}};
    uint32_t stands_for[3];
    check(fa_fold_alike(tokens, texts, 3, &likeness, stands_for) == FA_OK);
    check(stands_for[0] == 0 && stands_for[1] <= 1 && stands_for[2] == 2);
    likeness.fewest_words = 0;
    check(fa_fold_alike(tokens, texts, 2, &likeness, stands_for) == FA_OK && stands_for[1] == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 4) return 0;
    uint32_t folding = data[0] & 1;
    size_t most = data[0] & 2 ? data[1] : SIZE_MAX;
    fa_bytes text = {data + 4, size - 4};
    fa_tokens *tokens = fa_tokens_new(), *others = fa_tokens_new();
    check(tokens && others);

    check(fa_tokenize(tokens, text, folding, most) == FA_OK);
    look_at(tokens, text.size);
    check(tokens->code_points <= most);
    check(tokens->cut == (tokens->used < text.size));

    uint32_t sketch[FA_SKETCH_HASHES] = {0};
    int is_long;
    check(fa_sketch(tokens, sketch, &is_long) == FA_OK);
    check(is_long <= (tokens->token_count >= FA_FEWEST_WORDS));
    check(fa_agreement(sketch, sketch) == FA_SKETCH_HASHES);

    look_at_likeness(others, text);

    /* a text cut short is the beginning of the whole */
    check(fa_normalize(others, text, folding, SIZE_MAX) == FA_OK);
    check(others->normal_size >= tokens->normal_size);
    if (tokens->normal_size) check(memcmp(others->normal, tokens->normal, tokens->normal_size) == 0);

    /* the same words in pieces, which part none */
    fa_piece pieces[3] = {{0, FA_BODY}, {data[2], FA_HEADING}, {(uint32_t)data[2] + data[3], FA_ANCHOR}};
    fa_page page = {.text = text, .pieces = pieces, .piece_count = 3, .title = text};
    size_t count = tokens->token_count;
    check(fa_tokens_of_page(others, &page, text, folding, SIZE_MAX) == FA_OK);
    look_at(others, text.size);
    if (most == SIZE_MAX) {
        check(others->token_count >= 2 * count);
        for (size_t k = 0; k < count; k++)
            check(others->tokens[k].hash == tokens->tokens[k].hash && others->tokens[k].from == tokens->tokens[k].from);
    }
    fa_tokens_free(tokens);
    fa_tokens_free(others);
    return 0;
}
