/// A change of the subscription, `?WATCH={…}`; a `nil` field keeps its value. gpsd's `scaled`, `timing`, `split24`,
/// `pps` and `remote` are accepted and without effect.
package struct WatchRequest: CodedFields {
  /// Metres.
  package static let distanceFilters = 0...1_000_000.0
  package var enable = true
  package var json: Bool?
  package var nmea: Bool?
  /// The receiver's bytes: 0 off.
  package var raw: Int?
  /// Path of the only device to watch; empty for all again.
  package var device: String?
  /// Metres between delivered fixes; 0 = every fix.
  package var distanceFilter: Double?
  /// Seconds after which the newest fix is sent although it did not move: 0 (never) or 0.1 to 86,400.
  package var heartbeat: Double?
  /// Poses per second: 0 (none) or 1 to 60.
  package var poses: Int?
  /// Seconds between repetitions of `ARRIVAL` while moving: 0 (never) or 1 to 86,400.
  package var arrivals: Double?
  package var course: Bool?
  /// Whether `SKY` is sent.
  package var satellites: Bool?
  package var trips: Bool?
  package var sensors: Bool?
  /// Whether estimated positions are sent while there is no fix.
  package var estimated: Bool?
  /// Whether this client understands the additions to gpsd's protocol.
  package var handlebar: Bool?

  package init(enable: Bool) { self.enable = enable }
  package init() {}

  package mutating func fields(_ coder: inout some FieldCoder) {
    coder.ignoreUnknown()
    var isOn: Bool? = enable
    coder.field("enable", &isOn)
    enable = isOn ?? true
    coder.field("json", &json)
    coder.field("nmea", &nmea)
    coder.field("raw", &raw, upTo: 2)
    options(&coder)
    coder.field("handlebar", &handlebar)
  }

  /// The fields that a ``WatchReport`` has, too, in the same order.
  mutating func options(_ coder: inout some FieldCoder) {
    coder.field("device", &device, bytes: 0...1024)
    coder.field("distanceFilter", &distanceFilter, decimals: 3, in: Self.distanceFilters)
    coder.field("heartbeat", &heartbeat, decimals: 3, in: 0...86_400)
    coder.check("heartbeat", heartbeat.map { $0 == 0 || $0 >= 0.1 } ?? true, "0 (never) or from 0.1 to 86400 seconds")
    coder.field("poses", &poses, upTo: 60)
    coder.field("arrivals", &arrivals, decimals: 3, in: 0...86_400)
    coder.check("arrivals", arrivals.map { $0 == 0 || $0 >= 1 } ?? true, "0 (never) or from 1 to 86400 seconds")
    coder.field("course", &course)
    coder.field("satellites", &satellites)
    coder.field("trips", &trips)
    coder.field("sensors", &sensors)
    coder.field("estimated", &estimated)
  }

  /// Takes the settings of a later request, which keeps those that it omits. Of `raw`, 1 is `nmea`.
  package mutating func merge(_ later: WatchRequest) {
    enable = later.enable
    nmea = later.nmea ?? later.raw.map { $0 == 1 } ?? nmea
    raw = later.raw.map { $0 == 2 ? 2 : 0 } ?? raw
    if let wanted = later.device { device = wanted.isEmpty ? nil : wanted }
    poses = later.poses ?? poses
    for value in [\Self.distanceFilter, \.heartbeat, \.arrivals] {
      self[keyPath: value] = later[keyPath: value] ?? self[keyPath: value]
    }
    for flag in [\Self.json, \.course, \.satellites, \.trips, \.sensors, \.estimated, \.handlebar] {
      self[keyPath: flag] = later[keyPath: flag] ?? self[keyPath: flag]
    }
  }
}

struct DeviceRequest: CodedFields {
  var path: String?

  mutating func fields(_ coder: inout some FieldCoder) { coder.field("path", &path, bytes: 1...1024) }
}
