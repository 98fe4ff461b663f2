// A policy and a backend that do what their parameter `lie` says, and are sound with lie=none. And a policy with ghosts.
#include "assay_plugin.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

// ---- FIFO, over a ring of nodes

struct node {
    uint32_t older, newer;
    uint64_t weight;
};

struct cache {
    const char *lie;
    uint64_t capacity, weight, limit, ghosts, objects, served;
    uint32_t ring;
    const assay_sink *sink;
    struct node *nodes;
    // Ghosts, the oldest first.
    uint32_t *remembered;
};

static int lies(const struct cache *cache, const char *lie) { return strcmp(cache->lie, lie) == 0; }

static const char choices[] =
    "none,stranger,unknown,twice,newcomer,capacity,answer,fails,silent-failure,long-message,hit-fails,hit-evicts,forgets,"
    "remove-fails,victim,victim-fails,create-fails,create-usage,exchange-stranger,exchange-unknown,exchange-hit,"
    "exchange-miss,exchange-fails,ghost-resident,ghost-twice,ghost-newcomer,crash";

static assay_status create(const assay_policy_config *config, void **result, assay_error *error) {
    // Choices are words of a list; the text is gone after this call.
    static char words[sizeof choices];
    memcpy(words, choices, sizeof choices);
    const char *lie = "none";
    if (config->value_count == 4) {
        char *place = words;
        for (int64_t number = config->values[0].integer; number > 0; number--) place = strchr(place, ',') + 1;
        lie = strndup(place, strcspn(place, ","));
        if (strcmp(lie, config->values[0].text) != 0) return ASSAY_FAILED;
        if (config->values[1].integer != 3 || config->values[1].number != 3) return ASSAY_FAILED;
        if (config->values[2].number != 0.5 || strcmp(config->values[3].text, "") == 0) return ASSAY_FAILED;
    }
    if (strcmp(lie, "create-fails") == 0) return ASSAY_NO_MEMORY;
    if (strcmp(lie, "create-usage") == 0) {
        strcpy(error->message, "lie and capacity\ndo not go together");
        return ASSAY_USAGE;
    }
    struct cache *cache = calloc(1, sizeof *cache);
    *cache = (struct cache){
        .lie = lie, .capacity = config->capacity, .limit = config->resident_limit, .objects = config->object_count,
        .ring = config->object_count};
    cache->nodes = calloc(config->object_count + 1, sizeof *cache->nodes);
    cache->nodes[cache->ring] = (struct node){cache->ring, cache->ring, 0};
    cache->remembered = calloc(config->resident_limit + 1, sizeof *cache->remembered);
    *result = cache;
    return ASSAY_OK;
}

static void destroy(void *opaque) {
    struct cache *cache = opaque;
    free(cache->nodes);
    free(cache->remembered);
    free(cache);
}

static void take_out(struct cache *cache, uint32_t id) {
    struct node *node = &cache->nodes[id];
    cache->nodes[node->older].newer = node->newer;
    cache->nodes[node->newer].older = node->older;
    cache->weight -= node->weight;
}

static void enter(struct cache *cache, uint32_t id, uint64_t weight) {
    struct node *ring = &cache->nodes[cache->ring];
    cache->nodes[id] = (struct node){ring->older, cache->ring, weight};
    cache->nodes[ring->older].newer = id;
    ring->older = id;
    cache->weight += weight;
}

static assay_status hit(void *opaque, const assay_request *request, assay_error *error) {
    struct cache *cache = opaque;
    if (lies(cache, "hit-fails")) {
        strcpy(error->message, "the hit \x1b[31mfailed\xff");
        return ASSAY_FAILED;
    }
    if (lies(cache, "hit-evicts") && cache->sink) cache->sink->evicted(cache->sink->context, request->id);
    return ASSAY_OK;
}

static assay_status miss(void *opaque, const assay_request *request, const assay_sink *sink, assay_error *error) {
    struct cache *cache = opaque;
    cache->sink = sink;
    cache->served++;
    int is_due = cache->served > 3;
    if (is_due && lies(cache, "stranger")) {
        uint32_t stranger = cache->objects - 1;
        sink->evicted(sink->context, stranger);
    }
    if (is_due && lies(cache, "unknown")) sink->evicted(sink->context, UINT32_MAX);
    if (is_due && lies(cache, "newcomer")) sink->evicted(sink->context, request->id);
    if (is_due && lies(cache, "answer")) return 7;
    if (is_due && lies(cache, "crash")) raise(SIGSEGV);
    if (is_due && lies(cache, "forgets")) sink->forgotten(sink->context, request->id);
    if (is_due && lies(cache, "silent-failure")) return -4711;
    if (is_due && lies(cache, "long-message")) {
        memset(error->message, 'x', sizeof error->message);
        return ASSAY_INPUT_OUTPUT;
    }
    if (is_due && lies(cache, "fails")) {
        strcpy(error->message, "no more ideas");
        return ASSAY_FAILED;
    }
    while (cache->weight + request->weight > cache->capacity) {
        uint32_t oldest = cache->nodes[cache->ring].newer;
        if (lies(cache, "capacity")) break;
        take_out(cache, oldest);
        sink->evicted(sink->context, oldest);
        if (lies(cache, "twice")) sink->evicted(sink->context, oldest);
    }
    enter(cache, request->id, request->weight);
    return ASSAY_YES;
}

