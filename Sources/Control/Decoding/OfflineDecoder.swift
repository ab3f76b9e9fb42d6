import GPSDProtocol
import LocationCore
import Recordings

enum DecodeResult {
  /// What the daemon publishes to a subscriber with this filter, perhaps with estimates, along a course.
  case epochs(FilterConfiguration, estimated: Bool = false, course: LocationCore.Course? = nil)
  /// Poses, so many per second.
  case poses(rate: Int)
  case course(LocationCore.Course)
  case sentences
  /// Statistics of each source: an object or a table for each. `speed` is the line's, bit/s, if known.
  case statistics(speed: Int?, json: Bool)

  var includesErrors: Bool { if case .statistics = self { true } else { false } }
}

/// Decodes the items of a recording on recorded time.
struct OfflineDecoder {
  /// Of the results without an engine; further sources are skipped.
  private static let maximumSources = 16
  /// Lines to print; the owner removes them.
  var output = JSONLine(capacity: RecordingReader.pieceSize * 2, lineEnd: .lf)
  private let file: String
  private let result: DecodeResult
  private var player = RecordingPlayer()
  private var setup: RecordedSetup?
  private let epochs: DecodedEpochs?
  private var sources: [Int: any DecodedSource] = [:]
  private var tally = DecodeTally()

  init(file: String, result: DecodeResult) {
    self.file = file
    self.result = result
    epochs = DecodedEpochs(file: file, result)
  }

  mutating func decode(_ item: RecordingItem) {
    if case .damage(let damage) = item { tally.damage.count(damage) }
    // Sentences do not depend on when their bytes were read.
    guard case .sentences = result else {
      player.add(item)
      return decodeInputs()
    }
    guard case .burst(let burst) = item else { return }
    source(of: burst.stamp?.source ?? 0, burst.bytes)?.decode(burst.bytes, at: .zero, isStamped: false, into: &output)
  }

  mutating func finish() {
    player.finish()
    decodeInputs()
    for source in sources.keys.sorted() { sources[source]?.finish(at: player.now, into: &output) }
    // Statistics of noise are of no receiver.
    let nmea = total.counters.nmea
    if case .statistics = result, nmea.sentences == 0, nmea.ubxFrames == 0 { output.removeAll() }
  }

  var summary: [String] { total.lines(for: result) }

  var total: DecodeTally {
    var total = tally
    if let epochs { total.counters = epochs.counters }
    for decoded in sources.values { total.counters.nmea = total.counters.nmea + decoded.counters }
    return total
  }

  private mutating func decodeInputs() {
    for input in player.inputs {
      epochs?.decode(input, into: &output, &tally)
      guard case .statistics = result else { continue }
      switch input.content {
      case .begin(let setup): self.setup = setup
      case .bytes(let bytes), .otherReport(let bytes): decode(bytes, of: input)
      case .report(_, let line): decode(line.bytes, of: input)
      default: break
      }
    }
    player.removeInputs()
  }

  private mutating func decode(_ bytes: [UInt8], of input: RecordedInput) {
    let decoded = source(of: input.source ?? 0, bytes)
    decoded?.decode(bytes, at: input.instant, isStamped: input.isStamped, into: &output)
  }

  /// The decoder of a source; `nil` for one too many, whose bytes are skipped.
  private mutating func source(of number: Int, _ bytes: [UInt8]) -> (any DecodedSource)? {
    if let known = sources[number] { return known }
    guard sources.count < Self.maximumSources else {
      tally.skippedBytes += bytes.count
      return nil
    }
    let decoded: any DecodedSource
    if case .statistics(let speed, let json) = result {
      let devices = setup?.devices ?? []
      let name = devices.indices.contains(number) ? devices[number] : file
      decoded = DecodedStatistics(source: name, speed: speed ?? setup?.speed, printsJSON: json)
    } else {
      decoded = DecodedSentences()
    }
    sources[number] = decoded
    return decoded
  }
}
