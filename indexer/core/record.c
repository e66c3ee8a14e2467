/* See record.h. */
#include "record.h"

#include <string.h>

#include "charset.h"
#include "inflate.h"

enum { LONGEST_HEADER = 32 << 10, MOST_FIELDS = 500, LONGEST_REASON = 21 };

/* A line of a header: its name and its value. */
typedef struct field {
    fa_place name, value;
} field;

static inline uint8_t lower(uint8_t byte) { return byte >= 'A' && byte <= 'Z' ? byte | 0x20 : byte; }

static int is_digit(uint8_t byte) { return byte >= '0' && byte <= '9'; }

/* Do the bytes say a word, given in small letters? */
static int says(fa_bytes text, fa_place place, const char *word) {
    size_t size = strlen(word);
    if (place.size != size) return 0;
    for (size_t k = 0; k < size; k++)
        if (lower(text.data[place.begin + k]) != (uint8_t)word[k]) return 0;
    return 1;
}

static int starts(fa_bytes text, fa_place place, const char *word) {
    size_t size = strlen(word);
    return place.size >= size && says(text, (fa_place){place.begin, (uint32_t)size}, word);
}

static fa_place stripped(fa_bytes text, uint32_t begin, uint32_t end) {
    while (begin < end && text.data[begin] == ' ') begin++;
    while (end > begin && text.data[end - 1] == ' ') end--;
    return (fa_place){begin, end - begin};
}

/* Give the end of the line at `at`, where its CR LF begins; 0 when it has another end, or holds other bytes than
 * printable ASCII. */
static uint32_t end_of_line(fa_bytes text, uint32_t at) {
    size_t end = at, most = text.size - at < LONGEST_HEADER ? text.size : (size_t)at + LONGEST_HEADER;
    while (end < most && text.data[end] >= 0x20 && text.data[end] < 0x7f) end++;
    return end + 1 < most && text.data[end] == '\r' && text.data[end + 1] == '\n' ? (uint32_t)end : 0;
}

/* May the byte stand in the name of a field? */
static int is_of_name(uint8_t byte) {
    uint8_t letter = lower(byte);
    return (letter >= 'a' && letter <= 'z') || is_digit(byte) || byte == '-' || byte == '_';
}

/* Read the field at `*at` and go behind it. Returns 0 when it is odd; the blank line at the end is a field without name. */
static int next_field(fa_bytes text, uint32_t *at, field *found) {
    uint32_t begin = *at, end = end_of_line(text, begin), colon = begin;
    if (end == 0) return 0;
    while (colon < end && is_of_name(text.data[colon])) colon++;
    if (end > begin && (colon == begin || colon == end || text.data[colon] != ':')) return 0;
    found->name = (fa_place){begin, colon - begin};
    found->value = end > begin ? stripped(text, colon + 1, end) : (fa_place){end, 0};
    *at = end + 2;
    return 1;
}

/* Keep the value of a field that is there once. Returns 0 when it comes again. */
static int keep(fa_place *kept, fa_place value) {
    if (kept->begin) return 0;
    *kept = value;
    return 1;
}

/* ---------------------------------------------------------------- the header of the record */

/* What is read on the way and judged at the end. */
typedef struct reading {
    fa_bytes text;
    size_t whole; /* bytes of the member, of which the text may be the start */
    fa_record *record;
    fa_place date, length, target;
    uint32_t at; /* the byte that comes next */
} reading;

static int take_warc_field(reading *r, field f) {
    fa_record *record = r->record;
    fa_bytes text = r->text;
    if (says(text, f.name, "content-length")) return keep(&r->length, f.value);
    if (says(text, f.name, "content-type")) return keep(&record->content_type, f.value);
    if (!starts(text, f.name, "warc-")) return 1;
    fa_place name = {f.name.begin + 5, f.name.size - 5};
    if (says(text, name, "type")) return keep(&record->type, f.value);
    if (says(text, name, "target-uri")) return keep(&r->target, f.value);
    if (says(text, name, "date")) return keep(&r->date, f.value);
    if (says(text, name, "payload-digest")) return keep(&record->payload, f.value);
    if (says(text, name, "refers-to-target-uri")) return keep(&record->refers_to, f.value);
    /* cut, a part of a record, or an address by the name that it once had */
    return !says(text, name, "truncated") && !starts(text, name, "segment-") && !says(text, name, "subject-uri");
}