static assay_status remove_object(void *opaque, uint32_t id, assay_error *error) {
    struct cache *cache = opaque;
    take_out(cache, id);
    return lies(cache, "remove-fails") ? ASSAY_FAILED : ASSAY_OK;
}

static assay_status next_victim(void *opaque, const assay_request *request, uint32_t *victim, assay_error *error) {
    struct cache *cache = opaque;
    if (lies(cache, "victim-fails")) return ASSAY_FAILED;
    *victim = lies(cache, "victim") ? UINT32_MAX : cache->nodes[cache->ring].newer;
    return *victim == cache->ring ? ASSAY_NO : ASSAY_YES;
}

static assay_status exchange(void *opaque, const assay_block *block, uint32_t *left, assay_error *error) {
    struct cache *cache = opaque;
    for (uint32_t position = 0; position < block->count; position++) {
        uint32_t id = block->ids[position], is_there = 0;
        for (uint32_t at = cache->nodes[cache->ring].newer; at != cache->ring; at = cache->nodes[at].newer)
            is_there |= at == id;
        uint32_t oldest = cache->nodes[cache->ring].newer;
        left[position] = is_there ? id : oldest;
        if (is_there) {
            if (lies(cache, "exchange-hit")) left[position] = oldest == id ? cache->nodes[oldest].newer : oldest;
            continue;
        }
        take_out(cache, oldest);
        enter(cache, id, 1);
        if (lies(cache, "exchange-stranger")) left[position] = cache->objects - 1;
        if (lies(cache, "exchange-unknown")) left[position] = UINT32_MAX;
        if (lies(cache, "exchange-miss")) left[position] = id;
    }
    return lies(cache, "exchange-fails") ? ASSAY_FAILED : ASSAY_OK;
}

static const assay_parameter policy_parameters[] = {
    {.name = "lie", .summary = "What it does.", .initial = "none", .choices = choices, .kind = ASSAY_CHOICE},
    {.name = "size", .summary = "A whole number.", .initial = "3", .least = 1, .most = 9, .kind = ASSAY_INTEGER},
    {.name = "share", .summary = "A number.", .initial = "0.5", .least = 0, .most = 1, .kind = ASSAY_NUMBER},
    {.name = "word", .summary = "Any text.", .initial = "any", .kind = ASSAY_TEXT},
};

static const assay_policy liar = {
    .struct_size = sizeof liar, .name = "liar", .family = "recency", .summary = "FIFO, with a lie.",
    .parameters = policy_parameters, .parameter_count = 4, .create = create, .destroy = destroy, .hit = hit,
    .miss = miss, .remove = remove_object, .next_victim = next_victim, .exchange = exchange};

// ---- FIFO that remembers as many objects as it may hold

static void drop_ghost(struct cache *cache, uint64_t place) {
    cache->ghosts--;
    memmove(&cache->remembered[place], &cache->remembered[place + 1], (cache->ghosts - place) * sizeof(uint32_t));
}

static int find_ghost(const struct cache *cache, uint32_t id, uint64_t *place) {
    for (*place = 0; *place < cache->ghosts; ++*place)
        if (cache->remembered[*place] == id) return 1;
    return 0;
}

static assay_status ghostly_miss(
    void *opaque, const assay_request *request, const assay_sink *sink, assay_error *error) {
    struct cache *cache = opaque;
    uint64_t place;
    if (find_ghost(cache, request->id, &place)) drop_ghost(cache, place);
    while (cache->weight + request->weight > cache->capacity) {
        uint32_t oldest = cache->nodes[cache->ring].newer;
        take_out(cache, oldest);
        sink->evicted(sink->context, oldest);
        if (cache->ghosts == cache->limit) {
            uint32_t dropped = cache->remembered[0];
            drop_ghost(cache, 0);
            sink->forgotten(sink->context, dropped);
            if (lies(cache, "ghost-twice")) sink->forgotten(sink->context, dropped);
        }
        cache->remembered[cache->ghosts++] = oldest;
    }
    uint32_t resident = cache->nodes[cache->ring].newer;
    if (lies(cache, "ghost-resident") && resident != cache->ring) sink->forgotten(sink->context, resident);
    if (lies(cache, "ghost-newcomer")) sink->forgotten(sink->context, request->id);
    enter(cache, request->id, request->weight);
    return ASSAY_YES;
}

static assay_status ghostly_remove(void *opaque, uint32_t id, assay_error *error) {
    struct cache *cache = opaque;
    uint64_t place;
    if (find_ghost(cache, id, &place)) {
        drop_ghost(cache, place);
    } else {
        take_out(cache, id);
    }
    return ASSAY_OK;
}

static const assay_memory ghostly_memory = {.per_object = 16, .per_ghost = 4, .ghosts = 1};

