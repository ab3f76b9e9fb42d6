#include "MapPage.h"

#include "Files.h"

// In Files.S.
#define EMBEDDED(name) \
  __attribute__((visibility("hidden"))) extern const unsigned char map_page_##name[], map_page_##name##_end[];
#define PAGE_FILE(path, type, name) {path, type "; charset=utf-8", map_page_##name, map_page_##name##_end},
#define SCRIPT(name) PAGE_FILE("/" #name ".js", "text/javascript", name)

EMBEDDED(index)
EMBEDDED(style)
EACH_SCRIPT(EMBEDDED)

static const map_page_file files[] = {
    PAGE_FILE("/", "text/html", index)
    PAGE_FILE("/map.css", "text/css", style)
    EACH_SCRIPT(SCRIPT)
};

size_t map_page_count(void) { return sizeof files / sizeof files[0]; }

const map_page_file *map_page_get(size_t number) { return &files[number]; }
