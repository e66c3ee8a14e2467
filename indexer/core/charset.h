/* What the bytes of a page say of their charset; the ladder of the HTML standard is in indexer/text/charset.py. */
#ifndef FINDINGAID_CHARSET_H
#define FINDINGAID_CHARSET_H

#include "core.h"

/* Give the next label that a meta element from `at` on declares a charset by, as "prescan a byte stream to determine its
 * encoding" of the HTML standard finds it: in a charset attribute, or in the content beside http-equiv=content-type. The
 * label may be empty. Returns from where to go on if the label means nothing, 0 when there is none any more. Linear time. */
FA_EXPORT size_t fa_prescan(fa_bytes start, size_t at, fa_bytes *label);

/* Tell whether all of it is UTF-8, surrogates left out. Linear time. */
FA_EXPORT int fa_is_utf_8(fa_bytes text);

#endif
