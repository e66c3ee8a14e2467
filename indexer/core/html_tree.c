/* The insertion modes: what each token does to the stack of open elements. Names and order are those of the standard. */
#include "html_tree.h"

#include <stdlib.h>
#include <string.h>

/* -- questions to the stack */

static bool in_scope(html_tree *tree, unsigned tag) {
    unsigned place = tree->top_of[tag];
    return place && place >= html_top(tree)->scope;
}

static bool in_button_scope(html_tree *tree, unsigned tag) {
    unsigned place = tree->top_of[tag];
    return place && place >= html_top(tree)->button_scope;
}

static bool in_list_scope(html_tree *tree, unsigned tag) {
    unsigned place = tree->top_of[tag];
    return place && place >= html_top(tree)->list_scope;
}

static bool in_table_scope(html_tree *tree, unsigned tag) {
    unsigned place = tree->top_of[tag];
    return place && place >= html_top(tree)->table_scope;
}

static bool is_open(html_tree *tree, unsigned tag) { return tree->top_of[tag] > tree->document.base; }

static bool is_heading(unsigned tag) { return tag >= TAG_H1 && tag <= TAG_H6; }

static bool has_flag(html_tree *tree, unsigned flag) { return html_flags(html_top(tree)) & flag; }

/* -- changes of the stack */

static void generate_implied_end_tags(html_tree *tree, unsigned except) {
    while (has_flag(tree, TAG_IS_IMPLIED) && html_top(tree)->tag != except) html_close(tree);
}

static void close_until(html_tree *tree, unsigned tag) {
    if (tree->top_of[tag]) html_close_from(tree, tree->top_of[tag]);
}

static void end_element(html_tree *tree, unsigned tag) {
    generate_implied_end_tags(tree, tag);
    close_until(tree, tag);
}

static void close_p(html_tree *tree) {
    if (in_button_scope(tree, TAG_P)) end_element(tree, TAG_P);
}

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

static enum html_mode template_mode(const html_tree *tree) {
    return tree->template_count > tree->document.templates ? tree->templates[tree->template_count - 1] : MODE_IN_BODY;
}

static void reset_mode(html_tree *tree) {
    enum { MOST_STEPS_WHEN_TIRED = 64 };
    unsigned steps = 0;
    for (unsigned i = tree->open; i-- > tree->document.base; steps++) {
        const html_node *node = &tree->stack[i];
        if (node->namespace != NAMESPACE_HTML) continue;
        if (steps > MOST_STEPS_WHEN_TIRED && html_is_tired(tree)) break;
        enum html_mode mode = MODE_TEXT;
        switch (node->tag) {
            case TAG_TD:
            case TAG_TH: mode = MODE_IN_CELL; break;
            case TAG_TR: mode = MODE_IN_ROW; break;
            case TAG_TBODY:
            case TAG_THEAD:
            case TAG_TFOOT: mode = MODE_IN_TABLE_BODY; break;
            case TAG_CAPTION: mode = MODE_IN_CAPTION; break;
            case TAG_COLGROUP: mode = MODE_IN_COLUMN_GROUP; break;
            case TAG_TABLE: mode = MODE_IN_TABLE; break;
            case TAG_TEMPLATE: mode = template_mode(tree); break;
            case TAG_HEAD: mode = MODE_IN_HEAD; break;
            case TAG_BODY: mode = MODE_IN_BODY; break;
            case TAG_FRAMESET: mode = MODE_IN_FRAMESET; break;
            case TAG_HTML: mode = tree->document.has_head ? MODE_AFTER_HEAD : MODE_BEFORE_HEAD; break;
            default: break;
        }
        if (mode != MODE_TEXT) {
            tree->work += steps;
            tree->document.mode = mode;
            return;
        }
    }
    tree->work += steps;
    tree->document.mode = MODE_IN_BODY;
}

static void open_element(html_tree *tree, const html_token *token) { html_open(tree, token, NAMESPACE_HTML); }

