// Embedded by the assembler, which any Clang can do: SwiftPM's embedded resources are array literals, 60 kB of them take
// the Swift compiler 14 seconds.

// .incbin searches the include folders. It makes no dependency of the object; a header that is looked for is one.
#if !__has_include("Page/index.html") || !__has_include("Page/map.css") || !__has_include("Page/main.js") ||     \
    !__has_include("Page/daemon.js") || !__has_include("Page/motion.js") || !__has_include("Page/view.js") ||    \
    !__has_include("Page/layers.js") || !__has_include("Page/panels.js") || !__has_include("Page/daylight.js") || \
    !__has_include("Page/course.js") || !__has_include("Page/units.js") || !__has_include("Page/camera.js") || \
    !__has_include("Page/profile.js") || !__has_include("Page/ride.js")
#error "a file of the page is missing"
#endif

#define EMBED(name, file)            \
  .hidden map_page_##name;           \
  .hidden map_page_##name##_end;     \
  .globl map_page_##name;            \
  .globl map_page_##name##_end;      \
  map_page_##name: .incbin file;     \
  map_page_##name##_end:

  .section .rodata
  EMBED(index, "../Page/index.html")
  EMBED(style, "../Page/map.css")
  EMBED(main, "../Page/main.js")
  EMBED(camera, "../Page/camera.js")
  EMBED(daemon, "../Page/daemon.js")
  EMBED(motion, "../Page/motion.js")
  EMBED(view, "../Page/view.js")
  EMBED(layers, "../Page/layers.js")
  EMBED(panels, "../Page/panels.js")
  EMBED(profile, "../Page/profile.js")
  EMBED(ride, "../Page/ride.js")
  EMBED(daylight, "../Page/daylight.js")
  EMBED(course, "../Page/course.js")
  EMBED(units, "../Page/units.js")

  .section .note.GNU-stack,"",%progbits
