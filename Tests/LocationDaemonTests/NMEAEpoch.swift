import LocationCore

/// An epoch as sent by a receiver: RMC, GGA and optional sentences.
struct NMEAEpoch {
  /// Its number; epoch 0 is measured at 12:00:00 UTC on 2026-03-19.
  var number: Int
  /// Seconds from epoch to epoch.
  var period = 1.0
  /// Metres north of 48° N 11.5° E.
  var north = 0.0
  /// m/s.
  var speed = 10.0
  /// Whether the receiver has a fix.
  var isValid = true
  /// Whether it includes GSA and GSV.
  var hasSky = false
  /// Whether it includes GST.
  var hasNoise = false

  /// Seconds since epoch 0.
  var offset: Double { Double(number) * period }

  /// All of its sentences.
  var text: String {
    var all = isValid ? valid : void
    if hasSky {
      all += Self.sentence("GNGSA,A,3,02,05,,,,,,,,,,,1.7,0.9,1.4,1")
      all += Self.sentence("GPGSV,1,1,03,02,45,120,40,05,30,200,38,12,10,300,,1")
    }
    if hasNoise { all += Self.sentence("GNGST,\(clock),5.0,2.0,1.5,45.0,1.5,1.4,3.0") }
    return all
  }

  private var valid: String {
    let knots = Self.fixed(speed / 0.514444, decimals: 3)
    return Self.sentence("GNRMC,\(clock),A,\(place),\(knots),0.0,190326,,,A,V")
      + Self.sentence("GNGGA,\(clock),\(place),1,10,0.9,500.0,M,47.0,M,,")
  }

  private var void: String {
    Self.sentence("GNRMC,\(clock),V,,,,,,,190326,,,N,V") + Self.sentence("GNGGA,\(clock),,,,,0,00,,,M,,M,,")
  }

  private var place: String {
    // A minute of latitude is 1853.2 m here.
    let minutes = Self.fixed(north / 1853.2, decimals: 6, width: 9)
    return "48\(minutes),N,01130.000000,E"
  }

  private var clock: String {
    let hundredths = Int((offset * 100).rounded())
    let seconds = hundredths / 100
    let digits = [12 + seconds / 3600, seconds / 60 % 60, seconds % 60].map { Self.padded($0, 2) }
    return digits.joined() + "." + Self.padded(hundredths % 100, 2)
  }

  /// `$body*hh` with the checksum and CR LF.
  static func sentence(_ body: String) -> String {
    let sum = body.utf8.reduce(0, ^)
    let hex = String(sum, radix: 16, uppercase: true)
    return "$\(body)*\(hex.count < 2 ? "0" : "")\(hex)\r\n"
  }

  private static func fixed(_ value: Double, decimals: Int, width: Int = 0) -> String {
    var scale = 1
    for _ in 0..<decimals { scale *= 10 }
    let whole = Int((value * Double(scale)).rounded())
    return padded(whole / scale, max(width - decimals - 1, 1)) + "." + padded(whole % scale, decimals)
  }

  private static func padded(_ value: Int, _ width: Int) -> String {
    let digits = String(value)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}

extension Coordinate {
  /// An arbitrary position.
  static let munich: Coordinate = {
    guard let place = Coordinate(latitude: 48.1234567891, longitude: 11.5) else { preconditionFailure() }
    return place
  }()
}