static void open_raw(html_tree *tree, const html_token *token, enum html_raw raw, const char *name) {
    open_element(tree, token);
    tree->tokens.raw = raw;
    tree->tokens.raw_name = name;
    if (raw == RAW_PLAINTEXT) return;
    tree->document.original_mode = tree->document.mode;
    tree->document.mode = MODE_TEXT;
}

/* -- texts */

/* Takes white space from the front of a text; false when nothing is left. */
static bool strip(html_tree *tree, html_token *token) {
    const uint8_t *bytes = html_bytes(&tree->tokens, token->span);
    uint32_t at = 0;
    while (at < token->span.size && html_is_space(bytes[at])) at++;
    token->span.begin += at;
    token->span.size -= at;
    return token->span.size > 0;
}

/* Tells whether a text holds anything but white space and, where they do not count, zeros. */
static bool says_something(html_tree *tree, const html_token *token, bool zeros_count) {
    const uint8_t *bytes = html_bytes(&tree->tokens, token->span);
    for (uint32_t i = 0; i < token->span.size; i++) {
        if (!html_is_space(bytes[i]) && (bytes[i] || zeros_count)) return true;
    }
    return false;
}

static bool is_nothing_but_zeros(html_tree *tree, const html_token *token) {
    const uint8_t *bytes = html_bytes(&tree->tokens, token->span);
    for (uint32_t i = 0; i < token->span.size; i++) {
        if (bytes[i]) return false;
    }
    return true;
}

static void body_text(html_tree *tree, const html_token *token) {
    if (token->has_references && is_nothing_but_zeros(tree, token)) return;
    html_reopen_formats(tree);
    html_tell_text(tree, token, DECODE_REFERENCES | DECODE_DROP_ZEROS);
    if (tree->document.frameset_ok && says_something(tree, token, false)) tree->document.frameset_ok = false;
}

/* -- "in body" */

static void take_languages(html_tree *tree, const html_token *token) {
    const unsigned attributes[2] = {ATTRIBUTE_LANG, ATTRIBUTE_XML_LANG};
    html_span *spans[2] = {&tree->language, &tree->xml_language};
    bool *has[2] = {&tree->has_language, &tree->has_xml_language};
    if (tree->nested) return;
    for (unsigned i = 0; i < 2; i++) {
        if (*has[i] || !html_has(token, attributes[i])) continue;
        *has[i] = true;
        *spans[i] = token->values[attributes[i]];
        if (!html_decode(&tree->tokens, spans[i], DECODE_REFERENCES | DECODE_ATTRIBUTE)) tree->failed = true;
    }
}

/* An html tag behind the first adds the attributes that are not there yet. */
static void merge_html(html_tree *tree, const html_token *token) {
    if (is_open(tree, TAG_TEMPLATE)) return;
    take_languages(tree, token);
    html_tell_part(tree, token);
}

static void end_template(html_tree *tree) {
    if (!is_open(tree, TAG_TEMPLATE)) return;
    close_until(tree, TAG_TEMPLATE);
    html_clear_formats(tree);
    reset_mode(tree);
}

/* Rules of "in head" for the tags that other modes send there, too; false for other tokens. */
static bool head_element(html_tree *tree, const html_token *token) {
    if (token->type == HTML_END) {
        if (token->tag != TAG_TEMPLATE) return false;
        end_template(tree);
        return true;
    }
    switch (token->tag) {
        case TAG_BASE:
        case TAG_BASEFONT:
        case TAG_BGSOUND:
        case TAG_LINK:
        case TAG_META: html_tell_void(tree, token); return true;
        case TAG_TITLE: open_raw(tree, token, RAW_RCDATA, "title"); return true;
        case TAG_NOFRAMES: open_raw(tree, token, RAW_TEXT, "noframes"); return true;
        case TAG_STYLE: open_raw(tree, token, RAW_TEXT, "style"); return true;
        case TAG_SCRIPT: open_raw(tree, token, RAW_SCRIPT, "script"); return true;
        case TAG_TEMPLATE:
            if (tree->template_count == MOST_TEMPLATES) {
                tree->is_cut = true;
                return true;
            }
            html_add_marker(tree);
            tree->document.frameset_ok = false;
            open_element(tree, token);
            tree->document.mode = MODE_IN_TEMPLATE;
            tree->templates[tree->template_count++] = MODE_IN_TEMPLATE;
            return true;
        default: return false;
    }
}

