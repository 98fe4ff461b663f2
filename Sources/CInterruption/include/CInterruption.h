#ifndef ASSAY_CINTERRUPTION_H
#define ASSAY_CINTERRUPTION_H

#include <stdbool.h>
#include <stdint.h>

// In C because what runs in a signal handler may neither allocate nor take a lock, which Swift does not promise.

/// Lets threads of this process be held. Returns 0, or -1 where the signal for it is in use by somebody else.
int assay_interruption_prepare(void);

/// A thread of this process.
typedef struct {
    uintptr_t handle;
    int32_t number;
} assay_interruption_thread;

/// Holds a thread, which must not have ended, for some nanoseconds (below 10^9) wherever it is; one that sleeps is left alone
/// where the system tells, because its sleep would end. Returns at once, with whether it is held.
bool assay_interruption_hold(assay_interruption_thread thread, int64_t nanoseconds);

/// The calling thread, which can be held from now on.
assay_interruption_thread assay_interruption_self(void);

#endif
