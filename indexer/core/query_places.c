/* NEAR of words and phrases: whether they stand near each other in a version, told by a bit for each position at which one
 * begins.
 *
 * Versions are gone over in blocks. Of each list what lies in a block is read at once, the most frequent words first, and
 * versions in which the words were found near each other are not read any further: more places never make words less
 * near. Of a chain of many parts some are looked at before, as if all others stood everywhere: where these are not near
 * each other the others need not be read. What ends as many places behind its begin is of one kind. Texts of very many
 * positions, and very many kinds, are left to query_spans.c.
 */
#include "query_inside.h"

#define MOST_BITS 20                /* of a position in a version: more than the longest texts need that are indexed */
#define MOST_VERSIONS 4096          /* of a block */
#define ROOM ((size_t)64 << 10)    /* for the bits of a block, of all leaves, in numbers of 64 bits */
#define FEW 16                      /* lists of a leaf of which it is worth a look where the pairs asked for are */
#define FEW_OF 8                    /* pairs of such a list for each version asked for, from which on skips pay */
#define KINDS 4                     /* of what stands near each other, at most */
#define ROWS 256                    /* of a list that are read at once */
#define TRIES 16                    /* places of the root that are looked at one by one */
#define LOOK_EVERY 1024             /* pairs that are read between two looks at the clock */

/* Where a leaf stands in the versions of a block. */
typedef struct places {
    reader from[2]; /* by layer */
    uint64_t *bits;    /* section behind section */
    uint8_t *sections; /* of each version of the block: in which sections there are any, a bit for each */
    uint32_t kind;
    uint8_t is_open, is_read; /* is_read: now; what is not may stand anywhere */
} places;

/* The places of a node in the version at hand, by kind; what is not in its sections has no meaning. */
typedef struct found {
    const uint64_t *bits[KINDS];
    uint32_t sections[KINDS]; /* 0: none */
    int is_anywhere;          /* it is not known where: nothing else has a meaning */
} found;

/* Two leaves that have to be near each other. */
typedef struct near_pair {
    uint32_t leaves[2];
    double chance; /* the less, the rarer they are found near each other */
} near_pair;

typedef struct block {
    fa_query *query;
    uint32_t place, root;
    uint32_t first, end; /* versions */
    uint64_t *left;      /* versions that have to be looked at yet */
    uint32_t *offsets;   /* of each version from `first` on that has to be looked at: where its bits begin */
    uint8_t *widths;     /* ... and the bits of a position */
    uint32_t room;       /* numbers of 64 bits for the bits of a leaf */
    uint32_t since;      /* pairs since the last look at the clock */
    uint32_t near_count; /* nodes below the root, and it, that ask what is near */
    uint32_t leaf_count; /* leaves that are read now */
    near_pair *pairs;    /* the rarest first */
    uint32_t pair_count;
    places *places;      /* by leaf */
    uint8_t *is_used;    /* by node: whether it is below the root, and MUST_BE there */
    found *found;        /* by node */
    uint32_t behind[KINDS], kinds; /* behind: how far the end is behind the begin */
} block;

#define MUST_BE 2 /* without it the root is not there */

static int is_word(const fa_leaf *leaf) { return leaf->kind == FA_WORD || leaf->kind == FA_WORDS; }

