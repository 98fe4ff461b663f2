// A storage backend as a plug-in: a hash table in memory.
#include "assay_plugin.h"

#include <stdlib.h>
#include <string.h>

// An entry with its key and its value behind it.
struct entry {
    struct entry *next;
    uint64_t hash, key_count, value_count;
    int64_t expires_at_nanoseconds;
    uint32_t expires;
    uint8_t bytes[];
};

struct map {
    struct entry **chains;
    uint64_t chain_count, count;
};

// FNV-1a.
static uint64_t hash_of(assay_bytes key) {
    uint64_t hash = 0xcbf29ce484222325;
    for (uint64_t index = 0; index < key.count; index++) hash = (hash ^ key.start[index]) * 0x100000001b3;
    return hash;
}

// The link that leads to the entry under a key, or to the end of its chain.
static struct entry **find(struct map *map, assay_bytes key, uint64_t hash) {
    struct entry **link = &map->chains[hash & (map->chain_count - 1)];
    for (; *link; link = &(*link)->next) {
        struct entry *entry = *link;
        if (entry->hash == hash && entry->key_count == key.count &&
            (key.count == 0 || memcmp(entry->bytes, key.start, key.count) == 0))
            break;
    }
    return link;
}

// Doubles the chains. Where there is no memory for that, the old ones serve.
static void grow(struct map *map) {
    uint64_t count = 2 * map->chain_count;
    struct entry **chains = calloc(count, sizeof *chains);
    if (!chains) return;
    for (uint64_t index = 0; index < map->chain_count; index++) {
        for (struct entry *entry = map->chains[index], *next; entry; entry = next) {
            next = entry->next;
            entry->next = chains[entry->hash & (count - 1)];
            chains[entry->hash & (count - 1)] = entry;
        }
    }
    free(map->chains);
    map->chains = chains;
    map->chain_count = count;
}

static assay_status remove_all(void *store, assay_error *error) {
    (void)error;
    struct map *map = store;
    for (uint64_t index = 0; index < map->chain_count; index++) {
        for (struct entry *entry = map->chains[index], *next; entry; entry = next) {
            next = entry->next;
            free(entry);
        }
        map->chains[index] = NULL;
    }
    map->count = 0;
    return ASSAY_OK;
}

static assay_status open_map(
    const assay_backend_config *config, void **store, assay_claims *claims, assay_error *error) {
    (void)error;
    struct map *map = calloc(1, sizeof *map);
    struct entry **chains = calloc(64, sizeof *chains);
    if (!map || !chains) {
        free(map);
        free(chains);
        return ASSAY_NO_MEMORY;
    }
    *map = (struct map){.chains = chains, .chain_count = 64};
    claims->value_bytes_max = (uint64_t)config->values[0].integer;
    *store = map;
    return ASSAY_OK;
}

static assay_status get(
    void *store, assay_bytes key, void *context, void (*found)(void *context, const assay_entry *entry),
    assay_error *error) {
    (void)error;
    struct entry *entry = *find(store, key, hash_of(key));
    if (!entry) return ASSAY_NO;
    assay_entry given = {
        .value = {entry->bytes + entry->key_count, entry->value_count},
        .expires_at_nanoseconds = entry->expires_at_nanoseconds,
        .expires = entry->expires};
    found(context, &given);
    return ASSAY_YES;
}

static assay_status put(void *store, assay_bytes key, const assay_entry *given, assay_error *error) {
    struct map *map = store;
    struct entry *entry = malloc(sizeof *entry + key.count + given->value.count);
    if (!entry) {
        strcpy(error->message, "no memory for the entry; remove others");
        return ASSAY_FULL;
    }
    *entry = (struct entry){
        .hash = hash_of(key),
        .key_count = key.count,
        .value_count = given->value.count,
        .expires_at_nanoseconds = given->expires_at_nanoseconds,
        .expires = given->expires};
    if (key.count) memcpy(entry->bytes, key.start, key.count);
    if (given->value.count) memcpy(entry->bytes + key.count, given->value.start, given->value.count);
    struct entry **link = find(map, key, entry->hash), *old = *link;
    entry->next = old ? old->next : NULL;
    *link = entry;
    free(old);
    if (!old && ++map->count > map->chain_count) grow(map);
    return ASSAY_OK;
}

static assay_status remove_entry(void *store, assay_bytes key, assay_error *error) {
    (void)error;
    struct map *map = store;
    struct entry **link = find(map, key, hash_of(key)), *entry = *link;
    if (!entry) return ASSAY_NO;
    *link = entry->next;
    free(entry);
    map->count--;
    return ASSAY_YES;
}

static assay_status count(void *store, uint64_t *count, assay_error *error) {
    (void)error;
    *count = ((struct map *)store)->count;
    return ASSAY_OK;
}

static assay_status keys(
    void *store, void *context, void (*found)(void *context, assay_bytes key), assay_error *error) {
    (void)error;
    struct map *map = store;
    for (uint64_t index = 0; index < map->chain_count; index++)
        for (struct entry *entry = map->chains[index]; entry; entry = entry->next)
            found(context, (assay_bytes){entry->bytes, entry->key_count});
    return ASSAY_OK;
}

static assay_status close_map(void *store, assay_error *error) {
    struct map *map = store;
    remove_all(map, error);
    free(map->chains);
    free(map);
    return ASSAY_OK;
}

static const assay_parameter parameters[] = {
    {.name = "value-bytes-max", .summary = "The longest value that is accepted, in bytes.", .initial = "67108864",
     .least = 1, .most = 1 << 30, .kind = ASSAY_INTEGER},
};

static const assay_backend map = {
    .struct_size = sizeof map,
    .name = "c-map",
    .summary = "A hash table in memory, written in C.",
    .parameters = parameters,
    .parameter_count = 1,
    .open = open_map,
    .get = get,
    .put = put,
    .remove = remove_entry,
    .remove_all = remove_all,
    .count = count,
    .keys = keys,
    .close = close_map,
};

static const assay_backend *const backends[] = {&map};

const assay_plugin *assay_plugin_entry(void) {
    static const assay_plugin plugin = {
        .version = ASSAY_PLUGIN_VERSION, .struct_size = sizeof plugin, .backends = backends, .backend_count = 1};
    return &plugin;
}
