import GPSDProtocol

// What receivers are, and what their lines do to what they send.
extension Examination {
  var setups: [Finding] {
    view.setups.compactMap { setup in
      let name = setup.family == nil ? "the receiver" : "a receiver of \(ReceiverHint.name(setup))"
      let isMissing = { (one: ReceiverReport.Setting) in ["refused", "unanswered"].contains(one.outcome) }
      let missing = setup.settings.filter(isMissing).map { "\($0.name) \($0.outcome)" }
      switch setup.state {
      case "done" where missing.isEmpty: return .ok(.receiver, "\(setup.source): \(name), set up as configured")
      case "done":
        return .note(
          .receiver, "\(setup.source): \(name) is not set up as configured: \(missing.joined(separator: ", "))",
          (missing.contains { $0.hasSuffix("unanswered") } ? "check the wire to its RX, or " : "")
            + "leave out what it does not support, or try again: handlebarctl receiver apply")
      case "unsupported":
        guard let hint = setup.family.flatMap({ ReceiverHint.ofFamily[$0] }) else {
          return .note(
            .receiver, "\(setup.source): the receiver answers no known query, and is left as it is",
            "set it up by its maker's program; what it sends: handlebarctl decode --stats")
        }
        return .note(
          .receiver, "\(setup.source): \(name) is left as it is; it can do \(hint.ability)", "by hand: \(hint.words)")
      case "lost":
        return .wrong(
          .receiver, "\(setup.source): \(name) stopped answering while it was set up",
          do: "take its power away for some seconds; it is looked for at every speed")
      default: return nil
      }
    }
  }

  /// The share of a line's speed from which on it is too slow: a second with more satellites does not fit.
  private static let fullLine = 0.9
  /// Damaged sentences in a minute from which on they are worth mentioning.
  private static let frequentDamage = 3

  /// What serial lines do to what receivers send. A wrong speed lets no sentence pass, which is the source's error.
  var lines: [Finding] {
    (view.daemon.status?.sources ?? []).compactMap { source in
      let name = source.source
      if let load = source.load, load > Self.fullLine, let speed = source.bitRate {
        let next = speed < 38_400 ? 38_400 : max(115_200, 2 * speed)
        let remedy =
          switch source.receiver {
          case nil: "add receiver = { speed = \(next) } to the source, see handlebard.toml(5)"
          case "unsupported": "set the receiver to \(next) bit/s by hand, and the source to the same: ?speed=\(next)"
          default: "set speed = \(next), or a lower rate, in the source's receiver = {}, see handlebard.toml(5)"
          }
        return .wrong(
          .speed,
          "\(name): the line is too slow for what the receiver sends: \((load * 100).decimals(0)) % of \(speed) bit/s are used",
          do: remedy)
      }
      if let overruns = source.overruns, overruns > 0 {
        return .wrong(
          .speed,
          "\(name): this computer has lost \(Self.count(overruns, "byte")) of the line in the last minute: it did not take them in time",
          do:
            "set a lower speed: receiver = { speed = 38400 }; on a Raspberry Pi use the better UART: dtoverlay=disable-bt, see handlebar-pi(7)"
        )
      }
      guard let damaged = source.badChecksums, damaged >= Self.frequentDamage, source.error == nil else { return nil }
      let noise = source.noise.map { $0 > 0 ? ", and \(Self.count($0, "byte")) outside of sentences" : "" } ?? ""
      return .note(
        .speed,
        "\(name): the line is disturbed: \(Self.count(damaged, "damaged sentence")) in the last minute\(noise); its speed is right",
        "check the cable, its ground and what runs beside it, and that no other program reads the line")
    }
  }

  /// Receivers on serial lines that could do better and that no source asks to.
  var settings: [Finding] {
    (view.daemon.status?.sources ?? []).compactMap { source in
      guard source.source.hasPrefix("serial"), source.phase == .tracking, source.receiver == nil,
        let cycle = source.cycle, cycle > .milliseconds(300)
      else { return nil }
      let isSlow = source.load != nil && (source.bitRate ?? 0) < 38_400
      var text = "\((1 / cycle.inSeconds).decimals(0)) Hz"
      if let load = source.load, let bps = source.bitRate {
        text += " at \(bps) bit/s, \((load * 100).decimals(0)) % of the line used"
      }
      let wish = "receiver = { rate = 5\(isSlow ? ", speed = 38400" : "") }"
      return .note(.receiver, "\(text): \(wish)", "add it to the source, see handlebard.toml(5)")
    }
  }

  private static let frequentStarts = 3

  /// What to do about starts whose reason is not the supply.
  private static let resetRemedies = [
    "watchdog": "its firmware hung: update it by its maker's program",
    "hardwareReset": "check what is wired to its reset pin",
    "softwareReset": "check which other program sends commands to it",
  ]

  var ailments: [Finding] {
    let counts = view.daemon.status?.counts ?? [:]
    let (overflows, starts) = (counts["overflows"] ?? 0, counts["receiverStarts"] ?? 0)
    let overflow = Finding.note(
      .speed, "the line did not take all that the receiver sends, \(Self.count(overflows, "time"))",
      "add receiver = { speed = 115200 } to the source, see handlebard.toml(5)")
    let reason = view.daemon.status.flatMap { status in
      status.sources.first { $0.source == status.source }?.resetReason
    }
    let restart = Finding.note(
      .receiver,
      "the receiver has started \(starts) times" + (reason.map { ", and states as the last reason: \($0)" } ?? ""),
      reason.flatMap { Self.resetRemedies[$0] }
        ?? "if it was not unplugged, its supply breaks down: check the cable, the plug and the power supply")
    return (overflows > 0 ? [overflow] : []) + (starts >= Self.frequentStarts ? [restart] : [])
  }
}
