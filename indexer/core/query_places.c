/* NEAR of words alone: whether they stand near each other in a version, told by a bit for each position.
 *
 * Versions are gone over in blocks. Of each list what lies in a block is read at once, the most frequent words first, and
 * versions in which the words were found near each other are not read any further: more places never make words less
 * near. Phrases, and texts of very many positions, are left to query_spans.c.
 */
#include "query_inside.h"

#define MOST_BITS 20                /* of a position in a version: more than the longest texts need that are indexed */
#define MOST_VERSIONS 4096          /* of a block */
#define ROOM ((size_t)64 << 10)    /* for the bits of a block, of all leaves, in numbers of 64 bits */
#define MANY 16                     /* lists of a leaf from which on this is worth it: else nearly all bits are 0 */
#define LOOK_EVERY 1024             /* pairs that are read between two looks at the clock */

/* Where the words of a leaf stand in the versions of a block. */
typedef struct places {
    reader from[2]; /* by layer */
    uint64_t *bits;    /* section behind section */
    uint8_t *sections; /* of each version of the block: in which sections there are any, a bit for each */
} places;

/* The places of a node in the version at hand; what is not in its sections has no meaning. */
typedef struct found {
    const uint64_t *bits;
    uint32_t sections; /* 0: none */
} found;

typedef struct block {
    fa_query *query;
    uint32_t place, root;
    uint32_t first, end; /* versions */
    uint64_t *left;      /* versions that have to be looked at yet */
    uint32_t *offsets;   /* of each version from `first` on that has to be looked at: where its bits begin */
    uint8_t *widths;     /* ... and the bits of a position */
    uint32_t room;       /* numbers of 64 bits for the bits of a leaf */
    uint32_t since;      /* pairs since the last look at the clock */
    places *places;      /* by leaf */
    uint8_t *is_used;    /* by node */
    found *found;        /* by node */
} block;

/* Mark the nodes below and with the root; tell whether they are about words alone, one of them with many lists. */
static int is_for_words(const fa_query *query, uint32_t place, uint32_t root, uint8_t *is_used) {
    const fa_program *program = &query->program;
    int has_many = 0;
    is_used[root] = 1;
    for (uint32_t number = root + 1; number-- > 0;) {
        const fa_node *node = &program->nodes[number];
        if (!is_used[number]) continue;
        for (uint32_t at = 0; at < node->count; at++) is_used[program->args[node->first + at]] = 1;
        if (node->op != FA_OP_SPANS) continue;
        const fa_leaf *leaf = &program->leaves[node->value];
        if ((leaf->kind != FA_WORD && leaf->kind != FA_WORDS) || leaf->length > 1) return 0;
        has_many |= state_of(query, node->value, place)->list_count > MANY;
    }
    return has_many;
}

/* Bits of a position in a version, those of the texts of links to it too; 6 at least. */
static uint32_t width_of(const fa_live *live, uint32_t version) {
    uint32_t width = 6;
    for (int layer = 0; layer < 2; layer++)
        if (live->layers[layer] != NULL && live->layers[layer]->bits[version] > width)
            width = live->layers[layer]->bits[version];
    return width;
}

static size_t size_of(uint32_t width) { return (size_t)SECTIONS << (width - 6); }

/* ---------------------------------------------------------------- reading */

