/* See bounded.h. */
#include "bounded.h"

#include <string.h>

#include "html_tree.h"
#include "page.h"

typedef struct reading {
    fa_bytes html;
    const fa_markup_limits *limits;
    uint8_t *kept;
    size_t kept_size, copied; /* copied: all before this byte of the markup is either in `kept` or left out */
    uint64_t steps;
    uint32_t attributes, root_attributes, options;
    int is_cut;
} reading;

static void keep_until(reading *r, size_t end) {
    memcpy(r->kept + r->kept_size, r->html.data + r->copied, end - r->copied);
    r->kept_size += end - r->copied;
    r->copied = end;
}

/* Leave out a tag. Where "<" stands before it as text, what stands behind it must not become a tag by that: an end tag
 * without a name is nothing to any parser, and no longer than what it stands for. */
static html_choice pass_over(reading *r, size_t begin, size_t end) {
    keep_until(r, begin);
    if (r->kept_size && r->kept[r->kept_size - 1] == '<') {
        memcpy(r->kept + r->kept_size, "</>", 3);
        r->kept_size += 3;
    }
    r->copied = end;
    return HTML_PASS;
}

/* Does the tag open an element that closes by itself, or whose contents are text? Then nothing stands inside it. */
static bool holds_no_elements(unsigned tag) {
    switch (tag) {
        case TAG_AREA:
        case TAG_BASE:
        case TAG_BASEFONT:
        case TAG_BGSOUND:
        case TAG_BR:
        case TAG_COL:
        case TAG_EMBED:
        case TAG_FRAME:
        case TAG_HR:
        case TAG_IFRAME:
        case TAG_IMG:
        case TAG_INPUT:
        case TAG_KEYGEN:
        case TAG_LINK:
        case TAG_META:
        case TAG_NOEMBED:
        case TAG_NOFRAMES:
        case TAG_PARAM:
        case TAG_PLAINTEXT:
        case TAG_SCRIPT:
        case TAG_SOURCE:
        case TAG_STYLE:
        case TAG_TEXTAREA:
        case TAG_TITLE:
        case TAG_TRACK:
        case TAG_WBR:
        case TAG_XMP: return true;
        default: return false;
    }
}

static bool is_too_deep(const html_tree *tree, const html_token *token, const fa_markup_limits *limits) {
    if (tree->open < limits->open) return false;
    if (!tree->tokens.is_foreign) return !holds_no_elements(token->tag);
    return !token->self_closing && !(html_tag_infos[token->tag].flags & TAG_IS_BREAKOUT); /* that ends the drawing */
}

/* Are there as many formatting elements behind the last marker as may be? */
static bool has_all_formats(const html_tree *tree, const html_token *token, uint32_t most) {
    if (!(html_tag_infos[token->tag].flags & TAG_IS_FORMATTING) || tree->format_count < most) return false;
    for (uint32_t k = 1; k <= most; k++)
        if (tree->formats[tree->format_count - k].tag == 0) return false;
    return true;
}

/* Tell whether a start tag stays; what is looked at in a list of options is counted on the way. */
static bool stays(reading *r, const html_tree *tree, const html_token *token) {
    if (is_too_deep(tree, token, r->limits) || has_all_formats(tree, token, r->limits->formats)) return false;
    if (token->tag == TAG_HTML || token->tag == TAG_BODY) {
        r->root_attributes += token->attributes;
        return r->root_attributes <= r->limits->attributes_of_tag;
    }
    if (token->tag == TAG_SELECT) r->options = 0;
    if (token->tag == TAG_OPTION && tree->top_of[TAG_SELECT]) r->steps += r->options++;
    return true;
}

static html_choice judge(html_tree *tree, const html_token *token, void *judging) {
    reading *r = judging;
    if (token->type != HTML_START && token->type != HTML_END) return HTML_TAKE;
    size_t begin = token->name.begin - (token->type == HTML_START ? 1u : 2u), end = tree->tokens.at;
    r->steps += tree->open;
    bool has_too_many = token->attributes > r->limits->attributes_of_tag;
    if (has_too_many || (token->type == HTML_START && !stays(r, tree, token))) return pass_over(r, begin, end);
    r->attributes += token->attributes;
    if (r->attributes > r->limits->attributes || r->steps > r->limits->steps || tree->repeated > FA_MOST_REPEATED ||
        html_is_tired(tree)) {
        keep_until(r, begin);
        r->is_cut = 1;
        return HTML_STOP;
    }
    return HTML_TAKE;
}

int fa_bounded_markup(fa_bytes html, const fa_markup_limits *limits, uint8_t *kept, size_t *kept_size, int *is_cut) {
    if (html.size > FA_MOST_HTML || limits->open >= MOST_OPEN || limits->formats > MOST_FORMATS) {
        return FA_TOO_LARGE;
    }
    if (!html.size) html.data = (const uint8_t *)"";
    reading r = {.html = html, .limits = limits, .kept = kept};
    html_tree tree;
    bool is_read = html_tree_make(&tree) && html_tree_read_judged(&tree, html, judge, &r);
    html_tree_clear(&tree);
    if (!is_read) return FA_NO_MEMORY;
    if (!r.is_cut) keep_until(&r, html.size);
    *kept_size = r.kept_size;
    *is_cut = r.is_cut;
    return FA_OK;
}
