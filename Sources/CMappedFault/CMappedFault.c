#define _GNU_SOURCE
#include "CMappedFault.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct assay_mapped_file {
    // 0 while nobody uses this place.
    _Atomic(uintptr_t) base;
    _Atomic(size_t) length;
    char *path;
    struct assay_mapped_file *next;
};

// Places are used again and never freed, so that the handler may walk them at any time.
static _Atomic(assay_mapped_file *) first;
static pthread_mutex_t changing = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct sigaction before;

static void say(const char *text) {
    if (write(STDERR_FILENO, text, strlen(text)) < 0) { return; }
}

static void fault(int number, siginfo_t *info, void *context) {
    (void)context;
    uintptr_t address = (uintptr_t)info->si_addr;
    for (assay_mapped_file *file = atomic_load(&first); file != 0; file = file->next) {
        uintptr_t base = atomic_load(&file->base);
        if (base == 0 || address < base || address - base >= atomic_load(&file->length)) { continue; }
        say("\nerror: ");
        say(file->path);
        say(": the file was cut short or cannot be read any more while it was in use, so nothing after this is right. "
            "Check the disk, put the file back or move it away, and run again.\n");
        _exit(74);
    }
    // Not ours: the same fault comes again, to whoever was there before.
    sigaction(SIGBUS, &before, 0);
    if (info->si_code <= 0) { raise(number); }
}

static void install(void) {
    struct sigaction action = {.sa_sigaction = fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    sigaction(SIGBUS, &action, &before);
}

assay_mapped_file *assay_mapped_file_watch(const void *base, size_t length, const char *path) {
    pthread_once(&once, install);
    char *name = strdup(path);
    if (name == 0) { return 0; }
    pthread_mutex_lock(&changing);
    assay_mapped_file *file = atomic_load(&first);
    while (file != 0 && atomic_load(&file->base) != 0) { file = file->next; }
    if (file == 0) {
        file = calloc(1, sizeof *file);
        if (file != 0) {
            file->next = atomic_load(&first);
            atomic_store(&first, file);
        }
    }
    if (file != 0) {
        file->path = name;
        atomic_store(&file->length, length);
        atomic_store(&file->base, (uintptr_t)base);
    } else {
        free(name);
    }
    pthread_mutex_unlock(&changing);
    return file;
}

void assay_mapped_file_release(assay_mapped_file *file) {
    if (file == 0) { return; }
    pthread_mutex_lock(&changing);
    atomic_store(&file->base, 0);
    free(file->path);
    file->path = 0;
    pthread_mutex_unlock(&changing);
}
