#ifndef CACHE_RECORDING_INTERNAL_H
#define CACHE_RECORDING_INTERNAL_H

#include "include/cache_recording.h"

#include <pthread.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

/// The most stripes: threads share one beyond that.
enum { STRIPES_MAX = 16 };

/// A request that waits for the writer.
struct entry {
    uint64_t ticks;
    uint64_t hash;
    uint64_t size;
    /// TTL in 40 bits, tenant in 16, outcome in 4, operation in 4.
    uint64_t rest;
};

/// A ring of requests. One thread at a time puts some in, under `taken`, which nobody waits for; the writer takes them out.
struct stripe {
    alignas(64) atomic_uint taken;
    _Atomic uint64_t lost;
    /// The number of requests that were put in.
    _Atomic uint64_t tail;
    /// What `head` was when somebody last looked.
    uint64_t head_seen;
    struct entry *entries;
    /// The number of requests that were taken out.
    alignas(64) _Atomic uint64_t head;
};

/// A place on the two clocks: the processor's counter and nanoseconds.
struct clock_pair {
    uint64_t ticks;
    uint64_t nanoseconds;
};

/// What the writer alone knows.
struct writer {
    char *folder;
    char *name;
    uint64_t file_bytes;
    uint32_t files;
    uint64_t number;
    int file;
    uint64_t offset;
    uint64_t start_microseconds;
    uint64_t secret_id;
    bool tenants;
    /// The block that is being filled.
    unsigned char *block;
    size_t block_bytes;
    uint32_t block_count;
    uint64_t block_time, last_time;
    /// The lost requests that blocks in the files tell of.
    uint64_t lost_told;
    struct clock_pair before;
    uint64_t wall_offset;
};

struct cache_recording {
    uint64_t key[2];
    uint32_t stripe_mask;
    uint64_t entry_mask;
    struct stripe *stripes;
    /// Lost because every stripe was taken, or the request was none.
    _Atomic uint64_t lost_outside;
    /// Lost because a write failed.
    _Atomic uint64_t lost_writing;
    _Atomic uint64_t written;
    _Atomic uint64_t bytes;
    atomic_int error;
    /// Whether the writer was told that there is something to do.
    atomic_uint woken;
    int wake_pipe[2];
    int lock_file;
    int flush_milliseconds;
    pid_t process;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t flushed;
    /// Under the mutex.
    uint64_t flushes_asked, flushes_done;
    /// Somebody closes; all stripes are taken for good; the writer has ended.
    bool closing, closed, finished;
    struct writer writer;
};

/// SipHash-2-4.
uint64_t cache_recording_siphash(const uint64_t key[2], const void *bytes, size_t count);

/// The processor's counter, or nanoseconds where it has none.
uint64_t cache_recording_ticks(void);

/// Makes the first file. Returns 0 or `errno`.
int cache_recording_start_writer(cache_recording *recorder);

/// Writes until the recorder is closing.
void *cache_recording_write(void *recorder);

/// All lost requests.
uint64_t cache_recording_lost(cache_recording *recorder);

#endif
