import GPSDProtocol
import LocationCore
import RideTools
import Testing

/// A recording of the test matrix: its files in order.
struct MatrixRecording: CustomTestStringConvertible {
  let testDescription: String
  var files: [[UInt8]]
  /// Whether measured times step back, so that a replay shifts them.
  var stepsBack = false
  /// Whether it is a GPX file, which no recorder extends.
  var isGPX = false

  init(_ description: String, _ files: String..., stepsBack: Bool = false, isGPX: Bool = false) {
    testDescription = description
    self.files = files.map { Array($0.utf8) }
    self.stepsBack = stepsBack
    self.isGPX = isGPX
  }

  /// The odd ones, 30 to 60 epochs each.
  static let odd: [MatrixRecording] = [
    MatrixRecording(
      "Sentences without checksums, which the header accepts",
      header("# checksums=accept\n") + ride(0..<30) { withoutChecksums(epoch($0)) }),
    MatrixRecording(
      "Sentences without checksums, which the header does not accept",
      header() + ride(0..<30) { withoutChecksums(epoch($0)) }),
    MatrixRecording("A plain log", (0..<30).map { epoch($0) }.joined()),
    MatrixRecording("A plain log without checksums", (0..<30).map { withoutChecksums(epoch($0)) }.joined()),
    MatrixRecording(
      "Two sources, the first of which ends",
      header("# device=/dev/b\n")
        + (0..<40).map { number in
          (number < 15 ? stamp(number) + epoch(number) : "") + stamp(number, src: 1, late: 300)
            + epoch(number, east: "31")
        }.joined()),
    MatrixRecording(
      "Two sources, the first of which returns after a loss",
      header("# device=/dev/b\n")
        + (0..<60).map { number in
          ((15..<30).contains(number) ? "" : stamp(number) + epoch(number)) + stamp(number, src: 1, late: 300)
            + epoch(number, east: "31")
        }.joined()),
    MatrixRecording(
      "A dump of sentences and reports of gpsd", (0..<30).map { epoch($0) + report($0) + report($0) }.joined()),
    MatrixRecording("Reports of gpsd", (0..<30).map { report($0) + report($0) }.joined()),
    MatrixRecording(
      "A power cut in the middle", header() + ride(0..<15) + stamp(15) + String(epoch(15).prefix(40)) + nuls,
      header(boot: "b", run: 2) + ride(40..<60)),
    MatrixRecording(
      "A power cut within a file", header() + ride(0..<15) + "$GNRMC,12" + nuls + "\n" + ride(20..<40)),
    MatrixRecording(
      "Rotation in three files", header() + ride(0..<10), header() + ride(10..<20), header() + ride(20..<30)),
    MatrixRecording(
      "Recorded losses",
      header() + ride(0..<10) + stamp(10) + #"# e {"source":"lost"}"# + "\n" + stamp(20) + #"# e {"source":"found"}"#
        + "\n"
        + ride(20..<30)),
    MatrixRecording(
      "Two boots", header() + ride(0..<20), header(boot: "b", run: 2) + ride(30..<50, from: 3)),
    MatrixRecording(
      "Two runs of one boot", header() + ride(0..<20), header(run: 2) + ride(30..<50)),
    MatrixRecording(
      "A clock that was wrong in the first of two boots", header() + ride(0..<20) { epoch($0 + 3600) },
      header(boot: "b", run: 2) + ride(0..<20), stepsBack: true),
    MatrixRecording(
      "Views and follow requests",
      header() + ride(0..<10) + stamp(10)
        + #"# e {"request":"VIEW","view":"main","lat":48.1,"lon":11.5,"seq":5,"cause":"user"}"#
        + "\n" + ride(10..<30)),
    MatrixRecording(
      "A track",
      "<gpx>"
        + (0..<30).map { number in
          "<trkpt lat='48.\(1000 + number)' lon='11.5'><time>2026-03-19T12:00:\(number < 10 ? "0" : "")\(number)Z</time></trkpt>"
        }.joined() + "</gpx>", isGPX: true),
  ]

  /// Simulated rides of receivers that send UBX, as the recorder writes them, and as logs of nothing but their bytes.
  static let ubx: [MatrixRecording] = ["ublox-ubx-5hz", "ublox-ubx-10hz", "ublox-mixed-10hz"].flatMap { receiver in
    var options = try? SimulationOptions(named: "tour")
    try? options?.set(.receiver, to: receiver)
    try? options?.set(.length, to: "300")
    var recorded = MatrixRecording("A ride of \(receiver)")
    var log = MatrixRecording("A log of \(receiver)")
    if let ride = try? options?.ride() {
      var writer = SimulatedWriter(of: ride)
      var (bytes, epochs) = ([UInt8](), [SimulatedEpoch]())
      while let epoch = writer.next(into: &bytes) { epochs.append(epoch) }
      (recorded.files, log.files) = ([bytes], [epochs.flatMap(\.bytes)])
    }
    return [recorded, log]
  }

  private static let nuls = String(repeating: "\0", count: 500)

  private static func header(_ more: String = "", boot: String = "a", run: Int = 1) -> String {
    "# handlebar-recording 1\n# device=/dev/a\n\(more)# boot=\(boot)\n# run=\(run)\n"
  }

  private static func stamp(_ number: Int, src: Int = 0, late: Int = 0) -> String {
    "# t=\(5000 + 1000 * number + late) src=\(src)\n"
  }

  /// Epochs at their times on a clock that begins `start` seconds earlier.
  private static func ride(
    _ numbers: Range<Int>, from start: Int = 0, _ epoch: (Int) -> String = { Self.epoch($0) }
  ) -> String {
    numbers.map { stamp($0 - start) + epoch($0) }.joined()
  }

  /// RMC and GGA of an epoch on a way to the north at 20 m/s.
  private static func epoch(_ number: Int, east: String = "30") -> String {
    let text = NMEAEpoch(number: number, north: 20 * Double(number % 3600), speed: 20).text
    guard east != "30" else { return text }
    return text.split(separator: "\r\n").map { line in
      let body = line.dropFirst().prefix { $0 != "*" }.split(separator: "01130.", omittingEmptySubsequences: false)
      return NMEAEpoch.sentence(body.joined(separator: "011\(east)."))
    }.joined()
  }

  private static func withoutChecksums(_ text: String) -> String {
    text.split(separator: "\r\n").map { $0.prefix { $0 != "*" } + "\r\n" }.joined()
  }

  private static func report(_ number: Int) -> String {
    let second = number < 10 ? "0\(number)" : "\(number)"
    return
      #"{"class":"TPV","device":"d","mode":3,"time":"2026-03-19T12:00:\#(second).000Z","lat":48.\#(1000 + number),"#
      + #""lon":11.5,"altMSL":500,"speed":20,"track":0}"# + "\n"
  }
}
