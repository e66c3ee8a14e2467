/* Tree construction: the modes before and behind the body, drawings and formulas, and which rules a token follows. */
#include "html_modes.h"

#include <stdlib.h>
#include <string.h>

/* -- the modes before the body */

/* End tags that act like a start where nothing is open yet; all others are left out there. */
static bool ends_what_is_not_there(const html_token *token) {
    return token->tag == TAG_BODY || token->tag == TAG_HTML || token->tag == TAG_BR;
}

static bool initial(html_tree *tree, html_token *token) {
    if (token->type == HTML_TEXT && !strip(tree, token)) return false;
    tree->document.is_quirky = token->type == HTML_DOCTYPE ? token->is_quirky : true;
    tree->document.mode = MODE_BEFORE_HTML;
    return token->type != HTML_DOCTYPE;
}

/* Opens the html element; the one place where the stack has nothing below. */
static void open_html(html_tree *tree, const html_token *token) {
    html_token plain = {.type = HTML_START, .tag = TAG_HTML};
    if (token) html_take_languages(tree, token);
    html_open(tree, token ? token : &plain, NAMESPACE_HTML);
    tree->document.base = (uint16_t)(tree->open - 1);
}

static bool before_html(html_tree *tree, html_token *token) {
    if (token->type == HTML_DOCTYPE) return false;
    if (token->type == HTML_TEXT && !strip(tree, token)) return false;
    if (token->type == HTML_END && !ends_what_is_not_there(token) && token->tag != TAG_HEAD) return false;
    tree->document.mode = MODE_BEFORE_HEAD;
    if (is_start(token, TAG_HTML)) {
        open_html(tree, token);
        return false;
    }
    open_html(tree, NULL);
    return true;
}

static bool before_head(html_tree *tree, html_token *token) {
    if (token->type == HTML_DOCTYPE) return false;
    if (token->type == HTML_TEXT && !strip(tree, token)) return false;
    if (is_start(token, TAG_HTML)) return html_in_body(tree, token);
    if (token->type == HTML_END && !ends_what_is_not_there(token) && token->tag != TAG_HEAD) return false;
    tree->document.has_head = true;
    tree->document.mode = MODE_IN_HEAD;
    if (is_start(token, TAG_HEAD)) {
        open_element(tree, token);
        return false;
    }
    html_open_tag(tree, TAG_HEAD);
    return true;
}

static bool in_head(html_tree *tree, html_token *token) {
    switch (token->type) {
        case HTML_DOCTYPE:
        case HTML_INSTRUCTION: return false;
        case HTML_TEXT:
            if (!strip(tree, token)) return false;
            break;
        case HTML_START:
            if (token->tag == TAG_HTML) return html_in_body(tree, token);
            if (token->tag == TAG_HEAD || html_head_element(tree, token)) return false;
            if (token->tag == TAG_NOSCRIPT) {
                open_element(tree, token);
                tree->document.mode = MODE_IN_HEAD_NOSCRIPT;
                return false;
            }
            break;
        case HTML_END:
            if (token->tag == TAG_HEAD) {
                html_close(tree);
                tree->document.mode = MODE_AFTER_HEAD;
                return false;
            }
            if (html_head_element(tree, token) || !ends_what_is_not_there(token)) return false;
            break;
        case HTML_EOF: break;
    }
    html_close(tree);
    tree->document.mode = MODE_AFTER_HEAD;
    return true;
}

static bool in_head_noscript(html_tree *tree, html_token *token) {
    switch (token->type) {
        case HTML_DOCTYPE:
        case HTML_INSTRUCTION: return false;
        case HTML_TEXT:
            if (!strip(tree, token)) return false;
            break;
        case HTML_START:
            if (token->tag == TAG_HTML) return html_in_body(tree, token);
            if (token->tag == TAG_HEAD || token->tag == TAG_NOSCRIPT) return false;
            if (token->tag == TAG_BASEFONT || token->tag == TAG_BGSOUND || token->tag == TAG_LINK ||
                token->tag == TAG_META || token->tag == TAG_NOFRAMES || token->tag == TAG_STYLE) {
                html_head_element(tree, token);
                return false;
            }
            break;
        case HTML_END:
            if (token->tag == TAG_NOSCRIPT) {
                html_close(tree);
                tree->document.mode = MODE_IN_HEAD;
                return false;
            }
            if (token->tag != TAG_BR) return false;
            break;
        case HTML_EOF: break;
    }
    html_close(tree);
    tree->document.mode = MODE_IN_HEAD;
    return true;
}

