/* The insertion modes of tables: what may not stand in a table goes before it. */
#include "html_modes.h"

static void close_cell(html_tree *tree) {
    generate_implied_end_tags(tree, TAG_OTHER);
    unsigned td = tree->top_of[TAG_TD], th = tree->top_of[TAG_TH];
    html_close_from(tree, td > th ? td : th);
    html_clear_formats(tree);
    tree->document.mode = MODE_IN_ROW;
}

static void clear_to_table(html_tree *tree) { html_close_from(tree, html_top(tree)->table_scope + 1u); }

static void clear_to_table_body(html_tree *tree) {
    for (;;) {
        const html_node *top = html_top(tree);
        if (tree->open <= tree->document.base + 1u || html_is(top, TAG_TBODY) || html_is(top, TAG_TFOOT) ||
            html_is(top, TAG_THEAD) || html_is(top, TAG_TEMPLATE) || html_is(top, TAG_HTML)) {
            return;
        }
        html_close(tree);
    }
}

static void clear_to_row(html_tree *tree) {
    for (;;) {
        const html_node *top = html_top(tree);
        if (tree->open <= tree->document.base + 1u || html_is(top, TAG_TR) || html_is(top, TAG_TEMPLATE) ||
            html_is(top, TAG_HTML)) {
            return;
        }
        html_close(tree);
    }
}

/* -- tables */

static bool elsewhere(html_tree *tree, html_token *token) {
    tree->fosters = true;
    bool again = html_in_body(tree, token);
    tree->fosters = false;
    return again;
}

/* Where text may not stand: it goes before the table, unless it is white space. */
static bool table_text(html_tree *tree, html_token *token) {
    unsigned tag = html_top(tree)->tag;
    bool is_of_table = html_top(tree)->namespace == NAMESPACE_HTML &&
                       (tag == TAG_TABLE || tag == TAG_TBODY || tag == TAG_TEMPLATE || tag == TAG_TFOOT ||
                        tag == TAG_THEAD || tag == TAG_TR);
    if (!is_of_table || says_something(tree, token, false)) return elsewhere(tree, token);
    html_tell_text(tree, token, DECODE_REFERENCES | DECODE_DROP_ZEROS);
    return false;
}

/* Opens an element of a table: the one of a token, or one that is implied by it. */
static void start_in_mode(html_tree *tree, const html_token *token, unsigned tag, enum html_mode mode) {
    if (token->tag == tag) {
        open_element(tree, token);
    } else {
        html_open_tag(tree, tag);
    }
    tree->document.mode = mode;
}

/* Ends an element around the current position if it is there; what follows is looked at in the mode outside. */
static bool leave(html_tree *tree, unsigned tag, enum html_mode mode, bool again) {
    if (!in_table_scope(tree, tag)) return false;
    close_until(tree, tag);
    tree->document.mode = mode;
    return again;
}

static bool start_in_table(html_tree *tree, html_token *token) {
    switch (token->tag) {
        case TAG_CAPTION:
            clear_to_table(tree);
            html_add_marker(tree);
            start_in_mode(tree, token, TAG_CAPTION, MODE_IN_CAPTION);
            return false;
        case TAG_COLGROUP:
        case TAG_COL:
            clear_to_table(tree);
            start_in_mode(tree, token, TAG_COLGROUP, MODE_IN_COLUMN_GROUP);
            return token->tag == TAG_COL;
        case TAG_TBODY:
        case TAG_TFOOT:
        case TAG_THEAD:
            clear_to_table(tree);
            start_in_mode(tree, token, token->tag, MODE_IN_TABLE_BODY);
            return false;
        case TAG_TD:
        case TAG_TH:
        case TAG_TR:
            clear_to_table(tree);
            start_in_mode(tree, token, TAG_TBODY, MODE_IN_TABLE_BODY);
            return true;
        case TAG_TABLE:
            if (!in_table_scope(tree, TAG_TABLE)) return false;
            close_until(tree, TAG_TABLE);
            html_reset_mode(tree);
            return true;
        case TAG_STYLE:
        case TAG_SCRIPT:
        case TAG_TEMPLATE: html_head_element(tree, token); return false;
        case TAG_INPUT:
            if (!html_is_hidden(tree, token)) return elsewhere(tree, token);
            html_tell_void(tree, token);
            return false;
        case TAG_FORM:
            if (is_open(tree, TAG_TEMPLATE) || form_is_open(tree)) return false;
            open_element(tree, token);
            tree->document.form = ++tree->forms;
            html_close(tree);
            return false;
        default: return elsewhere(tree, token);
    }
}

