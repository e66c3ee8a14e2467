/* Words in normalized text, and pages of several sections. See tokens.h.
 *
 * normal.c has told the class of every byte, so that a word is found by looking at eight of them at once: the first
 * byte that is of another class is its end.
 */
#include "tokens.h"

#include <stdlib.h>
#include <string.h>

#include "normal.h"

static const uint64_t ONES = 0x0101010101010101;

enum { MOST_SECTIONS = 255 };

static inline uint64_t load8(const uint8_t *bytes) {
    uint64_t word;
    memcpy(&word, bytes, 8);
    return word;
}

/* ---------------------------------------------------------------- hashes */

/* Odd numbers without a pattern, in place until fa_set_secret. */
static uint64_t secret[4] = {0x9e3779b97f4a7c15, 0xd1b54a32d192ed03, 0x8bb84b93962eacc9, 0x2d358dccaa6c78a5};

void fa_set_secret(const uint64_t given[4]) {
    for (int k = 0; k < 4; k++) secret[k] = given[k] | 1;
}

/* Both halves of a product, joined. */
static inline uint64_t mixed(uint64_t one, uint64_t other) {
    __extension__ unsigned __int128 product = (unsigned __int128)one * other;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Of all but the last one to eight bytes, which are left in `word` and `size`. */
static inline uint64_t hash_of_eights(const uint8_t **word, size_t *size) {
    uint64_t hash = secret[3] ^ *size;
    for (; *size > 8; *word += 8, *size -= 8) hash = mixed(hash ^ load8(*word), secret[0]) + secret[2];
    return hash;
}

static inline uint64_t hash_ended(uint64_t hash, uint64_t rest) {
    return mixed(mixed(hash ^ rest, secret[1]) ^ secret[2], secret[0]);
}

static inline uint64_t load4(const uint8_t *bytes) {
    uint32_t word;
    memcpy(&word, bytes, 4);
    return word;
}

/* Up to eight bytes as a number, the first lowest. A copy of so few takes as long as all else. */
static inline uint64_t load_up_to_8(const uint8_t *bytes, size_t size) {
    if (size == 8) return load8(bytes);
    if (size >= 4) return load4(bytes) | load4(bytes + size - 4) << 8 * (size - 4);
    uint64_t number = 0;
    for (size_t k = 0; k < size; k++) number |= (uint64_t)bytes[k] << 8 * k;
    return number;
}

uint64_t fa_hash(const uint8_t *word, size_t size) {
    uint64_t hash = hash_of_eights(&word, &size);
    return hash_ended(hash, load_up_to_8(word, size));
}

/* The same of a word that FA_HASH_AHEAD bytes can be read behind; it is not empty. */
static inline uint64_t hash_of_token(const uint8_t *word, size_t size) {
    uint64_t hash = hash_of_eights(&word, &size);
    return hash_ended(hash, load8(word) & ~(uint64_t)0 >> (64 - 8 * size));
}

uint64_t fa_hash_ahead(const uint8_t *word, size_t size) { return hash_of_token(word, size); }

/* ---------------------------------------------------------------- the handle */

fa_tokens *fa_tokens_new(void) {
    fa_tokenizer *t = calloc(1, sizeof *t);
    return t ? &t->told : NULL;
}

void fa_tokens_free(fa_tokens *tokens) {
    if (tokens == NULL) return;
    fa_tokenizer *t = (fa_tokenizer *)tokens;
    free(t->text);
    free(t->classes);
    free(t->places);
    free(t->tokens);
    fa_letters_free(&t->letters);
    fa_letters_free(&t->spare);
    free(t);
}

/* What one huge text needed is not kept for the small ones that follow. */
static void give_back(fa_tokenizer *t) {
    static const size_t MUCH = (size_t)1 << 20;
    if (t->room > MUCH && t->size < MUCH / 4) {
        free(t->text);
        free(t->classes);
        t->text = t->classes = NULL;
        t->room = 0;
    }
    if (t->token_room > MUCH / 8 && t->token_count < MUCH / 64) {
        free(t->tokens);
        t->tokens = NULL;
        t->token_room = 0;
    }
    if (t->place_room > MUCH / 8) {
        free(t->places);
        t->places = NULL;
        t->place_room = 0;
    }
    if (t->letters.room > MUCH / 8) fa_letters_free(&t->letters);
    if (t->spare.room > MUCH / 8) fa_letters_free(&t->spare);
}

static fa_tokenizer *emptied(fa_tokens *tokens) {
    fa_tokenizer *t = (fa_tokenizer *)tokens;
    give_back(t);
    t->told = (fa_tokens){0};
    t->size = t->token_count = t->place_count = 0;
    return t;
}

static int told(fa_tokenizer *t, int status) {
    if (status) {
        emptied(&t->told);
        return status;
    }
    t->told.normal = t->text;
    t->told.normal_size = t->size;
    t->told.tokens = t->tokens;
    t->told.token_count = t->token_count;
    return FA_OK;
}

/* ---------------------------------------------------------------- words of a section */

typedef struct section_walk {
    const fa_section *section;
    uint32_t number;
    uint32_t rank; /* of the next word */
    size_t place;  /* the one that the token before began in */
    size_t piece;
} section_walk;

static inline uint32_t bytes_of_character(uint8_t lead) { return lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4; }

static size_t count_code_points(const uint8_t *text, size_t size) {
    size_t count = 0;
    for (size_t k = 0; k < size; k++) count += (text[k] & 0xc0) != 0x80;
    return count;
}

/* Return the size of the first FA_MAX_WORD code points. */
static size_t cut_word(const uint8_t *text, size_t size) {
    size_t count = 0;
    for (size_t k = 0; k < size; k++)
        if ((text[k] & 0xc0) != 0x80 && count++ == FA_MAX_WORD) return k;
    return size;
}

/* Tell where in the source the normalized bytes from token->begin on stand. */
static inline void find_source(const fa_tokenizer *t, section_walk *w, fa_token *token) {
    const fa_place *places = t->places;
    size_t count = t->place_count, first = w->place;
    while (first + 1 < count && places[first + 1].normal <= token->begin) first++;
    w->place = first;
    token->from = places[first].to ? places[first].from : places[first].from + (token->begin - places[first].normal);
    uint32_t last_byte = token->begin + token->size - 1;
    size_t last = first;
    while (last + 1 < count && places[last + 1].normal <= last_byte) last++;
    token->to = places[last].to ? places[last].to : places[last].from + (last_byte - places[last].normal) + 1;
}

static inline uint32_t element_at(section_walk *w, uint32_t from) {
    const fa_section *section = w->section;
    if (section->pieces == NULL) return section->element;
    while (w->piece + 1 < section->piece_count && section->pieces[w->piece + 1].begin <= from) w->piece++;
    return section->pieces[w->piece].element;
}

/* begin, size: bytes of the normalized text. */
static inline int put_token(fa_tokenizer *t, section_walk *w, size_t begin, size_t size, uint32_t flags) {
    if (t->token_count == t->token_room) {
        size_t room = t->token_room + t->token_room / 2 + 256;
        if (room > SIZE_MAX / sizeof(fa_token)) return FA_NO_MEMORY;
        fa_token *tokens = realloc(t->tokens, room * sizeof *tokens);
        if (tokens == NULL) return FA_NO_MEMORY;
        t->tokens = tokens;
        t->token_room = room;
    }
    fa_token *token = &t->tokens[t->token_count++];
    token->hash = hash_of_token(t->text + begin, size);
    token->begin = (uint32_t)begin;
    token->size = (uint32_t)size;
    token->rank = w->rank;
    token->flags = (uint8_t)flags;
    token->section = (uint8_t)w->number;
    token->spare = 0;
    find_source(t, w, token);
    uint32_t element = element_at(w, token->from);
    token->element = (uint8_t)element;
    t->told.lengths[element]++;
    return FA_OK;
}

/* Return how many signs make a compound of the word before `end`: "#" counts when no letter follows it (page.html#part
 * holds no compound), "++" when no third "+" does. */
static inline size_t signs_at(const fa_tokenizer *t, size_t end) {
    const uint8_t *text = t->text + end;
    if (text[0] == '#') return t->classes[end + 1] == FA_SEPARATOR ? 1 : 0;
    return text[0] == '+' && text[1] == '+' && text[2] != '+' ? 2 : 0;
}

/* A run of letters and digits that begins at `at`. Returns a status, and in `end` where the run ends. */
static inline int put_word(fa_tokenizer *t, section_walk *w, size_t at, size_t *end) {
    size_t size = 0;
    uint64_t others;
    while ((others = load8(t->classes + at + size) ^ FA_WORD * ONES) == 0) size += 8;
    size += (size_t)__builtin_ctzll(others) >> 3;
    *end = at + size;
    const uint8_t *word = t->text + at;
    size_t kept = size <= FA_MAX_WORD ? size : cut_word(word, size);
    int status = put_token(t, w, at, kept, 0);
    uint8_t next = word[size];
    if (status == FA_OK && (next == '+' || next == '#') && kept == size &&
        (size <= FA_MAX_WORD - 2 || count_code_points(word, size) <= FA_MAX_WORD - 2)) {
        size_t signs = signs_at(t, *end);
        if (signs) status = put_token(t, w, at, size + signs, FA_COMPOUND);
    }
    w->rank++;
    return status;
}

/* A character of a script without spaces with the next one, if that is one too; or a picture sign. */
static inline int put_character(fa_tokenizer *t, section_walk *w, size_t at, size_t *end) {
    size_t size = bytes_of_character(t->text[at]);
    uint32_t flags = FA_PICTURE;
    *end = at + size;
    if (t->classes[at] == FA_PAIRED) {
        flags = FA_PAIR;
        if (t->classes[*end] == FA_PAIRED) size += bytes_of_character(t->text[*end]);
    }
    int status = put_token(t, w, at, size, flags);
    w->rank++;
    return status;
}

/* The words of the normalized text from `at` on. */
static int put_words(fa_tokenizer *t, section_walk *w, size_t at) {
    int status = FA_OK;
    while (status == FA_OK) {
        uint64_t classes;
        /* there are zeros behind the text */
        while ((classes = load8(t->classes + at)) == 0) {
            at += 8;
            if (at >= t->size) return FA_OK;
        }
        at += (size_t)__builtin_ctzll(classes) >> 3;
        status = t->classes[at] == FA_WORD ? put_word(t, w, at, &at) : put_character(t, w, at, &at);
    }
    return status;
}

/* ---------------------------------------------------------------- what is called */

int fa_normalize(fa_tokens *tokens, fa_bytes text, uint32_t folding, size_t most) {
    fa_tokenizer *t = emptied(tokens);
    return told(t, fa_normalize_onto(t, text, folding, most));
}

int fa_tokenize(fa_tokens *tokens, fa_bytes text, uint32_t folding, size_t most) {
    fa_section section = {.text = text, .folding = folding};
    return fa_tokenize_sections(tokens, &section, 1, most);
}

static int pieces_are_sound(const fa_section *section) {
    if (section->pieces == NULL) return section->element <= FA_INLINK;
    for (size_t k = 0; k < section->piece_count; k++)
        if (section->pieces[k].element > FA_INLINK) return 0;
    return section->piece_count > 0;
}

int fa_tokenize_sections(fa_tokens *tokens, const fa_section *sections, size_t count, size_t most) {
    fa_tokenizer *t = emptied(tokens);
    if (count > MOST_SECTIONS) return told(t, FA_TOO_LARGE);
    uint32_t rank = 0, is_cut = 0;
    for (size_t number = 0; number < count; number++) {
        const fa_section *section = &sections[number];
        if (section->text.size == 0) continue;
        if (!pieces_are_sound(section)) return told(t, FA_CORRUPT);
        /* an address is short, and is found even where a title without an end takes the whole page */
        int is_counted = section->element != FA_URL || section->pieces != NULL;
        if (is_cut && is_counted) continue;
        section_walk w = {.section = section, .number = (uint32_t)number};
        w.rank = rank + (uint32_t)number * FA_SECTION_GAP;
        size_t begin = t->size, before = t->told.code_points;
        int status = fa_normalize_onto(t, section->text, section->folding, is_counted ? most : SIZE_MAX);
        if (status == FA_OK) status = put_words(t, &w, begin);
        if (status) return told(t, status);
        if (is_counted) most -= t->told.code_points - before;
        is_cut |= t->told.cut;
        rank = w.rank - (uint32_t)number * FA_SECTION_GAP;
        if (t->token_count) t->told.extent = t->tokens[t->token_count - 1].rank + 1;
    }
    t->told.cut = is_cut;
    return told(t, FA_OK);
}

int fa_tokens_of_page(fa_tokens *tokens, const fa_page *page, fa_bytes url_words, uint32_t folding, size_t most) {
    fa_section sections[] = {
        {.text = page->title, .element = FA_TITLE, .folding = folding},
        {.text = page->description, .element = FA_DESCRIPTION, .folding = folding},
        {.text = page->keywords, .element = FA_KEYWORDS, .folding = folding},
        {.text = url_words, .element = FA_URL},
        {.text = page->text,
         .pieces = page->piece_count ? page->pieces : NULL,
         .piece_count = page->piece_count,
         .element = FA_BODY,
         .folding = folding},
    };
    return fa_tokenize_sections(tokens, sections, sizeof sections / sizeof *sections, most);
}

/* ---------------------------------------------------------------- words that are looked for */

/* Return the place of a hash among rising ones, `count` if it is not there. */
static inline size_t place_among(const uint64_t *wanted, size_t count, uint64_t hash) {
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (wanted[middle] < hash)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && wanted[low] == hash ? low : count;
}

size_t fa_find_words(const fa_tokens *tokens, fa_bytes text, const uint64_t *wanted, uint32_t *left, size_t count,
                     fa_spot *spots, size_t room) {
    /* most tokens are none of those looked for, which a bit for the highest six of a hash tells nearly always */
    uint64_t there = 0;
    for (size_t k = 0; k < count; k++) there |= (uint64_t)1 << (wanted[k] >> 58);
    size_t found = 0, byte = 0, characters = 0;
    for (size_t k = 0; k < tokens->token_count && found < room; k++) {
        const fa_token *token = &tokens->tokens[k];
        if ((there >> (token->hash >> 58) & 1) == 0) continue;
        size_t which = place_among(wanted, count, token->hash);
        if (which == count || left[which] == 0 || token->to > text.size || token->from < byte) continue;
        left[which]--;
        characters += count_code_points(text.data + byte, token->from - byte);
        byte = token->from;
        uint32_t size = (uint32_t)count_code_points(text.data + byte, token->to - byte);
        spots[found++] = (fa_spot){(uint32_t)characters, (uint32_t)characters + size, token->rank, (uint32_t)which};
    }
    return found;
}

/* ---------------------------------------------------------------- single characters */

int fa_class_of(uint32_t code) { return code < FA_CODES ? (int)fa_class_among(fa_properties_of(code)) : FA_SEPARATOR; }
