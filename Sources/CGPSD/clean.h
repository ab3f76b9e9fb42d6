// A filter before gps_unpack(), which accepts half a line as a whole one, reads nested members as if they were not
// nested, and never returns from some lines that are not JSON or have an array where it expects none.
#ifndef CGPSD_CLEAN_H
#define CGPSD_CLEAN_H

/// Checks that a line is one JSON object, and removes in place the members that libgps must not see: null, objects and
/// arrays, except a list of flat objects under the key `list` (with its quotes).
///
/// Returns the number of removed objects and arrays; -1 when the line is not a JSON object or names its class twice.
int cgpsd_clean(char *line, const char *list);

/// The first object at or behind `at`, a place in a clean line outside its strings, and its length; NULL when there is
/// none.
char *cgpsd_first_object(char *at, int *length);

#endif