static void start_frameset_in_body(html_tree *tree, const html_token *token) {
    unsigned body = tree->document.base + 1u;
    if (tree->open <= body || !html_is(&tree->stack[body], TAG_BODY) || !tree->document.frameset_ok) return;
    /* the body goes with all that it holds; no text, or a frameset would no longer be allowed */
    uint32_t before = tree->stack[body].before;
    html_close_from(tree, body);
    tree->cursor = before;
    tree->events[before].next = 0;
    open_element(tree, token);
    tree->document.mode = MODE_IN_FRAMESET;
}

static void start_item(html_tree *tree, const html_token *token) {
    tree->document.frameset_ok = false;
    unsigned item = html_top(tree)->item;
    const html_node *node = &tree->stack[item];
    bool fits = token->tag == TAG_LI ? html_is(node, TAG_LI) : html_is(node, TAG_DD) || html_is(node, TAG_DT);
    if (fits) {
        generate_implied_end_tags(tree, node->tag);
        html_close_from(tree, item);
    }
    close_p(tree);
    open_element(tree, token);
}

static void start_anchor(html_tree *tree, const html_token *token) {
    size_t found = html_last_format(tree, TAG_A);
    if (found) {
        unsigned place = tree->formats[found - 1].open;
        if (place && place < html_top(tree)->scope) {
            /* it cannot be ended from here: a table stands between */
            html_remove_format(tree, found - 1);
            html_take_out(tree, place);
        } else {
            html_adopt(tree, TAG_A);
        }
    }
    html_reopen_formats(tree);
    open_element(tree, token);
    html_add_format(tree, token);
}

static bool form_is_open(const html_tree *tree) { return tree->document.form != 0; }

static void start_form(html_tree *tree, const html_token *token) {
    bool in_template = is_open(tree, TAG_TEMPLATE);
    if (form_is_open(tree) && !in_template) return;
    close_p(tree);
    open_element(tree, token);
    html_top(tree)->hash = ++tree->forms;
    if (!in_template) tree->document.form = tree->forms;
}

static void end_form(html_tree *tree) {
    if (is_open(tree, TAG_TEMPLATE)) {
        if (in_scope(tree, TAG_FORM)) end_element(tree, TAG_FORM);
        return;
    }
    uint32_t form = tree->document.form;
    tree->document.form = 0;
    unsigned place = tree->top_of[TAG_FORM];
    if (!form || !in_scope(tree, TAG_FORM) || tree->stack[place].hash != form) return;
    generate_implied_end_tags(tree, TAG_OTHER);
    html_take_out(tree, place);
}

static void start_select(html_tree *tree, const html_token *token) {
    if (in_scope(tree, TAG_SELECT)) {
        close_until(tree, TAG_SELECT);
        return;
    }
    html_reopen_formats(tree);
    open_element(tree, token);
    tree->document.frameset_ok = false;
}

static void start_option(html_tree *tree, const html_token *token) {
    if (in_scope(tree, TAG_SELECT)) {
        generate_implied_end_tags(tree, token->tag == TAG_OPTION ? (unsigned)TAG_OPTGROUP : (unsigned)TAG_OTHER);
    } else if (html_is(html_top(tree), TAG_OPTION)) {
        html_close(tree);
    }
    html_reopen_formats(tree);
    open_element(tree, token);
}

static bool is_hidden(html_tree *tree, const html_token *token) {
    if (!html_has(token, ATTRIBUTE_TYPE)) return false;
    html_span type = token->values[ATTRIBUTE_TYPE];
    const uint8_t *bytes = html_bytes(&tree->tokens, type);
    static const char hidden[] = "hidden";
    if (type.size != sizeof hidden - 1) return false;
    for (size_t i = 0; i < type.size; i++) {
        if (html_lower(bytes[i]) != (uint8_t)hidden[i]) return false;
    }
    return true;
}

