// The files of the map page, compiled into the program.
#ifndef MAP_PAGE_H
#define MAP_PAGE_H

#include <stddef.h>

/// A file of the page.
typedef struct map_page_file {
  /// Path of its URL.
  const char *path;
  /// Value of Content-Type.
  const char *type;
  const unsigned char *bytes;
  /// The byte behind the last one.
  const unsigned char *end;
} map_page_file;

/// Number of files.
size_t map_page_count(void);

/// A file by its number, from 0.
const map_page_file *map_page_get(size_t number);

#endif
