import Glibc
import LocationCore

/// The output of a u-blox M8 at 10 Hz: ten sentences an epoch, RMC VTG GGA GSA×2 GSV×4 GLL, or the same in four UBX
/// messages, NAV-PVT -SAT -DOP -EOE.
///
/// The ride is a circle at 8 m/s. Epoch `n` is measured `n` tenths of a second after 08:00 UTC, so that the time in a
/// client's line identifies the epoch.
struct RideText {
  /// Sentences an epoch.
  static let sentences = 10
  /// Epochs a second.
  static let rate = 10
  /// The time of day of epoch 0, milliseconds.
  static let begin = 8 * 3_600_000

  enum Form {
    case nmea, ubx
  }

  private(set) var bytes: [UInt8] = []
  /// Where each epoch's bytes end.
  private(set) var ends: [Int] = []

  /// The first `count` epochs; in a recording, each is preceded by the instant of its read.
  init(epochs count: Int, asRecording: Bool = false, form: Form = .nmea) {
    bytes.reserveCapacity(count * 700)
    ends.reserveCapacity(count)
    if asRecording { line("# handlebar-recording 1\n# device=/dev/gps0") }
    for epoch in 0..<count {
      if asRecording { line("# t=\(1000 + epoch * 1000 / Self.rate) src=0") }
      switch form {
      case .nmea: appendSentences(epoch)
      case .ubx: appendFrames(epoch)
      }
      ends.append(bytes.count)
    }
  }

  /// The bytes of one epoch.
  func withEpoch<Result>(_ epoch: Int, _ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    try bytes.withUnsafeBytes { all in
      try body(UnsafeRawBufferPointer(rebasing: all[(epoch == 0 ? 0 : ends[epoch - 1])..<ends[epoch]]))
    }
  }

  private mutating func appendSentences(_ epoch: Int) {
    let time = Self.begin + epoch * 1000 / Self.rate
    let seconds = time / 1000
    let clock =
      pad(seconds / 3600, 2) + pad(seconds / 60 % 60, 2) + pad(seconds % 60, 2) + "." + pad(time % 1000 / 10, 2)
    let (angle, place) = Self.place(epoch)
    let latitude = degrees(place.latitude, width: 2) + ",N"
    let longitude = degrees(place.longitude, width: 3) + ",E"
    let degreesTurned = 360 - Int(angle * 180 / .pi) % 360
    let course = "\(degreesTurned % 360).\(epoch % 10)"
    let signal = 20 + epoch % 20
    sentence("GNRMC,\(clock),A,\(latitude),\(longitude),15.55\(epoch % 10),\(course),190326,,,A,V")
    sentence("GNVTG,\(course),T,,M,15.55\(epoch % 10),N,28.80\(epoch % 10),K,A")
    sentence("GNGGA,\(clock),\(latitude),\(longitude),1,12,0.84,545.\(epoch % 10),M,46.9,M,,")
    sentence("GNGSA,A,3,02,05,07,13,15,20,29,30,,,,,1.52,0.84,1.27,1")
    sentence("GNGSA,A,3,68,69,78,79,,,,,,,,,1.52,0.84,1.27,2")
    sentence("GPGSV,2,1,08,02,35,108,\(signal),05,64,281,41,07,22,057,38,13,48,205,44,1")
    sentence("GPGSV,2,2,08,15,17,163,33,20,08,312,\(signal),29,71,094,46,30,30,250,39,1")
    sentence("GLGSV,2,1,07,68,41,072,36,69,58,337,\(signal),70,11,311,,77,09,021,22,1")
    sentence("GLGSV,2,2,07,78,52,058,40,79,46,151,\(signal),80,05,189,,1")
    sentence("GNGLL,\(latitude),\(longitude),\(clock),A,A")
  }

  /// A circle of 500 m radius at 8 m/s.
  private static func place(_ epoch: Int) -> (angle: Double, (latitude: Double, longitude: Double)) {
    let angle = Double(epoch) * 0.8 / 500
    return (angle, (48.1173 + 0.0045 * sin(angle), 11.5167 + 0.0067 * cos(angle)))
  }

