// LRU as a plug-in: evicts the object that was asked for longest ago. It serves whole blocks of requests without a branch.
#include "assay_plugin.h"

#include <stdlib.h>

// The residents are a ring of ids, from the oldest to the newest, around one more node that is no object's. The node of an
// object that is not resident points to itself.
struct node {
    uint32_t older, newer;
};

struct cache {
    uint64_t capacity, weight;
    uint32_t ring;
    uint64_t *weights;  // of each object; NULL where each weighs 1
    struct node *nodes;
};

static void destroy(void *opaque) {
    struct cache *cache = opaque;
    free(cache->weights);
    free(cache->nodes);
    free(cache);
}

static assay_status create(const assay_policy_config *config, void **result, assay_error *error) {
    (void)error;
    struct cache *cache = calloc(1, sizeof *cache);
    if (!cache) return ASSAY_NO_MEMORY;
    cache->capacity = config->capacity;
    cache->ring = config->object_count;
    cache->nodes = malloc((config->object_count + 1) * sizeof *cache->nodes);
    if (config->unit == ASSAY_BYTES) cache->weights = calloc(config->object_count, sizeof *cache->weights);
    if (!cache->nodes || (config->unit == ASSAY_BYTES && !cache->weights)) {
        destroy(cache);
        return ASSAY_NO_MEMORY;
    }
    for (uint64_t id = 0; id <= cache->ring; id++) cache->nodes[id] = (struct node){id, id};
    *result = cache;
    return ASSAY_OK;
}

static void take_out(struct cache *cache, uint32_t id) {
    struct node node = cache->nodes[id];
    cache->nodes[node.older].newer = node.newer;
    cache->nodes[node.newer].older = node.older;
    cache->nodes[id] = (struct node){id, id};
}

static void make_newest(struct cache *cache, uint32_t id) {
    struct node *ring = &cache->nodes[cache->ring];
    cache->nodes[ring->older].newer = id;
    cache->nodes[id] = (struct node){ring->older, cache->ring};
    ring->older = id;
}

static assay_status hit(void *cache, const assay_request *request, assay_error *error) {
    (void)error;
    take_out(cache, request->id);
    make_newest(cache, request->id);
    return ASSAY_OK;
}

static assay_status remove_object(void *opaque, uint32_t id, assay_error *error) {
    (void)error;
    struct cache *cache = opaque;
    take_out(cache, id);
    cache->weight -= cache->weights ? cache->weights[id] : 1;
    return ASSAY_OK;
}

static assay_status miss(void *opaque, const assay_request *request, const assay_sink *sink, assay_error *error) {
    struct cache *cache = opaque;
    while (cache->weight + request->weight > cache->capacity) {
        uint32_t oldest = cache->nodes[cache->ring].newer;
        remove_object(cache, oldest, error);
        sink->evicted(sink->context, oldest);
    }
    make_newest(cache, request->id);
    if (cache->weights) cache->weights[request->id] = request->weight;
    cache->weight += request->weight;
    return ASSAY_YES;
}

static assay_status next_victim(void *opaque, const assay_request *request, uint32_t *victim, assay_error *error) {
    (void)request, (void)error;
    struct cache *cache = opaque;
    *victim = cache->nodes[cache->ring].newer;
    return *victim == cache->ring ? ASSAY_NO : ASSAY_YES;
}

static assay_status exchange(void *opaque, const assay_block *block, uint32_t *left, assay_error *error) {
    (void)error;
    struct cache *cache = opaque;
    struct node *nodes = cache->nodes;
    for (uint32_t position = 0; position < block->count; position++) {
        // What is far from the processor is fetched before it is needed: an object first, then its neighbours.
        const struct node *soon = &nodes[block->ids[position + block->ahead]];
        __builtin_prefetch(&nodes[block->ids[position + 2 * block->ahead]]);
        __builtin_prefetch(&nodes[soon->older]);
        __builtin_prefetch(&nodes[soon->newer]);
        uint32_t id = block->ids[position], oldest = nodes[cache->ring].newer;
        uint32_t gone = nodes[id].newer == id ? oldest : id;
        __builtin_prefetch(&nodes[nodes[oldest].newer]);
        take_out(cache, gone);
        make_newest(cache, id);
        left[position] = gone;
    }
    return ASSAY_OK;
}

static const assay_memory memory = {
    .per_object = sizeof(struct node), .per_object_in_bytes = sizeof(struct node) + sizeof(uint64_t)};

static const assay_policy lru = {
    .struct_size = sizeof lru,
    .name = "c-lru",
    .family = "recency",
    .summary = "LRU, written in C.",
    .citation = "Mattson et al., IBM Systems Journal 9(2), 1970",
    .memory = &memory,
    .create = create,
    .destroy = destroy,
    .hit = hit,
    .miss = miss,
    .remove = remove_object,
    .next_victim = next_victim,
    .exchange = exchange,
};

static const assay_policy *const policies[] = {&lru};

const assay_plugin *assay_plugin_entry(void) {
    static const assay_plugin plugin = {
        .version = ASSAY_PLUGIN_VERSION, .struct_size = sizeof plugin, .policies = policies, .policy_count = 1};
    return &plugin;
}
