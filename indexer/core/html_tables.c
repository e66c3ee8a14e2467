/* Written by scripts/make_html_tables.py. */
#include "html_tables.h"

#include <string.h>

const html_tag_info html_tag_infos[TAG_COUNT] = {
    [TAG_OTHER] = {0, KIND_PART},
    [TAG_A] = {TAG_IS_FORMATTING | TAG_IS_READ, KIND_ANCHOR},
    [TAG_ABBR] = {0, KIND_NONE},
    [TAG_ACRONYM] = {0, KIND_NONE},
    [TAG_ADDRESS] = {TAG_IS_SPECIAL, KIND_PART},
    [TAG_ANNOTATION_XML] = {TAG_IS_READ, KIND_PART},
    [TAG_APPLET] = {TAG_IS_SPECIAL | TAG_IS_SCOPE | TAG_IS_LIST_SCOPE | TAG_IS_BUTTON_SCOPE, KIND_PART},
    [TAG_AREA] = {TAG_IS_SPECIAL | TAG_IS_READ, KIND_PART},
    [TAG_ARTICLE] = {TAG_IS_SPECIAL, KIND_PART},
    [TAG_ASIDE] = {TAG_IS_SPECIAL, KIND_PART},
    [TAG_B] = {TAG_IS_FORMATTING | TAG_IS_BREAKOUT, KIND_EMPHASIS},
    [TAG_BASE] = {TAG_IS_SPECIAL | TAG_IS_READ, KIND_PART},
    [TAG_BASEFONT] = {TAG_IS_SPECIAL, KIND_PART},
    [TAG_BDI] = {0, KIND_NONE},
    [TAG_BDO] = {0, KIND_NONE},
    [TAG_BGSOUND] = {TAG_IS_SPECIAL, KIND_PART},
    [TAG_BIG] = {TAG_IS_FORMATTING | TAG_IS_BREAKOUT, KIND_EMPHASIS},
    [TAG_BLINK] = {0, KIND_NONE},
    [TAG_BLOCKQUOTE] = {TAG_IS_SPECIAL | TAG_IS_BREAKOUT, KIND_PART},
    [TAG_BODY] = {TAG_IS_SPECIAL | TAG_IS_BREAKOUT, KIND_PART},
    [TAG_BR] = {TAG_IS_SPECIAL | TAG_IS_BREAKOUT, KIND_PART},
    [TAG_BUTTON] = {TAG_IS_SPECIAL | TAG_IS_BUTTON_SCOPE, KIND_PART},
    [TAG_CAPTION] = {TAG_IS_SPECIAL | TAG_IS_SCOPE | TAG_IS_LIST_SCOPE | TAG_IS_BUTTON_SCOPE | TAG_IS_IMPLIED_THOROUGHLY, KIND_EMPHASIS_BLOCK},
    [TAG_CENTER] = {TAG_IS_SPECIAL | TAG_IS_BREAKOUT, KIND_PART},
    [TAG_CITE] = {0, KIND_NONE},
    [TAG_CODE] = {TAG_IS_FORMATTING | TAG_IS_BREAKOUT, KIND_NONE},
    [TAG_COL] = {TAG_IS_SPECIAL, KIND_PART},
    [TAG_COLGROUP] = {TAG_IS_SPECIAL | TAG_IS_IMPLIED_THOROUGHLY, KIND_PART},
    [TAG_DATA] = {0, KIND_NONE},
    [TAG_DD] = {TAG_IS_SPECIAL | TAG_IS_IMPLIED | TAG_IS_IMPLIED_THOROUGHLY | TAG_IS_BREAKOUT, KIND_PART},
    [TAG_DEL] = {0, KIND_NONE},
    [TAG_DESC] = {TAG_IS_SVG_HTML, KIND_PART},
    [TAG_DETAILS] = {TAG_IS_SPECIAL, KIND_PART},
    [TAG_DFN] = {0, KIND_EMPHASIS},
    [TAG_DIALOG] = {0, KIND_PART},
    [TAG_DIR] = {TAG_IS_SPECIAL, KIND_PART},
    [TAG_DIV] = {TAG_IS_SPECIAL | TAG_IS_BREAKOUT, KIND_PART},
    [TAG_DL] = {TAG_IS_SPECIAL | TAG_IS_BREAKOUT, KIND_PART},
    [TAG_DT] = {TAG_IS_SPECIAL | TAG_IS_IMPLIED | TAG_IS_IMPLIED_THOROUGHLY | TAG_IS_BREAKOUT, KIND_PART},
    [TAG_EM] = {TAG_IS_FORMATTING | TAG_IS_BREAKOUT, KIND_EMPHASIS},
    [TAG_EMBED] = {TAG_IS_SPECIAL | TAG_IS_BREAKOUT, KIND_PART},
    [TAG_FIELDSET] = {TAG_IS_SPECIAL, KIND_PART},
    [TAG_FIGCAPTION] = {TAG_IS_SPECIAL, KIND_PART},
    [TAG_FIGURE] = {TAG_IS_SPECIAL, KIND_PART},
    [TAG_FONT] = {TAG_IS_FORMATTING | TAG_IS_READ, KIND_NONE},
    [TAG_FOOTER] = {TAG_IS_SPECIAL, KIND_PART},
    [TAG_FOREIGNOBJECT] = {TAG_IS_SVG_HTML, KIND_PART},
    [TAG_FORM] = {TAG_IS_SPECIAL, KIND_PART},
    [TAG_FRAME] = {TAG_IS_SPECIAL | TAG_IS_READ, KIND_PART},
    [TAG_FRAMESET] = {TAG_IS_SPECIAL, KIND_PART},
    [TAG_H1] = {TAG_IS_SPECIAL | TAG_IS_BREAKOUT, KIND_HEADING},
    [TAG_H2] = {TAG_IS_SPECIAL | TAG_IS_BREAKOUT, KIND_HEADING},
    [TAG_H3] = {TAG_IS_SPECIAL | TAG_IS_BREAKOUT, KIND_HEADING},
    [TAG_H4] = {TAG_IS_SPECIAL | TAG_IS_BREAKOUT, KIND_HEADING},
    [TAG_H5] = {TAG_IS_SPECIAL | TAG_IS_BREAKOUT, KIND_HEADING},
    [TAG_H6] = {TAG_IS_SPECIAL | TAG_IS_BREAKOUT, KIND_HEADING},
    [TAG_HEAD] = {TAG_IS_SPECIAL | TAG_IS_BREAKOUT, KIND_HEAD},
    [TAG_HEADER] = {TAG_IS_SPECIAL, KIND_PART},
    [TAG_HGROUP] = {TAG_IS_SPECIAL, KIND_PART},
    [TAG_HR] = {TAG_IS_SPECIAL | TAG_IS_BREAKOUT, KIND_PART},
    [TAG_HTML] = {TAG_IS_SPECIAL | TAG_IS_SCOPE | TAG_IS_LIST_SCOPE | TAG_IS_BUTTON_SCOPE | TAG_IS_TABLE_SCOPE | TAG_IS_READ, KIND_PART},
    [TAG_I] = {TAG_IS_FORMATTING | TAG_IS_BREAKOUT, KIND_EMPHASIS},
    [TAG_IFRAME] = {TAG_IS_SPECIAL, KIND_SKIP},
    [TAG_IMAGE] = {TAG_IS_READ, KIND_PART},
    [TAG_IMG] = {TAG_IS_SPECIAL | TAG_IS_BREAKOUT | TAG_IS_READ, KIND_PART},
    [TAG_INPUT] = {TAG_IS_SPECIAL | TAG_IS_READ, KIND_PART},
    [TAG_INS] = {0, KIND_NONE},
    [TAG_KBD] = {0, KIND_NONE},
    [TAG_KEYGEN] = {TAG_IS_SPECIAL, KIND_PART},
    [TAG_LABEL] = {0, KIND_NONE},
    [TAG_LEGEND] = {0, KIND_EMPHASIS_BLOCK},
    [TAG_LI] = {TAG_IS_SPECIAL | TAG_IS_IMPLIED | TAG_IS_IMPLIED_THOROUGHLY | TAG_IS_BREAKOUT, KIND_PART},
    [TAG_LINK] = {TAG_IS_SPECIAL, KIND_PART},
    [TAG_LISTING] = {TAG_IS_SPECIAL | TAG_IS_BREAKOUT, KIND_PART},
    [TAG_MAIN] = {TAG_IS_SPECIAL, KIND_PART},
    [TAG_MALIGNMARK] = {0, KIND_PART},
    [TAG_MARK] = {0, KIND_EMPHASIS},
    [TAG_MARQUEE] = {TAG_IS_SPECIAL | TAG_IS_SCOPE | TAG_IS_LIST_SCOPE | TAG_IS_BUTTON_SCOPE, KIND_PART},
    [TAG_MATH] = {0, KIND_PART},
    [TAG_MENU] = {TAG_IS_SPECIAL | TAG_IS_BREAKOUT, KIND_PART},
    [TAG_META] = {TAG_IS_SPECIAL | TAG_IS_BREAKOUT | TAG_IS_READ, KIND_PART},
    [TAG_MGLYPH] = {0, KIND_PART},
    [TAG_MI] = {TAG_IS_MATH_TEXT, KIND_PART},
    [TAG_MN] = {TAG_IS_MATH_TEXT, KIND_PART},
    [TAG_MO] = {TAG_IS_MATH_TEXT, KIND_PART},
    [TAG_MS] = {TAG_IS_MATH_TEXT, KIND_PART},
    [TAG_MTEXT] = {TAG_IS_MATH_TEXT, KIND_PART},
    [TAG_NAV] = {TAG_IS_SPECIAL, KIND_PART},
    [TAG_NOBR] = {TAG_IS_FORMATTING | TAG_IS_BREAKOUT, KIND_NONE},
    [TAG_NOEMBED] = {TAG_IS_SPECIAL, KIND_SKIP},
    [TAG_NOFRAMES] = {TAG_IS_SPECIAL, KIND_NOFRAMES},
    [TAG_NOSCRIPT] = {TAG_IS_SPECIAL, KIND_PART},
    [TAG_OBJECT] = {TAG_IS_SPECIAL | TAG_IS_SCOPE | TAG_IS_LIST_SCOPE | TAG_IS_BUTTON_SCOPE, KIND_PART},
    [TAG_OL] = {TAG_IS_SPECIAL | TAG_IS_LIST_SCOPE | TAG_IS_BREAKOUT, KIND_PART},
    [TAG_OPTGROUP] = {TAG_IS_IMPLIED | TAG_IS_IMPLIED_THOROUGHLY, KIND_PART},
    [TAG_OPTION] = {TAG_IS_IMPLIED | TAG_IS_IMPLIED_THOROUGHLY, KIND_PART},
    [TAG_P] = {TAG_IS_SPECIAL | TAG_IS_IMPLIED | TAG_IS_IMPLIED_THOROUGHLY | TAG_IS_BREAKOUT, KIND_PART},
    [TAG_PARAM] = {TAG_IS_SPECIAL, KIND_PART},
    [TAG_PLAINTEXT] = {TAG_IS_SPECIAL, KIND_PART},
    [TAG_PRE] = {TAG_IS_SPECIAL | TAG_IS_BREAKOUT, KIND_PRE},
    [TAG_Q] = {0, KIND_NONE},
    [TAG_RB] = {TAG_IS_IMPLIED | TAG_IS_IMPLIED_THOROUGHLY, KIND_PART},
    [TAG_RP] = {TAG_IS_IMPLIED | TAG_IS_IMPLIED_THOROUGHLY, KIND_NONE},
    [TAG_RT] = {TAG_IS_IMPLIED | TAG_IS_IMPLIED_THOROUGHLY, KIND_NONE},
    [TAG_RTC] = {TAG_IS_IMPLIED | TAG_IS_IMPLIED_THOROUGHLY, KIND_PART},
    [TAG_RUBY] = {TAG_IS_BREAKOUT, KIND_NONE},
    [TAG_S] = {TAG_IS_FORMATTING | TAG_IS_BREAKOUT, KIND_NONE},
    [TAG_SAMP] = {0, KIND_NONE},
    [TAG_SCRIPT] = {TAG_IS_SPECIAL, KIND_SKIP},
    [TAG_SEARCH] = {TAG_IS_SPECIAL, KIND_PART},
    [TAG_SECTION] = {TAG_IS_SPECIAL, KIND_PART},
    [TAG_SELECT] = {TAG_IS_SPECIAL | TAG_IS_SCOPE | TAG_IS_LIST_SCOPE | TAG_IS_BUTTON_SCOPE, KIND_PART},
    [TAG_SMALL] = {TAG_IS_FORMATTING | TAG_IS_BREAKOUT, KIND_NONE},
    [TAG_SOURCE] = {TAG_IS_SPECIAL, KIND_PART},
    [TAG_SPAN] = {TAG_IS_BREAKOUT, KIND_NONE},
    [TAG_STRIKE] = {TAG_IS_FORMATTING | TAG_IS_BREAKOUT, KIND_NONE},
    [TAG_STRONG] = {TAG_IS_FORMATTING | TAG_IS_BREAKOUT, KIND_EMPHASIS},
    [TAG_STYLE] = {TAG_IS_SPECIAL, KIND_SKIP},
    [TAG_SUB] = {TAG_IS_BREAKOUT, KIND_NONE},
    [TAG_SUMMARY] = {TAG_IS_SPECIAL, KIND_PART},
    [TAG_SUP] = {TAG_IS_BREAKOUT, KIND_NONE},
    [TAG_SVG] = {0, KIND_SVG},
    [TAG_TABLE] = {TAG_IS_SPECIAL | TAG_IS_SCOPE | TAG_IS_LIST_SCOPE | TAG_IS_BUTTON_SCOPE | TAG_IS_TABLE_SCOPE | TAG_IS_BREAKOUT, KIND_PART},
    [TAG_TBODY] = {TAG_IS_SPECIAL | TAG_IS_IMPLIED_THOROUGHLY, KIND_PART},
    [TAG_TD] = {TAG_IS_SPECIAL | TAG_IS_SCOPE | TAG_IS_LIST_SCOPE | TAG_IS_BUTTON_SCOPE | TAG_IS_IMPLIED_THOROUGHLY, KIND_PART},
    [TAG_TEMPLATE] = {TAG_IS_SPECIAL | TAG_IS_SCOPE | TAG_IS_LIST_SCOPE | TAG_IS_BUTTON_SCOPE | TAG_IS_TABLE_SCOPE, KIND_SKIP},
    [TAG_TEXTAREA] = {TAG_IS_SPECIAL, KIND_PART},
    [TAG_TFOOT] = {TAG_IS_SPECIAL | TAG_IS_IMPLIED_THOROUGHLY, KIND_PART},
    [TAG_TH] = {TAG_IS_SPECIAL | TAG_IS_SCOPE | TAG_IS_LIST_SCOPE | TAG_IS_BUTTON_SCOPE | TAG_IS_IMPLIED_THOROUGHLY, KIND_PART},
    [TAG_THEAD] = {TAG_IS_SPECIAL | TAG_IS_IMPLIED_THOROUGHLY, KIND_PART},
    [TAG_TIME] = {0, KIND_NONE},
    [TAG_TITLE] = {TAG_IS_SPECIAL | TAG_IS_SVG_HTML, KIND_TITLE},
    [TAG_TR] = {TAG_IS_SPECIAL | TAG_IS_IMPLIED_THOROUGHLY, KIND_PART},
    [TAG_TRACK] = {TAG_IS_SPECIAL, KIND_PART},
    [TAG_TT] = {TAG_IS_FORMATTING | TAG_IS_BREAKOUT, KIND_NONE},
    [TAG_U] = {TAG_IS_FORMATTING | TAG_IS_BREAKOUT, KIND_EMPHASIS},
    [TAG_UL] = {TAG_IS_SPECIAL | TAG_IS_LIST_SCOPE | TAG_IS_BREAKOUT, KIND_PART},
    [TAG_VAR] = {TAG_IS_BREAKOUT, KIND_NONE},
    [TAG_WBR] = {TAG_IS_SPECIAL, KIND_NONE},
    [TAG_XMP] = {TAG_IS_SPECIAL, KIND_PART},
};

static const struct {
    uint64_t first; /* its first eight bytes */
    char name[15];
    uint8_t size;
} spellings[TAG_COUNT] = {
    [TAG_A] = {0x61u, "a", 1},
    [TAG_ABBR] = {0x72626261u, "abbr", 4},
    [TAG_ACRONYM] = {0x6d796e6f726361u, "acronym", 7},
    [TAG_ADDRESS] = {0x73736572646461u, "address", 7},
    [TAG_ANNOTATION_XML] = {0x697461746f6e6e61u, "annotation-xml", 14},
    [TAG_APPLET] = {0x74656c707061u, "applet", 6},
    [TAG_AREA] = {0x61657261u, "area", 4},
    [TAG_ARTICLE] = {0x656c6369747261u, "article", 7},
    [TAG_ASIDE] = {0x6564697361u, "aside", 5},
    [TAG_B] = {0x62u, "b", 1},
    [TAG_BASE] = {0x65736162u, "base", 4},
    [TAG_BASEFONT] = {0x746e6f6665736162u, "basefont", 8},
    [TAG_BDI] = {0x696462u, "bdi", 3},
    [TAG_BDO] = {0x6f6462u, "bdo", 3},
    [TAG_BGSOUND] = {0x646e756f736762u, "bgsound", 7},
    [TAG_BIG] = {0x676962u, "big", 3},
    [TAG_BLINK] = {0x6b6e696c62u, "blink", 5},
    [TAG_BLOCKQUOTE] = {0x6f75716b636f6c62u, "blockquote", 10},
    [TAG_BODY] = {0x79646f62u, "body", 4},
    [TAG_BR] = {0x7262u, "br", 2},
    [TAG_BUTTON] = {0x6e6f74747562u, "button", 6},
    [TAG_CAPTION] = {0x6e6f6974706163u, "caption", 7},
    [TAG_CENTER] = {0x7265746e6563u, "center", 6},
    [TAG_CITE] = {0x65746963u, "cite", 4},
    [TAG_CODE] = {0x65646f63u, "code", 4},
    [TAG_COL] = {0x6c6f63u, "col", 3},
    [TAG_COLGROUP] = {0x70756f72676c6f63u, "colgroup", 8},
    [TAG_DATA] = {0x61746164u, "data", 4},
    [TAG_DD] = {0x6464u, "dd", 2},
    [TAG_DEL] = {0x6c6564u, "del", 3},
    [TAG_DESC] = {0x63736564u, "desc", 4},
    [TAG_DETAILS] = {0x736c6961746564u, "details", 7},
    [TAG_DFN] = {0x6e6664u, "dfn", 3},
    [TAG_DIALOG] = {0x676f6c616964u, "dialog", 6},
    [TAG_DIR] = {0x726964u, "dir", 3},
    [TAG_DIV] = {0x766964u, "div", 3},
    [TAG_DL] = {0x6c64u, "dl", 2},
    [TAG_DT] = {0x7464u, "dt", 2},
    [TAG_EM] = {0x6d65u, "em", 2},
    [TAG_EMBED] = {0x6465626d65u, "embed", 5},
    [TAG_FIELDSET] = {0x746573646c656966u, "fieldset", 8},
    [TAG_FIGCAPTION] = {0x6974706163676966u, "figcaption", 10},
    [TAG_FIGURE] = {0x657275676966u, "figure", 6},
    [TAG_FONT] = {0x746e6f66u, "font", 4},
    [TAG_FOOTER] = {0x7265746f6f66u, "footer", 6},
    [TAG_FOREIGNOBJECT] = {0x6f6e676965726f66u, "foreignobject", 13},
    [TAG_FORM] = {0x6d726f66u, "form", 4},
    [TAG_FRAME] = {0x656d617266u, "frame", 5},
    [TAG_FRAMESET] = {0x746573656d617266u, "frameset", 8},
    [TAG_H1] = {0x3168u, "h1", 2},
    [TAG_H2] = {0x3268u, "h2", 2},
    [TAG_H3] = {0x3368u, "h3", 2},
    [TAG_H4] = {0x3468u, "h4", 2},
    [TAG_H5] = {0x3568u, "h5", 2},
    [TAG_H6] = {0x3668u, "h6", 2},
    [TAG_HEAD] = {0x64616568u, "head", 4},
    [TAG_HEADER] = {0x726564616568u, "header", 6},
    [TAG_HGROUP] = {0x70756f726768u, "hgroup", 6},
    [TAG_HR] = {0x7268u, "hr", 2},
    [TAG_HTML] = {0x6c6d7468u, "html", 4},
    [TAG_I] = {0x69u, "i", 1},
    [TAG_IFRAME] = {0x656d61726669u, "iframe", 6},
    [TAG_IMAGE] = {0x6567616d69u, "image", 5},
    [TAG_IMG] = {0x676d69u, "img", 3},
    [TAG_INPUT] = {0x7475706e69u, "input", 5},
    [TAG_INS] = {0x736e69u, "ins", 3},
    [TAG_KBD] = {0x64626bu, "kbd", 3},
    [TAG_KEYGEN] = {0x6e656779656bu, "keygen", 6},
    [TAG_LABEL] = {0x6c6562616cu, "label", 5},
    [TAG_LEGEND] = {0x646e6567656cu, "legend", 6},
    [TAG_LI] = {0x696cu, "li", 2},
    [TAG_LINK] = {0x6b6e696cu, "link", 4},
    [TAG_LISTING] = {0x676e697473696cu, "listing", 7},
    [TAG_MAIN] = {0x6e69616du, "main", 4},
    [TAG_MALIGNMARK] = {0x616d6e67696c616du, "malignmark", 10},
    [TAG_MARK] = {0x6b72616du, "mark", 4},
    [TAG_MARQUEE] = {0x6565757172616du, "marquee", 7},
    [TAG_MATH] = {0x6874616du, "math", 4},
    [TAG_MENU] = {0x756e656du, "menu", 4},
    [TAG_META] = {0x6174656du, "meta", 4},
    [TAG_MGLYPH] = {0x6870796c676du, "mglyph", 6},
    [TAG_MI] = {0x696du, "mi", 2},
    [TAG_MN] = {0x6e6du, "mn", 2},
    [TAG_MO] = {0x6f6du, "mo", 2},
    [TAG_MS] = {0x736du, "ms", 2},
    [TAG_MTEXT] = {0x747865746du, "mtext", 5},
    [TAG_NAV] = {0x76616eu, "nav", 3},
    [TAG_NOBR] = {0x72626f6eu, "nobr", 4},
    [TAG_NOEMBED] = {0x6465626d656f6eu, "noembed", 7},
    [TAG_NOFRAMES] = {0x73656d6172666f6eu, "noframes", 8},
    [TAG_NOSCRIPT] = {0x7470697263736f6eu, "noscript", 8},
    [TAG_OBJECT] = {0x7463656a626fu, "object", 6},
    [TAG_OL] = {0x6c6fu, "ol", 2},
    [TAG_OPTGROUP] = {0x70756f726774706fu, "optgroup", 8},
    [TAG_OPTION] = {0x6e6f6974706fu, "option", 6},
    [TAG_P] = {0x70u, "p", 1},
    [TAG_PARAM] = {0x6d61726170u, "param", 5},
    [TAG_PLAINTEXT] = {0x7865746e69616c70u, "plaintext", 9},
    [TAG_PRE] = {0x657270u, "pre", 3},
    [TAG_Q] = {0x71u, "q", 1},
    [TAG_RB] = {0x6272u, "rb", 2},
    [TAG_RP] = {0x7072u, "rp", 2},
    [TAG_RT] = {0x7472u, "rt", 2},
    [TAG_RTC] = {0x637472u, "rtc", 3},
    [TAG_RUBY] = {0x79627572u, "ruby", 4},
    [TAG_S] = {0x73u, "s", 1},
    [TAG_SAMP] = {0x706d6173u, "samp", 4},
    [TAG_SCRIPT] = {0x747069726373u, "script", 6},
    [TAG_SEARCH] = {0x686372616573u, "search", 6},
    [TAG_SECTION] = {0x6e6f6974636573u, "section", 7},
    [TAG_SELECT] = {0x7463656c6573u, "select", 6},
    [TAG_SMALL] = {0x6c6c616d73u, "small", 5},
    [TAG_SOURCE] = {0x656372756f73u, "source", 6},
    [TAG_SPAN] = {0x6e617073u, "span", 4},
    [TAG_STRIKE] = {0x656b69727473u, "strike", 6},
    [TAG_STRONG] = {0x676e6f727473u, "strong", 6},
    [TAG_STYLE] = {0x656c797473u, "style", 5},
    [TAG_SUB] = {0x627573u, "sub", 3},
    [TAG_SUMMARY] = {0x7972616d6d7573u, "summary", 7},
    [TAG_SUP] = {0x707573u, "sup", 3},
    [TAG_SVG] = {0x677673u, "svg", 3},
    [TAG_TABLE] = {0x656c626174u, "table", 5},
    [TAG_TBODY] = {0x79646f6274u, "tbody", 5},
    [TAG_TD] = {0x6474u, "td", 2},
    [TAG_TEMPLATE] = {0x6574616c706d6574u, "template", 8},
    [TAG_TEXTAREA] = {0x6165726174786574u, "textarea", 8},
    [TAG_TFOOT] = {0x746f6f6674u, "tfoot", 5},
    [TAG_TH] = {0x6874u, "th", 2},
    [TAG_THEAD] = {0x6461656874u, "thead", 5},
    [TAG_TIME] = {0x656d6974u, "time", 4},
    [TAG_TITLE] = {0x656c746974u, "title", 5},
    [TAG_TR] = {0x7274u, "tr", 2},
    [TAG_TRACK] = {0x6b63617274u, "track", 5},
    [TAG_TT] = {0x7474u, "tt", 2},
    [TAG_U] = {0x75u, "u", 1},
    [TAG_UL] = {0x6c75u, "ul", 2},
    [TAG_VAR] = {0x726176u, "var", 3},
    [TAG_WBR] = {0x726277u, "wbr", 3},
    [TAG_XMP] = {0x706d78u, "xmp", 3},
};

