// Records the requests of two threads for pages that a cache holds or not.
//
//     cc -O2 -I Sources/CCacheRecording/include Examples/CRecording/record.c Sources/CCacheRecording/*.c -lpthread -o record
//     ./record pages && assay inspect pages-0000000001.recording
#include "cache_recording.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { PAGES = 100, REQUESTS = 1000 };

static void *serve(void *recorder) {
    for (unsigned request = 0; request < REQUESTS; request++) {
        // Some pages are asked for more often than others.
        unsigned page = request * request % PAGES;
        char path[32];
        int length = snprintf(path, sizeof path, "/page/%u", page);
        cache_recording_log(
            recorder, path, (size_t)length,
            (cache_recording_request){
                .size_bytes = 1000 + page, .operation = CACHE_RECORDING_READ,
                .outcome = page < PAGES / 2 ? CACHE_RECORDING_HIT : CACHE_RECORDING_MISS});
    }
    return NULL;
}

int main(int count, char **arguments) {
    if (count != 2) {
        fprintf(stderr, "record: name the path of the recording, as: record pages\n");
        return 64;
    }
    cache_recording *recorder;
    int error = cache_recording_open(arguments[1], NULL, &recorder);
    if (error != 0) {
        fprintf(stderr, "record: %s: %s\n", arguments[1], strerror(error));
        return 74;
    }
    pthread_t threads[2];
    for (int index = 0; index < 2; index++) { pthread_create(&threads[index], NULL, serve, recorder); }
    for (int index = 0; index < 2; index++) { pthread_join(threads[index], NULL); }
    cache_recording_close(recorder);
    cache_recording_statistics statistics = cache_recording_read_statistics(recorder);
    printf("written %llu, lost %llu\n", (unsigned long long)statistics.written, (unsigned long long)statistics.lost);
    cache_recording_free(recorder);
    return 0;
}
