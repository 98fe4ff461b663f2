#define _GNU_SOURCE
#include "CHardwareCounters.h"

#if defined(__linux__)
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int assay_counter_open(enum assay_hardware_counter counter) {
    static const uint64_t events[] = {
        PERF_COUNT_HW_INSTRUCTIONS,
        PERF_COUNT_HW_CPU_CYCLES,
        PERF_COUNT_HW_CACHE_MISSES,
    };
    struct perf_event_attr attributes;
    memset(&attributes, 0, sizeof attributes);
    attributes.type = PERF_TYPE_HARDWARE;
    attributes.size = sizeof attributes;
    attributes.config = events[counter];
    attributes.inherit = 1;
    attributes.exclude_kernel = 1;
    attributes.exclude_hv = 1;
    attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    int descriptor = (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    return descriptor < 0 ? -errno : descriptor;
}

int assay_counter_read(int descriptor, uint64_t *count) {
    uint64_t values[3];
    if (read(descriptor, values, sizeof values) != (ssize_t)sizeof values || values[2] == 0) return 0;
    // A counter that had to share the hardware with others has counted a part of the time.
    if (values[1] != values[2]) return 0;
    *count = values[0];
    return 1;
}

void assay_counter_close(int descriptor) { close(descriptor); }

#else

int assay_counter_open(enum assay_hardware_counter counter) {
    (void)counter;
    return -1;
}

int assay_counter_read(int descriptor, uint64_t *count) {
    (void)descriptor;
    (void)count;
    return 0;
}

void assay_counter_close(int descriptor) { (void)descriptor; }

#endif