static bool after_head(html_tree *tree, html_token *token) {
    switch (token->type) {
        case HTML_DOCTYPE:
        case HTML_INSTRUCTION: return false;
        case HTML_TEXT:
            if (!strip(tree, token)) return false;
            break;
        case HTML_START:
            if (token->tag == TAG_HTML) return html_in_body(tree, token);
            if (token->tag == TAG_BODY) {
                open_element(tree, token);
                tree->document.frameset_ok = false;
                tree->document.mode = MODE_IN_BODY;
                return false;
            }
            if (token->tag == TAG_FRAMESET) {
                open_element(tree, token);
                tree->document.mode = MODE_IN_FRAMESET;
                return false;
            }
            if (token->tag == TAG_HEAD || html_head_element(tree, token)) return false;
            break;
        case HTML_END:
            if (html_head_element(tree, token) || !ends_what_is_not_there(token)) return false;
            break;
        case HTML_EOF: break;
    }
    html_open_tag(tree, TAG_BODY);
    tree->document.mode = MODE_IN_BODY;
    return true;
}

/* -- raw text */

/* The text of a noframes element is a page of its own for readers without frames: it is read as one, in its place. */
static bool begin_nested(html_tree *tree, const html_token *token) {
    enum { ROOM = 64 };
    if (tree->skipped || html_top(tree)->kind != KIND_NOFRAMES) return false;
    if (!memchr(html_bytes(&tree->tokens, token->span), '<', token->span.size)) return false;
    if (tree->nested == MOST_NESTED || tree->open > MOST_OPEN - ROOM) {
        tree->is_cut = true;
        return true;
    }
    html_tell(tree, EVENT_UNFRAME, (html_span){0, 0});
    html_document *document = &tree->document;
    document->at = tree->tokens.at;
    document->end = tree->tokens.end;
    tree->outer[tree->nested++] = *document;
    tree->tokens.at = token->span.begin;
    tree->tokens.end = token->span.begin + token->span.size;
    html_add_marker(tree);
    *document = (html_document){.mode = MODE_INITIAL,
                                .base = (uint16_t)(tree->open - 1),
                                .frameset_ok = true,
                                .templates = tree->template_count};
    return true;
}

static void end_nested(html_tree *tree) {
    html_document *outer = &tree->outer[--tree->nested];
    unsigned base = tree->document.base;
    tree->document.base = outer->base;
    if (html_is(&tree->stack[base], TAG_HTML)) html_close_from(tree, base);
    html_clear_formats(tree);
    tree->document = *outer;
    tree->tokens.at = outer->at;
    tree->tokens.end = outer->end;
    tree->tokens.raw = RAW_NONE;
}

static bool text(html_tree *tree, html_token *token) {
    if (token->type == HTML_TEXT) {
        if (!begin_nested(tree, token)) html_tell_text(tree, token, DECODE_REFERENCES);
        return false;
    }
    html_close(tree);
    tree->document.mode = tree->document.original_mode;
    return token->type != HTML_END;
}

/* -- templates, framesets, and what comes behind the body */

static bool template_goes_on(html_tree *tree, enum html_mode mode) {
    if (tree->template_count > tree->document.templates) tree->templates[tree->template_count - 1] = (uint8_t)mode;
    tree->document.mode = mode;
    return true;
}

