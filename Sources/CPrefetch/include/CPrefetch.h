#ifndef ASSAY_CPREFETCH_H
#define ASSAY_CPREFETCH_H

#ifdef __SSE2__
#include <emmintrin.h>
#endif

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

#ifdef __SSE2__
#define ASSAY_LANE 16
static inline __attribute__((always_inline)) unsigned int assay_lane_bits(const unsigned char *bytes, int bit) {
    // That bit of each byte goes to its top, from where one instruction collects them.
    return (unsigned int)_mm_movemask_epi8(_mm_slli_epi16(_mm_loadu_si128((const __m128i *)bytes), 7 - bit));
}
#else
#define ASSAY_LANE 8
static inline __attribute__((always_inline)) unsigned int assay_lane_bits(const unsigned char *bytes, int bit) {
    unsigned int bits = 0;
    for (int place = 0; place < 8; place++) { bits |= (unsigned int)(bytes[place] >> bit & 1) << place; }
    return bits;
}
#endif

/// One bit of each of 64 bytes, the lowest being 0, as one word, that of the first byte lowest.
static inline __attribute__((always_inline)) unsigned long long assay_bits(const unsigned char *bytes, int bit) {
    unsigned long long bits = 0;
    for (int part = 0; part < 64; part += ASSAY_LANE) {
        bits |= (unsigned long long)assay_lane_bits(bytes + part, bit) << part;
    }
    return bits;
}

/// The lowest bits of 64 bytes as one word, that of the first byte lowest.
static inline __attribute__((always_inline)) unsigned long long assay_lowest_bits(const unsigned char *bytes) {
    return assay_bits(bytes, 0);
}

#endif
