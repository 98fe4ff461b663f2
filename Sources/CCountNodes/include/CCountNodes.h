#ifndef ASSAY_CCOUNTNODES_H
#define ASSAY_CCOUNTNODES_H

#include <stdint.h>

// Nodes of 64 bytes of counts. In C because `restrict` lets the compiler use vector instructions without asking each time
// whether node and mask overlap, which Swift cannot promise it.

/// Takes one from each of 32 counts whose mask is all ones, and nothing from those whose mask is zero.
static inline __attribute__((always_inline)) void assay_take_one_16(uint16_t *restrict node, const uint16_t *restrict mask) {
    for (int i = 0; i < 32; i++) node[i] += mask[i];
}

/// Takes one from each of 16 counts whose mask is all ones, and nothing from those whose mask is zero.
static inline __attribute__((always_inline)) void assay_take_one_32(uint32_t *restrict node, const uint32_t *restrict mask) {
    for (int i = 0; i < 16; i++) node[i] += mask[i];
}

/// Takes an amount from each of 8 counts whose mask is all ones, and nothing from those whose mask is zero.
static inline __attribute__((always_inline)) void assay_take_64(
    int64_t *restrict node, const int64_t *restrict mask, int64_t amount) {
    for (int i = 0; i < 8; i++) node[i] -= mask[i] & amount;
}

#endif
