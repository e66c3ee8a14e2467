/* Links by target, text and page. See link_rows.h. */
#include "link_rows.h"

#include <stdlib.h>
#include <string.h>

#include "buffer.h"
#include "order.h"

enum { FEW = 24, MANY = 1 << 10 }; /* links of a target: sorted one by one, or digit by digit */

struct fa_link_rows {
    fa_buffer targets, edges, texts, links, sources;
    fa_buffer keys; /* of the links of the target in hand: the number of the text, and 16 bits of the page below it */
};

fa_link_rows *fa_link_rows_new(void) { return calloc(1, sizeof(fa_link_rows)); }

void fa_link_rows_free(fa_link_rows *rows) {
    if (rows == NULL) return;
    fa_buffer *buffers[] = {&rows->targets, &rows->edges, &rows->texts, &rows->links, &rows->sources, &rows->keys};
    for (size_t k = 0; k < sizeof buffers / sizeof *buffers; k++) fa_buffer_free(buffers[k]);
    free(rows);
}

void fa_link_rows_table(const fa_link_rows *rows, fa_link_table *table) {
    *table = (fa_link_table){
        .targets = {rows->targets.data, rows->targets.size},
        .edges = {rows->edges.data, rows->edges.size},
        .texts = {rows->texts.data, rows->texts.size},
        .links = {rows->links.data, rows->links.size},
        .sources = {rows->sources.data, rows->sources.size},
    };
}

/* ---- one target ---- */

static enum fa_status put_key(fa_link_rows *rows, uint32_t text, int64_t page) {
    if (page < 0 || page > UINT16_MAX) return FA_CORRUPT;
    return fa_buffer_put_u64(&rows->keys, (uint64_t)text << 16 | (uint64_t)page) ? FA_OK : FA_NO_MEMORY;
}

