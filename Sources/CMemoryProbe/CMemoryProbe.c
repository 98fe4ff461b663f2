#define _GNU_SOURCE
#include "CMemoryProbe.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

typedef int (*mallctl_function)(const char *, void *, size_t *, void *, size_t);

// Looked up at run time: timing runs keep the default allocator, and only the memory run preloads jemalloc. NULL without
// it, or if its statistics cannot be brought up to date.
static mallctl_function fresh_statistics(void) {
    mallctl_function mallctl = (mallctl_function)dlsym(RTLD_DEFAULT, "mallctl");
    if (mallctl == NULL) return NULL;
    uint64_t epoch = 1;
    size_t epoch_size = sizeof epoch;
    return mallctl("epoch", &epoch, &epoch_size, &epoch, epoch_size) == 0 ? mallctl : NULL;
}

static int read_bytes(const char *name, uint64_t *bytes) {
    mallctl_function mallctl = fresh_statistics();
    size_t value = 0, size = sizeof value;
    if (mallctl == NULL || mallctl(name, &value, &size, NULL, 0) != 0) return 0;
    *bytes = value;
    return 1;
}

int assay_jemalloc_allocated(uint64_t *bytes) { return read_bytes("stats.allocated", bytes); }

int assay_jemalloc_active(uint64_t *bytes) { return read_bytes("stats.active", bytes); }

int assay_jemalloc_allocations(uint64_t *count) {
    mallctl_function mallctl = fresh_statistics();
    // 4096 stands for all arenas together.
    uint64_t small = 0, large = 0;
    size_t size = sizeof small;
    if (mallctl == NULL || mallctl("stats.arenas.4096.small.nmalloc", &small, &size, NULL, 0) != 0 ||
        mallctl("stats.arenas.4096.large.nmalloc", &large, &size, NULL, 0) != 0)
        return 0;
    *count = small + large;
    return 1;
}

int assay_libc_allocated(uint64_t *bytes) {
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
    struct mallinfo2 info = mallinfo2();
    *bytes = (uint64_t)info.uordblks + (uint64_t)info.hblkhd;
    return 1;
#else
    (void)bytes;
    return 0;
#endif
}

int assay_libc_reserved(uint64_t *bytes) {
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
    struct mallinfo2 info = mallinfo2();
    *bytes = (uint64_t)info.arena + (uint64_t)info.hblkhd;
    return 1;
#else
    (void)bytes;
    return 0;
#endif
}

int assay_libc_count_closely(void) {
#if defined(__GLIBC__)
    return mallopt(M_MMAP_THRESHOLD, 32 << 20) && mallopt(M_TRIM_THRESHOLD, 1 << 30);
#else
    return 0;
#endif
}

void *assay_probe_malloc(size_t bytes) {
    // Volatile: compilers may otherwise remove an allocation that nobody reads.
    char *volatile memory = malloc(bytes);
    if (memory != NULL) memset(memory, 1, bytes);
    return memory;
}

void assay_probe_free(void *memory) { free(memory); }