static const uint8_t tag_at[1 << 12] = {
    [4] = TAG_SELECT,
    [20] = TAG_ACRONYM,
    [56] = TAG_LEGEND,
    [106] = TAG_SVG,
    [123] = TAG_TFOOT,
    [147] = TAG_B,
    [149] = TAG_ANNOTATION_XML,
    [194] = TAG_SPAN,
    [196] = TAG_H2,
    [212] = TAG_FIGURE,
    [232] = TAG_MI,
    [289] = TAG_DIV,
    [297] = TAG_RTC,
    [319] = TAG_CAPTION,
    [340] = TAG_DETAILS,
    [342] = TAG_ARTICLE,
    [358] = TAG_NOSCRIPT,
    [363] = TAG_SUP,
    [440] = TAG_FIELDSET,
    [469] = TAG_NOBR,
    [472] = TAG_LISTING,
    [480] = TAG_MGLYPH,
    [493] = TAG_SMALL,
    [543] = TAG_TABLE,
    [574] = TAG_MN,
    [577] = TAG_DATA,
    [592] = TAG_DL,
    [626] = TAG_BLINK,
    [634] = TAG_CITE,
    [635] = TAG_FORM,
    [681] = TAG_TH,
    [691] = TAG_DIR,
    [755] = TAG_COLGROUP,
    [855] = TAG_BR,
    [856] = TAG_MENU,
    [867] = TAG_LINK,
    [916] = TAG_MS,
    [937] = TAG_APPLET,
    [1077] = TAG_ABBR,
    [1084] = TAG_H3,
    [1129] = TAG_PARAM,
    [1226] = TAG_TD,
    [1241] = TAG_TEMPLATE,
    [1255] = TAG_Q,
    [1276] = TAG_BLOCKQUOTE,
    [1315] = TAG_KBD,
    [1329] = TAG_SUMMARY,
    [1332] = TAG_FONT,
    [1342] = TAG_BASE,
    [1362] = TAG_CENTER,
    [1364] = TAG_TIME,
    [1365] = TAG_TR,
    [1450] = TAG_PRE,
    [1462] = TAG_MO,
    [1484] = TAG_I,
    [1526] = TAG_HTML,
    [1547] = TAG_FRAMESET,
    [1615] = TAG_WBR,
    [1628] = TAG_PLAINTEXT,
    [1682] = TAG_SOURCE,
    [1683] = TAG_DD,
    [1692] = TAG_FRAME,
    [1712] = TAG_A,
    [1731] = TAG_BDO,
    [1741] = TAG_TITLE,
    [1769] = TAG_SUB,
    [1797] = TAG_LI,
    [1823] = TAG_XMP,
    [1831] = TAG_TEXTAREA,
    [1839] = TAG_DEL,
    [1972] = TAG_H4,
    [2036] = TAG_HGROUP,
    [2065] = TAG_MTEXT,
    [2081] = TAG_IFRAME,
    [2119] = TAG_NAV,
    [2148] = TAG_STRIKE,
    [2173] = TAG_RT,
    [2182] = TAG_MARQUEE,
    [2222] = TAG_S,
    [2228] = TAG_DIALOG,
    [2292] = TAG_VAR,
    [2327] = TAG_STYLE,
    [2333] = TAG_BDI,
    [2334] = TAG_META,
    [2445] = TAG_LABEL,
    [2465] = TAG_NOEMBED,
    [2491] = TAG_THEAD,
    [2526] = TAG_DFN,
    [2537] = TAG_HEAD,
    [2545] = TAG_OPTGROUP,
    [2561] = TAG_SEARCH,
    [2580] = TAG_RB,
    [2654] = TAG_HEADER,
    [2667] = TAG_UL,
    [2670] = TAG_SECTION,
    [2719] = TAG_RP,
    [2764] = TAG_FOREIGNOBJECT,
    [2781] = TAG_TBODY,
    [2783] = TAG_BGSOUND,
    [2820] = TAG_P,
    [2859] = TAG_H5,
    [2876] = TAG_BIG,
    [2937] = TAG_NOFRAMES,
    [2954] = TAG_BODY,
    [3086] = TAG_MALIGNMARK,
    [3140] = TAG_TT,
    [3176] = TAG_MATH,
    [3189] = TAG_U,
    [3208] = TAG_SCRIPT,
    [3229] = TAG_INPUT,
    [3240] = TAG_BASEFONT,
    [3274] = TAG_OPTION,
    [3290] = TAG_TRACK,
    [3331] = TAG_ADDRESS,
    [3350] = TAG_INS,
    [3354] = TAG_BUTTON,
    [3368] = TAG_ASIDE,
    [3397] = TAG_FOOTER,
    [3405] = TAG_H1,
    [3425] = TAG_IMAGE,
    [3434] = TAG_AREA,
    [3470] = TAG_CODE,
    [3597] = TAG_DT,
    [3656] = TAG_MAIN,
    [3658] = TAG_EMBED,
    [3667] = TAG_IMG,
    [3683] = TAG_KEYGEN,
    [3699] = TAG_FIGCAPTION,
    [3747] = TAG_H6,
    [3755] = TAG_HR,
    [3800] = TAG_OBJECT,
    [3862] = TAG_OL,
    [3899] = TAG_SAMP,
    [3924] = TAG_STRONG,
    [3928] = TAG_RUBY,
    [4011] = TAG_EM,
    [4020] = TAG_DESC,
    [4087] = TAG_COL,
    [4088] = TAG_MARK,
};

unsigned html_tag_named(uint64_t first, const uint8_t *name, size_t size) {
    if (size >= sizeof spellings[0].name) return TAG_OTHER;
    unsigned tag = tag_at[((first ^ ((uint64_t)size << 59)) * 11400714819323301423u) >> 52];
    if (spellings[tag].first != first || spellings[tag].size != size) return TAG_OTHER;
    for (size_t i = 8; i < size; i++) {
        uint8_t byte = name[i] >= 'A' && name[i] <= 'Z' ? name[i] | 0x20 : name[i];
        if (byte != (uint8_t)spellings[tag].name[i]) return TAG_OTHER;
    }
    return tag;
}

