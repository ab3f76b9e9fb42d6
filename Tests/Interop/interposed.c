/* Preloaded into the daemon: a system clock that is set or not, a power cut at a stage of the writing of a receiver's
   database, a serial driver that has lost bytes, a GPIO chip, and a peer that ends a TLS connection at the handshake. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/gpio.h>
#include <linux/serial.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/timex.h>
#include <unistd.h>

static int draft = -1;

int adjtimex(struct timex *time) {
  const char *error = getenv("CLOCK_ERROR");
  memset(time, 0, sizeof *time);
  time->maxerror = error != NULL ? atol(error) : 16000000;
  time->status = error != NULL ? 0 : STA_UNSYNC;
  return error != NULL ? TIME_OK : TIME_ERROR;
}

static void cut(const char *stage) {
  const char *wanted = getenv("CUT_AT");
  if (draft >= 0 && wanted != NULL && strcmp(wanted, stage) == 0) raise(SIGKILL);
}

ssize_t write(int file, const void *bytes, size_t count) {
  static ssize_t (*original)(int, const void *, size_t);
  static const char head[] = "# handlebard navigation-";
  if (original == NULL) original = dlsym(RTLD_NEXT, "write");
  if (count > sizeof head && memcmp(bytes, head, sizeof head - 1) == 0) {
    draft = file;
    cut("before");
    if (getenv("CUT_AT") != NULL && strcmp(getenv("CUT_AT"), "half") == 0) {
      original(file, bytes, count / 2);
      cut("half");
    }
  }
  /* A TLS record of data: not before the peer has ended the connection. */
  if (getenv("OUTRUN") != NULL && count > 0 && *(const char *)bytes == 0x17) {
    poll(&(struct pollfd){.fd = file, .events = 0}, 1, 60000);
  }
  ssize_t result = original(file, bytes, count);
  if (file == draft) cut("written");
  return result;
}

int fdatasync(int file) {
  static int (*original)(int);
  if (original == NULL) original = dlsym(RTLD_NEXT, "fdatasync");
  int result = original(file);
  if (file == draft) cut("synchronized");
  return result;
}

int rename(const char *old, const char *new) {
  static int (*original)(const char *, const char *);
  if (original == NULL) original = dlsym(RTLD_NEXT, "rename");
  int result = original(old, new);
  if (strstr(new, "/navigation-") != NULL) cut("renamed");
  return result;
}

/* Line 17 of a chip, whose events are in the pipe GPIO_EVENTS; it cannot debounce if GPIO_BOUNCES is set. */
static int request_line(struct gpio_v2_line_request *line, const char *events) {
  const struct gpio_v2_line_config *config = &line->config;
  const struct gpio_v2_line_config_attribute *debounce = &config->attrs[0];
  const unsigned long flags = GPIO_V2_LINE_FLAG_INPUT | GPIO_V2_LINE_FLAG_EDGE_FALLING | GPIO_V2_LINE_FLAG_BIAS_PULL_UP;
  int isRight = line->num_lines == 1 && line->offsets[0] == 17 && config->flags == flags;
  if (getenv("GPIO_BOUNCES") != NULL) {
    isRight = isRight && config->num_attrs == 0;
  } else {
    isRight = isRight && config->num_attrs == 1 && debounce->attr.id == GPIO_V2_LINE_ATTR_ID_DEBOUNCE &&
              debounce->attr.debounce_period_us == 1000 && debounce->mask == 1;
  }
  if (!isRight) {
    errno = EINVAL;
    return -1;
  }
  line->fd = open(events, O_RDWR | O_CLOEXEC);
  return line->fd < 0 ? -1 : 0;
}

/* The counters of a driver that has lost as many bytes as the file OVERRUNS says. */
int ioctl(int file, unsigned long request, ...) {
  static int (*original)(int, unsigned long, void *);
  va_list rest;
  va_start(rest, request);
  void *argument = va_arg(rest, void *);
  va_end(rest);
  const char *path = getenv("OVERRUNS");
  FILE *source = request == TIOCGICOUNT && path != NULL ? fopen(path, "r") : NULL;
  if (source != NULL) {
    struct serial_icounter_struct *counts = argument;
    memset(counts, 0, sizeof *counts);
    int read = fscanf(source, "%d", &counts->overrun);
    fclose(source);
    return read == 1 ? 0 : -1;
  }
  const char *events = getenv("GPIO_EVENTS");
  if (request == GPIO_V2_GET_LINE_IOCTL && events != NULL) return request_line(argument, events);
  if (original == NULL) original = dlsym(RTLD_NEXT, "ioctl");
  return original(file, request, argument);
}
