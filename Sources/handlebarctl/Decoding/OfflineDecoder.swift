import GPSDProtocol
import LocationCore
import Recordings

/// Makes of a recording's items what the daemon would publish, on recorded time.
struct OfflineDecoder {
  /// More sources than this in one recording are passed by.
  static let maximumSources = 16

  /// Lines to be printed; the owner empties it.
  var output = JSONLine(capacity: DecodeInput.pieceSize * 2, lineEnd: .lf)

  private let device: String
  private let result: DecodeResult
  private var header = RecordingHeader()
  private var time = RecordedTime()
  private var timed: [RecordedTime.Item] = []
  private var now = MonotonicInstant.zero
  private var lanes: [Int: OfflineLane] = [:]
  private var tally = DecodeTally()

  init(device: String, result: DecodeResult) {
    self.device = device
    self.result = result
  }

  /// Sentences stand for themselves; epochs and rates depend on when their bytes came.
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

  /// Closes what is open: nothing more will come.
  mutating func finish() {
    time.flush(into: &timed)
    takeTimed()
    for source in lanes.keys.sorted() {
      lanes[source]?.finish(at: now, into: &output)
    }
  }

  /// What it came to, in lines for a person.
  var summary: [String] { total.lines(for: result) }

  /// Accepted and rejected sentences, and reports.
  var content: (sentences: UInt64, rejected: UInt64, reports: Int) { total.content }

  private var total: DecodeTally {
    var tally = tally
    for lane in lanes.values { lane.count(in: &tally) }
    return tally
  }

  private mutating func takeTimed() {
    for item in timed {
      now = MonotonicInstant.zero + item.position
      if case .burst(let burst) = item.content { take(burst) }
    }
    timed.removeAll(keepingCapacity: true)
  }

  private mutating func take(_ burst: RecordedBurst) {
    guard let lane = lane(of: burst.stamp?.source ?? 0) else {
      tally.passedBy += burst.bytes.count
      return
    }
    lane.take(burst.bytes, at: now, isStamped: burst.stamp != nil, into: &output)
  }

  private mutating func lane(of source: Int) -> OfflineLane? {
    if let known = lanes[source] { return known }
    guard lanes.count < Self.maximumSources else { return nil }
    let devices = header.all("device")
    let device = devices.indices.contains(source) ? devices[source] : device
    let lane: OfflineLane
    switch result {
    case .epochs(let filter): lane = .epochs(EpochLane(device: device, filter: filter))
    case .sentences: lane = .sentences(SentenceLane())
    case .statistics(let speed, let json):
      let known = speed ?? header["speed"].flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
      lane = .statistics(StatisticsLane(source: device, speed: known, printsJSON: json))
    }
    lanes[source] = lane
    return lane
  }
}
