#include "CThreadNumber.h"

#include <pthread.h>
#include <stdint.h>

_Thread_local int assay_numbered;

static uint64_t taken;
static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int has_key;

// What the thread did under its number has happened before whatever the next thread does that is given it.
static void give_back(void *numbered) {
    assay_numbered = 0;
    __atomic_fetch_and(&taken, ~(UINT64_C(1) << ((intptr_t)numbered - 1)), __ATOMIC_RELEASE);
}

static void make_key(void) { has_key = pthread_key_create(&key, give_back) == 0; }

int assay_take_thread_number(void) {
    pthread_once(&once, make_key);
    uint64_t seen = __atomic_load_n(&taken, __ATOMIC_RELAXED);
    while (has_key && seen != UINT64_MAX) {
        int number = __builtin_ctzll(~seen);
        if (!__atomic_compare_exchange_n(
                &taken, &seen, seen | UINT64_C(1) << number, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) continue;
        if (pthread_setspecific(key, (void *)(intptr_t)(number + 1)) != 0) {
            __atomic_fetch_and(&taken, ~(UINT64_C(1) << number), __ATOMIC_RELEASE);
            return -1;
        }
        assay_numbered = number + 1;
        return number;
    }
    return -1;
}
