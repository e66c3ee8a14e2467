/* What the insertion modes share: html_body.c, html_table.c and html_tree.c. Names are those of the HTML standard. */
#ifndef FINDINGAID_HTML_MODES_H
#define FINDINGAID_HTML_MODES_H

#include "html_tree.h"

/* Each follows the rules of a mode, and returns whether the token is to be looked at again, in another mode. */
bool html_in_body(html_tree *tree, html_token *token);
bool html_in_table(html_tree *tree, html_token *token);
bool html_in_caption(html_tree *tree, html_token *token);
bool html_in_column_group(html_tree *tree, html_token *token);
bool html_in_table_body(html_tree *tree, html_token *token);
bool html_in_row(html_tree *tree, html_token *token);
bool html_in_cell(html_tree *tree, html_token *token);
bool html_in_template(html_tree *tree, html_token *token);

/* Rules of "in head" for the tags that other modes send there, too; false for other tokens. */
bool html_head_element(html_tree *tree, const html_token *token);

/* Resets the insertion mode appropriately. */
void html_reset_mode(html_tree *tree);

void html_end_template(html_tree *tree);

/* Takes what the html tag says of the language of the page, if nothing was said before. */
void html_take_languages(html_tree *tree, const html_token *token);

/* Tells whether an input element is hidden. */
bool html_is_hidden(html_tree *tree, const html_token *token);

/* -- questions to the stack */

static inline bool in_scope(html_tree *tree, unsigned tag) {
    unsigned place = tree->top_of[tag];
    return place && place >= html_top(tree)->scope;
}

static inline bool in_button_scope(html_tree *tree, unsigned tag) {
    unsigned place = tree->top_of[tag];
    return place && place >= html_top(tree)->button_scope;
}

static inline bool in_list_scope(html_tree *tree, unsigned tag) {
    unsigned place = tree->top_of[tag];
    return place && place >= html_top(tree)->list_scope;
}

static inline bool in_table_scope(html_tree *tree, unsigned tag) {
    unsigned place = tree->top_of[tag];
    return place && place >= html_top(tree)->table_scope;
}

static inline bool is_open(html_tree *tree, unsigned tag) { return tree->top_of[tag] > tree->document.base; }

static inline bool is_heading(unsigned tag) { return tag >= TAG_H1 && tag <= TAG_H6; }

static inline bool has_flag(html_tree *tree, unsigned flag) { return html_flags(html_top(tree)) & flag; }

/* -- changes of the stack */

static inline void generate_implied_end_tags(html_tree *tree, unsigned except) {
    while (has_flag(tree, TAG_IS_IMPLIED) && html_top(tree)->tag != except) html_close(tree);
}

static inline void close_until(html_tree *tree, unsigned tag) {
    if (tree->top_of[tag]) html_close_from(tree, tree->top_of[tag]);
}

static inline void end_element(html_tree *tree, unsigned tag) {
    generate_implied_end_tags(tree, tag);
    close_until(tree, tag);
}

static inline void close_p(html_tree *tree) {
    if (in_button_scope(tree, TAG_P)) end_element(tree, TAG_P);
}

static inline void open_element(html_tree *tree, const html_token *token) { html_open(tree, token, NAMESPACE_HTML); }

static inline void open_raw(html_tree *tree, const html_token *token, enum html_raw raw, const char *name) {
    open_element(tree, token);
    tree->tokens.raw = raw;
    tree->tokens.raw_name = name;
    if (raw == RAW_PLAINTEXT) return;
    tree->document.original_mode = tree->document.mode;
    tree->document.mode = MODE_TEXT;
}

/* -- texts */

/* Takes white space from the front of a text; false when nothing is left. */
static inline bool strip(html_tree *tree, html_token *token) {
    const uint8_t *bytes = html_bytes(&tree->tokens, token->span);
    uint32_t at = 0;
    while (at < token->span.size && html_is_space(bytes[at])) at++;
    token->span.begin += at;
    token->span.size -= at;
    return token->span.size > 0;
}

/* Tells whether a text holds anything but white space and, where they do not count, zeros. */
static inline bool says_something(html_tree *tree, const html_token *token, bool zeros_count) {
    const uint8_t *bytes = html_bytes(&tree->tokens, token->span);
    for (uint32_t i = 0; i < token->span.size; i++) {
        if (!html_is_space(bytes[i]) && (bytes[i] || zeros_count)) return true;
    }
    return false;
}

static inline bool is_start(const html_token *token, unsigned tag) {
    return token->type == HTML_START && token->tag == tag;
}

static inline bool is_end(const html_token *token, unsigned tag) {
    return token->type == HTML_END && token->tag == tag;
}

static inline bool form_is_open(const html_tree *tree) { return tree->document.form != 0; }

#endif