static int read_list(block *in, places *of, reader *from, uint32_t each) {
    const held *list = from->lists[each];
    uint32_t row = gallop(list->ordinals, from->rows[each], list->count, in->first);
    for (; row < list->count && list->ordinals[row] < in->end; row++) {
        uint32_t version = list->ordinals[row], *positions, total;
        uint8_t *elements;
        if (!has_bit(in->left, version) || !speaks(list, version)) continue;
        TRY(row_occurrences(in->query, from, each, list->rows == NULL ? row : list->rows[row], version, &elements,
                            &positions, &total));
        uint64_t *here = of->bits + in->offsets[version - in->first];
        uint32_t width = in->widths[version - in->first], sections = 0;
        for (uint32_t at = 0; at < total; at++) {
            uint32_t counts = list->elements >> elements[at] & 1, section = section_of[elements[at]];
            size_t bit = ((size_t)section << width) + positions[at];
            here[bit >> 6] |= (uint64_t)counts << (bit & 63);
            sections |= counts << section;
        }
        of->sections[version - in->first] |= (uint8_t)sections;
        in->since++;
    }
    from->rows[each] = row;
    if (in->since < LOOK_EVERY) return FA_OK;
    in->since = 0;
    return finding_is_over(in->query) ? FA_TIME_UP : FA_OK;
}

/* Read the lists `done` to `end` of each leaf; *is_last: whether there are no others. */
static int read_lists(block *in, uint32_t done, uint32_t end, int *is_last) {
    *is_last = 1;
    for (uint32_t leaf = 0; leaf < in->query->program.leaf_count; leaf++) {
        places *of = &in->places[leaf];
        for (int layer = 0; layer < 2; layer++) {
            reader *from = &of->from[layer];
            for (uint32_t each = done; each < from->list_count && each < end; each++)
                TRY(read_list(in, of, from, each));
            if (from->list_count > end) *is_last = 0;
        }
    }
    return FA_OK;
}

/* ---------------------------------------------------------------- looking */

static int any_bit(const uint64_t *bits, size_t from, size_t end) {
    if (from >= end) return 0;
    size_t word = from >> 6, last = (end - 1) >> 6;
    uint64_t first = bits[word] & ~(uint64_t)0 << (from & 63), behind = ~(uint64_t)0 >> (63 - ((end - 1) & 63));
    if (word == last) return (first & behind) != 0;
    while (++word < last) first |= bits[word];
    return (first | (bits[last] & behind)) != 0;
}

/* Tell whether another place is at most `distance` before or behind one, in its section. */
static int is_beside(const uint64_t *others, size_t at, uint64_t distance, uint32_t width) {
    size_t begin = at >> width << width, end = begin + ((size_t)1 << width);
    size_t low = at - begin > distance ? at - (size_t)distance : begin;
    size_t high = end - at > distance ? at + (size_t)distance + 1 : end;
    return any_bit(others, low, at) || any_bit(others, at + 1, high);
}

/* The places of the first argument that are near one of each other; when only_one, one of them is enough. */
static found beside(block *in, const fa_node *node, uint32_t width, int only_one, uint64_t *made) {
    const uint32_t *args = in->query->program.args + node->first;
    uint32_t sections = in->found[args[0]].sections, any = 0;
    const uint64_t *of = in->found[args[0]].bits;
    for (uint32_t other = 1; other < node->count; other++) sections &= in->found[args[other]].sections;
    for (; sections; sections &= sections - 1) {
        uint32_t section = (uint32_t)__builtin_ctz(sections);
        size_t from = (size_t)section << (width - 6), end = from + ((size_t)1 << (width - 6));
        for (size_t word = from; word < end; word++) {
            made[word] = 0;
            for (uint64_t left = of[word]; left; left &= left - 1) {
                size_t at = word * 64 + (size_t)__builtin_ctzll(left);
                uint32_t other = 1;
                while (other < node->count && is_beside(in->found[args[other]].bits, at, node->value, width)) other++;
                if (other < node->count) continue;
                made[word] |= left & (0 - left);
                any |= (uint32_t)1 << section;
                if (only_one) return (found){made, any};
            }
        }
    }
    return (found){made, any};
}

