/* Assay's subject protocol (docs/subject-protocol.md, version 1) for caches in C, in one file over POSIX threads.
 *
 * Fill in an assay_subject with a function for each operation that your cache has, and call assay_serve(&subject) from main; link with
 * -pthread. Keys and values are assay_bytes; no data is no entry. What a function returns or adds to a list is made by assay_copy and is
 * freed here. What fails calls assay_refuse(code, message) with one of the protocol's codes and returns anything.
 *
 * What is filled in is claimed, and so is what `open` asks of its setup: assay_entries, assay_weight, assay_clock, assay_events,
 * assay_writer, assay_directory, assay_time_to_live, assay_time_to_idle, assay_stale, assay_refresh, assay_collide. A clock and `put` claim a time to live. `claims` is JSON
 * that is laid over that: {"order":"lru","storage":{"isConcurrent":true}}; null takes a member away, and "-name" among the features one
 * of these. An operation or a term that is not claimed is answered `unsupported`. */
#ifndef ASSAY_SUBJECT_H
#define ASSAY_SUBJECT_H
#include <dirent.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define ASSAY_FRAME_MAX (64u << 20)

typedef struct { unsigned char *data; size_t size; } assay_bytes;
typedef struct { int has_ttl; int64_t ttl, cost; const char *const *tags; size_t tag_count; } assay_terms;
typedef struct { int64_t hits, misses, evictions, expirations, loads, loadFailures; } assay_counters; /* -1: not counted */
typedef struct assay_list assay_list;
typedef struct assay_kit assay_kit;
typedef struct assay_setup assay_setup;
/* What an update makes of the old value, whose data is NULL for none. */
typedef assay_bytes (*assay_change)(void *context, assay_bytes old);
/* What an origin has: 1 for a value, 0 for none, -1 if it fails. A load answers what it answered. */
typedef int (*assay_origin)(void *context, assay_bytes *value);
/* Is told of what leaves: evicted, expired, replaced or removed. */
typedef void (*assay_listener)(void *context, assay_bytes key, assay_bytes value, const char *cause);

typedef struct {
    const char *name, *claims;
    void *(*open)(assay_setup *setup);
    void (*release)(void *cache); /* frees what is left, closed or not, without closing in an orderly way */
    void (*put)(void *, assay_bytes key, assay_bytes value, const assay_terms *);
    assay_bytes (*get)(void *, assay_bytes key);
    int (*contains)(void *, assay_bytes key);
    int (*remove)(void *, assay_bytes key);
    void (*removeAll)(void *), (*flush)(void *), (*close)(void *), (*maintain)(void *), (*dropMemory)(void *);
    int64_t (*count)(void *), (*cost)(void *), (*diskUsage)(void *);
    void (*keys)(void *, assay_list *);
    void (*firstKeys)(void *, int64_t amount, assay_list *);
    int (*putIfAbsent)(void *, assay_bytes key, assay_bytes value, const assay_terms *);
    int (*replace)(void *, assay_bytes key, assay_bytes value, const assay_terms *);
    int (*compareAndSet)(void *, assay_bytes key, assay_bytes expected, assay_bytes value);
    assay_bytes (*exchange)(void *, assay_bytes key, assay_bytes value);
    assay_bytes (*take)(void *, assay_bytes key);
    void (*getMany)(void *, const assay_bytes *keys, size_t count, assay_list *); /* no data for what is not there */
    int64_t (*removeMany)(void *, const assay_bytes *keys, size_t count);
    void (*putMany)(void *, const assay_bytes *keys, const assay_bytes *values, size_t count, int *flags);
    void (*advance)(void *, int64_t), (*sleep)(void *, int64_t), (*moveWallClock)(void *, int64_t), (*resize)(void *, int64_t);
    int (*touch)(void *, assay_bytes key, int64_t nanoseconds);
    int (*remainingTime)(void *, assay_bytes key, int64_t *nanoseconds); /* 0 for none */
    void (*statistics)(void *, assay_counters *);
    void (*removeTagged)(void *, const char *tag);
    int (*mark)(void *, assay_bytes key), (*removeIfMarked)(void *, assay_bytes key);
    int (*setIfMarked)(void *, assay_bytes key, assay_bytes value);
    assay_bytes (*update)(void *, assay_bytes key, assay_change, void *context);
    int64_t (*increment)(void *, assay_bytes key, int64_t amount);
    int (*rename)(void *, assay_bytes key, assay_bytes other);
    int (*pin)(void *, assay_bytes key), (*unpin)(void *, assay_bytes key);
    void (*failLower)(void *, int fails);
    void (*limitGroup)(void *, const char *group, int64_t amount);
    void (*listen)(void *, assay_listener, void *context); /* NULL takes the listener away */
    int (*load)(void *, assay_bytes key, assay_origin, void *context, const assay_terms *, assay_bytes *value);
    void (*giveUp)(void *, assay_bytes key);
    /* What the functions are given for the face of that number, 1 or more; not freed. `claims` say how many there are: {"faces":2}. */
    void *(*face)(void *, int64_t number);
} assay_subject;

/* ---- JSON ---- */

typedef enum { ASSAY_NULL, ASSAY_BOOL, ASSAY_NUMBER, ASSAY_TEXT, ASSAY_ARRAY, ASSAY_OBJECT } assay_kind;
typedef struct assay_json {
    assay_kind kind;
    int64_t number;
    char *name, *text; /* text: the characters, or the digits of a number */
    struct assay_json *first, *next;
} assay_json;
typedef struct { char *data; size_t size, room; } assay_text;

static void assay_die(const char *words) { fprintf(stderr, "assay_subject: %s\n", words); exit(64); }

static void *assay_new(size_t size) {
    void *made = calloc(1, size ? size : 1);
    if (!made) assay_die("there is no memory");
    return made;
}

