#ifndef ASSAY_CMEMORYPROBE_H
#define ASSAY_CMEMORYPROBE_H

#include <stddef.h>
#include <stdint.h>

/// Reads jemalloc's `stats.allocated` after refreshing it. Returns 0 if jemalloc is not loaded into this process.
int assay_jemalloc_allocated(uint64_t *bytes);

/// Reads the C library's bytes in use (`mallinfo2`). Returns 0 where the C library has no such call.
int assay_libc_allocated(uint64_t *bytes);

/// Allocates and touches memory that the optimiser cannot see through; `assay_probe_free` frees it.
void *assay_probe_malloc(size_t bytes);
void assay_probe_free(void *memory);

#endif