static found joined(block *in, const fa_node *node, uint32_t width, int in_all, uint64_t *made) {
    const uint32_t *args = in->query->program.args + node->first;
    uint32_t sections = 0;
    for (uint32_t arg = 0; arg < node->count; arg++) {
        if (in_all && !in->found[args[arg]].sections) return (found){NULL, 0};
        sections |= in->found[args[arg]].sections;
    }
    if (sections) memset(made, 0, size_of(width) * 8);
    for (uint32_t arg = 0; arg < node->count; arg++) {
        const found *part = &in->found[args[arg]];
        for (uint32_t left = part->sections; left; left &= left - 1) {
            size_t from = (size_t)__builtin_ctz(left) << (width - 6), end = from + ((size_t)1 << (width - 6));
            for (size_t word = from; word < end; word++) made[word] |= part->bits[word];
        }
    }
    return (found){made, sections};
}

/* Work out the places of all nodes below and with the root in a version. */
static int look(block *in, uint32_t version, int *is_found) {
    uint32_t at = version - in->first, width = in->widths[at];
    arena_empty(&in->query->version, (size_t)1 << 20);
    for (uint32_t number = 0; number <= in->root; number++) {
        const fa_node *node = &in->query->program.nodes[number];
        if (!in->is_used[number]) continue;
        if (node->op == FA_OP_SPANS) {
            const places *of = &in->places[node->value];
            in->found[number] = (found){of->bits + in->offsets[at], of->sections[at]};
            continue;
        }
        uint64_t *made = arena_raw(&in->query->version, size_of(width) * 8);
        if (made == NULL) return FA_NO_MEMORY;
        in->found[number] = node->op == FA_OP_BESIDE ? beside(in, node, width, number == in->root, made)
                                                     : joined(in, node, width, node->op == FA_OP_IN_ALL, made);
    }
    *is_found = in->found[in->root].sections != 0;
    return FA_OK;
}

/* ---------------------------------------------------------------- blocks */

/* Return the first version from one on that has to be looked at yet, `end` when there is none. */
static uint32_t next_left(const block *in, uint32_t version, uint32_t end) {
    while (version < end) {
        uint64_t left = in->left[version >> 6] >> (version & 63);
        if (left) {
            version += (uint32_t)__builtin_ctzll(left);
            return version < end ? version : end;
        }
        version = (version | 63) + 1;
    }
    return end;
}

/* Take the next versions that have to be looked at, at most `most`; leaf_count: of those with places. */
static void take_block(block *in, uint32_t versions, uint32_t most, uint32_t leaf_count) {
    size_t room = ROOM / leaf_count, used = 0;
    in->first = next_left(in, in->end, versions);
    uint32_t taken = 0, last = versions - in->first < MOST_VERSIONS ? versions : in->first + MOST_VERSIONS;
    for (in->end = in->first; in->end < last; in->end = next_left(in, in->end + 1, last)) {
        uint32_t width = width_of(live_at(in->query, in->place), in->end), at = in->end - in->first;
        if (taken++ == most || (used && used + size_of(width) > room)) break;
        in->offsets[at] = (uint32_t)used;
        in->widths[at] = (uint8_t)width;
        used += size_of(width);
    }
    in->room = (uint32_t)used;
}

static int look_at_block(block *in, uint64_t *mask) {
    int is_last = in->room == 0, is_found;
    for (uint32_t leaf = 0; leaf < in->query->program.leaf_count; leaf++) {
        if (in->places[leaf].bits == NULL) continue;
        memset(in->places[leaf].bits, 0, in->room * sizeof(uint64_t));
        memset(in->places[leaf].sections, 0, in->end - in->first);
    }
    for (uint32_t done = 0, end = 4; !is_last; done = end, end *= 8) {
        TRY(read_lists(in, done, end, &is_last));
        uint32_t version = next_left(in, in->first, in->end);
        if (version == in->end) return FA_OK;
        for (; version < in->end; version = next_left(in, version + 1, in->end)) {
            TRY(look(in, version, &is_found));
            if (is_found) set_bit(mask, version);
            if (is_found || is_last) in->left[version >> 6] &= ~((uint64_t)1 << (version & 63));
        }
    }
    return FA_OK;
}