static void assay_write_bytes(assay_text *out, const void *data, size_t size) {
    if (out->size + size + 1 > out->room) {
        out->room = 2 * (out->size + size) + 64;
        out->data = realloc(out->data, out->room);
        if (!out->data) assay_die("there is no memory");
    }
    if (size) memcpy(out->data + out->size, data, size);
    out->data[out->size += size] = 0;
}

static void assay_print(assay_text *out, const char *format, ...) {
    char line[512];
    va_list rest;
    va_start(rest, format);
    int size = vsnprintf(line, sizeof line, format, rest);
    va_end(rest);
    assay_write_bytes(out, line, size < (int)sizeof line ? (size_t)size : sizeof line - 1);
}

static void assay_print_text(assay_text *out, const char *text) {
    assay_write_bytes(out, "\"", 1);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') assay_print(out, "\\%c", *text);
        else if ((unsigned char)*text < 32) assay_print(out, "\\u%04x", *text);
        else assay_write_bytes(out, text, 1);
    }
    assay_write_bytes(out, "\"", 1);
}

static void assay_print_hex(assay_text *out, assay_bytes bytes) {
    static const char digits[] = "0123456789abcdef";
    char *hex = assay_new(2 * bytes.size + 2), *at = hex;
    *at++ = '"';
    for (size_t i = 0; i < bytes.size; i++) { *at++ = digits[bytes.data[i] >> 4]; *at++ = digits[bytes.data[i] & 15]; }
    *at++ = '"';
    assay_write_bytes(out, hex, (size_t)(at - hex));
    free(hex);
}

static void assay_print_json(assay_text *out, const assay_json *value) {
    const char *open = value->kind == ASSAY_ARRAY ? "[" : "{", *close = value->kind == ASSAY_ARRAY ? "]" : "}";
    switch (value->kind) {
    case ASSAY_NULL: assay_print(out, "null"); return;
    case ASSAY_BOOL: assay_print(out, value->number ? "true" : "false"); return;
    case ASSAY_NUMBER: assay_print(out, "%s", value->text); return;
    case ASSAY_TEXT: assay_print_text(out, value->text); return;
    default: break;
    }
    assay_print(out, "%s", open);
    for (const assay_json *one = value->first; one; one = one->next) {
        if (one->name) { assay_print_text(out, one->name); assay_print(out, ":"); }
        assay_print_json(out, one);
        if (one->next) assay_print(out, ",");
    }
    assay_print(out, "%s", close);
}

static void assay_free_json(assay_json *value) {
    while (value) {
        assay_json *next = value->next;
        assay_free_json(value->first);
        free(value->name);
        free(value->text);
        free(value);
        value = next;
    }
}

static void assay_space(const char **at) { while (**at == ' ' || **at == '\n' || **at == '\t' || **at == '\r') ++*at; }

static unsigned assay_hex4(const char **at) {
    unsigned code = 0;
    for (int i = 0; i < 4; i++) {
        char c = *++*at;
        int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
        if (digit < 0) assay_die("JSON has a broken escape");
        code = code << 4 | (unsigned)digit;
    }
    return code;
}

static char *assay_read_text(const char **at) {
    const char *end = ++*at;
    while (*end && *end != '"') end += *end == '\\' && end[1] ? 2 : 1;
    if (!*end) assay_die("JSON has a text without an end");
    char *text = assay_new((size_t)(end - *at) + 1), *to = text;
    for (; **at != '"'; ++*at) {
        if (**at != '\\') { *to++ = **at; continue; }
        switch (*++*at) {
        case 'n': *to++ = '\n'; break;
        case 't': *to++ = '\t'; break;
        case 'r': *to++ = '\r'; break;
        case 'b': *to++ = '\b'; break;
        case 'f': *to++ = '\f'; break;
        case 'u': {
            unsigned code = assay_hex4(at);
            if (code >= 0xD800 && code < 0xDC00 && (*at)[1] == '\\' && (*at)[2] == 'u') {
                *at += 2;
                code = 0x10000 + ((code - 0xD800) << 10) + (assay_hex4(at) - 0xDC00);
            }
            if (code < 0x80) *to++ = (char)code;
            else if (code < 0x800) { *to++ = (char)(0xC0 | code >> 6); *to++ = (char)(0x80 | (code & 63)); }
            else if (code < 0x10000) {
                *to++ = (char)(0xE0 | code >> 12); *to++ = (char)(0x80 | (code >> 6 & 63)); *to++ = (char)(0x80 | (code & 63));
            } else {
                *to++ = (char)(0xF0 | code >> 18); *to++ = (char)(0x80 | (code >> 12 & 63));
                *to++ = (char)(0x80 | (code >> 6 & 63)); *to++ = (char)(0x80 | (code & 63));
            }
            break;
        }
        default: *to++ = **at;
        }
    }
    ++*at;
    return text;
}

static assay_json *assay_read(const char **at, int depth) {
    assay_json *value = assay_new(sizeof *value);
    if (depth > 64) assay_die("JSON is too deep");
    assay_space(at);
    if (**at == '{' || **at == '[') {
        char close = **at == '{' ? '}' : ']';
        assay_json **last = &value->first;
        value->kind = close == '}' ? ASSAY_OBJECT : ASSAY_ARRAY;
        ++*at;
        assay_space(at);
        while (**at != close) {
            char *name = NULL;
            assay_space(at);
            if (close == '}') {
                if (**at != '"') assay_die("JSON has a member without a name");
                name = assay_read_text(at);
                assay_space(at);
                if (*(*at)++ != ':') assay_die("JSON has a member without a value");
            }
            *last = assay_read(at, depth + 1);
            (*last)->name = name;
            last = &(*last)->next;
            assay_space(at);
            if (**at == ',') ++*at;
            else if (**at != close) assay_die("JSON has no end");
        }
        ++*at;
    } else if (**at == '"') {
        value->kind = ASSAY_TEXT;
        value->text = assay_read_text(at);
    } else {
        size_t size = strcspn(*at, ",]} \n\t\r");
        value->kind = strncmp(*at, "true", 4) && strncmp(*at, "false", 5) ? strncmp(*at, "null", 4) ? ASSAY_NUMBER : ASSAY_NULL : ASSAY_BOOL;
        value->text = assay_new(size + 1);
        memcpy(value->text, *at, size);
        value->number = value->kind == ASSAY_NUMBER ? strtoll(value->text, NULL, 10) : **at == 't';
        *at += size;
        if (!size) assay_die("JSON lacks a value");
    }
    return value;
}

