#define _GNU_SOURCE
#include "internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    FILE_HEADER_BYTES = 48,
    BLOCK_HEADER_BYTES = 36,
    BLOCK_BYTES_MAX = 1 << 16,
    /// 1 of flags, 10 of time, 8 of the key, 10 of the size, 6 of the TTL and 3 of the tenant.
    RECORD_BYTES_MAX = 38,
};

static const unsigned char file_magic[8] = {0x8a, 'C', 'R', 'E', 'C', 0x0d, 0x0a, 0x1a};
static const unsigned char block_magic[4] = {0x8b, 'B', 'L', 'K'};

// MARK: Bytes

static void put(unsigned char *place, uint64_t value, int bytes) {
    for (int index = 0; index < bytes; index++) { place[index] = (unsigned char)(value >> 8 * index); }
}

/// Puts a number in groups of 7 bits, the lowest first.
static size_t put_varint(unsigned char *place, uint64_t value) {
    size_t count = 0;
    for (; value >= 0x80; value >>= 7) { place[count++] = (unsigned char)(value | 0x80); }
    place[count++] = (unsigned char)value;
    return count;
}

static uint32_t crc_table[8][256];
static pthread_once_t crc_once = PTHREAD_ONCE_INIT;

static void make_crc_table(void) {
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t crc = byte;
        for (int bit = 0; bit < 8; bit++) { crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0); }
        crc_table[0][byte] = crc;
    }
    for (int slice = 1; slice < 8; slice++) {
        for (uint32_t byte = 0; byte < 256; byte++) {
            uint32_t before = crc_table[slice - 1][byte];
            crc_table[slice][byte] = before >> 8 ^ crc_table[0][before & 0xff];
        }
    }
}

/// The CRC-32 that zlib has too, eight bytes a step.
static uint32_t crc32_of(const unsigned char *bytes, size_t count) {
    uint32_t crc = 0xffffffffu;
    for (; count >= 8; bytes += 8, count -= 8) {
        uint32_t low = crc ^ ((uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24);
        crc = crc_table[7][low & 0xff] ^ crc_table[6][low >> 8 & 0xff] ^ crc_table[5][low >> 16 & 0xff] ^ crc_table[4][low >> 24]
            ^ crc_table[3][bytes[4]] ^ crc_table[2][bytes[5]] ^ crc_table[1][bytes[6]] ^ crc_table[0][bytes[7]];
    }
    for (; count > 0; bytes++, count--) { crc = crc >> 8 ^ crc_table[0][(crc ^ *bytes) & 0xff]; }
    return ~crc;
}

// MARK: Time

static uint64_t nanoseconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static struct clock_pair read_clocks(void) {
    return (struct clock_pair){.ticks = cache_recording_ticks(), .nanoseconds = nanoseconds(CLOCK_MONOTONIC)};
}

// MARK: Files

static int write_whole(int file, const unsigned char *bytes, size_t count) {
    while (count > 0) {
        ssize_t written = write(file, bytes, count);
        if (written < 0 && errno != EINTR) { return errno; }
        if (written > 0) {
            bytes += written;
            count -= (size_t)written;
        }
    }
    return 0;
}

static int file_path(const struct writer *writer, uint64_t number, char **path) {
    int length = asprintf(path, "%s/%s-%010llu.recording", writer->folder, writer->name, (unsigned long long)number);
    return length < 0 ? ENOMEM : 0;
}

/// The number in the name of one of the recorder's files; 0 for other files.
static uint64_t file_number(const struct writer *writer, const char *file) {
    size_t length = strlen(writer->name);
    if (strncmp(file, writer->name, length) != 0 || file[length] != '-') { return 0; }
    const char *digits = file + length + 1;
    if (strspn(digits, "0123456789") != 10 || strcmp(digits + 10, ".recording") != 0) { return 0; }
    return strtoull(digits, NULL, 10);
}

/// Removes the oldest files until there are fewer than the limit, and finds the highest number.
static int make_room(const struct writer *writer, uint64_t *highest) {
    for (;;) {
        DIR *folder = opendir(writer->folder);
        if (folder == NULL) { return errno; }
        uint64_t count = 0, lowest = UINT64_MAX;
        *highest = 0;
        for (struct dirent *file; (file = readdir(folder)) != NULL;) {
            uint64_t number = file_number(writer, file->d_name);
            if (number == 0) { continue; }
            count++;
            if (number < lowest) { lowest = number; }
            if (number > *highest) { *highest = number; }
        }
        closedir(folder);
        if (count < writer->files) { return 0; }
        char *path;
        int error = file_path(writer, lowest, &path);
        if (error != 0) { return error; }
        error = unlink(path) == 0 || errno == ENOENT ? 0 : errno;
        free(path);
        if (error != 0) { return error; }
    }
}

static int next_file(struct writer *writer) {
    uint64_t highest = 0;
    int error = make_room(writer, &highest);
    if (error != 0) { return error; }
    uint64_t number = (highest > writer->number ? highest : writer->number) + 1;
    if (number > 9999999999u) { return EOVERFLOW; }
    char *path;
    error = file_path(writer, number, &path);
    if (error != 0) { return error; }
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0) {
        error = errno;
        free(path);
        return error;
    }
    unsigned char header[FILE_HEADER_BYTES] = {0};
    memcpy(header, file_magic, sizeof file_magic);
    header[8] = 1;
    header[9] = writer->tenants;
    put(header + 16, number, 8);
    put(header + 24, nanoseconds(CLOCK_REALTIME) / 1000, 8);
    put(header + 32, writer->secret_id, 8);
    put(header + 44, crc32_of(header, 44), 4);
    error = write_whole(file, header, sizeof header);
    if (error != 0) {
        close(file);
        unlink(path);
    } else {
        if (writer->file >= 0) { close(writer->file); }
        writer->file = file;
        writer->number = number;
        writer->offset = sizeof header;
    }
    free(path);
    return error;
}

