#define _GNU_SOURCE
#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

// MARK: Logging

static atomic_uint threads;
/// 1 + the stripe that this thread tries first; 0 before its first request.
static _Thread_local unsigned home;

// The counter is read in a third of the time of clock_gettime. The writer turns it into nanoseconds: between two of its readings of both clocks,
// so that the counter need neither be in step nor keep its rate for longer than that.
static inline uint64_t ticks(void) {
#if defined(__x86_64__)
    return __rdtsc();
#elif defined(__aarch64__)
    uint64_t count;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(count));
    return count;
#else
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
#endif
}

uint64_t cache_recording_ticks(void) { return ticks(); }

/// Tells the writer that there is something to do. Never waits: a full pipe has told it already.
static void wake(cache_recording *recorder) {
    if (atomic_exchange_explicit(&recorder->woken, 1, memory_order_acq_rel) != 0) { return; }
    int before = errno;
    if (write(recorder->wake_pipe[1], "", 1) < 0) { errno = before; }
}

static inline void log_hash(cache_recording *recorder, uint64_t hash, cache_recording_request request) {
    if (request.operation > CACHE_RECORDING_REMOVE || request.outcome > CACHE_RECORDING_REFUSED) {
        atomic_fetch_add_explicit(&recorder->lost_outside, 1, memory_order_relaxed);
        return;
    }
    uint64_t ttl = request.ttl_milliseconds < 1ull << 40 ? request.ttl_milliseconds : (1ull << 40) - 1;
    uint64_t rest = ttl << 24 | (uint64_t)request.tenant << 8 | (uint64_t)request.outcome << 4 | request.operation;
    if (home == 0) { home = 1 + atomic_fetch_add_explicit(&threads, 1, memory_order_relaxed) % STRIPES_MAX; }
    for (unsigned tries = 0; tries <= recorder->stripe_mask; tries++) {
        struct stripe *stripe = &recorder->stripes[(home - 1) & recorder->stripe_mask];
        if (atomic_exchange_explicit(&stripe->taken, 1, memory_order_acquire) != 0) {
            home = 1 + home % STRIPES_MAX;
            continue;
        }
        uint64_t tail = atomic_load_explicit(&stripe->tail, memory_order_relaxed);
        bool is_full = false;
        if (tail - stripe->head_seen > recorder->entry_mask) {
            stripe->head_seen = atomic_load_explicit(&stripe->head, memory_order_acquire);
            is_full = tail - stripe->head_seen > recorder->entry_mask;
        }
        if (is_full) {
            // Nobody else changes it, since the stripe is taken.
            uint64_t lost = atomic_load_explicit(&stripe->lost, memory_order_relaxed);
            atomic_store_explicit(&stripe->lost, lost + 1, memory_order_relaxed);
        } else {
            struct entry *entry = &stripe->entries[tail & recorder->entry_mask];
            *entry = (struct entry){.ticks = ticks(), .hash = hash, .size = request.size_bytes, .rest = rest};
            atomic_store_explicit(&stripe->tail, tail + 1, memory_order_release);
        }
        atomic_store_explicit(&stripe->taken, 0, memory_order_release);
        // At each quarter of the ring.
        if (is_full || (tail & recorder->entry_mask >> 2) == recorder->entry_mask >> 2) { wake(recorder); }
        return;
    }
    atomic_fetch_add_explicit(&recorder->lost_outside, 1, memory_order_relaxed);
}

void cache_recording_log_hash(cache_recording *recorder, uint64_t key_hash, cache_recording_request request) {
    log_hash(recorder, key_hash, request);
}

// MARK: Keys

static inline uint64_t rotated(uint64_t word, int bits) { return word << bits | word >> (64 - bits); }

static inline void sip_round(uint64_t v[4]) {
    v[0] += v[1], v[1] = rotated(v[1], 13) ^ v[0], v[0] = rotated(v[0], 32);
    v[2] += v[3], v[3] = rotated(v[3], 16) ^ v[2];
    v[0] += v[3], v[3] = rotated(v[3], 21) ^ v[0];
    v[2] += v[1], v[1] = rotated(v[1], 17) ^ v[2], v[2] = rotated(v[2], 32);
}

