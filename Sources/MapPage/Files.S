// Embedded by the assembler, which any Clang can do: SwiftPM's embedded resources are array literals, 60 kB of them take
// the Swift compiler 14 seconds.

#include "Files.h"

// .incbin searches the include folders. It makes no dependency of the object; a header that is looked for is one.
#define MISSES(name) || !__has_include(<../Page/name.js>)
#if !__has_include(<../Page/index.html>) || !__has_include(<../Page/map.css>) EACH_SCRIPT(MISSES)
#error "a file of the page is missing"
#endif

#define EMBED(name, file)            \
  .hidden map_page_##name;           \
  .hidden map_page_##name##_end;     \
  .globl map_page_##name;            \
  .globl map_page_##name##_end;      \
  map_page_##name: .incbin #file;    \
  map_page_##name##_end:
#define EMBED_SCRIPT(name) EMBED(name, ../Page/name.js);

  .section .rodata
  EMBED(index, ../Page/index.html)
  EMBED(style, ../Page/map.css)
  EACH_SCRIPT(EMBED_SCRIPT)

  .section .note.GNU-stack,"",%progbits
