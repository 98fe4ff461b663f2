// Tells ThreadSanitizer what it cannot see: that a mutex of Swift's Synchronization module orders what happens under it.
//
// While nobody waits, such a mutex is taken by atomic operations in code that is checked. When somebody has to wait, it is
// taken, tried or given back inside of the Swift runtime, which is not checked, and every access after that would be reported as a race: a program
// of ten lines with a Mutex<Int> and two threads shows it (Swift 6.3.1). Loaded first, this stands before the three slow paths
// and reports the order. It hides no race: what is not ordered by a mutex is reported as before.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

void __tsan_acquire(void *address);
void __tsan_release(void *address);

typedef SWIFT void (*lock_body)(uint32_t thread, SELF void *handle);
typedef SWIFT _Bool (*try_body)(SELF void *handle);
typedef SWIFT void (*unlock_body)(SELF void *handle);

SWIFT void lock_slow(uint32_t thread, SELF void *handle) __asm__(LOCK);
SWIFT _Bool try_slow(SELF void *handle) __asm__(TRY);
SWIFT void unlock_slow(SELF void *handle) __asm__(UNLOCK);

SWIFT void lock_slow(uint32_t thread, SELF void *handle) {
    ((lock_body)dlsym(RTLD_NEXT, LOCK))(thread, handle);
    __tsan_acquire(handle);
}

SWIFT _Bool try_slow(SELF void *handle) {
    _Bool isTaken = ((try_body)dlsym(RTLD_NEXT, TRY))(handle);
    if (isTaken) __tsan_acquire(handle);
    return isTaken;
}

SWIFT void unlock_slow(SELF void *handle) {
    __tsan_release(handle);
    ((unlock_body)dlsym(RTLD_NEXT, UNLOCK))(handle);
}
