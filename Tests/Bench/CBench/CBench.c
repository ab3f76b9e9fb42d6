#define _GNU_SOURCE
#include "CBench.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

int poller_create(void) {
  int poller = epoll_create1(EPOLL_CLOEXEC);
  return poller < 0 ? -errno : poller;
}

int poller_add(int poller, int descriptor, uint32_t tag) {
  struct epoll_event event = {.events = EPOLLIN, .data = {.u32 = tag}};
  return epoll_ctl(poller, EPOLL_CTL_ADD, descriptor, &event) < 0 ? -errno : 0;
}

int poller_wait(int poller, uint32_t *tags, int room, int64_t nanoseconds) {
  struct epoll_event events[512];
  if (room > 512) room = 512;
  if (nanoseconds < 0) nanoseconds = 0;
  struct timespec wait = {.tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000};
  // A timer for each wait would be a part of what the floor costs.
  int count = epoll_pwait2(poller, events, room, nanoseconds < INT64_MAX ? &wait : NULL, NULL);
  if (count < 0) return errno == EINTR ? 0 : -errno;
  for (int i = 0; i < count; i++) tags[i] = events[i].data.u32;
  return count;
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *place) { return remove(path); }

void folder_remove(const char *path) { nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS); }

int terminal_open(char *path, size_t room) {
  int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (master < 0) return -errno;
  if (grantpt(master) < 0 || unlockpt(master) < 0 || ptsname_r(master, path, room) != 0) goto failed;
  int slave = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (slave < 0) goto failed;
  struct termios settings;
  tcgetattr(slave, &settings);
  cfmakeraw(&settings);
  cfsetspeed(&settings, B38400);
  tcsetattr(slave, TCSANOW, &settings);
  fchmod(slave, 0666);
  close(slave);
  return master;
failed:
  close(master);
  return -errno;
}

static volatile pid_t children[16];

static void end_children(int number) {
  for (int i = 0; i < 16; i++)
    if (children[i] > 0) kill(children[i], SIGKILL);
  _exit(128 + number);
}

void child_guard(pid_t child) {
  static int installed;
  if (!installed) {
    installed = 1;
    signal(SIGINT, end_children);
    signal(SIGTERM, end_children);
    signal(SIGHUP, end_children);
    signal(SIGABRT, end_children);
    signal(SIGILL, end_children);
    signal(SIGTRAP, end_children);
  }
  for (int i = 0; i < 16; i++) {
    if (children[i] > 0) continue;
    children[i] = child;
    return;
  }
}

void child_release(pid_t child) {
  for (int i = 0; i < 16; i++)
    if (children[i] == child) children[i] = 0;
}

const void *text_find(const void *bytes, size_t count, const char *word) {
  return memmem(bytes, count, word, strlen(word));
}

static int hexadecimal(uint8_t digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
  return -1;
}

uint64_t scalar_scan(const uint8_t *bytes, size_t count) {
  volatile uint16_t commas[128];
  uint64_t sentences = 0;
  size_t at = 0;
  while (at < count) {
    if (bytes[at] != '$') {
      at++;
      continue;
    }
    size_t start = at++;
    uint8_t sum = 0;
    int found = 0;
    while (at < count && bytes[at] != '*' && bytes[at] >= 0x20) {
      if (bytes[at] == ',' && found < 128) commas[found++] = (uint16_t)(at - start);
      sum ^= bytes[at++];
    }
    if (at + 2 < count && bytes[at] == '*' && hexadecimal(bytes[at + 1]) == sum >> 4 && hexadecimal(bytes[at + 2]) == (sum & 15))
      sentences++;
  }
  return sentences;
}