bool html_in_template(html_tree *tree, html_token *token) {
    switch (token->type) {
        case HTML_TEXT: return html_in_body(tree, token);
        case HTML_DOCTYPE:
        case HTML_INSTRUCTION: return false;
        case HTML_END: html_head_element(tree, token); return false;
        case HTML_EOF:
            if (!is_open(tree, TAG_TEMPLATE)) return false;
            html_end_template(tree);
            return true;
        case HTML_START: break;
    }
    if (html_head_element(tree, token)) return false;
    switch (token->tag) {
        case TAG_CAPTION:
        case TAG_COLGROUP:
        case TAG_TBODY:
        case TAG_TFOOT:
        case TAG_THEAD: return template_goes_on(tree, MODE_IN_TABLE);
        case TAG_COL: return template_goes_on(tree, MODE_IN_COLUMN_GROUP);
        case TAG_TR: return template_goes_on(tree, MODE_IN_TABLE_BODY);
        case TAG_TD:
        case TAG_TH: return template_goes_on(tree, MODE_IN_ROW);
        default: return template_goes_on(tree, MODE_IN_BODY);
    }
}

static bool after_body(html_tree *tree, html_token *token) {
    if (token->type == HTML_EOF || token->type == HTML_DOCTYPE) return false;
    if (is_start(token, TAG_HTML) || (token->type == HTML_TEXT && !says_something(tree, token, true))) {
        return html_in_body(tree, token);
    }
    if (tree->document.mode == MODE_AFTER_BODY && is_end(token, TAG_HTML)) {
        tree->document.mode = MODE_AFTER_AFTER_BODY;
        return false;
    }
    tree->document.mode = MODE_IN_BODY;
    return true;
}

static bool in_frameset(html_tree *tree, html_token *token) {
    if (token->type == HTML_START) {
        if (token->tag == TAG_HTML) return html_in_body(tree, token);
        if (token->tag == TAG_FRAMESET) open_element(tree, token);
        if (token->tag == TAG_FRAME) html_tell_void(tree, token);
        if (token->tag == TAG_NOFRAMES) html_head_element(tree, token);
    } else if (is_end(token, TAG_FRAMESET) && html_is(html_top(tree), TAG_FRAMESET)) {
        html_close(tree);
        if (!html_is(html_top(tree), TAG_FRAMESET)) tree->document.mode = MODE_AFTER_FRAMESET;
    }
    return false;
}

static bool after_frameset(html_tree *tree, html_token *token) {
    if (is_start(token, TAG_HTML)) return html_in_body(tree, token);
    if (is_start(token, TAG_NOFRAMES)) html_head_element(tree, token);
    return false;
}

/* -- drawings and formulas */

static bool is_mathml_text_point(const html_node *node) {
    return node->namespace == NAMESPACE_MATH && html_tag_infos[node->tag].flags & TAG_IS_MATH_TEXT;
}

static bool is_html_point(const html_node *node) {
    return node->is_html_point ||
           (node->namespace == NAMESPACE_SVG && html_tag_infos[node->tag].flags & TAG_IS_SVG_HTML);
}

/* Tells whether the rules for foreign content are those to follow where a drawing or a formula is open. */
static __attribute__((noinline)) bool follows_foreign(html_tree *tree, const html_token *token) {
    const html_node *node = html_top(tree);
    bool is_start_or_text = token->type == HTML_START || token->type == HTML_TEXT;
    if (is_html_point(node) && is_start_or_text) return false;
    if (is_mathml_text_point(node)) {
        if (token->type == HTML_TEXT) return false;
        if (token->type == HTML_START && token->tag != TAG_MGLYPH && token->tag != TAG_MALIGNMARK) return false;
    }
    return !(node->namespace == NAMESPACE_MATH && node->tag == TAG_ANNOTATION_XML && is_start(token, TAG_SVG));
}

static bool breaks_out(const html_token *token) {
    if (token->type == HTML_END) return token->tag == TAG_BR || token->tag == TAG_P;
    if (token->tag == TAG_FONT) {
        return html_has(token, ATTRIBUTE_COLOR) || html_has(token, ATTRIBUTE_FACE) || html_has(token, ATTRIBUTE_SIZE);
    }
    return html_tag_infos[token->tag].flags & TAG_IS_BREAKOUT;
}