static void start_foreign(html_tree *tree, const html_token *token, enum html_namespace namespace) {
    html_open(tree, token, namespace);
    if (token->self_closing) html_close(tree);
}

static void tell_void(html_tree *tree, const html_token *token) {
    html_reopen_formats(tree);
    html_tell_void(tree, token);
    tree->document.frameset_ok = false;
}

static void start_in_body(html_tree *tree, html_token *token) {
    if (head_element(tree, token)) return;
    switch (token->tag) {
        case TAG_HTML: merge_html(tree, token); return;
        case TAG_BODY:
            if (tree->open > tree->document.base + 1u && html_is(&tree->stack[tree->document.base + 1], TAG_BODY) &&
                !is_open(tree, TAG_TEMPLATE)) {
                tree->document.frameset_ok = false;
                html_tell_part(tree, token);
            }
            return;
        case TAG_FRAMESET: start_frameset_in_body(tree, token); return;
        case TAG_ADDRESS:
        case TAG_ARTICLE:
        case TAG_ASIDE:
        case TAG_BLOCKQUOTE:
        case TAG_CENTER:
        case TAG_DETAILS:
        case TAG_DIALOG:
        case TAG_DIR:
        case TAG_DIV:
        case TAG_DL:
        case TAG_FIELDSET:
        case TAG_FIGCAPTION:
        case TAG_FIGURE:
        case TAG_FOOTER:
        case TAG_HEADER:
        case TAG_HGROUP:
        case TAG_MAIN:
        case TAG_MENU:
        case TAG_NAV:
        case TAG_OL:
        case TAG_P:
        case TAG_SEARCH:
        case TAG_SECTION:
        case TAG_SUMMARY:
        case TAG_UL:
            close_p(tree);
            open_element(tree, token);
            return;
        case TAG_H1:
        case TAG_H2:
        case TAG_H3:
        case TAG_H4:
        case TAG_H5:
        case TAG_H6:
            close_p(tree);
            if (html_top(tree)->namespace == NAMESPACE_HTML && is_heading(html_top(tree)->tag)) html_close(tree);
            open_element(tree, token);
            return;
        case TAG_PRE:
        case TAG_LISTING:
            close_p(tree);
            open_element(tree, token);
            tree->tokens.drops_feed = true;
            tree->document.frameset_ok = false;
            return;
        case TAG_FORM: start_form(tree, token); return;
        case TAG_LI:
        case TAG_DD:
        case TAG_DT: start_item(tree, token); return;
        case TAG_PLAINTEXT:
            close_p(tree);
            open_raw(tree, token, RAW_PLAINTEXT, "");
            return;
        case TAG_BUTTON:
            if (in_scope(tree, TAG_BUTTON)) end_element(tree, TAG_BUTTON);
            html_reopen_formats(tree);
            open_element(tree, token);
            tree->document.frameset_ok = false;
            return;
        case TAG_A: start_anchor(tree, token); return;
        case TAG_B:
        case TAG_BIG:
        case TAG_CODE:
        case TAG_EM:
        case TAG_FONT:
        case TAG_I:
        case TAG_S:
        case TAG_SMALL:
        case TAG_STRIKE:
        case TAG_STRONG:
        case TAG_TT:
        case TAG_U:
            html_reopen_formats(tree);
            open_element(tree, token);
            html_add_format(tree, token);
            return;
        case TAG_NOBR:
            html_reopen_formats(tree);
            if (in_scope(tree, TAG_NOBR)) {
                html_adopt(tree, TAG_NOBR);
                html_reopen_formats(tree);
            }
            open_element(tree, token);
            html_add_format(tree, token);
            return;
        case TAG_APPLET:
        case TAG_MARQUEE:
        case TAG_OBJECT:
            html_reopen_formats(tree);
            open_element(tree, token);
            html_add_marker(tree);
            tree->document.frameset_ok = false;
            return;
        case TAG_TABLE:
            if (!tree->document.is_quirky) close_p(tree);
            open_element(tree, token);
            tree->document.frameset_ok = false;
            tree->document.mode = MODE_IN_TABLE;
            return;
        case TAG_IMAGE:
            token->tag = TAG_IMG;
            tell_void(tree, token);
            return;
        case TAG_INPUT:
            if (in_scope(tree, TAG_SELECT)) close_until(tree, TAG_SELECT);
            html_reopen_formats(tree);
            html_tell_void(tree, token);
            if (!is_hidden(tree, token)) tree->document.frameset_ok = false;
            return;
        case TAG_AREA:
        case TAG_BR:
        case TAG_EMBED:
        case TAG_IMG:
        case TAG_KEYGEN:
        case TAG_WBR: tell_void(tree, token); return;
        case TAG_PARAM:
        case TAG_SOURCE:
        case TAG_TRACK: html_tell_void(tree, token); return;
        case TAG_HR:
            close_p(tree);
            if (in_scope(tree, TAG_SELECT)) generate_implied_end_tags(tree, TAG_OTHER);
            html_tell_void(tree, token);
            tree->document.frameset_ok = false;
            return;
        case TAG_TEXTAREA:
            open_raw(tree, token, RAW_RCDATA, "textarea");
            tree->tokens.drops_feed = true;
            tree->document.frameset_ok = false;
            return;
        case TAG_XMP:
            close_p(tree);
            html_reopen_formats(tree);
            tree->document.frameset_ok = false;
            open_raw(tree, token, RAW_TEXT, "xmp");
            return;
        case TAG_IFRAME:
            tree->document.frameset_ok = false;
            open_raw(tree, token, RAW_TEXT, "iframe");
            return;
        case TAG_NOEMBED: open_raw(tree, token, RAW_TEXT, "noembed"); return;
        case TAG_SELECT: start_select(tree, token); return;
        case TAG_OPTION:
        case TAG_OPTGROUP: start_option(tree, token); return;
        case TAG_RB:
        case TAG_RTC:
            if (in_scope(tree, TAG_RUBY)) generate_implied_end_tags(tree, TAG_OTHER);
            open_element(tree, token);
            return;
        case TAG_RP:
        case TAG_RT:
            if (in_scope(tree, TAG_RUBY)) generate_implied_end_tags(tree, TAG_RTC);
            open_element(tree, token);
            return;
        case TAG_MATH:
        case TAG_SVG:
            html_reopen_formats(tree);
            start_foreign(tree, token, token->tag == TAG_SVG ? NAMESPACE_SVG : NAMESPACE_MATH);
            return;
        case TAG_CAPTION:
        case TAG_COL:
        case TAG_COLGROUP:
        case TAG_FRAME:
        case TAG_HEAD:
        case TAG_TBODY:
        case TAG_TD:
        case TAG_TFOOT:
        case TAG_TH:
        case TAG_THEAD:
        case TAG_TR: return;
        default:
            html_reopen_formats(tree);
            open_element(tree, token);
            return;
    }
}

