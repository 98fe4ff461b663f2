#define _GNU_SOURCE
#include "cache_recording.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// Prints the processor time of a call of the recorder beside those of an empty loop and of clock_gettime.
// speed FOLDER CALLS ROUNDS BUFFER-BYTES

enum { THREADS_MAX = 4, KEY_BYTES = 16 };

static long calls;
static cache_recording *recorder;
static pthread_barrier_t barrier;
static _Atomic uint64_t sink;

static double seconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

struct key { char bytes[KEY_BYTES]; };

// Keys differ from call to call, as those of an application do. The barrier keeps the compiler from leaving the loop out.
static inline struct key key_of(long call) {
    struct key key = {"key-"};
    memcpy(key.bytes + 8, &call, sizeof call);
    __asm__ volatile("" : "+m"(key));
    return key;
}

static const cache_recording_request request = {.size_bytes = 4096, .outcome = CACHE_RECORDING_HIT};

static void empty(void) {
    for (long call = 0; call < calls; call++) { key_of(call); }
}

static void read_clock(void) {
    for (long call = 0; call < calls; call++) {
        key_of(call);
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
    }
}

static void hash(void) {
    uint64_t sum = 0;
    for (long call = 0; call < calls; call++) {
        struct key key = key_of(call);
        sum += cache_recording_hash(recorder, key.bytes, KEY_BYTES);
    }
    sink = sum;
}

static void log_hashed(void) {
    for (long call = 0; call < calls; call++) {
        key_of(call);
        cache_recording_log_hash(recorder, (uint64_t)call, request);
    }
}

static void log_key(void) {
    for (long call = 0; call < calls; call++) {
        struct key key = key_of(call);
        cache_recording_log(recorder, key.bytes, KEY_BYTES, request);
    }
}

struct worker {
    void (*body)(void);
    double seconds;
};

static void *run(void *argument) {
    struct worker *worker = argument;
    pthread_barrier_wait(&barrier);
    double start = seconds(CLOCK_THREAD_CPUTIME_ID);
    worker->body();
    worker->seconds = seconds(CLOCK_THREAD_CPUTIME_ID) - start;
    return NULL;
}

/// The processor time of a call in nanoseconds, over all threads.
static double measure(void (*body)(void), int threads) {
    pthread_t ids[THREADS_MAX];
    struct worker workers[THREADS_MAX];
    pthread_barrier_init(&barrier, NULL, (unsigned)threads);
    for (int index = 0; index < threads; index++) {
        workers[index].body = body;
        pthread_create(&ids[index], NULL, run, &workers[index]);
    }
    double sum = 0;
    for (int index = 0; index < threads; index++) {
        pthread_join(ids[index], NULL);
        sum += workers[index].seconds;
    }
    pthread_barrier_destroy(&barrier);
    return sum / (double)threads / (double)calls * 1e9;
}

int main(int count, char **arguments) {
    if (count != 5) { return 64; }
    calls = atol(arguments[2]);
    int rounds = atoi(arguments[3]);
    char path[4096];
    snprintf(path, sizeof path, "%s/speed", arguments[1]);
    cache_recording_options options = {.files = 2, .buffer_bytes = strtoull(arguments[4], NULL, 10)};
    int error = cache_recording_open(path, &options, &recorder);
    if (error != 0) {
        fprintf(stderr, "speed: %s: %s\n", path, strerror(error));
        return 74;
    }
    const struct {
        const char *name;
        void (*body)(void);
        int threads;
    } cases[] = {
        {"empty loop", empty, 1}, {"clock_gettime", read_clock, 1}, {"hash of a key", hash, 1},
        {"call with a hash, 1 thread", log_hashed, 1}, {"call with a key, 1 thread", log_key, 1},
        {"call with a key, 2 threads", log_key, 2}, {"call with a key, 4 threads", log_key, 4},
    };
    enum { CASES = sizeof cases / sizeof *cases };
    double best[CASES], lost[CASES] = {0};
    uint64_t made = 0;
    for (int round = 0; round < rounds; round++) {
        for (int index = 0; index < CASES; index++) {
            // What waits is not this case's to pay for.
            cache_recording_flush(recorder);
            uint64_t before = cache_recording_read_statistics(recorder).lost;
            double time = measure(cases[index].body, cases[index].threads);
            cache_recording_flush(recorder);
            if (index >= 3) { made += (uint64_t)cases[index].threads * (uint64_t)calls; }
            lost[index] += (double)(cache_recording_read_statistics(recorder).lost - before);
            // Other work on the machine only ever takes time.
            if (round == 0 || time < best[index]) { best[index] = time; }
        }
    }
    for (int index = 0; index < CASES; index++) {
        printf("%-28s %6.1f ns %6.2f of clock_gettime", cases[index].name, best[index], best[index] / best[1]);
        double all = (double)cases[index].threads * (double)calls * rounds;
        if (index >= 3) { printf("   %4.1f %% lost", 100 * lost[index] / all); }
        printf("\n");
    }
    cache_recording_close(recorder);
    cache_recording_statistics statistics = cache_recording_read_statistics(recorder);
    printf("%.2f bytes a record\n", (double)statistics.bytes / (double)statistics.written);
    cache_recording_free(recorder);
    if (statistics.written + statistics.lost != made) {
        fprintf(stderr, "speed: %llu written and %llu lost of %llu calls\n", (unsigned long long)statistics.written,
            (unsigned long long)statistics.lost, (unsigned long long)made);
        return 1;
    }
    return 0;
}