static bool holds_html(html_tree *tree, const html_token *token) {
    if (!html_has(token, ATTRIBUTE_ENCODING)) return false;
    html_span span = token->values[ATTRIBUTE_ENCODING];
    const uint8_t *bytes = html_bytes(&tree->tokens, span);
    static const char *const encodings[] = {"text/html", "application/xhtml+xml"};
    for (size_t i = 0; i < 2; i++) {
        size_t same = 0;
        while (same < span.size && encodings[i][same] && html_lower(bytes[same]) == (uint8_t)encodings[i][same]) same++;
        if (same == span.size && !encodings[i][same]) return true;
    }
    return false;
}

static bool dispatch(html_tree *tree, html_token *token);

static bool is_foreign(html_tree *tree, const html_token *token) {
    if (tree->open <= tree->document.base || html_top(tree)->namespace == NAMESPACE_HTML) return false;
    return token->type != HTML_EOF && follows_foreign(tree, token);
}

static void end_in_foreign(html_tree *tree, html_token *token, bool *again) {
    enum { MOST_STEPS_WHEN_TIRED = 16 };
    unsigned steps = 0;
    for (unsigned i = tree->open - 1; i > tree->document.base; i--, steps++) {
        const html_node *node = &tree->stack[i];
        if (steps && node->namespace == NAMESPACE_HTML) {
            *again = dispatch(tree, token);
            break;
        }
        if (node->tag == token->tag && (token->tag != TAG_OTHER || node->hash == token->hash)) {
            html_close_from(tree, i);
            break;
        }
        if (steps > MOST_STEPS_WHEN_TIRED && html_is_tired(tree)) break;
    }
    tree->work += steps;
}

static __attribute__((noinline)) bool in_foreign(html_tree *tree, html_token *token) {
    if (token->type == HTML_TEXT) {
        html_tell_text(tree, token, DECODE_REFERENCES);
        if (says_something(tree, token, false)) tree->document.frameset_ok = false;
        return false;
    }
    if (token->type == HTML_DOCTYPE) return false;
    if (breaks_out(token)) {
        while (tree->open > tree->document.base + 1u && html_top(tree)->namespace != NAMESPACE_HTML &&
               !is_mathml_text_point(html_top(tree)) && !is_html_point(html_top(tree))) {
            html_close(tree);
        }
        return dispatch(tree, token);
    }
    if (token->type == HTML_START) {
        enum html_namespace namespace = html_top(tree)->namespace;
        html_open(tree, token, namespace);
        if (namespace == NAMESPACE_MATH && token->tag == TAG_ANNOTATION_XML) {
            html_top(tree)->is_html_point = holds_html(tree, token);
        }
        if (token->self_closing) html_close(tree);
        return false;
    }
    bool again = false;
    end_in_foreign(tree, token, &again);
    return again;
}

/* -- all of it */

/* Follows the rules of the current mode. Returns whether the token is to be looked at again, in another mode. */
static bool dispatch(html_tree *tree, html_token *token) {
    switch (tree->document.mode) {
        case MODE_INITIAL: return initial(tree, token);
        case MODE_BEFORE_HTML: return before_html(tree, token);
        case MODE_BEFORE_HEAD: return before_head(tree, token);
        case MODE_IN_HEAD: return in_head(tree, token);
        case MODE_IN_HEAD_NOSCRIPT: return in_head_noscript(tree, token);
        case MODE_AFTER_HEAD: return after_head(tree, token);
        case MODE_IN_BODY: return html_in_body(tree, token);
        case MODE_TEXT: return text(tree, token);
        case MODE_IN_TABLE: return html_in_table(tree, token);
        case MODE_IN_CAPTION: return html_in_caption(tree, token);
        case MODE_IN_COLUMN_GROUP: return html_in_column_group(tree, token);
        case MODE_IN_TABLE_BODY: return html_in_table_body(tree, token);
        case MODE_IN_ROW: return html_in_row(tree, token);
        case MODE_IN_CELL: return html_in_cell(tree, token);
        case MODE_IN_TEMPLATE: return html_in_template(tree, token);
        case MODE_AFTER_BODY:
        case MODE_AFTER_AFTER_BODY: return after_body(tree, token);
        case MODE_IN_FRAMESET: return in_frameset(tree, token);
        case MODE_AFTER_FRAMESET:
        case MODE_AFTER_AFTER_FRAMESET: return after_frameset(tree, token);
    }
    return false;
}

