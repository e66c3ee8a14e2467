#include "forms.h"

#include <limits.h>

#include "intern.h"
#include "md5.h"

#define NONE UINT32_MAX

/* A word of a dictionary that may go together with the one asked for. */
typedef struct candidate {
    uint32_t place, word, spelling; /* place: of the dictionary */
    uint32_t language;              /* of the segment, in which it does */
    uint32_t way, rank;             /* rank: of the spelling among all, in order */
} candidate;

/* A way that is not that of a stem, and the key it goes by. */
typedef struct keyed {
    uint32_t key;
    fa_way way;
} keyed;

/* A spelling, to be put in order. */
typedef struct ranked {
    fa_bytes text;
    uint32_t number;
} ranked;

struct fa_forms {
    const fa_dictionary *const *dictionaries;
    uint32_t count, bad_place;
    fa_fault fault;
    fa_intern spellings;
    fa_buffer ways;       /* by spelling: those by which it was found */
    fa_buffer candidates; /* dictionary by dictionary */
    fa_buffer ids, words; /* of the spellings given: by number, and by number in the dictionary in hand */
    uint32_t given;
    uint32_t keys[FA_WAYS], named[FA_WAYS]; /* of stems: a key, and the number of the stem; NONE: not looked for */
    fa_buffer others;                       /* ways that are not those of stems: a key, and a fa_way */
    fa_buffer forms, ends, sets, is_used, used;
};

fa_forms *fa_forms_new(void) { return calloc(1, sizeof(fa_forms)); }

void fa_forms_free(fa_forms *forms) {
    if (forms == NULL) return;
    fa_intern_free(&forms->spellings);
    fa_buffer *all[] = {&forms->ways, &forms->candidates, &forms->ids,  &forms->words, &forms->others,
                        &forms->forms, &forms->ends,      &forms->sets, &forms->is_used, &forms->used};
    for (size_t each = 0; each < sizeof all / sizeof *all; each++) fa_buffer_free(all[each]);
    free(forms);
}

#define TRY(what)                           \
    do {                                    \
        int try_status = (what);            \
        if (try_status != FA_OK) return try_status; \
    } while (0)

/* ---------------------------------------------------------------- looking up */

static uint64_t items_of(const fa_array *array) { return array->size / array->width; }

#define STEP 64 /* items */

/* Find the first item that is not less than a number in an array that rises. Items are parts of MD5s and so spread evenly:
 * it is looked for around the share of the array that the number is of all numbers. Only the items beside its place are
 * verified, which prove that it is right; where they do not, the array does not rise, or its bytes are not sound. */
static int place_of(const fa_array *array, uint32_t wanted, uint64_t *place, fa_fault *fault) {
    uint64_t low = 0, high = items_of(array), before = 0, behind = UINT64_MAX, step = STEP;
    uint64_t share = high * wanted >> 32; /* below `high`, whatever that is */
    if (high && fa_item(array, share) < wanted) {
        for (low = share + 1; high - low > step && fa_item(array, low + step) < wanted; step *= 4) low += step + 1;
        if (high - low > step) high = low + step;
    } else if (high) {
        for (high = share; high > step && fa_item(array, high - step) >= wanted; step *= 4) high -= step;
        if (high > step) low = high - step;
    }
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (fa_item(array, middle) < wanted) low = middle + 1;
        else high = middle;
    }
    *place = low;
    if (low) TRY(fa_item_at(NULL, array, low - 1, &before, fault));
    if (low < items_of(array)) TRY(fa_item_at(NULL, array, low, &behind, fault));
    if ((low && before >= wanted) || behind < wanted) return fa_damaged(NULL, array, fault);
    return FA_OK;
}

/* Read how a word is spelled. */
static int word_at(const fa_dictionary *in, uint64_t word, fa_bytes *text, fa_fault *fault) {
    uint64_t from, to;
    if (word >= items_of(&in->word_ids)) return fa_damaged(NULL, &in->stem_words, fault);
    TRY(fa_bounds_of(NULL, &in->word_ends, (uint32_t)word, &from, &to, fault));
    TRY(fa_require(NULL, &in->words, from, to, fault));
    *text = (fa_bytes){in->words.data + from, (size_t)(to - from)};
    return FA_OK;
}

static int is_same(fa_bytes one, fa_bytes other) {
    return one.size == other.size && (!one.size || !memcmp(one.data, other.data, one.size));
}

