import LocationClient
import LocationCore

/// Findings about a system. Pure: the same view gives the same findings.
struct Examination {
  let view: SystemView

  /// All findings, the causes before their effects.
  var findings: [Finding] {
    let groups: [[Finding]] = [
      [configuration, socket], sources, sensors, setups, settings, lines, receivers, devices, sky, firstFix,
      interference, [clock], disk,
    ]
    return groups.flatMap { $0 }
  }

  private var configuration: Finding {
    switch view.configuration {
    case .right: .ok(.configuration, "the configuration is valid")
    case .wrong(let message):
      .wrong(.configuration, message, do: "correct the configuration, then check it: handlebard --check-config")
    case .unchecked: .note(.configuration, "not checked: handlebard is not installed")
    }
  }

  private var socket: Finding {
    switch view.daemon {
    case .answers(let status, _, _):
      .ok(.socket, "handlebard \(status.release) answers; " + Self.count(status.clients, "client"))
    case .absent(let path):
      .wrong(
        .socket, "\(path) does not exist: no daemon is running, or it listens on another path",
        do: "sudo systemctl start handlebard; \(Self.log); \(CommandError.withoutReceiver)")
    case .deaf(let path):
      .wrong(.socket, "no process listens on \(path)", do: "sudo systemctl restart handlebard; \(Self.log)")
    case .unusable(let message, let remedy): .wrong(.socket, message, do: remedy)
    case .refusing(let path, let reason):
      .wrong(
        .socket, "the daemon on \(path) answers with an error: \(reason)",
        do: "sudo systemctl restart handlebard; \(Self.log)")
    }
  }

  private static let log = "check its log: journalctl -u handlebard -n 20"