static __attribute__((noinline)) void process_again(html_tree *tree, html_token *token) {
    bool again = true;
    while (again && !tree->failed) again = is_foreign(tree, token) ? in_foreign(tree, token) : dispatch(tree, token);
}

/* Most tokens are of the body, and in no drawing. */
static inline void process(html_tree *tree, html_token *token) {
    bool again = true;
    if (!tree->tokens.is_foreign)
        again = tree->document.mode == MODE_IN_BODY ? html_in_body(tree, token) : dispatch(tree, token);
    if (again) process_again(tree, token);
}

bool html_tree_make(html_tree *tree) {
    *tree = (html_tree){.open = 0};
    tree->stack = malloc((MOST_OPEN + 1) * sizeof *tree->stack);
    return tree->stack && html_room((void **)&tree->events, &tree->event_room, 0, sizeof *tree->events);
}

void html_tree_clear(html_tree *tree) {
    free(tree->stack);
    free(tree->formats);
    free(tree->events);
    free(tree->links);
    free(tree->metas);
    free(tree->parts);
    free(tree->part_attributes);
    free(tree->tokens.decoded);
}

static void start(html_tree *tree, fa_bytes html) {
    html_tokens_start(&tree->tokens, html);
    tree->document = (html_document){.mode = MODE_INITIAL, .frameset_ok = true};
    tree->nested = tree->open = tree->foreign = tree->template_count = tree->skipped = 0;
    memset(tree->top_of, 0, sizeof tree->top_of);
    tree->format_count = tree->link_count = tree->meta_count = 0;
    tree->part_count = tree->part_attribute_count = 0;
    tree->parts_are_cut = false;
    tree->tells_text_alone = false;
    tree->fosters = tree->is_cut = tree->failed = false;
    tree->forms = 0;
    tree->work = tree->reopened = tree->repeated = 0;
    tree->most_work = 32 * (uint64_t)html.size + (1 << 20);
    tree->most_reopened = html.size / 8 + 10000;
    tree->events[0] = (html_event){0, EVENT_PART, {0, 0}};
    tree->event_count = 1;
    tree->cursor = 0;
    tree->has_language = tree->has_xml_language = false;
}

/* It parts words where it stands, and behind the body it stands outside. */
static void tell_instruction(html_tree *tree) {
    if (tree->document.mode != MODE_AFTER_BODY && tree->document.mode != MODE_AFTER_AFTER_BODY) {
        html_tell(tree, EVENT_PART, (html_span){0, 0});
    }
}

static bool read_all(html_tree *tree, html_judge judge, void *judging) {
    html_token token = {.type = HTML_EOF};
    for (;;) {
        tree->tokens.is_foreign = tree->foreign && html_top(tree)->namespace != NAMESPACE_HTML;
        html_next(&tree->tokens, &token);
        if (judge && !tree->nested) {
            html_choice choice = judge(tree, &token, judging);
            if (choice == HTML_STOP) break;
            if (choice == HTML_PASS) continue;
        }
        if (token.type == HTML_INSTRUCTION) {
            tell_instruction(tree);
            continue;
        }
        process(tree, &token);
        if (tree->failed) return false;
        if (token.type == HTML_EOF) {
            if (!tree->nested) break;
            end_nested(tree);
        }
    }
    html_close_from(tree, 1);
    return !tree->failed;
}

bool html_tree_read(html_tree *tree, fa_bytes html, enum html_telling telling) {
    start(tree, html);
    tree->tokens.reads_all = telling == HTML_ELEMENTS_AND_PARTS;
    tree->tells_text_alone = tree->tokens.passes_anchors = telling == HTML_TEXT_ALONE;
    return read_all(tree, NULL, NULL);
}

bool html_tree_read_judged(html_tree *tree, fa_bytes html, html_judge judge, void *judging) {
    start(tree, html);
    tree->tokens.counts = true;
    tree->most_reopened = MOST_REOPENED_JUDGED;
    return read_all(tree, judge, judging);
}