  /// System and number in UBX, elevation, azimuth, signal; without one it varies.
  private static let satellites: [(system: Int, number: Int, elevation: Int, azimuth: Int, signal: Int?)] = [
    (0, 2, 35, 108, nil), (0, 5, 64, 281, 41), (0, 7, 22, 57, 38), (0, 13, 48, 205, 44), (0, 15, 17, 163, 33),
    (0, 20, 8, 312, nil), (0, 29, 71, 94, 46), (0, 30, 30, 250, 39), (6, 4, 41, 72, 36), (6, 5, 58, 337, nil),
    (6, 6, 11, 311, 0), (6, 13, 9, 21, 22), (6, 14, 52, 58, 40), (6, 15, 46, 151, nil), (6, 16, 5, 189, 0),
  ]

  private mutating func appendFrames(_ epoch: Int) {
    func number(_ value: Int, _ count: Int) -> [UInt8] { ReceiverCommand.littleEndian(value, count) }
    let time = Self.begin + epoch * 1000 / Self.rate
    // A Thursday; GPS is 18 s ahead.
    let week = number(4 * 86_400_000 + time + 18_000, 4)
    let (angle, place) = Self.place(epoch)
    let course = (720 - Int(angle * 180 / .pi) % 360) % 360
    var solution = week + number(2026, 2) + [3, 19]
    solution += [UInt8(time / 3_600_000), UInt8(time / 60_000 % 60), UInt8(time / 1000 % 60), 7]
    solution += number(25, 4) + number(time % 1000 * 1_000_000, 4) + [3, 1, 0, 12]
    solution += number(Int(place.longitude * 1e7), 4) + number(Int(place.latitude * 1e7), 4)
    solution += number(592_300 + epoch % 10 * 100, 4) + number(545_400 + epoch % 10 * 100, 4)
    // Accuracies and velocity.
    solution += [2000, 3000, 0, 0, 0, 8000, course * 100_000, 200, 500_000].flatMap { number($0, 4) }
    solution += number(152, 2) + [UInt8](repeating: 0, count: 14)
    var sky = week + [1, UInt8(Self.satellites.count), 0, 0]
    for satellite in Self.satellites {
      let signal = satellite.signal ?? 20 + epoch % 20
      sky += [satellite.system, satellite.number, signal, satellite.elevation].map(UInt8.init)
      sky += number(satellite.azimuth, 2) + number(0, 2) + number(satellite.signal == 0 ? 0 : 8, 4)
    }
    bytes += ReceiverCommand.ubx(0x01, 0x07, solution) + ReceiverCommand.ubx(0x01, 0x35, sky)
    bytes += ReceiverCommand.ubx(0x01, 0x04, week + [180, 152, 90, 127, 84, 60, 60].flatMap { number($0, 2) })
    bytes += ReceiverCommand.ubx(0x01, 0x61, week)
  }

  private mutating func sentence(_ content: String) {
    var sum: UInt8 = 0
    for byte in content.utf8 { sum ^= byte }
    let digits = String(sum, radix: 16, uppercase: true)
    bytes.append(UInt8(ascii: "$"))
    bytes.append(contentsOf: content.utf8)
    bytes.append(contentsOf: (sum < 16 ? "*0" : "*").utf8)
    bytes.append(contentsOf: digits.utf8)
    bytes.append(contentsOf: "\r\n".utf8)
  }

  private mutating func line(_ text: String) {
    bytes.append(contentsOf: text.utf8)
    bytes.append(UInt8(ascii: "\n"))
  }

  /// Degrees and minutes with five decimals.
  private func degrees(_ value: Double, width: Int) -> String {
    let units = Int((value * 6_000_000).rounded())
    let minutes = units % 6_000_000
    return pad(units / 6_000_000, width) + pad(minutes / 100_000, 2) + "." + pad(minutes % 100_000, 5)
  }

  private func pad(_ value: Int, _ width: Int) -> String {
    let digits = String(value)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}
