// What Swift's Glibc module does not reach, and what must cost nothing beside what is measured.
#ifndef CBENCH_H
#define CBENCH_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// A set of descriptors to wait for; a negative return is -errno.
int poller_create(void);
int poller_add(int poller, int descriptor, uint32_t tag);
// Waits until one can be read, at most `nanoseconds`, for ever with INT64_MAX; returns how many tags were written.
int poller_wait(int poller, uint32_t *tags, int room, int64_t nanoseconds);

// The master of a new pseudo-terminal; its slave is raw and open to everyone, its path goes to `path`.
int terminal_open(char *path, size_t room);

// Children that must not outlive the driver: a signal that ends it ends them first.
void child_guard(pid_t child);
void child_release(pid_t child);

// Where `word` begins in `bytes`, or NULL.
const void *text_find(const void *bytes, size_t count, const char *word);

// The plainest thing that can be done with NMEA: find `$`, XOR to `*`, compare, note the commas. Returns the
// sentences whose checksum holds.
uint64_t scalar_scan(const uint8_t *bytes, size_t count);

#endif
