#ifndef ASSAY_CMEMORYPROBE_H
#define ASSAY_CMEMORYPROBE_H

#include <stddef.h>
#include <stdint.h>

/// Reads jemalloc's `stats.allocated` after refreshing it. Returns 0 if jemalloc is not loaded into this process.
int assay_jemalloc_allocated(uint64_t *bytes);

/// Reads how many allocations jemalloc has made so far; exact where its thread caches are off. Returns 0 if it is not
/// loaded.
int assay_jemalloc_allocations(uint64_t *count);

/// Reads the bytes of the pages that jemalloc has allocations in. Returns 0 if it is not loaded.
int assay_jemalloc_active(uint64_t *bytes);

/// Reads the C library's bytes in use (`mallinfo2`). Returns 0 where the C library has no such call.
int assay_libc_allocated(uint64_t *bytes);

/// Reads the bytes that the C library has had from the system (`mallinfo2`). Returns 0 where it has no such call.
int assay_libc_reserved(uint64_t *bytes);

/// Makes the C library take allocations of up to 32 MB from its heap, whose count is exact to 16 bytes, and give nothing
/// back to the system; mappings of their own would count in whole pages. Returns 0 where it has no such choice.
int assay_libc_count_closely(void);

/// Allocates and touches memory that the optimiser cannot see through; `assay_probe_free` frees it.
void *assay_probe_malloc(size_t bytes);
void assay_probe_free(void *memory);

#endif
