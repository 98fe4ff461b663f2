#ifndef CACHE_RECORDING_H
#define CACHE_RECORDING_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Records the requests of a cache into rotating files, from many threads, without making any of them wait.
//
//     cc -O2 -I Sources/CCacheRecording/include program.c Sources/CCacheRecording/*.c -lpthread
//
// docs/recording.md has the layout of the files. `assay` reads them as the format `recording`.

/// A recorder. Threads may share it.
typedef struct cache_recording cache_recording;

/// What a request does.
enum {
    CACHE_RECORDING_READ = 0,
    CACHE_RECORDING_WRITE = 1,
    CACHE_RECORDING_REMOVE = 2,
};

/// What became of a request.
enum {
    CACHE_RECORDING_NOT_SAID = 0,
    /// The key had a value.
    CACHE_RECORDING_HIT = 1,
    /// The key had no value.
    CACHE_RECORDING_MISS = 2,
    /// The value was stored.
    CACHE_RECORDING_STORED = 3,
    /// The value was not stored.
    CACHE_RECORDING_REFUSED = 4,
};

/// A request beside its key. What is left 0 was not said.
typedef struct {
    /// The size of the object, in bytes; 0 where it is not known.
    uint64_t size_bytes;
    /// How long the object stays valid, in milliseconds; 0 for without end. At most 2^40 - 1 (34 years), which longer times become.
    uint64_t ttl_milliseconds;
    /// Who asks. Written only by a recorder with `tenants`.
    uint16_t tenant;
    /// `CACHE_RECORDING_READ` or another operation.
    uint8_t operation;
    /// `CACHE_RECORDING_HIT` or another outcome.
    uint8_t outcome;
} cache_recording_request;

/// How a recorder behaves. 0 stands for the default.
typedef struct {
    /// The most bytes of a file, at least 131072. 64 MiB by default.
    uint64_t file_bytes;
    /// The most files, at least 1: the oldest one is removed before a new one is made. 8 by default.
    uint32_t files;
    /// The time after which a request is in the file, in milliseconds. 1000 by default.
    uint32_t flush_milliseconds;
    /// The memory for requests that wait for the writer, at least 65536 bytes. 8 MiB by default.
    uint64_t buffer_bytes;
    /// The secret of 16 bytes under which keys are hashed. Null draws one at random. It is never written.
    const unsigned char *secret;
    /// Whether the tenants of requests are written.
    int tenants;
} cache_recording_options;

/// What a recorder has done.
typedef struct {
    /// Requests in the files, those of files that were removed since included.
    uint64_t written;
    /// Requests that were lost: the writer was behind, a write failed, or the recorder was closed.
    uint64_t lost;
    /// Bytes written.
    uint64_t bytes;
    /// The `errno` of the last write; 0 if it succeeded.
    int error;
} cache_recording_statistics;

/// Starts a recorder. Its files are `path-0000000001.recording` and so on: numbers go on from the files that are there, and old files
/// count towards the limit. One recorder at a time may have a path. A process that forks opens its recorders afterwards.
///
/// Returns 0, or `errno`: `EINVAL` for options out of range, `EBUSY` if another recorder has the path.
int cache_recording_open(const char *path, const cache_recording_options *options, cache_recording **recorder);

/// Records a request for a key of any bytes. Never waits, for no lock and no file: where there is no room it counts the request as lost.
/// An operation or outcome that does not exist is counted so too.
void cache_recording_log(
    cache_recording *recorder, const void *key, size_t key_bytes, cache_recording_request request);

/// As `cache_recording_log`, for a key that `cache_recording_hash` has hashed.
void cache_recording_log_hash(cache_recording *recorder, uint64_t key_hash, cache_recording_request request);

/// The hash under which a key is recorded: SipHash-2-4 under the secret.
uint64_t cache_recording_hash(const cache_recording *recorder, const void *key, size_t key_bytes);

/// Waits until every request that was logged before is in the file or counted as lost.
void cache_recording_flush(cache_recording *recorder);

/// What the recorder has done so far. After a flush, `written` and `lost` add up to the calls before it.
cache_recording_statistics cache_recording_read_statistics(cache_recording *recorder);

/// Writes what waits and ends the recording. Requests that are logged afterwards are lost, and counted. Calling it again does nothing.
void cache_recording_close(cache_recording *recorder);

/// Closes the recorder and frees it. No other call may be under way or come later.
void cache_recording_free(cache_recording *recorder);

#ifdef __cplusplus
}
#endif

#endif
