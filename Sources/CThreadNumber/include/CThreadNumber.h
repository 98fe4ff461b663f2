#ifndef CTHREADNUMBER_H
#define CTHREADNUMBER_H

/// The threads that can have a number at once.
#define ASSAY_THREAD_NUMBERS 64

/// One more than the calling thread's number, 0 while it has none.
extern _Thread_local int assay_numbered;

/// Gives the calling thread a number that no other living thread has; -1 if all are given out.
int assay_take_thread_number(void);

/// The calling thread's number, from 0 to ASSAY_THREAD_NUMBERS - 1, which is its own until it ends; -1 if all are given out.
static inline __attribute__((always_inline)) int assay_thread_number(void) {
    int numbered = assay_numbered;
    return __builtin_expect(numbered != 0, 1) ? numbered - 1 : assay_take_thread_number();
}

/// Tells the processor that this thread waits for another.
static inline __attribute__((always_inline)) void assay_spin(void) {
#if defined(__x86_64__)
    __asm__ volatile("pause");
#elif defined(__aarch64__)
    __asm__ volatile("isb");
#endif
}

/// Keeps the compiler from moving anything over this point. Swift moves the retain of a value down over stores, also over one that
/// gives a lock back.
static inline __attribute__((always_inline)) void assay_keep_order(void) { __asm__ volatile("" ::: "memory"); }

#endif
