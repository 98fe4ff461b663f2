#ifndef ASSAY_CPREFETCH_H
#define ASSAY_CPREFETCH_H

/// Asks the processor to bring the cache line at `address` closer, for reading. Never faults, returns at once.
static inline __attribute__((always_inline)) void assay_prefetch(const void *address) {
    __builtin_prefetch(address, 0, 3);
}

/// Asks the processor to bring the cache line at `address` closer, for writing. Never faults, returns at once.
static inline __attribute__((always_inline)) void assay_prefetch_to_write(const void *address) {
    __builtin_prefetch(address, 1, 3);
}

#endif
