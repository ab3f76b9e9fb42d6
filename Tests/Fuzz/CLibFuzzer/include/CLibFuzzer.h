// The entry point of libFuzzer for programs with a main of their own (llvm.org/docs/LibFuzzer.html, "Using libFuzzer as a library").
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*test)(const uint8_t *bytes, size_t count));
