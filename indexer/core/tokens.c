/* Words in normalized text, and pages of several sections. See tokens.h.
 *
 * normal.c has told the class of every byte, so that a word is found by looking at eight of them at once: the first
 * byte that is of another class is its end.
 */
#include "tokens.h"

#include <stdlib.h>
#include <string.h>

#include "normal.h"
#include "utf8.h"

#ifdef __AVX2__
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

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

/* Return a bit for the highest six bits of each hash: by that most tokens are seen to be none of those looked for. */
static uint64_t highest_of(const uint64_t *wanted, size_t count) {
    uint64_t there = 0;
    for (size_t k = 0; k < count; k++) there |= (uint64_t)1 << (wanted[k] >> 58);
    return there;
}

size_t fa_find_words(const fa_tokens *tokens, fa_bytes text, const uint64_t *wanted, uint32_t *left, size_t count,
                     fa_spot *spots, size_t room) {
    uint64_t there = highest_of(wanted, count);
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

/* ---------------------------------------------------------------- the same without the words between */

enum {
    MASK_BYTES = 64,
    FEW_ASCII = 64 /* less of it between other characters is taken in with them */
};

/* Tells which bytes begin a word looked for, as `starts` knows them: by their lowest five bits, for letters and digits are
 * told apart by the word they are in. */
typedef struct firsts {
#ifdef __AVX2__
    __m256i low, high; /* by the lowest four bits: all ones where the fifth is 0, and where it is 1 */
#else
    uint32_t any; /* a bit for each */
#endif
} firsts;

/* A search for words that are looked for. characters: of the text before the part in hand. */
typedef struct finding {
    fa_bytes text;
    const uint64_t *wanted, *starts;
    uint64_t there; /* highest_of those wanted */
    firsts firsts;
    uint32_t *left;
    size_t count, room, found, characters;
    fa_spot *spots;
} finding;

static inline int is_ascii_word(uint8_t byte) {
    return (uint8_t)((byte | 0x20) - 'a') < 26 || (uint8_t)(byte - '0') < 10;
}

/* Return a bit for each of MASK_BYTES bytes that is a letter or digit of ASCII. */
static inline uint64_t ascii_words_in(const uint8_t *text) {
    uint64_t mask = 0;
#if defined(__AVX2__)
    const __m256i small = _mm256_set1_epi8(0x20), a = _mm256_set1_epi8('a'), letters = _mm256_set1_epi8(25);
    const __m256i zero = _mm256_set1_epi8('0'), digits = _mm256_set1_epi8(9);
    for (unsigned k = 0; k < MASK_BYTES; k += 32) {
        __m256i bytes = _mm256_loadu_si256((const __m256i *)(const void *)(text + k));
        __m256i letter = _mm256_sub_epi8(_mm256_or_si256(bytes, small), a), digit = _mm256_sub_epi8(bytes, zero);
        __m256i is_word = _mm256_or_si256(_mm256_cmpeq_epi8(_mm256_min_epu8(letter, letters), letter),
                                          _mm256_cmpeq_epi8(_mm256_min_epu8(digit, digits), digit));
        mask |= (uint64_t)(uint32_t)_mm256_movemask_epi8(is_word) << k;
    }
#elif defined(__SSE2__)
    const __m128i small = _mm_set1_epi8(0x20), a = _mm_set1_epi8('a'), letters = _mm_set1_epi8(25);
    const __m128i zero = _mm_set1_epi8('0'), digits = _mm_set1_epi8(9);
    for (unsigned k = 0; k < MASK_BYTES; k += 16) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(text + k));
        __m128i letter = _mm_sub_epi8(_mm_or_si128(bytes, small), a), digit = _mm_sub_epi8(bytes, zero);
        __m128i is_word = _mm_or_si128(_mm_cmpeq_epi8(_mm_min_epu8(letter, letters), letter),
                                       _mm_cmpeq_epi8(_mm_min_epu8(digit, digits), digit));
        mask |= (uint64_t)(unsigned)_mm_movemask_epi8(is_word) << k;
    }
#else
    for (unsigned k = 0; k < MASK_BYTES; k++) mask |= (uint64_t)is_ascii_word(text[k]) << k;
#endif
    return mask;
}

static void read_firsts(firsts *f, const uint64_t *starts) {
    uint64_t all = 0;
    for (size_t size = 1; size <= FA_MAX_WORD; size++) all |= starts[size];
    uint32_t any = (uint32_t)(all >> 32); /* letters and digits have the sixth bit, or are looked at with it */
#ifdef __AVX2__
    uint8_t low[16], high[16];
    for (unsigned k = 0; k < 16; k++) {
        low[k] = any >> k & 1 ? 0xff : 0;
        high[k] = any >> (16 + k) & 1 ? 0xff : 0;
    }
    f->low = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)low));
    f->high = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)high));
#else
    f->any = any;
#endif
}