bool html_in_table(html_tree *tree, html_token *token) {
    switch (token->type) {
        case HTML_TEXT: return table_text(tree, token);
        case HTML_DOCTYPE:
        case HTML_INSTRUCTION: return false;
        case HTML_START: return start_in_table(tree, token);
        case HTML_EOF: return html_in_body(tree, token);
        case HTML_END: break;
    }
    switch (token->tag) {
        case TAG_TABLE:
            if (in_table_scope(tree, TAG_TABLE)) {
                close_until(tree, TAG_TABLE);
                html_reset_mode(tree);
            }
            return false;
        case TAG_BODY:
        case TAG_CAPTION:
        case TAG_COL:
        case TAG_COLGROUP:
        case TAG_HTML:
        case TAG_TBODY:
        case TAG_TD:
        case TAG_TFOOT:
        case TAG_TH:
        case TAG_THEAD:
        case TAG_TR: return false;
        case TAG_TEMPLATE: html_end_template(tree); return false;
        default: return elsewhere(tree, token);
    }
}

/* The tags that tables are made of, but for rows and cells. */
static bool is_table_structure(unsigned tag) {
    return tag == TAG_CAPTION || tag == TAG_COL || tag == TAG_COLGROUP || tag == TAG_TBODY || tag == TAG_TFOOT ||
           tag == TAG_THEAD;
}

static bool is_row_or_cell(unsigned tag) { return tag == TAG_TR || tag == TAG_TD || tag == TAG_TH; }

bool html_in_caption(html_tree *tree, html_token *token) {
    bool ends = token->type == HTML_END && (token->tag == TAG_CAPTION || token->tag == TAG_TABLE);
    bool starts = token->type == HTML_START && (is_table_structure(token->tag) || is_row_or_cell(token->tag));
    if (ends || starts) {
        if (!in_table_scope(tree, TAG_CAPTION)) return false;
        generate_implied_end_tags(tree, TAG_OTHER);
        close_until(tree, TAG_CAPTION);
        html_clear_formats(tree);
        tree->document.mode = MODE_IN_TABLE;
        return !is_end(token, TAG_CAPTION);
    }
    if (token->type == HTML_END && (token->tag == TAG_BODY || token->tag == TAG_HTML ||
                                    is_table_structure(token->tag) || is_row_or_cell(token->tag))) {
        return false;
    }
    return html_in_body(tree, token);
}

bool html_in_column_group(html_tree *tree, html_token *token) {
    switch (token->type) {
        case HTML_DOCTYPE:
        case HTML_INSTRUCTION: return false;
        case HTML_EOF: return html_in_body(tree, token);
        case HTML_TEXT:
            if (!strip(tree, token)) return false;
            break;
        case HTML_START:
            if (token->tag == TAG_HTML) return html_in_body(tree, token);
            if (token->tag == TAG_COL) html_tell_void(tree, token);
            if (token->tag == TAG_TEMPLATE) html_head_element(tree, token);
            if (token->tag == TAG_COL || token->tag == TAG_TEMPLATE) return false;
            break;
        case HTML_END:
            if (token->tag == TAG_COL) return false;
            if (html_head_element(tree, token)) return false;
            break;
    }
    if (!html_is(html_top(tree), TAG_COLGROUP)) return false;
    html_close(tree);
    tree->document.mode = MODE_IN_TABLE;
    return !is_end(token, TAG_COLGROUP);
}

