#include "CGPSD.h"

#include "clean.h"

#include <dlfcn.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if __has_include(<gps.h>) && !defined(CGPSD_WITHOUT_LIBGPS)
#include <gps.h>

// The libraries whose structs may have the layout of the header, the likeliest first, and last the name that the
// development package links to. Neither the API number nor the library's decides that (14 stands for 3.24 to 3.26.1, 16
// for several lengths of gps_data_t), so each library is tested before use.
static const char *const library_names[] = {
#if GPSD_API_MAJOR_VERSION <= 11
    "libgps.so.28",
#elif GPSD_API_MAJOR_VERSION <= 13
    "libgps.so.29",
#elif GPSD_API_MAJOR_VERSION == 14
    "libgps.so.30", "libgps.so.31",
#else
    "libgps.so.31", "libgps.so.32", "libgps.so.33",
#endif
    "libgps.so",
};

struct cgpsd_decoder {
  struct gps_data_t data;
};

typedef int (*unpack_function)(char *, struct gps_data_t *);

static void copy_text(char *to, size_t size, const char *from, size_t available) {
  size_t length = strnlen(from, available);
  if (length >= size) length = size - 1;
  memcpy(to, from, length);
  to[length] = '\0';
}

#define COPY_TEXT(to, from) copy_text((to), sizeof(to), (from), sizeof(from))

/// The beginning of every line of gpsd.
static const char class_key[] = "{\"class\":";

/// The class by the text behind its key.
static cgpsd_class class_of(const char *name) {
  static const struct {
    const char *name;
    cgpsd_class class;
  } classes[] = {
      {"\"TPV\"", CGPSD_TPV},     {"\"SKY\"", CGPSD_SKY},         {"\"GST\"", CGPSD_GST},
      {"\"ERROR\"", CGPSD_ERROR}, {"\"DEVICE\"", CGPSD_DEVICE},   {"\"DEVICES\"", CGPSD_DEVICES},
      {"\"WATCH\"", CGPSD_WATCH}, {"\"VERSION\"", CGPSD_VERSION},
  };
  for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++) {
    if (strncmp(name, classes[i].name, strlen(classes[i].name)) == 0) return classes[i].class;
  }
  return CGPSD_OTHER;
}