/* Return those of some bits, for letters and digits among MASK_BYTES bytes, that a word looked for may begin with. */
static inline uint64_t firsts_in(const firsts *f, const uint8_t *text, uint64_t begins) {
    uint64_t found = 0;
#ifdef __AVX2__
    for (unsigned k = 0; k < MASK_BYTES; k += 32) {
        __m256i bytes = _mm256_loadu_si256((const __m256i *)(const void *)(text + k));
        __m256i four = _mm256_and_si256(bytes, _mm256_set1_epi8(15)), fifth = _mm256_slli_epi16(bytes, 3);
        __m256i is_first = _mm256_blendv_epi8(_mm256_shuffle_epi8(f->low, four), _mm256_shuffle_epi8(f->high, four), fifth);
        found |= (uint64_t)(uint32_t)_mm256_movemask_epi8(is_first) << k;
    }
    return found & begins;
#else
    for (; begins; begins &= begins - 1) {
        unsigned place = (unsigned)__builtin_ctzll(begins);
        found |= (uint64_t)(f->any >> (text[place] & 31) & 1) << place;
    }
    return found;
#endif
}

/* A letter of ASCII becomes a small one, a digit stays. */
static inline uint64_t small_ascii(uint64_t bytes) { return bytes | 0x20 * ONES; }

/* The hash of a word of ASCII that stands so far before the end of the text; it is not empty. */
static inline uint64_t hash_of_ascii(const uint8_t *word, size_t size, size_t before_end) {
    uint64_t hash = secret[3] ^ size;
    for (; size > 8; word += 8, size -= 8, before_end -= 8)
        hash = mixed(hash ^ small_ascii(load8(word)), secret[0]) + secret[2];
    uint64_t rest = before_end >= 8 ? load8(word) & ~(uint64_t)0 >> (64 - 8 * size) : load_up_to_8(word, size);
    return hash_ended(hash, small_ascii(rest) & ~(uint64_t)0 >> (64 - 8 * size));
}

static void put_spot(finding *f, size_t which, size_t start, size_t size) {
    if (which == f->count || f->left[which] == 0 || f->found == f->room) return;
    f->left[which]--;
    f->spots[f->found++] = (fa_spot){(uint32_t)start, (uint32_t)(start + size), 0, (uint32_t)which};
}

static inline uint8_t byte_at(fa_bytes text, size_t at) { return at < text.size ? text.data[at] : 0; }

/* signs_at, of a text as it stands. */
static size_t ascii_signs_at(fa_bytes text, size_t end) {
    if (text.data[end] == '#') return is_ascii_word(byte_at(text, end + 1)) ? 0 : 1;
    return byte_at(text, end + 1) == '+' && byte_at(text, end + 2) != '+' ? 2 : 0;
}

/* The word with the signs behind it. */
static void look_at_compound(finding *f, size_t begin, size_t size, size_t start) {
    uint8_t word[FA_MAX_WORD];
    size_t signs = size <= FA_MAX_WORD - 2 ? ascii_signs_at(f->text, begin + size) : 0;
    if (signs == 0) return;
    for (size_t k = 0; k < size; k++) word[k] = f->text.data[begin + k] | 0x20;
    memcpy(word + size, f->text.data + begin + size, signs);
    put_spot(f, place_among(f->wanted, f->count, fa_hash(word, size + signs)), start, size + signs);
}

/* begin, end: bytes of a word in a part of ASCII. start: the character that it begins with. */
static inline void look_at_word(finding *f, size_t begin, size_t end, size_t start) {
    size_t size = end - begin < FA_MAX_WORD ? end - begin : FA_MAX_WORD;
    const uint8_t *word = f->text.data + begin;
    if (f->starts[size] >> ((*word | 0x20) & 63) & 1) {
        uint64_t hash = hash_of_ascii(word, size, f->text.size - begin);
        if (f->there >> (hash >> 58) & 1) put_spot(f, place_among(f->wanted, f->count, hash), start, size);
    }
    uint8_t next = byte_at(f->text, end);
    if (next == '#' || next == '+') look_at_compound(f, begin, end - begin, start);
}

/* Return where a word ends that goes on behind the bytes looked at. */
static size_t end_of_word(fa_bytes text, size_t at, size_t end) {
    while (at < end && is_ascii_word(text.data[at])) at++;
    return at;
}