/* An end tag that is not known: closes what it names if no special element is open inside of it. */
static void any_other_end_tag(html_tree *tree, const html_token *token) {
    enum { MOST_STEPS_WHEN_TIRED = 16 };
    unsigned special = html_top(tree)->special;
    if (token->tag != TAG_OTHER) {
        if (tree->top_of[token->tag] && tree->top_of[token->tag] >= special) end_element(tree, token->tag);
        return;
    }
    unsigned steps = 0;
    for (unsigned i = tree->top_of[TAG_OTHER]; i > special; i = tree->stack[i].below, steps++) {
        if (steps > MOST_STEPS_WHEN_TIRED && html_is_tired(tree)) return;
        if (tree->stack[i].hash == token->hash) {
            tree->work += steps;
            generate_implied_end_tags(tree, TAG_OTHER);
            html_close_from(tree, i);
            return;
        }
    }
    tree->work += steps;
}

static void end_heading(html_tree *tree) {
    unsigned place = 0;
    for (unsigned tag = TAG_H1; tag <= TAG_H6; tag++) {
        if (tree->top_of[tag] > place) place = tree->top_of[tag];
    }
    if (!place || place < html_top(tree)->scope) return;
    generate_implied_end_tags(tree, TAG_OTHER);
    html_close_from(tree, place);
}

