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
  private var stamps = StampClock()
  private var sentences = SentenceClock()
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
    case .event: break
    case .damage(let damage): tally.damage.count(damage)
    case .burst(let burst):
      if let stamp = burst.stamp {
        now = now + stamps.advance(to: stamp)
      } else {
        now = now + sentences.advance(to: burst.bytes)
      }
      take(burst.bytes, from: burst.stamp?.source ?? 0)
    }
  }

  /// Closes what is open: nothing more will come.
  mutating func finish() {
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

  private mutating func take(_ bytes: [UInt8], from source: Int) {
    if lanes[source] == nil {
      guard lanes.count < Self.maximumSources else {
        tally.passedBy += bytes.count
        return
      }
      let devices = header.all("device")
      let device = devices.indices.contains(source) ? devices[source] : device
      lanes[source] = printsSentences ? .sentences(SentenceLane()) : .epochs(EpochLane(device: device, filter: filter))
    }
    lanes[source]?.take(bytes, at: now, into: &output)
  }
}
