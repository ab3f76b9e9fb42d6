#include "CGPSD.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if __has_include(<gps.h>)
#include <gps.h>

#define NAME_OF(number) "libgps.so." #number

// The library's number goes with the layout of its structs, which goes with the API number of the header.
#if GPSD_API_MAJOR_VERSION == 11
static const char *const library_name = NAME_OF(28);
#elif GPSD_API_MAJOR_VERSION == 12
static const char *const library_name = NAME_OF(29);
#elif GPSD_API_MAJOR_VERSION == 14
static const char *const library_name = NAME_OF(30);
#elif GPSD_API_MAJOR_VERSION == 15
static const char *const library_name = NAME_OF(31);
#else
// A release that this code does not know: whatever the development package links to has the header's layout.
static const char *const library_name = "libgps.so";
#endif

struct cgpsd_decoder {
  struct gps_data_t data;
};

typedef int (*unpack_function)(char *, struct gps_data_t *);

static unpack_function load_unpack(void) {
  static unpack_function unpack = NULL;
  // Loaded at the first use: libgps brings ten more libraries, and a board that reads a serial port needs none.
  // A failure is not remembered: the library may be installed while this runs.
  if (unpack == NULL) {
    void *library = dlopen(library_name, RTLD_NOW | RTLD_LOCAL);
    if (library != NULL) {
      void *symbol = dlsym(library, "gps_unpack");
      memcpy(&unpack, &symbol, sizeof unpack);
    }
  }
  return unpack;
}

cgpsd_result cgpsd_available(void) { return load_unpack() == NULL ? CGPSD_NO_LIBRARY : CGPSD_OK; }

const char *cgpsd_library_name(void) { return library_name; }

cgpsd_decoder *cgpsd_decoder_create(void) {
  return load_unpack() == NULL ? NULL : calloc(1, sizeof(cgpsd_decoder));
}

void cgpsd_decoder_destroy(cgpsd_decoder *decoder) { free(decoder); }

static void copy_text(char *to, size_t size, const char *from, size_t available) {
  size_t length = strnlen(from, available);
  if (length >= size) length = size - 1;
  memcpy(to, from, length);
  to[length] = '\0';
}

#define COPY_TEXT(to, from) copy_text((to), sizeof(to), (from), sizeof(from))

static cgpsd_class class_of(const char *line) {
  static const struct {
    const char *name;
    cgpsd_class class;
  } classes[] = {
      {"\"TPV\"", CGPSD_TPV},     {"\"SKY\"", CGPSD_SKY},         {"\"GST\"", CGPSD_GST},
      {"\"ERROR\"", CGPSD_ERROR}, {"\"DEVICE\"", CGPSD_DEVICE},   {"\"DEVICES\"", CGPSD_DEVICES},
      {"\"WATCH\"", CGPSD_WATCH}, {"\"VERSION\"", CGPSD_VERSION},
  };
  static const char key[] = "{\"class\":";
  if (strncmp(line, key, sizeof key - 1) != 0) return CGPSD_OTHER;
  const char *name = line + sizeof key - 1;
  for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++) {
    if (strncmp(name, classes[i].name, strlen(classes[i].name)) == 0) return classes[i].class;
  }
  return CGPSD_OTHER;
}

/// Whether the line is one closed object: gps_unpack() takes half a line for a whole one and says nothing.
static bool is_whole(const char *line) {
  int depth = 0;
  bool in_string = false;
  for (const char *at = line; *at != '\0'; at++) {
    if (in_string) {
      if (*at == '\\' && at[1] != '\0') {
        at++;
      } else if (*at == '"') {
        in_string = false;
      }
    } else if (*at == '"') {
      in_string = true;
    } else if (*at == '{' || *at == '[') {
      depth++;
    } else if (*at == '}' || *at == ']') {
      depth--;
      if (depth == 0) return at[1 + strspn(at + 1, " \t\r\n")] == '\0';
      if (depth < 0) return false;
    }
  }
  return false;
}

