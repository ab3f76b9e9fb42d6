/// What a simulated receiver sends, epoch by epoch.
struct WireEpochs {
  /// One epoch's sentences.
  struct Epoch {
    /// Its time of day, milliseconds.
    var time = 0
    var bytes: [UInt8] = []
    /// How many bytes it takes until all that its fix needs is there: to the checksum of the last such sentence.
    var needed = 0
  }

  private(set) var epochs: [Epoch] = []

  /// Types that say again what RMC or any position has said, or nothing about a fix.
  private static let repeating: Set = ["VTG", "GLL", "ZDA", "GSV"]

  /// The sentences of a recording by the simulator.
  init(recording: [UInt8], of profile: WireProfile) throws {
    var opening: String?
    for line in recording.split(separator: UInt8(ascii: "\n")) where line.first == UInt8(ascii: "$") {
      let text = String(decoding: line, as: UTF8.self)
      let fields = text.split(separator: ",", omittingEmptySubsequences: false)
      let type = String(fields[0].suffix(3))
      if let only = profile.only, !only.contains(type) { continue }
      if opening == nil { opening = type }
      if type == opening { epochs.append(Epoch()) }
      guard let star = line.firstIndex(of: UInt8(ascii: "*")), fields.count > 1 else { throw Failure(text) }
      let index = epochs.count - 1
      if type == "RMC" { epochs[index].time = try Self.milliseconds(fields[1]) }
      if !Self.repeating.contains(type) {
        epochs[index].needed = epochs[index].bytes.count + star - line.startIndex + 3
      }
      epochs[index].bytes += line
      epochs[index].bytes.append(UInt8(ascii: "\n"))
    }
  }

  /// `hhmmss.sss` as milliseconds of the day.
  private static func milliseconds(_ text: Substring) throws -> Int {
    guard let value = Double(text) else { throw Failure("no time: \(text)") }
    let whole = Int(value)
    return ((whole / 10_000 * 60 + whole / 100 % 100) * 60 + whole % 100) * 1000
      + Int(((value - Double(whole)) * 1000).rounded())
  }
}