/* Name and text of each reference, one behind the other. */
static const char reference_pool[] =
    "Vdashl;" "\342\253\246"
    "lvertneqq;" "\342\211\250\357\270\200"
    "YIcy;" "\320\207"
    "lharu;" "\342\206\274"
    "Euml" "\303\213"
    "lrm;" "\342\200\216"
    "gE;" "\342\211\247"
    "Tilde;" "\342\210\274"
    "egsdot;" "\342\252\230"
    "DownTeeArrow;" "\342\206\247"
    "uharl;" "\342\206\277"
    "nless;" "\342\211\256"
    "incare;" "\342\204\205"
    "SOFTcy;" "\320\254"
    "Wcirc;" "\305\264"
    "Esim;" "\342\251\263"
    "SquareUnion;" "\342\212\224"
    "Popf;" "\342\204\231"
    "bsime;" "\342\213\215"
    "Kopf;" "\360\235\225\202"
    "NotGreater;" "\342\211\257"
    "olcross;" "\342\246\273"
    "upharpoonleft;" "\342\206\277"
    "rightarrowtail;" "\342\206\243"
    "dsol;" "\342\247\266"
    "propto;" "\342\210\235"
    "Iota;" "\316\231"
    "atilde" "\303\243"
    "lambda;" "\316\273"
    "DownRightVectorBar;" "\342\245\227"
    "Uparrow;" "\342\207\221"
    "ucirc" "\303\273"
    "larr;" "\342\206\220"
    "chi;" "\317\207"
    "Tab;" "\011"
    "xutri;" "\342\226\263"
    "eopf;" "\360\235\225\226"
    "nsupseteqq;" "\342\253\206\314\270"
    "bnequiv;" "\342\211\241\342\203\245"
    "NotElement;" "\342\210\211"
    "divide;" "\303\267"
    "Because;" "\342\210\265"
    "Congruent;" "\342\211\241"
    "lbrack;" "\133"
    "pr;" "\342\211\272"
    "FilledVerySmallSquare;" "\342\226\252"
    "RightUpTeeVector;" "\342\245\234"
    "Fscr;" "\342\204\261"
    "ee;" "\342\205\207"
    "isins;" "\342\213\264"
    "Cross;" "\342\250\257"
    "delta;" "\316\264"
    "topcir;" "\342\253\261"
    "SquareSuperset;" "\342\212\220"
    "DoubleDot;" "\302\250"
    "IJlig;" "\304\262"
    "odiv;" "\342\250\270"
    "nvdash;" "\342\212\254"
    "sqcups;" "\342\212\224\357\270\200"
    "NotEqual;" "\342\211\240"
    "backprime;" "\342\200\265"
    "tint;" "\342\210\255"
    "triplus;" "\342\250\271"
    "CounterClockwiseContourIntegral;" "\342\210\263"
    "CircleMinus;" "\342\212\226"
    "lgE;" "\342\252\221"
    "RightVectorBar;" "\342\245\223"
    "nleq;" "\342\211\260"
    "Gdot;" "\304\240"
    "gtquest;" "\342\251\274"
    "Diamond;" "\342\213\204"
    "lceil;" "\342\214\210"
    "phone;" "\342\230\216"
    "leftharpoonup;" "\342\206\274"
    "rarrfs;" "\342\244\236"
    "Uopf;" "\360\235\225\214"
    "gdot;" "\304\241"
    "RightTeeArrow;" "\342\206\246"
    "Acirc;" "\303\202"
    "ape;" "\342\211\212"
    "check;" "\342\234\223"
    "darr;" "\342\206\223"
    "gt;" "\076"
    "lat;" "\342\252\253"
    "micro;" "\302\265"
    "szlig" "\303\237"
    "Ubrcy;" "\320\216"
    "Verbar;" "\342\200\226"
    "Uarrocir;" "\342\245\211"
    "permil;" "\342\200\260"
    "fflig;" "\357\254\200"
    "nvlt;" "\074\342\203\222"
    "bnot;" "\342\214\220"
    "odsold;" "\342\246\274"
    "urcrop;" "\342\214\216"
    "Downarrow;" "\342\207\223"
    "lscr;" "\360\235\223\201"
    "Gamma;" "\316\223"
    "LeftTriangle;" "\342\212\262"
    "aelig" "\303\246"
    "erarr;" "\342\245\261"
    "subset;" "\342\212\202"
    "wscr;" "\360\235\223\214"
    "NestedGreaterGreater;" "\342\211\253"
    "vopf;" "\360\235\225\247"
    "and;" "\342\210\247"
    "OElig;" "\305\222"
    "eparsl;" "\342\247\243"
    "Lsh;" "\342\206\260"
    "ovbar;" "\342\214\275"
    "rHar;" "\342\245\244"
    "scirc;" "\305\235"
    "ccedil" "\303\247"
    "rightrightarrows;" "\342\207\211"
    "VerticalTilde;" "\342\211\200"
    "tbrk;" "\342\216\264"
    "reals;" "\342\204\235"
    "ratail;" "\342\244\232"
    "boxUR;" "\342\225\232"
    "rlm;" "\342\200\217"
    "imacr;" "\304\253"
    "thorn;" "\303\276"
    "robrk;" "\342\237\247"
    "NotGreaterSlantEqual;" "\342\251\276\314\270"
    "xnis;" "\342\213\273"
    "Gopf;" "\360\235\224\276"
    "clubsuit;" "\342\231\243"
    "equivDD;" "\342\251\270"
    "parsim;" "\342\253\263"
    "Agrave;" "\303\200"
    "timesd;" "\342\250\260"
    "Jsercy;" "\320\210"
    "midcir;" "\342\253\260"
    "dscr;" "\360\235\222\271"
    "bull;" "\342\200\242"
    "iiiint;" "\342\250\214"
    "swarhk;" "\342\244\246"
    "Rfr;" "\342\204\234"
    "Psi;" "\316\250"
    "Auml" "\303\204"
    "alefsym;" "\342\204\265"
    "times;" "\303\227"
    "dcy;" "\320\264"
    "nedot;" "\342\211\220\314\270"
    "agrave" "\303\240"
    "els;" "\342\252\225"
    "amp" "\046"
    "xcup;" "\342\213\203"
    "ange;" "\342\246\244"
    "Not;" "\342\253\254"
    "REG;" "\302\256"
    "thetasym;" "\317\221"
    "ordf" "\302\252"
    "part;" "\342\210\202"
    "curvearrowleft;" "\342\206\266"
    "bigotimes;" "\342\250\202"
    "curren" "\302\244"
    "bigcup;" "\342\213\203"
    "boxhu;" "\342\224\264"
    "nle;" "\342\211\260"
    "srarr;" "\342\206\222"
    "Rightarrow;" "\342\207\222"
    "RightFloor;" "\342\214\213"
    "tau;" "\317\204"
    "ycirc;" "\305\267"
    "ImaginaryI;" "\342\205\210"
    "nVdash;" "\342\212\256"
    "NotEqualTilde;" "\342\211\202\314\270"
    "Mcy;" "\320\234"
    "QUOT;" "\042"
    "vellip;" "\342\213\256"
    "nsimeq;" "\342\211\204"
    "prE;" "\342\252\263"
    "DownArrowUpArrow;" "\342\207\265"
    "dot;" "\313\231"
    "gsime;" "\342\252\216"
    "sqsubset;" "\342\212\217"
    "Or;" "\342\251\224"
    "gt" "\076"
    "oS;" "\342\223\210"
    "rtrif;" "\342\226\270"
    "nltri;" "\342\213\252"
    "uml;" "\302\250"
    "boxUl;" "\342\225\234"
    "boxvl;" "\342\224\244"
    "notinvb;" "\342\213\267"
    "verbar;" "\174"
    "qopf;" "\360\235\225\242"
    "Oacute" "\303\223"
    "Ucirc;" "\303\233"
    "xrArr;" "\342\237\271"
    "Zacute;" "\305\271"
    "DownBreve;" "\314\221"
    "fork;" "\342\213\224"
    "ShortRightArrow;" "\342\206\222"
    "angmsdae;" "\342\246\254"
    "Uogon;" "\305\262"
    "nsupset;" "\342\212\203\342\203\222"
    "prap;" "\342\252\267"
    "Updownarrow;" "\342\207\225"
    "piv;" "\317\226"
    "vartriangleleft;" "\342\212\262"
    "lescc;" "\342\252\250"
    "planck;" "\342\204\217"
    "malt;" "\342\234\240"
    "Gcy;" "\320\223"
    "vsupne;" "\342\212\213\357\270\200"
    "NotSucceedsTilde;" "\342\211\277\314\270"
    "lnE;" "\342\211\250"
    "rmoustache;" "\342\216\261"
    "LeftRightVector;" "\342\245\216"
    "digamma;" "\317\235"
    "subseteq;" "\342\212\206"
    "bcy;" "\320\261"
    "Ocirc;" "\303\224"
    "minusb;" "\342\212\237"
    "DoubleUpArrow;" "\342\207\221"
    "ldquor;" "\342\200\236"
    "mid;" "\342\210\243"
    "NotNestedLessLess;" "\342\252\241\314\270"
    "dotminus;" "\342\210\270"
    "esdot;" "\342\211\220"
    "fpartint;" "\342\250\215"
    "supset;" "\342\212\203"
    "copf;" "\360\235\225\224"
    "glj;" "\342\252\244"
    "searrow;" "\342\206\230"
    "lrhard;" "\342\245\255"
    "succeq;" "\342\252\260"
    "icirc" "\303\256"
    "Dstrok;" "\304\220"
    "Coproduct;" "\342\210\220"
    "rarrw;" "\342\206\235"
    "NotLeftTriangleBar;" "\342\247\217\314\270"
    "circledR;" "\302\256"
    "pound;" "\302\243"
    "sbquo;" "\342\200\232"
    "LeftRightArrow;" "\342\206\224"
    "lesdotor;" "\342\252\203"
    "half;" "\302\275"
    "Implies;" "\342\207\222"
    "Kcy;" "\320\232"
    "supsim;" "\342\253\210"
    "mapstoleft;" "\342\206\244"
    "ctdot;" "\342\213\257"
    "deg;" "\302\260"
    "Lopf;" "\360\235\225\203"
    "nparsl;" "\342\253\275\342\203\245"
    "larrb;" "\342\207\244"
    "cylcty;" "\342\214\255"
    "downdownarrows;" "\342\207\212"
    "Ifr;" "\342\204\221"
    "eDot;" "\342\211\221"
    "Vcy;" "\320\222"
    "rhov;" "\317\261"
    "barwed;" "\342\214\205"
    "Wfr;" "\360\235\224\232"
    "natural;" "\342\231\256"
    "nge;" "\342\211\261"
    "LeftUpDownVector;" "\342\245\221"
    "ShortDownArrow;" "\342\206\223"
    "NotTildeFullEqual;" "\342\211\207"
    "Sopf;" "\360\235\225\212"
    "frac35;" "\342\205\227"
    "RuleDelayed;" "\342\247\264"
    "beta;" "\316\262"
    "frac14;" "\302\274"
    "isindot;" "\342\213\265"
    "lacute;" "\304\272"
    "imped;" "\306\265"
    "lozenge;" "\342\227\212"
    "Udblac;" "\305\260"
    "Cayleys;" "\342\204\255"
    "Zcy;" "\320\227"
    "ssetmn;" "\342\210\226"
    "circeq;" "\342\211\227"
    "ograve" "\303\262"
    "simlE;" "\342\252\237"
    "ogt;" "\342\247\201"
    "squarf;" "\342\226\252"
    "coprod;" "\342\210\220"
    "Gcirc;" "\304\234"
    "boxVr;" "\342\225\237"
    "upsih;" "\317\222"
    "scnE;" "\342\252\266"
    "igrave;" "\303\254"
    "RightTriangle;" "\342\212\263"
    "supmult;" "\342\253\202"
    "suphsol;" "\342\237\211"
    "colon;" "\072"
    "Hcirc;" "\304\244"
    "ntgl;" "\342\211\271"
    "simeq;" "\342\211\203"
    "uuarr;" "\342\207\210"
    "macr;" "\302\257"
    "subsim;" "\342\253\207"
    "GreaterGreater;" "\342\252\242"
    "ZeroWidthSpace;" "\342\200\213"
    "DoubleLeftRightArrow;" "\342\207\224"
    "nsime;" "\342\211\204"
    "sup;" "\342\212\203"
    "Ncaron;" "\305\207"
    "nsqsupe;" "\342\213\243"
    "acute" "\302\264"
    "cuesc;" "\342\213\237"
    "bigwedge;" "\342\213\200"
    "eplus;" "\342\251\261"
    "sol;" "\057"
    "rightsquigarrow;" "\342\206\235"
    "profline;" "\342\214\222"
    "asymp;" "\342\211\210"
    "backsim;" "\342\210\275"
    "rbarr;" "\342\244\215"
    "LeftArrowRightArrow;" "\342\207\206"
    "clubs;" "\342\231\243"
    "NotSucceedsSlantEqual;" "\342\213\241"
    "precnsim;" "\342\213\250"
    "OpenCurlyQuote;" "\342\200\230"
    "PlusMinus;" "\302\261"
    "TildeEqual;" "\342\211\203"
    "npar;" "\342\210\246"
    "Tstrok;" "\305\246"
    "esim;" "\342\211\202"
    "iiota;" "\342\204\251"
    "int;" "\342\210\253"
    "iota;" "\316\271"
    "bigcap;" "\342\213\202"
    "notinva;" "\342\210\211"
    "rx;" "\342\204\236"
    "simgE;" "\342\252\240"
    "timesb;" "\342\212\240"
    "LessEqualGreater;" "\342\213\232"
    "nlE;" "\342\211\246\314\270"
    "rangd;" "\342\246\222"
    "ufr;" "\360\235\224\262"
    "tfr;" "\360\235\224\261"
    "angmsdaf;" "\342\246\255"
    "RightCeiling;" "\342\214\211"
    "ccirc;" "\304\211"
    "Rho;" "\316\241"
    "RightUpVector;" "\342\206\276"
    "lsim;" "\342\211\262"
    "omid;" "\342\246\266"
    "Eta;" "\316\227"
    "nearrow;" "\342\206\227"
    "emptyv;" "\342\210\205"
    "rsaquo;" "\342\200\272"
    "Omicron;" "\316\237"
    "odot;" "\342\212\231"
    "cwconint;" "\342\210\262"
    "intprod;" "\342\250\274"
    "cuepr;" "\342\213\236"
    "udhar;" "\342\245\256"
    "Xopf;" "\360\235\225\217"
    "dHar;" "\342\245\245"
    "LeftFloor;" "\342\214\212"
    "gap;" "\342\252\206"
    "uogon;" "\305\263"
    "wedbar;" "\342\251\237"
    "loz;" "\342\227\212"
    "boxVh;" "\342\225\253"
    "swarr;" "\342\206\231"
    "sup3;" "\302\263"
    "mopf;" "\360\235\225\236"
    "gtcc;" "\342\252\247"
    "Barwed;" "\342\214\206"
    "nearhk;" "\342\244\244"
    "demptyv;" "\342\246\261"
    "Lacute;" "\304\271"
    "lt" "\074"
    "SucceedsEqual;" "\342\252\260"
    "latail;" "\342\244\231"
    "siml;" "\342\252\235"
    "SucceedsSlantEqual;" "\342\211\275"
    "sqcap;" "\342\212\223"
    "Euml;" "\303\213"
    "Lambda;" "\316\233"
    "LeftVector;" "\342\206\274"
    "cupbrcap;" "\342\251\210"
    "scE;" "\342\252\264"
    "andd;" "\342\251\234"
    "mnplus;" "\342\210\223"
    "plusacir;" "\342\250\243"
    "neArr;" "\342\207\227"
    "varrho;" "\317\261"
    "icirc;" "\303\256"
    "ccupssm;" "\342\251\220"
    "lotimes;" "\342\250\264"
    "blk34;" "\342\226\223"
    "lbrace;" "\173"
    "nacute;" "\305\204"
    "lbarr;" "\342\244\214"
    "rationals;" "\342\204\232"
    "lsquo;" "\342\200\230"
    "rceil;" "\342\214\211"
    "sstarf;" "\342\213\206"
    "Bumpeq;" "\342\211\216"
    "sup3" "\302\263"
    "gescc;" "\342\252\251"
    "simg;" "\342\252\236"
    "kfr;" "\360\235\224\250"
    "jfr;" "\360\235\224\247"
    "Ecirc;" "\303\212"
    "UpperLeftArrow;" "\342\206\226"
    "vDash;" "\342\212\250"
    "InvisibleComma;" "\342\201\243"
    "jscr;" "\360\235\222\277"
    "TRADE;" "\342\204\242"
    "oint;" "\342\210\256"
    "rdsh;" "\342\206\263"
    "para" "\302\266"
    "midast;" "\052"
    "sqsupseteq;" "\342\212\222"
    "iiint;" "\342\210\255"
    "percnt;" "\045"
    "larrhk;" "\342\206\251"
    "xsqcup;" "\342\250\206"
    "square;" "\342\226\241"
    "ge;" "\342\211\245"
    "Hfr;" "\342\204\214"
    "NotCupCap;" "\342\211\255"
    "frac38;" "\342\205\234"
    "nlarr;" "\342\206\232"
    "Ecy;" "\320\255"
    "wcirc;" "\305\265"
    "caron;" "\313\207"
    "nesim;" "\342\211\202\314\270"
    "nisd;" "\342\213\272"
    "vBarv;" "\342\253\251"
    "gtrdot;" "\342\213\227"
    "khcy;" "\321\205"
    "Zdot;" "\305\273"
    "plusmn;" "\302\261"
    "lfisht;" "\342\245\274"
    "frac34" "\302\276"
    "rang;" "\342\237\251"
    "Wedge;" "\342\213\200"
    "Tcy;" "\320\242"
    "Intersection;" "\342\213\202"
    "wp;" "\342\204\230"
    "supedot;" "\342\253\204"
    "otilde;" "\303\265"
    "Oopf;" "\360\235\225\206"
    "Itilde;" "\304\250"
    "reg" "\302\256"
    "Topf;" "\360\235\225\213"
    "ugrave;" "\303\271"
    "emsp14;" "\342\200\205"
    "sharp;" "\342\231\257"
    "die;" "\302\250"
    "notni;" "\342\210\214"
    "boxVR;" "\342\225\240"
    "olt;" "\342\247\200"
    "nlt;" "\342\211\256"
    "Cfr;" "\342\204\255"
    "acirc;" "\303\242"
    "bigoplus;" "\342\250\201"
    "bscr;" "\360\235\222\267"
    "harrcir;" "\342\245\210"
    "frac12;" "\302\275"
    "Icy;" "\320\230"
    "Vfr;" "\360\235\224\231"
    "Rang;" "\342\237\253"
    "sdote;" "\342\251\246"
    "MediumSpace;" "\342\201\237"
    "rcedil;" "\305\227"
    "leftarrowtail;" "\342\206\242"
    "Backslash;" "\342\210\226"
    "Iscr;" "\342\204\220"
    "NotSubsetEqual;" "\342\212\210"
    "nleftrightarrow;" "\342\206\256"
    "ngtr;" "\342\211\257"
    "acute;" "\302\264"
    "amacr;" "\304\201"
    "xuplus;" "\342\250\204"
    "sqsubseteq;" "\342\212\221"
    "Zeta;" "\316\226"
    "leftrightarrow;" "\342\206\224"
    "ratio;" "\342\210\266"
    "vBar;" "\342\253\250"
    "yuml;" "\303\277"
    "Mellintrf;" "\342\204\263"
    "elsdot;" "\342\252\227"
    "rarrc;" "\342\244\263"
    "auml;" "\303\244"
    "racute;" "\305\225"
    "bdquo;" "\342\200\236"
    "apE;" "\342\251\260"
    "nvge;" "\342\211\245\342\203\222"
    "HARDcy;" "\320\252"
    "NestedLessLess;" "\342\211\252"
    "nGtv;" "\342\211\253\314\270"
    "brvbar;" "\302\246"
    "ClockwiseContourIntegral;" "\342\210\262"
    "Umacr;" "\305\252"
    "gtrless;" "\342\211\267"
    "lesges;" "\342\252\223"
    "Aacute;" "\303\201"
    "yopf;" "\360\235\225\252"
    "OpenCurlyDoubleQuote;" "\342\200\234"
    "eacute" "\303\251"
    "varepsilon;" "\317\265"
    "AMP;" "\046"
    "ldsh;" "\342\206\262"
    "circleddash;" "\342\212\235"
    "lnapprox;" "\342\252\211"
    "searr;" "\342\206\230"
    "LessSlantEqual;" "\342\251\275"
    "Ascr;" "\360\235\222\234"
    "rotimes;" "\342\250\265"
    "rsquo;" "\342\200\231"
    "nexist;" "\342\210\204"
    "Ncy;" "\320\235"
    "par;" "\342\210\245"
    "thorn" "\303\276"
    "supdot;" "\342\252\276"
    "njcy;" "\321\232"
    "lparlt;" "\342\246\223"
    "fjlig;" "\146\152"
    "EmptySmallSquare;" "\342\227\273"
    "LessTilde;" "\342\211\262"
    "boxUr;" "\342\225\231"
    "Iacute" "\303\215"
    "asympeq;" "\342\211\215"
    "nsupE;" "\342\253\206\314\270"
    "prurel;" "\342\212\260"
    "zwnj;" "\342\200\214"
    "Kappa;" "\316\232"
    "dblac;" "\313\235"
    "DownLeftVector;" "\342\206\275"
    "ntrianglelefteq;" "\342\213\254"
    "lesdoto;" "\342\252\201"
    "leqq;" "\342\211\246"
    "emacr;" "\304\223"
    "parallel;" "\342\210\245"
    "PrecedesSlantEqual;" "\342\211\274"
    "Superset;" "\342\212\203"
    "boxDl;" "\342\225\226"
    "kopf;" "\360\235\225\234"
    "Rcy;" "\320\240"
    "semi;" "\073"
    "gesl;" "\342\213\233\357\270\200"
    "LT;" "\074"
    "Lstrok;" "\305\201"
    "nsqsube;" "\342\213\242"
    "succneqq;" "\342\252\266"
    "RightTee;" "\342\212\242"
    "fllig;" "\357\254\202"
    "boxVH;" "\342\225\254"
    "dbkarow;" "\342\244\217"
    "ucirc;" "\303\273"
    "mlcp;" "\342\253\233"
    "larrbfs;" "\342\244\237"
    "VerticalBar;" "\342\210\243"
    "nscr;" "\360\235\223\203"
    "Bernoullis;" "\342\204\254"
    "afr;" "\360\235\224\236"
    "lurdshar;" "\342\245\212"
    "ForAll;" "\342\210\200"
    "triangleleft;" "\342\227\203"
    "Jcirc;" "\304\264"
    "nges;" "\342\251\276\314\270"
    "rharul;" "\342\245\254"
    "nharr;" "\342\206\256"
    "blacktriangledown;" "\342\226\276"
    "Mfr;" "\360\235\224\220"
    "sce;" "\342\252\260"
    "trianglelefteq;" "\342\212\264"
    "profsurf;" "\342\214\223"
    "it;" "\342\201\242"
    "MinusPlus;" "\342\210\223"
    "ruluhar;" "\342\245\250"
    "elinters;" "\342\217\247"
    "Sum;" "\342\210\221"
    "nhpar;" "\342\253\262"
    "sub;" "\342\212\202"
    "Leftarrow;" "\342\207\220"
    "NotDoubleVerticalBar;" "\342\210\246"
    "tridot;" "\342\227\254"
    "xdtri;" "\342\226\275"
    "ltri;" "\342\227\203"
    "dashv;" "\342\212\243"
    "expectation;" "\342\204\260"
    "oror;" "\342\251\226"
    "Ecaron;" "\304\232"
    "acd;" "\342\210\277"
    "rarrhk;" "\342\206\252"
    "bsolb;" "\342\247\205"
    "Hscr;" "\342\204\213"
    "lsqb;" "\133"
    "NotPrecedesEqual;" "\342\252\257\314\270"
    "exist;" "\342\210\203"
    "uopf;" "\360\235\225\246"
    "fscr;" "\360\235\222\273"
    "urcorner;" "\342\214\235"
    "lneq;" "\342\252\207"
    "notnivc;" "\342\213\275"
    "Mscr;" "\342\204\263"
    "NotLessLess;" "\342\211\252\314\270"
    "eth;" "\303\260"
    "Theta;" "\316\230"
    "ocirc;" "\303\264"
    "shy;" "\302\255"
    "DD;" "\342\205\205"
    "Gg;" "\342\213\231"
    "frac12" "\302\275"
    "simne;" "\342\211\206"
    "COPY" "\302\251"
    "Proportional;" "\342\210\235"
    "gla;" "\342\252\245"
    "LongLeftArrow;" "\342\237\265"
    "ges;" "\342\251\276"
    "ntilde" "\303\261"
    "RightUpDownVector;" "\342\245\217"
    "toea;" "\342\244\250"
    "itilde;" "\304\251"
    "hslash;" "\342\204\217"
    "Kscr;" "\360\235\222\246"
    "GreaterEqualLess;" "\342\213\233"
    "dscy;" "\321\225"
    "supsub;" "\342\253\224"
    "napos;" "\305\211"
    "simrarr;" "\342\245\262"
    "ocirc" "\303\264"
    "gopf;" "\360\235\225\230"
    "rtimes;" "\342\213\212"
    "SupersetEqual;" "\342\212\207"
    "lowbar;" "\137"
    "NonBreakingSpace;" "\302\240"
    "iprod;" "\342\250\274"
    "succnsim;" "\342\213\251"
    "doublebarwedge;" "\342\214\206"
    "xmap;" "\342\237\274"
    "eqsim;" "\342\211\202"
    "Escr;" "\342\204\260"
    "precneqq;" "\342\252\265"
    "Idot;" "\304\260"
    "sc;" "\342\211\273"
    "Bopf;" "\360\235\224\271"
    "lcub;" "\173"
    "approxeq;" "\342\211\212"
    "scnap;" "\342\252\272"
    "Oslash;" "\303\230"
    "shchcy;" "\321\211"
    "nvlArr;" "\342\244\202"
    "Ocirc" "\303\224"
    "xharr;" "\342\237\267"
    "ltlarr;" "\342\245\266"
    "notindot;" "\342\213\265\314\270"
    "tprime;" "\342\200\264"
    "HilbertSpace;" "\342\204\213"
    "looparrowright;" "\342\206\254"
    "macr" "\302\257"
    "Cscr;" "\360\235\222\236"
    "upuparrows;" "\342\207\210"
    "weierp;" "\342\204\230"
    "rightarrow;" "\342\206\222"
    "AElig" "\303\206"
    "rlarr;" "\342\207\204"
    "cap;" "\342\210\251"
    "iscr;" "\360\235\222\276"
    "prop;" "\342\210\235"
    "SquareSupersetEqual;" "\342\212\222"
    "Wopf;" "\360\235\225\216"
    "middot" "\302\267"
    "blk12;" "\342\226\222"
    "colone;" "\342\211\224"
    "trie;" "\342\211\234"
    "vangrt;" "\342\246\234"
    "varsigma;" "\317\202"
    "bne;" "\075\342\203\245"
    "aacute;" "\303\241"
    "subseteqq;" "\342\253\205"
    "gcirc;" "\304\235"
    "nwarhk;" "\342\244\243"
    "leq;" "\342\211\244"
    "raquo;" "\302\273"
    "kjcy;" "\321\234"
    "nsubset;" "\342\212\202\342\203\222"
    "DScy;" "\320\205"
    "lbbrk;" "\342\235\262"
    "Bfr;" "\360\235\224\205"
    "ETH;" "\303\220"
    "TSHcy;" "\320\213"
    "wedgeq;" "\342\211\231"
    "oacute;" "\303\263"
    "Uring;" "\305\256"
    "ang;" "\342\210\240"
    "setminus;" "\342\210\226"
    "lHar;" "\342\245\242"
    "fltns;" "\342\226\261"
    "eng;" "\305\213"
    "angmsdah;" "\342\246\257"
    "breve;" "\313\230"
    "vltri;" "\342\212\262"
    "pm;" "\302\261"
    "upharpoonright;" "\342\206\276"
    "bepsi;" "\317\266"
    "ltdot;" "\342\213\226"
    "RightDoubleBracket;" "\342\237\247"
    "Larr;" "\342\206\236"
    "sigmaf;" "\317\202"
    "otimes;" "\342\212\227"
    "Tau;" "\316\244"
    "efDot;" "\342\211\222"
    "Alpha;" "\316\221"
    "ascr;" "\360\235\222\266"
    "boxDr;" "\342\225\223"
    "ic;" "\342\201\243"
    "eg;" "\342\252\232"
    "conint;" "\342\210\256"
    "nsupe;" "\342\212\211"
    "lharul;" "\342\245\252"
    "NotSupersetEqual;" "\342\212\211"
    "topbot;" "\342\214\266"
    "ThickSpace;" "\342\201\237\342\200\212"
    "angmsdac;" "\342\246\252"
    "Zscr;" "\360\235\222\265"
    "Lcy;" "\320\233"
    "raquo" "\302\273"
    "Lscr;" "\342\204\222"
    "Omacr;" "\305\214"
    "gbreve;" "\304\237"
    "oslash" "\303\270"
    "OverBracket;" "\342\216\264"
    "boxDL;" "\342\225\227"
    "Xi;" "\316\236"
    "Rsh;" "\342\206\261"
    "curlyvee;" "\342\213\216"
    "DownLeftTeeVector;" "\342\245\236"
    "sect;" "\302\247"
    "Rrightarrow;" "\342\207\233"
    "female;" "\342\231\200"
    "vartheta;" "\317\221"
    "Gammad;" "\317\234"
    "risingdotseq;" "\342\211\223"
    "doteq;" "\342\211\220"
    "Cup;" "\342\213\223"
    "brvbar" "\302\246"
    "Acy;" "\320\220"
    "rcub;" "\175"
    "qint;" "\342\250\214"
    "Uuml" "\303\234"
    "dwangle;" "\342\246\246"
    "prnE;" "\342\252\265"
    "prod;" "\342\210\217"
    "Darr;" "\342\206\241"
    "ograve;" "\303\262"
    "minusd;" "\342\210\270"
    "Rarr;" "\342\206\240"
    "ofr;" "\360\235\224\254"
    "nfr;" "\360\235\224\253"
    "congdot;" "\342\251\255"
    "Aring;" "\303\205"
    "frac78;" "\342\205\236"
    "Pcy;" "\320\237"
    "nvsim;" "\342\210\274\342\203\222"
    "because;" "\342\210\265"
    "LeftUpVector;" "\342\206\277"
    "zdot;" "\305\274"
    "Oscr;" "\360\235\222\252"
    "gtrapprox;" "\342\252\206"
    "heartsuit;" "\342\231\245"
    "solb;" "\342\247\204"
    "Rscr;" "\342\204\233"
    "zeta;" "\316\266"
    "sopf;" "\360\235\225\244"
    "Dscr;" "\360\235\222\237"
    "div;" "\303\267"
    "Lfr;" "\360\235\224\217"
    "realine;" "\342\204\233"
    "VerticalLine;" "\174"
    "sacute;" "\305\233"
    "Lleftarrow;" "\342\207\232"
    "circledast;" "\342\212\233"
    "hellip;" "\342\200\246"
    "bemptyv;" "\342\246\260"
    "nu;" "\316\275"
    "naturals;" "\342\204\225"
    "VDash;" "\342\212\253"
    "lsquor;" "\342\200\232"
    "measuredangle;" "\342\210\241"
    "LeftUpVectorBar;" "\342\245\230"
    "shcy;" "\321\210"
    "coloneq;" "\342\211\224"
    "ThinSpace;" "\342\200\211"
    "iukcy;" "\321\226"
    "euro;" "\342\202\254"
    "NotSquareSupersetEqual;" "\342\213\243"
    "cudarrr;" "\342\244\265"
    "Fcy;" "\320\244"
    "rarrbfs;" "\342\244\240"
    "supnE;" "\342\253\214"
    "xlarr;" "\342\237\265"
    "roplus;" "\342\250\256"
    "Hstrok;" "\304\246"
    "exponentiale;" "\342\205\207"
    "ldca;" "\342\244\266"
    "ecirc;" "\303\252"
    "ReverseUpEquilibrium;" "\342\245\257"
    "egs;" "\342\252\226"
    "yen;" "\302\245"
    "Oslash" "\303\230"
    "Gfr;" "\360\235\224\212"
    "xscr;" "\360\235\223\215"
    "DownArrow;" "\342\206\223"
    "Gscr;" "\360\235\222\242"
    "hArr;" "\342\207\224"
    "prcue;" "\342\211\274"
    "rsqb;" "\135"
    "UpDownArrow;" "\342\206\225"
    "ntriangleleft;" "\342\213\252"
    "top;" "\342\212\244"
    "reg;" "\302\256"
    "lvnE;" "\342\211\250\357\270\200"
    "mscr;" "\360\235\223\202"
    "uml" "\302\250"
    "NotLessSlantEqual;" "\342\251\275\314\270"
    "fnof;" "\306\222"
    "starf;" "\342\230\205"
    "Edot;" "\304\226"
    "niv;" "\342\210\213"
    "marker;" "\342\226\256"
    "gtrarr;" "\342\245\270"
    "complexes;" "\342\204\202"
    "CupCap;" "\342\211\215"
    "uArr;" "\342\207\221"
    "Upsi;" "\317\222"
    "bigtriangleup;" "\342\226\263"
    "Jcy;" "\320\231"
    "ohbar;" "\342\246\265"
    "aelig;" "\303\246"
    "rAtail;" "\342\244\234"
    "cacute;" "\304\207"
    "dtdot;" "\342\213\261"
    "target;" "\342\214\226"
    "ltrPar;" "\342\246\226"
    "nLtv;" "\342\211\252\314\270"
    "quot;" "\042"
    "cirfnint;" "\342\250\220"
    "plus;" "\053"
    "Mu;" "\316\234"
    "nrtri;" "\342\213\253"
    "lates;" "\342\252\255\357\270\200"
    "CirclePlus;" "\342\212\225"
    "infin;" "\342\210\236"
    "leftarrow;" "\342\206\220"
    "cularr;" "\342\206\266"
    "Hat;" "\136"
    "pscr;" "\360\235\223\205"
    "uplus;" "\342\212\216"
    "angzarr;" "\342\215\274"
    "notinE;" "\342\213\271\314\270"
    "sqsupset;" "\342\212\220"
    "Fouriertrf;" "\342\204\261"
    "Supset;" "\342\213\221"
    "nleftarrow;" "\342\206\232"
    "omega;" "\317\211"
    "UnderBar;" "\137"
    "imath;" "\304\261"
    "ZHcy;" "\320\226"
    "escr;" "\342\204\257"
    "ApplyFunction;" "\342\201\241"
    "angst;" "\303\205"
    "yfr;" "\360\235\224\266"
    "xfr;" "\360\235\224\265"
    "hearts;" "\342\231\245"
    "Equal;" "\342\251\265"
    "upsilon;" "\317\205"
    "not" "\302\254"
    "LJcy;" "\320\211"
    "Otilde;" "\303\225"
    "andv;" "\342\251\232"
    "seswar;" "\342\244\251"
    "yacute" "\303\275"
    "precapprox;" "\342\252\267"
    "boxul;" "\342\224\230"
    "epar;" "\342\213\225"
    "nwArr;" "\342\207\226"
    "angle;" "\342\210\240"
    "boxHd;" "\342\225\244"
    "cent;" "\302\242"
    "drcorn;" "\342\214\237"
    "apid;" "\342\211\213"
    "bkarow;" "\342\244\215"
    "Rcedil;" "\305\226"
    "SubsetEqual;" "\342\212\206"
    "succ;" "\342\211\273"
    "prnsim;" "\342\213\250"
    "Barv;" "\342\253\247"
    "boxminus;" "\342\212\237"
    "leftharpoondown;" "\342\206\275"
    "setmn;" "\342\210\226"
    "OverBar;" "\342\200\276"
    "rcaron;" "\305\231"
    "Dcaron;" "\304\216"
    "erDot;" "\342\211\223"
    "tosa;" "\342\244\251"
    "LessLess;" "\342\252\241"
    "cir;" "\342\227\213"
    "tshcy;" "\321\233"
    "bigodot;" "\342\250\200"
    "blacktriangleleft;" "\342\227\202"
    "gvnE;" "\342\211\251\357\270\200"
    "efr;" "\360\235\224\242"
    "nbsp;" "\302\240"
    "rmoust;" "\342\216\261"
    "dfr;" "\360\235\224\241"
    "Upsilon;" "\316\245"
    "Qfr;" "\360\235\224\224"
    "lrcorner;" "\342\214\237"
    "boxDR;" "\342\225\224"
    "ap;" "\342\211\210"
    "ltquest;" "\342\251\273"
    "sup1" "\302\271"
    "phiv;" "\317\225"
    "xoplus;" "\342\250\201"
    "Vscr;" "\360\235\222\261"
    "ffilig;" "\357\254\203"
    "mapsto;" "\342\206\246"
    "scpolint;" "\342\250\223"
    "oast;" "\342\212\233"
    "NotLessTilde;" "\342\211\264"
    "curlywedge;" "\342\213\217"
    "llarr;" "\342\207\207"
    "LowerLeftArrow;" "\342\206\231"
    "nRightarrow;" "\342\207\217"
    "DZcy;" "\320\217"
    "triangle;" "\342\226\265"
    "supsup;" "\342\253\226"
    "varsupsetneqq;" "\342\253\214\357\270\200"
    "DoubleLongLeftRightArrow;" "\342\237\272"
    "smte;" "\342\252\254"
    "triminus;" "\342\250\272"
    "comma;" "\054"
    "euml;" "\303\253"
    "eth" "\303\260"
    "hopf;" "\360\235\225\231"
    "hairsp;" "\342\200\212"
    "vdash;" "\342\212\242"
    "bullet;" "\342\200\242"
    "NotCongruent;" "\342\211\242"
    "larrfs;" "\342\244\235"
    "RightDownVectorBar;" "\342\245\225"
    "lArr;" "\342\207\220"
    "Ccaron;" "\304\214"
    "prnap;" "\342\252\271"
    "rarrsim;" "\342\245\264"
    "imagpart;" "\342\204\221"
    "lsimg;" "\342\252\217"
    "leftrightharpoons;" "\342\207\213"
    "lesseqgtr;" "\342\213\232"
    "sim;" "\342\210\274"
    "cent" "\302\242"
    "rpargt;" "\342\246\224"
    "lap;" "\342\252\205"
    "LeftDoubleBracket;" "\342\237\246"
    "lowast;" "\342\210\227"
    "rarr;" "\342\206\222"
    "Lt;" "\342\211\252"
    "backcong;" "\342\211\214"
    "nGt;" "\342\211\253\342\203\222"
    "Longleftrightarrow;" "\342\237\272"
    "nLl;" "\342\213\230\314\270"
    "uwangle;" "\342\246\247"
    "rightleftharpoons;" "\342\207\214"
    "DoubleVerticalBar;" "\342\210\245"
    "lopar;" "\342\246\205"
    "oopf;" "\360\235\225\240"
    "rBarr;" "\342\244\217"
    "Exists;" "\342\210\203"
    "tscr;" "\360\235\223\211"
    "utrif;" "\342\226\264"
    "simdot;" "\342\251\252"
    "models;" "\342\212\247"
    "gtlPar;" "\342\246\225"
    "supne;" "\342\212\213"
    "Jopf;" "\360\235\225\201"
    "dArr;" "\342\207\223"
    "nbump;" "\342\211\216\314\270"
    "deg" "\302\260"
    "compfn;" "\342\210\230"
    "rbrace;" "\175"
    "Zfr;" "\342\204\250"
    "LeftArrow;" "\342\206\220"
    "EqualTilde;" "\342\211\202"
    "lang;" "\342\237\250"
    "LessGreater;" "\342\211\266"
    "rtrie;" "\342\212\265"
    "Jukcy;" "\320\204"
    "Pi;" "\316\240"
    "NotGreaterGreater;" "\342\211\253\314\270"
    "ngeqslant;" "\342\251\276\314\270"
    "caps;" "\342\210\251\357\270\200"
    "notinvc;" "\342\213\266"
    "gel;" "\342\213\233"
    "roang;" "\342\237\255"
    "xodot;" "\342\250\200"
    "npre;" "\342\252\257\314\270"
    "Assign;" "\342\211\224"
    "boxHu;" "\342\225\247"
    "And;" "\342\251\223"
    "planckh;" "\342\204\216"
    "plussim;" "\342\250\246"
    "ENG;" "\305\212"
    "lessgtr;" "\342\211\266"
    "acE;" "\342\210\276\314\263"
    "veeeq;" "\342\211\232"
    "angmsdad;" "\342\246\253"
    "NotRightTriangleBar;" "\342\247\220\314\270"
    "nrarr;" "\342\206\233"
    "gammad;" "\317\235"
    "DownRightTeeVector;" "\342\245\237"
    "Dcy;" "\320\224"
    "cuvee;" "\342\213\216"
    "COPY;" "\302\251"
    "rightharpoonup;" "\342\207\200"
    "spadesuit;" "\342\231\240"
    "Delta;" "\316\224"
    "cularrp;" "\342\244\275"
    "amalg;" "\342\250\277"
    "map;" "\342\206\246"
    "awconint;" "\342\210\263"
    "olarr;" "\342\206\272"
    "PrecedesTilde;" "\342\211\276"
    "dopf;" "\360\235\225\225"
    "DoubleRightArrow;" "\342\207\222"
    "straightepsilon;" "\317\265"
    "rdca;" "\342\244\267"
    "block;" "\342\226\210"
    "KHcy;" "\320\245"
    "langle;" "\342\237\250"
    "supdsub;" "\342\253\230"
    "Ffr;" "\360\235\224\211"
    "ffllig;" "\357\254\204"
    "ulcorn;" "\342\214\234"
    "trisb;" "\342\247\215"
    "quot" "\042"
    "frac45;" "\342\205\230"
    "amp;" "\046"
    "iuml" "\303\257"
    "ccaron;" "\304\215"
    "sup1;" "\302\271"
    "langd;" "\342\246\221"
    "hookrightarrow;" "\342\206\252"
    "Ugrave" "\303\231"
    "iinfin;" "\342\247\234"
    "perp;" "\342\212\245"
    "Subset;" "\342\213\220"
    "longrightarrow;" "\342\237\266"
    "hkswarow;" "\342\244\246"
    "eqvparsl;" "\342\247\245"
    "abreve;" "\304\203"
    "circledS;" "\342\223\210"
    "GreaterFullEqual;" "\342\211\247"
    "eqslantless;" "\342\252\225"
    "pointint;" "\342\250\225"
    "iquest" "\302\277"
    "Uuml;" "\303\234"
    "lBarr;" "\342\244\216"
    "NotLess;" "\342\211\256"
    "DoubleLeftTee;" "\342\253\244"
    "DownTee;" "\342\212\244"
    "ordm" "\302\272"
    "multimap;" "\342\212\270"
    "ntriangleright;" "\342\213\253"
    "orslope;" "\342\251\227"
    "NotSucceedsEqual;" "\342\252\260\314\270"
    "nsucceq;" "\342\252\260\314\270"
    "prsim;" "\342\211\276"
    "boxHD;" "\342\225\246"
    "emptyset;" "\342\210\205"
    "cong;" "\342\211\205"
    "chcy;" "\321\207"
    "Eogon;" "\304\230"
    "npr;" "\342\212\200"
    "quest;" "\077"
    "rdquor;" "\342\200\235"
    "loang;" "\342\237\254"
    "ltimes;" "\342\213\211"
    "Succeeds;" "\342\211\273"
    "between;" "\342\211\254"
    "mumap;" "\342\212\270"
    "rpar;" "\051"
    "Fopf;" "\360\235\224\275"
    "rthree;" "\342\213\214"
    "duarr;" "\342\207\265"
    "frac34;" "\302\276"
    "sime;" "\342\211\203"
    "GreaterSlantEqual;" "\342\251\276"
    "lesdot;" "\342\251\277"
    "ncedil;" "\305\206"
    "lessapprox;" "\342\252\205"
    "Precedes;" "\342\211\272"
    "rarrb;" "\342\207\245"
    "lsh;" "\342\206\260"
    "pound" "\302\243"
    "Utilde;" "\305\250"
    "nldr;" "\342\200\245"
    "sfr;" "\360\235\224\260"
    "NegativeMediumSpace;" "\342\200\213"
    "equest;" "\342\211\237"
    "Igrave;" "\303\214"
    "leg;" "\342\213\232"
    "rfr;" "\360\235\224\257"
    "luruhar;" "\342\245\246"
    "lfloor;" "\342\214\212"
    "DotDot;" "\342\203\234"
    "egrave;" "\303\250"
    "barwedge;" "\342\214\205"
    "NotGreaterTilde;" "\342\211\265"
    "RightUpVectorBar;" "\342\245\224"
    "nvap;" "\342\211\215\342\203\222"
    "boxh;" "\342\224\200"
    "varr;" "\342\206\225"
    "not;" "\302\254"
    "vartriangleright;" "\342\212\263"
    "nis;" "\342\213\274"
    "boxvR;" "\342\225\236"
    "gtreqless;" "\342\213\233"
    "Oacute;" "\303\223"
    "rightthreetimes;" "\342\213\214"
    "Pfr;" "\360\235\224\223"
    "nsmid;" "\342\210\244"
    "lmoust;" "\342\216\260"
    "Bcy;" "\320\221"
    "ldrushar;" "\342\245\213"
    "nprec;" "\342\212\200"
    "Scedil;" "\305\236"
    "subsetneqq;" "\342\253\213"
    "laquo;" "\302\253"
    "NotGreaterEqual;" "\342\211\261"
    "phi;" "\317\206"
    "ulcorner;" "\342\214\234"
    "Proportion;" "\342\210\267"
    "gne;" "\342\252\210"
    "ljcy;" "\321\231"
    "timesbar;" "\342\250\261"
    "bigvee;" "\342\213\201"
    "NotExists;" "\342\210\204"
    "spades;" "\342\231\240"
    "DiacriticalDot;" "\313\231"
    "smile;" "\342\214\243"
    "excl;" "\041"
    "supseteqq;" "\342\253\206"
    "cups;" "\342\210\252\357\270\200"
    "orv;" "\342\251\233"
    "capand;" "\342\251\204"
    "NotLessEqual;" "\342\211\260"
    "ubrcy;" "\321\236"
    "diam;" "\342\213\204"
    "dstrok;" "\304\221"
    "edot;" "\304\227"
    "quatint;" "\342\250\226"
    "dcaron;" "\304\217"
    "LeftCeiling;" "\342\214\210"
    "nrightarrow;" "\342\206\233"
    "tilde;" "\313\234"
    "kscr;" "\360\235\223\200"
    "ucy;" "\321\203"
    "jukcy;" "\321\224"
    "smallsetminus;" "\342\210\226"
    "Imacr;" "\304\252"
    "Ouml" "\303\226"
    "lrarr;" "\342\207\206"
    "NotSuperset;" "\342\212\203\342\203\222"
    "Gt;" "\342\211\253"
    "popf;" "\360\235\225\241"
    "nap;" "\342\211\211"
    "Cedilla;" "\302\270"
    "gvertneqq;" "\342\211\251\357\270\200"
    "jmath;" "\310\267"
    "cwint;" "\342\210\261"
    "range;" "\342\246\245"
    "rAarr;" "\342\207\233"
    "rfloor;" "\342\214\213"
    "circlearrowleft;" "\342\206\272"
    "minusdu;" "\342\250\252"
    "apos;" "\047"
    "NotPrecedes;" "\342\212\200"
    "ohm;" "\316\251"
    "sigma;" "\317\203"
    "Igrave" "\303\214"
    "ldrdhar;" "\342\245\247"
    "Chi;" "\316\247"
    "dlcorn;" "\342\214\236"
    "infintie;" "\342\247\235"
    "scedil;" "\305\237"
    "nprcue;" "\342\213\240"
    "RightTriangleEqual;" "\342\212\265"
    "ssmile;" "\342\214\243"
    "trpezium;" "\342\217\242"
    "NotLeftTriangleEqual;" "\342\213\254"
    "or;" "\342\210\250"
    "numero;" "\342\204\226"
    "angmsd;" "\342\210\241"
    "bigcirc;" "\342\227\257"
    "dzcy;" "\321\237"
    "drbkarow;" "\342\244\220"
    "bigsqcup;" "\342\250\206"
    "ycy;" "\321\213"
    "csub;" "\342\253\217"
    "disin;" "\342\213\262"
    "lagran;" "\342\204\222"
    "leftrightarrows;" "\342\207\206"
    "RightArrow;" "\342\206\222"
    "sdotb;" "\342\212\241"
    "Aopf;" "\360\235\224\270"
    "doteqdot;" "\342\211\221"
    "mstpos;" "\342\210\276"
    "Sacute;" "\305\232"
    "ocy;" "\320\276"
    "rarrlp;" "\342\206\254"
    "bNot;" "\342\253\255"
    "cscr;" "\360\235\222\270"
    "daleth;" "\342\204\270"
    "DoubleLongRightArrow;" "\342\237\271"
    "aleph;" "\342\204\265"
    "curlyeqsucc;" "\342\213\237"
    "cupcup;" "\342\251\212"
    "ofcir;" "\342\246\277"
    "boxvH;" "\342\225\252"
    "divideontimes;" "\342\213\207"
    "iecy;" "\320\265"
    "urcorn;" "\342\214\235"
    "wopf;" "\360\235\225\250"
    "bopf;" "\360\235\225\223"
    "Sup;" "\342\213\221"
    "QUOT" "\042"
    "euml" "\303\253"
    "nsub;" "\342\212\204"
    "supplus;" "\342\253\200"
    "NegativeThinSpace;" "\342\200\213"
    "Aacute" "\303\201"
    "rangle;" "\342\237\251"
    "triangleright;" "\342\226\271"
    "Im;" "\342\204\221"
    "Ropf;" "\342\204\235"
    "lobrk;" "\342\237\246"
    "otilde" "\303\265"
    "NotNestedGreaterGreater;" "\342\252\242\314\270"
    "CloseCurlyDoubleQuote;" "\342\200\235"
    "Nacute;" "\305\203"
    "barvee;" "\342\212\275"
    "cedil" "\302\270"
    "notin;" "\342\210\211"
    "varkappa;" "\317\260"
    "hyphen;" "\342\200\220"
    "larrtl;" "\342\206\242"
    "scy;" "\321\201"
    "Uacute" "\303\232"
    "nvrArr;" "\342\244\203"
    "supseteq;" "\342\212\207"
    "el;" "\342\252\231"
    "ast;" "\052"
    "zcaron;" "\305\276"
    "boxur;" "\342\224\224"
    "Lcaron;" "\304\275"
    "ncup;" "\342\251\202"
    "Int;" "\342\210\254"
    "blk14;" "\342\226\221"
    "larrpl;" "\342\244\271"
    "smeparsl;" "\342\247\244"
    "copysr;" "\342\204\227"
    "nsubE;" "\342\253\205\314\270"
    "intcal;" "\342\212\272"
    "iocy;" "\321\221"
    "jsercy;" "\321\230"
    "period;" "\056"
    "nsucc;" "\342\212\201"
    "tstrok;" "\305\247"
    "Cacute;" "\304\206"
    "yacy;" "\321\217"
    "hamilt;" "\342\204\213"
    "capdot;" "\342\251\200"
    "Ufr;" "\360\235\224\230"
    "subedot;" "\342\253\203"
    "boxVl;" "\342\225\242"
    "kgreen;" "\304\270"
    "LeftTriangleEqual;" "\342\212\264"
    "eogon;" "\304\231"
    "nabla;" "\342\210\207"
    "quaternions;" "\342\204\215"
    "lthree;" "\342\213\213"
    "utilde;" "\305\251"
    "szlig;" "\303\237"
    "zeetrf;" "\342\204\250"
    "nang;" "\342\210\240\342\203\222"
    "slarr;" "\342\206\220"
    "utdot;" "\342\213\260"
    "twixt;" "\342\211\254"
    "Ugrave;" "\303\231"
    "boxv;" "\342\224\202"
    "Dot;" "\302\250"
    "Atilde" "\303\203"
    "kappav;" "\317\260"
    "KJcy;" "\320\214"
    "subplus;" "\342\252\277"
    "UpArrowBar;" "\342\244\222"
    "hbar;" "\342\204\217"
    "Ccedil;" "\303\207"
    "nbsp" "\302\240"
    "hybull;" "\342\201\203"
    "dagger;" "\342\200\240"
    "utri;" "\342\226\265"
    "UnderBracket;" "\342\216\265"
    "NotSucceeds;" "\342\212\201"
    "zscr;" "\360\235\223\217"
    "updownarrow;" "\342\206\225"
    "boxplus;" "\342\212\236"
    "boxuL;" "\342\225\233"
    "csupe;" "\342\253\222"
    "trade;" "\342\204\242"
    "ominus;" "\342\212\226"
    "boxH;" "\342\225\220"
    "apacir;" "\342\251\257"
    "Equilibrium;" "\342\207\214"
    "filig;" "\357\254\201"
    "oscr;" "\342\204\264"
    "approx;" "\342\211\210"
    "opar;" "\342\246\267"
    "imagline;" "\342\204\220"
    "boxvr;" "\342\224\234"
    "geq;" "\342\211\245"
    "hksearow;" "\342\244\245"
    "homtht;" "\342\210\273"
    "CircleTimes;" "\342\212\227"
    "sung;" "\342\231\252"
    "SmallCircle;" "\342\210\230"
    "isinsv;" "\342\213\263"
    "checkmark;" "\342\234\223"
    "Racute;" "\305\224"
    "ropar;" "\342\246\206"
    "Sqrt;" "\342\210\232"
    "NotGreaterLess;" "\342\211\271"
    "shortmid;" "\342\210\243"
    "eta;" "\316\267"
    "af;" "\342\201\241"
    "DiacriticalDoubleAcute;" "\313\235"
    "THORN" "\303\236"
    "Aogon;" "\304\204"
    "harrw;" "\342\206\255"
    "simplus;" "\342\250\244"
    "bigstar;" "\342\230\205"
    "shortparallel;" "\342\210\245"
    "softcy;" "\321\214"
    "DownArrowBar;" "\342\244\223"
    "auml" "\303\244"
    "AElig;" "\303\206"
    "rscr;" "\360\235\223\207"
    "ddarr;" "\342\207\212"
    "frac23;" "\342\205\224"
    "centerdot;" "\302\267"
    "Integral;" "\342\210\253"
    "squf;" "\342\226\252"
    "Kfr;" "\360\235\224\216"
    "iexcl" "\302\241"
    "order;" "\342\204\264"
    "odblac;" "\305\221"
    "nrtrie;" "\342\213\255"
    "andand;" "\342\251\225"
    "gscr;" "\342\204\212"
    "Yscr;" "\360\235\222\264"
    "bcong;" "\342\211\214"
    "isinE;" "\342\213\271"
    "prime;" "\342\200\262"
    "ddagger;" "\342\200\241"
    "lessdot;" "\342\213\226"
    "preccurlyeq;" "\342\211\274"
    "xotime;" "\342\250\202"
    "ccedil;" "\303\247"
    "sect" "\302\247"
    "varnothing;" "\342\210\205"
    "nlArr;" "\342\207\215"
    "ncongdot;" "\342\251\255\314\270"
    "micro" "\302\265"
    "Element;" "\342\210\210"
    "psi;" "\317\210"
    "DoubleRightTee;" "\342\212\250"
    "InvisibleTimes;" "\342\201\242"
    "sccue;" "\342\211\275"
    "GT;" "\076"
    "rbrack;" "\135"
    "questeq;" "\342\211\237"
    "epsi;" "\316\265"
    "RightArrowBar;" "\342\207\245"
    "Ll;" "\342\213\230"
    "RBarr;" "\342\244\220"
    "les;" "\342\251\275"
    "ecir;" "\342\211\226"
    "le;" "\342\211\244"
    "gtreqqless;" "\342\252\214"
    "hoarr;" "\342\207\277"
    "NotGreaterFullEqual;" "\342\211\247\314\270"
    "DoubleContourIntegral;" "\342\210\257"
    "cupdot;" "\342\212\215"
    "mapstoup;" "\342\206\245"
    "REG" "\302\256"
    "Iuml;" "\303\217"
    "mDDot;" "\342\210\272"
    "lopf;" "\360\235\225\235"
    "xrarr;" "\342\237\266"
    "ldquo;" "\342\200\234"
    "preceq;" "\342\252\257"
    "gsim;" "\342\211\263"
    "Re;" "\342\204\234"
    "complement;" "\342\210\201"
    "topfork;" "\342\253\232"
    "Qscr;" "\360\235\222\254"
    "NotRightTriangle;" "\342\213\253"
    "bprime;" "\342\200\265"
    "UpArrowDownArrow;" "\342\207\205"
    "boxdL;" "\342\225\225"
    "upsi;" "\317\205"
    "blank;" "\342\220\243"
    "cupcap;" "\342\251\206"
    "Otimes;" "\342\250\267"
    "nwnear;" "\342\244\247"
    "SHcy;" "\320\250"
    "rtriltri;" "\342\247\216"
    "trianglerighteq;" "\342\212\265"
    "bsol;" "\134"
    "bigtriangledown;" "\342\226\275"
    "geqq;" "\342\211\247"
    "thksim;" "\342\210\274"
    "DownLeftRightVector;" "\342\245\220"
    "xvee;" "\342\213\201"
    "boxvh;" "\342\224\274"
    "nsubseteqq;" "\342\253\205\314\270"
    "cupor;" "\342\251\205"
    "iacute" "\303\255"
    "andslope;" "\342\251\230"
    "lneqq;" "\342\211\250"
    "LeftUpTeeVector;" "\342\245\240"
    "Gcedil;" "\304\242"
    "nsim;" "\342\211\201"
    "Therefore;" "\342\210\264"
    "CloseCurlyQuote;" "\342\200\231"
    "DoubleLongLeftArrow;" "\342\237\270"
    "angmsdaa;" "\342\246\250"
    "Gbreve;" "\304\236"
    "oslash;" "\303\270"
    "gamma;" "\316\263"
    "ShortUpArrow;" "\342\206\221"
    "ubreve;" "\305\255"
    "ecolon;" "\342\211\225"
    "pitchfork;" "\342\213\224"
    "LeftDownVectorBar;" "\342\245\231"
    "agrave;" "\303\240"
    "ReverseElement;" "\342\210\213"
    "RightTeeVector;" "\342\245\233"
    "swarrow;" "\342\206\231"
    "ncap;" "\342\251\203"
    "copy;" "\302\251"
    "nexists;" "\342\210\204"
    "gesdoto;" "\342\252\202"
    "oline;" "\342\200\276"
    "RightVector;" "\342\207\200"
    "intercal;" "\342\212\272"
    "DownLeftVectorBar;" "\342\245\226"
    "Nopf;" "\342\204\225"
    "Star;" "\342\213\206"
    "Uarr;" "\342\206\237"
    "subnE;" "\342\253\213"
    "boxHU;" "\342\225\251"
    "LeftTeeArrow;" "\342\206\244"
    "dharr;" "\342\207\202"
    "otimesas;" "\342\250\266"
    "lAtail;" "\342\244\233"
    "Vert;" "\342\200\226"
    "nltrie;" "\342\213\254"
    "loarr;" "\342\207\275"
    "CapitalDifferentialD;" "\342\205\205"
    "ngeqq;" "\342\211\247\314\270"
    "Yacute;" "\303\235"
    "ifr;" "\360\235\224\246"
    "nsube;" "\342\212\210"
    "parsl;" "\342\253\275"
    "hfr;" "\360\235\224\245"
    "eqcirc;" "\342\211\226"
    "vcy;" "\320\262"
    "lozf;" "\342\247\253"
    "subrarr;" "\342\245\271"
    "ugrave" "\303\271"
    "fallingdotseq;" "\342\211\222"
    "isin;" "\342\210\210"
    "LongRightArrow;" "\342\237\266"
    "wfr;" "\360\235\224\264"
    "vfr;" "\360\235\224\263"
    "urtri;" "\342\227\271"
    "tcedil;" "\305\243"
    "mcy;" "\320\274"
    "uHar;" "\342\245\243"
    "Vdash;" "\342\212\251"
    "nsccue;" "\342\213\241"
    "Ntilde" "\303\221"
    "gnap;" "\342\252\212"
    "boxVL;" "\342\225\243"
    "eqcolon;" "\342\211\225"
    "tritime;" "\342\250\273"
    "bumpeq;" "\342\211\217"
    "dash;" "\342\200\220"
    "gjcy;" "\321\223"
    "Pr;" "\342\252\273"
    "SquareSubsetEqual;" "\342\212\221"
    "Uacute;" "\303\232"
    "rarrpl;" "\342\245\205"
    "ltcir;" "\342\251\271"
    "Tfr;" "\360\235\224\227"
    "veebar;" "\342\212\273"
    "Laplacetrf;" "\342\204\222"
    "Xscr;" "\360\235\222\263"
    "ultri;" "\342\227\270"
    "numsp;" "\342\200\207"
    "mapstodown;" "\342\206\247"
    "zcy;" "\320\267"
    "Egrave" "\303\210"
    "boxV;" "\342\225\221"
    "gnapprox;" "\342\252\212"
    "OverParenthesis;" "\342\217\234"
    "rarrtl;" "\342\206\243"
    "sdot;" "\342\213\205"
    "vscr;" "\360\235\223\213"
    "zacute;" "\305\272"
    "oacute" "\303\263"
    "origof;" "\342\212\266"
    "nvltrie;" "\342\212\264\342\203\222"
    "plusb;" "\342\212\236"
    "precsim;" "\342\211\276"
    "lbrkslu;" "\342\246\215"
    "Vbar;" "\342\253\253"
    "nshortmid;" "\342\210\244"
    "DDotrahd;" "\342\244\221"
    "rlhar;" "\342\207\214"
    "mp;" "\342\210\223"
    "NotSubset;" "\342\212\202\342\203\222"
    "Afr;" "\360\235\224\204"
    "Ccedil" "\303\207"
    "gcy;" "\320\263"
    "Tcedil;" "\305\242"
    "forkv;" "\342\253\231"
    "rightleftarrows;" "\342\207\204"
    "Iacute;" "\303\215"
    "blacklozenge;" "\342\247\253"
    "DoubleUpDownArrow;" "\342\207\225"
    "lstrok;" "\305\202"
    "NJcy;" "\320\212"
    "lcaron;" "\304\276"
    "horbar;" "\342\200\225"
    "nsc;" "\342\212\201"
    "nvHarr;" "\342\244\204"
    "nhArr;" "\342\207\216"
    "nleqslant;" "\342\251\275\314\270"
    "eDDot;" "\342\251\267"
    "para;" "\302\266"
    "Tcaron;" "\305\244"
    "DJcy;" "\320\202"
    "vsubnE;" "\342\253\213\357\270\200"
    "vee;" "\342\210\250"
    "laemptyv;" "\342\246\264"
    "LongLeftRightArrow;" "\342\237\267"
    "duhar;" "\342\245\257"
    "gimel;" "\342\204\267"
    "ShortLeftArrow;" "\342\206\220"
    "larrlp;" "\342\206\253"
    "NotLeftTriangle;" "\342\213\252"
    "tscy;" "\321\206"
    "GreaterLess;" "\342\211\267"
    "ngsim;" "\342\211\265"
    "Sub;" "\342\213\220"
    "LT" "\074"
    "Colone;" "\342\251\264"
    "hercon;" "\342\212\271"
    "downharpoonright;" "\342\207\202"
    "Pscr;" "\360\235\222\253"
    "yucy;" "\321\216"
    "Ncedil;" "\305\205"
    "xopf;" "\360\235\225\251"
    "iff;" "\342\207\224"
    "aogon;" "\304\205"
    "Eacute;" "\303\211"
    "NotTilde;" "\342\211\201"
    "yen" "\302\245"
    "gneqq;" "\342\211\251"
    "grave;" "\140"
    "nles;" "\342\251\275\314\270"
    "kcy;" "\320\272"
    "backepsilon;" "\317\266"
    "Ouml;" "\303\226"
    "CircleDot;" "\342\212\231"
    "Sc;" "\342\252\274"
    "sext;" "\342\234\266"
    "gesles;" "\342\252\224"
    "triangleq;" "\342\211\234"
    "Acirc" "\303\202"
    "Uscr;" "\360\235\222\260"
    "wedge;" "\342\210\247"
    "angrtvb;" "\342\212\276"
    "integers;" "\342\204\244"
    "operp;" "\342\246\271"
    "pluse;" "\342\251\262"
    "circlearrowright;" "\342\206\273"
    "Amacr;" "\304\200"
    "plankv;" "\342\204\217"
    "realpart;" "\342\204\234"
    "nleqq;" "\342\211\246\314\270"
    "precnapprox;" "\342\252\271"
    "olcir;" "\342\246\276"
    "diams;" "\342\231\246"
    "phmmat;" "\342\204\263"
    "frac15;" "\342\205\225"
    "Iopf;" "\360\235\225\200"
    "NoBreak;" "\342\201\240"
    "triangledown;" "\342\226\277"
    "gesdot;" "\342\252\200"
    "hookleftarrow;" "\342\206\251"
    "Del;" "\342\210\207"
    "lmoustache;" "\342\216\260"
    "UpTee;" "\342\212\245"
    "yicy;" "\321\227"
    "geqslant;" "\342\251\276"
    "Sscr;" "\360\235\222\256"
    "nearr;" "\342\206\227"
    "lnap;" "\342\252\211"
    "rho;" "\317\201"
    "llhard;" "\342\245\253"
    "plustwo;" "\342\250\247"
    "mldr;" "\342\200\246"
    "yscr;" "\360\235\223\216"
    "rbrkslu;" "\342\246\220"
    "jopf;" "\360\235\225\233"
    "llcorner;" "\342\214\236"
    "subdot;" "\342\252\275"
    "nsubseteq;" "\342\212\210"
    "Scaron;" "\305\240"
    "gnE;" "\342\211\251"
    "ntilde;" "\303\261"
    "roarr;" "\342\207\276"
    "sum;" "\342\210\221"
    "lE;" "\342\211\246"
    "nLt;" "\342\211\252\342\203\222"
    "RightDownVector;" "\342\207\202"
    "TScy;" "\320\246"
    "flat;" "\342\231\255"
    "Zopf;" "\342\204\244"
    "boxbox;" "\342\247\211"
    "boxdR;" "\342\225\222"
    "cemptyv;" "\342\246\262"
    "nwarrow;" "\342\206\226"
    "Jfr;" "\360\235\224\215"
    "biguplus;" "\342\250\204"
    "napid;" "\342\211\213\314\270"
    "radic;" "\342\210\232"
    "igrave" "\303\254"
    "NotSquareSubset;" "\342\212\217\314\270"
    "diamondsuit;" "\342\231\246"
    "angmsdab;" "\342\246\251"
    "ell;" "\342\204\223"
    "npreceq;" "\342\252\257\314\270"
    "LeftAngleBracket;" "\342\237\250"
    "swArr;" "\342\207\231"
    "umacr;" "\305\253"
    "puncsp;" "\342\200\210"
    "Longleftarrow;" "\342\237\270"
    "zigrarr;" "\342\207\235"
    "plusmn" "\302\261"
    "boxdl;" "\342\224\220"
    "RightDownTeeVector;" "\342\245\235"
    "bottom;" "\342\212\245"
    "Ograve;" "\303\222"
    "GreaterTilde;" "\342\211\263"
    "divonx;" "\342\213\207"
    "xhArr;" "\342\237\272"
    "DotEqual;" "\342\211\220"
    "longleftarrow;" "\342\237\265"
    "capcap;" "\342\251\213"
    "NotHumpEqual;" "\342\211\217\314\270"
    "qscr;" "\360\235\223\206"
    "nVDash;" "\342\212\257"
    "ii;" "\342\205\210"
    "LowerRightArrow;" "\342\206\230"
    "Emacr;" "\304\222"
    "dotplus;" "\342\210\224"
    "Iukcy;" "\320\206"
    "qprime;" "\342\201\227"
    "straightphi;" "\317\225"
    "Dashv;" "\342\253\244"
    "NotVerticalBar;" "\342\210\244"
    "Cap;" "\342\213\222"
    "Iogon;" "\304\256"
    "topf;" "\360\235\225\245"
    "capbrcup;" "\342\251\211"
    "ntlg;" "\342\211\270"
    "ncong;" "\342\211\207"
    "bsemi;" "\342\201\217"
    "NotLessGreater;" "\342\211\270"
    "vrtri;" "\342\212\263"
    "bsim;" "\342\210\275"
    "sqsupe;" "\342\212\222"
    "ordf;" "\302\252"
    "UpTeeArrow;" "\342\206\245"
    "kappa;" "\316\272"
    "lsaquo;" "\342\200\271"
    "ogon;" "\313\233"
    "orarr;" "\342\206\273"
    "rsquor;" "\342\200\231"
    "yacute;" "\303\275"
    "ensp;" "\342\200\202"
    "gnsim;" "\342\213\247"
    "bumpE;" "\342\252\256"
    "vnsup;" "\342\212\203\342\203\222"
    "submult;" "\342\253\201"
    "uuml;" "\303\274"
    "RoundImplies;" "\342\245\260"
    "lAarr;" "\342\207\232"
    "subne;" "\342\212\212"
    "intlarhk;" "\342\250\227"
    "gl;" "\342\211\267"
    "LeftTee;" "\342\212\243"
    "angmsdag;" "\342\246\256"
    "rfisht;" "\342\245\275"
    "nvDash;" "\342\212\255"
    "emsp13;" "\342\200\204"
    "Kcedil;" "\304\266"
    "Cconint;" "\342\210\260"
    "TildeFullEqual;" "\342\211\205"
    "cirmid;" "\342\253\257"
    "maltese;" "\342\234\240"
    "ord;" "\342\251\235"
    "RightAngleBracket;" "\342\237\251"
    "Eopf;" "\360\235\224\274"
    "Vvdash;" "\342\212\252"
    "omicron;" "\316\277"
    "lsime;" "\342\252\215"
    "uacute;" "\303\272"
    "rppolint;" "\342\250\222"
    "laquo" "\302\253"
    "mdash;" "\342\200\224"
    "sqsub;" "\342\212\217"
    "vert;" "\174"
    "ReverseEquilibrium;" "\342\207\213"
    "scaron;" "\305\241"
    "supsetneqq;" "\342\253\214"
    "in;" "\342\210\210"
    "lesssim;" "\342\211\262"
    "ring;" "\313\232"
    "fopf;" "\360\235\225\227"
    "lrhar;" "\342\207\213"
    "Tscr;" "\360\235\222\257"
    "ggg;" "\342\213\231"
    "Nu;" "\316\235"
    "mho;" "\342\204\247"
    "NotRightTriangleEqual;" "\342\213\255"
    "Omega;" "\316\251"
    "prec;" "\342\211\272"
    "ncaron;" "\305\210"
    "PrecedesEqual;" "\342\252\257"
    "Vopf;" "\360\235\225\215"
    "primes;" "\342\204\231"
    "boxuR;" "\342\225\230"
    "ntrianglerighteq;" "\342\213\255"
    "Ecirc" "\303\212"
    "sqcup;" "\342\212\224"
    "forall;" "\342\210\200"
    "swnwar;" "\342\244\252"
    "iacute;" "\303\255"
    "Rcaron;" "\305\230"
    "dollar;" "\044"
    "epsilon;" "\316\265"
    "gtcir;" "\342\251\272"
    "CHcy;" "\320\247"
    "Prime;" "\342\200\263"
    "cfr;" "\360\235\224\240"
    "bfr;" "\360\235\224\237"
    "beth;" "\342\204\266"
    "vzigzag;" "\342\246\232"
    "subE;" "\342\253\205"
    "rrarr;" "\342\207\211"
    "csup;" "\342\253\220"
    "emsp;" "\342\200\203"
    "LeftVectorBar;" "\342\245\222"
    "bbrk;" "\342\216\265"
    "Wscr;" "\360\235\222\262"
    "lnsim;" "\342\213\246"
    "Ofr;" "\360\235\224\222"
    "tcy;" "\321\202"
    "nequiv;" "\342\211\242"
    "sigmav;" "\317\202"
    "bbrktbrk;" "\342\216\266"
    "ijlig;" "\304\263"
    "curlyeqprec;" "\342\213\236"
    "lt;" "\074"
    "csube;" "\342\253\221"
    "xi;" "\316\276"
    "equals;" "\075"
    "angsph;" "\342\210\242"
    "kcedil;" "\304\267"
    "vsubne;" "\342\212\212\357\270\200"
    "eacute;" "\303\251"
    "frac56;" "\342\205\232"
    "SquareIntersection;" "\342\212\223"
    "gesdotol;" "\342\252\204"
    "image;" "\342\204\221"
    "smashp;" "\342\250\263"
    "caret;" "\342\201\201"
    "cuwed;" "\342\213\217"
    "nsup;" "\342\212\205"
    "frac16;" "\342\205\231"
    "nvrtrie;" "\342\212\265\342\203\222"
    "ltrif;" "\342\227\202"
    "Rarrtl;" "\342\244\226"
    "cross;" "\342\234\227"
    "middot;" "\302\267"
    "rbbrk;" "\342\235\263"
    "HumpEqual;" "\342\211\217"
    "LeftTeeVector;" "\342\245\232"
    "varpropto;" "\342\210\235"
    "nmid;" "\342\210\244"
    "Epsilon;" "\316\225"
    "gtrsim;" "\342\211\263"
    "LeftTriangleBar;" "\342\247\217"
    "NotSquareSuperset;" "\342\212\220\314\270"
    "thinsp;" "\342\200\211"
    "ndash;" "\342\200\223"
    "nLeftarrow;" "\342\207\215"
    "crarr;" "\342\206\265"
    "seArr;" "\342\207\230"
    "oelig;" "\305\223"
    "rsh;" "\342\206\261"
    "boxhD;" "\342\225\245"
    "downarrow;" "\342\206\223"
    "ncy;" "\320\275"
    "frac18;" "\342\205\233"
    "rhard;" "\342\207\201"
    "xlArr;" "\342\237\270"
    "sup2" "\302\262"
    "race;" "\342\210\275\314\261"
    "scsim;" "\342\211\277"
    "ccaps;" "\342\251\215"
    "succapprox;" "\342\252\270"
    "aopf;" "\360\235\225\222"
    "mcomma;" "\342\250\251"
    "uscr;" "\360\235\223\212"
    "varphi;" "\317\225"
    "ecy;" "\321\215"
    "Abreve;" "\304\202"
    "supE;" "\342\253\206"
    "oplus;" "\342\212\225"
    "empty;" "\342\210\205"
    "xwedge;" "\342\213\200"
    "Cdot;" "\304\212"
    "hstrok;" "\304\247"
    "cdot;" "\304\213"
    "raemptyv;" "\342\246\263"
    "smtes;" "\342\252\254\357\270\200"
    "UnderParenthesis;" "\342\217\235"
    "tcaron;" "\305\245"
    "ETH" "\303\220"
    "dd;" "\342\205\206"
    "ne;" "\342\211\240"
    "frac13;" "\342\205\223"
    "boxdr;" "\342\224\214"
    "ouml;" "\303\266"
    "rcy;" "\321\200"
    "star;" "\342\230\206"
    "hardcy;" "\321\212"
    "Breve;" "\313\230"
    "djcy;" "\321\222"
    "Eacute" "\303\211"
    "icy;" "\320\270"
    "male;" "\342\231\202"
    "frasl;" "\342\201\204"
    "lrtri;" "\342\212\277"
    "Qopf;" "\342\204\232"
    "therefore;" "\342\210\264"
    "ltrie;" "\342\212\264"
    "capcup;" "\342\251\207"
    "Conint;" "\342\210\257"
    "ropf;" "\360\235\225\243"
    "blacksquare;" "\342\226\252"
    "zwj;" "\342\200\215"
    "mfr;" "\360\235\224\252"
    "nGg;" "\342\213\231\314\270"
    "LeftDownTeeVector;" "\342\245\241"
    "lfr;" "\360\235\224\251"
    "DiacriticalGrave;" "\140"
    "ddotseq;" "\342\251\267"
    "nLeftrightarrow;" "\342\207\216"
    "real;" "\342\204\234"
    "Yfr;" "\360\235\224\234"
    "UnderBrace;" "\342\217\237"
    "loplus;" "\342\250\255"
    "iogon;" "\304\257"
    "yuml" "\303\277"
    "UpperRightArrow;" "\342\206\227"
    "NotSquareSubsetEqual;" "\342\213\242"
    "scap;" "\342\252\270"
    "dtri;" "\342\226\277"
    "dharl;" "\342\207\203"
    "nparallel;" "\342\210\246"
    "alpha;" "\316\261"
    "SquareSubset;" "\342\212\217"
    "CenterDot;" "\302\267"
    "suphsub;" "\342\253\227"
    "times" "\303\227"
    "VerticalSeparator;" "\342\235\230"
    "Scirc;" "\305\234"
    "IEcy;" "\320\225"
    "bumpe;" "\342\211\217"
    "lbrke;" "\342\246\213"
    "Copf;" "\342\204\202"
    "leftrightsquigarrow;" "\342\206\255"
    "dlcrop;" "\342\214\215"
    "nbumpe;" "\342\211\217\314\270"
    "lesseqqgtr;" "\342\252\213"
    "looparrowleft;" "\342\206\253"
    "Union;" "\342\213\203"
    "napprox;" "\342\211\211"
    "bowtie;" "\342\213\210"
    "acirc" "\303\242"
    "thetav;" "\317\221"
    "dtrif;" "\342\226\276"
    "varsupsetneq;" "\342\212\213\357\270\200"
    "Efr;" "\360\235\224\210"
    "suplarr;" "\342\245\273"
    "sfrown;" "\342\214\242"
    "eqslantgtr;" "\342\252\226"
    "rdquo;" "\342\200\235"
    "dfisht;" "\342\245\277"
    "subsup;" "\342\253\223"
    "nlsim;" "\342\211\264"
    "lbrksld;" "\342\246\217"
    "xcirc;" "\342\227\257"
    "omacr;" "\305\215"
    "NotHumpDownHump;" "\342\211\216\314\270"
    "curarrm;" "\342\244\274"
    "gacute;" "\307\265"
    "IOcy;" "\320\201"
    "nesear;" "\342\244\250"
    "Hacek;" "\313\207"
    "NewLine;" "\012"
    "npolint;" "\342\250\224"
    "num;" "\043"
    "npart;" "\342\210\202\314\270"
    "LeftDownVector;" "\342\207\203"
    "YAcy;" "\320\257"
    "boxhU;" "\342\225\250"
    "SucceedsTilde;" "\342\211\277"
    "TildeTilde;" "\342\211\210"
    "dzigrarr;" "\342\237\277"
    "ContourIntegral;" "\342\210\256"
    "copy" "\302\251"
    "egrave" "\303\250"
    "Ucirc" "\303\233"
    "curren;" "\302\244"
    "divide" "\303\267"
    "cirscir;" "\342\247\202"
    "late;" "\342\252\255"
    "uparrow;" "\342\206\221"
    "Agrave" "\303\200"
    "easter;" "\342\251\256"
    "rnmid;" "\342\253\256"
    "sube;" "\342\212\206"
    "solbar;" "\342\214\277"
    "NegativeThickSpace;" "\342\200\213"
    "ccups;" "\342\251\214"
    "boxUL;" "\342\225\235"
    "ordm;" "\302\272"
    "udarr;" "\342\207\205"
    "bump;" "\342\211\216"
    "ltcc;" "\342\252\246"
    "nsupseteq;" "\342\212\211"
    "circ;" "\313\206"
    "rbrke;" "\342\246\214"
    "succcurlyeq;" "\342\211\275"
    "gg;" "\342\211\253"
    "Ycirc;" "\305\266"
    "boxtimes;" "\342\212\240"
    "rArr;" "\342\207\222"
    "sup2;" "\302\262"
    "scnsim;" "\342\213\251"
    "AMP" "\046"
    "PartialD;" "\342\210\202"
    "isinv;" "\342\210\210"
    "frac25;" "\342\205\226"
    "angrtvbd;" "\342\246\235"
    "plusdo;" "\342\210\224"
    "SHCHcy;" "\320\251"
    "ecaron;" "\304\233"
    "thkap;" "\342\211\210"
    "Atilde;" "\303\203"
    "blacktriangleright;" "\342\226\270"
    "wr;" "\342\211\200"
    "cirE;" "\342\247\203"
    "NotPrecedesSlantEqual;" "\342\213\240"
    "ouml" "\303\266"
    "osol;" "\342\212\230"
    "smt;" "\342\252\252"
    "boxhd;" "\342\224\254"
    "longleftrightarrow;" "\342\237\267"
    "Lang;" "\342\237\252"
    "Nfr;" "\360\235\224\221"
    "strns;" "\302\257"
    "LessFullEqual;" "\342\211\246"
    "Hopf;" "\342\204\215"
    "Aring" "\303\205"
    "uhblk;" "\342\226\200"
    "odash;" "\342\212\235"
    "rightharpoondown;" "\342\207\201"
    "circledcirc;" "\342\212\232"
    "frown;" "\342\214\242"
    "supsetneq;" "\342\212\213"
    "aring" "\303\245"
    "supe;" "\342\212\207"
    "Egrave;" "\303\210"
    "iuml;" "\303\257"
    "nspar;" "\342\210\246"
    "TripleDot;" "\342\203\233"
    "minus;" "\342\210\222"
    "OverBrace;" "\342\217\236"
    "leqslant;" "\342\251\275"
    "epsiv;" "\317\265"
    "nrArr;" "\342\207\217"
    "lmidot;" "\305\200"
    "ocir;" "\342\212\232"
    "glE;" "\342\252\222"
    "smid;" "\342\210\243"
    "pi;" "\317\200"
    "Longrightarrow;" "\342\237\271"
    "vprop;" "\342\210\235"
    "EmptyVerySmallSquare;" "\342\226\253"
    "ngE;" "\342\211\247\314\270"
    "ac;" "\342\210\276"
    "lcedil;" "\304\274"
    "Map;" "\342\244\205"
    "downharpoonleft;" "\342\207\203"
    "NegativeVeryThinSpace;" "\342\200\213"
    "leftthreetimes;" "\342\213\213"
    "cup;" "\342\210\252"
    "angrt;" "\342\210\237"
    "ecirc" "\303\252"
    "gneq;" "\342\252\210"
    "uuml" "\303\274"
    "iquest;" "\302\277"
    "varsubsetneqq;" "\342\253\213\357\270\200"
    "lEg;" "\342\252\213"
    "curvearrowright;" "\342\206\267"
    "jcirc;" "\304\265"
    "inodot;" "\304\261"
    "blacktriangle;" "\342\226\264"
    "ufisht;" "\342\245\276"
    "nvinfin;" "\342\247\236"
    "Iuml" "\303\217"
    "twoheadleftarrow;" "\342\206\236"
    "udblac;" "\305\261"
    "Dagger;" "\342\200\241"
    "lcy;" "\320\273"
    "orderof;" "\342\204\264"
    "uharr;" "\342\206\276"
    "Mopf;" "\360\235\225\204"
    "Ntilde;" "\303\221"
    "varsubsetneq;" "\342\212\212\357\270\200"
    "equiv;" "\342\211\241"
    "zfr;" "\360\235\224\267"
    "HumpDownHump;" "\342\211\216"
    "there4;" "\342\210\264"
    "lpar;" "\050"
    "lesg;" "\342\213\232\357\270\200"
    "cudarrl;" "\342\244\270"
    "diamond;" "\342\213\204"
    "nopf;" "\360\235\225\237"
    "uarr;" "\342\206\221"
    "zhcy;" "\320\266"
    "Xfr;" "\360\235\224\233"
    "Lcedil;" "\304\273"
    "DoubleDownArrow;" "\342\207\223"
    "plusdu;" "\342\250\245"
    "RightTriangleBar;" "\342\247\220"
    "napE;" "\342\251\260\314\270"
    "LeftArrowBar;" "\342\207\244"
    "Ucy;" "\320\243"
    "Jscr;" "\360\235\222\245"
    "sqsube;" "\342\212\221"
    "NotTildeTilde;" "\342\211\211"
    "pcy;" "\320\277"
    "Sigma;" "\316\243"
    "longmapsto;" "\342\237\274"
    "Ograve" "\303\222"
    "GT" "\076"
    "Zcaron;" "\305\275"
    "lltri;" "\342\227\272"
    "succnapprox;" "\342\252\272"
    "fcy;" "\321\204"
    "lhard;" "\342\206\275"
    "backsimeq;" "\342\213\215"
    "ngt;" "\342\211\257"
    "Dopf;" "\360\235\224\273"
    "gfr;" "\360\235\224\244"
    "drcrop;" "\342\214\214"
    "ffr;" "\360\235\224\243"
    "Colon;" "\342\210\267"
    "varpi;" "\317\226"
    "Sfr;" "\360\235\224\226"
    "tdot;" "\342\203\233"
    "ngeq;" "\342\211\261"
    "VeryThinSpace;" "\342\200\212"
    "harr;" "\342\206\224"
    "nrarrc;" "\342\244\263\314\270"
    "gsiml;" "\342\252\220"
    "Phi;" "\316\246"
    "Ycy;" "\320\253"
    "Poincareplane;" "\342\204\214"
    "vArr;" "\342\207\225"
    "natur;" "\342\231\256"
    "NotReverseElement;" "\342\210\214"
    "nwarr;" "\342\206\226"
    "uring;" "\305\257"
    "Ocy;" "\320\236"
    "telrec;" "\342\214\225"
    "pertenk;" "\342\200\261"
    "subsetneq;" "\342\212\212"
    "Dfr;" "\360\235\224\207"
    "RightArrowLeftArrow;" "\342\207\204"
    "bot;" "\342\212\245"
    "Bscr;" "\342\204\254"
    "thicksim;" "\342\210\274"
    "gEl;" "\342\252\214"
    "commat;" "\100"
    "sqcaps;" "\342\212\223\357\270\200"
    "jcy;" "\320\271"
    "rharu;" "\342\207\200"
    "Icirc" "\303\216"
    "DiacriticalAcute;" "\302\264"
    "lg;" "\342\211\266"
    "searhk;" "\342\244\245"
    "Otilde" "\303\225"
    "imof;" "\342\212\267"
    "HorizontalLine;" "\342\224\200"
    "rarrap;" "\342\245\265"
    "acy;" "\320\260"
    "Yuml;" "\305\270"
    "comp;" "\342\210\201"
    "Ccirc;" "\304\210"
    "UnionPlus;" "\342\212\216"
    "GJcy;" "\320\203"
    "frac58;" "\342\205\235"
    "Auml;" "\303\204"
    "lhblk;" "\342\226\204"
    "notniva;" "\342\210\214"
    "Square;" "\342\226\241"
    "DoubleLeftArrow;" "\342\207\220"
    "bernou;" "\342\204\254"
    "Scy;" "\320\241"
    "nshortparallel;" "\342\210\246"
    "ni;" "\342\210\213"
    "dotsquare;" "\342\212\241"
    "DifferentialD;" "\342\205\206"
    "iopf;" "\360\235\225\232"
    "UpArrow;" "\342\206\221"
    "DownRightVector;" "\342\207\201"
    "hscr;" "\360\235\222\275"
    "awint;" "\342\250\221"
    "sscr;" "\360\235\223\210"
    "spar;" "\342\210\245"
    "nvgt;" "\076\342\203\222"
    "atilde;" "\303\243"
    "ll;" "\342\211\252"
    "shy" "\302\255"
    "xcap;" "\342\213\202"
    "nvle;" "\342\211\244\342\203\222"
    "THORN;" "\303\236"
    "Odblac;" "\305\220"
    "ExponentialE;" "\342\205\207"
    "Beta;" "\316\222"
    "Leftrightarrow;" "\342\207\224"
    "cedil;" "\302\270"
    "hcirc;" "\304\245"
    "Product;" "\342\210\217"
    "twoheadrightarrow;" "\342\206\240"
    "wreath;" "\342\211\200"
    "pluscir;" "\342\250\242"
    "pre;" "\342\252\257"
    "aacute" "\303\241"
    "Ubreve;" "\305\254"
    "rtri;" "\342\226\271"
    "cire;" "\342\211\227"
    "Lmidot;" "\304\277"
    "UpEquilibrium;" "\342\245\256"
    "succsim;" "\342\211\277"
    "nrarrw;" "\342\206\235\314\270"
    "aring;" "\303\245"
    "Vee;" "\342\213\201"
    "vnsub;" "\342\212\202\342\203\222"
    "theta;" "\316\270"
    "rbrksld;" "\342\246\216"
    "gtdot;" "\342\213\227"
    "boxvL;" "\342\225\241"
    "YUcy;" "\320\256"
    "uacute" "\303\272"
    "Yopf;" "\360\235\225\220"
    "mu;" "\316\274"
    "becaus;" "\342\210\265"
    "rect;" "\342\226\255"
    "ulcrop;" "\342\214\217"
    "thickapprox;" "\342\211\210"
    "nsce;" "\342\252\260\314\270"
    "NotTildeEqual;" "\342\211\204"
    "qfr;" "\360\235\224\256"
    "pfr;" "\360\235\224\255"
    "zopf;" "\360\235\225\253"
    "iexcl;" "\302\241"
    "larrsim;" "\342\245\263"
    "bsolhsub;" "\342\237\210"
    "sqsup;" "\342\212\220"
    "profalar;" "\342\214\256"
    "DiacriticalTilde;" "\313\234"
    "subsub;" "\342\253\225"
    "GreaterEqual;" "\342\211\245"
    "notnivb;" "\342\213\276"
    "squ;" "\342\226\241"
    "leftleftarrows;" "\342\207\207"
    "vsupnE;" "\342\253\214\357\270\200"
    "curarr;" "\342\206\267"
    "frac14" "\302\274"
    "FilledSmallSquare;" "\342\227\274"
    "Yacute" "\303\235"
    "rdldhar;" "\342\245\251"
    "SuchThat;" "\342\210\213"
    "lne;" "\342\252\207"
    "Icirc;" "\303\216"
    "Nscr;" "\360\235\222\251";

