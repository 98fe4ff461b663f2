#define _GNU_SOURCE
#include "CInterruption.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>

#ifdef __linux__
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

// Nobody misses it, and where it comes too late it is ignored by default; Go interrupts its goroutines by it for that reason.
#define HOLD_SIGNAL SIGURG

static _Atomic int64_t hold_nanoseconds;

static void hold(int number) {
    (void)number;
    int before = errno;
    struct timespec time = {.tv_sec = 0, .tv_nsec = atomic_load_explicit(&hold_nanoseconds, memory_order_relaxed)};
    nanosleep(&time, 0);
    errno = before;
}

int assay_interruption_prepare(void) {
    struct sigaction present;
    if (sigaction(HOLD_SIGNAL, 0, &present) != 0) { return -1; }
    if (present.sa_handler == hold) { return 0; }
    if ((present.sa_flags & SA_SIGINFO) != 0 || (present.sa_handler != SIG_DFL && present.sa_handler != SIG_IGN)) { return -1; }
    struct sigaction action = {.sa_handler = hold, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    return sigaction(HOLD_SIGNAL, &action, 0);
}

#ifdef __linux__
// The calls of the system whose waiting a signal ends for good. Who waits for a lock goes on waiting.
static const long sleeps[] = {
    SYS_nanosleep, SYS_clock_nanosleep, SYS_ppoll, SYS_pselect6, SYS_epoll_pwait,
#ifdef SYS_poll
    SYS_poll, SYS_select, SYS_epoll_wait,
#endif
};

// A number that is not the thread's, or a system without these files, says that it does not.
static bool is_asleep(int32_t number) {
    char text[256];
    snprintf(text, sizeof text, "/proc/self/task/%d/syscall", number);
    int file = open(text, O_RDONLY | O_CLOEXEC);
    if (file < 0) { return false; }
    ssize_t count = read(file, text, sizeof text - 1);
    close(file);
    if (count <= 0 || text[0] < '0' || text[0] > '9') { return false; }
    text[count] = 0;
    long call = strtol(text, 0, 10);
    for (size_t index = 0; index < sizeof sleeps / sizeof *sleeps; index++) {
        if (sleeps[index] == call) { return true; }
    }
    return false;
}
#else
static bool is_asleep(int32_t number) { return false; }
#endif

bool assay_interruption_hold(assay_interruption_thread thread, int64_t nanoseconds) {
    if (is_asleep(thread.number)) { return false; }
    atomic_store_explicit(&hold_nanoseconds, nanoseconds, memory_order_relaxed);
    return pthread_kill((pthread_t)thread.handle, HOLD_SIGNAL) == 0;
}

assay_interruption_thread assay_interruption_self(void) {
    // A thread blocks what the one that made it blocks, and those of a pool block nearly all.
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, HOLD_SIGNAL);
    pthread_sigmask(SIG_UNBLOCK, &signals, 0);
    assay_interruption_thread thread = {.handle = (uintptr_t)pthread_self(), .number = 0};
#ifdef __linux__
    thread.number = (int32_t)syscall(SYS_gettid);
#endif
    return thread;
}
