import Glibc

/// The output of a u-blox M8 at 10 Hz: ten sentences an epoch, RMC VTG GGA GSA×2 GSV×4 GLL.
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

  private(set) var bytes: [UInt8] = []
  /// Where each epoch's bytes end.
  private(set) var ends: [Int] = []

  /// The first `count` epochs; in a recording, each is preceded by the instant of its read.
  init(epochs count: Int, asRecording: Bool = false) {
    bytes.reserveCapacity(count * 700)
    ends.reserveCapacity(count)
    if asRecording { line("# handlebar-recording 1\n# device=/dev/gps0") }
    for epoch in 0..<count {
      if asRecording { line("# t=\(1000 + epoch * 1000 / Self.rate) src=0") }
      append(epoch)
      ends.append(bytes.count)
    }
  }

  /// The bytes of one epoch.
  func withEpoch<Result>(_ epoch: Int, _ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    try bytes.withUnsafeBytes { all in
      try body(UnsafeRawBufferPointer(rebasing: all[(epoch == 0 ? 0 : ends[epoch - 1])..<ends[epoch]]))
    }
  }

  private mutating func append(_ epoch: Int) {
    let time = Self.begin + epoch * 1000 / Self.rate
    let seconds = time / 1000
    let clock =
      pad(seconds / 3600, 2) + pad(seconds / 60 % 60, 2) + pad(seconds % 60, 2) + "." + pad(time % 1000 / 10, 2)
    // A circle of 500 m radius at 8 m/s.
    let angle = Double(epoch) * 0.8 / 500
    let latitude = degrees(48.1173 + 0.0045 * sin(angle), width: 2) + ",N"
    let longitude = degrees(11.5167 + 0.0067 * cos(angle), width: 3) + ",E"
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