/* Find the number of a word; NONE when the dictionary does not hold it. */
static int find_word(const fa_dictionary *in, fa_bytes wanted, uint32_t id, uint32_t *word, fa_fault *fault) {
    uint64_t place, found = id;
    fa_bytes text;
    *word = NONE;
    TRY(place_of(&in->word_ids, id, &place, fault));
    for (; place < items_of(&in->word_ids); place++) { /* words may share an id */
        TRY(fa_item_at(NULL, &in->word_ids, place, &found, fault));
        if (found != id) break;
        TRY(word_at(in, place, &text, fault));
        if (!is_same(text, wanted)) continue;
        *word = (uint32_t)place;
        break;
    }
    return FA_OK;
}

static int add(fa_forms *forms, candidate made) {
    if (made.spelling == 0 && made.language != NONE) return FA_OK; /* the word itself counts anyway */
    if (made.spelling >= forms->ways.size / 8 && !fa_buffer_put_u64(&forms->ways, 0)) return FA_NO_MEMORY;
    ((uint64_t *)forms->ways.data)[made.spelling] |= (uint64_t)1 << made.way;
    return fa_buffer_put(&forms->candidates, &made, sizeof made) ? FA_OK : FA_NO_MEMORY;
}

/* Add the words that are listed under the key of a way, and the spelling that may not be. */
static int add_way(fa_forms *forms, uint32_t place, uint32_t key, fa_way way, uint32_t language) {
    const fa_dictionary *in = forms->dictionaries[place];
    candidate made = {.place = place, .language = language, .way = way.way};
    uint64_t at, found, word;
    TRY(place_of(&in->stem_keys, key, &at, &forms->fault));
    for (; at < items_of(&in->stem_keys); at++) {
        fa_bytes text;
        TRY(fa_item_at(NULL, &in->stem_keys, at, &found, &forms->fault));
        if (found != key) break;
        TRY(fa_item_at(NULL, &in->stem_words, at, &word, &forms->fault));
        TRY(word_at(in, word, &text, &forms->fault));
        made.word = (uint32_t)word;
        TRY(fa_intern_put(&forms->spellings, text.data, text.size, &made.spelling));
        TRY(add(forms, made));
    }
    made.word = ((const uint32_t *)forms->words.data)[way.spelling];
    made.spelling = way.spelling;
    return made.word == NONE ? FA_OK : add(forms, made);
}

/* Look at one dictionary. */
static int look(fa_forms *forms, uint32_t place) {
    const fa_dictionary *in = forms->dictionaries[place];
    const uint32_t *ids = (const uint32_t *)forms->ids.data;
    uint32_t *words = (uint32_t *)forms->words.data;
    for (uint32_t number = 0; number < forms->given; number++)
        TRY(find_word(in, fa_intern_at(&forms->spellings, number), ids[number], &words[number], &forms->fault));
    candidate itself = {.place = place, .word = words[0], .language = NONE, .way = FA_ALWAYS};
    if (itself.word != NONE) TRY(add(forms, itself));
    for (uint32_t language = 0; language < in->languages; language++) {
        uint32_t way = in->ways[language];
        if (way < FA_FOLD && forms->named[way] != NONE)
            TRY(add_way(forms, place, forms->keys[way], (fa_way){way, forms->named[way]}, language));
    }
    const keyed *others = (const keyed *)forms->others.data;
    for (size_t at = 0; at < forms->others.size / sizeof *others; at++)
        TRY(add_way(forms, place, others[at].key, others[at].way, 0));
    return FA_OK;
}

static int string_at(const fa_strings *in, uint64_t number, fa_bytes *found) {
    uint32_t start = number ? in->ends[number - 1] : 0;
    if (number >= in->count || in->ends[number] < start) return FA_TOO_LARGE;
    *found = (fa_bytes){in->data + start, in->ends[number] - start};
    return FA_OK;
}

/* Give the number of a spelling that is looked for itself. */
static int take_spelling(fa_forms *forms, fa_bytes text, uint32_t *number) {
    TRY(fa_intern_put(&forms->spellings, text.data, text.size, number));
    if (*number < forms->given) return FA_OK;
    forms->given++;
    if (!fa_buffer_put_u32(&forms->ids, fa_md5_id(text.data, text.size)) || !fa_buffer_put_u32(&forms->words, NONE) ||
        !fa_buffer_put_u64(&forms->ways, 0))
        return FA_NO_MEMORY;
    return FA_OK;
}

