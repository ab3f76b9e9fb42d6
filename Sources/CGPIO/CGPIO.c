#include "CGPIO.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/gpio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

_Static_assert(sizeof(struct gpio_v2_line_event) == CGPIO_EVENT_SIZE, "the kernel's interface is fixed");

int cgpio_open(const char *chip, uint32_t line) {
  int file = open(chip, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return -errno;
  struct gpio_v2_line_request request = {
      .offsets = {line},
      .num_lines = 1,
      .consumer = "handlebard",
      .event_buffer_size = 64,
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
  return result < 0 ? -error : request.fd;
}

cgpio_edge cgpio_edge_of(const void *event) {
  struct gpio_v2_line_event edge;
  memcpy(&edge, event, sizeof edge);
  return (cgpio_edge){.time = edge.timestamp_ns, .number = edge.line_seqno};
}
