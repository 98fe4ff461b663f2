// Makes calls of the operating system fail one at a time, to see what a store does then.
//
// `assay conform` compiles this and preloads it (LD_PRELOAD) into the process that checks a subject. Nothing fails until a
// check has called assay_failing_calls_arm(), in a child of that process. Only calls on files below one directory are counted;
// msync() has no file and is counted always.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

// The kinds of calls, which can be added.
enum { WRITES = 1, LENGTHS = 2, SYNCS = 4, NAMES = 8, READS = 16, OPENS = 32, CLOSES = 64 };

static atomic_int kinds;
static atomic_long first;      // The first call that fails, from 1 on.
static atomic_long last;       // The last one.
static atomic_int failure;     // The error number; 0 for a call that does half of its work, -2 for one that ends the process.
static atomic_long seen;       // The calls so far.
static atomic_long failed;     // Those that failed.
static atomic_long written;    // The writes since the last that failed.
static char directory[4096];
static size_t directory_length;

void assay_failing_calls_arm(int which, long from, long to, int error, const char *path) {
    atomic_store(&kinds, 0);
    // The counts stay to be read.
    if (which == 0) return;
    strncpy(directory, path, sizeof directory - 1);
    directory_length = strlen(directory);
    atomic_store(&first, from);
    atomic_store(&last, to);
    atomic_store(&failure, error);
    atomic_store(&seen, 0);
    atomic_store(&failed, 0);
    atomic_store(&written, 0);
    atomic_store(&kinds, which);
}

long assay_failing_calls_seen(void) { return atomic_load(&seen); }
long assay_failing_calls_failed(void) { return atomic_load(&failed); }
long assay_failing_calls_written(void) { return atomic_load(&written); }

static int is_below(const char *path) {
    return strncmp(path, directory, directory_length) == 0
        && (path[directory_length] == '/' || path[directory_length] == 0);
}

static int is_file_below(int descriptor) {
    char link[64], path[4200];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    long count = syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof path - 1);
    if (count <= 0) return 0;
    path[count] = 0;
    return is_below(path);
}

// What is to become of a call: -1 to go on, 0 to do half of it, otherwise an error number.
static int fate(int kind) {
    if (!(atomic_load(&kinds) & kind)) return -1;
    long number = atomic_fetch_add(&seen, 1) + 1;
    if (number < atomic_load(&first) || number > atomic_load(&last)) {
        if (kind == WRITES) atomic_fetch_add(&written, 1);
        return -1;
    }
    if (atomic_load(&failure) == -2) kill(getpid(), SIGKILL);
    atomic_fetch_add(&failed, 1);
    atomic_store(&written, 0);
    return atomic_load(&failure);
}

static int fate_of_file(int kind, int descriptor) {
    int all = atomic_load(&kinds);
    if (all == 0) return -1;
    int saved = errno;
    int below = is_file_below(descriptor);
    errno = saved;
    if (!below) return -1;
    // Writes are counted after a failure even where they are not to fail.
    if (kind == WRITES && !(all & WRITES)) atomic_fetch_add(&written, 1);
    return fate(kind);
}

static int fate_of_name(int kind, const char *path) {
    return atomic_load(&kinds) != 0 && path != NULL && is_below(path) ? fate(kind) : -1;
}