static const struct {
    uint16_t at;
    uint8_t name, text; /* sizes */
} reference_rows[] = {
    {0,7,3}, {10,10,6}, {26,5,2}, {33,6,3}, {42,4,2}, {48,4,3}, {55,3,3}, {61,6,3}, {70,7,3}, {80,13,3},
    {96,6,3}, {105,6,3}, {114,7,3}, {124,7,2}, {133,6,2}, {141,5,3}, {149,12,3}, {164,5,3}, {172,6,3},
    {181,5,4}, {190,11,3}, {204,8,3}, {215,14,3}, {232,15,3}, {250,5,3}, {258,7,3}, {268,5,2}, {275,6,2},
    {283,7,2}, {292,19,3}, {314,8,3}, {325,5,2}, {332,5,3}, {340,4,2}, {346,4,1}, {351,6,3}, {360,5,4},
    {369,11,5}, {385,8,6}, {399,11,3}, {413,7,2}, {422,8,3}, {433,10,3}, {446,7,1}, {454,3,3}, {460,22,3},
    {485,17,3}, {505,5,3}, {513,3,3}, {519,6,3}, {528,6,3}, {537,6,2}, {545,7,3}, {555,15,3}, {573,10,2},
    {585,6,2}, {593,5,3}, {601,7,3}, {611,7,6}, {624,9,3}, {636,10,3}, {649,5,3}, {657,8,3}, {668,32,3},
    {703,12,3}, {718,4,3}, {725,15,3}, {743,5,3}, {751,5,2}, {758,8,3}, {769,8,3}, {780,6,3}, {789,6,3},
    {798,14,3}, {815,7,3}, {825,5,4}, {834,5,2}, {841,14,3}, {858,6,2}, {866,4,3}, {873,6,3}, {882,5,3},
    {890,3,1}, {894,4,3}, {901,6,2}, {909,5,2}, {916,6,2}, {924,7,3}, {934,9,3}, {946,7,3}, {956,6,3},
    {965,5,4}, {974,5,3}, {982,7,3}, {992,7,3}, {1002,10,3}, {1015,5,4}, {1024,6,2}, {1032,13,3}, {1048,5,2},
    {1055,6,3}, {1064,7,3}, {1074,5,4}, {1083,21,3}, {1107,5,4}, {1116,4,3}, {1123,6,2}, {1131,7,3},
    {1141,4,3}, {1148,6,3}, {1157,5,3}, {1165,6,2}, {1173,6,2}, {1181,17,3}, {1201,14,3}, {1218,5,3},
    {1226,6,3}, {1235,7,3}, {1245,6,3}, {1254,4,3}, {1261,6,2}, {1269,6,2}, {1277,6,3}, {1286,21,5},
    {1312,5,3}, {1320,5,4}, {1329,9,3}, {1341,8,3}, {1352,7,3}, {1362,7,2}, {1371,7,3}, {1381,7,2},
    {1390,7,3}, {1400,5,4}, {1409,5,3}, {1417,7,3}, {1427,7,3}, {1437,4,3}, {1444,4,2}, {1450,4,2},
    {1456,8,3}, {1467,6,2}, {1475,4,2}, {1481,6,5}, {1492,6,2}, {1500,4,3}, {1507,3,1}, {1511,5,3},
    {1519,5,3}, {1527,4,3}, {1534,4,2}, {1540,9,2}, {1551,4,2}, {1557,5,3}, {1565,15,3}, {1583,10,3},
    {1596,6,2}, {1604,7,3}, {1614,6,3}, {1623,4,3}, {1630,6,3}, {1639,11,3}, {1653,11,3}, {1667,4,2},
    {1673,6,2}, {1681,11,3}, {1695,7,3}, {1705,14,5}, {1724,4,2}, {1730,5,1}, {1736,7,3}, {1746,7,3},
    {1756,4,3}, {1763,17,3}, {1783,4,2}, {1789,6,3}, {1798,9,3}, {1810,3,3}, {1816,2,1}, {1819,3,3},
    {1825,6,3}, {1834,6,3}, {1843,4,2}, {1849,6,3}, {1858,6,3}, {1867,8,3}, {1878,7,1}, {1886,5,4},
    {1895,6,2}, {1903,6,2}, {1911,6,3}, {1920,7,2}, {1929,10,2}, {1941,5,3}, {1949,16,3}, {1968,9,3},
    {1980,6,2}, {1988,8,6}, {2002,5,3}, {2010,12,3}, {2025,4,2}, {2031,16,3}, {2050,6,3}, {2059,7,3},
    {2069,5,3}, {2077,4,2}, {2083,7,6}, {2096,17,5}, {2118,4,3}, {2125,11,3}, {2139,16,3}, {2158,8,2},
    {2168,9,3}, {2180,4,2}, {2186,6,2}, {2194,7,3}, {2204,14,3}, {2221,7,3}, {2231,4,3}, {2238,18,5},
    {2261,9,3}, {2273,6,3}, {2282,9,3}, {2294,7,3}, {2304,5,4}, {2313,4,3}, {2320,8,3}, {2331,7,3},
    {2341,7,3}, {2351,5,2}, {2358,7,2}, {2367,10,3}, {2380,6,3}, {2389,19,5}, {2413,9,2}, {2424,6,2},
    {2432,6,3}, {2441,15,3}, {2459,9,3}, {2471,5,2}, {2478,8,3}, {2489,4,2}, {2495,7,3}, {2505,11,3},
    {2519,6,3}, {2528,4,2}, {2534,5,4}, {2543,7,6}, {2556,6,3}, {2565,7,3}, {2575,15,3}, {2593,4,3},
    {2600,5,3}, {2608,4,2}, {2614,5,2}, {2621,7,3}, {2631,4,4}, {2639,8,3}, {2650,4,3}, {2657,17,3},
    {2677,15,3}, {2695,18,3}, {2716,5,4}, {2725,7,3}, {2735,12,3}, {2750,5,2}, {2757,7,2}, {2766,8,3},
    {2777,7,2}, {2786,6,2}, {2794,8,3}, {2805,7,2}, {2814,8,3}, {2825,4,2}, {2831,7,3}, {2841,7,3},
    {2851,6,2}, {2859,6,3}, {2868,4,3}, {2875,7,3}, {2885,7,3}, {2895,6,2}, {2903,6,3}, {2912,6,2},
    {2920,5,3}, {2928,7,2}, {2937,14,3}, {2954,8,3}, {2965,8,3}, {2976,6,1}, {2983,6,2}, {2991,5,3},
    {2999,6,3}, {3008,6,3}, {3017,5,2}, {3024,7,3}, {3034,15,3}, {3052,15,3}, {3070,21,3}, {3094,6,3},
    {3103,4,3}, {3110,7,2}, {3119,8,3}, {3130,5,2}, {3137,6,3}, {3146,9,3}, {3158,6,3}, {3167,4,1},
    {3172,16,3}, {3191,9,3}, {3203,6,3}, {3212,8,3}, {3223,6,3}, {3232,20,3}, {3255,6,3}, {3264,22,3},
    {3289,9,3}, {3301,15,3}, {3319,10,2}, {3331,11,3}, {3345,5,3}, {3353,7,2}, {3362,5,3}, {3370,6,3},
    {3379,4,3}, {3386,5,2}, {3393,7,3}, {3403,8,3}, {3414,3,3}, {3420,6,3}, {3429,7,3}, {3439,17,3},
    {3459,4,5}, {3468,6,3}, {3477,4,4}, {3485,4,4}, {3493,9,3}, {3505,13,3}, {3521,6,2}, {3529,4,2},
    {3535,14,3}, {3552,5,3}, {3560,5,3}, {3568,4,2}, {3574,8,3}, {3585,7,3}, {3595,7,3}, {3605,8,2},
    {3615,5,3}, {3623,9,3}, {3635,8,3}, {3646,6,3}, {3655,6,3}, {3664,5,4}, {3673,5,3}, {3681,10,3},
    {3694,4,3}, {3701,6,2}, {3709,7,3}, {3719,4,3}, {3726,6,3}, {3735,6,3}, {3744,5,2}, {3751,5,4},
    {3760,5,3}, {3768,7,3}, {3778,7,3}, {3788,8,3}, {3799,7,2}, {3808,2,1}, {3811,14,3}, {3828,7,3},
    {3838,5,3}, {3846,19,3}, {3868,6,3}, {3877,5,2}, {3884,7,2}, {3893,11,3}, {3907,9,3}, {3919,4,3},
    {3926,5,3}, {3934,7,3}, {3944,9,3}, {3956,6,3}, {3965,7,2}, {3974,6,2}, {3982,8,3}, {3993,8,3},
    {4004,6,3}, {4013,7,1}, {4021,7,2}, {4030,6,3}, {4039,10,3}, {4052,6,3}, {4061,6,3}, {4070,7,3},
    {4080,7,3}, {4090,4,2}, {4096,6,3}, {4105,5,3}, {4113,4,4}, {4121,4,4}, {4129,6,2}, {4137,15,3},
    {4155,6,3}, {4164,15,3}, {4182,5,4}, {4191,6,3}, {4200,5,3}, {4208,5,3}, {4216,4,2}, {4222,7,1},
    {4230,11,3}, {4244,6,3}, {4253,7,1}, {4261,7,3}, {4271,7,3}, {4281,7,3}, {4291,3,3}, {4297,4,3},
    {4304,10,3}, {4317,7,3}, {4327,6,3}, {4336,4,2}, {4342,6,2}, {4350,6,2}, {4358,6,5}, {4369,5,3},
    {4377,6,3}, {4386,7,3}, {4396,5,2}, {4403,5,2}, {4410,7,2}, {4419,7,3}, {4429,6,2}, {4437,5,3},
    {4445,6,3}, {4454,4,2}, {4460,13,3}, {4476,3,3}, {4482,8,3}, {4493,7,2}, {4502,5,4}, {4511,7,2},
    {4520,3,2}, {4525,5,4}, {4534,7,2}, {4543,7,3}, {4553,6,3}, {4562,4,2}, {4568,6,3}, {4577,6,3},
    {4586,4,3}, {4593,4,3}, {4600,4,3}, {4607,6,2}, {4615,9,3}, {4627,5,4}, {4636,8,3}, {4647,7,2},
    {4656,4,2}, {4662,4,4}, {4670,5,3}, {4678,6,3}, {4687,12,3}, {4702,7,2}, {4711,14,3}, {4728,10,3},
    {4741,5,3}, {4749,15,3}, {4767,16,3}, {4786,5,3}, {4794,6,2}, {4802,6,2}, {4810,7,3}, {4820,11,3},
    {4834,5,2}, {4841,15,3}, {4859,6,3}, {4868,5,3}, {4876,5,2}, {4883,10,3}, {4896,7,3}, {4906,6,3},
    {4915,5,2}, {4922,7,2}, {4931,6,3}, {4940,4,3}, {4947,5,6}, {4958,7,2}, {4967,15,3}, {4985,5,5},
    {4995,7,2}, {5004,25,3}, {5032,6,2}, {5040,8,3}, {5051,7,3}, {5061,7,2}, {5070,5,4}, {5079,21,3},
    {5103,6,2}, {5111,11,2}, {5124,4,1}, {5129,5,3}, {5137,12,3}, {5152,9,3}, {5164,6,3}, {5173,15,3},
    {5191,5,4}, {5200,8,3}, {5211,6,3}, {5220,7,3}, {5230,4,2}, {5236,4,3}, {5243,5,2}, {5250,7,3},
    {5260,5,2}, {5267,7,3}, {5277,6,2}, {5285,17,3}, {5305,10,3}, {5318,6,3}, {5327,6,2}, {5335,8,3},
    {5346,6,5}, {5357,7,3}, {5367,5,3}, {5375,6,2}, {5383,6,2}, {5391,15,3}, {5409,16,3}, {5428,8,3},
    {5439,5,3}, {5447,6,2}, {5455,9,3}, {5467,19,3}, {5489,9,3}, {5501,6,3}, {5510,5,4}, {5519,4,2},
    {5525,5,1}, {5531,5,6}, {5542,3,1}, {5546,7,2}, {5555,8,3}, {5566,9,3}, {5578,9,3}, {5590,6,3},
    {5599,6,3}, {5608,8,3}, {5619,6,2}, {5627,5,3}, {5635,8,3}, {5646,12,3}, {5661,5,4}, {5670,11,3},
    {5684,4,4}, {5692,9,3}, {5704,7,3}, {5714,13,3}, {5730,6,2}, {5738,5,5}, {5748,7,3}, {5758,6,3},
    {5767,18,3}, {5788,4,4}, {5796,4,3}, {5803,15,3}, {5821,9,3}, {5833,3,3}, {5839,10,3}, {5852,8,3},
    {5863,9,3}, {5875,4,3}, {5882,6,3}, {5891,4,3}, {5898,10,3}, {5911,21,3}, {5935,7,3}, {5945,6,3},
    {5954,5,3}, {5962,6,3}, {5971,12,3}, {5986,5,3}, {5994,7,2}, {6003,4,3}, {6010,7,3}, {6020,6,3},
    {6029,5,3}, {6037,5,1}, {6043,17,5}, {6065,6,3}, {6074,5,4}, {6083,5,4}, {6092,9,3}, {6104,5,3},
    {6112,8,3}, {6123,5,3}, {6131,12,5}, {6148,4,2}, {6154,6,2}, {6162,6,2}, {6170,4,2}, {6176,3,3},
    {6182,3,3}, {6188,6,2}, {6196,6,3}, {6205,4,2}, {6211,13,3}, {6227,4,3}, {6234,14,3}, {6251,4,3},
    {6258,6,2}, {6266,18,3}, {6287,5,3}, {6295,7,2}, {6304,7,3}, {6314,5,4}, {6323,17,3}, {6343,5,2},
    {6350,7,3}, {6360,6,2}, {6368,8,3}, {6379,5,2}, {6386,5,4}, {6395,7,3}, {6405,14,3}, {6422,7,1},
    {6430,17,2}, {6449,6,3}, {6458,9,3}, {6470,15,3}, {6488,5,3}, {6496,6,3}, {6505,5,3}, {6513,9,3},
    {6525,5,2}, {6532,3,3}, {6538,5,4}, {6547,5,1}, {6553,9,3}, {6565,6,3}, {6574,7,2}, {6583,7,2},
    {6592,7,3}, {6602,5,2}, {6609,6,3}, {6618,7,3}, {6628,9,5}, {6642,7,3}, {6652,13,3}, {6668,15,3},
    {6686,4,2}, {6692,5,4}, {6701,11,3}, {6715,7,3}, {6725,11,3}, {6739,5,2}, {6746,6,3}, {6755,4,3},
    {6762,5,4}, {6771,5,3}, {6779,20,3}, {6802,5,4}, {6811,6,2}, {6819,6,3}, {6828,7,3}, {6838,5,3},
    {6846,7,3}, {6856,9,2}, {6867,4,4}, {6875,7,2}, {6884,10,3}, {6897,6,2}, {6905,7,3}, {6915,4,3},
    {6922,6,2}, {6930,5,2}, {6937,8,6}, {6951,5,2}, {6958,6,3}, {6967,4,4}, {6975,4,2}, {6981,6,2},
    {6989,7,3}, {6999,7,2}, {7008,6,2}, {7016,4,3}, {7023,9,3}, {7035,5,3}, {7043,6,3}, {7052,4,2},
    {7058,9,3}, {7070,6,2}, {7078,6,3}, {7087,3,2}, {7092,15,3}, {7110,6,2}, {7118,6,3}, {7127,19,3},
    {7149,5,3}, {7157,7,2}, {7166,7,3}, {7176,4,2}, {7182,6,3}, {7191,6,2}, {7199,5,4}, {7208,6,3},
    {7217,3,3}, {7223,3,3}, {7229,7,3}, {7239,6,3}, {7248,7,3}, {7258,17,3}, {7278,7,3}, {7288,11,6},
    {7305,9,3}, {7317,5,4}, {7326,4,2}, {7332,5,2}, {7339,5,3}, {7347,6,2}, {7355,7,2}, {7364,6,2},
    {7372,12,3}, {7387,6,3}, {7396,3,2}, {7401,4,3}, {7408,9,3}, {7420,18,3}, {7441,5,2}, {7448,12,3},
    {7463,7,3}, {7473,9,2}, {7484,7,2}, {7493,13,3}, {7509,6,3}, {7518,4,3}, {7525,6,2}, {7533,4,2},
    {7539,5,1}, {7545,5,3}, {7553,4,2}, {7559,8,3}, {7570,5,3}, {7578,5,3}, {7586,5,3}, {7594,7,2},
    {7603,7,3}, {7613,5,3}, {7621,4,4}, {7629,4,4}, {7637,8,3}, {7648,6,2}, {7656,7,3}, {7666,4,2},
    {7672,6,6}, {7684,8,3}, {7695,13,3}, {7711,5,2}, {7718,5,4}, {7727,10,3}, {7740,10,3}, {7753,5,3},
    {7761,5,3}, {7769,5,2}, {7776,5,4}, {7785,5,4}, {7794,4,2}, {7800,4,4}, {7808,8,3}, {7819,13,1},
    {7833,7,2}, {7842,11,3}, {7856,11,3}, {7870,7,3}, {7880,8,3}, {7891,3,2}, {7896,9,3}, {7908,6,3},
    {7917,7,3}, {7927,14,3}, {7944,16,3}, {7963,5,2}, {7970,8,3}, {7981,10,3}, {7994,6,2}, {8002,5,3},
    {8010,23,3}, {8036,8,3}, {8047,4,2}, {8053,8,3}, {8064,6,3}, {8073,6,3}, {8082,7,3}, {8092,7,2},
    {8101,13,3}, {8117,5,3}, {8125,6,2}, {8133,21,3}, {8157,4,3}, {8164,4,2}, {8170,6,2}, {8178,4,4},
    {8186,5,4}, {8195,10,3}, {8208,5,4}, {8217,5,3}, {8225,6,3}, {8234,5,1}, {8240,12,3}, {8255,14,3},
    {8272,4,3}, {8279,4,2}, {8285,5,6}, {8296,5,4}, {8305,3,2}, {8310,18,5}, {8333,5,2}, {8340,6,3},
    {8349,5,2}, {8356,4,3}, {8363,7,3}, {8373,7,3}, {8383,10,3}, {8396,7,3}, {8406,5,3}, {8414,5,2},
    {8421,14,3}, {8438,4,2}, {8444,6,3}, {8453,6,2}, {8461,7,3}, {8471,7,2}, {8480,6,3}, {8489,7,3},
    {8499,7,3}, {8509,5,5}, {8519,5,1}, {8525,9,3}, {8537,5,1}, {8543,3,2}, {8548,6,3}, {8557,6,6},
    {8569,11,3}, {8583,6,3}, {8592,10,3}, {8605,7,3}, {8615,4,1}, {8620,5,4}, {8629,6,3}, {8638,8,3},
    {8649,7,5}, {8661,9,3}, {8673,11,3}, {8687,7,3}, {8697,11,3}, {8711,6,2}, {8719,9,1}, {8729,6,2},
    {8737,5,2}, {8744,5,3}, {8752,14,3}, {8769,6,2}, {8777,4,4}, {8785,4,4}, {8793,7,3}, {8803,6,3},
    {8812,8,2}, {8822,3,2}, {8827,5,2}, {8834,7,2}, {8843,5,3}, {8851,7,3}, {8861,6,2}, {8869,11,3},
    {8883,6,3}, {8892,5,3}, {8900,6,3}, {8909,6,3}, {8918,6,3}, {8927,5,2}, {8934,7,3}, {8944,5,3},
    {8952,7,3}, {8962,7,2}, {8971,12,3}, {8986,5,3}, {8994,7,3}, {9004,5,3}, {9012,9,3}, {9024,16,3},
    {9043,6,3}, {9052,8,3}, {9063,7,2}, {9072,7,2}, {9081,6,3}, {9090,5,3}, {9098,9,3}, {9110,4,3},
    {9117,6,2}, {9125,8,3}, {9136,18,3}, {9157,5,6}, {9168,4,4}, {9176,5,2}, {9183,7,3}, {9193,4,4},
    {9201,8,2}, {9211,4,4}, {9219,9,3}, {9231,6,3}, {9240,3,3}, {9246,8,3}, {9257,4,2}, {9263,5,2},
    {9270,7,3}, {9280,5,4}, {9289,7,3}, {9299,7,3}, {9309,9,3}, {9321,5,3}, {9329,13,3}, {9345,11,3},
    {9359,6,3}, {9368,15,3}, {9386,12,3}, {9401,5,2}, {9408,9,3}, {9420,7,3}, {9430,14,6}, {9450,25,3},
    {9478,5,3}, {9486,9,3}, {9498,6,1}, {9505,5,2}, {9512,3,2}, {9517,5,4}, {9526,7,3}, {9536,6,3},
    {9545,7,3}, {9555,13,3}, {9571,7,3}, {9581,19,3}, {9603,5,3}, {9611,7,2}, {9620,6,3}, {9629,8,3},
    {9640,9,3}, {9652,6,3}, {9661,18,3}, {9682,10,3}, {9695,4,3}, {9702,4,2}, {9708,7,3}, {9718,4,3},
    {9725,18,3}, {9746,7,3}, {9756,5,3}, {9764,3,3}, {9770,9,3}, {9782,4,6}, {9792,19,3}, {9814,4,5},
    {9823,8,3}, {9834,18,3}, {9855,18,3}, {9876,6,3}, {9885,5,4}, {9894,6,3}, {9903,7,3}, {9913,5,4},
    {9922,6,3}, {9931,7,3}, {9941,7,3}, {9951,7,3}, {9961,6,3}, {9970,5,4}, {9979,5,3}, {9987,6,5},
    {9998,3,2}, {10003,7,3}, {10013,7,1}, {10021,4,3}, {10028,10,3}, {10041,11,3}, {10055,5,3}, {10063,12,3},
    {10078,6,3}, {10087,6,2}, {10095,3,2}, {10100,18,5}, {10123,10,5}, {10138,5,6}, {10149,8,3}, {10160,4,3},
    {10167,6,3}, {10176,6,3}, {10185,5,5}, {10195,7,3}, {10205,6,3}, {10214,4,3}, {10221,8,3}, {10232,8,3},
    {10243,4,2}, {10249,8,3}, {10260,4,5}, {10269,6,3}, {10278,9,3}, {10290,20,5}, {10315,6,3}, {10324,7,2},
    {10333,19,3}, {10355,4,2}, {10361,6,3}, {10370,5,2}, {10377,15,3}, {10395,10,3}, {10408,6,2}, {10416,8,3},
    {10427,6,3}, {10436,4,3}, {10443,9,3}, {10455,6,3}, {10464,14,3}, {10481,5,4}, {10490,17,3}, {10510,16,2},
    {10528,5,3}, {10536,6,3}, {10545,5,2}, {10552,7,3}, {10562,8,3}, {10573,4,4}, {10581,7,3}, {10591,7,3},
    {10601,6,3}, {10610,4,1}, {10615,7,3}, {10625,4,1}, {10630,4,2}, {10636,7,2}, {10645,5,2}, {10652,6,3},
    {10661,15,3}, {10679,6,2}, {10687,7,3}, {10697,5,3}, {10705,7,3}, {10715,15,3}, {10733,9,3}, {10745,9,3},
    {10757,7,2}, {10766,9,3}, {10778,17,3}, {10798,12,3}, {10813,9,3}, {10825,6,2}, {10833,5,2}, {10840,6,3},
    {10849,8,3}, {10860,14,3}, {10877,8,3}, {10888,4,2}, {10894,9,3}, {10906,15,3}, {10924,8,3}, {10935,17,5},
    {10957,8,5}, {10970,6,3}, {10979,6,3}, {10988,9,3}, {11000,5,3}, {11008,5,2}, {11015,6,2}, {11023,4,3},
    {11030,6,1}, {11037,7,3}, {11047,6,3}, {11056,7,3}, {11066,9,3}, {11078,8,3}, {11089,6,3}, {11098,5,1},
    {11104,5,4}, {11113,7,3}, {11123,6,3}, {11132,7,2}, {11141,5,3}, {11149,18,3}, {11170,7,3}, {11180,7,2},
    {11189,11,3}, {11203,9,3}, {11215,6,3}, {11224,4,3}, {11231,5,2}, {11238,7,2}, {11247,5,3}, {11255,4,4},
    {11263,20,3}, {11286,7,3}, {11296,7,2}, {11305,4,3}, {11312,4,4}, {11320,8,3}, {11331,7,3}, {11341,7,3},
    {11351,7,2}, {11360,9,3}, {11372,16,3}, {11391,17,3}, {11411,5,6}, {11422,5,3}, {11430,5,3}, {11438,4,2},
    {11444,17,3}, {11464,4,3}, {11471,6,3}, {11480,10,3}, {11493,7,2}, {11502,16,3}, {11521,4,4}, {11529,6,3},
    {11538,7,3}, {11548,4,2}, {11554,9,3}, {11566,6,3}, {11575,7,2}, {11584,11,3}, {11598,6,2}, {11606,16,3},
    {11625,4,2}, {11631,9,3}, {11643,11,3}, {11657,4,3}, {11664,5,2}, {11671,9,3}, {11683,7,3}, {11693,10,3},
    {11706,7,3}, {11716,15,2}, {11733,6,3}, {11742,5,1}, {11748,10,3}, {11761,5,6}, {11772,4,3}, {11779,7,3},
    {11789,13,3}, {11805,6,2}, {11813,5,3}, {11821,7,2}, {11830,5,2}, {11837,8,3}, {11848,7,2}, {11857,12,3},
    {11872,12,3}, {11887,6,2}, {11895,5,4}, {11904,4,2}, {11910,6,2}, {11918,14,3}, {11935,6,2}, {11943,4,2},
    {11949,6,3}, {11958,12,6}, {11976,3,3}, {11982,5,4}, {11991,4,3}, {11998,8,2}, {12008,10,6}, {12024,6,2},
    {12032,6,3}, {12041,6,3}, {12050,6,3}, {12059,7,3}, {12069,16,3}, {12088,8,3}, {12099,5,1}, {12105,12,3},
    {12120,4,2}, {12126,6,2}, {12134,6,2}, {12142,8,3}, {12153,4,2}, {12159,7,3}, {12169,9,3}, {12181,7,2},
    {12190,7,3}, {12200,19,3}, {12222,7,3}, {12232,9,3}, {12244,21,3}, {12268,3,3}, {12274,7,3}, {12284,7,3},
    {12294,8,3}, {12305,5,2}, {12312,9,3}, {12324,9,3}, {12336,4,2}, {12342,5,3}, {12350,6,3}, {12359,7,3},
    {12369,16,3}, {12388,11,3}, {12402,6,3}, {12411,5,4}, {12420,9,3}, {12432,7,3}, {12442,7,2}, {12451,4,2},
    {12457,7,3}, {12467,5,3}, {12475,5,4}, {12484,7,3}, {12494,21,3}, {12518,6,3}, {12527,12,3}, {12542,7,3},
    {12552,6,3}, {12561,6,3}, {12570,14,3}, {12587,5,2}, {12594,7,3}, {12604,5,4}, {12613,5,4}, {12622,4,3},
    {12629,4,1}, {12634,4,2}, {12640,5,3}, {12648,8,3}, {12659,18,3}, {12680,6,2}, {12688,7,3}, {12698,14,3},
    {12715,3,3}, {12721,5,3}, {12729,6,3}, {12738,6,2}, {12746,24,5}, {12775,22,3}, {12800,7,2}, {12809,7,3},
    {12819,5,2}, {12826,6,3}, {12835,9,2}, {12846,7,3}, {12856,7,3}, {12866,4,2}, {12872,6,2}, {12880,7,3},
    {12890,9,3}, {12902,3,3}, {12908,4,1}, {12913,7,2}, {12922,6,3}, {12931,7,2}, {12940,5,3}, {12948,4,3},
    {12955,6,3}, {12964,7,3}, {12974,9,3}, {12986,7,3}, {12996,6,5}, {13007,7,3}, {13017,5,2}, {13024,7,2},
    {13033,7,1}, {13041,6,3}, {13050,7,2}, {13059,7,2}, {13068,5,2}, {13075,7,3}, {13085,7,3}, {13095,4,4},
    {13103,8,3}, {13114,6,3}, {13123,7,2}, {13132,18,3}, {13153,6,2}, {13161,6,3}, {13170,12,3}, {13185,7,3},
    {13195,7,2}, {13204,6,2}, {13212,7,3}, {13222,5,6}, {13233,6,3}, {13242,6,3}, {13251,6,3}, {13260,7,2},
    {13269,5,3}, {13277,4,2}, {13283,6,2}, {13291,7,2}, {13300,5,2}, {13307,8,3}, {13318,11,3}, {13332,5,3},
    {13340,7,2}, {13349,4,2}, {13355,7,3}, {13365,7,3}, {13375,5,3}, {13383,13,3}, {13399,12,3}, {13414,5,4},
    {13423,12,3}, {13438,8,3}, {13449,6,3}, {13458,6,3}, {13467,6,3}, {13476,7,3}, {13486,5,3}, {13494,7,3},
    {13504,12,3}, {13519,6,3}, {13528,5,3}, {13536,7,3}, {13546,5,3}, {13554,9,3}, {13566,6,3}, {13575,4,3},
    {13582,9,3}, {13594,7,3}, {13604,12,3}, {13619,5,3}, {13627,12,3}, {13642,7,3}, {13652,10,3}, {13665,7,2},
    {13674,6,3}, {13683,5,3}, {13691,15,3}, {13709,9,3}, {13721,4,2}, {13727,3,3}, {13733,23,2}, {13758,5,2},
    {13765,6,2}, {13773,6,3}, {13782,8,3}, {13793,8,3}, {13804,14,3}, {13821,7,2}, {13830,13,3}, {13846,4,2},
    {13852,6,2}, {13860,5,4}, {13869,6,3}, {13878,7,3}, {13888,10,2}, {13900,9,3}, {13912,5,3}, {13920,4,4},
    {13928,5,2}, {13935,6,3}, {13944,7,2}, {13953,7,3}, {13963,7,3}, {13973,5,3}, {13981,5,4}, {13990,6,3},
    {13999,6,3}, {14008,6,3}, {14017,8,3}, {14028,8,3}, {14039,12,3}, {14054,7,3}, {14064,7,2}, {14073,4,2},
    {14079,11,3}, {14093,6,3}, {14102,9,5}, {14116,5,2}, {14123,8,3}, {14134,4,2}, {14140,15,3}, {14158,15,3},
    {14176,6,3}, {14185,3,1}, {14189,7,1}, {14197,8,3}, {14208,5,2}, {14215,14,3}, {14232,3,3}, {14238,6,3},
    {14247,4,3}, {14254,5,3}, {14262,3,3}, {14268,11,3}, {14282,6,3}, {14291,20,5}, {14316,22,3}, {14341,7,3},
    {14351,9,3}, {14363,3,2}, {14368,5,2}, {14375,6,3}, {14384,5,4}, {14393,6,3}, {14402,6,3}, {14411,7,3},
    {14421,5,3}, {14429,3,3}, {14435,11,3}, {14449,8,3}, {14460,5,4}, {14469,17,3}, {14489,7,3}, {14499,17,3},
    {14519,6,3}, {14528,5,2}, {14535,6,3}, {14544,7,3}, {14554,7,3}, {14564,7,3}, {14574,5,2}, {14581,9,3},
    {14593,16,3}, {14612,5,1}, {14618,16,3}, {14637,5,3}, {14645,7,3}, {14655,20,3}, {14678,5,3}, {14686,6,3},
    {14695,11,5}, {14711,6,3}, {14720,6,2}, {14728,9,3}, {14740,6,3}, {14749,16,3}, {14768,7,2}, {14777,5,3},
    {14785,10,3}, {14798,16,3}, {14817,20,3}, {14840,9,3}, {14852,7,2}, {14861,7,2}, {14870,6,2},
    {14878,13,3}, {14894,7,2}, {14903,7,3}, {14913,10,3}, {14926,18,3}, {14947,7,2}, {14956,15,3},
    {14974,15,3}, {14992,8,3}, {15003,5,3}, {15011,5,2}, {15018,8,3}, {15029,8,3}, {15040,6,3}, {15049,12,3},
    {15064,9,3}, {15076,18,3}, {15097,5,3}, {15105,5,3}, {15113,5,3}, {15121,6,3}, {15130,6,3}, {15139,13,3},
    {15155,6,3}, {15164,9,3}, {15176,7,3}, {15186,5,3}, {15194,7,3}, {15204,6,3}, {15213,21,3}, {15237,6,5},
    {15248,7,2}, {15257,4,4}, {15265,6,3}, {15274,6,3}, {15283,4,4}, {15291,7,3}, {15301,4,2}, {15307,5,3},
    {15315,8,3}, {15326,6,2}, {15334,14,3}, {15351,5,3}, {15359,15,3}, {15377,4,4}, {15385,4,4}, {15393,6,3},
    {15402,7,2}, {15411,4,2}, {15417,5,3}, {15425,6,3}, {15434,7,3}, {15444,6,2}, {15452,5,3}, {15460,6,3},
    {15469,8,3}, {15480,8,3}, {15491,7,3}, {15501,5,3}, {15509,5,2}, {15516,3,3}, {15522,18,3}, {15543,7,2},
    {15552,7,3}, {15562,6,3}, {15571,4,4}, {15579,7,3}, {15589,11,3}, {15603,5,4}, {15612,6,3}, {15621,6,3},
    {15630,11,3}, {15644,4,2}, {15650,6,2}, {15658,5,3}, {15666,9,3}, {15678,16,3}, {15697,7,3}, {15707,5,3},
    {15715,5,4}, {15724,7,2}, {15733,6,2}, {15741,7,3}, {15751,8,6}, {15765,6,3}, {15774,8,3}, {15785,8,3},
    {15796,5,3}, {15804,10,3}, {15817,9,3}, {15829,6,3}, {15838,3,3}, {15844,10,6}, {15860,4,4}, {15868,6,2},
    {15876,4,2}, {15882,7,2}, {15891,6,3}, {15900,16,3}, {15919,7,2}, {15928,13,3}, {15944,18,3}, {15965,7,2},
    {15974,5,2}, {15981,7,2}, {15990,7,3}, {16000,4,3}, {16007,7,3}, {16017,6,3}, {16026,10,5}, {16041,6,3},
    {16050,5,2}, {16057,7,2}, {16066,5,2}, {16073,7,6}, {16086,4,3}, {16093,9,3}, {16105,19,3}, {16127,6,3},
    {16136,6,3}, {16145,15,3}, {16163,7,3}, {16173,16,3}, {16192,5,2}, {16199,12,3}, {16214,6,3}, {16223,4,3},
    {16230,2,1}, {16233,7,3}, {16243,7,3}, {16253,17,3}, {16273,5,4}, {16282,5,2}, {16289,7,2}, {16298,5,4},
    {16307,4,3}, {16314,6,2}, {16322,7,2}, {16331,9,3}, {16343,3,2}, {16348,6,3}, {16357,6,1}, {16364,5,5},
    {16374,4,2}, {16380,12,2}, {16394,5,2}, {16401,10,3}, {16414,3,3}, {16420,5,3}, {16428,7,3}, {16438,10,3},
    {16451,5,2}, {16458,5,4}, {16467,6,3}, {16476,8,3}, {16487,9,3}, {16499,6,3}, {16508,6,3}, {16517,17,3},
    {16537,6,2}, {16545,7,3}, {16555,9,3}, {16567,6,5}, {16578,12,3}, {16593,6,3}, {16602,6,3}, {16611,7,3},
    {16621,7,3}, {16631,5,4}, {16640,8,3}, {16651,13,3}, {16667,7,3}, {16677,14,3}, {16694,4,3}, {16701,11,3},
    {16715,6,3}, {16724,5,2}, {16731,9,3}, {16743,5,4}, {16752,6,3}, {16761,5,3}, {16769,4,2}, {16775,7,3},
    {16785,8,3}, {16796,5,3}, {16804,5,4}, {16813,8,3}, {16824,5,4}, {16833,9,3}, {16845,7,3}, {16855,10,3},
    {16868,7,2}, {16877,4,3}, {16884,7,2}, {16893,6,3}, {16902,4,3}, {16909,3,3}, {16915,4,6}, {16925,16,3},
    {16944,5,2}, {16951,5,3}, {16959,5,3}, {16967,7,3}, {16977,6,3}, {16986,8,3}, {16997,8,3}, {17008,4,4},
    {17016,9,3}, {17028,6,5}, {17039,6,3}, {17048,6,2}, {17056,16,5}, {17077,12,3}, {17092,9,3}, {17104,4,3},
    {17111,8,5}, {17124,17,3}, {17144,6,3}, {17153,6,2}, {17161,7,3}, {17171,14,3}, {17188,8,3}, {17199,6,2},
    {17207,6,3}, {17216,19,3}, {17238,7,3}, {17248,7,2}, {17257,13,3}, {17273,7,3}, {17283,6,3}, {17292,9,3},
    {17304,14,3}, {17321,7,3}, {17331,13,5}, {17349,5,4}, {17358,7,3}, {17368,3,3}, {17374,16,3}, {17393,6,2},
    {17401,8,3}, {17412,6,2}, {17420,7,3}, {17430,12,2}, {17444,6,3}, {17453,15,3}, {17471,4,3}, {17478,6,2},
    {17486,5,4}, {17495,9,3}, {17507,5,3}, {17515,6,3}, {17524,6,3}, {17533,15,3}, {17551,6,3}, {17560,5,3},
    {17568,7,3}, {17578,5,2}, {17585,11,3}, {17599,6,2}, {17607,7,3}, {17617,5,2}, {17624,6,3}, {17633,7,3},
    {17643,7,2}, {17652,5,3}, {17660,6,3}, {17669,6,3}, {17678,6,6}, {17690,8,3}, {17701,5,2}, {17708,13,3},
    {17724,6,3}, {17733,6,3}, {17742,9,3}, {17754,3,3}, {17760,8,3}, {17771,9,3}, {17783,7,3}, {17793,7,3},
    {17803,7,3}, {17813,7,2}, {17822,8,3}, {17833,15,3}, {17851,7,3}, {17861,8,3}, {17872,4,3}, {17879,18,3},
    {17900,5,4}, {17909,7,3}, {17919,8,2}, {17929,6,3}, {17938,7,2}, {17947,9,3}, {17959,5,2}, {17966,6,3},
    {17975,6,3}, {17984,5,1}, {17990,19,3}, {18012,7,2}, {18021,11,3}, {18035,3,3}, {18041,8,3}, {18052,5,2},
    {18059,5,4}, {18068,6,3}, {18077,5,4}, {18086,4,3}, {18093,3,2}, {18098,4,3}, {18105,22,3}, {18130,6,2},
    {18138,5,3}, {18146,7,2}, {18155,14,3}, {18172,5,4}, {18181,7,3}, {18191,6,3}, {18200,17,3}, {18220,5,2},
    {18227,6,3}, {18236,7,3}, {18246,7,3}, {18256,7,2}, {18265,7,2}, {18274,7,1}, {18282,8,2}, {18292,6,3},
    {18301,5,2}, {18308,6,3}, {18317,4,4}, {18325,4,4}, {18333,5,3}, {18341,8,3}, {18352,5,3}, {18360,6,3},
    {18369,5,3}, {18377,5,3}, {18385,14,3}, {18402,5,3}, {18410,5,4}, {18419,6,3}, {18428,4,4}, {18436,4,2},
    {18442,7,3}, {18452,7,2}, {18461,9,3}, {18473,6,2}, {18481,12,3}, {18496,3,1}, {18500,6,3}, {18509,3,2},
    {18514,7,1}, {18522,7,3}, {18532,7,2}, {18541,7,6}, {18554,7,2}, {18563,7,3}, {18573,19,3}, {18595,9,3},
    {18607,6,3}, {18616,7,3}, {18626,6,3}, {18635,6,3}, {18644,5,3}, {18652,7,3}, {18662,8,6}, {18676,6,3},
    {18685,7,3}, {18695,6,3}, {18704,7,2}, {18713,6,3}, {18722,10,3}, {18735,14,3}, {18752,10,3}, {18765,5,3},
    {18773,8,2}, {18783,7,3}, {18793,16,3}, {18812,18,5}, {18835,7,3}, {18845,6,3}, {18854,11,3}, {18868,6,3},
    {18877,6,3}, {18886,6,2}, {18894,4,3}, {18901,6,3}, {18910,10,3}, {18923,4,2}, {18929,7,3}, {18939,6,3},
    {18948,6,3}, {18957,4,2}, {18963,5,5}, {18973,6,3}, {18982,6,3}, {18991,11,3}, {19005,5,4}, {19014,7,3},
    {19024,5,4}, {19033,7,2}, {19042,4,2}, {19048,7,2}, {19057,5,3}, {19065,6,3}, {19074,6,3}, {19083,7,3},
    {19093,5,2}, {19100,7,2}, {19109,5,2}, {19116,9,3}, {19128,6,6}, {19140,17,3}, {19160,7,2}, {19169,3,2},
    {19174,3,3}, {19180,3,3}, {19186,7,3}, {19196,6,3}, {19205,5,2}, {19212,4,2}, {19218,5,3}, {19226,7,2},
    {19235,6,2}, {19243,5,2}, {19250,6,2}, {19258,4,2}, {19264,5,3}, {19272,6,3}, {19281,6,3}, {19290,5,3},
    {19298,10,3}, {19311,6,3}, {19320,7,3}, {19330,7,3}, {19340,5,4}, {19349,12,3}, {19364,4,3}, {19371,4,4},
    {19379,4,5}, {19388,18,3}, {19409,4,4}, {19417,17,1}, {19435,8,3}, {19446,16,3}, {19465,5,3}, {19473,4,4},
    {19481,11,3}, {19495,7,3}, {19505,6,2}, {19513,4,2}, {19519,16,3}, {19538,21,3}, {19562,5,3}, {19570,5,3},
    {19578,6,3}, {19587,10,3}, {19600,6,2}, {19608,13,3}, {19624,10,2}, {19636,8,3}, {19647,5,2},
    {19654,18,3}, {19675,6,2}, {19683,5,2}, {19690,6,3}, {19699,6,3}, {19708,5,3}, {19716,20,3}, {19739,7,3},
    {19749,7,5}, {19761,11,3}, {19775,14,3}, {19792,6,3}, {19801,8,3}, {19812,7,3}, {19822,5,2}, {19829,7,2},
    {19838,6,3}, {19847,13,6}, {19866,4,4}, {19874,8,3}, {19885,7,3}, {19895,11,3}, {19909,6,3}, {19918,7,3},
    {19928,7,3}, {19938,6,3}, {19947,8,3}, {19958,6,3}, {19967,6,2}, {19975,16,5}, {19996,8,3}, {20007,7,2},
    {20016,5,2}, {20023,7,3}, {20033,6,2}, {20041,8,1}, {20050,8,3}, {20061,4,1}, {20066,6,5}, {20077,15,3},
    {20095,5,2}, {20102,6,3}, {20111,14,3}, {20128,11,3}, {20142,9,3}, {20154,16,3}, {20173,4,2}, {20179,6,2},
    {20187,5,2}, {20194,7,2}, {20203,6,2}, {20211,8,3}, {20222,5,3}, {20230,8,3}, {20241,6,2}, {20249,7,3},
    {20259,6,3}, {20268,5,3}, {20276,7,3}, {20286,19,3}, {20308,6,3}, {20317,6,3}, {20326,5,2}, {20333,6,3},
    {20342,5,3}, {20350,5,3}, {20358,10,3}, {20371,5,2}, {20378,6,3}, {20387,12,3}, {20402,3,3}, {20408,6,2},
    {20416,9,3}, {20428,5,3}, {20436,5,2}, {20443,7,3}, {20453,3,1}, {20457,9,3}, {20469,6,3}, {20478,7,3},
    {20488,9,3}, {20500,7,3}, {20510,7,2}, {20519,7,2}, {20528,6,3}, {20537,7,2}, {20546,19,3}, {20568,3,3},
    {20574,5,3}, {20582,22,3}, {20607,4,2}, {20613,5,3}, {20621,4,3}, {20628,6,3}, {20637,19,3}, {20659,5,3},
    {20667,4,4}, {20675,6,2}, {20683,14,3}, {20700,5,3}, {20708,5,2}, {20715,6,3}, {20724,6,3}, {20733,17,3},
    {20753,12,3}, {20768,6,3}, {20777,10,3}, {20790,5,2}, {20797,5,3}, {20805,7,2}, {20814,5,2}, {20821,6,3},
    {20830,10,3}, {20843,6,3}, {20852,10,3}, {20865,9,3}, {20877,6,2}, {20885,6,3}, {20894,7,2}, {20903,5,3},
    {20911,4,3}, {20918,5,3}, {20926,3,2}, {20931,15,3}, {20949,6,3}, {20958,21,3}, {20982,4,5}, {20991,3,3},
    {20997,7,2}, {21006,4,3}, {21013,16,3}, {21032,22,3}, {21057,15,3}, {21075,4,3}, {21082,6,3}, {21091,5,2},
    {21098,5,3}, {21106,4,2}, {21112,7,2}, {21121,14,6}, {21141,4,3}, {21148,16,3}, {21167,6,2}, {21175,7,2},
    {21184,14,3}, {21201,7,3}, {21211,8,3}, {21222,4,2}, {21228,17,3}, {21248,7,2}, {21257,7,3}, {21267,4,2},
    {21273,8,3}, {21284,6,3}, {21293,5,4}, {21302,7,2}, {21311,13,6}, {21330,6,3}, {21339,4,4}, {21347,13,3},
    {21363,7,3}, {21373,5,1}, {21379,5,6}, {21390,8,3}, {21401,8,3}, {21412,5,4}, {21421,5,3}, {21429,5,2},
    {21436,4,4}, {21444,7,2}, {21453,16,3}, {21472,7,3}, {21482,17,3}, {21502,5,5}, {21512,13,3}, {21528,4,2},
    {21534,5,4}, {21543,7,3}, {21553,14,3}, {21570,4,2}, {21576,6,2}, {21584,11,3}, {21598,6,2}, {21606,2,1},
    {21609,7,2}, {21618,6,3}, {21627,12,3}, {21642,4,2}, {21648,6,3}, {21657,10,3}, {21670,4,3}, {21677,5,4},
    {21686,4,4}, {21694,7,3}, {21704,4,4}, {21712,6,3}, {21721,6,2}, {21729,4,4}, {21737,5,3}, {21745,5,3},
    {21753,14,3}, {21770,5,3}, {21778,7,5}, {21790,6,3}, {21799,4,2}, {21805,4,2}, {21811,14,3}, {21828,5,3},
    {21836,6,3}, {21845,18,3}, {21866,6,3}, {21875,6,2}, {21883,4,2}, {21889,7,3}, {21899,8,3}, {21910,10,3},
    {21923,4,4}, {21931,20,3}, {21954,4,3}, {21961,5,3}, {21969,9,3}, {21981,4,3}, {21988,7,1}, {21996,7,6},
    {22009,4,2}, {22015,6,3}, {22024,5,2}, {22031,17,2}, {22050,3,3}, {22056,7,3}, {22066,6,2}, {22074,5,3},
    {22082,15,3}, {22100,7,3}, {22110,4,2}, {22116,5,2}, {22123,5,3}, {22131,6,2}, {22139,10,3}, {22152,5,2},
    {22159,7,3}, {22169,5,2}, {22176,6,3}, {22185,8,3}, {22196,7,3}, {22206,16,3}, {22225,7,3}, {22235,4,2},
    {22241,15,3}, {22259,3,3}, {22265,10,3}, {22278,14,3}, {22295,5,4}, {22304,8,3}, {22315,16,3},
    {22334,5,4}, {22343,6,3}, {22352,5,4}, {22361,5,3}, {22369,5,4}, {22378,7,2}, {22387,3,3}, {22393,3,2},
    {22398,5,3}, {22406,5,6}, {22417,6,2}, {22425,7,2}, {22434,13,3}, {22450,5,2}, {22457,15,3}, {22475,6,2},
    {22483,6,2}, {22491,8,3}, {22502,18,3}, {22523,7,3}, {22533,8,3}, {22544,4,3}, {22551,6,2}, {22559,7,2},
    {22568,5,3}, {22576,5,3}, {22584,7,2}, {22593,14,3}, {22610,8,3}, {22621,7,5}, {22633,6,2}, {22641,4,3},
    {22648,6,6}, {22660,6,2}, {22668,8,3}, {22679,6,3}, {22688,6,3}, {22697,5,2}, {22704,6,2}, {22712,5,4},
    {22721,3,2}, {22726,7,3}, {22736,5,3}, {22744,7,3}, {22754,12,3}, {22769,5,5}, {22779,14,3}, {22796,4,4},
    {22804,4,4}, {22812,5,4}, {22821,6,2}, {22829,8,3}, {22840,9,3}, {22852,6,3}, {22861,9,3}, {22873,17,2},
    {22892,7,3}, {22902,13,3}, {22918,8,3}, {22929,4,3}, {22936,15,3}, {22954,7,6}, {22967,7,3}, {22977,6,2},
    {22985,18,3}, {23006,6,2}, {23014,8,3}, {23025,9,3}, {23037,4,3}, {23044,6,2}, {23052,5,4},
};