static int64_t nanoseconds(timespec_t time) {
  // 1970 is what an absent time reads as, and the year 2262 is where 64 bits end.
  if (time.tv_sec <= 0 || time.tv_sec > 9223372035) return 0;
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void forget(struct gps_data_t *data) {
  struct gps_fix_t *fix = &data->fix;
  memset(data, 0, sizeof *data);
  fix->latitude = fix->longitude = fix->altHAE = fix->altMSL = fix->geoid_sep = NAN;
  fix->speed = fix->track = fix->climb = fix->magnetic_var = NAN;
  fix->epx = fix->epy = fix->epv = fix->eph = fix->eps = NAN;
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
  report->dgps_age = fix->dgps_age;
  report->dgps_station = fix->dgps_station;
}

static void take_sky(const struct gps_data_t *data, cgpsd_report *report) {
  report->time = nanoseconds(data->skyview_time);
  report->hdop = data->dop.hdop;
  report->vdop = data->dop.vdop;
  report->pdop = data->dop.pdop;
  int count = data->satellites_visible;
  if (count < 0) count = 0;
  if (count > MAXCHANNELS) count = MAXCHANNELS;
  if (count > CGPSD_SATELLITES_MAX) count = CGPSD_SATELLITES_MAX;
  for (int i = 0; i < count; i++) {
    const struct satellite_t *from = &data->skyview[i];
    if (from->PRN <= 0) continue;
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

static void take_devices(const struct gps_data_t *data, cgpsd_report *report) {
  int count = data->devices.ndevices;
  if (count > MAXUSERDEVS) count = MAXUSERDEVS;
  if (count > CGPSD_DEVICES_MAX) count = CGPSD_DEVICES_MAX;
  for (int i = 0; i < count; i++) {
    COPY_TEXT(report->devices[i], data->devices.list[i].path);
    report->active[i] = nanoseconds(data->devices.list[i].activated) != 0;
  }
  report->device_count = count < 0 ? 0 : count;
}

cgpsd_result cgpsd_decode(cgpsd_decoder *decoder, char *line, cgpsd_report *report) {
  unpack_function unpack = load_unpack();
  if (unpack == NULL || decoder == NULL) return CGPSD_NO_LIBRARY;
  struct gps_data_t *data = &decoder->data;
  memset(report, 0, sizeof *report);
  report->class = class_of(line);
  if (report->class == CGPSD_OTHER) return CGPSD_OK;
  forget(data);
  if (!is_whole(line) || unpack(line, data) != 0) return CGPSD_MALFORMED;
  COPY_TEXT(report->device, data->dev.path);
  switch (report->class) {
    case CGPSD_TPV: take_fix(data, report); break;
    case CGPSD_SKY: take_sky(data, report); break;
    case CGPSD_GST: take_noise(data, report); break;
    case CGPSD_DEVICES: take_devices(data, report); break;
    case CGPSD_DEVICE:
      COPY_TEXT(report->devices[0], data->dev.path);
      report->active[0] = nanoseconds(data->dev.activated) != 0;
      report->device_count = 1;
      break;
    case CGPSD_VERSION: COPY_TEXT(report->text, data->version.release); break;
    case CGPSD_ERROR: COPY_TEXT(report->text, data->error); break;
    case CGPSD_WATCH:
    case CGPSD_OTHER: break;
  }
  return CGPSD_OK;
}

#else

cgpsd_result cgpsd_available(void) { return CGPSD_NOT_BUILT; }
const char *cgpsd_library_name(void) { return ""; }
cgpsd_decoder *cgpsd_decoder_create(void) { return NULL; }
void cgpsd_decoder_destroy(cgpsd_decoder *decoder) { (void)decoder; }
cgpsd_result cgpsd_decode(cgpsd_decoder *decoder, char *line, cgpsd_report *report) {
  (void)decoder;
  (void)line;
  memset(report, 0, sizeof *report);
  return CGPSD_NOT_BUILT;
}

#endif
