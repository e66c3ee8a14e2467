/* Which texts of links a page gets. See fold.h. */
#include "fold.h"

#include <stdlib.h>
#include <string.h>

#include "buffer.h"
#include "order.h"

enum { FEW = 24, MANY = 1 << 10 }; /* links to a target: sorted one by one, or digit by digit */

/* A link to the target in hand: its text, the site and the page that it comes from. */
typedef struct link {
    uint32_t text, site, page;
} link;

/* A text of the target in hand: how many other sites use it, and how often it counts. */
typedef struct candidate {
    uint32_t sites, times, text;
} candidate;

struct fa_fold {
    fa_buffer targets, texts, times, linking;
    fa_buffer links, candidates; /* of the target in hand */
    uint32_t *met;               /* of each site the last target, counted from 1, that it linked to as another one */
};

fa_fold *fa_fold_new(void) { return calloc(1, sizeof(fa_fold)); }

void fa_fold_free(fa_fold *fold) {
    if (fold == NULL) return;
    fa_buffer *buffers[] = {&fold->targets, &fold->texts, &fold->times, &fold->linking, &fold->links, &fold->candidates};
    for (size_t k = 0; k < sizeof buffers / sizeof *buffers; k++) fa_buffer_free(buffers[k]);
    free(fold->met);
    free(fold);
}

/* ---- reading a file ---- */

/* A number of 1, 2 or 4 bytes. */
static uint32_t number_at(fa_bytes numbers, uint32_t size, uint64_t row) {
    uint32_t number = 0;
    for (uint32_t byte = 0; byte < size; byte++) number |= (uint32_t)numbers.data[row * size + byte] << (8 * byte);
    return number;
}

static uint64_t target_at(const fa_fold_source *source, size_t row) {
    uint64_t target;
    memcpy(&target, source->targets.data + sizeof target * row, sizeof target);
    return target;
}

static int is_size(uint32_t size) { return size == 1 || size == 2 || size == 4; }

static size_t steps_of(size_t count) { return (count + FA_FOLD_STEP - 1) / FA_FOLD_STEP; }

static int sizes_fit(const fa_fold_source *source) {
    if (!is_size(source->edge_size) || !is_size(source->text_size) || !is_size(source->link_size)) return 0;
    size_t targets = source->targets.size / 8, edges = source->texts.size / source->text_size;
    size_t versions = source->sites.size / 4;
    return source->edges.size == targets * source->edge_size && source->links.size == edges * source->link_size &&
           source->edge_begins.size / 8 >= steps_of(targets) && source->link_begins.size / 8 >= steps_of(edges) &&
           source->pages.size == 4 * versions && (source->alive.size == 0 || source->alive.size == versions);
}

/* Tell where a range begins: those of whole steps before it are summed up already. */
static uint64_t begin_of(fa_bytes begins, fa_bytes counts, uint32_t size, size_t row) {
    uint64_t begin;
    memcpy(&begin, begins.data + sizeof begin * (row / FA_FOLD_STEP), sizeof begin);
    for (size_t before = row / FA_FOLD_STEP * FA_FOLD_STEP; before < row; before++)
        begin += number_at(counts, size, before);
    return begin;
}

/* Find a target from a row on; tells the first row whose target is not less. */
static size_t row_from(const fa_fold_source *source, size_t row, uint64_t key) {
    size_t high = source->targets.size / 8;
    /* keys are spread evenly, and the next one is not far */
    for (size_t step = 1; row + step < high; step *= 2) {
        if (target_at(source, row + step) >= key) {
            high = row + step;
            break;
        }
    }
    while (row < high) {
        size_t middle = row + (high - row) / 2;
        if (target_at(source, middle) < key)
            row = middle + 1;
        else
            high = middle;
    }
    return row;
}