  static func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }

  private var sources: [Finding] {
    (view.daemon.status?.sources ?? []).map { source in
      let name = source.device.map { "\(source.source) (\($0))" } ?? source.source
      guard source.phase == .failed else {
        let isSerial = source.source.hasPrefix("serial")
        if isSerial, source.phase == .lost, !view.devices.contains(where: { $0.path == source.device }) {
          return .wrong(
            .receiver, "\(name) was unplugged", do: "plug it in again; check the kernel log: sudo dmesg | tail")
        }
        return .ok(isSerial ? .receiver : .source, "\(name) is \(source.phase)")
      }
      let check: Finding.Check =
        switch source.error {
        case .notFound: .receiver
        case .denied: .group
        case .busy: .holder
        case .noNMEA: .speed
        default: .source
        }
      return .wrong(check, source.message ?? "\(name) has failed", do: source.remedy)
    }
  }

  /// The sensors that the daemon reads itself.
  private var sensors: [Finding] {
    (view.daemon.status?.sensors ?? []).map { sensor in
      let name = sensor.device ?? sensor.source
      switch sensor.phase {
      case .failed: return .wrong(.sensor, sensor.message ?? "\(name) has failed", do: sensor.remedy)
      case .tracking: return .ok(.sensor, "\(name) is read")
      default: return .ok(.sensor, "\(name) has had no reading yet")
      }
    }
  }

  /// What receivers state about their signals, their antenna and themselves.
  private var interference: [Finding] {
    (view.daemon.status?.sources ?? []).flatMap { source -> [Finding] in
      var findings: [Finding] = []
      if let jamming = source.jamming, jamming == .warning || jamming == .critical {
        findings.append(
          .note(
            .sky, "\(source.source) states jamming: \(jamming) (\(source.jammingSource ?? "UBX"))",
            "move the antenna away from cameras, lamps, USB 3 plugs and chargers"))
      }
      if let spoofing = source.spoofing, spoofing == .indicated || spoofing == .multiple {
        findings.append(
          .note(
            .sky, "\(source.source) states spoofed signals: \(spoofing) (\(source.spoofingSource ?? "UBX"))",
            "do not trust the position until it ends"))
      }
      if let datum = source.datum {
        findings.append(
          .note(
            .sky, "\(source.source) states positions on another datum than WGS 84: \(datum) (DTM)",
            "set the receiver to WGS 84: on a map its positions may be hundreds of metres off"))
      }
      let reason = source.source == view.daemon.status?.source ? view.daemon.status?.reason : nil
      guard source.hasAntennaFault(reason) else { return findings }
      let stated = "(\(source.antennaSource ?? "TXT"))"
      return findings + [
        source.antenna == .short
          ? .wrong(
            .sky, "\(source.source) states a short circuit of its antenna \(stated)",
            do: "unplug the antenna; if it stays so the board is damaged, else the antenna or its cable: replace it")
          : .note(
            .sky, "\(source.source) states that the circuit of its antenna is open \(stated)",
            "check the antenna's plug; with a passive antenna that is normal")
      ]
    } + ailments(view.daemon.status?.counts ?? [:])
  }

  /// Starts from which on they are worth mentioning.
  private static let frequentStarts = 3

  private func ailments(_ counts: [String: Int]) -> [Finding] {
    var findings: [Finding] = []
    if let overflows = counts["overflows"], overflows > 0 {
      findings.append(
        .note(
          .speed, "the line did not take all that the receiver sends, \(Self.count(overflows, "time"))",
          "add receiver = { speed = 115200 } to the source, see handlebard.toml(5)"))
    }
    if let starts = counts["receiverStarts"], starts >= Self.frequentStarts {
      findings.append(
        .note(
          .receiver, "the receiver has started \(starts) times",
          "if it was not unplugged, its supply breaks down: check the cable, the plug and the power supply"))
    }
    return findings
  }

  /// Receivers on serial lines that could do better and that no source asks to.
  private var settings: [Finding] {
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

  /// The devices that are plugged in, when no daemon reports them.
  private var receivers: [Finding] {
    if view.daemon.status != nil { return [] }
    guard view.devices.isEmpty else {
      let present = view.devices.map { $0.path == $0.target ? $0.path : "\($0.path) (\($0.name))" }
      return [.ok(.receiver, "plugged in: \(present.joined(separator: ", "))")]
    }
    let absence = "no receiver is plugged in"
    guard let brltty = view.programs.first(where: { $0.name == "brltty" }) else {
      return [.wrong(.receiver, absence, do: "check the plug and the cable; check the kernel log: sudo dmesg | tail")]
    }
    return [
      .wrong(
        .receiver, "\(absence); brltty (pid \(brltty.pid)) claims USB serial adapters", do: Self.remedies["brltty"])
    ]
  }

  private var sky: [Finding] {
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
      .note(.speed, "bytes arrive, and no sentence so far", "its speed is looked for: run this again in 20 s")
    case .timeOnly:
      .note(
        .sky, "the receiver knows the time, and no position: it needs four satellites with a good signal",
        "give the antenna a better view of the sky: handlebarctl watch")
    default: nil
    }
  }

  /// Time to the first fix from which on help is worth mentioning.
  private static let slowStart = Duration.seconds(20)

  private var firstFix: [Finding] {
    guard let fix = view.daemon.status?.firstFix else { return [] }
    let text = "the first fix came \(PositionText.text(fix))"
    guard fix.duration > Self.slowStart, fix.start != .aided, fix.start != .warm else { return [.ok(.sky, text)] }
    let remedy =
      fix.start == nil
      ? "a u-blox 8 or later that is set up is helped to it, see RECEIVERS in handlebard.toml(5)"
      : "the next start is quicker: the receiver's database is kept 2 minutes after a fix, and when the daemon stops"
    return [.note(.sky, text, remedy)]
  }

  /// Tolerated difference between clock and receiver, seconds.
  private static let tolerance = 60.0

  private var clock: Finding {
    let remedy = "check it: timedatectl; set it from the network: sudo timedatectl set-ntp true"
    let now = view.now
    guard now >= ReceiverConfiguration.floor else {
      return .wrong(.clock, "the system clock is not set: it shows \(now.text)", do: remedy)
    }
    if case .answers(let status, _, let measured?) = view.daemon, status.phase == .tracking, let age = status.age,
      let source = status.source, source.hasPrefix("serial") || source.hasPrefix("gpsd")
    {
      let difference = (now - measured).inSeconds - age.inSeconds
      if abs(difference) > Self.tolerance { return clock(aheadBy: difference, measured, remedy) }
    }
    return .ok(.clock, "the system clock is set")
  }

  /// Seconds of 1024 weeks, after which a receiver's week number begins again, and of a day.
  private static let (rollover, day) = (1024.0 * 7 * 86_400, 86_400.0)

  /// What a difference between the clock and the receiver's time means: which of both is wrong follows from how much it is.
  private func clock(aheadBy difference: Double, _ measured: UTCInstant, _ remedy: String) -> Finding {
    let times = (difference / Self.rollover).rounded()
    if times >= 1, abs(difference - times * Self.rollover) < Self.day {
      return .wrong(
        .clock,
        "the receiver's date is \(Int(times) * 1024) weeks in the past: its week number has begun again; the system clock is right",
        do: "add rollover=snap to the source, see handlebard.toml(5)")
    }
    let text = "\(abs(difference).decimals(0)) s \(difference > 0 ? "behind" : "ahead of")"
    if measured < ReceiverConfiguration.floor || view.isClockKept {
      let why = view.isClockKept ? "which is synchronized" : "and in the past: \(measured.text)"
      return .wrong(
        .clock, "the receiver's time is \(text) the system clock, \(why)",
        do:
          "wait until the receiver has seen the sky for 15 minutes; if it stays so, take its power away, with its battery if it has one"
      )
    }
    let quarters = (difference / 900).rounded()
    if quarters != 0, abs(quarters) <= 56, abs(difference - quarters * 900) <= Self.tolerance {
      return .wrong(
        .clock,
        "the system clock is \((quarters / 4).decimals(2)) h off the receiver's time: local time may have been taken for UTC",
        do: "for a hardware clock that is kept in local time: sudo timedatectl set-local-rtc 0; \(remedy)")
    }
    return .wrong(.clock, "the system clock is \(difference.decimals(0)) s off the receiver's time", do: remedy)
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

  /// Free bytes below which a disk counts as full: some days of riding.
  private static let room: UInt64 = 64 << 20

  private var disk: [Finding] {
    var findings: [Finding] = []
    if let error = view.daemon.status?.recordingError {
      let remedy = "check the disk: df -h; remove rides: handlebarctl rides rm RIDE"
      findings.append(.wrong(.disk, "recording failed: \(error)", do: remedy))
    }
    guard let disk = view.disk else { return findings }
    let free = "\(disk.freeBytes >> 20) of \(disk.totalBytes >> 20) MiB are free at \(disk.path)"
    let remedy = "df -h \(disk.path); du -x -h -d2 / 2>/dev/null | sort -h | tail"
    let isFull = disk.freeBytes < Self.room
    return findings + [isFull ? .wrong(.disk, "the disk is full: \(free)", do: remedy) : .ok(.disk, free)]
  }
}

