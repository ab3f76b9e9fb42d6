// What stands between the wire and gps_unpack(), which takes half a line for a whole one, reads what is nested as if it
// stood outside, and never comes back from some lines that are no JSON, or that have an array where it expects none.
#ifndef CGPSD_CLEAN_H
#define CGPSD_CLEAN_H

/// Checks that a line is one JSON object, and takes out in place the members that libgps must not see: null, objects
/// and arrays, but for a list of flat objects under the key `list` (with its quotes).
///
/// How many objects and arrays were taken out; -1 when the line is no JSON object or names its class twice.
int cgpsd_clean(char *line, const char *list);

/// The first object at or behind `at`, which lies within a clean line and in none of its strings, and its length; NULL
/// when there is none.
char *cgpsd_first_object(char *at, int *length);

#endif
