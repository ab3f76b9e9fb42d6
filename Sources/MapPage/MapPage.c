// Embedded by the C compiler, as SwiftPM's embedded resources are array literals: 60 kB of them take the Swift compiler
// 14 seconds.
#include "MapPage.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char index_html[] = {
#embed "Page/index.html"
};
static const unsigned char map_css[] = {
#embed "Page/map.css"
};
static const unsigned char main_js[] = {
#embed "Page/main.js"
};
static const unsigned char daemon_js[] = {
#embed "Page/daemon.js"
};
static const unsigned char motion_js[] = {
#embed "Page/motion.js"
};
static const unsigned char view_js[] = {
#embed "Page/view.js"
};
static const unsigned char layers_js[] = {
#embed "Page/layers.js"
};
static const unsigned char panels_js[] = {
#embed "Page/panels.js"
};
static const unsigned char daylight_js[] = {
#embed "Page/daylight.js"
};

#define SCRIPT(name) {"/" #name ".js", "text/javascript; charset=utf-8", name##_js, sizeof name##_js}

static const map_page_file files[] = {
    {"/", "text/html; charset=utf-8", index_html, sizeof index_html},
    {"/map.css", "text/css; charset=utf-8", map_css, sizeof map_css},
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