/* Returns whether the token is to be looked at again, in another mode. */
static bool end_in_body(html_tree *tree, html_token *token) {
    switch (token->tag) {
        case TAG_TEMPLATE: end_template(tree); return false;
        case TAG_BODY:
        case TAG_HTML:
            if (!in_scope(tree, TAG_BODY)) return false;
            tree->document.mode = MODE_AFTER_BODY;
            return token->tag == TAG_HTML;
        case TAG_ADDRESS:
        case TAG_ARTICLE:
        case TAG_ASIDE:
        case TAG_BLOCKQUOTE:
        case TAG_BUTTON:
        case TAG_CENTER:
        case TAG_DETAILS:
        case TAG_DIALOG:
        case TAG_DIR:
        case TAG_DIV:
        case TAG_DL:
        case TAG_FIELDSET:
        case TAG_FIGCAPTION:
        case TAG_FIGURE:
        case TAG_FOOTER:
        case TAG_HEADER:
        case TAG_HGROUP:
        case TAG_LISTING:
        case TAG_MAIN:
        case TAG_MENU:
        case TAG_NAV:
        case TAG_OL:
        case TAG_PRE:
        case TAG_SEARCH:
        case TAG_SECTION:
        case TAG_SELECT:
        case TAG_SUMMARY:
        case TAG_UL:
            if (!in_scope(tree, token->tag)) return false;
            generate_implied_end_tags(tree, TAG_OTHER);
            close_until(tree, token->tag);
            return false;
        case TAG_FORM: end_form(tree); return false;
        case TAG_P:
            if (!in_button_scope(tree, TAG_P)) html_open_tag(tree, TAG_P);
            close_p(tree);
            return false;
        case TAG_LI:
            if (in_list_scope(tree, TAG_LI)) end_element(tree, TAG_LI);
            return false;
        case TAG_DD:
        case TAG_DT:
            if (in_scope(tree, token->tag)) end_element(tree, token->tag);
            return false;
        case TAG_H1:
        case TAG_H2:
        case TAG_H3:
        case TAG_H4:
        case TAG_H5:
        case TAG_H6: end_heading(tree); return false;
        case TAG_APPLET:
        case TAG_MARQUEE:
        case TAG_OBJECT:
            if (!in_scope(tree, token->tag)) return false;
            generate_implied_end_tags(tree, TAG_OTHER);
            close_until(tree, token->tag);
            html_clear_formats(tree);
            return false;
        case TAG_BR:
            token->type = HTML_START;
            token->present = 0;
            tell_void(tree, token);
            return false;
        default:
            if (!(html_tag_infos[token->tag].flags & TAG_IS_FORMATTING) || !html_adopt(tree, token->tag)) {
                any_other_end_tag(tree, token);
            }
            return false;
    }
}

static bool in_template(html_tree *tree, html_token *token);

static bool in_body(html_tree *tree, html_token *token) {
    switch (token->type) {
        case HTML_TEXT: body_text(tree, token); return false;
        case HTML_START: start_in_body(tree, token); return false;
        case HTML_END: return end_in_body(tree, token);
        case HTML_EOF:
            if (tree->template_count > tree->document.templates) return in_template(tree, token);
            return false;
        default: return false;
    }
}

/* -- the modes before the body */

static bool is_start(const html_token *token, unsigned tag) { return token->type == HTML_START && token->tag == tag; }