static assay_json *assay_member(const assay_json *object, const char *name) {
    for (assay_json *one = object ? object->first : NULL; one; one = one->next) if (one->name && !strcmp(one->name, name)) return one;
    return NULL;
}
static int64_t assay_number(const assay_json *object, const char *name, int64_t otherwise) {
    assay_json *found = assay_member(object, name);
    return found && found->kind != ASSAY_NULL ? found->number : otherwise;
}
static const char *assay_word(const assay_json *object, const char *name) {
    assay_json *found = assay_member(object, name);
    return found && found->kind == ASSAY_TEXT ? found->text : NULL;
}
static int assay_lists(const assay_json *array, const char *word) {
    for (assay_json *one = array ? array->first : NULL; one; one = one->next) if (one->text && !strcmp(one->text, word)) return 1;
    return 0;
}

/* Lays the members of `over` over those of `under` and frees `over`. */
static void assay_lay(assay_json *over, assay_json *under) {
    for (assay_json *one = over->first, *next; one; one = next) {
        next = one->next;
        assay_json **place = &under->first;
        while (*place && strcmp((*place)->name, one->name)) place = &(*place)->next;
        one->next = NULL;
        if (*place && (!strcmp(one->name, "features") || !strcmp(one->name, "deviations"))) {
            for (assay_json *word = one->first, *after; word; word = after) {
                after = word->next;
                assay_json **at = &(*place)->first;
                const char *name = word->text + (word->text[0] == '-');
                while (*at && strcmp((*at)->text, name)) at = &(*at)->next;
                assay_json *old = *at;
                if (word->text[0] == '-' && old) { *at = old->next; old->next = NULL; assay_free_json(old); }
                word->next = NULL;
                if (word->text[0] != '-' && !old) *at = word; else assay_free_json(word);
            }
            one->first = NULL;
        } else if (*place && one->kind == ASSAY_OBJECT && (*place)->kind == ASSAY_OBJECT && strcmp(one->name, "capacity")) {
            assay_lay(one, *place);
            continue;
        } else {
            if (*place) { assay_json *old = *place; *place = old->next; old->next = NULL; assay_free_json(old); }
            if (one->kind != ASSAY_NULL) {
                assay_json **end = &under->first;
                while (*end) end = &(*end)->next;
                *end = one;
                continue;
            }
        }
        assay_free_json(one);
    }
    over->first = NULL;
    assay_free_json(over);
}

/* ---- What an adapter calls ---- */

struct assay_list { assay_bytes *items; size_t size, room; };
typedef struct assay_event { assay_bytes key, value; const char *cause; struct assay_event *next; } assay_event;
/* An open cache with what is done for it here. */
struct assay_kit {
    void *cache;
    int64_t number, now;
    int is_closed, fails;
    pthread_mutex_t lock;
    assay_event *events, *writes;
    assay_list failing;
    assay_kit *next;
};
enum { ASSAY_ENTRIES = 1, ASSAY_WEIGHT = 2, ASSAY_CLOCK = 4, ASSAY_EVENTS = 8, ASSAY_WRITER = 16, ASSAY_DIRECTORY = 32, ASSAY_IDLE = 64,
       ASSAY_STALE = 128, ASSAY_REFRESH = 256, ASSAY_LIFE = 512, ASSAY_COLLIDE = 1024 };
struct assay_setup { const assay_json *open; assay_kit *kit; int asked; };

static const assay_subject *assay_served;
static assay_json *assay_claims;
static int assay_asked;
static __thread const char *assay_code, *assay_words, *assay_in_group;

static inline void assay_refuse(const char *code, const char *message) { assay_code = code; assay_words = message; }
/* The group that the operation is in; NULL outside of groups. */
static inline const char *assay_group(void) { return assay_in_group; }

static inline assay_bytes assay_copy(const void *data, size_t size) {
    assay_bytes made = {assay_new(size), size};
    if (size) memcpy(made.data, data, size);
    return made;
}
static inline void assay_add(assay_list *list, assay_bytes item) {
    if (list->size == list->room) {
        list->items = realloc(list->items, (list->room = 2 * list->room + 16) * sizeof *list->items);
        if (!list->items) assay_die("there is no memory");
    }
    list->items[list->size++] = item;
}

static int64_t assay_amount(assay_setup *setup, int which, const char *unit) {
    setup->asked |= which;
    const assay_json *room = assay_member(setup->open, "capacity");
    if (!room) return which == ASSAY_ENTRIES ? 65536 : -1;
    return strcmp(assay_word(room, "unit"), unit) ? -1 : assay_number(room, "amount", 0);
}
/* How many entries the cache may hold; -1 if the room is in bytes. */
static inline int64_t assay_entries(assay_setup *setup) { return assay_amount(setup, ASSAY_ENTRIES, "objects"); }
/* How much the costs may add up to; -1 if the room is in entries or nothing is said. */
static inline int64_t assay_weight(assay_setup *setup) { return assay_amount(setup, ASSAY_WEIGHT, "bytes"); }
/* These are -1 where nothing is said. */
/* The one of all entries; asking for it states the deviation oneTimeToLive. */
static inline int64_t assay_time_to_live(assay_setup *s) { s->asked |= ASSAY_LIFE; return assay_number(s->open, "timeToLiveNanoseconds", -1); }
static inline int64_t assay_time_to_idle(assay_setup *s) { s->asked |= ASSAY_IDLE; return assay_number(s->open, "timeToIdleNanoseconds", -1); }
static inline int64_t assay_stale(assay_setup *s) { s->asked |= ASSAY_STALE; return assay_number(s->open, "staleNanoseconds", -1); }
static inline int64_t assay_refresh(assay_setup *s) { s->asked |= ASSAY_REFRESH; return assay_number(s->open, "refreshNanoseconds", -1); }
/* Whether the hash of keys is to be one of few values. */
static inline int assay_collide(assay_setup *s) { s->asked |= ASSAY_COLLIDE; return assay_number(s->open, "collide", 0) != 0; }
static inline int64_t assay_format(assay_setup *s) { return assay_number(s->open, "format", -1); }
static inline const char *assay_directory(assay_setup *s) { s->asked |= ASSAY_DIRECTORY; return assay_word(s->open, "directory"); }
static inline assay_kit *assay_clock(assay_setup *setup) { setup->asked |= ASSAY_CLOCK; return setup->kit; }
static inline assay_kit *assay_events(assay_setup *setup) { setup->asked |= ASSAY_EVENTS; return setup->kit; }
static inline assay_kit *assay_writer(assay_setup *setup) { setup->asked |= ASSAY_WRITER; return setup->kit; }
/* The virtual time in nanoseconds. */
static inline int64_t assay_now(assay_kit *kit) { return __atomic_load_n(&kit->now, __ATOMIC_SEQ_CST); }

