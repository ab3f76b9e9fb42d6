import LocationCore

/// A receiver with its own clock, and the epochs that it produced.
struct ReceiverRig {
  var receiver: NMEAReceiver
  var now = MonotonicInstant(nanoseconds: 1_000_000_000_000)
  var epochs: [Epoch] = []
  /// Number of epochs that their own last sentence closed, if the clock advances from one to the next.
  private(set) var prompt = 0

  init(_ configuration: ReceiverConfiguration = .init()) {
    receiver = NMEAReceiver(configuration: configuration)
  }

  /// Sends sentences in one burst; `$`, checksum and line end are added.
  mutating func send(_ sentences: String...) {
    send(text: sentences.map(Self.line).joined())
  }

  /// Sends text as it is.
  mutating func send(text: String) {
    send(Array(text.utf8))
  }

  /// Sends bytes in one burst.
  mutating func send(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { send($0) }
  }

  /// Sends bytes in one burst.
  mutating func send(_ bytes: UnsafeRawBufferPointer) {
    var new: [Epoch] = []
    receiver.receive(bytes, at: now) { epoch in new.append(copy epoch) }
    prompt += new.count { $0.received == now }
    epochs += new
  }

  /// Advances the clock; deadlines are processed at their own time.
  mutating func wait(_ duration: Duration) {
    let end = now + duration
    while let deadline = receiver.deadline, deadline <= end {
      now = max(now, deadline)
      var new: [Epoch] = []
      receiver.expire(at: now) { epoch in new.append(copy epoch) }
      epochs += new
    }
    now = end
  }

  /// Ends the input.
  mutating func end() {
    var new: [Epoch] = []
    receiver.endOfInput(at: now) { epoch in new.append(copy epoch) }
    epochs += new
  }

  /// The fixes to publish, in order.
  var fixes: [Fix] {
    epochs.compactMap { epoch in
      if case .fix(let fix, _) = epoch.outcome { fix } else { nil }
    }
  }

  /// A short form of each epoch's outcome.
  var outcomes: [String] {
    epochs.map { epoch in
      switch epoch.outcome {
      case .fix(_, let suspect): suspect ? "suspect" : "fix"
      case .noFix(let reason): reason.rawValue
      case .dropped(let reason): reason.rawValue
      case .held: "held"
      }
    }
  }

  /// A sentence with `$`, checksum and line end.
  static func line(_ body: String) -> String {
    let checksum = body.utf8.reduce(UInt8(0), ^)
    let hex = String(checksum, radix: 16, uppercase: true)
    return "$\(body)*\(hex.count < 2 ? "0" : "")\(hex)\r\n"
  }
}

/// Sentences of a rider in Munich, at a second of the day after 12:35:00.
enum Sentences {
  static let latitude = 48.117_3

  static func time(_ second: Double) -> String {
    let milliseconds = Int((second * 1000).rounded()) + (12 * 60 + 35) * 60_000
    func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
    let rest = milliseconds % 1000
    return two(milliseconds / 3_600_000) + two(milliseconds / 60_000 % 60) + two(milliseconds / 1000 % 60) + "."
      + (rest < 100 ? rest < 10 ? "00" : "0" : "") + "\(rest)"
  }

  /// Latitude as `48ddd.dddd,N` with minutes moved north by ten-thousandths.
  static func place(_ north: Int = 0) -> String {
    let minutes = 70_380 + north
    let fraction = "\(minutes % 10_000)"
    let zeros = String(repeating: "0", count: 4 - fraction.count)
    return "480\(minutes / 10_000).\(zeros)\(fraction),N,01131.0000,E"
  }

  static func rmc(
    _ second: Double, north: Int = 0, status: String = "A", mode: String = "A", date: String = "190326"
  ) -> String {
    "GNRMC,\(time(second)),\(status),\(place(north)),22.400,084.40,\(date),,,\(mode),V"
  }

  static func gga(_ second: Double, north: Int = 0, quality: String = "1") -> String {
    "GNGGA,\(time(second)),\(place(north)),\(quality),12,0.84,545.4,M,46.9,M,,"
  }

  static func gll(_ second: Double, north: Int = 0, status: String = "A", mode: String = "A") -> String {
    "GNGLL,\(place(north)),\(time(second)),\(status),\(mode)"
  }

  static func gns(_ second: Double, north: Int = 0, modes: String = "AAN") -> String {
    "GNGNS,\(time(second)),\(place(north)),\(modes),12,0.84,545.4,46.9,,,V"
  }

  static func zda(_ second: Double, date: String = "19,03,2026") -> String {
    "GNZDA,\(time(second)),\(date),00,00"
  }

  static func gst(_ second: Double) -> String {
    "GNGST,\(time(second)),1.2,3.0,2.0,45.0,2.5,2.6,4.0"
  }

  static func gsa(_ fix: Int, talker: String = "GN") -> String {
    "\(talker)GSA,A,\(fix),01,02,03,04,05,,,,,,,,1.50,0.80,1.20"
  }

  static let vtg = "GNVTG,084.40,T,,M,22.400,N,41.485,K,A"

  static let gsv = ["GPGSV,2,1,05,01,40,083,46,02,17,308,41,03,07,344,39,04,22,228,45", "GPGSV,2,2,05,05,10,100,30"]
}