static inline uint64_t little_endian(const unsigned char *bytes) {
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

/// The last bytes of a key, fewer than 8, as one word.
static inline uint64_t last_bytes(const unsigned char *key, size_t count) {
    size_t left = count % 8;
    if (left == 0) { return 0; }
    if (count > 8) { return little_endian(key + count - 8) >> (64 - 8 * left); }
    uint64_t word = 0;
    for (size_t index = 0; index < left; index++) { word |= (uint64_t)key[index] << 8 * index; }
    return word;
}

static inline uint64_t siphash(const uint64_t key[2], const void *bytes, size_t count) {
    const unsigned char *next = bytes;
    uint64_t v[4] = {
        key[0] ^ 0x736f6d6570736575, key[1] ^ 0x646f72616e646f6d, key[0] ^ 0x6c7967656e657261, key[1] ^ 0x7465646279746573};
    for (size_t left = count / 8; left > 0; left--, next += 8) {
        uint64_t word = little_endian(next);
        v[3] ^= word;
        sip_round(v), sip_round(v);
        v[0] ^= word;
    }
    uint64_t last = (uint64_t)count << 56 | last_bytes(bytes, count);
    v[3] ^= last;
    sip_round(v), sip_round(v);
    v[0] ^= last;
    v[2] ^= 0xff;
    sip_round(v), sip_round(v), sip_round(v), sip_round(v);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

uint64_t cache_recording_siphash(const uint64_t key[2], const void *bytes, size_t count) {
    return siphash(key, bytes, count);
}

uint64_t cache_recording_hash(const cache_recording *recorder, const void *key, size_t key_bytes) {
    return siphash(recorder->key, key, key_bytes);
}

void cache_recording_log(
    cache_recording *recorder, const void *key, size_t key_bytes, cache_recording_request request
) {
    log_hash(recorder, siphash(recorder->key, key, key_bytes), request);
}

// MARK: Opening and closing

static uint64_t power_of_two(uint64_t most) {
    uint64_t power = 1;
    while (power * 2 <= most) { power *= 2; }
    return power;
}

static int open_wake_pipe(int ends[2]) {
    if (pipe(ends) != 0) { return errno; }
    for (int end = 0; end < 2; end++) {
        fcntl(ends[end], F_SETFD, FD_CLOEXEC);
        fcntl(ends[end], F_SETFL, O_NONBLOCK);
    }
    return 0;
}

/// Takes the path for this recorder: as long as the lock file is open.
static int lock_path(const char *path, int *file) {
    char *name;
    if (asprintf(&name, "%s.lock", path) < 0) { return ENOMEM; }
    *file = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    free(name);
    if (*file < 0) { return errno; }
    if (flock(*file, LOCK_EX | LOCK_NB) == 0) { return 0; }
    return errno == EWOULDBLOCK ? EBUSY : errno;
}

static int make_stripes(cache_recording *recorder, uint64_t buffer_bytes) {
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    // Twice as many as threads that run at once, so that few meet.
    uint64_t stripes = power_of_two((uint64_t)(processors > 1 ? 2 * processors : 2));
    if (stripes > STRIPES_MAX) { stripes = STRIPES_MAX; }
    uint64_t entries = power_of_two(buffer_bytes / stripes / sizeof(struct entry));
    recorder->stripe_mask = (uint32_t)stripes - 1;
    recorder->entry_mask = entries - 1;
    void *memory;
    if (posix_memalign(&memory, 64, stripes * sizeof(struct stripe)) != 0) { return ENOMEM; }
    recorder->stripes = memory;
    memset(memory, 0, stripes * sizeof(struct stripe));
    for (uint64_t index = 0; index < stripes; index++) {
        recorder->stripes[index].entries = calloc(entries, sizeof(struct entry));
        if (recorder->stripes[index].entries == NULL) { return ENOMEM; }
    }
    return 0;
}

static int start_thread(cache_recording *recorder) {
    // The application's signals are not for this thread.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(&recorder->thread, NULL, cache_recording_write, recorder);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

/// Makes bytes zero where a compiler would leave that out.
static void wipe(void *bytes, size_t count) {
    volatile unsigned char *next = bytes;
    while (count-- > 0) { *next++ = 0; }
}

static void release(cache_recording *recorder) {
    if (recorder->stripes != NULL) {
        for (uint32_t index = 0; index <= recorder->stripe_mask; index++) { free(recorder->stripes[index].entries); }
    }
    free(recorder->stripes);
    free(recorder->writer.folder);
    free(recorder->writer.name);
    free(recorder->writer.block);
    for (int end = 0; end < 2; end++) {
        if (recorder->wake_pipe[end] >= 0) { close(recorder->wake_pipe[end]); }
    }
    if (recorder->writer.file >= 0) { close(recorder->writer.file); }
    if (recorder->lock_file >= 0) { close(recorder->lock_file); }
    pthread_mutex_destroy(&recorder->mutex);
    pthread_cond_destroy(&recorder->flushed);
    // The secret does not stay in freed memory.
    wipe(recorder, sizeof *recorder);
    free(recorder);
}

/// Splits the path at its last slash.
static int keep_path(struct writer *writer, const char *path) {
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    if (*name == 0) { return EINVAL; }
    writer->name = strdup(name);
    writer->folder = slash == NULL ? strdup(".") : slash == path ? strdup("/") : strndup(path, (size_t)(slash - path));
    return writer->name != NULL && writer->folder != NULL ? 0 : ENOMEM;
}

int cache_recording_open(const char *path, const cache_recording_options *given, cache_recording **result) {
    cache_recording_options options = {0};
    if (given != NULL) { options = *given; }
    if (options.file_bytes == 0) { options.file_bytes = 64u << 20; }
    if (options.files == 0) { options.files = 8; }
    if (options.flush_milliseconds == 0) { options.flush_milliseconds = 1000; }
    if (options.buffer_bytes == 0) { options.buffer_bytes = 8u << 20; }
    if (options.file_bytes < 1u << 17 || options.file_bytes > 1ull << 40 || options.buffer_bytes < 1u << 16
        || options.buffer_bytes > 1ull << 36 || options.files > 1u << 20 || options.flush_milliseconds > 86400000) {
        return EINVAL;
    }
    cache_recording *recorder = calloc(1, sizeof *recorder);
    if (recorder == NULL) { return ENOMEM; }
    recorder->wake_pipe[0] = recorder->wake_pipe[1] = recorder->lock_file = recorder->writer.file = -1;
    recorder->flush_milliseconds = (int)options.flush_milliseconds;
    recorder->process = getpid();
    pthread_mutex_init(&recorder->mutex, NULL);
    pthread_cond_init(&recorder->flushed, NULL);
    unsigned char secret[16];
    int error = 0;
    if (options.secret != NULL) {
        memcpy(secret, options.secret, sizeof secret);
    } else if (getentropy(secret, sizeof secret) != 0) {
        error = errno;
    }
    recorder->key[0] = little_endian(secret);
    recorder->key[1] = little_endian(secret + 8);
    wipe(secret, sizeof secret);
    recorder->writer.file_bytes = options.file_bytes;
    recorder->writer.files = options.files;
    recorder->writer.tenants = options.tenants != 0;
    if (error == 0) { error = keep_path(&recorder->writer, path); }
    if (error == 0) { error = make_stripes(recorder, options.buffer_bytes); }
    if (error == 0) { error = open_wake_pipe(recorder->wake_pipe); }
    if (error == 0) { error = lock_path(path, &recorder->lock_file); }
    if (error == 0) { error = cache_recording_start_writer(recorder); }
    if (error == 0) { error = start_thread(recorder); }
    if (error != 0) {
        release(recorder);
        return error;
    }
    *result = recorder;
    return 0;
}

/// Whether there is a writer: a forked process has none.
static bool has_writer(const cache_recording *recorder) { return recorder->process == getpid(); }

void cache_recording_flush(cache_recording *recorder) {
    if (!has_writer(recorder)) { return; }
    pthread_mutex_lock(&recorder->mutex);
    uint64_t wanted = ++recorder->flushes_asked;
    wake(recorder);
    while (recorder->flushes_done < wanted && !recorder->finished) {
        pthread_cond_wait(&recorder->flushed, &recorder->mutex);
    }
    pthread_mutex_unlock(&recorder->mutex);
}

void cache_recording_close(cache_recording *recorder) {
    if (!has_writer(recorder)) { return; }
    pthread_mutex_lock(&recorder->mutex);
    bool is_first = !recorder->closing;
    recorder->closing = true;
    pthread_mutex_unlock(&recorder->mutex);
    if (!is_first) { return cache_recording_flush(recorder); }
    // Stripes that stay taken make whoever logs from now on count the request as lost.
    for (uint32_t index = 0; index <= recorder->stripe_mask; index++) {
        while (atomic_exchange_explicit(&recorder->stripes[index].taken, 1, memory_order_acquire) != 0) { sched_yield(); }
    }
    pthread_mutex_lock(&recorder->mutex);
    recorder->closed = true;
    wake(recorder);
    pthread_mutex_unlock(&recorder->mutex);
    pthread_join(recorder->thread, NULL);
}

void cache_recording_free(cache_recording *recorder) {
    if (recorder == NULL) { return; }
    cache_recording_close(recorder);
    release(recorder);
}

uint64_t cache_recording_lost(cache_recording *recorder) {
    uint64_t lost = atomic_load_explicit(&recorder->lost_outside, memory_order_relaxed)
        + atomic_load_explicit(&recorder->lost_writing, memory_order_relaxed);
    for (uint32_t index = 0; index <= recorder->stripe_mask; index++) {
        lost += atomic_load_explicit(&recorder->stripes[index].lost, memory_order_relaxed);
    }
    return lost;
}

cache_recording_statistics cache_recording_read_statistics(cache_recording *recorder) {
    return (cache_recording_statistics){
        .written = atomic_load_explicit(&recorder->written, memory_order_relaxed),
        .lost = cache_recording_lost(recorder),
        .bytes = atomic_load_explicit(&recorder->bytes, memory_order_relaxed),
        .error = atomic_load_explicit(&recorder->error, memory_order_relaxed),
    };
}
