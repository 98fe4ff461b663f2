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

/// All bits if `value`, which is below 2^63, is 0, and none otherwise. By arithmetic that the compiler cannot see through:
/// it would turn a mask that it understands into a branch, which costs more wherever the value is hard to foresee.
static inline __attribute__((always_inline)) unsigned long long assay_all_if_zero(unsigned long long value) {
    __asm__("" : "+r"(value));
    return (unsigned long long)(((long long)value - 1) >> 63);
}

#endif
