import LocationCore

enum StatisticsText {
  static func lines(
    _ statistics: ReceiverStatistics, _ counters: NMEACounters, source: String, speed: Int?, style: Style
  ) -> [String] {
    var lines = [Text.row("source", source.printable)]
    lines.append(Text.row("received", "\(statistics.bytes) bytes in \(Text.duration(statistics.seconds))"))
    if let measured = statistics.measured {
      lines.append(Text.row("measured", "\(measured.lowerBound.text) to \(measured.upperBound.text)"))
    }
    if statistics.isRolloverSuspect, let last = statistics.measured?.upperBound {
      lines.append(Text.row("", style.text(rollover(last.date), .yellow)))
    }
    lines.append(Text.row("epochs", epochs(statistics)))
    if let order = statistics.orders.commonest {
      let names = order.kinds.map { statistics.kinds[$0].kind.name.printable }.joined(separator: " ")
      let share = order.share < 1 ? " (\((order.share * 100).decimals(1)) % of the epochs)" : ""
      lines.append(Text.row("order", names + share))
    }
    lines.append(Text.row("gaps", gaps(statistics.rhythm)))
    if let load = statistics.load(speed: speed) { lines.append(Text.row("line", self.load(load, style))) }
    lines.append(Text.row("errors", errors(statistics.errors)))
    let talkers = statistics.talkers.map { "\($0.talker.description.printable) \($0.count)" }
    lines.append(Text.row("talkers", talkers.isEmpty ? "none" : talkers.joined(separator: ", ")))
    lines += errors(statistics, counters, style)
    lines += ["", style.text(columns("message", "count", "an epoch", "fields", "bytes", "malformed"), .dim)]
    for tally in statistics.kinds { lines.append(row(tally, epochs: statistics.epochs)) }
    if !statistics.systems.isEmpty {
      lines += ["", style.text(columns("satellites", "seen", "most", "used", "most", "strongest"), .dim)]
      for system in statistics.systems { lines.append(row(system, skies: statistics.skies)) }
    }
    return lines
  }

  private static func epochs(_ statistics: ReceiverStatistics) -> String {
    guard let period = statistics.period else { return "\(statistics.epochs)" }
    return "\(statistics.epochs), one every \(period.decimals(3)) s (\((1 / period).decimals(1)) Hz)"
  }

  private static func gaps(_ rhythm: RhythmTally) -> String {
    let (count, missing) = rhythm.gaps
    var text = "none"
    if count > 0 {
      let longest = rhythm.longestGaps.prefix(3).map {
        "\((Double($0.nanoseconds) * 1e-9).decimals(1)) s after \($0.after.text)"
      }
      text = "\(count), \(missing) epochs missing; the longest: \(longest.joined(separator: ", "))"
    }
    return rhythm.stepsBack > 0 ? text + "; time stepped back \(rhythm.stepsBack) times" : text
  }

  private static func errors(_ errors: ErrorTally) -> String {
    [("horizontal", errors.horizontal), ("vertical", errors.vertical)].map { name, counts in
      let parts = ErrorTally.bases.compactMap { basis in counts[basis.basis].map { "\($0) \(basis.words)" } }
      return "\(name) " + (parts.isEmpty ? "none" : parts.joined(separator: ", "))
    }.joined(separator: "; ")
  }

  private static func load(_ load: LineLoad, _ style: Style) -> String {
    func part(_ bits: Double) -> String {
      guard let share = load.share(bits) else { return "\(bits.decimals(0)) bit/s" }
      return style.text(
        "\(bits.decimals(0)) bit/s (\((share * 100).decimals(0)) %)",
        share > 0.9 ? .red : share > 0.7 ? .yellow : .green)
    }
    var text = load.speed.map { "of \($0) bit/s: " } ?? ""
    text += "average \(part(load.mean))"
    if let fullest = load.fullest { text += ", in the fullest epoch \(part(fullest))" }
    return load.speed == nil ? text + "; --speed gives the line's capacity" : text
  }

  private static func errors(_ statistics: ReceiverStatistics, _ counters: NMEACounters, _ style: Style) -> [String] {
    let reasons = counters.rejections.filter { $0.count > 0 }.map { "\($0.count) \($0.name)" }
    var lines = [
      Text.row("rejected", reasons.isEmpty ? "none" : style.text(reasons.joined(separator: ", "), .red))
    ]
    if statistics.withoutChecksum > 0 {
      let text = "\(statistics.withoutChecksum) sentences without: the source needs checksums=prefer"
      lines.append(Text.row("checksums", style.text(text, .yellow)))
    }
    let others: [(String, UInt64)] = [
      ("other binary frames", counters.binaryFrames - counters.ubxFrames), ("TAG blocks", counters.tagBlocks),
      ("bad TAG blocks", counters.badTagBlocks), ("bytes of noise", counters.noise),
    ]
    let counts = others.filter { $0.1 > 0 }.map { "\($0.1) \($0.0)" }
    if !counts.isEmpty { lines.append(Text.row("between", counts.joined(separator: ", "))) }
    return lines
  }

  private static func rollover(_ date: CalendarDate) -> String {
    let floor = ReceiverConfiguration.floorDate
    let forward = date.rolledForward(to: floor).text
    return "before \(floor.text): an old log, or a week rollover: then it is \(forward)"
  }

  private static func row(_ tally: KindTally, epochs: Int) -> String {
    let fields = tally.fields.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)–\($0.upperBound)" } ?? "-"
    let malformed = tally.malformedFields.map { "\($0.count) \($0.name)" }.joined(separator: ", ")
    let notes = tally.isDecoded ? malformed : "not decoded"
    return columns(
      tally.kind.name.printable, "\(tally.count)", (Double(tally.count) / Double(max(epochs, 1))).decimals(2), fields,
      "\(tally.bytes)", notes)
  }

  private static func row(_ system: SystemTally, skies: Int) -> String {
    let means = system.means(over: skies)
    return columns(
      system.name, means.seen.decimals(1), "\(system.mostSeen)", means.used.decimals(1), "\(system.mostUsed)",
      system.strongest.map { "\($0.decimals(0)) dBHz" } ?? "-")
  }

  private static func columns(
    _ name: String, _ second: String, _ third: String, _ fourth: String, _ fifth: String, _ last: String
  ) -> String {
    let line = name.left(14) + second.right(9) + third.right(10) + fourth.right(8) + fifth.right(9)
    return last.isEmpty ? line : line + "  " + last
  }
}
