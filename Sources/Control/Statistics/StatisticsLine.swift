import GPSDProtocol
import LocationCore

/// Statistics of a receiver's output as one JSON object; unknown values have no field. `types` are in order of their
/// first message, `perEpoch` is their mean count per epoch. `line` is in bit/s, its loads are shares of `speed`.
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
    line.field("ubxMessages", counters.ubxFrames)
    line.field("withoutChecksum", statistics.withoutChecksum)
    line.field("epochs", statistics.epochs)
    line.field("period", statistics.period, decimals: 3)
    line.field("rate", statistics.period.map { 1 / $0 }, decimals: 3)
    if let order = statistics.orders.commonest {
      line.array("order", order.kinds) { $1.value(statistics.kinds[$0].kind.name) }
      line.field("orderShare", order.share, decimals: 3)
    }
    line.object("gaps", statistics.rhythm) { rhythm, line in
      line.field("count", rhythm.gaps.count)
      line.field("missing", rhythm.gaps.missing)
      line.field("stepsBack", rhythm.stepsBack)
      line.objects("longest", rhythm.longestGaps) { gap, line in
        line.field("after", gap.after)
        line.field("seconds", Double(gap.nanoseconds) * 1e-9, decimals: 3)
      }
    }
    line.object("line", statistics.load(speed: speed)) { load, line in
      line.field("speed", load.speed)
      line.field("mean", load.mean, decimals: 0)
      line.field("fullest", load.fullest, decimals: 0)
      line.field("meanLoad", load.share(load.mean), decimals: 3)
      line.field("fullestLoad", load.share(load.fullest), decimals: 3)
    }
    line.objects("types", statistics.kinds) { tally, line in
      line.field("type", tally.kind.type)
      line.field("talker", tally.kind.talker?.description)
      line.field("decoded", tally.isDecoded)
      line.field("count", tally.count)
      line.field("epochs", tally.epochs)
      line.field("perEpoch", Double(tally.count) / Double(max(statistics.epochs, 1)), decimals: 3)
      line.field("bytes", tally.bytes)
      line.field("fewestFields", tally.fields?.lowerBound)
      line.field("mostFields", tally.fields?.upperBound)
      line.objects("malformed", tally.malformedFields) { field, line in
        line.field("field", field.name)
        line.field("count", field.count)
      }
    }
    line.objects("talkers", statistics.talkers) { entry, line in
      line.field("talker", entry.talker.description)
      line.field("count", entry.count)
    }
    line.objects("satellites", statistics.systems) { system, line in
      let means = system.means(over: statistics.skies)
      line.field("system", system.name)
      line.field("seen", means.seen, decimals: 1)
      line.field("mostSeen", system.mostSeen)
      line.field("used", means.used, decimals: 1)
      line.field("mostUsed", system.mostUsed)
      line.field("strongest", system.strongest, decimals: 1)
    }
    line.object("errors", statistics.errors) { errors, line in
      line.object("horizontal", errors.horizontal, write)
      line.object("vertical", errors.vertical, write)
    }
    line.object("rejected", counters.rejections) { rejections, line in
      for (name, count) in rejections where count > 0 { line.field(name, count) }
    }
    line.field("malformedFields", counters.malformedFields)
    line.field("binaryFrames", counters.binaryFrames)
    line.field("tagBlocks", counters.tagBlocks)
    line.field("badTagBlocks", counters.badTagBlocks)
    line.field("noise", counters.noise)
    line.endObject()
    line.endLine()
  }

  private static func write(_ counts: [ErrorBasis?: Int], into line: inout JSONLine) {
    for basis in ErrorTally.bases { line.field(basis.name, counts[basis.basis]) }
  }
}