static int take_spellings(fa_forms *forms, const fa_strings *given) {
    for (uint32_t number = 0, known; number < given->count; number++) {
        fa_bytes text;
        TRY(string_at(given, number, &text));
        TRY(take_spelling(forms, text, &known));
        if (known != number) return FA_TOO_LARGE;
    }
    return FA_OK;
}

/* Work out the keys of the ways. */
static int take_ways(fa_forms *forms, const fa_strings *names, const fa_way *ways, uint32_t count) {
    fa_buffer name = {NULL, 0, 0};
    int status = FA_OK;
    for (uint32_t way = 0; way < FA_WAYS; way++) forms->named[way] = NONE;
    for (uint32_t at = 0; status == FA_OK && at < count; at++) {
        uint32_t way = ways[at].way;
        fa_bytes begin;
        if (way >= FA_WAYS || ways[at].spelling >= forms->given || string_at(names, way, &begin) != FA_OK) {
            status = FA_TOO_LARGE;
            break;
        }
        fa_bytes text = fa_intern_at(&forms->spellings, ways[at].spelling);
        fa_buffer_empty(&name);
        keyed made = {0, ways[at]};
        if (!fa_buffer_put(&name, begin.data, begin.size) || !fa_buffer_put(&name, text.data, text.size)) {
            status = FA_NO_MEMORY;
            break;
        }
        made.key = fa_md5_id(name.data, name.size); /* of the key its first four bytes are kept */
        if (way < FA_FOLD) {
            forms->keys[way] = made.key;
            forms->named[way] = ways[at].spelling;
        } else if (!fa_buffer_put(&forms->others, &made, sizeof made)) status = FA_NO_MEMORY;
    }
    fa_buffer_free(&name);
    return status;
}

static int look_at_all(fa_forms *forms) {
    for (uint32_t place = 0; place < forms->count; place++) {
        forms->bad_place = place;
        if (forms->dictionaries[place] != NULL) TRY(look(forms, place));
    }
    return FA_OK;
}

static int find(fa_forms *forms, const fa_strings *names, const fa_strings *spellings, const fa_way *ways,
                uint32_t way_count) {
    TRY(take_spellings(forms, spellings));
    TRY(take_ways(forms, names, ways, way_count));
    return look_at_all(forms);
}

static fa_forms_found what_was_found(const fa_forms *forms) {
    return (fa_forms_found){forms->spellings.bytes.data,
                            (const uint32_t *)forms->spellings.ends.data,
                            (const uint64_t *)forms->ways.data,
                            forms->spellings.count,
                            forms->bad_place,
                            forms->fault.array};
}

int fa_forms_find(fa_forms *forms, const fa_dictionary *const *dictionaries, uint32_t count, const fa_strings *names,
                  const fa_strings *spellings, const fa_way *ways, uint32_t way_count, fa_forms_found *found) {
    if (!spellings->count || spellings->count >= NONE || forms->spellings.count) return FA_TOO_LARGE;
    forms->dictionaries = dictionaries;
    forms->count = count;
    int status = find(forms, names, spellings, ways, way_count);
    *found = what_was_found(forms);
    return status;
}

int fa_forms_numbers(const fa_dictionary *const *dictionaries, uint32_t count, const fa_strings *words,
                     uint32_t *numbers, uint32_t *bad_place, uint32_t *bad_array) {
    fa_fault fault = {NULL, 0};
    for (uint64_t number = 0; number < words->count; number++) {
        fa_bytes text;
        TRY(string_at(words, number, &text));
        uint32_t id = fa_md5_id(text.data, text.size);
        for (uint32_t place = 0; place < count; place++) {
            uint32_t *found = &numbers[place * words->count + number];
            int status = FA_OK;
            *found = NONE;
            if (dictionaries[place] != NULL) status = find_word(dictionaries[place], text, id, found, &fault);
            *bad_place = place;
            *bad_array = fault.array;
            if (status != FA_OK) return status;
        }
    }
    return FA_OK;
}

/* ---------------------------------------------------------------- making */

static int by_text(const void *one, const void *other) {
    const ranked *a = one, *b = other;
    size_t size = a->text.size < b->text.size ? a->text.size : b->text.size;
    int order = size ? memcmp(a->text.data, b->text.data, size) : 0;
    return order ? order : (a->text.size > b->text.size) - (a->text.size < b->text.size);
}