static int compare_keys(const void *a, const void *b) {
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

static enum fa_status sort_keys(uint64_t *keys, size_t count) {
    size_t sorted = 1;
    while (sorted < count && keys[sorted - 1] <= keys[sorted]) sorted++;
    if (sorted >= count) return FA_OK;
    if (count <= FEW) {
        for (size_t k = sorted; k < count; k++) {
            uint64_t key = keys[k];
            size_t to = k;
            for (; to > 0 && keys[to - 1] > key; to--) keys[to] = keys[to - 1];
            keys[to] = key;
        }
        return FA_OK;
    }
    if (count < MANY) {
        qsort(keys, count, sizeof *keys, compare_keys);
        return FA_OK;
    }
    if (count > UINT32_MAX) return FA_TOO_LARGE;
    fa_item *items = malloc(2 * count * sizeof *items);
    if (items == NULL) return FA_NO_MEMORY;
    for (size_t k = 0; k < count; k++) items[k] = (fa_item){.key = keys[k]};
    const fa_item *found = fa_sorted_items(items, items + count, count);
    for (size_t k = 0; k < count; k++) keys[k] = found[k].key;
    free(items);
    return FA_OK;
}

/* Put in the links of a target, whose keys are at hand; nothing where there are none. */
static enum fa_status end_target(fa_link_rows *rows, uint64_t target) {
    uint64_t *keys = (uint64_t *)rows->keys.data;
    size_t count = rows->keys.size / sizeof *keys, edges = 0, begun = 0;
    rows->keys.size = 0; /* what lies behind is written over, nothing is put bit by bit */
    if (!count) return FA_OK;
    enum fa_status status = sort_keys(keys, count);
    if (status) return status;
    /* room for all at once: what follows cannot fail */
    if (!fa_buffer_put_u64(&rows->targets, target) || !fa_buffer_reserve(&rows->edges, 4) ||
        !fa_buffer_reserve(&rows->texts, 4 * count) || !fa_buffer_reserve(&rows->links, 4 * count) ||
        !fa_buffer_reserve(&rows->sources, 2 * count))
        return FA_NO_MEMORY;
    uint32_t *text = (uint32_t *)(rows->texts.data + rows->texts.size);
    uint32_t *links = (uint32_t *)(rows->links.data + rows->links.size);
    uint16_t *first = (uint16_t *)(rows->sources.data + rows->sources.size), *source = first;
    for (size_t k = 0; k < count; k++) {
        if (k && keys[k] == keys[k - 1]) continue;
        if (k && keys[k] >> 16 != keys[k - 1] >> 16) {
            links[edges++] = (uint32_t)((size_t)(source - first) - begun);
            begun = (size_t)(source - first);
        }
        text[edges] = (uint32_t)(keys[k] >> 16);
        *source++ = (uint16_t)keys[k];
    }
    links[edges++] = (uint32_t)((size_t)(source - first) - begun);
    rows->texts.size += 4 * edges;
    rows->links.size += 4 * edges;
    rows->sources.size += 2 * (size_t)(source - first);
    fa_buffer_put_u32(&rows->edges, (uint32_t)edges); /* there is room */
    return FA_OK;
}

/* ---- a batch ---- */

enum fa_status fa_link_rows_sort(fa_link_rows *rows, const uint64_t *targets, const uint32_t *texts,
                                 const uint32_t *sources, size_t count) {
    if (count == 0) return FA_OK;
    if (count > UINT32_MAX) return FA_TOO_LARGE;
    fa_item *items = malloc(2 * count * sizeof *items);
    if (items == NULL) return FA_NO_MEMORY;
    for (size_t row = 0; row < count; row++) items[row] = (fa_item){.key = targets[row], .row = (uint32_t)row};
    const fa_item *found = fa_sorted_items(items, items + count, count);
    enum fa_status status = FA_OK;
    for (size_t k = 0; k < count && status == FA_OK; k++) {
        status = put_key(rows, texts[found[k].row], sources[found[k].row]);
        if (status == FA_OK && (k + 1 == count || found[k + 1].key != found[k].key))
            status = end_target(rows, found[k].key);
    }
    free(items);
    return status;
}

/* ---- several files ---- */

typedef struct reader {
    const fa_link_part *from;
    size_t count, edge_count, link_count; /* of targets, edges and links that there are */
    size_t row, edge, link;               /* and the first of each that was not read yet */
    uint64_t target;                      /* the next one */
} reader;

/* A number of 1, 2 or 4 bytes. */
static uint32_t number_at(fa_bytes numbers, uint32_t size, size_t row) {
    uint32_t number = 0;
    for (uint32_t byte = 0; byte < size; byte++) number |= (uint32_t)numbers.data[row * size + byte] << (8 * byte);
    return number;
}

static int is_size(uint32_t size) { return size == 1 || size == 2 || size == 4; }

static enum fa_status begin_reader(reader *r, const fa_link_part *from) {
    *r = (reader){.from = from};
    if (!is_size(from->edge_size) || !is_size(from->text_size) || !is_size(from->link_size)) return FA_CORRUPT;
    r->count = from->targets.size / sizeof r->target;
    r->edge_count = from->texts.size / from->text_size;
    r->link_count = from->sources.size / 2;
    if (from->edges.size != r->count * from->edge_size || from->links.size != r->edge_count * from->link_size ||
        (r->count == 0 && r->edge_count + r->link_count > 0))
        return FA_CORRUPT;
    if (r->count) memcpy(&r->target, from->targets.data, sizeof r->target);
    return FA_OK;
}

/* Put the keys of the next target of a file to the others, and go on to the one behind it. */
static enum fa_status take_target(fa_link_rows *rows, reader *r) {
    const fa_link_part *from = r->from;
    uint32_t edges = number_at(from->edges, from->edge_size, r->row);
    if (edges > r->edge_count - r->edge) return FA_CORRUPT;
    for (size_t last = r->edge + edges; r->edge < last; r->edge++) {
        uint32_t text = number_at(from->texts, from->text_size, r->edge);
        uint32_t links = number_at(from->links, from->link_size, r->edge);
        if (text >= from->text_count || links > r->link_count - r->link) return FA_CORRUPT;
        for (size_t end = r->link + links; r->link < end; r->link++) {
            uint32_t page = number_at(from->sources, 2, r->link);
            if (page >= from->versions) return FA_CORRUPT;
            if (from->places[page] < 0) continue;
            enum fa_status status = put_key(rows, from->numbers[text], from->places[page]);
            if (status) return status;
        }
    }
    if (++r->row == r->count) return r->edge == r->edge_count && r->link == r->link_count ? FA_OK : FA_CORRUPT;
    uint64_t before = r->target;
    memcpy(&r->target, from->targets.data + sizeof before * r->row, sizeof before);
    return r->target > before ? FA_OK : FA_CORRUPT;
}

enum fa_status fa_link_rows_join(fa_link_rows *rows, const fa_link_part *parts, size_t count) {
    reader *readers = malloc((count ? count : 1) * sizeof *readers);
    if (readers == NULL) return FA_NO_MEMORY;
    enum fa_status status = FA_OK;
    size_t left = 0; /* readers that have a target, before the others */
    for (size_t k = 0; k < count && status == FA_OK; k++) {
        status = begin_reader(&readers[left], &parts[k]);
        left += readers[left].count > 0;
    }
    while (left && status == FA_OK) {
        uint64_t target = readers[0].target;
        for (size_t k = 1; k < left; k++) {
            if (readers[k].target < target) target = readers[k].target;
        }
        for (size_t k = 0; k < left && status == FA_OK; k++) {
            if (readers[k].target == target) status = take_target(rows, &readers[k]);
        }
        for (size_t k = left; k-- > 0;) {
            if (readers[k].row == readers[k].count) readers[k] = readers[--left];
        }
        if (status == FA_OK) status = end_target(rows, target);
    }
    free(readers);
    return status;
}