static int assay_equal(assay_bytes a, assay_bytes b) { return a.size == b.size && (!a.size || !memcmp(a.data, b.data, a.size)); }

static void assay_note(assay_kit *kit, assay_event **list, assay_bytes key, assay_bytes value, const char *cause) {
    assay_event *event = assay_new(sizeof *event);
    event->key = assay_copy(key.data, key.size);
    if (value.data) event->value = assay_copy(value.data, value.size);
    event->cause = cause;
    pthread_mutex_lock(&kit->lock);
    while (*list) list = &(*list)->next;
    *list = event;
    pthread_mutex_unlock(&kit->lock);
}
/* Tells what has left: evicted, expired, replaced or removed. */
static inline void assay_tell(assay_kit *kit, assay_bytes key, assay_bytes value, const char *cause) {
    assay_note(kit, &kit->events, key, value, cause);
}
/* Writes to the store behind the cache, no data for a removal; 0 if that fails, which the cache must pass on. */
static inline int assay_write(assay_kit *kit, assay_bytes key, assay_bytes value) {
    int fails = kit->fails;
    for (size_t i = 0; i < kit->failing.size; i++) fails |= assay_equal(kit->failing.items[i], key);
    if (fails) assay_refuse("inputOutput", "the writer fails");
    else assay_note(kit, &kit->writes, key, value, NULL);
    return !fails;
}

/* ---- Steps ---- */

static assay_bytes assay_unhex(const char *text) {
    size_t size = text ? strlen(text) / 2 : 0;
    assay_bytes made = {assay_new(size), size};
    for (size_t i = 0; i < 2 * size; i++) {
        unsigned digit = text[i] <= '9' ? (unsigned)text[i] - '0' : ((unsigned)text[i] | 32) - 'a' + 10;
        made.data[i / 2] = (unsigned char)(made.data[i / 2] << 4 | (digit & 15));
    }
    return made;
}
static assay_list assay_key_list(const assay_json *array) {
    assay_list made = {NULL, 0, 0};
    for (assay_json *one = array ? array->first : NULL; one; one = one->next) assay_add(&made, assay_unhex(one->text));
    return made;
}
static void assay_free_list(assay_list *list) {
    for (size_t i = 0; i < list->size; i++) free(list->items[i].data);
    free(list->items);
}
static void assay_rest(int64_t milliseconds) {
    struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    while (nanosleep(&time, &time)) {}
}

static void assay_perform(assay_kit *kit, const assay_json *step, int64_t face, assay_text *out);
/* Does a step whose answer is not asked for. */
static void assay_ignore(assay_kit *kit, const assay_json *step) {
    assay_text ignored = {NULL, 0, 0};
    const char *group = assay_in_group;
    assay_perform(kit, step, 0, &ignored);
    assay_in_group = group;
    assay_code = NULL;
    free(ignored.data);
}

typedef struct { assay_kit *kit; const assay_json *step; int calls; } assay_context;

static int assay_call_origin(void *context, assay_bytes *value) {
    assay_context *load = context;
    const char *origin = assay_word(load->step, "origin");
    __atomic_add_fetch(&load->calls, 1, __ATOMIC_SEQ_CST);
    for (assay_json *one = assay_member(load->step, "meanwhile"), *step = one ? one->first : NULL; step; step = step->next)
        assay_ignore(load->kit, step);
    if (!strcmp(origin, "failure")) return -1;
    if (!strcmp(origin, "nothing")) return 0;
    *value = assay_unhex(assay_word(load->step, "value"));
    return 1;
}
static assay_bytes assay_apply(void *context, assay_bytes old) {
    const assay_context *update = context;
    const char *value = assay_word(update->step, "value"), *word = assay_word(update->step, "word");
    if (value) return assay_unhex(value);
    if (!strcmp(word, "remove")) return (assay_bytes){NULL, 0};
    char digits[32] = "", *end = digits;
    if (old.data && old.size < sizeof digits) memcpy(digits, old.data, old.size);
    int64_t number = strtoll(digits, &end, 10);
    number = end == digits || *end ? 0 : number;
    int size = snprintf(digits, sizeof digits, "%" PRId64, number == INT64_MAX ? number : number + 1);
    return assay_copy(digits, (size_t)size);
}
static void assay_hear(void *context, assay_bytes key, assay_bytes value, const char *cause) {
    const assay_context *listener = context;
    if (!strcmp(assay_word(listener->step, "word"), "slow")) assay_rest(assay_number(listener->step, "amount", 0));
    assay_tell(listener->kit, key, value, cause);
    assay_json *items = assay_member(listener->step, "items");
    if (items && items->first) assay_ignore(listener->kit, items->first);
}

