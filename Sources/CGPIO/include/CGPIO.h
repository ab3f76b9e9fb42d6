// A line of a GPIO chip, by version 2 of the kernel's interface. Nothing of linux/gpio.h crosses this header.
#ifndef CGPIO_H
#define CGPIO_H

#include <stdint.h>

/// The newest edges, which the kernel keeps until they are read.
enum { CGPIO_EDGES = 1024 };

/// A falling edge.
typedef struct cgpio_edge {
  /// Nanoseconds of the monotonic clock.
  uint64_t time;
  /// Its number on the line: those that the kernel had no room for are counted, too.
  uint32_t number;
} cgpio_edge;

/// Requests a line with a pull-up and its falling edges. Edges within 1 ms are one, if the kernel can do that. Returns a
/// descriptor, or the negative `errno`.
int cgpio_open(const char *chip, uint32_t line);

/// Takes the oldest edge that is kept. Returns 1, 0 if there is none, or the negative `errno`.
int cgpio_next(int line, cgpio_edge *edge);

#endif