static int by_rank(const void *one, const void *other) {
    const candidate *a = one, *b = other;
    if (a->place != b->place) return a->place < b->place ? -1 : 1;
    if (a->rank != b->rank) return a->rank < b->rank ? -1 : 1;
    return (a->word > b->word) - (a->word < b->word);
}

/* Tell each candidate how its spelling stands among all. */
static int rank_spellings(fa_forms *forms) {
    uint32_t count = forms->spellings.count;
    ranked *all = malloc(count * sizeof *all);
    uint32_t *ranks = malloc(count * sizeof *ranks);
    if (all != NULL && ranks != NULL) {
        for (uint32_t number = 0; number < count; number++)
            all[number] = (ranked){fa_intern_at(&forms->spellings, number), number};
        qsort(all, count, sizeof *all, by_text);
        for (uint32_t rank = 0; rank < count; rank++) ranks[all[rank].number] = rank;
        candidate *found = (candidate *)forms->candidates.data;
        size_t candidates = forms->candidates.size / sizeof *found;
        for (size_t at = 0; at < candidates; at++) found[at].rank = ranks[found[at].spelling];
    }
    int status = all != NULL && ranks != NULL ? FA_OK : FA_NO_MEMORY;
    free(all);
    free(ranks);
    return status;
}

/* Leave what belongs to the word; return how many that are. */
static size_t leave_accepted(fa_forms *forms, const uint64_t *ways) {
    candidate *all = (candidate *)forms->candidates.data;
    size_t count = forms->candidates.size / sizeof *all, left = 0;
    for (size_t at = 0; at < count; at++)
        if (all[at].spelling == 0 || ways[all[at].spelling] >> all[at].way & 1) all[left++] = all[at];
    return left;
}

static int put_form(fa_forms *forms, uint32_t word, uint64_t set, double factor) {
    if (set > UINT32_MAX - 1) return FA_TOO_LARGE;
    fa_form made = {word, (uint32_t)set, factor};
    return fa_buffer_put(&forms->forms, &made, sizeof made) ? FA_OK : FA_NO_MEMORY;
}

/* Make the forms of one spelling of a dictionary: one, or two where it counts for less in some languages. */
static int make(fa_forms *forms, const candidate *of, size_t count, double fold, double others) {
    uint64_t languages = forms->dictionaries[of->place]->languages, spoken = 0;
    size_t set = forms->sets.size;
    int always = 0, is_folded = 0;
    if (!fa_buffer_reserve(&forms->sets, 2 * languages + 1)) return FA_NO_MEMORY; /* never none */
    uint8_t *speaks = forms->sets.data + set;
    for (size_t at = 0; at < count; at++) {
        if (of[at].way == FA_ALWAYS) always = 1;
        else if (of[at].way == FA_FOLD) is_folded = 1;
        else if (!speaks[of[at].language]) speaks[of[at].language] = 1, spoken++;
    }
    ((uint8_t *)forms->is_used.data)[of->spelling] = 1;
    if (always || !spoken || spoken == languages) {
        memset(speaks, 0, languages);
        return put_form(forms, of->word, 0, always ? 1.0 : spoken ? others : fold);
    }
    forms->sets.size += languages;
    if (is_folded) {
        for (uint64_t language = 0; language < languages; language++)
            speaks[languages + language] = !speaks[language];
        TRY(put_form(forms, of->word, forms->sets.size + 1, fold));
        forms->sets.size += languages;
    }
    return put_form(forms, of->word, set + 1, others);
}

/* Put the spellings of which there is a form side by side. */
static int list_used(fa_forms *forms) {
    const uint8_t *is_used = forms->is_used.data;
    for (uint32_t number = 0; number < forms->spellings.count; number++) {
        if (!is_used[number]) continue;
        fa_bytes text = fa_intern_at(&forms->spellings, number);
        if (forms->used.size && !fa_buffer_put(&forms->used, "", 1)) return FA_NO_MEMORY;
        if (!fa_buffer_put(&forms->used, text.data, text.size)) return FA_NO_MEMORY;
    }
    return FA_OK;
}