static void assay_print_entry(assay_text *out, assay_bytes value) {
    if (!value.data) { assay_print(out, "null"); return; }
    assay_print(out, "{\"value\":");
    assay_print_hex(out, value);
    assay_print(out, "}");
}
static void assay_print_list(assay_text *out, const char *name, assay_list *list, int are_entries) {
    assay_print(out, "\"%s\":[", name);
    for (size_t i = 0; i < list->size; i++) {
        if (i) assay_print(out, ",");
        if (are_entries) assay_print_entry(out, list->items[i]); else assay_print_hex(out, list->items[i]);
    }
    assay_print(out, "]");
    assay_free_list(list);
}
static void assay_print_events(assay_text *out, const char *name, assay_kit *kit, assay_event **list) {
    pthread_mutex_lock(&kit->lock);
    assay_event *event = *list;
    *list = NULL;
    pthread_mutex_unlock(&kit->lock);
    assay_print(out, "\"%s\":[", name);
    while (event) {
        assay_event *next = event->next;
        assay_print(out, "{\"key\":");
        assay_print_hex(out, event->key);
        if (event->value.data) { assay_print(out, ",\"value\":"); assay_print_hex(out, event->value); }
        if (event->cause) assay_print(out, ",\"cause\":\"%s\"", event->cause);
        assay_print(out, next ? "}," : "}");
        free(event->key.data);
        free(event->value.data);
        free(event);
        event = next;
    }
    assay_print(out, "]");
}

static int assay_has(const char *feature) { return assay_lists(assay_member(assay_claims, "features"), feature); }

/* Refuses keys and values outside of what is claimed. A refused value ends the old one too. */
static int assay_is_refused(void *cache, const assay_json *step) {
    const assay_json *store = assay_member(assay_claims, "storage"), *keys = assay_member(step, "keys");
    int is_refused = 0;
    for (const assay_json *one = step->first; one; one = one->next) {
        const assay_json *key = !strcmp(one->name, "key") || !strcmp(one->name, "other") ? one : one == keys ? one->first : NULL;
        for (; key; key = one == keys ? key->next : NULL)
            is_refused |= (int64_t)strlen(key->text) > 2 * assay_number(store, "keyBytesMax", 65536)
                || (!key->text[0] && !assay_number(store, "allowsEmptyKey", 0));
    }
    if (is_refused) { assay_refuse("keyRefused", "the claims allow no key of this length"); return 1; }
    const char *value = assay_word(step, "value");
    if (!value || (int64_t)strlen(value) <= 2 * assay_number(store, "valueBytesMax", 0)) return 0;
    if (assay_served->remove) {
        assay_bytes key = assay_unhex(assay_word(step, "key"));
        assay_served->remove(cache, key);
        free(key.data);
    }
    assay_refuse("valueRefused", "the claims allow no value of this length");
    return 1;
}

static void assay_put_many(void *cache, const assay_json *step, assay_text *out) {
    assay_list keys = {NULL, 0, 0}, values = {NULL, 0, 0};
    size_t count = 0, next = 0;
    for (assay_json *item = assay_member(step, "items")->first; item; item = item->next) count++;
    int *flags = assay_new(count * sizeof *flags), *is_due = assay_new(count * sizeof *is_due);
    for (assay_json *item = assay_member(step, "items")->first; item; item = item->next) {
        is_due[next] = !assay_is_refused(cache, item);
        assay_code = NULL;
        if (!is_due[next++]) continue;
        assay_add(&keys, assay_unhex(assay_word(item, "key")));
        assay_add(&values, assay_unhex(assay_word(item, "value")));
    }
    assay_served->putMany(cache, keys.items, values.items, keys.size, flags);
    assay_print(out, "\"flags\":[");
    next = 0;
    for (size_t i = 0; i < count; i++) assay_print(out, "%s%s", i ? "," : "", is_due[i] && flags[next++] ? "true" : "false");
    assay_print(out, "]");
    assay_free_list(&keys);
    assay_free_list(&values);
    free(flags);
    free(is_due);
}

/* Does what is done here in place of a function that is not filled in; whether there is something. */
static int assay_instead(assay_kit *kit, const assay_json *step, const char *name, int64_t amount, assay_text *out) {
    int is_done = 1;
    if (!strcmp(name, "events") && assay_asked & ASSAY_EVENTS) { assay_print_events(out, "events", kit, &kit->events); return 1; }
    if (!strcmp(name, "writes") && assay_asked & ASSAY_WRITER) { assay_print_events(out, "writes", kit, &kit->writes); return 1; }
    if (!strcmp(name, "failWrites") && assay_asked & ASSAY_WRITER) kit->fails = amount == 1;
    else if (!strcmp(name, "failWritesOf") && assay_asked & ASSAY_WRITER) {
        assay_free_list(&kit->failing);
        kit->failing = assay_key_list(assay_member(step, "keys"));
    } else if (!strcmp(name, "advance") && assay_asked & ASSAY_CLOCK) {
        int64_t now = assay_now(kit);
        __atomic_store_n(&kit->now, now > INT64_MAX - amount ? INT64_MAX : now + amount, __ATOMIC_SEQ_CST);
    } else is_done = !strcmp(name, "flush") || !strcmp(name, "maintain") || !strcmp(name, "close");
    if (is_done) assay_print(out, "\"done\":true");
    return is_done;
}

