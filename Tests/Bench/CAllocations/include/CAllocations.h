// Counts the heap allocations of a program that is linked with it.
#ifndef CALLOCATIONS_H
#define CALLOCATIONS_H

#include <stdint.h>

// Heap allocations of the calling thread so far.
uint64_t allocations(void);
// Bytes on the heap.
uint64_t heap_bytes(void);

#endif
