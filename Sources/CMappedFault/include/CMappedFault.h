#ifndef ASSAY_CMAPPEDFAULT_H
#define ASSAY_CMAPPEDFAULT_H

#include <stddef.h>

// In C because what runs in a signal handler may neither allocate nor take a lock, which Swift does not promise.

/// A file that is mapped into memory, while it is watched.
typedef struct assay_mapped_file assay_mapped_file;

/// Watches a mapping: a touch of it that fails, since the file was cut short or its disk does not answer, ends the process with a
/// message and status 74 and not by SIGBUS. Null where memory is short, and then nothing is watched.
assay_mapped_file *assay_mapped_file_watch(const void *base, size_t length, const char *path);

/// Ends watching, before the mapping is undone.
void assay_mapped_file_release(assay_mapped_file *file);

#endif
