import LocationCore

/// What one line of gpsd's JSON in a recording or a dump (`gpspipe -w`) says about positions.
///
/// Decoded here and not by libgps: a replay must give the same on a board that has no gpsd, and whatever release of it
/// another board has. What is out of range is left out, as from a live gpsd. Names and units: gpsd_json(5).
package enum RecordedReport: Hashable, Sendable {
  /// `TPV`.
  case position(GPSDPosition)
  /// `SKY`.
  case sky(device: String, Sky)
  /// `GST`.
  case noise(device: String, PseudorangeNoise)
  /// A class that says nothing about positions.
  case other

  /// Reads a line with or without its end, received at `instant`; `nil` when it is no object with a class.
  package init?(line: UnsafeBufferPointer<UInt8>, at instant: MonotonicInstant) {
    guard var cursor = JSONCursor(line) else { return nil }
    var fields = ReportFields()
    while let (name, value) = cursor.member() { fields.take(name, value, in: line, cursor) }
    guard !cursor.isBroken, let kind = fields.kind else { return nil }
    switch kind {
    case .tpv: self = .position(fields.position(at: instant))
    case .sky: self = .sky(device: fields.device, fields.sky(in: line))
    case .gst: self = .noise(device: fields.device, fields.noise)
    case .other: self = .other
    }
  }

  /// Whether a line may be one.
  package static func begins(_ line: some Collection<UInt8>) -> Bool { line.first == UInt8(ascii: "{") }
}
