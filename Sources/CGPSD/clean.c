#include "clean.h"

#include <stdbool.h>
#include <string.h>

enum { DEEPEST = 8 };

static const char *skip_blanks(const char *at) {
  while (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n') at++;
  return at;
}

static bool is_digit(char byte) { return byte >= '0' && byte <= '9'; }

/// The place behind the string that begins at `at`; NULL when there is no string. The other functions work alike.
static const char *skip_string(const char *at) {
  if (*at++ != '"') return NULL;
  for (; *at != '"'; at++) {
    if ((unsigned char)*at < 0x20) return NULL;
    if (*at != '\\') continue;
    at++;
    if (*at == 'u') {
      if (strspn(at + 1, "0123456789abcdefABCDEF") < 4) return NULL;
      at += 4;
    } else if (*at == '\0' || strchr("\"\\/bfnrt", *at) == NULL) {
      return NULL;
    }
  }
  return at + 1;
}

static const char *skip_digits(const char *at) {
  if (!is_digit(*at)) return NULL;
  while (is_digit(*at)) at++;
  return at;
}

static const char *skip_number(const char *at) {
  if (*at == '-') at++;
  if (*at == '0' && is_digit(at[1])) return NULL;
  at = skip_digits(at);
  if (at != NULL && *at == '.') at = skip_digits(at + 1);
  if (at != NULL && (*at == 'e' || *at == 'E')) {
    at++;
    if (*at == '+' || *at == '-') at++;
    at = skip_digits(at);
  }
  return at;
}

static const char *skip_value(const char *at, int depth);

static const char *skip_member(const char *at, int depth) {
  at = skip_string(at);
  if (at == NULL) return NULL;
  at = skip_blanks(at);
  return *at == ':' ? skip_value(skip_blanks(at + 1), depth) : NULL;
}

/// An object or an array.
static const char *skip_group(const char *at, int depth) {
  if (depth == 0) return NULL;
  bool is_object = *at == '{';
  char end = is_object ? '}' : ']';
  at = skip_blanks(at + 1);
  if (*at == end) return at + 1;
  for (;;) {
    at = is_object ? skip_member(at, depth - 1) : skip_value(at, depth - 1);
    if (at == NULL) return NULL;
    at = skip_blanks(at);
    if (*at == end) return at + 1;
    if (*at != ',') return NULL;
    at = skip_blanks(at + 1);
  }
}

static const char *skip_value(const char *at, int depth) {
  switch (*at) {
    case '{':
    case '[': return skip_group(at, depth);
    case '"': return skip_string(at);
    case 't': return strncmp(at, "true", 4) == 0 ? at + 4 : NULL;
    case 'f': return strncmp(at, "false", 5) == 0 ? at + 5 : NULL;
    case 'n': return strncmp(at, "null", 4) == 0 ? at + 4 : NULL;
    default: return skip_number(at);
  }
}

/// An array that holds only objects without objects or arrays in them.
static const char *skip_flat_list(const char *at) {
  at = skip_blanks(at + 1);
  if (*at == ']') return at + 1;
  for (;;) {
    at = *at == '{' ? skip_group(at, 1) : NULL;
    if (at == NULL) return NULL;
    at = skip_blanks(at);
    if (*at == ']') return at + 1;
    if (*at != ',') return NULL;
    at = skip_blanks(at + 1);
  }
}

int cgpsd_clean(char *line, const char *list) {
  static const char class_key[] = "\"class\"";
  size_t list_length = strlen(list);
  bool has_class = false;
  int taken = 0;
  const char *at = skip_blanks(line);
  if (*at != '{') return -1;
  char *to = line;
  *to++ = '{';
  at = skip_blanks(at + 1);
  bool is_last = *at == '}';
  while (!is_last) {
    const char *key = at;
    const char *key_end = skip_string(at);
    if (key_end == NULL) return -1;
    size_t key_length = (size_t)(key_end - key);
    const char *value = skip_blanks(key_end);
    if (*value != ':') return -1;
    value = skip_blanks(value + 1);
    // A second class that differs from the first makes libgps loop for ever.
    bool is_class = key_length == sizeof class_key - 1 && memcmp(key, class_key, key_length) == 0;
    if (is_class && has_class) return -1;
    has_class = has_class || is_class;
    bool is_list = key_length == list_length && memcmp(key, list, key_length) == 0;
    bool is_group = *value == '{' || *value == '[';
    // A list in the wrong place makes libgps loop for ever, and so does another value in place of the list.
    const char *end = is_list && *value == '[' ? skip_flat_list(value) : NULL;
    bool stays = end != NULL || (!is_list && !is_group && *value != 'n');
    if (end == NULL) end = skip_value(value, DEEPEST - 1);
    if (end == NULL) return -1;
    at = skip_blanks(end);
    is_last = *at == '}';
    if (!is_last && *at != ',') return -1;
    if (!is_last) at = skip_blanks(at + 1);
    if (stays) {
      if (to[-1] != '{') *to++ = ',';
      if (to != key || value != key_end + 1) {
        memmove(to, key, key_length);
        to[key_length] = ':';
        memmove(to + key_length + 1, value, (size_t)(end - value));
      }
      to += key_length + 1 + (size_t)(end - value);
    } else if (is_group) {
      taken++;
    }
  }
  if (*skip_blanks(at + 1) != '\0') return -1;
  *to++ = '}';
  *to = '\0';
  return taken;
}

char *cgpsd_first_object(char *at, int *length) {
  while (*at != '\0' && *at != '{') {
    const char *next = *at == '"' ? skip_string(at) : at + 1;
    at += next - at;
  }
  if (*at == '\0') return NULL;
  *length = (int)(skip_value(at, DEEPEST) - at);
  return at;
}
