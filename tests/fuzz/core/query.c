/* A program of any kind over a segment of any kind and its texts of links: an answer, or a refusal. */
#include <assert.h>
#include <math.h>

#include "query.h"
#include "segment_input.h"

#define LEAVES 6
#define NODES 16
#define FORMS 64

typedef struct made {
    fa_leaf leaves[LEAVES];
    fa_form forms[FORMS];
    uint32_t ends[LEAVES][2], args[2 * NODES], pairs[4];
    fa_node nodes[NODES];
    uint8_t sets[256];
    uint64_t mask[8];
    const uint64_t *masks[1];
} made;

static void make_leaves(input *from, fa_program *program, made *in, int layers) {
    uint32_t form = 0;
    program->leaf_count = 1 + number(from, 1) % LEAVES;
    program->scored_count = number(from, 1) % (program->leaf_count + 1);
    for (uint32_t leaf = 0; leaf < program->leaf_count; leaf++) {
        fa_leaf *one = &in->leaves[leaf];
        uint32_t told = number(from, 1), count = 0;
        *one = (fa_leaf){.forms = in->forms + form, .ends = in->ends[leaf], .sets = in->sets, .boost = 1, .times = 1};
        one->kind = told & 3;
        one->elements = told & 4 ? number(from, 2) : 1023;
        one->slop = told & 8 ? number(from, 1) % 101 : 0;
        one->length = 1 + number(from, 1) % 5;
        for (int layer = 0; layer < 2; layer++) {
            uint32_t more = layer < layers ? number(from, 1) % 5 : 0, next = 0;
            for (; more && form < FORMS; more--, form++, count++) {
                uint32_t place = number(from, 1) % 5;
                if (one->kind != FA_PHRASE) place &= 1;
                else if (place) place = next; /* 0: begins again, which is refused */
                next = place + 1 + (told >> 7);
                in->forms[form] = (fa_form){number(from, 1), place, 0.25 * (1 + number(from, 1) % 8)};
            }
            in->ends[leaf][layer] = count;
        }
    }
}

static void make_nodes(input *from, fa_program *program, made *in) {
    program->node_count = 1 + number(from, 1) % NODES;
    for (uint32_t node = 0; node < program->node_count; node++) {
        fa_node *one = &in->nodes[node];
        *one = (fa_node){number(from, 1) % 10, number(from, 1) % 7, program->arg_count, 0};
        for (uint32_t more = number(from, 1) % 4; node && more && program->arg_count < 2 * NODES; more--) {
            in->args[program->arg_count++] = number(from, 1) % node;
            one->count++;
        }
    }
    program->root = number(from, 1) % NODES;
}

static void ask_more(fa_query *query, const fa_program *program, input *from, uint32_t versions, fa_answer *answer) {
    uint32_t ordinals[2] = {0, versions - 1};
    double norms[2 * FA_KINDS] = {0}, weights[2], near[2 * FA_KINDS];
    assert(answer->total <= answer->matching && answer->matching <= versions && answer->found_count <= answer->room);
    for (uint64_t at = 1; at < answer->found_count; at++) assert(!(answer->found[at].score > answer->found[at - 1].score));
    fa_query_rank(query, 1 + number(from, 2), 1 + number(from, 1), answer);
    uint32_t count = versions > 1 ? 2 : 1;
    for (uint32_t leaf = 0; leaf < program->leaf_count; leaf++)
        fa_query_weights(query, 0, leaf, ordinals, count, norms, weights, answer);
    if (program->pair_count) fa_query_nearness(query, 0, versions - 1, near, answer);
}

/* Write the norms that the lengths have, so that bounds are true; what is damaged may lie. FA_OK, or damaged lengths. */
static int correct_norms(fa_segment *layers, int count) {
    fa_fault fault;
    for (int layer = 0; layer < count; layer++) {
        int status = fa_require_lengths(&layers[layer], 0, layers[0].versions, &fault);
        if (status != FA_OK) return status;
    }
    for (uint32_t version = 0; version < layers[0].versions; version++)
        for (int element = 0; element < FA_KINDS; element++) {
            uint64_t length = fa_length(&layers[0], version, element);
            if (element == FA_KINDS - 1 && count > 1) length += fa_length(&layers[1], version, element);
            double code = length ? ceil(120 - 12 * log2((double)length)) : 255;
            for (int layer = 0; layer < count; layer++)
                if (layers[layer].norms.data != NULL)
                    ((uint8_t *)(uintptr_t)layers[layer].norms.data)[(size_t)element * layers[0].versions + version] =
                        code < 0 ? 0 : (uint8_t)code;
        }
    return FA_OK;
}

