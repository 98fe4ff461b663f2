#include "assay_plugin.h"

#include <stdlib.h>

// The residents are a ring of ids, from the oldest to the newest, around one more node that is no object's.
struct node {
    uint32_t older, newer;
    uint64_t weight;
};

struct cache {
    uint64_t capacity, weight;
    uint32_t ring;
    struct node nodes[];
};

static assay_status create(const assay_policy_config *config, void **result, assay_error *error) {
    struct cache *cache = calloc(1, sizeof *cache + (config->object_count + 1) * sizeof(struct node));
    if (!cache) return ASSAY_NO_MEMORY;
    cache->capacity = config->capacity;
    cache->ring = config->object_count;
    cache->nodes[cache->ring] = (struct node){cache->ring, cache->ring, 0};
    *result = cache;
    return ASSAY_OK;
}

static assay_status take_out(void *opaque, uint32_t id, assay_error *error) {
    struct cache *cache = opaque;
    struct node *node = &cache->nodes[id];
    cache->nodes[node->older].newer = node->newer;
    cache->nodes[node->newer].older = node->older;
    cache->weight -= node->weight;
    return ASSAY_OK;
}

static assay_status miss(void *opaque, const assay_request *request, const assay_sink *sink, assay_error *error) {
    struct cache *cache = opaque;
    struct node *ring = &cache->nodes[cache->ring];
    while (cache->weight + request->weight > cache->capacity) {
        uint32_t oldest = ring->newer;
        take_out(cache, oldest, error);
        sink->evicted(sink->context, oldest);
    }
    cache->nodes[request->id] = (struct node){ring->older, cache->ring, request->weight};
    cache->nodes[ring->older].newer = request->id;
    ring->older = request->id;
    cache->weight += request->weight;
    return ASSAY_YES;
}

static const assay_policy fifo = {
    .struct_size = sizeof fifo, .name = "c-fifo", .family = "recency", .summary = "FIFO, written in C.",
    .create = create, .destroy = free, .miss = miss, .remove = take_out};

static const assay_policy *const policies[] = {&fifo};

const assay_plugin *assay_plugin_entry(void) {
    static const assay_plugin plugin = {
        .version = ASSAY_PLUGIN_VERSION, .struct_size = sizeof plugin, .policies = policies, .policy_count = 1};
    return &plugin;
}