/* Mark the nodes below and with the root; tell whether what is asked for is of few kinds. */
static int find_kinds(block *in) {
    const fa_program *program = &in->query->program;
    in->is_used[in->root] = MUST_BE;
    for (uint32_t number = in->root + 1; number-- > 0;) {
        const fa_node *node = &program->nodes[number];
        uint8_t used = in->is_used[number] == MUST_BE && (node->op != FA_OP_UNION || node->count == 1) ? MUST_BE : 1;
        if (!in->is_used[number]) continue;
        for (uint32_t at = 0; at < node->count; at++)
            if (in->is_used[program->args[node->first + at]] < used)
                in->is_used[program->args[node->first + at]] = used;
        in->near_count += node->op == FA_OP_BESIDE;
        if (node->op != FA_OP_SPANS) continue;
        const fa_leaf *leaf = &program->leaves[node->value];
        uint32_t behind = leaf->length ? leaf->length - 1 : 0, kind = 0;
        if (behind >= MARKS) return 0;
        while (kind < in->kinds && in->behind[kind] != behind) kind++;
        if (kind == KINDS) return 0;
        in->behind[kind] = behind;
        if (kind == in->kinds) in->kinds++;
        in->places[node->value].kind = kind;
    }
    return 1;
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

/* Mark where a word stands in some versions. */
static int read_rows(block *in, places *of, reader *from, uint32_t each, const uint32_t *rows, const uint32_t *versions,
                     uint32_t count) {
    const held *list = from->lists[each];
    fa_where where[ROWS];
    from->cursors[each].ordinals = list->all;
    TRY(fa_cursor_rows(&from->cursors[each], rows, count, where, &in->query->fault));
    for (uint32_t one = 0; one < count; one++) {
        const fa_segment *segment = list->list.segment;
        uint32_t at = versions[one] - in->first, width = in->widths[at];
        uint64_t *here = of->bits + in->offsets[at];
        if (fa_is_plain(segment, where[one].shape)) {
            TRY(fa_mark_places(segment, where[one], versions[one], list->elements, section_of, width, here,
                               &of->sections[at], &in->query->fault));
            continue;
        }
        fa_runs runs;
        uint32_t *positions, sections = 0;
        uint8_t *elements;
        TRY(fa_runs_at(segment, where[one], versions[one], &runs, &in->query->fault));
        TRY(read_runs(in->query, &runs, &elements, &positions));
        for (uint32_t place = 0; place < runs.total; place++) {
            uint32_t counts = list->elements >> elements[place] & 1, section = section_of[elements[place]];
            size_t bit = ((size_t)section << width) + positions[place];
            here[bit >> 6] |= (uint64_t)counts << (bit & 63);
            sections |= counts << section;
        }
        of->sections[at] |= (uint8_t)sections;
    }
    in->since += count;
    return FA_OK;
}

static int read_list(block *in, places *of, reader *from, uint32_t each) {
    const held *list = from->lists[each];
    uint32_t rows[ROWS], versions[ROWS], count = 0;
    uint32_t row = gallop(list->ordinals, from->rows[each], list->count, in->first);
    for (; row < list->count && list->ordinals[row] < in->end; row++) {
        uint32_t version = list->ordinals[row];
        if (!has_bit(in->left, version) || !speaks(list, version)) continue;
        rows[count] = list->rows == NULL ? row : list->rows[row];
        versions[count++] = version;
        if (count == ROWS) TRY(read_rows(in, of, from, each, rows, versions, count));
        count = count == ROWS ? 0 : count;
    }
    if (count) TRY(read_rows(in, of, from, each, rows, versions, count));
    from->rows[each] = row;
    if (in->since < LOOK_EVERY) return FA_OK;
    in->since = 0;
    return finding_is_over(in->query) ? FA_TIME_UP : FA_OK;
}

static void add_place(const block *in, places *of, uint32_t version, uint32_t element, uint32_t position) {
    uint32_t at = version - in->first, section = section_of[element];
    size_t bit = ((size_t)section << in->widths[at]) + position;
    of->bits[in->offsets[at] + (bit >> 6)] |= (uint64_t)1 << (bit & 63);
    of->sections[at] |= (uint8_t)(1 << section);
}

static int read_phrase(block *in, uint32_t leaf, uint32_t layer) {
    const state *known = state_of(in->query, leaf, in->place);
    const uint32_t *ordinals = known->ordinals[layer], *ends = known->spot_ends[layer];
    places *of = &in->places[leaf];
    uint32_t row = gallop(ordinals, 0, known->found[layer], in->first);
    for (; row < known->found[layer] && ordinals[row] < in->end; row++) {
        uint32_t version = ordinals[row];
        size_t count = 0;
        if (!has_bit(in->left, version)) continue;
        if (ends != NULL) {
            const uint32_t *spots = known->spots[layer];
            for (uint32_t at = row ? ends[row - 1] : 0; at < ends[row]; at++)
                add_place(in, of, version, spots[at] & 15, spots[at] >> 4);
            continue;
        }
        arena_empty(&in->query->version, (size_t)1 << 20);
        if (finding_is_over(in->query)) return FA_TIME_UP;
        TRY(reader_spots(in->query, &of->from[layer], version, &in->query->places[3], &count));
        const spot *spots = in->query->places[3].data;
        for (size_t at = 0; at < count; at++) add_place(in, of, version, spots[at].element, spots[at].position);
    }
    return FA_OK;
}

/* Read the lists `done` to `end` of each word, and phrases with the first; *is_last: whether there are no others. */
static int read_lists(block *in, uint32_t done, uint32_t end, int *is_last) {
    *is_last = 1;
    for (uint32_t leaf = 0; leaf < in->query->program.leaf_count; leaf++) {
        places *of = &in->places[leaf];
        if (!of->is_read) continue;
        for (uint32_t layer = 0; layer < 2; layer++) {
            reader *from = &of->from[layer];
            if (!is_word(&in->query->program.leaves[leaf])) {
                if (!done) TRY(read_phrase(in, leaf, layer));
                continue;
            }
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

/* Tell whether a place of `others` is at most `distance` before what begins at a place and ends `behind` places on, or
 * behind it, in its section. */
static int is_beside(const block *in, const found *others, size_t at, uint32_t behind, uint64_t distance,
                     uint32_t width) {
    if (others->is_anywhere) return 1;
    size_t begin = at >> width << width, end = begin + ((size_t)1 << width), last = at + behind;
    uint32_t section = (uint32_t)(at >> width);
    size_t high = last < end && end - last > distance ? last + (size_t)distance + 1 : end;
    for (uint32_t kind = 0; kind < in->kinds; kind++) {
        if (!(others->sections[kind] >> section & 1)) continue;
        size_t before = at - begin > in->behind[kind] ? at - in->behind[kind] : begin;
        size_t low = before - begin > distance ? before - (size_t)distance : begin;
        if (any_bit(others->bits[kind], low, before) || any_bit(others->bits[kind], last + 1, high)) return 1;
    }
    return 0;
}

/* Tell whether one of the first places of a node is near one of each other argument, as it nearly always is. */
static int is_found_soon(const block *in, const fa_node *node, uint32_t width) {
    const uint32_t *args = in->query->program.args + node->first;
    uint32_t tries = TRIES;
    for (uint32_t kind = 0; kind < in->kinds; kind++) {
        const uint64_t *of = in->found[args[0]].bits[kind];
        for (uint32_t left_in = in->found[args[0]].sections[kind]; left_in; left_in &= left_in - 1) {
            size_t from = (size_t)__builtin_ctz(left_in) << (width - 6), end = from + ((size_t)1 << (width - 6));
            for (size_t word = from; word < end; word++)
                for (uint64_t left = of[word]; left; left &= left - 1) {
                    size_t at = word * 64 + (size_t)__builtin_ctzll(left);
                    uint32_t other = 1;
                    if (!tries--) return 0;
                    while (other < node->count && is_beside(in, &in->found[args[other]], at, in->behind[kind],
                                                            node->value, width))
                        other++;
                    if (other == node->count) return 1;
                }
        }
    }
    return 0;
}

/* Add the bits of a section, moved up by some places; what is moved behind its end is lost. */
static void add_moved_up(uint64_t *to, const uint64_t *from, size_t words, size_t by) {
    size_t whole = by >> 6, shift = by & 63;
    for (size_t word = words; word-- > whole;) {
        uint64_t below = word > whole ? from[word - whole - 1] : 0;
        to[word] |= from[word - whole] << shift | below >> 1 >> (63 - shift);
    }
}

/* Return a number in which each bit stands for those up to `distance` above it (below it), too. */
static inline uint64_t spread_up(uint64_t bits, uint64_t distance) {
    uint64_t done = 0; /* far */
    if (distance >= 63) return bits ? ~(uint64_t)0 << __builtin_ctzll(bits) : 0;
    while (done < distance) {
        uint64_t by = distance - done < done + 1 ? distance - done : done + 1;
        bits |= bits << by;
        done += by;
    }
    return bits;
}

static inline uint64_t spread_down(uint64_t bits, uint64_t distance) {
    uint64_t done = 0;
    if (distance >= 63) return bits ? ~(uint64_t)0 >> __builtin_clzll(bits) : 0;
    while (done < distance) {
        uint64_t by = distance - done < done + 1 ? distance - done : done + 1;
        bits |= bits >> by;
        done += by;
    }
    return bits;
}

/* The same for all bits of a section, in place. What lies before a word reaches into it as far as the last bit of it. */
static void spread_all_up(uint64_t *bits, size_t words, uint64_t distance) {
    uint64_t reached = 0; /* how many bits of this word and those behind it the last bit reaches */
    for (size_t word = 0; word < words; word++) {
        uint64_t own = bits[word], spread = reached >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << reached) - 1;
        reached = reached >= 64 ? reached - 64 : 0;
        if (own) {
            spread |= spread_up(own, distance);
            uint64_t beyond = 63 - (uint64_t)__builtin_clzll(own) + distance;
            reached = beyond > 63 ? beyond - 63 : 0;
        }
        bits[word] = spread;
    }
}

static void spread_all_down(uint64_t *bits, size_t words, uint64_t distance) {
    uint64_t reached = 0;
    for (size_t word = words; word-- > 0;) {
        uint64_t own = bits[word], spread = reached >= 64 ? ~(uint64_t)0 : ~(~(uint64_t)0 >> reached);
        reached = reached >= 64 ? reached - 64 : 0;
        if (own) {
            spread |= spread_down(own, distance);
            uint64_t first = (uint64_t)__builtin_ctzll(own);
            reached = distance > first ? distance - first : 0;
        }
        bits[word] = spread;
    }
}

/* Leave of places in a section those that are near one of others. room: for the bits of a section, twice. */
static void leave_beside(const block *in, const found *others, uint32_t section, uint64_t distance, size_t words,
                         uint64_t *const made[KINDS], const uint32_t sections[KINDS], uint64_t *room) {
    uint64_t *ends = room, *begins = room + words;
    size_t from = section * words;
    memset(room, 0, 2 * words * sizeof(uint64_t));
    for (uint32_t kind = 0; kind < in->kinds; kind++) {
        if (!(others->sections[kind] >> section & 1)) continue;
        add_moved_up(ends, others->bits[kind] + from, words, in->behind[kind]);
        add_moved_up(begins, others->bits[kind] + from, words, 0);
    }
    /* what begins behind an end, and ends before a begin, but not there */
    spread_all_up(ends, words, distance - 1);
    spread_all_down(begins, words, distance - 1);
    for (uint32_t kind = 0; kind < in->kinds; kind++) {
        if (!(sections[kind] >> section & 1)) continue;
        uint64_t *own = made[kind] + from;
        for (size_t word = 0; word < words; word++) {
            size_t down = (size_t)in->behind[kind] + 1, whole = word + (down >> 6), shift = down & 63;
            uint64_t before = ends[word] << 1 | (word ? ends[word - 1] >> 63 : 0);
            uint64_t behind = whole < words ? begins[whole] >> shift : 0;
            if (whole + 1 < words) behind |= begins[whole + 1] << 1 << (63 - shift);
            own[word] &= before | behind;
        }
    }
}

static int any_of(const uint64_t *bits, size_t words) {
    uint64_t any = 0;
    for (size_t word = 0; word < words; word++) any |= bits[word];
    return any != 0;
}

/* Return in which sections a node stands, a bit for each. */
static uint32_t sections_of(const block *in, const found *some) {
    uint32_t any = some->is_anywhere ? ~(uint32_t)0 : 0;
    for (uint32_t kind = 0; kind < in->kinds; kind++) any |= some->sections[kind];
    return any;
}

/* The places of the first argument that are near one of each other. */
static int beside(block *in, const fa_node *node, uint32_t width, int only_one, found *made) {
    const uint32_t *args = in->query->program.args + node->first;
    const found *of = &in->found[args[0]];
    uint32_t sections = ~(uint32_t)0;
    size_t words = (size_t)1 << (width - 6);
    uint64_t *own[KINDS], *room = arena_raw(&in->query->version, 2 * words * sizeof(uint64_t));
    *made = (found){0};
    for (uint32_t arg = 0; arg < node->count; arg++) sections &= sections_of(in, &in->found[args[arg]]);
    if (of->is_anywhere && sections) {
        made->is_anywhere = 1;
        return FA_OK;
    }
    if (!sections || (!node->value && node->count > 1)) return FA_OK;
    if (only_one && is_found_soon(in, node, width)) {
        made->sections[0] = 1; /* the root: it is only asked whether it is there */
        return FA_OK;
    }
    if (room == NULL) return FA_NO_MEMORY;
    for (uint32_t kind = 0; kind < in->kinds; kind++) {
        made->sections[kind] = of->sections[kind] & sections;
        if (!made->sections[kind]) continue;
        made->bits[kind] = own[kind] = arena_raw(&in->query->version, size_of(width) * sizeof(uint64_t));
        if (own[kind] == NULL) return FA_NO_MEMORY;
    }
    for (; sections; sections &= sections - 1) {
        uint32_t section = (uint32_t)__builtin_ctz(sections);
        size_t from = section * words;
        for (uint32_t kind = 0; kind < in->kinds; kind++)
            if (made->sections[kind] >> section & 1)
                memcpy(own[kind] + from, of->bits[kind] + from, words * sizeof(uint64_t));
        for (uint32_t other = 1; other < node->count; other++)
            if (!in->found[args[other]].is_anywhere)
                leave_beside(in, &in->found[args[other]], section, node->value, words, own, made->sections, room);
        for (uint32_t kind = 0; kind < in->kinds; kind++)
            if (made->sections[kind] >> section & 1 && !any_of(own[kind] + from, words))
                made->sections[kind] &= ~((uint32_t)1 << section);
    }
    return FA_OK;
}

static int joined(block *in, const fa_node *node, uint32_t width, int in_all, found *made) {
    const uint32_t *args = in->query->program.args + node->first;
    *made = (found){0};
    for (uint32_t arg = 0; arg < node->count && in_all; arg++)
        if (!sections_of(in, &in->found[args[arg]])) return FA_OK;
    for (uint32_t arg = 0; arg < node->count; arg++) made->is_anywhere |= in->found[args[arg]].is_anywhere;
    if (made->is_anywhere) return FA_OK;
    for (uint32_t kind = 0; kind < in->kinds; kind++) {
        uint64_t *own = NULL;
        for (uint32_t arg = 0; arg < node->count; arg++) {
            const found *part = &in->found[args[arg]];
            for (uint32_t left = part->sections[kind]; left; left &= left - 1) {
                uint32_t section = (uint32_t)__builtin_ctz(left);
                size_t words = (size_t)1 << (width - 6), from = section * words;
                if (own == NULL) own = arena_raw(&in->query->version, size_of(width) * sizeof(uint64_t));
                if (own == NULL) return FA_NO_MEMORY;
                if (made->sections[kind] >> section & 1) add_moved_up(own + from, part->bits[kind] + from, words, 0);
                else memcpy(own + from, part->bits[kind] + from, words * sizeof(uint64_t));
                made->sections[kind] |= (uint32_t)1 << section;
            }
        }
        made->bits[kind] = own;
    }
    return FA_OK;
}

/* Work out the places of all nodes below and with the root in a version. */
static int look(block *in, uint32_t version, int *is_found) {
    uint32_t at = version - in->first, width = in->widths[at];
    arena_empty(&in->query->version, (size_t)1 << 20);
    *is_found = 0;
    for (uint32_t number = 0; number <= in->root; number++) {
        const fa_node *node = &in->query->program.nodes[number];
        found *made = &in->found[number];
        if (!in->is_used[number]) continue;
        if (node->op == FA_OP_SPANS) {
            const places *of = &in->places[node->value];
            *made = (found){.is_anywhere = !of->is_read};
            if (!of->is_read) continue;
            made->bits[of->kind] = of->bits + in->offsets[at];
            made->sections[of->kind] = of->sections[at];
        } else if (node->op == FA_OP_BESIDE) TRY(beside(in, node, width, number == in->root, made));
        else TRY(joined(in, node, width, node->op == FA_OP_IN_ALL, made));
        if (in->is_used[number] == MUST_BE && !sections_of(in, made)) return FA_OK;
    }
    *is_found = 1;
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

/* Take the next versions before `last` that have to be looked at, at most `most`. */
static void take_block(block *in, uint32_t last, uint32_t most) {
    size_t room = ROOM / in->leaf_count, used = 0;
    in->first = next_left(in, in->end, last);
    uint32_t taken = 0, end = last - in->first < MOST_VERSIONS ? last : in->first + MOST_VERSIONS;
    for (in->end = in->first; in->end < end; in->end = next_left(in, in->end + 1, end)) {
        uint32_t width = width_of(live_at(in->query, in->place), in->end), at = in->end - in->first;
        if (taken++ == most || (used && used + size_of(width) > room)) break;
        in->offsets[at] = (uint32_t)used;
        in->widths[at] = (uint8_t)width;
        used += size_of(width);
    }
    in->room = (uint32_t)used;
}

static void clear_block(block *in) {
    for (uint32_t leaf = 0; leaf < in->query->program.leaf_count; leaf++) {
        if (!in->places[leaf].is_read) continue;
        memset(in->places[leaf].bits, 0, in->room * sizeof(uint64_t));
        memset(in->places[leaf].sections, 0, in->end - in->first);
    }
}

static void leave_away(block *in, uint32_t version) { in->left[version >> 6] &= ~((uint64_t)1 << (version & 63)); }

static int look_at_block(block *in, uint64_t *mask) {
    int is_last = in->room == 0, is_found;
    clear_block(in);
    /* one place more is often enough for two words, hardly ever for a chain of them */
    for (uint32_t done = 0, end = in->near_count > 1 ? 8 : 4; !is_last; done = end, end *= 8) {
        TRY(read_lists(in, done, end, &is_last));
        uint32_t version = next_left(in, in->first, in->end);
        if (version == in->end) return FA_OK;
        for (; version < in->end; version = next_left(in, version + 1, in->end)) {
            TRY(look(in, version, &is_found));
            if (is_found) set_bit(mask, version);
            if (is_found || is_last) leave_away(in, version);
        }
    }
    return FA_OK;
}

/* Leave versions of a block away in which what is read shows that the root is not there. */
static int leave_possible(block *in, uint32_t *looked_at, uint32_t *away) {
    int is_last, is_found;
    clear_block(in);
    TRY(read_lists(in, 0, UINT32_MAX, &is_last));
    for (uint32_t version = next_left(in, in->first, in->end); version < in->end;
         version = next_left(in, version + 1, in->end)) {
        TRY(look(in, version, &is_found));
        ++*looked_at;
        *away += !is_found;
        if (!is_found) leave_away(in, version);
    }
    return FA_OK;
}

/* ---------------------------------------------------------------- leaves that are read */

static int open_leaf(block *in, uint32_t leaf, uint64_t asked) {
    fa_query *query = in->query;
    places *of = &in->places[leaf];
    of->sections = arena_raw(&query->kept, MOST_VERSIONS);
    if (of->sections == NULL) return FA_NO_MEMORY;
    of->is_open = 1;
    for (uint32_t layer = 0; layer < 2; layer++) {
        reader *from = &of->from[layer];
        if (!is_word(&query->program.leaves[leaf])) {
            if (state_of(query, leaf, in->place)->spot_ends[layer] == NULL)
                TRY(reader_open(query, from, leaf, in->place, layer, NULL));
            continue;
        }
        TRY(reader_begin(query, from, leaf, in->place, layer));
        for (uint32_t each = 0; each < from->list_count; each++) {
            held *list = from->lists[each];
            TRY(held_keep(query, list));
            if (from->list_count <= FEW && asked < list->count / FEW_OF)
                TRY(skips_find(query, list, &from->cursors[each]));
        }
        if (from->list_count) memcpy(from->begins, from->cursors, from->list_count * sizeof(fa_cursor));
    }
    return FA_OK;
}

/* Read the leaves of the first pairs, or all for `pairs` of 0, from the first version on. versions: of the segment. */
static int choose_leaves(block *in, uint32_t pairs, uint32_t versions) {
    const fa_program *program = &in->query->program;
    uint64_t asked = 0;
    for (size_t word = 0; word < words_of(versions); word++) asked += (uint64_t)counts_bits(in->left[word]);
    for (uint32_t leaf = 0; leaf < program->leaf_count; leaf++) in->places[leaf].is_read = 0;
    for (uint32_t pair = 0; pair < pairs; pair++)
        for (int each = 0; each < 2; each++) in->places[in->pairs[pair].leaves[each]].is_read = 1;
    for (uint32_t number = 0; number <= in->root && !pairs; number++)
        if (in->is_used[number] && program->nodes[number].op == FA_OP_SPANS)
            in->places[program->nodes[number].value].is_read = 1;
    in->leaf_count = 0;
    for (uint32_t leaf = 0; leaf < program->leaf_count; leaf++) {
        places *of = &in->places[leaf];
        if (!of->is_read) continue;
        in->leaf_count++;
        if (!of->is_open) TRY(open_leaf(in, leaf, asked));
        for (uint32_t layer = 0; layer < 2; layer++) reader_again(&of->from[layer]);
    }
    /* one version always has its room */
    size_t room = ROOM / in->leaf_count, least = size_of(MOST_BITS), at = 0;
    room = room > least ? room : least;
    uint64_t *bits = buffer_get(&in->query->upper, in->leaf_count * room * sizeof(uint64_t));
    if (bits == NULL) return FA_NO_MEMORY;
    for (uint32_t leaf = 0; leaf < program->leaf_count; leaf++)
        if (in->places[leaf].is_read) in->places[leaf].bits = bits + at++ * room;
    return FA_OK;
}

/* Return the first leaf of which a node says where it stands. */
static uint32_t first_leaf(const block *in, uint32_t number) {
    const fa_program *program = &in->query->program;
    while (program->nodes[number].op != FA_OP_SPANS) number = program->args[program->nodes[number].first];
    return program->nodes[number].value;
}

static double pairs_of(const block *in, uint32_t leaf) {
    const state *known = state_of(in->query, leaf, in->place);
    double pairs = known->count;
    if (!is_word(&in->query->program.leaves[leaf])) return pairs;
    pairs = 0;
    for (uint32_t each = 0; each < known->list_count; each++) pairs += known->lists[each].list.count;
    return pairs;
}

/* Find the leaves that have to be near each other, and put the pairs in order. */
static int find_pairs(block *in) {
    const fa_program *program = &in->query->program;
    in->pairs = arena_raw(&in->query->kept, (in->near_count + 1) * sizeof(near_pair));
    if (in->pairs == NULL) return FA_NO_MEMORY;
    for (uint32_t number = 0; number <= in->root; number++) {
        const fa_node *node = &program->nodes[number];
        if (in->is_used[number] != MUST_BE || node->op != FA_OP_BESIDE || node->count < 2) continue;
        uint32_t one = first_leaf(in, program->args[node->first]), other = first_leaf(in, program->args[node->first + 1]);
        near_pair pair = {{one, other}, pairs_of(in, one) * pairs_of(in, other) * node->value};
        uint32_t to = in->pair_count++;
        for (; to && in->pairs[to - 1].chance > pair.chance; to--) in->pairs[to] = in->pairs[to - 1];
        in->pairs[to] = pair;
    }
    return FA_OK;
}

/* ---------------------------------------------------------------- all versions */

#define MANY_PAIRS 3 /* that have to be near each other, of which one alone is looked at before */
#ifndef FA_AT_FIRST /* tests have few versions */
#define FA_AT_FIRST 2048 /* versions of which all leaves are read at once: when the time is up soon, something was found */
#endif
#define TRIED 256 /* versions after which it is seen whether some leaves alone leave most away */

/* Go over versions with the leaves of some pairs, as long as most are left away by that. */
static int leave_some(block *in, uint32_t pairs, uint32_t begin, uint32_t versions) {
    uint32_t looked_at = 0, away = 0;
    TRY(choose_leaves(in, pairs, versions));
    for (in->end = begin; in->end < versions && (looked_at < TRIED || 2 * away >= looked_at);) {
        take_block(in, versions, MOST_VERSIONS);
        if (finding_is_over(in->query)) return FA_TIME_UP;
        if (in->room) TRY(leave_possible(in, &looked_at, &away));
    }
    return FA_OK;
}

/* Go over versions with all leaves. *reached: the first one that was not looked at when the time is up. */
static int look_at_all(block *in, uint32_t begin, uint32_t end, uint32_t versions, uint64_t *mask, uint32_t *reached) {
    TRY(choose_leaves(in, 0, versions));
    in->end = begin;
    /* the first blocks are small, too */
    for (uint32_t most = begin ? MOST_VERSIONS : 1; in->end < end; most = most < MOST_VERSIONS ? 2 * most : most) {
        take_block(in, end, most);
        *reached = in->first;
        if (finding_is_over(in->query)) return FA_TIME_UP;
        TRY(look_at_block(in, mask));
    }
    return FA_OK;
}

static int look_at_versions(block *in, uint32_t versions, uint64_t *mask, uint32_t *reached) {
    uint32_t first = versions < FA_AT_FIRST || in->pair_count < MANY_PAIRS ? versions : FA_AT_FIRST;
    TRY(look_at_all(in, 0, first, versions, mask, reached));
    if (first == versions) return FA_OK;
    *reached = first;
    for (uint32_t pairs = 1; pairs <= in->pair_count / MANY_PAIRS; pairs *= MANY_PAIRS)
        TRY(leave_some(in, pairs, first, versions));
    return look_at_all(in, first, versions, versions, mask, reached);
}

/* Mark the versions among the candidates in which the spans `root` are somewhere. *left: candidates that were not looked
 * at; all of them where this way is not for `root`. */
int near_places_mask(fa_query *query, uint32_t root, uint32_t place, const uint64_t *candidates, uint64_t *mask,
                    uint64_t **left) {
    const fa_live *live = live_at(query, place);
    uint32_t versions = live->layers[0]->versions;
    block in = {.query = query, .place = place, .root = root};
    uint64_t *large = arena_get(&query->kept, words_of(versions) * 8);
    in.is_used = arena_get(&query->kept, (size_t)root + 1);
    in.left = arena_raw(&query->kept, words_of(versions) * 8);
    in.places = arena_get(&query->kept, query->program.leaf_count * sizeof(places));
    in.found = arena_get(&query->kept, ((size_t)root + 1) * sizeof(found));
    in.offsets = arena_get(&query->kept, MOST_VERSIONS * sizeof(uint32_t));
    in.widths = arena_get(&query->kept, MOST_VERSIONS);
    if (large == NULL || in.is_used == NULL || in.left == NULL || in.places == NULL || in.found == NULL ||
        in.offsets == NULL || in.widths == NULL)
        return FA_NO_MEMORY;
    memcpy(in.left, candidates, words_of(versions) * 8);
    *left = in.left;
    if (!find_kinds(&in)) return FA_OK;
    TRY(find_pairs(&in));
    for (uint32_t at = next_left(&in, 0, versions); at < versions; at = next_left(&in, at + 1, versions))
        if (width_of(live, at) > MOST_BITS) {
            set_bit(large, at);
            leave_away(&in, at);
        }
    *left = large;
    uint32_t reached = 0;
    int status = look_at_versions(&in, versions, mask, &reached);
    if (status != FA_TIME_UP) return status;
    if (reached < query->complete[place]) query->complete[place] = reached;
    return FA_OK;
}