static const assay_policy ghostly = {
    .struct_size = sizeof ghostly, .flags = ASSAY_KEEPS_GHOSTS, .name = "ghostly", .family = "recency",
    .summary = "FIFO, with ghosts.", .memory = &ghostly_memory, .parameters = policy_parameters,
    .parameter_count = 4, .create = create, .destroy = destroy, .miss = ghostly_miss, .remove = ghostly_remove,
    .next_victim = next_victim};

// ---- A store of one entry, with a lie

struct store {
    const char *lie;
    uint8_t key[64], value[64];
    uint64_t key_count, value_count;
    int is_full;
};

static const char store_choices[] =
    "none,two,yes,no,long,null,odd,full,corrupt,silent,count,key,claims,open-fails,close-fails";

static int store_lies(const struct store *store, const char *lie) { return strcmp(store->lie, lie) == 0; }

static assay_status open_store(
    const assay_backend_config *config, void **result, assay_claims *claims, assay_error *error) {
    const char *lie = config->values[0].text;
    if (strcmp(lie, "open-fails") == 0) {
        strcpy(error->message, "no such place");
        return ASSAY_UNAVAILABLE;
    }
    if (strcmp(lie, "claims") == 0) claims->durability = 9;
    claims->key_bytes_max = claims->value_bytes_max = 64;
    claims->flags |= ASSAY_CONCURRENT;
    struct store *store = calloc(1, sizeof *store);
    store->lie = strdup(lie);
    *result = store;
    return ASSAY_OK;
}

static assay_status get(
    void *opaque, assay_bytes key, void *context, void (*found)(void *context, const assay_entry *entry),
    assay_error *error) {
    struct store *store = opaque;
    assay_entry entry = {.value = {store->value, store->value_count}};
    if (store_lies(store, "long")) entry.value.count = UINT64_MAX;
    if (store_lies(store, "null")) entry.value = (assay_bytes){NULL, 1};
    if (store_lies(store, "corrupt")) return ASSAY_CORRUPT;
    if (store_lies(store, "silent")) return -99;
    if (store_lies(store, "odd")) return 2;
    if (store_lies(store, "yes")) return ASSAY_YES;
    int is_there = store->is_full && key.count == store->key_count && memcmp(key.start, store->key, key.count) == 0;
    if (!is_there) return ASSAY_NO;
    found(context, &entry);
    if (store_lies(store, "two")) found(context, &entry);
    return store_lies(store, "no") ? ASSAY_NO : ASSAY_YES;
}

static assay_status put(void *opaque, assay_bytes key, const assay_entry *entry, assay_error *error) {
    struct store *store = opaque;
    if (store_lies(store, "full")) {
        strcpy(error->message, "one entry is too many");
        return ASSAY_FULL;
    }
    memcpy(store->key, key.start, store->key_count = key.count);
    if (entry->value.count) memcpy(store->value, entry->value.start, entry->value.count);
    store->value_count = entry->value.count;
    store->is_full = 1;
    return ASSAY_OK;
}

static assay_status remove_entry(void *opaque, assay_bytes key, assay_error *error) {
    struct store *store = opaque;
    int is_there = store->is_full && key.count == store->key_count && memcmp(key.start, store->key, key.count) == 0;
    if (is_there) store->is_full = 0;
    return is_there ? ASSAY_YES : ASSAY_NO;
}

static assay_status remove_all(void *opaque, assay_error *error) {
    ((struct store *)opaque)->is_full = 0;
    return ASSAY_OK;
}

static assay_status count(void *opaque, uint64_t *count, assay_error *error) {
    struct store *store = opaque;
    *count = store_lies(store, "count") ? UINT64_MAX : (uint64_t)store->is_full;
    return ASSAY_OK;
}

static assay_status keys(
    void *opaque, void *context, void (*found)(void *context, assay_bytes key), assay_error *error) {
    struct store *store = opaque;
    if (store->is_full) found(context, (assay_bytes){store->key, store_lies(store, "key") ? 65 : store->key_count});
    return ASSAY_OK;
}

static assay_status close_store(void *opaque, assay_error *error) {
    struct store *store = opaque;
    int fails = store_lies(store, "close-fails");
    free(store);
    return fails ? ASSAY_INPUT_OUTPUT : ASSAY_OK;
}

static const assay_parameter store_parameters[] = {
    {.name = "lie", .summary = "What it does.", .initial = "none", .choices = store_choices, .kind = ASSAY_CHOICE},
    {.name = "quiet", .summary = "A flag.", .kind = ASSAY_FLAG},
};

static const assay_backend lying_store = {
    .struct_size = sizeof lying_store, .name = "lying-store", .summary = "One entry, with a lie.",
    .parameters = store_parameters, .parameter_count = 2, .open = open_store, .get = get, .put = put,
    .remove = remove_entry, .remove_all = remove_all, .count = count, .keys = keys, .close = close_store};

static const assay_policy *const policies[] = {&liar, &ghostly};
static const assay_backend *const backends[] = {&lying_store};

const assay_plugin *assay_plugin_entry(void) {
    static const assay_plugin plugin = {
        .version = ASSAY_PLUGIN_VERSION, .struct_size = sizeof plugin, .policies = policies, .policy_count = 2,
        .backends = backends, .backend_count = 1};
    return &plugin;
}
