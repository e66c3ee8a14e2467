/* A page as the parser of cached pages writes its tree, taken apart: the text that a reader sees, and what is sent.
 *
 * That form is always the same: texts without "<" and with five references, tags as `<name a="value">` and `</name>`,
 * comments. Whatever is not of that form is refused as a whole, so nothing passes through here that was not looked at.
 * Tags that nothing acts in stand in most places of a page: they are written on as they are. All others are handed out,
 * one by one, to be judged by webui/rewrite.py.
 */
#ifndef FINDINGAID_PIECES_H
#define FINDINGAID_PIECES_H

#include "buffer.h"
#include "core.h"

/* Where a mark begins and ends, in characters of the visible text. */
typedef struct fa_mark {
    uint32_t begin, end;
} fa_mark;

/* How links are written that nothing has to be put right in: paths, and whole addresses. */
typedef struct fa_links {
    fa_bytes start;  /* what the addresses of our pages begin with, up to their time */
    fa_bytes folder; /* what links are relative to: an address with a path, up to its last "/" */
    size_t origin;   /* so much of it is in front of the path, with the "/" that this begins with */
    fa_bytes page;   /* links to places of this address stay in their page; empty for none */
} fa_links;

/* Put the text that a reader sees behind `text`, in UTF-8, without references; "\n" stands where words are parted. What
 * is in titles, form fields, drawings and the like is none. most: characters of it.
 * Returns FA_OK, FA_NO_MEMORY, FA_TOO_LARGE (more than FA_MOST_HTML), or FA_CORRUPT for what is not of the form.
 * Linear time. */
FA_EXPORT int fa_visible_text(fa_bytes html, size_t most, fa_buffer *text);

/* Put the page behind `page` as it is sent, but for tags to be judged: text, 0, tag, 0, text ... with as many texts as
 * tags and one more. No text holds "<" but in tags that are written on, none `"` or a carriage return but as references;
 * no piece holds a 0 byte.
 * marks: rising and apart; each is put around its characters of the visible text as an element `mark`, once in each of
 * the texts that it reaches over. start: what such an element begins with, up to its id, which is `id` and its number
 * from 1 on; those that go on with a mark of the text before have none.
 * links: NULL, or how links are written; all their texts stand in attributes as they are.
 * Returns as fa_visible_text does. Linear time; memory for at most six bytes for each byte of the page, for the marks, and
 * for start and folder of each link. */
FA_EXPORT int fa_page_pieces(fa_bytes html, const fa_mark *marks, size_t count, fa_bytes start, fa_bytes id,
                             const fa_links *links, fa_buffer *page);

FA_EXPORT void fa_pieces_free(fa_buffer *pieces);

#endif