static int open_block(block *in, uint32_t *leaf_count) {
    fa_query *query = in->query;
    const fa_program *program = &query->program;
    in->places = arena_get(&query->kept, program->leaf_count * sizeof(places));
    in->found = arena_get(&query->kept, ((size_t)in->root + 1) * sizeof(found));
    in->offsets = arena_get(&query->kept, MOST_VERSIONS * sizeof(uint32_t));
    in->widths = arena_get(&query->kept, MOST_VERSIONS);
    if (in->places == NULL || in->found == NULL || in->offsets == NULL || in->widths == NULL) return FA_NO_MEMORY;
    *leaf_count = 0;
    for (uint32_t number = 0; number <= in->root; number++) {
        const fa_node *node = &program->nodes[number];
        if (!in->is_used[number] || node->op != FA_OP_SPANS || in->places[node->value].bits != NULL) continue;
        (*leaf_count)++;
        in->places[node->value].bits = in->left; /* that it is not NULL counts; its own room follows */
        in->places[node->value].sections = arena_raw(&query->kept, MOST_VERSIONS);
        if (in->places[node->value].sections == NULL) return FA_NO_MEMORY;
        for (uint32_t layer = 0; layer < 2; layer++) {
            reader *from = &in->places[node->value].from[layer];
            TRY(reader_begin(query, from, node->value, in->place, layer));
            for (uint32_t each = 0; each < from->list_count; each++) TRY(held_keep(query, from->lists[each]));
        }
    }
    /* one version always has its room */
    size_t room = ROOM / *leaf_count, least = size_of(MOST_BITS);
    uint64_t *bits = buffer_get(&query->upper, *leaf_count * (room > least ? room : least) * sizeof(uint64_t));
    if (bits == NULL) return FA_NO_MEMORY;
    for (uint32_t leaf = 0, at = 0; leaf < program->leaf_count; leaf++)
        if (in->places[leaf].bits != NULL) in->places[leaf].bits = bits + at++ * (room > least ? room : least);
    return FA_OK;
}

/* Mark the versions among the candidates in which the spans `root` are somewhere. *left: candidates that were not looked
 * at; all of them where this way is not for `root`. */
int near_words_mask(fa_query *query, uint32_t root, uint32_t place, const uint64_t *candidates, uint64_t *mask,
                    uint64_t **left) {
    const fa_live *live = live_at(query, place);
    uint32_t versions = live->layers[0]->versions, leaf_count;
    block in = {.query = query, .place = place, .root = root};
    uint64_t *large = arena_get(&query->kept, words_of(versions) * 8);
    in.is_used = arena_get(&query->kept, (size_t)root + 1);
    in.left = arena_raw(&query->kept, words_of(versions) * 8);
    if (large == NULL || in.is_used == NULL || in.left == NULL) return FA_NO_MEMORY;
    memcpy(in.left, candidates, words_of(versions) * 8);
    *left = in.left;
    if (!is_for_words(query, place, root, in.is_used)) return FA_OK;
    TRY(open_block(&in, &leaf_count));
    for (uint32_t at = next_left(&in, 0, versions); at < versions; at = next_left(&in, at + 1, versions))
        if (width_of(live, at) > MOST_BITS) {
            set_bit(large, at);
            in.left[at >> 6] &= ~((uint64_t)1 << (at & 63));
        }
    *left = large;
    /* the first blocks are small: when the time is up soon, something was found all the same */
    for (uint32_t most = 1; in.end < versions; most = most < MOST_VERSIONS ? 2 * most : most) {
        take_block(&in, versions, most, leaf_count);
        int status = finding_is_over(query) ? FA_TIME_UP : look_at_block(&in, mask);
        if (status == FA_TIME_UP) {
            if (in.first < query->complete[place]) query->complete[place] = in.first;
            return FA_OK;
        }
        TRY(status);
    }
    return FA_OK;
}
