/* The insertion mode "in body", and what it shares with "in head": the rules that most tags of most pages follow. */
#include "html_modes.h"

static enum html_mode template_mode(const html_tree *tree) {
    return tree->template_count > tree->document.templates ? tree->templates[tree->template_count - 1] : MODE_IN_BODY;
}

void html_reset_mode(html_tree *tree) {
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

static bool is_nothing_but_zeros(html_tree *tree, const html_token *token) {
    const uint8_t *bytes = html_bytes(&tree->tokens, token->span);
    for (uint32_t i = 0; i < token->span.size; i++) {
        if (bytes[i]) return false;
    }
    return true;
}

static __attribute__((noinline)) void body_text(html_tree *tree, const html_token *token) {
    if (token->has_references && is_nothing_but_zeros(tree, token)) return;
    html_reopen_formats(tree);
    html_tell_text(tree, token, DECODE_REFERENCES | DECODE_DROP_ZEROS);
    if (tree->document.frameset_ok && says_something(tree, token, false)) tree->document.frameset_ok = false;
}

/* -- "in body" */

void html_take_languages(html_tree *tree, const html_token *token) {
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
    html_take_languages(tree, token);
    html_tell_part(tree, token);
}

void html_end_template(html_tree *tree) {
    if (!is_open(tree, TAG_TEMPLATE)) return;
    close_until(tree, TAG_TEMPLATE);
    html_clear_formats(tree);
    html_reset_mode(tree);
}

bool html_head_element(html_tree *tree, const html_token *token) {
    if (token->type == HTML_END) {
        if (token->tag != TAG_TEMPLATE) return false;
        html_end_template(tree);
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

bool html_is_hidden(html_tree *tree, const html_token *token) {
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

static __attribute__((noinline)) void start_in_body(html_tree *tree, html_token *token) {
    if (html_head_element(tree, token)) return;
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
            if (!html_is_hidden(tree, token)) tree->document.frameset_ok = false;
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
static __attribute__((noinline)) bool end_in_body(html_tree *tree, html_token *token) {
    switch (token->tag) {
        case TAG_TEMPLATE: html_end_template(tree); return false;
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

bool html_in_body(html_tree *tree, html_token *token) {
    switch (token->type) {
        case HTML_TEXT: body_text(tree, token); return false;
        case HTML_START: start_in_body(tree, token); return false;
        case HTML_END: return end_in_body(tree, token);
        case HTML_EOF:
            if (tree->template_count > tree->document.templates) return html_in_template(tree, token);
            return false;
        default: return false;
    }
}