/* 0: nothing here; else 1 more than a row. */
static const uint16_t reference_at[1 << 13] = {
    0, 1, 0, 0, 2, 3, 0, 4, 0, 0, 0, 5, 0, 0, 0, 0, 6, 7, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 9, 10, 0, 0, 0, 11, 0,
    0, 0, 0, 12, 0, 0, 0, 0, 13, 14, 0, 0, 0, 15, 16, 17, 18, 19, 20, 0, 0, 0, 0, 21, 22, 0, 23, 24, 25, 0, 0,
    0, 26, 0, 27, 28, 0, 0, 29, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 30, 0, 0, 0, 0, 0, 0, 31, 32, 33,
    34, 35, 36, 37, 0, 0, 0, 0, 38, 0, 0, 0, 0, 0, 39, 0, 40, 0, 0, 0, 41, 0, 0, 0, 0, 42, 0, 0, 43, 44, 0, 0,
    0, 0, 0, 0, 0, 45, 0, 46, 0, 0, 0, 0, 0, 0, 0, 47, 0, 0, 0, 0, 0, 48, 49, 0, 50, 0, 0, 0, 0, 51, 52, 53,
    0, 0, 0, 0, 0, 54, 0, 0, 55, 0, 0, 0, 0, 0, 0, 0, 56, 0, 0, 0, 0, 0, 57, 0, 0, 58, 59, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 60, 0, 0, 61, 62, 63, 64, 0, 0, 0, 0, 0, 0, 65, 66, 0, 0, 0, 0, 0,
    67, 0, 0, 68, 0, 69, 0, 0, 0, 70, 71, 0, 0, 72, 0, 73, 74, 0, 0, 0, 75, 76, 0, 77, 0, 78, 79, 0, 80, 81,
    82, 83, 84, 85, 86, 87, 88, 0, 89, 90, 91, 92, 0, 0, 0, 93, 0, 0, 0, 0, 0, 94, 0, 95, 0, 96, 97, 98, 0, 0,
    0, 99, 0, 0, 0, 100, 101, 102, 103, 0, 0, 0, 0, 104, 105, 0, 0, 0, 0, 0, 0, 0, 0, 0, 106, 107, 0, 0, 0, 0,
    0, 108, 0, 0, 0, 109, 0, 0, 0, 0, 110, 111, 0, 0, 0, 0, 0, 0, 112, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 113, 0,
    0, 0, 0, 0, 0, 0, 114, 115, 0, 0, 0, 0, 0, 0, 0, 0, 116, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 117, 0, 118,
    0, 0, 119, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 120, 0, 0, 0, 121, 0, 0, 0, 122, 0, 0, 123, 0, 0, 124, 125, 0, 0,
    126, 0, 0, 127, 0, 0, 128, 0, 0, 0, 129, 0, 130, 0, 0, 0, 0, 0, 0, 131, 0, 0, 0, 132, 0, 0, 133, 0, 0, 0,
    0, 134, 135, 136, 137, 138, 0, 0, 0, 139, 0, 140, 0, 0, 141, 0, 0, 142, 0, 0, 143, 0, 144, 0, 0, 0, 0, 0,
    0, 0, 145, 146, 0, 0, 147, 0, 0, 0, 0, 0, 148, 0, 149, 150, 151, 152, 0, 0, 153, 154, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 155, 156, 0, 0, 0, 0, 0, 0, 0, 0, 157, 0, 0, 0, 158, 0, 0, 0, 0, 0, 0, 0, 0, 0, 159, 160, 161,
    162, 163, 0, 0, 0, 0, 164, 165, 166, 0, 0, 0, 0, 167, 0, 0, 0, 168, 169, 170, 0, 0, 0, 171, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 172, 173, 0, 0, 0, 174, 0, 0, 175, 176, 0, 0, 0, 177, 0, 0, 0, 0, 0, 0, 0, 178, 0, 179,
    180, 0, 0, 0, 181, 0, 0, 0, 0, 0, 182, 183, 0, 0, 0, 0, 0, 184, 0, 0, 185, 186, 187, 0, 0, 0, 0, 0, 0, 0,
    188, 189, 190, 0, 0, 191, 192, 0, 0, 0, 193, 0, 0, 0, 194, 0, 0, 195, 0, 0, 0, 0, 0, 0, 0, 0, 0, 196, 197,
    198, 0, 0, 0, 199, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 200, 201, 202, 0, 0,
    0, 0, 203, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 204, 205, 0, 0, 0, 0, 206, 207, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 208, 0, 209, 0, 210, 0, 0, 211, 0, 0, 212, 0, 213, 0, 0, 0, 0, 214, 215,
    0, 0, 0, 0, 0, 0, 216, 0, 217, 0, 0, 0, 0, 218, 0, 0, 0, 0, 0, 0, 219, 0, 220, 0, 0, 0, 0, 0, 221, 0, 0,
    222, 223, 0, 0, 0, 224, 0, 0, 0, 225, 226, 0, 0, 0, 0, 0, 227, 228, 0, 0, 229, 0, 230, 0, 0, 0, 0, 0, 231,
    0, 0, 0, 0, 0, 0, 232, 233, 0, 234, 235, 236, 237, 0, 238, 239, 0, 240, 241, 0, 0, 0, 0, 0, 0, 242, 0,
    243, 244, 0, 0, 0, 245, 0, 0, 0, 0, 0, 246, 247, 0, 0, 248, 249, 0, 0, 250, 0, 0, 0, 0, 0, 0, 0, 0, 251,
    252, 0, 253, 0, 254, 0, 255, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 256, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    257, 0, 0, 0, 0, 0, 0, 0, 258, 259, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 260, 261, 0, 0, 0, 0, 0,
    0, 262, 0, 0, 0, 0, 0, 0, 0, 0, 263, 264, 0, 265, 0, 0, 0, 0, 266, 267, 268, 269, 0, 0, 0, 270, 271, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 272, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    273, 0, 0, 274, 0, 0, 0, 0, 275, 0, 0, 276, 277, 278, 0, 0, 0, 0, 279, 0, 280, 281, 282, 0, 0, 0, 0, 0, 0,
    0, 0, 283, 0, 0, 0, 284, 0, 0, 0, 0, 0, 285, 0, 0, 0, 0, 286, 0, 0, 0, 0, 0, 0, 287, 0, 288, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 289, 290, 0, 291, 292, 0, 293, 0, 0, 0, 0, 0, 294, 0, 0, 0, 0, 295, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 296, 0, 297, 0, 298, 0, 0, 0, 0, 299, 0, 0, 0, 300, 0, 0, 301, 0, 0, 302, 0, 303, 0, 0,
    0, 0, 0, 304, 0, 0, 0, 0, 0, 0, 0, 0, 305, 306, 0, 0, 0, 0, 0, 307, 0, 308, 309, 310, 0, 0, 311, 312, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 313, 314, 0, 0, 0, 0, 315, 0, 0, 0, 316, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 317, 318, 319, 320, 0, 0, 321, 322, 0, 0, 0, 0, 0,
    323, 324, 325, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 326, 0, 0, 0, 0, 0, 0, 0, 327, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 328, 0, 0, 0, 0, 0, 0, 329, 0, 330, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    331, 332, 333, 334, 0, 0, 335, 0, 0, 336, 0, 0, 0, 0, 337, 0, 0, 0, 0, 0, 0, 0, 338, 0, 0, 0, 0, 0, 0, 0,
    0, 339, 0, 340, 0, 0, 0, 0, 0, 341, 342, 0, 0, 0, 0, 343, 0, 344, 0, 345, 0, 0, 346, 347, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 348, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 349, 0, 0, 350, 351, 0, 0, 352, 0,
    353, 0, 0, 354, 0, 0, 0, 355, 356, 0, 357, 0, 0, 0, 0, 0, 358, 359, 0, 0, 0, 0, 0, 0, 360, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 361, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 362, 0, 363, 0, 0, 364, 0, 0, 365, 0, 0, 0, 0,
    366, 0, 0, 0, 0, 367, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 368, 0, 369, 370, 0, 371, 0, 372, 0, 0, 0, 0, 0, 373,
    0, 0, 374, 375, 0, 376, 0, 377, 378, 0, 0, 0, 379, 0, 0, 0, 380, 0, 0, 0, 0, 0, 381, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 382, 0, 383, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 384, 385, 0, 0, 386, 0, 387, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 388, 0, 0, 0, 0, 0, 389, 0, 0, 0, 0, 0, 0, 0, 390, 0, 391, 0, 0, 0, 0, 0, 0, 0, 0,
    392, 0, 393, 0, 394, 395, 0, 0, 0, 0, 0, 0, 0, 0, 396, 397, 398, 0, 0, 0, 0, 0, 0, 399, 400, 0, 0, 0, 0,
    0, 0, 0, 0, 401, 0, 0, 402, 403, 0, 0, 404, 405, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 406, 0, 407,
    408, 0, 0, 0, 0, 409, 0, 0, 0, 0, 0, 410, 0, 411, 0, 0, 0, 412, 413, 414, 415, 416, 417, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 418, 0, 0, 0, 0, 419, 420, 421, 0, 0, 422, 0, 423, 0, 0, 424, 0, 0, 0, 0, 0, 0, 0, 0,
    425, 426, 0, 0, 0, 0, 0, 427, 0, 0, 0, 0, 428, 429, 0, 430, 0, 0, 0, 0, 0, 0, 0, 431, 0, 432, 0, 433, 0,
    0, 0, 0, 0, 434, 435, 436, 0, 0, 0, 0, 0, 437, 0, 0, 438, 0, 439, 0, 0, 0, 0, 440, 0, 0, 0, 441, 0, 0, 0,
    442, 443, 444, 445, 446, 0, 0, 447, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 448, 0, 0, 449, 0, 0, 450, 451, 0,
    0, 0, 0, 452, 0, 453, 0, 0, 0, 454, 0, 455, 456, 457, 458, 0, 459, 0, 0, 0, 0, 0, 0, 0, 460, 0, 0, 461, 0,
    0, 0, 0, 0, 462, 463, 0, 464, 0, 0, 0, 465, 466, 0, 467, 0, 468, 0, 469, 0, 470, 0, 471, 0, 472, 0, 0, 0,
    0, 0, 473, 0, 0, 0, 474, 475, 0, 476, 0, 477, 0, 478, 479, 0, 480, 0, 481, 0, 0, 0, 0, 0, 0, 482, 0, 0, 0,
    0, 483, 484, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 485, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 486, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 487, 488, 0, 489, 490, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 491, 0, 0, 0, 0, 0, 0, 492, 493, 494, 495, 0, 496, 0, 0, 497, 0, 0, 0, 0, 0, 498, 499,
    0, 0, 0, 0, 0, 0, 500, 0, 501, 0, 0, 0, 0, 0, 0, 502, 503, 504, 0, 505, 0, 506, 507, 0, 508, 0, 509, 0, 0,
    0, 0, 510, 0, 511, 512, 513, 514, 0, 0, 0, 0, 0, 0, 0, 515, 0, 0, 0, 0, 516, 517, 0, 0, 0, 0, 0, 0, 0,
    518, 0, 0, 0, 519, 520, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 521, 0, 522, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 523, 0, 0, 524, 0, 525, 0, 0, 526, 527, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 528, 0, 0, 529, 530,
    531, 0, 0, 0, 0, 532, 0, 0, 0, 0, 0, 533, 534, 0, 0, 0, 0, 0, 535, 0, 0, 0, 0, 536, 537, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 538, 539, 540, 541, 0, 542, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 543, 544, 0, 545,
    546, 0, 0, 0, 0, 0, 0, 0, 547, 0, 0, 0, 548, 0, 0, 0, 549, 550, 551, 0, 0, 0, 552, 0, 0, 553, 554, 555,
    556, 0, 557, 0, 0, 0, 0, 0, 558, 0, 0, 0, 0, 0, 0, 0, 0, 0, 559, 560, 0, 561, 0, 0, 0, 0, 0, 0, 0, 562,
    563, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 564, 0, 0, 0, 565, 566, 0, 0, 0, 0, 0, 0, 0, 567,
    0, 0, 568, 569, 0, 570, 0, 571, 572, 0, 0, 0, 0, 0, 0, 573, 574, 0, 0, 0, 0, 0, 575, 576, 0, 0, 0, 0, 0,
    0, 577, 0, 0, 0, 0, 0, 578, 0, 0, 0, 0, 0, 0, 0, 0, 0, 579, 580, 0, 0, 581, 0, 582, 583, 0, 0, 584, 0, 0,
    0, 0, 585, 0, 586, 0, 0, 0, 0, 587, 588, 0, 0, 0, 0, 0, 589, 0, 590, 0, 0, 591, 0, 0, 0, 0, 0, 0, 0, 592,
    593, 0, 0, 0, 0, 0, 0, 0, 594, 595, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 596, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    597, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 598, 0, 0, 0, 0, 0, 0, 0, 0, 599, 0, 0, 600, 0, 0, 0, 0, 0, 601, 0,
    602, 0, 0, 0, 0, 0, 0, 0, 0, 0, 603, 0, 604, 605, 606, 0, 0, 0, 0, 607, 0, 0, 0, 0, 608, 0, 0, 0, 0, 0, 0,
    609, 0, 610, 611, 612, 0, 0, 0, 0, 0, 613, 614, 0, 0, 0, 0, 0, 0, 0, 615, 616, 0, 0, 0, 0, 617, 618, 0, 0,
    619, 0, 0, 0, 0, 0, 0, 0, 620, 0, 0, 0, 621, 0, 0, 0, 0, 0, 0, 0, 0, 622, 0, 623, 0, 0, 0, 0, 0, 0, 624,
    0, 0, 0, 0, 0, 0, 0, 0, 625, 0, 0, 0, 0, 0, 626, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    627, 0, 0, 0, 0, 0, 0, 0, 0, 628, 629, 630, 631, 632, 633, 634, 635, 636, 0, 0, 0, 637, 638, 0, 639, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 640, 641, 642, 0, 0, 0, 0, 0, 0, 0, 643, 0, 644, 645, 0, 0, 646, 647,
    648, 0, 0, 0, 0, 0, 0, 0, 0, 649, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 650, 0, 0, 651, 0, 0, 0, 0, 652, 0,
    653, 0, 0, 654, 0, 0, 0, 0, 655, 0, 0, 0, 656, 0, 0, 0, 0, 0, 0, 0, 657, 0, 658, 0, 659, 660, 0, 0, 0,
    661, 0, 662, 663, 0, 664, 665, 666, 667, 668, 669, 670, 0, 671, 0, 672, 0, 0, 673, 0, 0, 0, 674, 0, 0, 0,
    0, 0, 0, 675, 0, 676, 0, 0, 0, 677, 678, 679, 0, 0, 0, 0, 680, 0, 0, 0, 0, 681, 0, 0, 0, 0, 0, 0, 0, 0,
    682, 0, 683, 684, 685, 0, 0, 0, 0, 0, 686, 687, 0, 0, 688, 0, 689, 0, 690, 691, 0, 0, 0, 0, 0, 0, 0, 692,
    0, 693, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 694, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 695, 0, 696, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 697, 0, 0, 698, 699, 700, 0, 0, 0, 0, 0, 0, 0, 0, 701, 0, 702, 0, 703, 0, 0, 0, 0, 0,
    704, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 705, 706, 707, 708, 709, 0, 0, 710, 0, 0, 711, 712, 713, 714, 715,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 716, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 717, 0, 0, 0, 0, 0,
    0, 718, 719, 0, 0, 0, 0, 720, 0, 721, 722, 0, 0, 0, 723, 0, 724, 0, 0, 0, 725, 726, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 727, 0, 0, 0, 0, 728, 0, 0, 729, 730, 0, 731, 0, 0, 732, 733, 734,
    735, 0, 0, 0, 0, 0, 0, 736, 0, 737, 0, 738, 739, 0, 0, 740, 741, 742, 743, 0, 0, 0, 744, 0, 0, 0, 0, 745,
    746, 0, 0, 747, 0, 0, 748, 0, 0, 0, 749, 750, 0, 0, 0, 0, 0, 751, 0, 0, 752, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 753, 754, 0, 0, 755, 0, 0, 0, 756, 757, 0, 0, 0, 0, 758, 0, 759, 0, 0, 0, 760, 0, 0, 0, 761, 762, 0, 0,
    0, 763, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 764, 0, 765, 0, 766, 0, 0, 767, 0, 0, 768, 769, 0, 770, 0, 0, 0, 0,
    0, 0, 771, 772, 0, 0, 0, 0, 0, 0, 0, 0, 0, 773, 0, 774, 775, 776, 777, 778, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 779, 0, 0, 0, 0, 0, 0, 0, 780, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 781, 0, 0, 0, 0, 0, 0, 0,
    0, 782, 0, 0, 0, 0, 0, 783, 784, 785, 786, 0, 0, 0, 787, 0, 0, 788, 0, 0, 0, 789, 790, 791, 792, 793, 0,
    794, 0, 795, 796, 0, 0, 0, 0, 797, 0, 0, 798, 0, 799, 0, 0, 800, 801, 802, 0, 803, 0, 804, 0, 0, 0, 0,
    805, 0, 0, 0, 806, 0, 0, 0, 0, 807, 0, 0, 0, 0, 0, 808, 809, 0, 0, 0, 810, 0, 811, 0, 0, 812, 0, 0, 0, 0,
    0, 0, 813, 814, 815, 816, 0, 0, 817, 818, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 819, 0, 0, 0, 0, 820, 0, 821, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 822, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 823, 824, 825, 826, 0, 0, 0, 827, 828, 0,
    829, 0, 0, 830, 0, 0, 831, 832, 0, 0, 0, 833, 834, 835, 0, 836, 0, 0, 0, 0, 837, 0, 838, 0, 0, 839, 0,
    840, 0, 0, 0, 0, 841, 0, 0, 0, 0, 0, 0, 842, 843, 0, 0, 0, 0, 0, 0, 844, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    845, 0, 0, 0, 0, 0, 0, 846, 0, 847, 848, 849, 850, 851, 0, 0, 852, 0, 0, 0, 853, 0, 854, 0, 0, 855, 856,
    0, 0, 0, 0, 0, 857, 858, 859, 0, 0, 0, 0, 0, 860, 861, 0, 0, 0, 0, 862, 0, 0, 0, 863, 0, 0, 864, 0, 0,
    865, 0, 0, 866, 0, 0, 0, 0, 0, 867, 0, 868, 0, 0, 0, 0, 0, 0, 869, 0, 0, 0, 870, 871, 872, 0, 873, 0, 0,
    0, 0, 0, 0, 874, 875, 0, 0, 0, 876, 0, 0, 0, 0, 877, 0, 0, 878, 0, 0, 0, 0, 0, 0, 0, 879, 0, 0, 0, 0, 0,
    0, 0, 880, 0, 0, 881, 0, 882, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 883, 0, 884, 0, 0, 885, 0, 0, 0, 0, 886,
    0, 0, 0, 0, 0, 887, 888, 0, 0, 889, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 890, 891, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 892, 0, 893, 0, 0, 0, 894, 0, 0, 895, 0, 0, 0, 0, 896, 0, 897, 898, 0, 0, 0, 899, 0, 0,
    900, 0, 901, 902, 0, 903, 0, 0, 0, 904, 0, 0, 0, 0, 0, 0, 0, 905, 906, 907, 908, 909, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 910, 911, 0, 912, 913, 914, 915, 0, 916, 0, 0, 917, 0, 0, 918, 0, 0, 919, 920, 0, 0, 0, 0, 0, 0,
    0, 0, 921, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 922, 0, 923, 0, 0, 0, 0, 924, 0, 0, 0, 0, 0, 0, 0, 925, 926, 0,
    0, 0, 927, 928, 929, 930, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 931, 0, 0, 0, 0, 0, 932, 933, 934, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 935, 0, 0, 0, 0, 0, 0, 0, 0, 936, 0, 937, 0, 0, 0, 938, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 939, 0, 0, 0, 0, 0, 940, 0, 0, 0, 941, 0, 0, 0, 0, 0, 0, 0, 0, 0, 942, 0, 0, 0, 0, 0,
    0, 943, 0, 0, 944, 0, 0, 0, 0, 945, 0, 0, 0, 0, 0, 0, 946, 0, 0, 947, 0, 948, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    949, 950, 0, 0, 0, 0, 0, 0, 951, 952, 0, 0, 0, 0, 0, 0, 953, 0, 954, 0, 0, 0, 0, 0, 0, 0, 955, 956, 0,
    957, 958, 959, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 960, 0,
    961, 0, 0, 0, 0, 0, 0, 962, 0, 963, 0, 0, 964, 0, 0, 0, 0, 0, 965, 0, 966, 0, 967, 0, 0, 0, 968, 969, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 970, 0, 0, 971,
    972, 973, 0, 0, 974, 0, 975, 976, 977, 0, 0, 0, 0, 0, 978, 979, 0, 980, 981, 0, 982, 983, 984, 0, 0, 0, 0,
    0, 0, 0, 0, 985, 986, 987, 988, 0, 0, 0, 0, 989, 0, 990, 0, 0, 0, 0, 991, 0, 992, 993, 994, 0, 0, 0, 0, 0,
    995, 996, 997, 998, 0, 0, 0, 0, 999, 0, 1000, 1001, 0, 0, 1002, 0, 1003, 0, 0, 0, 1004, 0, 0, 0, 1005, 0,
    0, 0, 1006, 1007, 0, 0, 1008, 0, 0, 0, 1009, 0, 0, 1010, 1011, 0, 0, 0, 0, 1012, 0, 0, 0, 0, 0, 0, 0,
    1013, 0, 0, 0, 1014, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1015, 0, 1016, 0, 0, 0, 1017, 0, 0, 0, 1018, 0,
    0, 0, 0, 0, 1019, 0, 0, 0, 0, 0, 1020, 1021, 1022, 0, 1023, 1024, 1025, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 1026, 0, 0, 0, 1027, 1028, 0, 1029, 1030, 0, 0, 0, 1031, 0, 1032, 1033, 0, 0, 0, 1034,
    1035, 1036, 1037, 0, 0, 0, 1038, 0, 0, 0, 1039, 1040, 0, 0, 0, 0, 1041, 0, 0, 0, 1042, 0, 0, 0, 0, 0, 0,
    0, 1043, 0, 1044, 1045, 1046, 0, 0, 1047, 0, 0, 0, 0, 0, 1048, 1049, 1050, 0, 0, 0, 0, 1051, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 1052, 0, 0, 0, 0, 1053, 1054, 0, 0, 0, 1055, 0, 1056, 0, 0, 1057, 0, 0, 0,
    1058, 1059, 1060, 0, 0, 0, 0, 0, 0, 0, 1061, 0, 0, 0, 1062, 1063, 1064, 1065, 0, 0, 0, 0, 0, 0, 1066,
    1067, 0, 0, 0, 1068, 0, 1069, 0, 1070, 0, 0, 0, 1071, 1072, 0, 1073, 1074, 0, 0, 0, 1075, 1076, 1077, 0,
    0, 0, 0, 1078, 0, 0, 0, 0, 0, 0, 0, 1079, 0, 0, 0, 0, 0, 0, 0, 1080, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 1081, 1082, 0, 0, 1083, 0, 0, 0, 0, 1084, 0, 0, 0, 0, 1085, 1086, 0, 1087, 1088,
    1089, 0, 0, 0, 0, 0, 0, 1090, 1091, 0, 0, 1092, 0, 1093, 1094, 1095, 1096, 1097, 1098, 0, 0, 0, 0, 0, 0,
    1099, 0, 0, 0, 0, 1100, 1101, 1102, 1103, 1104, 1105, 0, 1106, 0, 0, 0, 0, 0, 0, 0, 0, 1107, 0, 0, 0, 0,
    1108, 0, 1109, 1110, 1111, 1112, 0, 0, 0, 0, 0, 0, 1113, 1114, 1115, 0, 0, 0, 0, 1116, 0, 0, 0, 1117, 0,
    0, 0, 1118, 0, 0, 0, 0, 0, 1119, 0, 1120, 0, 0, 0, 0, 0, 1121, 0, 0, 1122, 0, 0, 1123, 0, 0, 0, 0, 0, 0,
    0, 0, 1124, 0, 1125, 0, 0, 0, 0, 0, 0, 0, 1126, 0, 0, 0, 0, 1127, 0, 0, 0, 1128, 0, 0, 1129, 0, 0, 0, 0,
    0, 0, 0, 1130, 1131, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1132, 1133, 1134, 0, 1135, 0, 0, 0, 0, 0, 0, 0, 0,
    1136, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1137, 0, 1138, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1139, 1140, 0, 0,
    1141, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1142, 0, 0, 1143, 0, 0, 0, 0, 1144, 1145, 0, 0, 0, 1146, 0,
    0, 0, 1147, 1148, 0, 0, 1149, 1150, 0, 0, 0, 0, 1151, 0, 0, 0, 1152, 1153, 1154, 0, 0, 0, 1155, 0, 0, 0,
    0, 1156, 0, 0, 0, 0, 1157, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1158, 1159, 1160, 0, 0,
    1161, 0, 0, 1162, 1163, 1164, 0, 0, 0, 0, 0, 0, 1165, 0, 0, 0, 0, 1166, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    1167, 0, 1168, 0, 0, 1169, 0, 0, 0, 0, 0, 0, 1170, 0, 0, 0, 0, 0, 0, 1171, 0, 0, 1172, 1173, 0, 0, 1174,
    0, 0, 0, 1175, 0, 0, 1176, 1177, 1178, 1179, 1180, 0, 1181, 1182, 1183, 0, 0, 1184, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 1185, 1186, 0, 0, 0, 1187, 0, 0, 1188, 0, 0, 1189, 0, 1190, 1191, 0, 0, 0, 0, 0, 0, 0,
    1192, 0, 0, 1193, 0, 1194, 1195, 0, 0, 1196, 1197, 1198, 1199, 1200, 1201, 0, 0, 0, 0, 1202, 0, 0, 0, 0,
    1203, 1204, 0, 1205, 1206, 0, 0, 0, 1207, 0, 1208, 0, 1209, 0, 1210, 1211, 1212, 0, 1213, 0, 0, 0, 0,
    1214, 1215, 1216, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1217, 0, 1218, 1219, 0, 0, 0, 1220, 1221, 0, 0, 0, 0, 0,
    1222, 0, 0, 1223, 0, 1224, 1225, 1226, 0, 0, 0, 0, 0, 1227, 0, 0, 1228, 0, 0, 0, 0, 0, 0, 1229, 0, 0,
    1230, 0, 0, 0, 0, 0, 0, 0, 1231, 1232, 1233, 1234, 0, 0, 0, 0, 0, 0, 1235, 0, 1236, 0, 0, 0, 0, 1237, 0,
    0, 0, 1238, 0, 1239, 1240, 0, 0, 0, 0, 0, 1241, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1242, 1243, 0, 1244,
    0, 0, 1245, 0, 0, 0, 0, 0, 0, 1246, 1247, 1248, 1249, 1250, 1251, 0, 0, 0, 1252, 0, 0, 0, 0, 1253, 1254,
    0, 0, 1255, 0, 0, 0, 0, 1256, 0, 1257, 0, 1258, 1259, 1260, 0, 1261, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1262,
    1263, 0, 1264, 0, 1265, 1266, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1267, 0, 0, 0, 0,
    1268, 0, 0, 1269, 0, 0, 1270, 1271, 0, 1272, 0, 0, 1273, 0, 1274, 1275, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1276,
    0, 0, 0, 1277, 0, 0, 0, 0, 1278, 1279, 1280, 0, 0, 1281, 0, 0, 0, 0, 0, 0, 0, 0, 1282, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 1283, 0, 0, 0, 0, 0, 0, 0, 1284, 0, 0, 1285, 0, 0, 0, 1286, 1287, 0, 0, 0, 0, 0, 0,
    0, 0, 1288, 0, 0, 0, 1289, 0, 0, 1290, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1291, 0, 1292, 0, 1293, 1294, 0,
    1295, 0, 0, 1296, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1297, 1298, 0, 0, 1299, 0, 0, 0, 0, 0, 0, 1300,
    1301, 1302, 1303, 1304, 1305, 0, 1306, 0, 0, 1307, 0, 0, 0, 1308, 0, 0, 0, 0, 0, 0, 0, 1309, 0, 0, 0, 0,
    0, 0, 0, 0, 1310, 0, 1311, 1312, 1313, 1314, 0, 1315, 0, 1316, 0, 0, 1317, 1318, 0, 0, 0, 0, 1319, 0, 0,
    1320, 1321, 0, 0, 0, 1322, 1323, 0, 1324, 0, 0, 0, 0, 0, 0, 1325, 0, 0, 0, 1326, 1327, 1328, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1329, 1330, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1331, 0, 0, 0, 1332, 0, 0, 0,
    0, 0, 0, 0, 0, 1333, 0, 0, 0, 1334, 1335, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1336, 0, 0, 1337, 0, 1338,
    1339, 1340, 1341, 0, 0, 1342, 0, 0, 0, 1343, 1344, 1345, 1346, 0, 0, 1347, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 1348, 0, 0, 1349, 0, 0, 0, 0, 1350, 0, 0, 1351, 0, 0, 1352, 0, 0, 0, 1353, 1354, 0, 0, 1355,
    1356, 0, 0, 0, 0, 0, 0, 0, 0, 1357, 1358, 1359, 0, 0, 1360, 0, 1361, 0, 0, 0, 1362, 1363, 0, 1364, 1365,
    0, 0, 0, 0, 0, 1366, 0, 0, 0, 0, 0, 0, 0, 0, 1367, 1368, 1369, 1370, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    1371, 0, 0, 0, 0, 0, 0, 0, 0, 1372, 0, 0, 0, 0, 1373, 0, 0, 0, 0, 0, 1374, 1375, 0, 1376, 1377, 0, 0, 0,
    1378, 1379, 0, 0, 0, 1380, 0, 1381, 0, 1382, 1383, 0, 0, 0, 1384, 0, 0, 1385, 1386, 0, 0, 1387, 1388, 0,
    0, 0, 0, 1389, 0, 0, 0, 0, 1390, 0, 1391, 0, 1392, 0, 0, 0, 0, 0, 0, 0, 1393, 0, 0, 1394, 0, 0, 1395,
    1396, 1397, 1398, 0, 1399, 1400, 0, 0, 0, 0, 0, 0, 0, 0, 1401, 1402, 0, 0, 0, 0, 1403, 0, 1404, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 1405, 0, 1406, 1407, 0, 0, 1408, 0, 0, 0, 0, 0, 0, 0, 1409, 0, 0, 1410, 0, 0,
    1411, 1412, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1413, 1414, 1415, 0, 1416, 1417, 0, 0, 0,
    0, 1418, 0, 0, 0, 1419, 0, 0, 0, 0, 1420, 0, 0, 0, 1421, 1422, 1423, 0, 0, 0, 1424, 1425, 0, 0, 0, 1426,
    1427, 0, 1428, 0, 0, 0, 0, 1429, 0, 0, 0, 0, 0, 0, 0, 0, 1430, 0, 0, 1431, 0, 0, 0, 0, 1432, 0, 1433,
    1434, 0, 0, 1435, 1436, 1437, 1438, 1439, 0, 0, 0, 0, 1440, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1441, 0, 0, 0,
    1442, 0, 0, 1443, 0, 0, 0, 0, 1444, 1445, 0, 0, 1446, 0, 0, 0, 0, 0, 0, 1447, 0, 0, 0, 0, 0, 1448, 1449,
    1450, 0, 0, 0, 0, 1451, 0, 1452, 0, 0, 0, 0, 0, 1453, 0, 0, 1454, 0, 0, 1455, 0, 0, 1456, 0, 0, 1457, 0,
    1458, 0, 1459, 1460, 1461, 1462, 1463, 0, 1464, 0, 1465, 0, 0, 0, 1466, 1467, 0, 0, 0, 0, 0, 1468, 1469,
    1470, 1471, 1472, 0, 1473, 0, 1474, 1475, 1476, 1477, 1478, 1479, 0, 1480, 1481, 0, 1482, 1483, 0, 0, 0,
    0, 0, 0, 0, 1484, 0, 0, 0, 0, 0, 1485, 0, 0, 0, 0, 0, 1486, 1487, 0, 1488, 0, 0, 1489, 0, 1490, 1491, 0,
    0, 0, 0, 1492, 1493, 1494, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1495, 1496, 0, 1497, 1498, 0, 1499, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 1500, 0, 0, 1501, 0, 0, 0, 0, 0, 0, 0, 0, 1502, 1503, 0, 1504, 1505, 0, 0, 1506,
    0, 0, 0, 1507, 1508, 1509, 1510, 0, 0, 0, 0, 0, 0, 0, 1511, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1512, 1513, 0, 0,
    1514, 0, 0, 0, 0, 0, 1515, 1516, 0, 0, 0, 1517, 1518, 1519, 1520, 0, 1521, 1522, 1523, 1524, 0, 0, 0,
    1525, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1526, 1527, 1528, 1529, 0, 1530, 1531, 0, 0, 0, 0, 1532, 0, 0,
    1533, 0, 0, 0, 0, 0, 1534, 1535, 0, 0, 0, 1536, 0, 1537, 0, 0, 0, 0, 1538, 0, 0, 0, 0, 0, 1539, 0, 1540,
    0, 0, 1541, 1542, 0, 0, 1543, 1544, 0, 0, 1545, 0, 1546, 0, 0, 0, 0, 1547, 1548, 0, 0, 0, 1549, 0, 0, 0,
    0, 0, 1550, 1551, 0, 0, 1552, 1553, 0, 0, 1554, 0, 0, 1555, 0, 1556, 0, 0, 0, 1557, 1558, 1559, 0, 0,
    1560, 1561, 1562, 1563, 0, 0, 0, 1564, 0, 0, 0, 0, 1565, 0, 1566, 0, 1567, 1568, 1569, 1570, 0, 1571, 0,
    0, 0, 1572, 0, 0, 1573, 1574, 1575, 1576, 0, 0, 0, 1577, 1578, 0, 0, 0, 0, 0, 0, 1579, 1580, 0, 0, 0, 0,
    0, 0, 1581, 0, 0, 0, 0, 0, 1582, 1583, 0, 0, 0, 0, 0, 1584, 0, 1585, 0, 1586, 0, 0, 1587, 0, 0, 1588,
    1589, 1590, 1591, 1592, 0, 1593, 1594, 1595, 0, 0, 0, 0, 0, 1596, 1597, 0, 0, 0, 0, 0, 0, 1598, 1599, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 1600, 1601, 1602, 0, 1603, 1604, 0, 1605, 0, 0, 0, 0, 0, 0, 1606, 0, 0, 0,
    1607, 0, 0, 1608, 0, 0, 1609, 0, 1610, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1611, 1612, 0, 1613, 0, 0, 1614,
    0, 1615, 1616, 1617, 1618, 1619, 1620, 0, 0, 0, 0, 0, 1621, 1622, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1623, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 1624, 0, 0, 0, 1625, 1626, 1627, 1628, 1629, 0, 1630, 0, 1631, 1632, 1633, 1634,
    1635, 0, 0, 0, 0, 1636, 0, 0, 1637, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1638, 1639, 1640, 1641, 1642, 0, 0, 0, 0,
    0, 0, 0, 1643, 0, 0, 0, 0, 0, 0, 0, 1644, 1645, 1646, 1647, 0, 0, 0, 0, 0, 0, 1648, 0, 1649, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 1650, 1651, 0, 0, 1652, 0, 0, 0, 1653, 1654, 1655, 1656, 0, 0, 0, 0, 0, 0, 0, 0, 1657, 0,
    0, 0, 0, 0, 1658, 0, 0, 0, 0, 0, 0, 1659, 0, 1660, 1661, 0, 0, 0, 0, 0, 1662, 1663, 1664, 1665, 1666, 0,
    0, 0, 1667, 1668, 0, 1669, 0, 0, 1670, 0, 1671, 0, 0, 0, 0, 0, 0, 0, 1672, 1673, 0, 1674, 0, 0, 0, 0,
    1675, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1676, 1677, 0, 0, 1678, 0, 0, 0, 1679, 0, 1680, 1681, 0, 0, 0, 1682,
    1683, 1684, 0, 0, 0, 0, 0, 0, 0, 1685, 0, 0, 0, 0, 0, 1686, 0, 0, 1687, 0, 1688, 0, 0, 0, 0, 1689, 1690,
    0, 0, 0, 0, 0, 0, 0, 0, 1691, 1692, 0, 0, 0, 1693, 0, 0, 0, 0, 0, 0, 0, 0, 1694, 0, 0, 0, 1695, 1696, 0,
    0, 0, 1697, 0, 0, 1698, 1699, 1700, 0, 0, 0, 1701, 0, 1702, 1703, 1704, 1705, 1706, 1707, 0, 1708, 0,
    1709, 0, 1710, 0, 0, 0, 0, 0, 0, 0, 1711, 1712, 0, 0, 0, 0, 1713, 0, 0, 1714, 1715, 0, 0, 1716, 0, 0,
    1717, 0, 0, 0, 0, 1718, 0, 0, 0, 0, 0, 1719, 0, 0, 0, 0, 1720, 0, 0, 1721, 1722, 1723, 1724, 1725, 1726,
    0, 0, 1727, 0, 0, 0, 0, 0, 0, 0, 0, 1728, 1729, 1730, 0, 0, 1731, 0, 0, 1732, 0, 0, 0, 0, 0, 1733, 0, 0,
    0, 0, 0, 0, 0, 0, 1734, 1735, 0, 1736, 0, 0, 0, 0, 0, 0, 0, 1737, 0, 0, 0, 1738, 1739, 1740, 0, 0, 0, 0,
    0, 1741, 0, 1742, 0, 0, 0, 1743, 0, 1744, 1745, 1746, 0, 1747, 0, 0, 1748, 0, 0, 0, 1749, 0, 0, 0, 0, 0,
    1750, 0, 1751, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1752, 1753, 1754, 0, 1755, 0, 0, 0, 0, 1756, 0, 0, 0, 0, 0,
    1757, 1758, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1759, 1760, 0, 1761, 1762, 0, 0, 0, 0, 0, 1763, 0, 0,
    0, 0, 0, 0, 0, 0, 1764, 1765, 0, 1766, 1767, 0, 0, 0, 0, 1768, 1769, 1770, 1771, 1772, 0, 0, 0, 0, 1773,
    0, 0, 1774, 0, 1775, 0, 0, 0, 0, 0, 1776, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1777, 1778, 0, 0, 0, 0, 0,
    1779, 1780, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1781, 0, 0, 0, 1782, 0, 1783, 1784, 1785, 1786, 0, 0, 1787, 0,
    0, 0, 1788, 1789, 1790, 1791, 1792, 1793, 0, 1794, 0, 0, 0, 0, 0, 1795, 0, 0, 1796, 0, 1797, 0, 1798, 0,
    1799, 0, 0, 1800, 0, 0, 0, 1801, 0, 0, 1802, 1803, 0, 0, 0, 0, 0, 0, 0, 1804, 0, 0, 0, 0, 0, 1805, 0, 0,
    1806, 0, 0, 0, 0, 0, 0, 0, 0, 1807, 0, 0, 0, 0, 0, 1808, 1809, 0, 1810, 1811, 1812, 1813, 0, 1814, 1815,
    0, 1816, 1817, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1818, 1819, 1820, 0, 0, 0, 0, 1821, 0, 0, 0, 0, 0, 0, 0, 0,
    1822, 1823, 0, 0, 0, 0, 0, 1824, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1825, 1826,
    1827, 0, 0, 0, 1828, 0, 0, 0, 0, 0, 0, 1829, 1830, 1831, 1832, 0, 1833, 0, 1834, 0, 0, 0, 0, 1835, 1836,
    0, 0, 1837, 0, 1838, 1839, 0, 1840, 1841, 0, 0, 0, 0, 0, 0, 0, 1842, 0, 0, 1843, 0, 0, 1844, 0, 0, 0,
    1845, 0, 0, 1846, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1847, 0, 0, 0, 1848, 0, 1849, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 1850, 0, 1851, 1852, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1853, 1854, 1855, 1856, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1857, 0, 0, 0, 0, 0, 0, 0, 0, 1858, 1859, 1860, 0, 1861, 0, 1862, 0,
    1863, 1864, 1865, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1866, 0, 0, 1867, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 1868, 1869, 1870, 0, 0, 0, 0, 1871, 1872, 1873, 1874, 0, 0, 1875, 0, 0, 0, 1876,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1877, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 1878, 0, 0, 0, 1879, 0, 0, 1880, 1881, 1882, 1883, 0, 1884, 1885, 0, 0, 0, 1886, 1887, 0, 1888,
    0, 1889, 0, 0, 1890, 0, 0, 0, 0, 1891, 0, 1892, 0, 0, 0, 0, 1893, 0, 0, 1894, 0, 1895, 0, 1896, 0, 0,
    1897, 0, 1898, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1899, 0, 0, 0, 0, 0, 1900, 1901, 0, 0, 0, 0, 0, 0,
    0, 0, 1902, 0, 0, 0, 0, 0, 0, 0, 1903, 1904, 0, 0, 1905, 0, 0, 0, 1906, 1907, 0, 0, 0, 0, 0, 0, 1908,
    1909, 0, 0, 0, 0, 0, 0, 0, 0, 1910, 1911, 1912, 0, 0, 0, 0, 1913, 0, 0, 0, 0, 0, 0, 0, 0, 1914, 0, 1915,
    0, 0, 0, 0, 0, 0, 1916, 0, 0, 1917, 0, 0, 0, 0, 1918, 0, 0, 1919, 0, 0, 0, 0, 0, 0, 0, 0, 1920, 0, 0,
    1921, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1922, 0, 1923, 0, 0, 0, 0, 0, 0,
    0, 0, 1924, 0, 0, 0, 0, 1925, 0, 1926, 0, 0, 0, 0, 0, 0, 1927, 0, 0, 0, 1928, 1929, 1930, 0, 0, 0, 0,
    1931, 1932, 1933, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1934, 1935, 0, 0, 0, 0, 0, 1936, 0, 0, 0, 0, 0, 0, 0, 0,
    1937, 0, 0, 0, 0, 0, 0, 1938, 1939, 0, 0, 0, 0, 0, 1940, 1941, 0, 0, 0, 1942, 1943, 1944, 0, 1945, 1946,
    1947, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1948, 1949, 0, 0, 1950, 0, 0, 0, 0, 1951, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1952, 1953, 1954, 0, 1955, 0, 0, 0, 0, 0, 0, 1956, 0, 0, 0, 0, 0, 1957,
    0, 0, 0, 1958, 1959, 1960, 1961, 1962, 1963, 0, 0, 1964, 0, 0, 0, 1965, 1966, 0, 0, 1967, 0, 0, 0, 0,
    1968, 0, 1969, 0, 0, 0, 0, 0, 0, 1970, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1971, 1972, 1973, 1974, 0, 0, 0, 1975,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1976, 1977, 0, 0, 0, 0, 0, 0, 0, 1978, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 1979, 1980, 0, 0, 0, 1981, 0, 0, 0, 1982, 0, 1983, 0, 0, 1984, 1985, 1986, 1987, 0,
    0, 0, 1988, 0, 0, 0, 0, 0, 0, 0, 0, 1989, 0, 1990, 1991, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1992,
    0, 1993, 1994, 1995, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1996, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 1997, 1998, 0, 0, 0, 1999, 2000, 0, 2001, 2002, 2003, 0, 0, 0, 0, 0, 0, 2004,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2005, 0, 0, 0, 0, 0, 0, 2006, 0, 0, 2007, 0, 0, 0, 0, 0, 2008, 2009,
    2010, 0, 0, 0, 0, 2011, 2012, 2013, 0, 0, 0, 0, 0, 2014, 0, 0, 2015, 0, 0, 0, 2016, 2017, 2018, 2019, 0,
    0, 0, 0, 0, 0, 2020, 0, 0, 0, 0, 0, 0, 2021, 0, 0, 0, 0, 0, 0, 2022, 0, 0, 0, 0, 0, 0, 0, 0, 2023, 0,
    2024, 2025, 0, 0, 0, 0, 2026, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2027, 0, 0, 2028, 0, 2029,
    2030, 0, 2031, 2032, 0, 0, 0, 0, 0, 2033, 0, 2034, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2035, 0, 0, 0, 0, 0,
    0, 0, 0, 2036, 2037, 0, 0, 0, 0, 0, 0, 2038, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2039, 0, 2040, 2041, 2042, 2043,
    0, 0, 0, 2044, 0, 0, 0, 0, 0, 2045, 0, 2046, 0, 2047, 2048, 0, 0, 0, 2049, 2050, 2051, 0, 2052, 0, 0,
    2053, 2054, 0, 0, 0, 2055, 0, 0, 2056, 2057, 2058, 0, 0, 2059, 0, 0, 0, 2060, 2061, 2062, 2063, 2064, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 2065, 2066, 0, 0, 0, 0, 0, 0, 2067, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    2068, 0, 0, 0, 0, 0, 0, 0, 2069, 0, 0, 0, 0, 2070, 0, 2071, 2072, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    2073, 2074, 0, 0, 0, 2075, 2076, 2077, 2078, 2079, 2080, 2081, 0, 0, 0, 0, 2082, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2083, 2084, 0, 0, 0, 2085, 0, 0, 0, 2086, 2087,
    2088, 0, 0, 0, 2089, 2090, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2091, 2092, 0, 0, 0, 0, 2093, 2094, 2095, 0,
    2096, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2097, 0, 0, 0, 0, 0, 0, 0, 0, 2098, 0, 2099, 2100, 2101, 0,
    0, 0, 0, 0, 0, 0, 2102, 0, 0, 2103, 0, 2104, 2105, 2106, 2107, 0, 0, 2108, 0, 0, 2109, 0, 0, 2110, 0,
    2111, 2112, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2113, 0, 0, 0, 2114, 0, 2115, 2116, 0, 0,
    2117, 2118, 0, 2119, 0, 2120, 0, 2121, 0, 2122, 2123, 2124, 0, 0, 2125, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2126,
    0, 0, 0, 0, 0, 2127, 0, 0, 0, 2128, 0, 0, 0, 2129, 2130, 0, 0, 0, 0, 2131, 2132, 0, 0, 0, 0, 2133, 2134,
    2135, 0, 0, 0, 0, 0, 0, 2136, 0, 0, 2137, 0, 0, 2138, 0, 0, 0, 0, 0, 0, 2139, 0, 0, 0, 2140, 2141, 2142,
    0, 0, 0, 2143, 0, 0, 2144, 0, 2145, 0, 0, 0, 0, 0, 0, 2146, 0, 0, 0, 0, 0, 0, 2147, 2148, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 2149, 0, 0, 2150, 0, 0, 0, 2151, 2152, 0, 0, 0, 0, 2153, 0, 0, 0, 0, 0, 0, 2154, 0, 0, 0,
    2155, 0, 0, 2156, 2157, 2158, 2159, 0, 2160, 0, 0, 2161, 0, 0, 0, 0, 2162, 0, 0, 0, 0, 0, 2163, 0, 0, 0,
    2164, 0, 0, 0, 0, 2165, 2166, 2167, 0, 0, 2168, 2169, 0, 0, 0, 2170, 0, 2171, 0, 2172, 0, 0, 2173, 0, 0,
    0, 0, 2174, 0, 0, 0, 0, 2175, 0, 0, 0, 0, 2176, 0, 0, 0, 0, 0, 0, 0, 2177, 2178, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 2179, 0, 0, 0, 0, 0, 0, 0, 2180, 2181, 2182, 2183, 2184, 0, 0, 0, 2185, 0, 0, 2186, 0, 0, 0,
    2187, 0, 0, 0, 0, 0, 2188, 0, 0, 0, 0, 2189, 2190, 0, 0, 0, 0, 0, 0, 2191, 0, 2192, 2193, 2194, 2195, 0,
    0, 2196, 0, 0, 2197, 0, 0, 0, 0, 0, 2198, 0, 0, 0, 0, 0, 0, 0, 2199, 2200, 0, 0, 0, 0, 2201, 0, 0, 2202,
    0, 0, 0, 2203, 2204, 0, 0, 2205, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2206, 0, 0,
    2207, 0, 0, 0, 0, 0, 0, 0, 0, 2208, 0, 0, 2209, 2210, 0, 0, 2211, 0, 0, 0, 0, 0, 0, 0, 0, 2212, 0, 0,
    2213, 2214, 0, 2215, 0, 0, 0, 2216, 0, 0, 0, 0, 2217, 2218, 2219, 2220, 2221, 2222, 2223, 2224, 2225,
    2226, 0, 0, 0, 0, 2227, 0, 0, 0, 0, 2228, 0, 0, 2229, 2230, 2231, 0, 0, 0, 0, 0, 0, 0,
};

fa_bytes html_reference_named(const uint8_t *name, size_t size) {
    uint32_t place = 5381;
    for (size_t i = 0; i < size; i++) place = (place * 33) ^ name[i];
    place = (place * 0x9E3779B1u) >> 19;
    for (; reference_at[place]; place = (place + 1) & 8191) {
        unsigned row = reference_at[place] - 1u;
        const char *known = reference_pool + reference_rows[row].at;
        if (reference_rows[row].name == size && memcmp(known, name, size) == 0) {
            return (fa_bytes){(const uint8_t *)known + size, reference_rows[row].text};
        }
    }
    return (fa_bytes){NULL, 0};
}