int cache_recording_start_writer(cache_recording *recorder) {
    pthread_once(&crc_once, make_crc_table);
    struct writer *writer = &recorder->writer;
    static const char text[] = "which secret this is";
    writer->secret_id = cache_recording_siphash(recorder->key, text, sizeof text - 1);
    writer->block = malloc(BLOCK_BYTES_MAX);
    if (writer->block == NULL) { return ENOMEM; }
    writer->block_bytes = BLOCK_HEADER_BYTES;
    writer->before = read_clocks();
    // Times go on as the monotonic clock does, whoever sets the date meanwhile.
    writer->wall_offset = nanoseconds(CLOCK_REALTIME) - writer->before.nanoseconds;
    return next_file(writer);
}

// MARK: Blocks

/// Writes the block that was filled; what cannot be written is counted as lost.
static void write_block(cache_recording *recorder) {
    struct writer *writer = &recorder->writer;
    uint64_t lost = cache_recording_lost(recorder) - writer->lost_told;
    if (writer->block_count == 0 && lost == 0) { return; }
    unsigned char *block = writer->block;
    size_t count = writer->block_bytes;
    memcpy(block, block_magic, sizeof block_magic);
    put(block + 4, count - BLOCK_HEADER_BYTES, 4);
    put(block + 8, writer->block_count, 4);
    put(block + 12, crc32_of(block + BLOCK_HEADER_BYTES, count - BLOCK_HEADER_BYTES), 4);
    put(block + 16, lost, 8);
    put(block + 24, writer->block_count > 0 ? writer->block_time : writer->last_time, 8);
    put(block + 32, crc32_of(block, 32), 4);

    int error = 0;
    if (writer->file < 0 || writer->offset + count > writer->file_bytes) { error = next_file(writer); }
    if (error == 0) {
        error = write_whole(writer->file, block, count);
        // A part of a block would be damage in the middle of the file.
        if (error != 0 && ftruncate(writer->file, (off_t)writer->offset) == 0) {
            lseek(writer->file, (off_t)writer->offset, SEEK_SET);
        } else if (error != 0) {
            close(writer->file);
            writer->file = -1;
        }
    }
    if (error == 0) {
        writer->offset += count;
        writer->lost_told += lost;
        atomic_fetch_add_explicit(&recorder->written, writer->block_count, memory_order_relaxed);
        atomic_fetch_add_explicit(&recorder->bytes, count, memory_order_relaxed);
    } else {
        atomic_fetch_add_explicit(&recorder->lost_writing, writer->block_count, memory_order_relaxed);
    }
    atomic_store_explicit(&recorder->error, error, memory_order_relaxed);
    writer->block_bytes = BLOCK_HEADER_BYTES;
    writer->block_count = 0;
}

static void append(cache_recording *recorder, const struct entry *entry, uint64_t wall_nanoseconds) {
    struct writer *writer = &recorder->writer;
    if (writer->block_bytes + RECORD_BYTES_MAX > BLOCK_BYTES_MAX) { write_block(recorder); }
    uint64_t time = wall_nanoseconds / 1000;
    // A thread may have been late to put its request in.
    if (time < writer->last_time) { time = writer->last_time; }
    if (writer->block_count == 0) { writer->block_time = writer->last_time = time; }
    uint64_t ttl = entry->rest >> 24;
    unsigned char *start = writer->block + writer->block_bytes, *next = start;
    *next++ = (unsigned char)((entry->rest & 3) | (entry->rest >> 4 & 7) << 2 | (entry->size != 0) << 5 | (ttl != 0) << 6);
    next += put_varint(next, time - writer->last_time);
    put(next, entry->hash, 8);
    next += 8;
    if (entry->size != 0) { next += put_varint(next, entry->size); }
    if (ttl != 0) { next += put_varint(next, ttl); }
    if (writer->tenants) { next += put_varint(next, entry->rest >> 8 & 0xffff); }
    writer->block_bytes += (size_t)(next - start);
    writer->block_count++;
    writer->last_time = time;
}