static bool is_end(const html_token *token, unsigned tag) { return token->type == HTML_END && token->tag == tag; }

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
    if (token) take_languages(tree, token);
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
    if (is_start(token, TAG_HTML)) return in_body(tree, token);
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
            if (token->tag == TAG_HTML) return in_body(tree, token);
            if (token->tag == TAG_HEAD || head_element(tree, token)) return false;
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
            if (head_element(tree, token) || !ends_what_is_not_there(token)) return false;
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
            if (token->tag == TAG_HTML) return in_body(tree, token);
            if (token->tag == TAG_HEAD || token->tag == TAG_NOSCRIPT) return false;
            if (token->tag == TAG_BASEFONT || token->tag == TAG_BGSOUND || token->tag == TAG_LINK ||
                token->tag == TAG_META || token->tag == TAG_NOFRAMES || token->tag == TAG_STYLE) {
                head_element(tree, token);
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
            if (token->tag == TAG_HTML) return in_body(tree, token);
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
            if (token->tag == TAG_HEAD || head_element(tree, token)) return false;
            break;
        case HTML_END:
            if (head_element(tree, token) || !ends_what_is_not_there(token)) return false;
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

/* -- tables */

static bool in_table(html_tree *tree, html_token *token);

static bool elsewhere(html_tree *tree, html_token *token) {
    tree->fosters = true;
    bool again = in_body(tree, token);
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
            reset_mode(tree);
            return true;
        case TAG_STYLE:
        case TAG_SCRIPT:
        case TAG_TEMPLATE: head_element(tree, token); return false;
        case TAG_INPUT:
            if (!is_hidden(tree, token)) return elsewhere(tree, token);
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

static bool in_table(html_tree *tree, html_token *token) {
    switch (token->type) {
        case HTML_TEXT: return table_text(tree, token);
        case HTML_DOCTYPE:
        case HTML_INSTRUCTION: return false;
        case HTML_START: return start_in_table(tree, token);
        case HTML_EOF: return in_body(tree, token);
        case HTML_END: break;
    }
    switch (token->tag) {
        case TAG_TABLE:
            if (in_table_scope(tree, TAG_TABLE)) {
                close_until(tree, TAG_TABLE);
                reset_mode(tree);
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
        case TAG_TEMPLATE: end_template(tree); return false;
        default: return elsewhere(tree, token);
    }
}

/* The tags that tables are made of, but for rows and cells. */
static bool is_table_structure(unsigned tag) {
    return tag == TAG_CAPTION || tag == TAG_COL || tag == TAG_COLGROUP || tag == TAG_TBODY || tag == TAG_TFOOT ||
           tag == TAG_THEAD;
}

static bool is_row_or_cell(unsigned tag) { return tag == TAG_TR || tag == TAG_TD || tag == TAG_TH; }

static bool in_caption(html_tree *tree, html_token *token) {
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
    return in_body(tree, token);
}

static bool in_column_group(html_tree *tree, html_token *token) {
    switch (token->type) {
        case HTML_DOCTYPE:
        case HTML_INSTRUCTION: return false;
        case HTML_EOF: return in_body(tree, token);
        case HTML_TEXT:
            if (!strip(tree, token)) return false;
            break;
        case HTML_START:
            if (token->tag == TAG_HTML) return in_body(tree, token);
            if (token->tag == TAG_COL) html_tell_void(tree, token);
            if (token->tag == TAG_TEMPLATE) head_element(tree, token);
            if (token->tag == TAG_COL || token->tag == TAG_TEMPLATE) return false;
            break;
        case HTML_END:
            if (token->tag == TAG_COL) return false;
            if (head_element(tree, token)) return false;
            break;
    }
    if (!html_is(html_top(tree), TAG_COLGROUP)) return false;
    html_close(tree);
    tree->document.mode = MODE_IN_TABLE;
    return !is_end(token, TAG_COLGROUP);
}

static bool in_table_body(html_tree *tree, html_token *token) {
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
    return in_table(tree, token);
}

static bool in_row(html_tree *tree, html_token *token) {
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
    return in_table(tree, token);
}

static bool in_cell(html_tree *tree, html_token *token) {
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
        if (tag == TAG_BODY || tag == TAG_CAPTION || tag == TAG_COL || tag == TAG_COLGROUP || tag == TAG_HTML) return false;
        if (tag == TAG_TABLE || tag == TAG_TBODY || tag == TAG_TFOOT || tag == TAG_THEAD || tag == TAG_TR) {
            if (!in_table_scope(tree, tag)) return false;
            close_cell(tree);
            return true;
        }
    }
    return in_body(tree, token);
}

/* -- templates, framesets, and what comes behind the body */

static bool template_goes_on(html_tree *tree, enum html_mode mode) {
    if (tree->template_count > tree->document.templates) tree->templates[tree->template_count - 1] = (uint8_t)mode;
    tree->document.mode = mode;
    return true;
}

static bool in_template(html_tree *tree, html_token *token) {
    switch (token->type) {
        case HTML_TEXT: return in_body(tree, token);
        case HTML_DOCTYPE:
        case HTML_INSTRUCTION: return false;
        case HTML_END: head_element(tree, token); return false;
        case HTML_EOF:
            if (!is_open(tree, TAG_TEMPLATE)) return false;
            end_template(tree);
            return true;
        case HTML_START: break;
    }
    if (head_element(tree, token)) return false;
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
        return in_body(tree, token);
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
        if (token->tag == TAG_HTML) return in_body(tree, token);
        if (token->tag == TAG_FRAMESET) open_element(tree, token);
        if (token->tag == TAG_FRAME) html_tell_void(tree, token);
        if (token->tag == TAG_NOFRAMES) head_element(tree, token);
    } else if (is_end(token, TAG_FRAMESET) && html_is(html_top(tree), TAG_FRAMESET)) {
        html_close(tree);
        if (!html_is(html_top(tree), TAG_FRAMESET)) tree->document.mode = MODE_AFTER_FRAMESET;
    }
    return false;
}

static bool after_frameset(html_tree *tree, html_token *token) {
    if (is_start(token, TAG_HTML)) return in_body(tree, token);
    if (is_start(token, TAG_NOFRAMES)) head_element(tree, token);
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

/* Tells whether the rules for foreign content are those to follow. */
static bool is_foreign(html_tree *tree, const html_token *token) {
    if (tree->open <= tree->document.base || token->type == HTML_EOF) return false;
    const html_node *node = html_top(tree);
    if (node->namespace == NAMESPACE_HTML) return false;
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

static bool in_foreign(html_tree *tree, html_token *token) {
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
        case MODE_IN_BODY: return in_body(tree, token);
        case MODE_TEXT: return text(tree, token);
        case MODE_IN_TABLE: return in_table(tree, token);
        case MODE_IN_CAPTION: return in_caption(tree, token);
        case MODE_IN_COLUMN_GROUP: return in_column_group(tree, token);
        case MODE_IN_TABLE_BODY: return in_table_body(tree, token);
        case MODE_IN_ROW: return in_row(tree, token);
        case MODE_IN_CELL: return in_cell(tree, token);
        case MODE_IN_TEMPLATE: return in_template(tree, token);
        case MODE_AFTER_BODY:
        case MODE_AFTER_AFTER_BODY: return after_body(tree, token);
        case MODE_IN_FRAMESET: return in_frameset(tree, token);
        case MODE_AFTER_FRAMESET:
        case MODE_AFTER_AFTER_FRAMESET: return after_frameset(tree, token);
    }
    return false;
}

static void process(html_tree *tree, html_token *token) {
    bool again;
    do {
        again = is_foreign(tree, token) ? in_foreign(tree, token) : dispatch(tree, token);
    } while (again && !tree->failed);
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
    tree->nested = tree->open = tree->template_count = tree->skipped = 0;
    memset(tree->top_of, 0, sizeof tree->top_of);
    tree->format_count = tree->link_count = tree->meta_count = 0;
    tree->part_count = tree->part_attribute_count = 0;
    tree->parts_are_cut = false;
    tree->fosters = tree->is_cut = tree->failed = false;
    tree->forms = 0;
    tree->work = tree->reopened = 0;
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

bool html_tree_read(html_tree *tree, fa_bytes html, bool with_parts) {
    start(tree, html);
    tree->tokens.reads_all = with_parts;
    html_token token = {.type = HTML_EOF};
    for (;;) {
        tree->tokens.is_foreign = tree->open && html_top(tree)->namespace != NAMESPACE_HTML;
        html_next(&tree->tokens, &token);
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