static int64_t nanoseconds(timespec_t time) {
  // An absent time reads as 1970, and 64 bits end in the year 2262.
  if (time.tv_sec <= 0 || time.tv_sec > 9223372035) return 0;
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/// Clears what a line of that class is decoded into. A whole gps_data_t is more than the processor's first cache.
static void reset(struct gps_data_t *data, cgpsd_class class) {
  struct gps_fix_t *fix = &data->fix;
  switch (class) {
    case CGPSD_SKY:
      memset(data->skyview, 0, sizeof data->skyview);
      memset(&data->skyview_time, 0, sizeof data->skyview_time);
      break;
    case CGPSD_TPV: memset(fix, 0, sizeof *fix); break;
    default: memset(data, 0, sizeof *data); break;
  }
  memset(&data->dev, 0, sizeof data->dev);
  fix->latitude = fix->longitude = fix->altHAE = fix->altMSL = fix->geoid_sep = NAN;
  fix->speed = fix->track = fix->climb = fix->magnetic_var = NAN;
  fix->epx = fix->epy = fix->epv = fix->eph = fix->eps = fix->epd = NAN;
  fix->dgps_age = NAN;
  fix->dgps_station = -1;
  data->dop.hdop = data->dop.vdop = data->dop.pdop = NAN;
}

static void take_fix(const struct gps_data_t *data, cgpsd_report *report) {
  const struct gps_fix_t *fix = &data->fix;
  report->mode = fix->mode;
  report->status = fix->status;
  report->time = nanoseconds(fix->time);
  report->latitude = fix->latitude;
  report->longitude = fix->longitude;
  report->altitude_hae = fix->altHAE;
  report->altitude_msl = fix->altMSL;
  report->geoid_separation = fix->geoid_sep;
  report->speed = fix->speed;
  report->track = fix->track;
  report->climb = fix->climb;
  report->magnetic_variation = fix->magnetic_var;
  report->epx = fix->epx;
  report->epy = fix->epy;
  report->epv = fix->epv;
  report->eph = fix->eph;
  report->eps = fix->eps;
  report->epd = fix->epd;
  report->dgps_age = fix->dgps_age;
  report->dgps_station = fix->dgps_station;
}

static void take_sky(const struct gps_data_t *data, cgpsd_report *report) {
  report->time = nanoseconds(data->skyview_time);
  report->hdop = data->dop.hdop;
  report->vdop = data->dop.vdop;
  report->pdop = data->dop.pdop;
  // libgps 3.25 and later leave their own count at 0 when the line has no nSat, which not every gpsd sends.
  for (size_t i = 0; i < sizeof data->skyview / sizeof data->skyview[0]; i++) {
    const struct satellite_t *from = &data->skyview[i];
    if (from->PRN <= 0) continue;
    if (report->satellite_count >= CGPSD_SATELLITES_MAX) break;
    cgpsd_satellite *to = &report->satellites[report->satellite_count++];
    to->prn = from->PRN;
    to->gnssid = from->svid > 0 ? from->gnssid : -1;
    to->svid = from->svid > 0 ? from->svid : -1;
    to->elevation = from->elevation;
    to->azimuth = from->azimuth;
    to->ss = from->ss;
    to->used = from->used;
  }
}

static void take_noise(const struct gps_data_t *data, cgpsd_report *report) {
  report->time = nanoseconds(data->gst.utctime);
  report->rms = data->gst.rms_deviation;
  report->major = data->gst.smajor_deviation;
  report->minor = data->gst.sminor_deviation;
  report->orientation = data->gst.smajor_orientation;
  report->latitude_deviation = data->gst.lat_err_deviation;
  report->longitude_deviation = data->gst.lon_err_deviation;
  report->altitude_deviation = data->gst.alt_err_deviation;
}

static void take_version(const struct gps_data_t *data, cgpsd_report *report) {
  COPY_TEXT(report->text, data->version.release);
  COPY_TEXT(report->revision, data->version.rev);
  report->protocol_major = data->version.proto_major;
  report->protocol_minor = data->version.proto_minor;
}

static void take_watch(const struct gps_data_t *data, cgpsd_report *report) {
  report->enable = data->policy.watcher;
  report->json = data->policy.json;
  report->nmea = data->policy.nmea;
}

static void take_device(const struct gps_data_t *data, cgpsd_report *report) {
  if (report->device_count >= CGPSD_DEVICES_MAX) return;
  COPY_TEXT(report->devices[report->device_count], data->dev.path);
  report->activated[report->device_count++] = nanoseconds(data->dev.activated);
}

/// Decodes each device of a DEVICES line as a line of its own: libgps never returns from a list with a device that it
/// does not understand.
static cgpsd_result take_devices(
    unpack_function unpack, struct gps_data_t *data, char *line, cgpsd_report *report) {
  int length = 0;
  for (char *device = cgpsd_first_object(line, &length); device != NULL;
       device = cgpsd_first_object(device + length + 1, &length)) {
    reset(data, CGPSD_DEVICE);
    char behind = device[length];
    device[length] = '\0';
    bool is_device = strncmp(device, class_key, sizeof class_key - 1) == 0 &&
                     class_of(device + sizeof class_key - 1) == CGPSD_DEVICE && unpack(device, data) == 0;
    if (!is_device) return CGPSD_MALFORMED;
    device[length] = behind;
    take_device(data, report);
  }
  return CGPSD_OK;
}

static cgpsd_result decode(
    unpack_function unpack, struct gps_data_t *data, char *line, cgpsd_report *report) {
  // The satellites are as many as are counted.
  memset(report, 0, offsetof(cgpsd_report, satellites));
  memset(&report->hdop, 0, sizeof *report - offsetof(cgpsd_report, hdop));
  if (strncmp(line, class_key, sizeof class_key - 1) != 0) return CGPSD_MALFORMED;
  report->class = class_of(line + sizeof class_key - 1);
  const char *list = report->class == CGPSD_SKY       ? "\"satellites\""
                     : report->class == CGPSD_DEVICES ? "\"devices\""
                                                      : "";
  report->nested = cgpsd_clean(line, list);
  if (report->nested < 0) return CGPSD_MALFORMED;
  if (report->class == CGPSD_OTHER) return CGPSD_OK;
  if (report->class == CGPSD_DEVICES) return take_devices(unpack, data, line + 1, report);
  reset(data, report->class);
  if (unpack(line, data) != 0) return CGPSD_MALFORMED;
  COPY_TEXT(report->device, data->dev.path);
  switch (report->class) {
    case CGPSD_TPV: take_fix(data, report); break;
    case CGPSD_SKY: take_sky(data, report); break;
    case CGPSD_GST: take_noise(data, report); break;
    case CGPSD_DEVICE: take_device(data, report); break;
    case CGPSD_VERSION: take_version(data, report); break;
    case CGPSD_WATCH: take_watch(data, report); break;
    case CGPSD_ERROR: COPY_TEXT(report->text, data->error); break;
    case CGPSD_DEVICES:
    case CGPSD_OTHER: break;
  }
  return CGPSD_OK;
}

static bool decodes(unpack_function unpack, struct gps_data_t *data, const char *text, cgpsd_report *report) {
  char line[512];
  snprintf(line, sizeof line, "%s", text);
  return decode(unpack, data, line, report) == CGPSD_OK;
}

/// Whether a library decodes known lines into the members that the header names, so that its structs have that layout.
static bool fits(unpack_function unpack, struct gps_data_t *data, cgpsd_report *report) {
  if (!decodes(
          unpack, data,
          "{\"class\":\"TPV\",\"device\":\"/dev/a\",\"mode\":3,\"status\":2,\"time\":\"2026-03-19T12:35:19.250Z\","
          "\"lat\":1.5,\"lon\":2.5,\"altHAE\":3.5,\"altMSL\":4.5,\"epx\":5.5,\"epy\":6.5,\"epv\":7.5,\"track\":8.5,"
          "\"speed\":9.5,\"climb\":10.5,\"eps\":11.5,\"eph\":12.5,\"magvar\":13.5,\"geoidSep\":14.5,\"dgpsSta\":15,"
          "\"epd\":16.5}",
          report) ||
      strcmp(report->device, "/dev/a") != 0 || report->mode != 3 || report->status != 2 ||
      report->time != 1773923719250000000 || report->latitude != 1.5 || report->longitude != 2.5 ||
      report->altitude_hae != 3.5 || report->altitude_msl != 4.5 || report->epx != 5.5 || report->epy != 6.5 ||
      report->epv != 7.5 || report->track != 8.5 || report->speed != 9.5 || report->climb != 10.5 ||
      report->eps != 11.5 || report->eph != 12.5 || report->magnetic_variation != 13.5 ||
      report->geoid_separation != 14.5 || report->dgps_station != 15 || report->epd != 16.5) {
    return false;
  }
  if (!decodes(
          unpack, data,
          "{\"class\":\"SKY\",\"device\":\"/dev/a\",\"hdop\":1.5,\"vdop\":2.5,\"pdop\":3.5,\"satellites\":["
          "{\"PRN\":8,\"el\":4.5,\"az\":5.5,\"ss\":6.5,\"used\":false,\"gnssid\":0,\"svid\":8},"
          "{\"PRN\":65,\"el\":7.5,\"az\":8.5,\"ss\":9.5,\"used\":true,\"gnssid\":6,\"svid\":1}]}",
          report) ||
      report->satellite_count != 2 || report->hdop != 1.5 || report->vdop != 2.5 || report->pdop != 3.5) {
    return false;
  }
  const cgpsd_satellite *last = &report->satellites[1];
  if (last->prn != 65 || last->elevation != 7.5 || last->azimuth != 8.5 || last->ss != 9.5 || !last->used ||
      last->gnssid != 6 || last->svid != 1) {
    return false;
  }
  if (!decodes(
          unpack, data,
          "{\"class\":\"GST\",\"device\":\"/dev/a\",\"rms\":1.5,\"major\":2.5,\"minor\":3.5,\"orient\":4.5,"
          "\"lat\":5.5,\"lon\":6.5,\"alt\":7.5}",
          report) ||
      report->rms != 1.5 || report->major != 2.5 || report->minor != 3.5 || report->orientation != 4.5 ||
      report->latitude_deviation != 5.5 || report->longitude_deviation != 6.5 || report->altitude_deviation != 7.5) {
    return false;
  }
  if (!decodes(
          unpack, data,
          "{\"class\":\"DEVICES\",\"devices\":[{\"class\":\"DEVICE\",\"path\":\"/dev/a\"},"
          "{\"class\":\"DEVICE\",\"path\":\"/dev/b\",\"activated\":\"2026-03-19T12:35:19.250Z\"}]}",
          report) ||
      report->device_count != 2 || strcmp(report->devices[1], "/dev/b") != 0 || report->activated[0] != 0 ||
      report->activated[1] != 1773923719250000000) {
    return false;
  }
  if (!decodes(unpack, data, "{\"class\":\"WATCH\",\"enable\":true,\"json\":true,\"nmea\":true}", report) ||
      !report->enable || !report->json || !report->nmea) {
    return false;
  }
  if (!decodes(
          unpack, data,
          "{\"class\":\"VERSION\",\"release\":\"a\",\"rev\":\"b\",\"proto_major\":3,\"proto_minor\":4}", report) ||
      strcmp(report->text, "a") != 0 || strcmp(report->revision, "b") != 0 || report->protocol_major != 3 ||
      report->protocol_minor != 4) {
    return false;
  }
  return decodes(unpack, data, "{\"class\":\"ERROR\",\"message\":\"known\"}", report) &&
         strcmp(report->text, "known") == 0;
}

/// Tests a library on a struct with a margin of memory behind it, which must stay untouched.
static bool passes(unpack_function unpack) {
  enum { MARGIN = 1 << 20, MARK = 0x5A };
  unsigned char *memory = calloc(1, sizeof(struct gps_data_t) + MARGIN);
  cgpsd_report *report = malloc(sizeof *report);
  bool passed = false;
  if (memory != NULL && report != NULL) {
    unsigned char *margin = memory + sizeof(struct gps_data_t);
    memset(margin, MARK, MARGIN);
    passed = fits(unpack, (struct gps_data_t *)(void *)memory, report);
    for (size_t i = 0; passed && i < MARGIN; i++) passed = margin[i] == MARK;
  }
  free(report);
  free(memory);
  return passed;
}

static unpack_function load_unpack(void) {
  static unpack_function unpack = NULL;
  // Loaded at the first use, as libgps brings ten more libraries and a board that reads a serial port needs none of
  // them. A failure is not kept, as the library may be installed later.
  for (size_t i = 0; unpack == NULL && i < sizeof library_names / sizeof library_names[0]; i++) {
    void *library = dlopen(library_names[i], RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) continue;
    unpack_function candidate = NULL;
    void *symbol = dlsym(library, "gps_unpack");
    memcpy(&candidate, &symbol, sizeof candidate);
    if (candidate != NULL && passes(candidate)) {
      unpack = candidate;
    } else {
      dlclose(library);
    }
  }
  return unpack;
}

cgpsd_decoder *cgpsd_decoder_create(void) {
  return load_unpack() == NULL ? NULL : calloc(1, sizeof(cgpsd_decoder));
}

void cgpsd_decoder_destroy(cgpsd_decoder *decoder) { free(decoder); }

cgpsd_result cgpsd_decode(cgpsd_decoder *decoder, char *line, cgpsd_report *report) {
  unpack_function unpack = load_unpack();
  if (unpack == NULL || decoder == NULL) return CGPSD_MALFORMED;
  return decode(unpack, &decoder->data, line, report);
}

#else

#warning "gps.h is missing: gpsd will be read without libgps (Debian: apt-get install libgps-dev, then build again)"

cgpsd_decoder *cgpsd_decoder_create(void) { return NULL; }
void cgpsd_decoder_destroy(cgpsd_decoder *decoder) { (void)decoder; }
cgpsd_result cgpsd_decode(cgpsd_decoder *decoder, char *line, cgpsd_report *report) {
  (void)decoder;
  (void)line;
  memset(report, 0, sizeof *report);
  return CGPSD_MALFORMED;
}

#endif
