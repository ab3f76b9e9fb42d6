#include "clean.h"

#include <stdbool.h>
#include <string.h>

enum { DEEPEST = 8 };

static const char *skip_blanks(const char *at) { return at + strspn(at, " \t\r\n"); }

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
  static const char *const literals[] = {"true", "false", "null"};
  if (*at == '{' || *at == '[') return skip_group(at, depth);
  if (*at == '"') return skip_string(at);
  for (int i = 0; i < 3; i++) {
    size_t length = strlen(literals[i]);
    if (strncmp(at, literals[i], length) == 0) return at + length;
  }
  return skip_number(at);
}

/// Whether a well-formed array holds only objects without objects or arrays in them.
static bool is_flat_list(const char *at) {
  int depth = 0;
  for (;; at++) {
    if (*at == '"') {
      if (depth == 1) return false;
      at = skip_string(at) - 1;
    } else if (*at == '[' || *at == '{') {
      if ((*at == '[') != (depth == 0)) return false;
      depth++;
      if (depth > 2) return false;
    } else if (*at == ']' || *at == '}') {
      depth--;
      if (depth == 0) return true;
    } else if (depth == 1 && *at != ',' && skip_blanks(at) == at) {
      return false;
    }
  }
}

int cgpsd_clean(char *line, const char *list) {
  const char *at = skip_value(skip_blanks(line), DEEPEST);
  if (at == NULL || *skip_blanks(line) != '{' || *skip_blanks(at) != '\0') return -1;

  static const char class_key[] = "\"class\"";
  bool has_class = false;
  int taken = 0;
  at = skip_blanks(line) + 1;
  char *to = line;
  *to++ = '{';
  for (at = skip_blanks(at); *at != '}';) {
    const char *key = at;
    const char *key_end = skip_string(at);
    const char *value = skip_blanks(skip_blanks(key_end) + 1);
    const char *end = skip_value(value, DEEPEST);
    size_t key_length = (size_t)(key_end - key);
    // A second class that differs from the first makes libgps loop for ever.
    bool is_class = key_length == sizeof class_key - 1 && memcmp(key, class_key, key_length) == 0;
    if (is_class && has_class) return -1;
    has_class = has_class || is_class;
    bool is_list = strlen(list) == key_length && memcmp(key, list, key_length) == 0;
    bool is_group = *value == '{' || *value == '[';
    // A list in the wrong place makes libgps loop for ever, and so does another value in place of the list.
    bool stays = is_list ? *value == '[' && is_flat_list(value) : !is_group && *value != 'n';
    at = skip_blanks(end);
    bool is_last = *at != ',';
    if (!is_last) at = skip_blanks(at + 1);
    if (stays) {
      if (to[-1] != '{') *to++ = ',';
      memmove(to, key, key_length);
      to += key_length;
      *to++ = ':';
      memmove(to, value, (size_t)(end - value));
      to += end - value;
    } else if (is_group) {
      taken++;
    }
  }
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
