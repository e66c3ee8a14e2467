/* Memory and time of a query. */
#include <stdlib.h>
#include <time.h>

#include "processor.h"
#include "query_inside.h"

#define CHUNK ((size_t)256 << 10)

#define HEAD ((sizeof(chunk) + 15) & ~(size_t)15)

static chunk *add_chunk(arena *to, size_t room) {
    chunk *made = malloc(HEAD + room);
    if (made == NULL) return NULL;
    made->before = to->last;
    made->size = HEAD + room;
    made->used = HEAD;
    to->last = made;
    to->held += room;
    return made;
}

void *arena_raw(arena *from, size_t size) {
    if (size > SIZE_MAX / 2) return NULL;
    size = (size + 15) & ~(size_t)15;
    if (size == 0) size = 16;
    chunk *last = from->last;
    if (last == NULL || last->size - last->used < size) last = add_chunk(from, size > CHUNK ? size : CHUNK);
    if (last == NULL) return NULL;
    void *given = (uint8_t *)last + last->used;
    last->used += size;
    return given;
}

void *arena_get(arena *from, size_t size) {
    void *given = arena_raw(from, size);
    return given == NULL ? NULL : memset(given, 0, size);
}

/* Several chunks become one, so that what is asked for again needs no new pages. */
void arena_empty(arena *all, size_t most) {
    size_t kept = all->held < most ? all->held : most;
    if (all->last != NULL && all->last->before == NULL && all->held <= most) {
        all->last->used = HEAD;
        return;
    }
    while (all->last != NULL) {
        chunk *gone = all->last;
        all->last = gone->before;
        free(gone);
    }
    all->held = 0;
    if (kept) add_chunk(all, kept);
}

void *buffer_get(buffer *grown, size_t size) {
    if (size <= grown->size && grown->data != NULL) return grown->data;
    size_t room = size + size / 2 + 64;
    void *moved = size > SIZE_MAX / 4 ? NULL : realloc(grown->data, room);
    if (moved == NULL) return NULL;
    grown->data = moved;
    grown->size = room;
    return moved;
}

double seconds_now(void) {
    struct timespec now;
#if defined(CLOCK_MONOTONIC)
    clock_gettime(CLOCK_MONOTONIC, &now);
#else
    timespec_get(&now, TIME_UTC);
#endif
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static int is_over(fa_query *query, double seconds, double end, uint64_t looks) {
    query->looks++;
    if (looks) return query->looks >= looks;
    return seconds >= 0 && seconds_now() > end;
}

int finding_is_over(fa_query *query) {
    return is_over(query, query->program.finding_s, query->finding_end, query->program.finding_looks);
}

int ranking_is_over(fa_query *query) {
    return is_over(query, query->program.ranking_s, query->ranking_end, query->program.ranking_looks);
}

fa_query *fa_query_new(void) { return calloc(1, sizeof(fa_query)); }

#ifdef FA_HAS_ABILITIES
__attribute__((target("popcnt"))) static uint64_t bits_by_instruction(const uint64_t *mask, size_t words) {
    uint64_t count = 0;
    for (size_t word = 0; word < words; word++) count += (uint64_t)__builtin_popcountll(mask[word]);
    return count;
}
#endif

uint64_t bits_in(const uint64_t *mask, size_t words) {
    uint64_t count = 0;
#ifdef FA_HAS_ABILITIES
    if (fa_processor & FA_CAN_COUNT) return bits_by_instruction(mask, words);
#endif
    for (size_t word = 0; word < words; word++) count += (uint64_t)counts_bits(mask[word]);
    return count;
}

#define BUFFERS 10

static void buffers_of(fa_query *query, buffer *all[BUFFERS]) {
    for (int each = 0; each < 4; each++) all[each] = &query->decoded[each];
    for (int each = 0; each < 4; each++) all[4 + each] = &query->places[each];
    all[8] = &query->upper;
    all[9] = &query->more;
}

static void let_go(fa_query *query, size_t most) {
    buffer *all[BUFFERS];
    buffers_of(query, all);
    for (int each = 0; each < BUFFERS; each++)
        if (all[each]->size > most) {
            free(all[each]->data);
            all[each]->data = NULL;
            all[each]->size = 0;
        }
}

void fa_query_rest(fa_query *query) {
    arena_empty(&query->kept, (size_t)4 << 20);
    arena_empty(&query->shortly, (size_t)1 << 20);
    arena_empty(&query->tree, (size_t)1 << 20);
    arena_empty(&query->version, (size_t)1 << 20);
    let_go(query, (size_t)1 << 20);
    skips_rest(&query->skips);
}

void fa_query_free(fa_query *query) {
    if (query == NULL) return;
    arena_empty(&query->kept, 0);
    arena_empty(&query->shortly, 0);
    arena_empty(&query->tree, 0);
    arena_empty(&query->version, 0);
    let_go(query, 0);
    skips_forget(&query->skips);
    free(query);
}
