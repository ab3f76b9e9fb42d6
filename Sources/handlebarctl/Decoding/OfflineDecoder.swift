import GPSDProtocol
import LocationCore
import Recordings

/// Result that `decode` prints.
enum DecodeResult {
  /// What the daemon publishes to a subscriber with this filter.
  case epochs(FilterConfiguration)
  /// Poses, so many per second.
  case poses(rate: Int)
  /// An object for each sentence and rejected line.
  case sentences
  /// Statistics of each source: an object or a table for each. `speed` is the line's, bit/s, if known.
  case statistics(speed: Int?, json: Bool)

  /// Whether rejected lines are part of the result.
  var includesErrors: Bool {
    if case .statistics = self { return true }
    return false
  }
}

/// Decodes the items of a recording on recorded time.
struct OfflineDecoder {
  /// Further sources of a recording are skipped.
  static let maximumSources = 16

  /// Lines to print; the owner removes them.
  var output = JSONLine(capacity: DecodeInput.pieceSize * 2, lineEnd: .lf)

  private let device: String
  private let result: DecodeResult
  private var header = RecordingHeader()
  private var time = RecordedTime()
  private var timed: [RecordedTime.Item] = []
  private var now = MonotonicInstant.zero
  private var sources: [Int: DecodedSource] = [:]
  private var tally = DecodeTally()

  init(device: String, result: DecodeResult) {
    self.device = device
    self.result = result
  }

  /// Epochs and rates depend on when their bytes were read; sentences do not.
  private var needsTime: Bool {
    if case .sentences = result { return false }
    return true
  }

  /// Takes the next item.
  mutating func take(_ item: RecordingItem) {
    switch item {
    case .header(let header): self.header = header
    case .damage(let damage): tally.damage.count(damage)
    case .burst(let burst) where !needsTime: take(burst)
    case .burst, .event: break
    }
    guard needsTime else { return }
    time.take(item, into: &timed)
    takeTimed()
  }

  /// Ends all sources at the end of the input.
  mutating func finish() {
    time.flush(into: &timed)
    takeTimed()
    for source in sources.keys.sorted() {
      sources[source]?.finish(at: now, into: &output)
    }
    // Statistics of noise are of no receiver.
    if case .statistics = result, content.sentences == 0 { output.removeAll() }
  }

  /// The summary, in lines for a person.
  var summary: [String] { total.lines(for: result) }

  /// Accepted and rejected sentences, and reports.
  var content: (sentences: UInt64, rejected: UInt64, reports: Int) { total.content }

  private var total: DecodeTally {
    var tally = tally
    for decoded in sources.values { decoded.count(in: &tally) }
    return tally
  }

  private mutating func takeTimed() {
    for item in timed {
      now = MonotonicInstant.zero + item.position
      if item.isAfterGap { for decoded in sources.values { decoded.gap(at: now) } }
      if case .burst(let burst) = item.content { take(burst) }
    }
    timed.removeAll(keepingCapacity: true)
  }

  private mutating func take(_ burst: RecordedBurst) {
    guard let decoded = source(of: burst.stamp?.source ?? 0) else {
      tally.skippedBytes += burst.bytes.count
      return
    }
    decoded.take(burst.bytes, at: now, isStamped: burst.stamp != nil, into: &output)
  }

  private mutating func source(of number: Int) -> DecodedSource? {
    if let known = sources[number] { return known }
    guard sources.count < Self.maximumSources else { return nil }
    let devices = header.all("device")
    let device = devices.indices.contains(number) ? devices[number] : device
    let decoded: DecodedSource
    switch result {
    case .epochs(let filter): decoded = .epochs(DecodedEpochs(device: device, filter: filter))
    case .poses(let rate): decoded = .epochs(DecodedEpochs(device: device, poses: rate))
    case .sentences: decoded = .sentences(DecodedSentences())
    case .statistics(let speed, let json):
      let known = speed ?? header["speed"].flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
      decoded = .statistics(DecodedStatistics(source: device, speed: known, printsJSON: json))
    }
    sources[number] = decoded
    return decoded
  }
}
