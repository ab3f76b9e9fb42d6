#include "CAllocations.h"

#include <malloc.h>

#include <errno.h>
#include <stddef.h>

// glibc's own names for what is counted here.
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static __thread uint64_t allocated;

uint64_t allocations(void) { return allocated; }

void *malloc(size_t size) {
  allocated++;
  return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  allocated++;
  return __libc_calloc(count, size);
}

void *realloc(void *old, size_t size) {
  allocated++;
  return __libc_realloc(old, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  allocated++;
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **result, size_t alignment, size_t size) {
  allocated++;
  *result = __libc_memalign(alignment, size);
  return *result ? 0 : ENOMEM;
}

uint64_t heap_bytes(void) {
  struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}
