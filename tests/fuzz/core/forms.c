/* Words looked up in dictionaries that may hold anything: what is made of it stays within them. */
#include <assert.h>

#include "forms.h"
#include "segment_input.h"

#define LAYERS 2
#define COLUMNS 7 /* of a dictionary */

static fa_array *columns_of(fa_dictionary *of) { return &of->word_ends.sizes; }

static int read_dictionary(input *from, fa_dictionary *made, const uint8_t *ways) {
    memset(made, 0, sizeof *made);
    made->ways = ways;
    made->languages = number(from, 1) % 4;
    for (uint16_t place = 0; place < COLUMNS; place++)
        if (!read_array(from, &columns_of(made)[place], place)) return 0;
    return 1;
}

static void check_forms(const fa_dictionary *const *dictionaries, const fa_forms_made *made) {
    uint64_t at = 0;
    for (int place = 0; place < LAYERS; place++) {
        assert(made->ends[place] >= at && made->ends[place] <= made->form_count);
        for (; at < made->ends[place]; at++) {
            const fa_form *form = &made->forms[at];
            assert(form->word < dictionaries[place]->word_ids.size / dictionaries[place]->word_ids.width);
            if (form->languages) assert(form->languages - 1 + dictionaries[place]->languages <= made->set_bytes);
        }
    }
    assert(at == made->form_count);
}

static void look_up(input *from, const fa_dictionary *const *dictionaries) {
    static const uint32_t ends[] = {2, 4, 7};
    uint32_t name_ends[FA_WAYS];
    for (int way = 0; way < FA_WAYS; way++) name_ends[way] = 3; /* only the first way has a name */
    fa_strings names = {(const uint8_t *)"en:", name_ends, FA_WAYS};
    fa_strings spellings = {(const uint8_t *)"w1w2w10", ends, 3};
    fa_way ways[] = {{0, 1}, {1, number(from, 1) % 3}, {FA_FOLD, 2}, {FA_ALWAYS, 0}};
    uint32_t numbers[LAYERS * 3], place, array;
    fa_forms_numbers(dictionaries, LAYERS, &spellings, numbers, &place, &array);
    fa_forms *forms = fa_forms_new();
    fa_forms_found found;
    if (forms != NULL && fa_forms_find(forms, dictionaries, LAYERS, &names, &spellings, ways, 4, &found) == FA_OK) {
        uint64_t *belonging = calloc(found.count + 1, 8);
        for (uint64_t at = 0; belonging != NULL && at < found.count; at++)
            belonging[at] = found.ways[at] & (number(from, 1) % 2 ? UINT64_MAX : number(from, 1));
        fa_forms_made made;
        if (belonging != NULL && fa_forms_make(forms, belonging, 0.5, 0.7, &made) == FA_OK)
            check_forms(dictionaries, &made);
        free(belonging);
    }
    fa_forms_free(forms);
}

/* A stemmer that takes a letter away, where there are three or more. */
static int stem_size;

static const uint8_t *stem(struct sb_stemmer *stemmer, const uint8_t *word, int size) {
    (void)stemmer;
    stem_size = size < 3 ? size : size - 1;
    return word;
}

static int length(struct sb_stemmer *stemmer) {
    (void)stemmer;
    return stem_size;
}

static void look_up_stems(input *from, const fa_dictionary *const *dictionaries) {
    static fa_stemmers stemmers = {.stem = stem, .length = length};
    stemmers.languages[0] = stemmers.languages[1] = (struct sb_stemmer *)&stem_size;
    uint32_t name_ends[FA_WAYS];
    for (int way = 0; way < FA_WAYS; way++) name_ends[way] = 3;
    fa_strings names = {(const uint8_t *)"en:", name_ends, FA_WAYS};
    uint8_t ways[] = {0, number(from, 1) % 4};
    fa_forms *forms = fa_forms_new();
    fa_forms_found found;
    fa_forms_made made;
    if (forms != NULL && fa_forms_stemmed(forms, dictionaries, LAYERS, &names, &stemmers, (const uint8_t *)"w10", 3, ways,
                                          2, 0.7, &found, &made) == FA_OK)
        check_forms(dictionaries, &made);
    fa_forms_free(forms);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const uint8_t ways[] = {0, 1, FA_NO_WAY, 1};
    input from = {data, size};
    fa_dictionary made[LAYERS];
    memset(made, 0, sizeof made);
    int is_there = 1;
    for (int layer = 0; layer < LAYERS && is_there; layer++) is_there = read_dictionary(&from, &made[layer], ways);
    const fa_dictionary *const dictionaries[LAYERS] = {&made[0], &made[1]};
    if (is_there) look_up(&from, dictionaries);
    if (is_there) look_up_stems(&from, dictionaries);
    for (int layer = 0; layer < LAYERS; layer++)
        for (int place = 0; place < COLUMNS; place++) free((void *)(uintptr_t)columns_of(&made[layer])[place].data);
    return 0;
}
