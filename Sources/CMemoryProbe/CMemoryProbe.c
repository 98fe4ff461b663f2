#define _GNU_SOURCE
#include "CMemoryProbe.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

typedef int (*mallctl_function)(const char *, void *, size_t *, void *, size_t);

int assay_jemalloc_allocated(uint64_t *bytes) {
    // Looked up at run time: timing runs keep the default allocator, and only the memory run preloads jemalloc.
    mallctl_function mallctl = (mallctl_function)dlsym(RTLD_DEFAULT, "mallctl");
    if (mallctl == NULL) return 0;
    uint64_t epoch = 1;
    size_t epoch_size = sizeof epoch;
    if (mallctl("epoch", &epoch, &epoch_size, &epoch, epoch_size) != 0) return 0;
    size_t allocated = 0, size = sizeof allocated;
    if (mallctl("stats.allocated", &allocated, &size, NULL, 0) != 0) return 0;
    *bytes = allocated;
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
