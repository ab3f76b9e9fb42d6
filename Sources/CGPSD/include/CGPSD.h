// One line of gpsd's JSON, decoded by the installed libgps into a small struct. Nothing of gps.h crosses this header:
// its structs are 24 to 49 kB and change their layout between releases.
#ifndef CGPSD_H
#define CGPSD_H

#include <stdbool.h>
#include <stdint.h>

enum { CGPSD_PATH_MAX = 128, CGPSD_TEXT_MAX = 256, CGPSD_SATELLITES_MAX = 184, CGPSD_DEVICES_MAX = 4 };

/// The class of a line.
typedef enum cgpsd_class {
  /// A class that is not decoded.
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

/// The outcome of decoding a line.
typedef enum cgpsd_result {
  CGPSD_OK = 0,
  /// libgps does not understand the line.
  CGPSD_MALFORMED,
} cgpsd_result;

/// A satellite. An absent number is NaN, an absent identity -1.
typedef struct cgpsd_satellite {
  int prn;
  int gnssid;
  int svid;
  double elevation;
  double azimuth;
  double ss;
  bool used;
} cgpsd_satellite;

/// One line. Only members of its class are set, and only as many satellites as are counted; an absent number is NaN.
typedef struct cgpsd_report {
  cgpsd_class class;
  /// Path of the device, empty when the line names none.
  char device[CGPSD_PATH_MAX];

  /// Number of objects and arrays that were removed from places where none belong.
  int nested;

  /// TPV: 0 unknown, 1 no fix, 2, 3; gpsd's status.
  int mode;
  int status;
  /// TPV, SKY, GST: UTC, nanoseconds since 1970; 0 when absent.
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
  double epd;
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

  /// DEVICES, DEVICE: the paths, and since when each is open in nanoseconds since 1970; 0 when it is closed.
  int device_count;
  char devices[CGPSD_DEVICES_MAX][CGPSD_PATH_MAX];
  int64_t activated[CGPSD_DEVICES_MAX];

  /// WATCH: whether reports are streamed, as JSON, as sentences.
  bool enable;
  bool json;
  bool nmea;

  /// VERSION: the release. ERROR: the message.
  char text[CGPSD_TEXT_MAX];
  /// VERSION: the revision and the version of the protocol.
  char revision[CGPSD_TEXT_MAX];
  int protocol_major;
  int protocol_minor;
} cgpsd_report;

/// The memory of a decoder, one for each connection, used by one thread at a time.
typedef struct cgpsd_decoder cgpsd_decoder;

/// Creates a decoder, loading libgps at the first call; NULL if none is installed that has the layout of the header, if
/// this was compiled without that header, or without memory.
cgpsd_decoder *cgpsd_decoder_create(void);

/// Frees a decoder, or does nothing for NULL.
void cgpsd_decoder_destroy(cgpsd_decoder *decoder);

/// Decodes one line that ends with NUL, changing it in place.
cgpsd_result cgpsd_decode(cgpsd_decoder *decoder, char *line, cgpsd_report *report);

#endif
