#include "cache_recording.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

// A child uses its parent's recorder, and both close it. Prints what the parent has recorded.
int main(int count, char **arguments) {
    cache_recording *recorder;
    if (count != 2 || cache_recording_open(arguments[1], NULL, &recorder) != 0) { return 1; }
    cache_recording_log(recorder, "a", 1, (cache_recording_request){.size_bytes = 1});
    pid_t child = fork();
    if (child == 0) {
        for (int call = 0; call < 1000000; call++) {
            cache_recording_log(recorder, "b", 1, (cache_recording_request){.size_bytes = 1});
        }
        cache_recording_flush(recorder);
        cache_recording_free(recorder);
        _exit(7);
    }
    int status;
    if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 7) { return 2; }
    cache_recording_log(recorder, "a", 1, (cache_recording_request){.size_bytes = 1});
    cache_recording_close(recorder);
    cache_recording_statistics statistics = cache_recording_read_statistics(recorder);
    printf("written %d lost %d\n", (int)statistics.written, (int)statistics.lost);
    cache_recording_free(recorder);
    return 0;
}