int fa_forms_make(fa_forms *forms, const uint64_t *ways, double fold, double others, fa_forms_made *made) {
    size_t count = leave_accepted(forms, ways), at = 0;
    candidate *all = (candidate *)forms->candidates.data;
    TRY(rank_spellings(forms));
    if (count) qsort(all, count, sizeof *all, by_rank);
    if (!fa_buffer_reserve(&forms->is_used, forms->spellings.count)) return FA_NO_MEMORY;
    for (uint32_t place = 0; place < forms->count; place++) {
        while (at < count && all[at].place == place) {
            size_t first = at++;
            while (at < count && all[at].place == place && all[at].spelling == all[first].spelling) at++;
            TRY(make(forms, all + first, at - first, fold, others));
        }
        uint32_t end = (uint32_t)(forms->forms.size / sizeof(fa_form));
        if (!fa_buffer_put_u32(&forms->ends, end)) return FA_NO_MEMORY;
    }
    TRY(list_used(forms));
    *made = (fa_forms_made){(const fa_form *)forms->forms.data,
                            (const uint32_t *)forms->ends.data,
                            forms->sets.data,
                            forms->used.data,
                            forms->forms.size / sizeof(fa_form),
                            forms->sets.size,
                            forms->used.size};
    return FA_OK;
}

/* ---------------------------------------------------------------- words with their stems */

static int stem_of(const fa_stemmers *stemmers, uint32_t way, fa_bytes word, fa_bytes *stem) {
    struct sb_stemmer *stemmer = stemmers->languages[way];
    if (stemmer == NULL || word.size > INT_MAX) return FA_TOO_LARGE;
    const uint8_t *found = stemmers->stem(stemmer, word.data, (int)word.size);
    int size = found ? stemmers->length(stemmer) : -1;
    if (size < 0) return FA_NO_MEMORY;
    *stem = (fa_bytes){found, (size_t)size};
    return FA_OK;
}

/* Look for a word and its stems. */
static int find_stemmed(fa_forms *forms, const fa_strings *names, const fa_stemmers *stemmers, fa_bytes word,
                        const uint8_t *ways, uint32_t way_count) {
    fa_way named[FA_FOLD];
    uint32_t number;
    if (way_count > FA_FOLD) return FA_TOO_LARGE;
    TRY(take_spelling(forms, word, &number));
    for (uint32_t at = 0; at < way_count; at++) {
        fa_bytes stem;
        if (ways[at] >= FA_FOLD) return FA_TOO_LARGE;
        TRY(stem_of(stemmers, ways[at], word, &stem));
        TRY(take_spelling(forms, stem, &number));
        named[at] = (fa_way){ways[at], number};
    }
    TRY(take_ways(forms, names, named, way_count));
    return look_at_all(forms);
}

/* Leave of the ways by which each spelling was found those by which it belongs to the word: in these languages it has the
 * stem of the word, too. */
static int leave_same_stems(fa_forms *forms, const fa_stemmers *stemmers) {
    uint64_t *ways = (uint64_t *)forms->ways.data;
    for (uint32_t number = 1; number < forms->spellings.count; number++) {
        fa_bytes spelling = fa_intern_at(&forms->spellings, number);
        uint64_t left = fa_is_stemmable(spelling) ? ways[number] : 0;
        ways[number] = 0;
        for (; left; left &= left - 1) {
            uint32_t way = (uint32_t)__builtin_ctzll(left);
            fa_bytes stem;
            TRY(stem_of(stemmers, way, spelling, &stem));
            if (is_same(stem, fa_intern_at(&forms->spellings, forms->named[way]))) ways[number] |= (uint64_t)1 << way;
        }
    }
    return FA_OK;
}

int fa_forms_stemmed(fa_forms *forms, const fa_dictionary *const *dictionaries, uint32_t count,
                     const fa_strings *names, const fa_stemmers *stemmers, const uint8_t *word, size_t size,
                     const uint8_t *ways, uint32_t way_count, double others, fa_forms_found *found,
                     fa_forms_made *made) {
    if (forms->spellings.count) return FA_TOO_LARGE;
    forms->dictionaries = dictionaries;
    forms->count = count;
    int status = find_stemmed(forms, names, stemmers, (fa_bytes){word, size}, ways, way_count);
    if (status == FA_OK) status = leave_same_stems(forms, stemmers);
    *found = what_was_found(forms);
    return status == FA_OK ? fa_forms_make(forms, (const uint64_t *)forms->ways.data, 0, others, made) : status;
}
