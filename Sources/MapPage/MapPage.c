// Embedded by the assembler, which any Clang can do: SwiftPM's embedded resources are array literals, 60 kB of them take
// the Swift compiler 14 seconds.
#include "MapPage.h"

// .incbin searches the include folders. It makes no dependency of the object; a header that is looked for is one.
#if !__has_include("Page/index.html") || !__has_include("Page/map.css") || !__has_include("Page/main.js") ||     \
    !__has_include("Page/daemon.js") || !__has_include("Page/motion.js") || !__has_include("Page/view.js") ||    \
    !__has_include("Page/layers.js") || !__has_include("Page/panels.js") || !__has_include("Page/daylight.js")
#error "a file of the page is missing"
#endif

#define EMBED(name, file)                                                                                          \
  __asm__(".pushsection .rodata\nmap_page_" #name ": .incbin \"../Page/" file "\"\nmap_page_" #name "_end:\n"      \
          ".popsection");                                                                                          \
  __attribute__((visibility("hidden"))) extern const unsigned char map_page_##name[], map_page_##name##_end[]
#define PAGE_FILE(path, type, name) {path, type "; charset=utf-8", map_page_##name, map_page_##name##_end}
#define SCRIPT(name) PAGE_FILE("/" #name ".js", "text/javascript", name)

EMBED(index, "index.html");
EMBED(style, "map.css");
EMBED(main, "main.js");
EMBED(daemon, "daemon.js");
EMBED(motion, "motion.js");
EMBED(view, "view.js");
EMBED(layers, "layers.js");
EMBED(panels, "panels.js");
EMBED(daylight, "daylight.js");

static const map_page_file files[] = {
    PAGE_FILE("/", "text/html", index),
    PAGE_FILE("/map.css", "text/css", style),
    SCRIPT(main),
    SCRIPT(daemon),
    SCRIPT(motion),
    SCRIPT(view),
    SCRIPT(layers),
    SCRIPT(panels),
    SCRIPT(daylight),
};

size_t map_page_count(void) { return sizeof files / sizeof files[0]; }

const map_page_file *map_page_get(size_t number) { return &files[number]; }