static void ask(fa_query *query, const fa_program *program, input *from, uint32_t versions, int is_bounded) {
    uint64_t matched[8], holding[LEAVES];
    uint32_t complete[1];
    uint8_t held_in[2 * LEAVES];
    fa_found found[300];
    fa_answer answer = {.matched = matched, .complete = complete, .holding = holding, .held_in = held_in, .found = found};
    uint64_t sizes[LEAVES]; /* not 0: facts are wanted */
    fa_facts *kept[LEAVES] = {NULL};
    answer.room = number(from, 1);
    for (uint32_t leaf = 0; leaf < LEAVES; leaf++) sizes[leaf] = 1;
    answer.kept = sizes;
    int status = fa_query_run(query, program, &answer);
    if (status == FA_OK) {
        /* what was kept gives the same */
        fa_program again = *program;
        uint64_t total = answer.total, count = answer.found_count;
        double best = count ? found[0].score : 0, last = count ? found[count - 1].score : 0;
        for (uint32_t leaf = 0; leaf < program->leaf_count; leaf++) {
            if (!sizes[leaf]) continue;
            kept[leaf] = malloc(sizes[leaf]);
            void *room = malloc(sizes[leaf]);
            if (kept[leaf] != NULL && room != NULL) {
                assert(fa_query_keep(query, leaf, &answer, room, kept[leaf], sizes[leaf]) == FA_OK);
                memcpy(kept[leaf], room, sizes[leaf]);
            } else {
                free(kept[leaf]);
                kept[leaf] = NULL;
            }
            free(room);
        }
        again.facts = (const fa_facts *const *)kept;
        answer.kept = NULL;
        status = fa_query_run(query, &again, &answer);
        assert(status == FA_OK);
        if (!program->finding_looks) {
            assert(answer.total == total);
            /* with norms that are not those of the lengths, which versions are left out is anything */
            if (is_bounded) assert(answer.found_count == count);
            if (count && is_bounded) assert(found[0].score == best && found[count - 1].score == last);
        }
        ask_more(query, &again, from, versions, &answer);
    }
    for (uint32_t leaf = 0; leaf < program->leaf_count; leaf++) free(kept[leaf]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    input from = {data, size};
    fa_segment layers[2];
    uint32_t documents[300];
    uint64_t keys[300], half[8];
    made in;
    memset(&in, 0, sizeof in);
    memset(half, 0x55, sizeof half);
    int count = 1, is_sound = read_segment(&from, &layers[0]);
    if (number(&from, 1) & 1) {
        count = 2;
        is_sound &= read_segment(&from, &layers[1]) && layers[1].versions == layers[0].versions;
    }
    uint32_t versions = layers[0].versions;
    for (uint32_t at = 0; at < 300; at++) {
        documents[at] = at / 3;
        keys[at] = at / 3;
    }
    fa_live live = {.layers = {&layers[0], count > 1 ? &layers[1] : NULL}, .document = documents, .key = keys, .slack = 1};
    uint32_t told = number(&from, 1);
    if (told & 1) live.alive = half;
    if (told & 2) live.shared = half;
    in.masks[0] = in.mask;
    for (uint32_t version = 0; version < versions; version += 3) in.mask[version / 64] |= (uint64_t)1 << (version % 64);
    fa_program program = {.segments = &live, .leaves = in.leaves, .nodes = in.nodes, .args = in.args, .masks = in.masks,
                          .pairs = in.pairs, .segment_count = 1, .mask_count = 1, .k1 = 80, .slope = 0.5, .near = 0.25,
                          .versions = versions, .is_plus_idf = 1, .count = told >> 4, .pool = 20, .ties = 4,
                          .finding_s = -1, .ranking_s = -1};
    for (int element = 0; element < FA_KINDS; element++) program.boost[element] = program.b[element] = program.means[element] = 1;
    make_leaves(&from, &program, &in, count);
    make_nodes(&from, &program, &in);
    if (program.scored_count > 1) {
        program.pair_count = 1;
        in.pairs[1] = 1;
    }
    if (told & 4) program.finding_looks = 1 + number(&from, 1);
    fa_query *query = fa_query_new();
    int is_bounded = is_sound && !(told & 8) && correct_norms(layers, count) == FA_OK;
    if (is_sound && versions && query != NULL) ask(query, &program, &from, versions, is_bounded);
    fa_query_free(query);
    for (int layer = 0; layer < count; layer++) free_segment(&layers[layer]);
    return 0;
}
