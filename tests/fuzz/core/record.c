/* Fuzzes what is read of a record in one walk, and what its bytes say of their charset.
 *
 * What has to hold: all places that are told lie in the member, a plain page lies behind the headers, begins with a tag and
 * is UTF-8, with a charset that is declared or nothing that makes it another one; labels lie in the text, and the search for them goes on and ends.
 */
#include "record.h"

#include "charset.h"

#include <stdlib.h>
#include <string.h>

static void check(int holds) {
    if (!holds) abort();
}

static void look_at(fa_bytes member, const fa_record *found) {
    const fa_place *places[] = {&found->type,      &found->url,           &found->payload,
                                &found->refers_to, &found->content_type,  &found->http_type,
                                &found->http_language, &found->transfer_coding, &found->content_coding,
                                &found->no_sniffing, &found->body};
    for (size_t k = 0; k < sizeof places / sizeof *places; k++)
        check(places[k]->begin <= member.size && places[k]->size <= member.size - places[k]->begin);
    check(found->version == 10 || found->version == 11);
    if (found->kind == FA_ASIDE) return;
    check(found->url.size > 0);
    for (unsigned k = 0; k < 14; k++) check(found->timestamp[k] >= '0' && found->timestamp[k] <= '9');
    if (!found->is_plain_page) return;
    fa_bytes body = {member.data + found->body.begin, found->body.size}, label;
    check(found->kind == FA_RESPONSE && found->status == 200 && body.size > 3 && fa_is_utf_8(body));
    if (found->http_type.size > 9 || fa_prescan(body, 0, &label)) return;
    check(memcmp(body.data, "<?xml", body.size < 5 ? body.size : 5) != 0 && !memchr(body.data, 0x1b, body.size));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    /* in a room of its own: a byte too far is seen */
    uint8_t *room = malloc(size ? size : 1);
    check(room != NULL);
    if (size) memcpy(room, data, size);
    fa_bytes text = {room, size}, label = {NULL, 0};
    fa_record found;
    fa_record_read(room, size, size, &found);
    if (found.kind != FA_ODD) look_at(text, &found);
    fa_record_read(room, size, size + size / 2, &found);
    if (found.kind != FA_ODD) look_at(text, &found);
    size_t before = 0, at = 0;
    while ((at = fa_prescan(text, at, &label))) {
        check(at > before && at <= size);
        check(label.size == 0 || (label.data >= room && label.size <= size && label.data + label.size <= room + size));
        before = at;
    }
    fa_is_utf_8(text);
    free(room);
    return 0;
}
