import LocationCore

enum StatisticsText {
  static func lines(
    _ statistics: ReceiverStatistics, _ counters: NMEACounters, source: String, speed: Int?, style: Style
  ) -> [String] {
    let measured = statistics.measured
    let late = statistics.isRolloverSuspect ? measured : nil
    let talkers = statistics.talkers.map { "\($0.talker.description.printable) \($0.count)" }
    var lines = Text.rows([
      "source": source.printable,
      "received": "\(statistics.bytes) bytes in \(Text.duration(statistics.seconds))",
      "measured": measured.map { "\($0.lowerBound.text) to \($0.upperBound.text)" },
      "": late.map { style.text(rollover($0.upperBound.date), .yellow) }, "epochs": epochs(statistics),
      "order": order(statistics), "gaps": gaps(statistics.rhythm),
      "line": statistics.load(speed: speed).map { load($0, style) }, "errors": errors(statistics.errors),
      "talkers": talkers.isEmpty ? "none" : talkers.joined(separator: ", "),
    ])
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

  private static func order(_ statistics: ReceiverStatistics) -> String? {
    statistics.orders.commonest.map { order in
      order.kinds.map { statistics.kinds[$0].kind.name.printable }.joined(separator: " ")
        + (order.share < 1 ? " (\((order.share * 100).decimals(1)) % of the epochs)" : "")
    }
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
    let others: [(String, UInt64)] = [
      ("other binary frames", counters.binaryFrames - counters.ubxFrames), ("TAG blocks", counters.tagBlocks),
      ("bad TAG blocks", counters.badTagBlocks), ("bytes of noise", counters.noise),
    ]
    let counts = others.filter { $0.1 > 0 }.map { "\($0.1) \($0.0)" }
    let bare = "\(statistics.withoutChecksum) sentences without: the source needs checksums=prefer"
    return Text.rows([
      "rejected": reasons.isEmpty ? "none" : style.text(reasons.joined(separator: ", "), .red),
      "checksums": statistics.withoutChecksum > 0 ? style.text(bare, .yellow) : nil,
      "between": counts.isEmpty ? nil : counts.joined(separator: ", "),
    ])
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