bool html_in_table_body(html_tree *tree, html_token *token) {
    unsigned tag = token->tag;
    if (token->type == HTML_START && is_row_or_cell(tag)) {
        clear_to_table_body(tree);
        start_in_mode(tree, token, TAG_TR, MODE_IN_ROW);
        return tag != TAG_TR;
    }
    bool ends_itself = token->type == HTML_END && (tag == TAG_TBODY || tag == TAG_TFOOT || tag == TAG_THEAD);
    if (ends_itself && !in_table_scope(tree, tag)) return false;
    if (ends_itself || (token->type == HTML_START && is_table_structure(tag)) || is_end(token, TAG_TABLE)) {
        if (!in_table_scope(tree, TAG_TBODY) && !in_table_scope(tree, TAG_THEAD) && !in_table_scope(tree, TAG_TFOOT)) {
            return false;
        }
        clear_to_table_body(tree);
        html_close(tree);
        tree->document.mode = MODE_IN_TABLE;
        return !ends_itself;
    }
    if (token->type == HTML_END && (tag == TAG_BODY || tag == TAG_CAPTION || tag == TAG_COL || tag == TAG_COLGROUP ||
                                    tag == TAG_HTML || is_row_or_cell(tag))) {
        return false;
    }
    return html_in_table(tree, token);
}

bool html_in_row(html_tree *tree, html_token *token) {
    unsigned tag = token->tag;
    if (token->type == HTML_START && (tag == TAG_TD || tag == TAG_TH)) {
        clear_to_row(tree);
        start_in_mode(tree, token, tag, MODE_IN_CELL);
        html_add_marker(tree);
        return false;
    }
    if (token->type == HTML_END && (tag == TAG_TBODY || tag == TAG_TFOOT || tag == TAG_THEAD)) {
        return in_table_scope(tree, tag) && leave(tree, TAG_TR, MODE_IN_TABLE_BODY, true);
    }
    if (is_end(token, TAG_TR)) return leave(tree, TAG_TR, MODE_IN_TABLE_BODY, false);
    if (is_start(token, TAG_TR) || (token->type == HTML_START && is_table_structure(tag)) || is_end(token, TAG_TABLE)) {
        return leave(tree, TAG_TR, MODE_IN_TABLE_BODY, true);
    }
    if (token->type == HTML_END && (tag == TAG_BODY || tag == TAG_CAPTION || tag == TAG_COL || tag == TAG_COLGROUP ||
                                    tag == TAG_HTML || tag == TAG_TD || tag == TAG_TH)) {
        return false;
    }
    return html_in_table(tree, token);
}

bool html_in_cell(html_tree *tree, html_token *token) {
    unsigned tag = token->tag;
    if (token->type == HTML_END && (tag == TAG_TD || tag == TAG_TH)) {
        if (!in_table_scope(tree, tag)) return false;
        generate_implied_end_tags(tree, TAG_OTHER);
        close_until(tree, tag);
        html_clear_formats(tree);
        tree->document.mode = MODE_IN_ROW;
        return false;
    }
    if (token->type == HTML_START && (is_table_structure(tag) || is_row_or_cell(tag))) {
        if (!in_table_scope(tree, TAG_TD) && !in_table_scope(tree, TAG_TH)) return false;
        close_cell(tree);
        return true;
    }
    if (token->type == HTML_END) {
        if (tag == TAG_BODY || tag == TAG_CAPTION || tag == TAG_COL || tag == TAG_COLGROUP || tag == TAG_HTML) {
            return false;
        }
        if (tag == TAG_TABLE || tag == TAG_TBODY || tag == TAG_TFOOT || tag == TAG_THEAD || tag == TAG_TR) {
            if (!in_table_scope(tree, tag)) return false;
            close_cell(tree);
            return true;
        }
    }
    return html_in_body(tree, token);
}