/* Take the links to the target of a row: mark their texts in `used`, or else put them to those in hand. */
static enum fa_status take_links(const fa_fold_source *source, size_t row, const uint32_t *ranks, fa_buffer *links,
                                 uint8_t *used) {
    uint64_t edge_count = source->texts.size / source->text_size, link_count = source->sources.size / 2;
    uint64_t edge = begin_of(source->edge_begins, source->edges, source->edge_size, row);
    uint32_t edges = number_at(source->edges, source->edge_size, row);
    if (edge > edge_count || edges > edge_count - edge) return FA_CORRUPT;
    if (edges == 0) return FA_OK;
    uint64_t at = begin_of(source->link_begins, source->links, source->link_size, edge);
    for (uint64_t last = edge + edges; edge < last; edge++) {
        uint32_t text = number_at(source->texts, source->text_size, edge);
        uint32_t count = number_at(source->links, source->link_size, edge);
        if (text >= source->text_count || at > link_count || count > link_count - at) return FA_CORRUPT;
        if (links && !fa_buffer_reserve(links, count * sizeof(link))) return FA_NO_MEMORY;
        for (uint64_t end = at + count; at < end; at++) {
            uint32_t version = number_at(source->sources, 2, at);
            if (version >= source->sites.size / 4) return FA_CORRUPT;
            if (source->alive.size && !source->alive.data[version]) continue;
            if (used) {
                used[text] = 1;
                continue;
            }
            link found = {ranks[text], number_at(source->sites, 4, version), number_at(source->pages, 4, version)};
            fa_buffer_put(links, &found, sizeof found); /* there is room */
        }
    }
    return FA_OK;
}

enum fa_status fa_fold_mark(const fa_fold_source *source, const uint64_t *keys, size_t count, uint8_t *used) {
    if (!sizes_fit(source)) return FA_CORRUPT;
    size_t row = 0, rows = source->targets.size / 8;
    enum fa_status status = FA_OK;
    for (size_t k = 0; k < count && status == FA_OK; k++) {
        row = row_from(source, row, keys[k]);
        if (keys[k] && row < rows && target_at(source, row) == keys[k]) status = take_links(source, row, NULL, NULL, used);
    }
    return status;
}

/* ---- one target ---- */

static int compare_links(const void *a, const void *b) {
    const link *x = a, *y = b;
    if (x->text != y->text) return x->text < y->text ? -1 : 1;
    if (x->site != y->site) return x->site < y->site ? -1 : 1;
    return (x->page > y->page) - (x->page < y->page);
}

static enum fa_status sort_links(link *links, size_t count) {
    if (count <= FEW) {
        for (size_t k = 1; k < count; k++) {
            link moved = links[k];
            size_t to = k;
            for (; to > 0 && compare_links(&links[to - 1], &moved) > 0; to--) links[to] = links[to - 1];
            links[to] = moved;
        }
        return FA_OK;
    }
    if (count < MANY) {
        qsort(links, count, sizeof *links, compare_links);
        return FA_OK;
    }
    if (count > UINT32_MAX) return FA_TOO_LARGE;
    fa_item *items = malloc(2 * count * sizeof *items);
    if (items == NULL) return FA_NO_MEMORY;
    for (size_t k = 0; k < count; k++) items[k] = (fa_item){links[k].page, links[k].site, links[k].text};
    fa_item *found = fa_sorted_items(items, items + count, count), *other = found == items ? items + count : items;
    for (size_t k = 0; k < count; k++) {
        uint32_t page = (uint32_t)found[k].key;
        found[k].key = (uint64_t)found[k].more << 32 | found[k].row;
        found[k].row = page;
    }
    found = fa_sorted_items(found, other, count);
    for (size_t k = 0; k < count; k++)
        links[k] = (link){(uint32_t)(found[k].key >> 32), (uint32_t)found[k].key, found[k].row};
    free(items);
    return FA_OK;
}

/* The heaviest first: what most sites use, then what counts most often, then by spelling. */
static int compare_candidates(const void *a, const void *b) {
    const candidate *x = a, *y = b;
    if (x->sites != y->sites) return x->sites > y->sites ? -1 : 1;
    if (x->times != y->times) return x->times > y->times ? -1 : 1;
    return (x->text > y->text) - (x->text < y->text);
}