#define REAL(type, name, ...)                                                       \
    typedef type (*name##_body)(__VA_ARGS__);                                       \
    static _Atomic(name##_body) name##_cached;                                      \
    static name##_body real_##name(void) {                                          \
        name##_body body = atomic_load(&name##_cached);                             \
        if (body == NULL) {                                                         \
            body = (name##_body)dlsym(RTLD_NEXT, #name);                            \
            atomic_store(&name##_cached, body);                                     \
        }                                                                           \
        return body;                                                                \
    }

#define FAIL_OR_HALVE(error, count)                                                 \
    if ((error) > 0) {                                                              \
        errno = (error);                                                            \
        return -1;                                                                  \
    }                                                                               \
    if ((error) == 0 && (count) > 1) (count) /= 2;

#define PLAIN_TRANSFER(name, kind, pointer)                                         \
    REAL(ssize_t, name, int, pointer, size_t)                                       \
    ssize_t name(int file, pointer bytes, size_t count) {                           \
        int error = fate_of_file(kind, file);                                       \
        FAIL_OR_HALVE(error, count)                                                 \
        return real_##name()(file, bytes, count);                                   \
    }

#define PLACED_TRANSFER(name, kind, pointer, offset)                                \
    REAL(ssize_t, name, int, pointer, size_t, offset)                               \
    ssize_t name(int file, pointer bytes, size_t count, offset place) {             \
        int error = fate_of_file(kind, file);                                       \
        FAIL_OR_HALVE(error, count)                                                 \
        return real_##name()(file, bytes, count, place);                            \
    }

// Half of several pieces is the first that has bytes, or half of that if it is the only one.
static int first_piece(const struct iovec *pieces, int count, struct iovec *part) {
    for (int index = 0; index < count; index++) {
        if (pieces[index].iov_len == 0) continue;
        *part = pieces[index];
        if (index + 1 == count && part->iov_len > 1) part->iov_len /= 2;
        return 1;
    }
    return 0;
}

#define VECTOR_TRANSFER(name, kind)                                                 \
    REAL(ssize_t, name, int, const struct iovec *, int)                             \
    ssize_t name(int file, const struct iovec *pieces, int count) {                 \
        struct iovec part;                                                          \
        int error = fate_of_file(kind, file);                                       \
        if (error == 0 && first_piece(pieces, count, &part)) return real_##name()(file, &part, 1); \
        FAIL_OR_HALVE(error, (int){0})                                              \
        return real_##name()(file, pieces, count);                                  \
    }

#define PLACED_VECTOR_TRANSFER(name, kind, offset)                                  \
    REAL(ssize_t, name, int, const struct iovec *, int, offset)                     \
    ssize_t name(int file, const struct iovec *pieces, int count, offset place) {   \
        struct iovec part;                                                          \
        int error = fate_of_file(kind, file);                                       \
        if (error == 0 && first_piece(pieces, count, &part)) return real_##name()(file, &part, 1, place); \
        FAIL_OR_HALVE(error, (int){0})                                              \
        return real_##name()(file, pieces, count, place);                           \
    }

PLAIN_TRANSFER(write, WRITES, const void *)
PLACED_TRANSFER(pwrite, WRITES, const void *, off_t)
PLACED_TRANSFER(pwrite64, WRITES, const void *, off64_t)
VECTOR_TRANSFER(writev, WRITES)
PLACED_VECTOR_TRANSFER(pwritev, WRITES, off_t)
PLACED_VECTOR_TRANSFER(pwritev64, WRITES, off64_t)
PLAIN_TRANSFER(read, READS, void *)
PLACED_TRANSFER(pread, READS, void *, off_t)
PLACED_TRANSFER(pread64, READS, void *, off64_t)
VECTOR_TRANSFER(readv, READS)
PLACED_VECTOR_TRANSFER(preadv, READS, off_t)
PLACED_VECTOR_TRANSFER(preadv64, READS, off64_t)

// A call that has no half fails with EIO where half of its work was asked for, but for one that only asks for more room.
#define FAIL(error)                                                                 \
    if ((error) >= 0) {                                                             \
        errno = (error) > 0 ? (error) : EIO;                                        \
        return -1;                                                                  \
    }

#define ON_FILE(name, kind)                                                         \
    REAL(int, name, int)                                                            \
    int name(int file) {                                                            \
        int error = fate_of_file(kind, file);                                       \
        FAIL(error)                                                                 \
        return real_##name()(file);                                                 \
    }

ON_FILE(fsync, SYNCS)
ON_FILE(fdatasync, SYNCS)
ON_FILE(syncfs, SYNCS)

REAL(int, close, int)
int close(int file) {
    int error = fate_of_file(CLOSES, file);
    // The descriptor is gone all the same, as on Linux.
    int result = real_close()(file);
    FAIL(error)
    return result;
}

REAL(int, msync, void *, size_t, int)
int msync(void *start, size_t count, int flags) {
    int error = fate(SYNCS);
    FAIL(error)
    return real_msync()(start, count, flags);
}

#define WITH_LENGTH(name, offset)                                                   \
    REAL(int, name, int, offset)                                                    \
    int name(int file, offset length) {                                             \
        int error = fate_of_file(LENGTHS, file);                                    \
        FAIL(error)                                                                 \
        return real_##name()(file, length);                                         \
    }

WITH_LENGTH(ftruncate, off_t)
WITH_LENGTH(ftruncate64, off64_t)

#define WITH_ROOM(name, offset)                                                     \
    REAL(int, name, int, offset, offset)                                            \
    int name(int file, offset start, offset count) {                                \
        int error = fate_of_file(LENGTHS, file);                                    \
        if (error >= 0) return error > 0 ? error : EIO;                             \
        return real_##name()(file, start, count);                                   \
    }

WITH_ROOM(posix_fallocate, off_t)
WITH_ROOM(posix_fallocate64, off64_t)

#define WITH_MODE_AND_ROOM(name, offset)                                            \
    REAL(int, name, int, int, offset, offset)                                       \
    int name(int file, int mode, offset start, offset count) {                      \
        int error = fate_of_file(LENGTHS, file);                                    \
        FAIL(error)                                                                 \
        return real_##name()(file, mode, start, count);                             \
    }

WITH_MODE_AND_ROOM(fallocate, off_t)
WITH_MODE_AND_ROOM(fallocate64, off64_t)

#define MODE_ARGUMENT(flags, mode)                                                  \
    mode_t mode = 0;                                                                \
    if ((flags) & (O_CREAT | __O_TMPFILE)) {                                        \
        va_list arguments;                                                          \
        va_start(arguments, flags);                                                 \
        mode = va_arg(arguments, mode_t);                                           \
        va_end(arguments);                                                          \
    }

#define OPENING(name)                                                               \
    REAL(int, name, const char *, int, ...)                                         \
    int name(const char *path, int flags, ...) {                                    \
        MODE_ARGUMENT(flags, mode)                                                  \
        int error = fate_of_name(flags & O_CREAT ? NAMES : OPENS, path);            \
        FAIL(error)                                                                 \
        return real_##name()(path, flags, mode);                                    \
    }

OPENING(open)
OPENING(open64)

#define OPENING_AT(name)                                                            \
    REAL(int, name, int, const char *, int, ...)                                    \
    int name(int at, const char *path, int flags, ...) {                            \
        MODE_ARGUMENT(flags, mode)                                                  \
        int error = fate_of_name(flags & O_CREAT ? NAMES : OPENS, path);            \
        FAIL(error)                                                                 \
        return real_##name()(at, path, flags, mode);                                \
    }

OPENING_AT(openat)
OPENING_AT(openat64)

#define ON_NAME(name)                                                               \
    REAL(int, name, const char *)                                                   \
    int name(const char *path) {                                                    \
        int error = fate_of_name(NAMES, path);                                      \
        FAIL(error)                                                                 \
        return real_##name()(path);                                                 \
    }

ON_NAME(unlink)

#define ON_TWO_NAMES(name)                                                          \
    REAL(int, name, const char *, const char *)                                     \
    int name(const char *from, const char *to) {                                    \
        int error = fate_of_name(NAMES, to);                                        \
        FAIL(error)                                                                 \
        return real_##name()(from, to);                                             \
    }

ON_TWO_NAMES(rename)
ON_TWO_NAMES(link)

REAL(int, mkdir, const char *, mode_t)
int mkdir(const char *path, mode_t mode) {
    int error = fate_of_name(NAMES, path);
    FAIL(error)
    return real_mkdir()(path, mode);
}
