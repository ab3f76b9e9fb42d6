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
  private let filter: FilterConfiguration
  private let printsSentences: Bool
  private var header = RecordingHeader()
  private var time = RecordedTime()
  private var timed: [RecordedTime.Item] = []
  private var now = MonotonicInstant.zero
  private var lanes: [Int: OfflineLane] = [:]
  private var tally = DecodeTally()

  init(device: String, filter: FilterConfiguration, printsSentences: Bool) {
    self.device = device
    self.filter = filter
    self.printsSentences = printsSentences
  }

  /// Takes the next item.
  mutating func take(_ item: RecordingItem) {
    switch item {
    case .header(let header): self.header = header
    case .damage(let damage): tally.damage.count(damage)
    case .burst(let burst) where printsSentences:
      // Sentences stand for themselves; only epochs depend on when their bytes came.
      take(burst.bytes, from: burst.stamp?.source ?? 0)
    case .burst, .event: break
    }
    guard !printsSentences else { return }
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
  var summary: [String] {
    var tally = tally
    for lane in lanes.values { lane.count(in: &tally) }
    return tally.lines(printsSentences: printsSentences)
  }

  private mutating func takeTimed() {
    for item in timed {
      now = MonotonicInstant.zero + item.position
      if case .burst(let burst) = item.content { take(burst.bytes, from: burst.stamp?.source ?? 0) }
    }
    timed.removeAll(keepingCapacity: true)
  }

  private mutating func take(_ bytes: [UInt8], from source: Int) {
    guard let lane = lane(of: source) else {
      tally.passedBy += bytes.count
      return
    }
    lane.take(bytes, at: now, into: &output)
  }

  private mutating func lane(of source: Int) -> OfflineLane? {
    if let known = lanes[source] { return known }
    guard lanes.count < Self.maximumSources else { return nil }
    let devices = header.all("device")
    let device = devices.indices.contains(source) ? devices[source] : device
    let lane: OfflineLane =
      printsSentences ? .sentences(SentenceLane()) : .epochs(EpochLane(device: device, filter: filter))
    lanes[source] = lane
    return lane
  }
}