/// Takes what is in the stripes, in the order of time: what was put in before this moment, or, where nobody logs any more, all.
static void take_all(cache_recording *recorder, bool is_last) {
    struct writer *writer = &recorder->writer;
    uint64_t next[STRIPES_MAX], end[STRIPES_MAX];
    uint32_t stripes = recorder->stripe_mask + 1;
    // The ends are read one after the other: a thread may have put a request behind an end that was read, and its next one before one that
    // was not. That one is later than this moment, and waits for the next round with the other.
    uint64_t moment = is_last ? UINT64_MAX : cache_recording_ticks();
    atomic_thread_fence(memory_order_seq_cst);
    for (uint32_t index = 0; index < stripes; index++) {
        const struct stripe *stripe = &recorder->stripes[index];
        next[index] = atomic_load_explicit(&stripe->head, memory_order_relaxed);
        end[index] = atomic_load_explicit(&stripe->tail, memory_order_acquire);
        while (end[index] > next[index] && stripe->entries[(end[index] - 1) & recorder->entry_mask].ticks > moment) { end[index]--; }
    }
    // After the ends: what was put in before has an earlier time.
    struct clock_pair before = writer->before, now = read_clocks();
    double rate = now.ticks > before.ticks
        ? (double)(now.nanoseconds - before.nanoseconds) / (double)(now.ticks - before.ticks) : 0;
    for (;;) {
        // The stripe with the earliest request, and how far it is the earliest.
        uint32_t first = stripes;
        uint64_t earliest = UINT64_MAX, limit = UINT64_MAX;
        for (uint32_t index = 0; index < stripes; index++) {
            if (next[index] == end[index]) { continue; }
            uint64_t ticks = recorder->stripes[index].entries[next[index] & recorder->entry_mask].ticks;
            if (first == stripes || ticks < earliest) {
                limit = first == stripes ? UINT64_MAX : earliest;
                first = index;
                earliest = ticks;
            } else if (ticks < limit) {
                limit = ticks;
            }
        }
        if (first == stripes) { break; }
        struct stripe *stripe = &recorder->stripes[first];
        while (next[first] != end[first]) {
            const struct entry *entry = &stripe->entries[next[first] & recorder->entry_mask];
            if (entry->ticks > limit) { break; }
            uint64_t ticks = entry->ticks < before.ticks ? before.ticks : entry->ticks > now.ticks ? now.ticks : entry->ticks;
            uint64_t passed = (uint64_t)((double)(ticks - before.ticks) * rate);
            append(recorder, entry, before.nanoseconds + passed + writer->wall_offset);
            next[first]++;
        }
        atomic_store_explicit(&stripe->head, next[first], memory_order_release);
    }
    writer->before = now;
}

void *cache_recording_write(void *argument) {
    cache_recording *recorder = argument;
#if defined(__linux__)
    pthread_setname_np(pthread_self(), "cache-recording");
#endif
    uint64_t interval = (uint64_t)recorder->flush_milliseconds * 1000000u;
    uint64_t due = nanoseconds(CLOCK_MONOTONIC) + interval;
    for (;;) {
        uint64_t now = nanoseconds(CLOCK_MONOTONIC);
        struct pollfd pipe_end = {.fd = recorder->wake_pipe[0], .events = POLLIN};
        poll(&pipe_end, 1, due > now ? (int)((due - now + 999999u) / 1000000u) : 0);
        char ignored[16];
        while (read(recorder->wake_pipe[0], ignored, sizeof ignored) == (ssize_t)sizeof ignored) {}
        atomic_exchange_explicit(&recorder->woken, 0, memory_order_acq_rel);
        pthread_mutex_lock(&recorder->mutex);
        uint64_t asked = recorder->flushes_asked;
        bool is_asked = asked != recorder->flushes_done, is_last = recorder->closed;
        pthread_mutex_unlock(&recorder->mutex);

        take_all(recorder, is_last);
        now = nanoseconds(CLOCK_MONOTONIC);
        if (is_asked || is_last || now >= due) {
            write_block(recorder);
            due = now + interval;
        }
        pthread_mutex_lock(&recorder->mutex);
        recorder->flushes_done = asked;
        recorder->finished = is_last;
        pthread_cond_broadcast(&recorder->flushed);
        pthread_mutex_unlock(&recorder->mutex);
        if (is_last) { return NULL; }
    }
}
