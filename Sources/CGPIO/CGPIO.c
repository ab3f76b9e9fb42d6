#include "CGPIO.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/gpio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

int cgpio_open(const char *chip, uint32_t line) {
  int file = open(chip, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return -errno;
  struct gpio_v2_line_request request = {
      .offsets = {line},
      .num_lines = 1,
      .consumer = "handlebard",
      .event_buffer_size = CGPIO_EDGES,
      .config = {
          .flags = GPIO_V2_LINE_FLAG_INPUT | GPIO_V2_LINE_FLAG_EDGE_FALLING | GPIO_V2_LINE_FLAG_BIAS_PULL_UP,
          .num_attrs = 1,
          .attrs = {{.attr = {.id = GPIO_V2_LINE_ATTR_ID_DEBOUNCE, .debounce_period_us = 1000}, .mask = 1}},
      },
  };
  int result = ioctl(file, GPIO_V2_GET_LINE_IOCTL, &request);
  // Some chips refuse to debounce; the reader does, too.
  if (result < 0 && errno != EBUSY) {
    request.config.num_attrs = 0;
    memset(request.config.attrs, 0, sizeof request.config.attrs);
    result = ioctl(file, GPIO_V2_GET_LINE_IOCTL, &request);
  }
  int error = errno;
  close(file);
  if (result < 0) return -error;
  fcntl(request.fd, F_SETFL, O_NONBLOCK);
  return request.fd;
}

int cgpio_next(int line, cgpio_edge *edge) {
  struct gpio_v2_line_event event;
  ssize_t size = read(line, &event, sizeof event);
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) return 0;
  if (size != sizeof event) return size < 0 ? -errno : -EIO;
  *edge = (cgpio_edge){.time = event.timestamp_ns, .number = event.line_seqno};
  return 1;
}
