#ifndef ASSAY_CINTRINSICS_H
#define ASSAY_CINTRINSICS_H

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
static inline __attribute__((always_inline)) unsigned int assay_lane_equal(const unsigned char *bytes, unsigned char value) {
    __m128i lane = _mm_loadu_si128((const __m128i *)bytes);
    return (unsigned int)_mm_movemask_epi8(_mm_cmpeq_epi8(lane, _mm_set1_epi8((char)value)));
}
#else
#define ASSAY_LANE 8
static inline __attribute__((always_inline)) unsigned int assay_lane_bits(const unsigned char *bytes, int bit) {
    unsigned int bits = 0;
    for (int place = 0; place < 8; place++) { bits |= (unsigned int)(bytes[place] >> bit & 1) << place; }
    return bits;
}
static inline __attribute__((always_inline)) unsigned int assay_lane_equal(const unsigned char *bytes, unsigned char value) {
    unsigned int bits = 0;
    for (int place = 0; place < 8; place++) { bits |= (unsigned int)(bytes[place] == value) << place; }
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

/// A bit for each of 64 bytes, the lowest for the first, set where it has a value.
static inline __attribute__((always_inline)) unsigned long long assay_equal_bytes(
    const unsigned char *bytes, unsigned char value) {
    unsigned long long bits = 0;
    for (int part = 0; part < 64; part += ASSAY_LANE) {
        bits |= (unsigned long long)assay_lane_equal(bytes + part, value) << part;
    }
    return bits;
}

/// A bit for each of 16 bytes, the lowest for the first, set where it has a value.
static inline __attribute__((always_inline)) unsigned int assay_equal_of_16(
    const unsigned char *bytes, unsigned char value) {
    unsigned int bits = 0;
    for (int part = 0; part < 16; part += ASSAY_LANE) { bits |= assay_lane_equal(bytes + part, value) << part; }
    return bits;
}

/// The words of 64 that are less than a bound, a bit for each, that of the first lowest.
static inline __attribute__((always_inline)) unsigned long long assay_less(const unsigned int *words, unsigned int bound) {
    unsigned long long bits = 0;
#ifdef __SSE2__
    // Numbers with a sign alone can be compared.
    __m128i sign = _mm_set1_epi32((int)0x80000000);
    __m128i limit = _mm_xor_si128(_mm_set1_epi32((int)bound), sign);
    for (int part = 0; part < 64; part += 16) {
        __m128i less[4];
        for (int lane = 0; lane < 4; lane++) {
            __m128i four = _mm_loadu_si128((const __m128i *)(words + part + 4 * lane));
            less[lane] = _mm_cmpgt_epi32(limit, _mm_xor_si128(four, sign));
        }
        __m128i all = _mm_packs_epi16(_mm_packs_epi32(less[0], less[1]), _mm_packs_epi32(less[2], less[3]));
        bits |= (unsigned long long)(unsigned int)_mm_movemask_epi8(all) << part;
    }
#else
    for (int place = 0; place < 64; place++) { bits |= (unsigned long long)(words[place] < bound) << place; }
#endif
    return bits;
}

/// The lowest bits of 64 bytes as one word, that of the first byte lowest.
static inline __attribute__((always_inline)) unsigned long long assay_lowest_bits(const unsigned char *bytes) {
    return assay_bits(bytes, 0);
}

#ifdef __SSE2__
/// The numbers from 0 to 63.
static const unsigned char assay_numbers[64] __attribute__((aligned(16))) = {
    0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
    22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43,
    44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63,
};

static inline __attribute__((always_inline)) __m128i assay_lane_within(__m128i numbers, int first, int end) {
    return _mm_and_si128(
        _mm_cmpgt_epi8(numbers, _mm_set1_epi8((char)(first - 1))), _mm_cmpgt_epi8(_mm_set1_epi8((char)end), numbers));
}
#endif

/// Sets each of some of 64 bytes, from number `first` to before number `end`, to 1 if it is 127, else to 0. Leaves those of 128,
/// and none is more.
static inline __attribute__((always_inline)) void assay_keep_full(unsigned char *bytes, int first, int end) {
#ifdef __SSE2__
    for (int part = 0; part < 64; part += 16) {
        __m128i within = assay_lane_within(_mm_load_si128((const __m128i *)(assay_numbers + part)), first, end);
        __m128i lane = _mm_loadu_si128((const __m128i *)(bytes + part));
        __m128i full = _mm_and_si128(_mm_cmpeq_epi8(lane, _mm_set1_epi8(127)), _mm_set1_epi8(1));
        __m128i top = _mm_and_si128(lane, _mm_set1_epi8((char)128));
        __m128i kept = _mm_and_si128(within, _mm_or_si128(full, top));
        _mm_storeu_si128((__m128i *)(bytes + part), _mm_or_si128(kept, _mm_andnot_si128(within, lane)));
    }
#else
    for (int number = first; number < end; number++) {
        if (bytes[number] != 128) { bytes[number] = bytes[number] == 127; }
    }
#endif
}

/// Sets each of some of 64 bytes, from number `first` to before number `end`, to 1 if it is more than 1 above its number, else
/// to 0. Leaves those of 128, and none is more.
static inline __attribute__((always_inline)) void assay_keep_later(unsigned char *bytes, int first, int end) {
#ifdef __SSE2__
    for (int part = 0; part < 64; part += 16) {
        __m128i numbers = _mm_load_si128((const __m128i *)(assay_numbers + part));
        __m128i within = assay_lane_within(numbers, first, end);
        __m128i lane = _mm_loadu_si128((const __m128i *)(bytes + part));
        __m128i one = _mm_set1_epi8(1);
        // What is 128 is less than any number here, and keeps its highest bit alone.
        __m128i later = _mm_and_si128(_mm_cmpgt_epi8(lane, _mm_add_epi8(numbers, one)), one);
        __m128i top = _mm_and_si128(lane, _mm_set1_epi8((char)128));
        __m128i kept = _mm_and_si128(within, _mm_or_si128(later, top));
        _mm_storeu_si128((__m128i *)(bytes + part), _mm_or_si128(kept, _mm_andnot_si128(within, lane)));
    }
#else
    for (int number = first; number < end; number++) {
        if (bytes[number] != 128) { bytes[number] = bytes[number] > number + 1; }
    }
#endif
}

#ifdef __SSE2__
/// The bits of each of the 32 counters of a row of a sketch.
static const unsigned char assay_counters[32][16] __attribute__((aligned(16))) = {
    {15, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
    {0, 15, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
    {0, 0, 15, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
    {0, 0, 0, 15, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
    {0, 0, 0, 0, 15, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
    {0, 0, 0, 0, 0, 15, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
    {0, 0, 0, 0, 0, 0, 15, 0, 0, 0, 0, 0, 0, 0, 0, 0},
    {0, 0, 0, 0, 0, 0, 0, 15, 0, 0, 0, 0, 0, 0, 0, 0},
    {0, 0, 0, 0, 0, 0, 0, 0, 15, 0, 0, 0, 0, 0, 0, 0},
    {0, 0, 0, 0, 0, 0, 0, 0, 0, 15, 0, 0, 0, 0, 0, 0},
    {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 15, 0, 0, 0, 0, 0},
    {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 15, 0, 0, 0, 0},
    {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 15, 0, 0, 0},
    {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 15, 0, 0},
    {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 15, 0},
    {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 15},
    {240, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
    {0, 240, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
    {0, 0, 240, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
    {0, 0, 0, 240, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
    {0, 0, 0, 0, 240, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
    {0, 0, 0, 0, 0, 240, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
    {0, 0, 0, 0, 0, 0, 240, 0, 0, 0, 0, 0, 0, 0, 0, 0},
    {0, 0, 0, 0, 0, 0, 0, 240, 0, 0, 0, 0, 0, 0, 0, 0},
    {0, 0, 0, 0, 0, 0, 0, 0, 240, 0, 0, 0, 0, 0, 0, 0},
    {0, 0, 0, 0, 0, 0, 0, 0, 0, 240, 0, 0, 0, 0, 0, 0},
    {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 240, 0, 0, 0, 0, 0},
    {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 240, 0, 0, 0, 0},
    {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 240, 0, 0, 0},
    {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 240, 0, 0},
    {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 240, 0},
    {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 240},
};

static inline __attribute__((always_inline)) void assay_count_in_row(unsigned char *row, unsigned int counter) {
    __m128i mask = _mm_load_si128((const __m128i *)assay_counters[counter]);
    __m128i old = _mm_load_si128((const __m128i *)row);
    // Where the mask is clear a byte counts as full.
    __m128i full = _mm_cmpeq_epi8(_mm_and_si128(old, mask), mask);
    __m128i one = _mm_and_si128(mask, _mm_set1_epi8(0x11));
    _mm_store_si128((__m128i *)row, _mm_add_epi8(old, _mm_andnot_si128(full, one)));
}
#else
static inline __attribute__((always_inline)) void assay_count_in_row(unsigned char *row, unsigned int counter) {
    unsigned int shift = counter >> 2 & 4;
    unsigned char *byte = row + (counter & 15);
    // Without a branch: which counters are full, the processor cannot foresee.
    *byte = (unsigned char)(*byte + ((unsigned int)((*byte >> shift & 15) != 15) << shift));
}
#endif

/// Adds 1 to one of the 32 counters of 4 bits in each of four rows of 16 bytes, unless it is full. Which, the bits 16 to 35 of
/// the hash say, five a row: the byte, and above it which half. The first row begins at a multiple of 16.
static inline __attribute__((always_inline)) void assay_count(unsigned char *rows, unsigned long long hash) {
    for (int row = 0; row < 4; row++) { assay_count_in_row(rows + 16 * row, hash >> (16 + 5 * row) & 31); }
}

#endif
