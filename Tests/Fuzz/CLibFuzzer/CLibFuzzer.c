#include "CLibFuzzer.h"

#ifndef LIBFUZZER
// Replaces libFuzzer where an instrumented build takes too long: `PROGRAM COUNT FOLDER` tests every file of the folder, then
// COUNT damaged ones, the same in every run. An input that takes 10 s of the processor ends the program, as a trap does.

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

enum { longest = 8192, most = 4096 };

static struct {
  uint8_t *bytes;
  size_t count;
} seeds[most];
static size_t seed_count;
static uint64_t state = 2026;

// SplitMix64 (Steele, Lea and Flood, 2014).
static size_t below(size_t bound) {
  uint64_t mixed = state += 0x9E3779B97F4A7C15u;
  mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9u;
  mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBu;
  return bound ? (mixed ^ (mixed >> 31)) % bound : 0;
}

static void take(const char *folder, const char *name) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "rb");
  if (!file) return;
  uint8_t *bytes = malloc(longest);
  size_t count = bytes ? fread(bytes, 1, longest, file) : 0;
  fclose(file);
  if (count == 0) {
    free(bytes);
    return;
  }
  seeds[seed_count].bytes = bytes;
  seeds[seed_count++].count = count;
}

// Replaces `removed` bytes by `count` others.
static size_t replace(uint8_t *input, size_t length, size_t place, size_t removed, const uint8_t *bytes, size_t count) {
  if (place > length) place = length;
  if (removed > length - place) removed = length - place;
  if (count > longest - (length - removed)) count = longest - (length - removed);
  memmove(input + place + count, input + place + removed, length - place - removed);
  memcpy(input + place, bytes, count);
  return length - removed + count;
}

static size_t damage(uint8_t *input, size_t length) {
  static const char words[][8] = {"{", "}", "[", "]", "\"", "\\u00", "\\", ",", ":", ";", "?", "$", "*", "\r\n", "\n",
                                    "-", "1e999", "nan", ".", "0x", "null", "# t=", "# e {", "<", ">", "/>", "99999999"};
  size_t place = below(length + 1), extent = below(12);
  switch (below(6)) {
  case 0: {
    uint8_t byte = (uint8_t)below(256);
    return replace(input, length, place, 1, &byte, 1);
  }
  case 1: {
    uint8_t byte = (uint8_t)below(256);
    return replace(input, length, place, 0, &byte, 1);
  }
  case 2: return replace(input, length, place, extent, input, 0);
  case 3: {
    const char *word = words[below(sizeof words / sizeof words[0])];
    return replace(input, length, place, below(2) * extent, (const uint8_t *)word, strnlen(word, 8));
  }
  case 4: {
    size_t other = below(seed_count), from = below(seeds[other].count);
    return replace(input, length, place, below(64), seeds[other].bytes + from, below(seeds[other].count - from + 1));
  }
  default:
    if (place < length) input[place] ^= (uint8_t)(1u << below(8));
    return length;
  }
}

int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*test)(const uint8_t *bytes, size_t count)) {
  static const struct itimerval limit = {.it_value.tv_sec = 10};
  static uint8_t input[longest];
  struct dirent **names;
  long count = *argc == 3 ? strtol((*argv)[1], NULL, 10) : 0;
  int found = count > 0 ? scandir((*argv)[2], &names, NULL, alphasort) : -1;
  if (found < 0) {
    fprintf(stderr, "usage: %s COUNT FOLDER\n", (*argv)[0]);
    return 1;
  }
  for (int i = 0; i < found && seed_count < most; i++)
    if (names[i]->d_name[0] != '.') take((*argv)[2], names[i]->d_name);
  if (seed_count == 0) {
    fprintf(stderr, "%s holds no files\n", (*argv)[2]);
    return 1;
  }
  for (size_t i = 0; i < seed_count; i++) test(seeds[i].bytes, seeds[i].count);
  for (long i = 0; i < count; i++) {
    // Of the processor: a run that yields to all others may wait longer than this for its turn.
    setitimer(ITIMER_PROF, &limit, NULL);
    size_t seed = below(seed_count), length = seeds[seed].count;
    memcpy(input, seeds[seed].bytes, length);
    for (size_t steps = 1 + below(5); steps > 0; steps--) length = damage(input, length);
    // A copy of the exact size, so that a read beyond its end leaves the allocation.
    uint8_t *copy = malloc(length ? length : 1);
    if (!copy) return 1;
    memcpy(copy, input, length);
    test(copy, length);
    free(copy);
  }
  printf("%zu seeds and %ld damaged inputs\n", seed_count, count);
  return 0;
}
#endif