/* Does "WARC/" stand in the line? Then another header may begin there. */
static int holds_start(fa_bytes text, uint32_t begin, uint32_t end) {
    const uint8_t *at = text.data + begin, *last = text.data + end;
    while (last - at >= 5 && (at = memchr(at, 'W', (size_t)(last - at - 4))) != NULL) {
        if (memcmp(at, "WARC/", 5) == 0) return 1;
        at++;
    }
    return 0;
}

static int read_warc_header(reading *r) {
    if (r->text.size < 12 || memcmp(r->text.data, "WARC/1.", 7) != 0) return 0;
    uint8_t minor = r->text.data[7];
    if ((minor != '0' && minor != '1') || memcmp(r->text.data + 8, "\r\n", 2) != 0) return 0;
    r->record->version = 10 + minor - '0';
    r->at = 10;
    field f;
    for (unsigned count = 0; count < MOST_FIELDS && r->at < LONGEST_HEADER; count++) {
        if (!next_field(r->text, &r->at, &f)) return 0;
        if (f.name.size == 0) return 1;
        if (!take_warc_field(r, f)) return 0;
    }
    return 0;
}

static unsigned pair_at(const uint8_t *digits) { return (digits[0] - '0') * 10u + (digits[1] - '0'); }

/* Tell whether 14 digits are a moment in the Gregorian calendar, from the year 1 on. */
static int is_moment(const uint8_t *digits) {
    static const uint8_t DAYS[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    unsigned year = pair_at(digits) * 100 + pair_at(digits + 2), month = pair_at(digits + 4), day = pair_at(digits + 6);
    if (year == 0 || month == 0 || month > 12) return 0;
    unsigned is_leap = month == 2 && year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return day >= 1 && day <= DAYS[month - 1] + is_leap && pair_at(digits + 8) < 24 && pair_at(digits + 10) < 60 &&
           pair_at(digits + 12) < 60;
}

/* Take a date as nearly all are: 2017-01-18T07:07:38Z, perhaps with a fraction. */
static int take_date(reading *r) {
    static const char SHAPE[] = "0000-00-00T00:00:00";
    enum { SIZE = sizeof SHAPE - 1 };
    fa_place date = r->date;
    const uint8_t *text = r->text.data + date.begin;
    if (date.size < SIZE + 1 || date.size > 64 || text[date.size - 1] != 'Z') return 0;
    uint8_t *digits = r->record->timestamp;
    for (size_t k = 0, put = 0; k < SIZE; k++) {
        if (SHAPE[k] == '0' ? !is_digit(text[k]) : text[k] != (uint8_t)SHAPE[k]) return 0;
        if (SHAPE[k] == '0') digits[put++] = text[k];
    }
    if (date.size > SIZE + 1) {
        if (text[SIZE] != '.' || date.size == SIZE + 2) return 0;
        for (size_t k = SIZE + 1; k < date.size - 1; k++)
            if (!is_digit(text[k])) return 0;
    }
    return is_moment(digits);
}

static int take_url(reading *r) {
    const uint8_t *text = r->text.data;
    fa_place url = r->target;
    if (url.size > 1 && text[url.begin] == '<' && text[url.begin + url.size - 1] == '>')
        url = stripped(r->text, url.begin + 1, url.begin + url.size - 1);
    r->record->url = url;
    return url.size > 0 && !starts(r->text, url, "dns:");
}

/* Return where a text ends without a character that may go on behind its end; not before `least`. */
static size_t before_cut_character(fa_bytes text, size_t least) {
    size_t end = text.size;
    while (end > least && (text.data[end - 1] & 0xc0) == 0x80) end--;
    return end > least && text.data[end - 1] >= 0xc0 ? end - 1 : end;
}

/* Take the length of the block, behind which there are line ends only, as far as can be seen. Returns 0 when it is odd.
 */
static int take_block(reading *r, fa_bytes *block) {
    enum { LINE_ENDS = 4 };
    if (r->length.size < 1 || r->length.size > 9) return 0;
    size_t length = 0;
    for (uint32_t k = 0; k < r->length.size; k++) {
        uint8_t digit = r->text.data[r->length.begin + k];
        if (!is_digit(digit)) return 0;
        length = length * 10 + (digit - '0');
    }
    if (length > r->whole - r->at) return 0;
    *block = (fa_bytes){r->text.data, r->at + length};
    if (r->whole > r->text.size && r->whole - block->size != LINE_ENDS) return 0;
    if (block->size > r->text.size) {
        block->size = before_cut_character(r->text, r->at);
        return 1;
    }
    for (size_t at = block->size; at < r->text.size; at++)
        if (r->text.data[at] != '\r' && r->text.data[at] != '\n') return 0;
    return 1;
}

/* ---------------------------------------------------------------- the header of the HTTP response */

/* Read the status line; the text ends with the block. */
static int take_status(reading *r) {
    fa_bytes text = r->text;
    uint32_t begin = r->at, end = end_of_line(text, begin);
    if (end < begin + 10 || memcmp(text.data + begin, "HTTP/", 5) != 0) return 0;
    uint32_t at = begin + 5;
    if (!is_digit(text.data[at])) return 0;
    if (text.data[++at] == '.') {
        if (!is_digit(text.data[at + 1])) return 0;
        at += 2;
    }
    if (text.data[at] != ' ' || end - at < 4) return 0;
    const uint8_t *code = text.data + at + 1;
    if (!is_digit(code[0]) || !is_digit(code[1]) || !is_digit(code[2])) return 0;
    if (end - at > 4 && code[3] != ' ') return 0;
    r->record->status = (code[0] - '0') * 100u + pair_at(code + 1);
    r->at = end + 2;
    /* answers before the answer: 100 Continue, and 200 Connection established */
    return r->record->status >= 200 && end - at <= 4 + 1 + LONGEST_REASON;
}

static int take_http_field(reading *r, field f) {
    fa_record *record = r->record;
    fa_bytes text = r->text;
    if (says(text, f.name, "content-type")) return keep(&record->http_type, f.value);
    if (says(text, f.name, "content-language")) return keep(&record->http_language, f.value);
    if (says(text, f.name, "content-encoding")) return keep(&record->content_coding, f.value);
    if (says(text, f.name, "transfer-encoding")) return keep(&record->transfer_coding, f.value);
    if (says(text, f.name, "x-content-type-options")) return keep(&record->no_sniffing, f.value);
    return 1;
}

static int read_http_header(reading *r) {
    field f;
    uint32_t begin = r->at;
    if (!take_status(r)) return 0;
    for (unsigned count = 0; count < MOST_FIELDS && r->at - begin < LONGEST_HEADER; count++) {
        if (!next_field(r->text, &r->at, &f)) return 0;
        if (f.name.size == 0) return 1;
        if (!take_http_field(r, f)) return 0;
    }
    return 0;
}

/* ---------------------------------------------------------------- pages as nearly all are */

/* Does the declared type say that the body is HTML, and perhaps that it is UTF-8? Gives -1, 0 or 1. */
static int declares_page(const reading *r) {
    static const char HTML[] = "text/html", CHARSET[] = "charset=";
    fa_place type = r->record->http_type;
    const uint8_t *at = r->text.data + type.begin, *end = at + type.size;
    if (type.size < sizeof HTML - 1 || memcmp(at, HTML, sizeof HTML - 1) != 0) return -1;
    at += sizeof HTML - 1;
    if (at == end) return 0;
    if (*at++ != ';') return -1;
    if (at < end && *at == ' ') at++;
    if ((size_t)(end - at) < sizeof CHARSET - 1 || memcmp(at, CHARSET, sizeof CHARSET - 1) != 0) return -1;
    at += sizeof CHARSET - 1;
    fa_place label = {(uint32_t)(at - r->text.data), (uint32_t)(end - at)};
    return says(r->text, label, "utf-8") || says(r->text, label, "utf8") ? 1 : -1;
}

/* Is a page, if it is UTF-8, taken for that though it declares no charset? An XML declaration may name one, zeros look like
 * UTF-16, and an escape may begin Japanese in seven bits; _detected in indexer/text/charset.py. */
static int is_taken_for_utf_8(fa_bytes body) {
    enum { WIDE = 64 };
    return (body.size < 5 || memcmp(body.data, "<?xml", 5) != 0) &&
           !memchr(body.data, 0, body.size < WIDE ? body.size : WIDE) && !memchr(body.data, 0x1b, body.size);
}

/* Is UTF-8 the first charset that the page declares, as far as one is looked for, or does it declare none? */
static int is_declared_inside(fa_bytes body) {
    enum { REACH = 8192 };
    fa_bytes label = {NULL, 0}, start = {body.data, body.size < REACH ? body.size : REACH};
    if (!fa_prescan(start, 0, &label)) return is_taken_for_utf_8(body);
    if (label.size > REACH) return 0;
    fa_place all = {0, (uint32_t)label.size};
    return says(label, all, "utf-8") || says(label, all, "utf8");
}

/* Neither a byte order mark nor the first byte of what is known by how it begins: a page begins with a tag. */
static int begins_with_tag(fa_bytes body) {
    size_t at = 0;
    while (at < body.size && (body.data[at] == ' ' || (body.data[at] >= 9 && body.data[at] <= 13 && body.data[at] != 11))) at++;
    return body.size - at > 3 && body.data[at] == '<' && body.data[at + 1] && body.data[at + 2] && body.data[at + 3];
}

static int is_plain_page(const reading *r) {
    const fa_record *record = r->record;
    fa_bytes body = {r->text.data + record->body.begin, record->body.size};
    if (record->status != 200 || record->content_coding.begin || record->transfer_coding.begin || !begins_with_tag(body))
        return 0;
    int declared = declares_page(r);
    return declared >= 0 && (declared || is_declared_inside(body)) && fa_is_utf_8(body);
}

/* ---------------------------------------------------------------- all of it */

static enum fa_record_kind kind_of(fa_bytes text, fa_place type) {
    if (says(text, type, "response")) return FA_RESPONSE;
    if (says(text, type, "revisit")) return FA_REVISIT;
    return says(text, type, "request") || says(text, type, "metadata") || says(text, type, "warcinfo") ? FA_ASIDE : FA_ODD;
}

static enum fa_record_kind read_record(reading *r) {
    fa_bytes block;
    if (!read_warc_header(r) || !take_block(r, &block) || holds_start(r->text, 5, r->at)) return FA_ODD;
    enum fa_record_kind kind = kind_of(r->text, r->record->type);
    if (kind == FA_ODD || kind == FA_ASIDE) return kind;
    if (!take_date(r) || !take_url(r)) return FA_ODD;
    r->text = block;
    int is_empty = kind == FA_REVISIT && r->at == block.size;
    if (!is_empty && !read_http_header(r)) return FA_ODD;
    r->record->body = (fa_place){r->at, (uint32_t)(block.size - r->at)};
    r->record->is_plain_page = kind == FA_RESPONSE && is_plain_page(r);
    return kind;
}

void fa_record_read(const uint8_t *member, size_t size, size_t whole, fa_record *record) {
    *record = (fa_record){0};
    if (whole > FA_MOST_RECORD || size > whole) return;
    reading r = {.text = {member, size}, .whole = whole, .record = record};
    record->kind = read_record(&r);
}

uint32_t fa_members_read(fa_bytes packed, uint8_t *room, size_t most, fa_member *found, uint32_t count, uint32_t *is_cut) {
    enum { ENOUGH = 512 << 10 }; /* unpacked bytes, of which the processor still holds most when they are copied */
    uint32_t made = 0;
    size_t at = 0, filled = 0;
    *is_cut = 0;
    while (made < count && filled < ENOUGH) {
        size_t taken, size;
        fa_bytes rest = {packed.data + at, packed.size - at};
        enum fa_unpacked told = fa_gunzip(rest, room + filled, most - filled, &taken, &size);
        if (told == FA_UNPACKED_CUT && made == 0) *is_cut = 1;
        if (told != FA_UNPACKED) break;
        fa_member *member = &found[made];
        *member = (fa_member){.packed = taken, .begin = filled, .size = size};
        fa_record_read(room + filled, size, size, &member->record);
        if (member->record.kind == FA_ODD) return made ? made : 1;
        made++;
        at += taken;
        filled += size;
    }
    return made;
}