/* How often a text counts that `pages` pages of `sites` other sites use: once a site, and once more when ever twice as
 * many pages use it. What only the own site uses counts once. */
static uint32_t times_of(uint32_t sites, uint32_t pages, uint32_t most) {
    uint32_t times = sites;
    if (sites == 0) return 1;
    for (uint64_t twice = (uint64_t)sites * 2; twice <= pages; twice *= 2) times++;
    return times < most ? times : most;
}

/* Put the texts of the target in hand behind those of the others. */
static enum fa_status end_target(fa_fold *fold, const fa_fold_wish *wish, size_t target) {
    link *links = (link *)fold->links.data;
    size_t count = fold->links.size / sizeof *links, found = 0;
    uint32_t linking = 0, own = wish->own[target];
    enum fa_status status = sort_links(links, count);
    if (status) return status;
    fold->links.size = fold->candidates.size = 0; /* what lies behind is written over, nothing is put bit by bit */
    if (!fa_buffer_reserve(&fold->candidates, count * sizeof(candidate))) return FA_NO_MEMORY;
    candidate *candidates = (candidate *)fold->candidates.data;
    for (size_t k = 0; k < count;) {
        uint32_t text = links[k].text, sites = 0, pages = 0;
        for (size_t first = k; k < count && links[k].text == text; k++) {
            uint32_t site = links[k].site;
            if (site >= wish->site_count) return FA_CORRUPT;
            if (site == own) continue;
            int is_new = k == first || links[k - 1].site != site;
            sites += (uint32_t)is_new;
            pages += (uint32_t)(is_new || links[k - 1].page != links[k].page);
            linking += fold->met[site] != target + 1;
            fold->met[site] = (uint32_t)target + 1;
        }
        if (text >= wish->first_rank)
            candidates[found++] = (candidate){sites, times_of(sites, pages, wish->most_times), text};
    }
    if (found > 1) qsort(candidates, found, sizeof *candidates, compare_candidates);
    if (found > wish->most_texts) found = wish->most_texts;
    for (size_t k = 0; k < found; k++) {
        if (!fa_buffer_put_u32(&fold->targets, (uint32_t)target) || !fa_buffer_put_u32(&fold->texts, candidates[k].text) ||
            !fa_buffer_put_u32(&fold->times, candidates[k].times))
            return FA_NO_MEMORY;
    }
    return fa_buffer_put_u32(&fold->linking, linking) ? FA_OK : FA_NO_MEMORY;
}

enum fa_status fa_fold_run(fa_fold *fold, const fa_fold_wish *wish, fa_fold_table *table) {
    if (wish->key_count >= UINT32_MAX) return FA_TOO_LARGE;
    for (size_t s = 0; s < wish->source_count; s++)
        if (!sizes_fit(&wish->sources[s])) return FA_CORRUPT;
    size_t *rows = calloc(wish->source_count + 1, sizeof *rows);
    free(fold->met);
    fold->met = calloc((size_t)wish->site_count + 1, sizeof *fold->met);
    enum fa_status status = rows && fold->met ? FA_OK : FA_NO_MEMORY;
    for (size_t k = 0; k < wish->key_count && status == FA_OK; k++) {
        uint64_t key = wish->keys[k];
        for (size_t s = 0; s < wish->source_count && status == FA_OK && key; s++) {
            const fa_fold_source *source = &wish->sources[s];
            rows[s] = row_from(source, rows[s], key);
            if (rows[s] < source->targets.size / 8 && target_at(source, rows[s]) == key)
                status = take_links(source, rows[s], wish->ranks[s], &fold->links, NULL);
        }
        if (status == FA_OK) status = end_target(fold, wish, k);
    }
    free(rows);
    *table = (fa_fold_table){
        .targets = {fold->targets.data, fold->targets.size},
        .texts = {fold->texts.data, fold->texts.size},
        .times = {fold->times.data, fold->times.size},
        .linking = {fold->linking.data, fold->linking.size},
    };
    return status;
}
