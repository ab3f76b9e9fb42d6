// System calls that the Glibc module of Swift lacks, and code whose cost must not disturb the measurement.
#ifndef CBENCH_H
#define CBENCH_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// An epoll set; a negative result is -errno.
int poller_create(void);
int poller_add(int poller, int descriptor, uint32_t tag);
// Waits until a descriptor is readable, at most `nanoseconds` (INT64_MAX: no limit); returns the number of tags written.
int poller_wait(int poller, uint32_t *tags, int room, int64_t nanoseconds);

// The master of a new pseudo-terminal; its slave is raw and open to all users, its path is written to `path`.
int terminal_open(char *path, size_t room);

// Removes a folder and what is in it.
void folder_remove(const char *path);

// Registers a child that a signal which ends the driver ends first.
void child_guard(pid_t child);
void child_release(pid_t child);

// The first occurrence of `word` in `bytes`, or NULL.
const void *text_find(const void *bytes, size_t count, const char *word);

// The least work on NMEA: find `$`, XOR to `*`, compare, note the commas. Returns the
// number of sentences with a right checksum.
uint64_t scalar_scan(const uint8_t *bytes, size_t count);

#endif
