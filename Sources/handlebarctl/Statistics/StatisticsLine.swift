import GPSDProtocol
import LocationCore

/// Statistics of a receiver's output as one JSON object; unknown values have no field. `types` are in order of their
/// first sentence, `perEpoch` is their mean count per epoch. `line` is in bit/s, its loads are shares of `speed`.
/// `errors` counts fixes by what their errors follow from, `rejected` by reason, `missing` epochs within gaps.
enum StatisticsLine {
  static func write(
    _ statistics: ReceiverStatistics, _ counters: NMEACounters, source: String, speed: Int?, into line: inout JSONLine
  ) {
    line.beginObject()
    line.field("source", source)
    line.field("bytes", statistics.bytes)
    line.field("seconds", statistics.seconds, decimals: 3)
    if let measured = statistics.measured {
      line.field("from", measured.lowerBound)
      line.field("to", measured.upperBound)
    }
    if statistics.isRolloverSuspect { line.field("rolloverSuspect", true) }
    line.field("sentences", counters.sentences)
    line.field("withoutChecksum", statistics.withoutChecksum)
    line.field("epochs", statistics.epochs)
    line.field("period", statistics.period, decimals: 3)
    line.field("rate", statistics.period.map { 1 / $0 }, decimals: 3)
    writeOrder(statistics, into: &line)
    writeGaps(statistics.rhythm, into: &line)
    writeLoad(statistics.load(speed: speed), into: &line)
    writeTypes(statistics, into: &line)
    writeTalkers(statistics, into: &line)
    writeSystems(statistics, into: &line)
    writeErrors(statistics.errors, into: &line)
    line.beginObject("rejected")
    for (name, count) in counters.rejections where count > 0 { line.field(name, count) }
    line.endObject()
    line.field("malformedFields", counters.malformedFields)
    line.field("binaryFrames", counters.binaryFrames)
    line.field("tagBlocks", counters.tagBlocks)
    line.field("badTagBlocks", counters.badTagBlocks)
    line.field("noise", counters.noise)
    line.endObject()
    line.endLine()
  }

  private static func writeOrder(_ statistics: ReceiverStatistics, into line: inout JSONLine) {
    guard let order = statistics.orders.commonest else { return }
    line.beginArray("order")
    for place in order.kinds { line.value(statistics.kinds[place].kind.name) }
    line.endArray()
    line.field("orderShare", order.share, decimals: 3)
  }

  private static func writeGaps(_ rhythm: RhythmTally, into line: inout JSONLine) {
    line.beginObject("gaps")
    line.field("count", rhythm.gapCount)
    line.field("missing", rhythm.missing)
    line.field("stepsBack", rhythm.stepsBack)
    line.beginArray("longest")
    for gap in rhythm.longestGaps {
      line.beginObject()
      line.field("after", gap.after)
      line.field("seconds", Double(gap.nanoseconds) * 1e-9, decimals: 3)
      line.endObject()
    }
    line.endArray()
    line.endObject()
  }

  private static func writeLoad(_ load: LineLoad?, into line: inout JSONLine) {
    guard let load else { return }
    line.beginObject("line")
    line.field("speed", load.speed)
    line.field("mean", load.mean, decimals: 0)
    line.field("fullest", load.fullest, decimals: 0)
    line.field("meanLoad", load.share(load.mean), decimals: 3)
    line.field("fullestLoad", load.share(load.fullest), decimals: 3)
    line.endObject()
  }

  private static func writeErrors(_ errors: ErrorTally, into line: inout JSONLine) {
    line.beginObject("errors")
    for (name, counts) in [("horizontal", errors.horizontal), ("vertical", errors.vertical)] as [(StaticString, [Int])]
    {
      line.beginObject(name)
      for (basis, count) in zip(ErrorTally.names, counts) where count > 0 { line.field(basis, count) }
      line.endObject()
    }
    line.endObject()
  }

  private static func writeTypes(_ statistics: ReceiverStatistics, into line: inout JSONLine) {
    line.beginArray("types")
    for tally in statistics.kinds {
      line.beginObject()
      line.field("type", tally.kind.type.description)
      if tally.kind.talker.code != 0 { line.field("talker", tally.kind.talker.description) }
      line.field("decoded", tally.isDecoded)
      line.field("count", tally.count)
      line.field("epochs", tally.epochs)
      line.field("perEpoch", Double(tally.count) / Double(max(statistics.epochs, 1)), decimals: 3)
      line.field("bytes", tally.bytes)
      line.field("fewestFields", tally.fields?.lowerBound)
      line.field("mostFields", tally.fields?.upperBound)
      line.beginArray("malformed")
      for (name, count) in tally.malformed.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }) {
        line.beginObject()
        line.field("field", name)
        line.field("count", count)
        line.endObject()
      }
      line.endArray()
      line.endObject()
    }
    line.endArray()
  }

  private static func writeTalkers(_ statistics: ReceiverStatistics, into line: inout JSONLine) {
    line.beginArray("talkers")
    for (talker, count) in statistics.talkers {
      line.beginObject()
      line.field("talker", talker.description)
      line.field("count", count)
      line.endObject()
    }
    line.endArray()
  }

  private static func writeSystems(_ statistics: ReceiverStatistics, into line: inout JSONLine) {
    line.beginArray("satellites")
    for system in statistics.systems {
      let means = system.means(over: statistics.skies)
      line.beginObject()
      line.field("system", system.name)
      line.field("seen", means.seen, decimals: 1)
      line.field("mostSeen", system.mostSeen)
      line.field("used", means.used, decimals: 1)
      line.field("mostUsed", system.mostUsed)
      line.field("strongest", system.strongest, decimals: 1)
      line.endObject()
    }
    line.endArray()
  }
}