/* Find the words of a part of ASCII, with what parts words or nothing around it. */
static void find_in_ascii(finding *f, size_t begin, size_t end) {
    size_t start = f->characters - begin; /* of the character at byte 0, so to say */
    uint64_t inside = 0;
    for (size_t at = begin; at < end; at += MASK_BYTES) {
        uint8_t last[MASK_BYTES] = {0};
        const uint8_t *bytes = f->text.data + at;
        if (end - at < MASK_BYTES) bytes = memcpy(last, bytes, end - at);
        uint64_t mask = ascii_words_in(bytes), begins = firsts_in(&f->firsts, bytes, mask & ~(mask << 1 | inside));
        for (inside = mask >> (MASK_BYTES - 1); begins; begins &= begins - 1) {
            unsigned place = (unsigned)__builtin_ctzll(begins);
            uint64_t behind = ~mask >> place;
            size_t word_end = behind ? at + place + (size_t)__builtin_ctzll(behind)
                                     : end_of_word(f->text, at + MASK_BYTES, end);
            look_at_word(f, at + place, word_end, start + at + place);
        }
    }
    f->characters += end - begin;
}

/* Find the words of any part, with what parts words or nothing around it. */
static int find_in_others(finding *f, fa_tokens *tokens, size_t begin, size_t end) {
    fa_bytes part = {f->text.data + begin, end - begin};
    int status = fa_tokenize(tokens, part, 0, SIZE_MAX);
    if (status) return status;
    fa_spot *spots = f->spots + f->found;
    size_t found = fa_find_words(tokens, part, f->wanted, f->left, f->count, spots, f->room - f->found);
    for (size_t k = 0; k < found; k++) {
        spots[k].start += (uint32_t)f->characters;
        spots[k].end += (uint32_t)f->characters;
    }
    f->found += found;
    f->characters += count_code_points(part.data, part.size);
    return FA_OK;
}

static inline int is_blank(uint8_t byte) { return byte == ' ' || byte == '\n'; }

/* Return the last blank from `at` on and before `end`, `at` if there is none. */
static size_t last_blank(fa_bytes text, size_t at, size_t end) {
    while (end > at && !is_blank(text.data[end - 1])) end--;
    return end > at ? end - 1 : at;
}

/* Return the first blank from `at` on that FEW_ASCII bytes of ASCII stand behind, the end of the text if there is none. */
static size_t end_of_others(fa_bytes text, size_t at) {
    while (at < text.size) {
        size_t next = fa_pass_ascii(text.data, at, text.size), blank = at;
        while (blank < next && !is_blank(text.data[blank])) blank++;
        if (next - blank >= FEW_ASCII) return blank;
        for (at = next; at < text.size && text.data[at] >= 0x80;) at++;
    }
    return text.size;
}

static int is_sign(uint32_t code) { return code == '+' || code == '#'; }

/* Does a character become others that part words, and are no signs of compounds? */
static int parts_words(uint32_t code) {
    uint32_t record = fa_record_of(code), kind = fa_kind_of(record), payload = fa_payload_of(record);
    if (kind == FA_SAME) return fa_class_in(record) == FA_SEPARATOR;
    if (kind == FA_ONE) return fa_class_in(record) == FA_SEPARATOR && !is_sign(payload);
    if (kind != FA_SEVERAL) return 0;
    const uint8_t *string = fa_strings + payload;
    for (size_t at = 0, size = string[0]; at < size;) {
        at += fa_decode(string + 2, at, size, &code);
        if (fa_class_among(fa_properties_of(code)) != FA_SEPARATOR || is_sign(code)) return 0;
    }
    return 1;
}

/* Return the size of a character beyond ASCII that parts words whatever stands around it, as a dash does, else 0: what stands
 * behind it may join it. */
static size_t separator_at(fa_bytes text, size_t at) {
    uint32_t code, next = 0;
    size_t size = fa_decode(text.data, at, text.size, &code);
    if (size == 1 || !parts_words(code)) return 0;
    if (at + size < text.size) fa_decode(text.data, at + size, text.size, &next);
    return fa_kind_of(fa_record_of(next)) < FA_DROPPED ? size : 0;
}

int fa_find_in_text(fa_tokens *tokens, fa_bytes text, const uint64_t *wanted, const uint64_t *starts, uint32_t *left,
                    size_t count, fa_spot *spots, size_t room, size_t *found) {
    finding f = {.text = text, .wanted = wanted, .starts = starts, .left = left, .count = count, .spots = spots,
                 .room = room};
    int status = text.size > INT32_MAX ? FA_TOO_LARGE : FA_OK;
    read_firsts(&f.firsts, starts);
    f.there = highest_of(wanted, count);
    for (size_t at = 0; status == FA_OK && at < text.size;) {
        size_t other = fa_pass_ascii(text.data, at, text.size);
        size_t separator = other < text.size ? separator_at(text, other) : 0;
        size_t end = other == text.size || separator ? other : last_blank(text, at, other);
        find_in_ascii(&f, at, end);
        at = end + separator;
        f.characters += separator != 0;
        if (separator || at == text.size) continue;
        at = end_of_others(text, other);
        status = find_in_others(&f, tokens, end, at);
    }
    *found = f.found;
    return status;
}

/* ---------------------------------------------------------------- single characters */

int fa_class_of(uint32_t code) { return code < FA_CODES ? (int)fa_class_among(fa_properties_of(code)) : FA_SEPARATOR; }