extension Examination {
  /// The group of the service and of serial ports.
  private static let serialGroup = "dialout"

  var devices: [Finding] {
    view.receivers.flatMap { device in permissions(of: device) + holders(of: device) + others(at: device) }
  }

  /// A running daemon reports denied devices itself.
  private func permissions(of device: SystemView.Device) -> [Finding] {
    if view.daemon.status != nil { return [] }
    let mode = "0" + String(device.mode & 0o777, radix: 8)
    let isReadable = device.mode & 0o004 != 0 || (device.group == Self.serialGroup && device.mode & 0o040 != 0)
    guard !isReadable else { return [.ok(.group, "\(device.path) belongs to the group \(device.group)")] }
    return [
      .wrong(
        .group,
        "\(device.path) belongs to the group \(device.group) with mode \(mode); the service is in \(Self.serialGroup)",
        do: "apply the udev rules again: sudo udevadm trigger --action=add /dev/\(device.name); "
          + "check: ls -lL \(device.path)")
    ]
  }

  private func holders(of device: SystemView.Device) -> [Finding] {
    device.holders.filter { $0.name != "handlebard" }.map { process in
      let message = "\(device.path) is held by \(process.name) (pid \(process.pid))"
      return .wrong(.holder, message, do: remedy(against: process, at: device))
    }
  }

  private static let remedies = [
    "gpsd":
      "sudo systemctl disable --now gpsd.socket gpsd.service, or read gpsd: set the source to gpsd://localhost:2947",
    "ModemManager": "sudo systemctl disable --now ModemManager",
    "brltty": "sudo systemctl mask --now brltty-udev brltty",
  ]

  private func remedy(against process: SystemView.Process, at device: SystemView.Device) -> String {
    if let remedy = Self.remedies[process.name] { return remedy }
    guard ["agetty", "getty", "login"].contains(process.name) else {
      return "stop \(process.name): sudo kill \(process.pid)"
    }
    return "sudo systemctl mask --now serial-getty@\(device.name).service"
  }

  private func others(at device: SystemView.Device) -> [Finding] {
    var findings: [Finding] = []
    for process in view.programs where !device.holders.contains(process) {
      let name = "\(process.name) (pid \(process.pid))"
      let remedy = remedy(against: process, at: device)
      switch process.name {
      case "ModemManager" where !device.isIgnoredByModemManager:
        let rule = "exclude the device by a udev rule with ENV{ID_MM_DEVICE_IGNORE}=\"1\", or: \(remedy)"
        findings.append(.wrong(.interference, "\(name) may probe \(device.path) as a modem", do: rule))
      case "agetty", "getty":
        guard process.arguments.contains(where: { $0 == device.name || $0 == "/dev/\(device.name)" }) else { continue }
        findings.append(.wrong(.console, "\(name) runs a login on \(device.path)", do: remedy))
      case "gpsd": findings.append(.note(.interference, "\(name) is running and may open the receiver", remedy))
      default: continue
      }
    }
    guard view.consoles.contains(device.name) else { return findings }
    let remedy = "remove console=\(device.name) from the kernel's command line (cat /proc/cmdline), then: sudo reboot"
    return findings + [.wrong(.console, "the kernel writes its messages to \(device.path)", do: remedy)]
  }
}
