#ifndef ASSAY_CHARDWARECOUNTERS_H
#define ASSAY_CHARDWARECOUNTERS_H

#include <stdint.h>

/// What the processor counts.
enum assay_hardware_counter {
    assay_counter_instructions = 0,
    assay_counter_cycles = 1,
    assay_counter_cache_misses = 2,
};

/// Begins to count what the program of this thread, and of threads that it starts afterwards, executes outside of the
/// system. Returns a descriptor, or the negative of the system's error where it refuses or has no such counter.
int assay_counter_open(enum assay_hardware_counter counter);

/// Reads a counter, with what was missed while others had the hardware made up for. Returns 0 if it never ran.
int assay_counter_read(int descriptor, uint64_t *count);

/// Ends counting.
void assay_counter_close(int descriptor);

#endif
