import GPSDProtocol
import LocationCore

// Why there is no fix, or one that is late or in doubt.
extension Examination {
  var sky: [Finding] {
    guard case .answers(let status, let seen, _) = view.daemon else { return [] }
    switch status.phase {
    case .tracking: return [.ok(.sky, "there is a \(status.mode.map { "\($0)D " } ?? "")fix")]
    case .acquiring, .lost:
      if let finding = nothingToRead(status) { return [finding] }
      if status.firstFix == nil, let finding = rejection(status.counts ?? [:]) { return [finding] }
      let wait =
        "wait, a cold start takes minutes; give the antenna a view of the sky and check its plug: handlebarctl watch"
      guard let seen else { return [.note(.sky, "the receiver has no fix, and reports no satellites", wait)] }
      let signals = seen.compactMap { $0 }.filter { $0 > 0 }
      guard let strongest = signals.max() else {
        if let state = status.sources.compactMap(\.jamming).first(where: { $0 == .critical }) {
          return [.note(.sky, "the receiver has no signal, and states jamming: \(state)", wait)]
        }
        let seen = seen.isEmpty ? "sees no satellite" : "has no signal from any of \(seen.count) satellites"
        return [.wrong(.sky, "the receiver \(seen)", do: wait)]
      }
      return [
        .note(
          .sky, "no fix yet: \(Self.count(signals.count, "signal")), the strongest of \(strongest.decimals(0)) dBHz",
          "wait, a cold start takes minutes; below 30 dBHz the antenna needs a better view of the sky: handlebarctl watch"
        )
      ]
    default: return []
    }
  }

  /// The finding for a receiver of which nothing arrives that has to do with the sky.
  private func nothingToRead(_ status: StatusReport) -> Finding? {
    switch status.reason {
    case .silent:
      .wrong(
        .receiver, "nothing arrives from the receiver",
        do:
          "check its supply, and that its TX is wired to this computer's RX; on a Raspberry Pi, that the port is on: handlebar-pi(7)"
      )
    case .noNMEA:
      .note(
        .speed, "bytes arrive, and no sentence so far",
        (status.sources.contains { $0.source == status.source && $0.bitRate != nil }
          ? "its speed is looked for" : "what it sends is examined") + ": run this again in 20 s")
    case .timeOnly:
      .note(
        .sky, "the receiver knows the time, and no position: it needs four satellites with a good signal",
        "give the antenna a better view of the sky: handlebarctl watch")
    default: nil
    }
  }

  /// Time to the first fix from which on help is worth mentioning.
  private static let slowStart = Duration.seconds(20)

  var firstFix: [Finding] {
    guard let fix = view.daemon.status?.firstFix else { return [] }
    let text = "the first fix came \(PositionText.text(fix))"
    guard fix.duration > Self.slowStart, fix.start != .aided, fix.start != .warm else { return [.ok(.sky, text)] }
    let remedy =
      fix.start == nil
      ? "a u-blox 8 or later that is set up is helped to it, see RECEIVERS in handlebard.toml(5)"
      : "the next start is quicker: the receiver's database is kept 2 minutes after a fix, and when the daemon stops"
    return [.note(.sky, text, remedy)]
  }

  /// Why what the receiver says never became a fix, if not for the sky.
  private func rejection(_ counts: [String: Int]) -> Finding? {
    func count(_ name: String) -> Int { counts[name] ?? 0 }
    let (sentences, damaged) = (count("sentences") + count("ubxMessages"), count("badChecksum"))
    if count("noChecksum") > sentences, count("noChecksum") > damaged {
      return .wrong(
        .sky, "the receiver's sentences have no checksums, and are not read",
        do: "add checksums=prefer to the source, see handlebard.toml(5)")
    }
    if damaged > 10, damaged > sentences {
      return .wrong(
        .sky, "most sentences are damaged: \(damaged) checksums are wrong, \(sentences) right",
        do: "check the cable, the ground and the speed of the line, and that no other program reads it")
    }
    guard count("voidEpochs") == 0 else { return nil }
    if count("epochsWithoutStatus") + count("epochsWithoutPosition") > 0 {
      return .wrong(
        .sky, "no sentence of the receiver has a position with its state",
        do: "let it send RMC and GGA: its maker's program, or receiver = {} of the source, see handlebard.toml(5)")
    }
    if count("zeroPosition") + count("outOfRange") > 0 {
      return .wrong(
        .sky, "the receiver states fixes at 0° N 0° E or outside of the earth, which are not published",
        do: "take its power away for some minutes")
    }
    if count("epochs") == 0, sentences > 20 {
      return .wrong(
        .sky,
        "\(sentences) sentences or messages, and none with a position: AIS, another instrument, or a receiver without RMC and GGA",
        do: "set the source to the receiver, or let it send RMC and GGA: show them: sudo timeout 3 cat -v its device")
    }
    return nil
  }

  var interference: [Finding] {
    (view.daemon.status?.sources ?? []).flatMap { source -> [Finding] in
      let reason = source.source == view.daemon.status?.source ? view.daemon.status?.reason : nil
      let datum = source.datum.map { [(subject: "datum", state: $0, message: "DTM")] } ?? []
      return (source.warnings(reason) + datum).map { subject, state, message in
        let (statement, remedy) =
          switch subject {
          case "jamming":
            ("jamming: \(state)", "move the antenna away from cameras, lamps, USB 3 plugs and chargers")
          case "spoofing": ("spoofed signals: \(state)", "do not trust the position until it ends")
          case "datum":
            (
              "positions on another datum than WGS 84: \(state)",
              "set the receiver to WGS 84: on a map its positions may be hundreds of metres off"
            )
          case "antenna" where state == "short":
            (
              "a short circuit of its antenna",
              "unplug the antenna; if it stays so the board is damaged, else the antenna or its cable: replace it"
            )
          default:
            (
              "that the circuit of its antenna is open",
              "check the antenna's plug; with a passive antenna that is normal"
            )
          }
        let text = "\(source.source) states \(statement) (\(message))"
        return subject == "antenna" && state == "short" ? .wrong(.sky, text, do: remedy) : .note(.sky, text, remedy)
      }
    }
  }
}