/* Does one step by a face and writes the members of its answer. */
static void assay_perform(assay_kit *kit, const assay_json *step, int64_t face, assay_text *out) {
    const assay_subject *s = assay_served;
    const char *name = assay_word(step, "operation"), *tag = assay_word(step, "tag");
    int64_t amount = assay_number(step, "amount", 0), time = 0;
    void *c = kit->cache;
    assay_code = NULL;
    assay_in_group = assay_word(step, "group");
    if (!strcmp(name, "pause")) { assay_rest(amount); assay_print(out, "\"done\":true"); return; }
    if (__atomic_load_n(&kit->is_closed, __ATOMIC_SEQ_CST) && strcmp(name, "close") && strcmp(name, "writes")) {
        assay_refuse("closed", "the cache is closed");
        return;
    }
    /* These mean the whole cache, by whatever face they come. */
    int is_whole = strstr(" advance sleep moveWallClock flush maintain close ", name) != NULL;
    if (face && s->face && !is_whole) c = s->face(c, face);
    if (!assay_code && (!c || (face && !s->face))) assay_refuse("unsupported", "this cache has no such face");
    if (assay_code) return;
    const assay_json *given = assay_member(step, "terms"), *tags = assay_member(given, "tags");
    const char *words[64];
    assay_terms terms = {assay_member(given, "timeToLiveNanoseconds") != NULL, assay_number(given, "timeToLiveNanoseconds", 0),
                         assay_number(given, "cost", 1), words, 0};
    for (assay_json *one = tags ? tags->first : NULL; one && terms.tag_count < 64; one = one->next) words[terms.tag_count++] = one->text;
    if ((terms.has_ttl && !assay_has("timeToLive")) || (terms.tag_count && !assay_has("tags")) || (assay_in_group && !assay_has("groups"))) {
        assay_refuse("unsupported", "the cache has no such term");
        return;
    }
    if (strcmp(name, "putMany") && assay_is_refused(c, step)) return;
    assay_bytes key = assay_unhex(assay_word(step, "key")), value = assay_unhex(assay_word(step, "value"));
    assay_bytes other = assay_unhex(assay_word(step, "other")), old = assay_unhex(assay_word(assay_member(step, "expected"), "value"));
    assay_list keys = assay_key_list(assay_member(step, "keys")), found = {NULL, 0, 0};
    assay_bytes result = {NULL, 0};
#define ASSAY_IS(operation) else if (!strcmp(name, #operation) && s->operation)
#define ASSAY_DONE(operation, ...) ASSAY_IS(operation) { s->operation(c, ##__VA_ARGS__); assay_print(out, "\"done\":true"); }
#define ASSAY_FLAG(operation, ...) ASSAY_IS(operation) { assay_print(out, "\"flag\":%s", s->operation(c, ##__VA_ARGS__) ? "true" : "false"); }
#define ASSAY_NUMBER_OF(operation, ...) ASSAY_IS(operation) { assay_print(out, "\"number\":%" PRId64, s->operation(c, ##__VA_ARGS__)); }
#define ASSAY_ENTRY(operation, ...) \
    ASSAY_IS(operation) { result = s->operation(c, ##__VA_ARGS__); assay_print(out, "\"entry\":"); assay_print_entry(out, result); }
    if (!name[0]) {}
    ASSAY_DONE(put, key, value, &terms) ASSAY_ENTRY(get, key) ASSAY_FLAG(contains, key) ASSAY_FLAG(remove, key) ASSAY_DONE(removeAll)
    ASSAY_DONE(flush) ASSAY_DONE(maintain) ASSAY_DONE(close) ASSAY_NUMBER_OF(count) ASSAY_NUMBER_OF(cost) ASSAY_NUMBER_OF(diskUsage)
    ASSAY_IS(keys) { s->keys(c, &found); assay_print_list(out, "keys", &found, 0); }
    ASSAY_IS(firstKeys) { s->firstKeys(c, amount, &found); assay_print_list(out, "keys", &found, 0); }
    ASSAY_FLAG(putIfAbsent, key, value, &terms) ASSAY_FLAG(replace, key, value, &terms) ASSAY_FLAG(compareAndSet, key, old, value)
    ASSAY_ENTRY(exchange, key, value) ASSAY_ENTRY(take, key)
    ASSAY_IS(getMany) { s->getMany(c, keys.items, keys.size, &found); assay_print_list(out, "entries", &found, 1); }
    ASSAY_NUMBER_OF(removeMany, keys.items, keys.size)
    ASSAY_IS(putMany) { assay_put_many(c, step, out); }
    ASSAY_DONE(advance, amount) ASSAY_DONE(sleep, amount) ASSAY_DONE(moveWallClock, amount) ASSAY_DONE(resize, amount)
    ASSAY_FLAG(touch, key, amount)
    ASSAY_IS(remainingTime) {
        if (s->remainingTime(c, key, &time)) assay_print(out, "\"time\":%" PRId64, time); else assay_print(out, "\"time\":null");
    }
    ASSAY_IS(statistics) {
        assay_counters n = {-1, -1, -1, -1, -1, -1};
        s->statistics(c, &n);
        const struct { const char *name; int64_t count; } all[] = {{"hits", n.hits}, {"misses", n.misses}, {"evictions", n.evictions},
            {"expirations", n.expirations}, {"loads", n.loads}, {"loadFailures", n.loadFailures}};
        assay_print(out, "\"statistics\":{");
        const char *comma = "";
        for (int i = 0; i < 6; i++)
            if (all[i].count >= 0) { assay_print(out, "%s\"%s\":%" PRId64, comma, all[i].name, all[i].count); comma = ","; }
        assay_print(out, "}");
    }
    ASSAY_DONE(removeTagged, tag) ASSAY_FLAG(mark, key) ASSAY_FLAG(setIfMarked, key, value) ASSAY_FLAG(removeIfMarked, key)
    ASSAY_IS(update) {
        assay_context context = {kit, step, 0};
        result = s->update(c, key, assay_apply, &context);
        assay_print(out, "\"entry\":");
        assay_print_entry(out, result);
    }
    ASSAY_NUMBER_OF(increment, key, amount) ASSAY_FLAG(rename, key, other) ASSAY_FLAG(pin, key) ASSAY_FLAG(unpin, key)
    ASSAY_DONE(dropMemory) ASSAY_DONE(failLower, amount == 1) ASSAY_DONE(limitGroup, tag, amount) ASSAY_DONE(giveUp, key)
    ASSAY_IS(listen) {
        if (!strcmp(assay_word(step, "word"), "fails")) assay_refuse("unsupported", "a listener in C has no way to fail");
        else {
            assay_text copy = {NULL, 0, 0}; /* the listener outlives the request */
            assay_context *context = assay_new(sizeof *context);
            assay_print_json(&copy, step);
            const char *at = copy.data;
            *context = (assay_context){kit, assay_read(&at, 0), 0};
            free(copy.data);
            s->listen(c, strcmp(assay_word(step, "word"), "none") ? assay_hear : NULL, context);
            assay_print(out, "\"done\":true");
        }
    }
    ASSAY_IS(load) {
        assay_context context = {kit, step, 0};
        int loaded = s->load(c, key, assay_call_origin, &context, &terms, &result);
        assay_print(out, "\"loaded\":\"%s\",\"calls\":%d", loaded > 0 ? "value" : loaded ? "failed" : "nothing", context.calls);
        if (loaded > 0) { assay_print(out, ",\"entry\":"); assay_print_entry(out, result); }
    }
    else if (!assay_instead(kit, step, name, amount, out)) assay_refuse("unsupported", "this cache has no such operation");
    if (!assay_code && !strcmp(name, "close")) __atomic_store_n(&kit->is_closed, 1, __ATOMIC_SEQ_CST);
    free(key.data);
    free(value.data);
    free(other.data);
    free(old.data);
    free(result.data);
    assay_free_list(&keys);
}

/* ---- Requests ---- */

static pthread_mutex_t assay_writing = PTHREAD_MUTEX_INITIALIZER, assay_table = PTHREAD_MUTEX_INITIALIZER;
static assay_kit *assay_instances;
static int assay_output;

static void assay_send(assay_text *body) {
    unsigned char head[4] = {(unsigned char)(body->size >> 24), (unsigned char)(body->size >> 16), (unsigned char)(body->size >> 8), (unsigned char)body->size};
    pthread_mutex_lock(&assay_writing);
    for (size_t part = 0; part < 2; part++) {
        const char *at = part ? body->data : (char *)head;
        for (size_t left = part ? body->size : 4; left;) {
            ssize_t done = write(assay_output, at, left);
            if (done <= 0) exit(0);
            at += done;
            left -= (size_t)done;
        }
    }
    pthread_mutex_unlock(&assay_writing);
}

static assay_kit *assay_open_kit(const assay_json *request) {
    assay_kit *kit = assay_new(sizeof *kit);
    const assay_json *open = assay_member(request, "open");
    kit->number = assay_number(request, "instance", 0);
    kit->now = assay_number(open, "nowNanoseconds", 0);
    pthread_mutex_init(&kit->lock, NULL);
    assay_setup setup = {open, kit, 0};
    assay_code = NULL;
    kit->cache = assay_served->open(&setup);
    assay_asked |= setup.asked;
    if (!kit->cache && !assay_code) assay_refuse("unavailable", "the cache cannot be opened");
    return kit;
}

static void *assay_answer(void *given) {
    assay_json *request = given;
    assay_text out = {NULL, 0, 0};
    int64_t id = assay_number(request, "id", 0), number = assay_number(request, "instance", 0);
    assay_print(&out, "{\"id\":%" PRId64 ",", id);
    size_t head = out.size;
    assay_code = NULL;
    pthread_mutex_lock(&assay_table);
    assay_kit **place = &assay_instances;
    while (*place && (*place)->number != number) place = &(*place)->next;
    assay_kit *kit = *place;
    if (assay_member(request, "release") && kit) *place = kit->next;
    pthread_mutex_unlock(&assay_table);
    if (assay_member(request, "hello")) {
        int speaks = 0;
        for (assay_json *one = assay_member(assay_member(request, "hello"), "versions")->first; one; one = one->next) speaks |= one->number == 1;
        if (!speaks) assay_refuse("unsupported", "this adapter speaks version 1");
        assay_print(&out, "\"hello\":{\"version\":1,\"name\":");
        assay_print_text(&out, assay_served->name);
        assay_print(&out, ",\"needsDirectory\":%s,\"claims\":", assay_asked & ASSAY_DIRECTORY ? "true" : "false");
        assay_print_json(&out, assay_claims);
        assay_print(&out, "}");
    } else if (assay_member(request, "open")) {
        kit = assay_open_kit(request);
        pthread_mutex_lock(&assay_table);
        kit->next = assay_instances;
        if (!assay_code) assay_instances = kit;
        pthread_mutex_unlock(&assay_table);
        assay_print(&out, "\"done\":true");
    } else if (assay_member(request, "step") && kit) {
        assay_perform(kit, assay_member(request, "step"), assay_number(request, "face", 0), &out);
    } else {
        if (kit && assay_served->release) assay_served->release(kit->cache);
        assay_print(&out, "\"done\":true");
    }
    if (!assay_code && out.size > ASSAY_FRAME_MAX - 64) assay_refuse("inputOutput", "an answer too long");
    if (assay_code) {
        out.size = head;
        assay_print(&out, "\"error\":{\"code\":\"%s\",\"message\":", assay_code);
        assay_print_text(&out, assay_words ? assay_words : "");
        assay_print(&out, "}");
    }
    assay_print(&out, "}");
    assay_send(&out);
    free(out.data);
    assay_free_json(request);
    return NULL;
}

static int assay_take(void *to, size_t size) {
    for (char *at = to; size;) {
        ssize_t got = read(0, at, size);
        if (got <= 0) return 0;
        at += got;
        size -= (size_t)got;
    }
    return 1;
}

/* Removes a folder with what the cache left in it. */
static void assay_remove(const char *path) {
    DIR *folder = opendir(path);
    for (struct dirent *one; folder && (one = readdir(folder));) {
        if (!strcmp(one->d_name, ".") || !strcmp(one->d_name, "..")) continue;
        assay_text inner = {NULL, 0, 0};
        assay_print(&inner, "%s/%s", path, one->d_name);
        if (unlink(inner.data)) assay_remove(inner.data); /* what is no file and no link is a folder */
        free(inner.data);
    }
    if (folder) closedir(folder);
    rmdir(path);
}

/* The claims that the functions and what `open` asks for make. */
static void assay_derive(void) {
    const assay_subject *s = assay_served;
    const char *place = getenv("TMPDIR");
    assay_text folder = {NULL, 0, 0}, request = {NULL, 0, 0};
    assay_print(&folder, "%s/assay-probe-XXXXXX", place && *place ? place : "/tmp");
    if (!mkdtemp(folder.data)) assay_die("there is no room for a temporary directory; set TMPDIR to another one");
    assay_print(&request, "{\"open\":{\"directory\":");
    assay_print_text(&request, folder.data);
    assay_print(&request, "}}");
    const char *at = request.data;
    assay_json *probe = assay_read(&at, 0);
    assay_kit *kit = assay_open_kit(probe);
    if (assay_code) assay_die(assay_words);
    if (s->close) s->close(kit->cache);
    if (s->release) s->release(kit->cache);
    assay_remove(folder.data);
    free(folder.data);
    free(request.data);
    const struct { int is; const char *name; } features[] = {
        {s->putIfAbsent != NULL, "putIfAbsent"}, {s->replace && s->exchange, "replace"}, {s->compareAndSet != NULL, "compareAndSet"},
        {s->take != NULL, "take"}, {s->getMany && s->removeMany, "bulk"},
        {s->putMany != NULL, "bulkPut"}, {s->update != NULL, "update"}, {s->increment != NULL, "counter"}, {s->rename != NULL, "rename"},
        {s->touch != NULL, "touch"}, {s->remainingTime != NULL, "remainingTime"}, {s->cost != NULL, "cost"}, {s->resize != NULL, "resize"},
        {s->statistics != NULL, "statistics"}, {s->listen != NULL, "listener"}, {s->removeTagged != NULL, "tags"},
        {s->mark && s->setIfMarked && s->removeIfMarked, "versions"}, {s->pin && s->unpin, "pin"}, {s->load != NULL, "loader"},
        {s->load && s->giveUp, "cancel"}, {s->firstKeys != NULL, "walks"}, {s->diskUsage != NULL, "diskUsage"},
        {s->dropMemory && s->failLower, "tiers"}, {s->limitGroup != NULL, "groupLimits"}, {s->sleep != NULL, "countsSleep"},
        {assay_asked & ASSAY_EVENTS, "events"}, {assay_asked & ASSAY_WRITER, "writer"}, {assay_asked & ASSAY_IDLE, "timeToIdle"},
        {assay_asked & ASSAY_STALE, "staleServe"}, {assay_asked & ASSAY_REFRESH, "refresh"}, {assay_asked & ASSAY_COLLIDE, "collide"},
        {assay_asked & ASSAY_LIFE || (s->put && (assay_asked & ASSAY_CLOCK || s->advance)), "timeToLive"}};
    assay_text text = {NULL, 0, 0};
    assay_print(&text, "{\"storage\":{\"keyBytesMax\":65536,\"allowsEmptyKey\":true,\"valueBytesMax\":16777216,\"retains\":true,\"iterates\":%s,"
        "\"durability\":\"volatile\",\"isConcurrent\":false},\"features\":[", s->count && s->keys ? "true" : "false");
    const char *comma = "";
    for (size_t i = 0; i < sizeof features / sizeof *features; i++)
        if (features[i].is) { assay_print(&text, "%s\"%s\"", comma, features[i].name); comma = ","; }
    int has_one_life = (assay_asked & ASSAY_LIFE) != 0;
    /* Without contains the suite looks by get. */
    assay_print(&text, "],\"deviations\":[%s%s%s]", has_one_life ? "\"oneTimeToLive\"" : "", has_one_life && !s->contains ? "," : "",
        s->contains ? "" : "\"containsIsGet\"");
    if (assay_asked & (ASSAY_ENTRIES | ASSAY_WEIGHT)) {
        const char *entries = assay_asked & ASSAY_ENTRIES ? "\"objects\"" : "", *weight = assay_asked & ASSAY_WEIGHT ? "\"bytes\"" : "";
        assay_print(&text, ",\"room\":{\"capacity\":{\"amount\":65536,\"unit\":%s},\"isAdjustable\":true,\"units\":[%s%s%s],\"isStrict\":true}",
            *entries ? entries : weight, entries, *entries && *weight ? "," : "", weight);
    }
    assay_print(&text, "}");
    at = text.data;
    assay_claims = assay_read(&at, 0);
    if (s->claims) { at = s->claims; assay_lay(assay_read(&at, 0), assay_claims); }
    if (s->face && !assay_member(assay_claims, "faces"))
        assay_die("there are other faces, and the claims do not say how many in all: add \"faces\": 2");
    free(text.data);
    assay_free_json(probe);
}

/* Answers Assay's requests until the pipe is closed, several at once if the claims say that the cache is concurrent. */
static inline int assay_serve(const assay_subject *subject) {
    assay_served = subject;
    assay_output = dup(1);
    dup2(2, 1); /* what a library prints must not get between the frames */
    assay_derive();
    int is_concurrent = (int)assay_number(assay_member(assay_claims, "storage"), "isConcurrent", 0);
    unsigned char head[4];
    while (assay_take(head, 4)) {
        size_t size = (size_t)head[0] << 24 | (size_t)head[1] << 16 | (size_t)head[2] << 8 | head[3];
        if (size > ASSAY_FRAME_MAX) assay_die("a frame is too long");
        char *body = assay_new(size + 1);
        if (!assay_take(body, size)) break;
        const char *at = body;
        assay_json *request = assay_read(&at, 0);
        free(body);
        pthread_t thread;
        if (!is_concurrent) assay_answer(request);
        else if (pthread_create(&thread, NULL, assay_answer, request)) assay_die("there are no more threads");
        else pthread_detach(thread);
    }
    return 0;
}
#endif
