// A cache under Assay's conformance suite. Put your cache in the place of lru, and its calls in the place of those of the adapter.
#include "assay_subject.h"

typedef struct node { assay_bytes key, value; struct node *next; } node;
typedef struct { int64_t limit, count; node *newest; } lru; // a list, the newest first

static node **find(lru *c, assay_bytes key) {
    node **at = &c->newest;
    while (*at && ((*at)->key.size != key.size || memcmp((*at)->key.data, key.data, key.size))) at = &(*at)->next;
    return at;
}
static int drop(lru *c, node **at) {
    node *old = *at;
    if (!old) return 0;
    *at = old->next;
    c->count--;
    free(old->key.data), free(old->value.data), free(old);
    return 1;
}
static node *renew(lru *c, node **at) {
    node *found = *at;
    if (found) *at = found->next, found->next = c->newest, c->newest = found;
    return found;
}

// The adapter.
static void *opened(assay_setup *setup) {
    lru *c = calloc(1, sizeof *c);
    c->limit = assay_entries(setup);
    return c;
}
static void put(void *c, assay_bytes key, assay_bytes value, const assay_terms *terms) {
    drop(c, find(c, key));
    node *made = malloc(sizeof *made), **last = &((lru *)c)->newest;
    *made = (node){assay_copy(key.data, key.size), assay_copy(value.data, value.size), *last};
    *last = made;
    if (++((lru *)c)->count <= ((lru *)c)->limit) return;
    while ((*last)->next) last = &(*last)->next;
    drop(c, last);
}
static assay_bytes get(void *c, assay_bytes key) {
    node *found = renew(c, find(c, key));
    return found ? assay_copy(found->value.data, found->value.size) : (assay_bytes){NULL, 0};
}
static int contains(void *c, assay_bytes key) { return *find(c, key) != NULL; }
static int removed(void *c, assay_bytes key) { return drop(c, find(c, key)); }
static void clear(void *c) { while (drop(c, &((lru *)c)->newest)) {} }
static int64_t count(void *c) { return ((lru *)c)->count; }
static void keys(void *c, assay_list *all) {
    for (node *one = ((lru *)c)->newest; one; one = one->next) assay_add(all, assay_copy(one->key.data, one->key.size));
}
static void freed(void *c) { clear(c), free(c); }

int main(void) {
    assay_subject subject = {.name = "my cache 1.0", .claims = "{\"order\":\"lru\"}", .open = opened, .release = freed, .put = put,
        .get = get, .contains = contains, .remove = removed, .removeAll = clear, .count = count, .keys = keys};
    return assay_serve(&subject);
}
