// One line of gpsd's JSON, decoded by the installed libgps into a small struct of this project's own. Nothing of
// gps.h crosses this header: its structs are 24 to 49 kB and change their layout between releases.
#ifndef CGPSD_H
#define CGPSD_H

#include <stdbool.h>
#include <stdint.h>

enum { CGPSD_PATH_MAX = 128, CGPSD_TEXT_MAX = 256, CGPSD_SATELLITES_MAX = 140, CGPSD_DEVICES_MAX = 4 };

/// What a line says.
typedef enum cgpsd_class {
  /// A class that is not decoded here.
  CGPSD_OTHER = 0,
  CGPSD_VERSION,
  CGPSD_WATCH,
  CGPSD_DEVICES,
  CGPSD_DEVICE,
  CGPSD_TPV,
  CGPSD_SKY,
  CGPSD_GST,
  CGPSD_ERROR,
} cgpsd_class;

/// Why a line gives nothing.
typedef enum cgpsd_result {
  CGPSD_OK = 0,
  /// libgps does not understand the line.
  CGPSD_MALFORMED,
  /// There is no libgps of the kind that this was compiled for.
  CGPSD_NO_LIBRARY,
  /// This was compiled without gps.h.
  CGPSD_NOT_BUILT,
} cgpsd_result;

/// A satellite; a number that is not known is NaN.
typedef struct cgpsd_satellite {
  int prn;
  int gnssid;
  int svid;
  double elevation;
  double azimuth;
  double ss;
  bool used;
} cgpsd_satellite;

/// One line. Only what belongs to its class is set; a number that is not known is NaN.
typedef struct cgpsd_report {
  cgpsd_class class;
  /// The device that the line is about, empty when it names none.
  char device[CGPSD_PATH_MAX];

  /// Members that were left out because they are objects or arrays where none belong.
  int nested;

  /// TPV: 0 not told, 1 no fix, 2, 3; GPSD's status.
  int mode;
  int status;
  /// TPV, SKY, GST: UTC, nanoseconds since 1970; 0 when not told.
  int64_t time;
  double latitude;
  double longitude;
  double altitude_hae;
  double altitude_msl;
  double geoid_separation;
  double speed;
  double track;
  double climb;
  double magnetic_variation;
  double epx;
  double epy;
  double epv;
  double eph;
  double eps;
  double dgps_age;
  int dgps_station;

  /// SKY.
  int satellite_count;
  cgpsd_satellite satellites[CGPSD_SATELLITES_MAX];
  double hdop;
  double vdop;
  double pdop;

  /// GST, 1 sigma, metres; orientation in degrees.
  double rms;
  double major;
  double minor;
  double orientation;
  double latitude_deviation;
  double longitude_deviation;
  double altitude_deviation;

  /// DEVICES, DEVICE: the paths, and whether each is open.
  int device_count;
  char devices[CGPSD_DEVICES_MAX][CGPSD_PATH_MAX];
  bool active[CGPSD_DEVICES_MAX];

  /// VERSION: the release. ERROR: the message.
  char text[CGPSD_TEXT_MAX];
} cgpsd_report;

/// A decoder's memory; one for each connection, used by one thread at a time.
typedef struct cgpsd_decoder cgpsd_decoder;

/// Whether lines can be decoded: loads libgps at the first call. `CGPSD_OK`, `CGPSD_NO_LIBRARY` or `CGPSD_NOT_BUILT`.
cgpsd_result cgpsd_available(void);

/// The file name that the libgps this was compiled for most likely has; empty when it was compiled without.
const char *cgpsd_library_name(void);

/// Makes a decoder; NULL without memory or library.
cgpsd_decoder *cgpsd_decoder_create(void);

/// Gives a decoder back; NULL is nothing.
void cgpsd_decoder_destroy(cgpsd_decoder *decoder);

/// Decodes one line, which ends with NUL and may be changed in place.
cgpsd_result cgpsd_decode(cgpsd_decoder *decoder, char *line, cgpsd_report *report);

#endif
