// A line of a GPIO chip, by version 2 of the kernel's interface. Nothing of linux/gpio.h crosses this header.
#ifndef CGPIO_H
#define CGPIO_H

#include <stdint.h>

/// Bytes of an event, as it is read.
enum { CGPIO_EVENT_SIZE = 48 };

/// A falling edge.
typedef struct cgpio_edge {
  /// Nanoseconds of the monotonic clock.
  uint64_t time;
  /// Its number on the line: those that the kernel had no room for are counted, too.
  uint32_t number;
} cgpio_edge;

/// Requests a line with a pull-up, whose falling edges are then read. Edges within 1 ms are one, if the kernel can do
/// that. Returns a descriptor, or the negative `errno`.
int cgpio_open(const char *chip, uint32_t line);

/// The edge of an event.
cgpio_edge cgpio_edge_of(const void *event);

#endif
