import LocationClient
import LocationCore

/// Findings about a system. Pure: the same view gives the same findings.
struct Examination {
  let view: SystemView

  /// All findings, the causes before their effects.
  var findings: [Finding] {
    [configuration, socket] + sources + settings + receivers + devices + sky + [clock] + disk
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
      .ok(
        .socket, "handlebard \(status.release) answers; \(status.clients) \(status.clients == 1 ? "client" : "clients")"
      )
    case .absent(let path):
      .wrong(
        .socket, "\(path) does not exist: no daemon is running, or it listens on another path",
        do:
          "sudo systemctl start handlebard; check its log: journalctl -u handlebard -n 20; \(CommandError.withoutReceiver)"
      )
    case .deaf(let path):
      .wrong(
        .socket, "no process listens on \(path)",
        do: "sudo systemctl restart handlebard; check its log: journalctl -u handlebard -n 20")
    case .denied(let path, let group):
      .wrong(
        .socket, "\(view.user) may not connect to \(path)" + (group.map { ": it belongs to the group \($0)" } ?? ""),
        do: "sudo usermod -aG \(group ?? "handlebar") \(view.user), then log in again")
    case .silent(let path, let reason):
      .wrong(
        .socket, "the daemon on \(path) answers with an error: \(reason)",
        do: "sudo systemctl restart handlebard; check its log: journalctl -u handlebard -n 20")
    }
  }

  /// The daemon's report of its sources.
  private var sources: [Finding] {
    guard case .answers(let status, _, _) = view.daemon else { return [] }
    return status.sources.map { source in
      let name = source.device.map { "\(source.source) (\($0))" } ?? source.source
      guard source.state == .failed else {
        let isSerial = source.source.hasPrefix("serial")
        if isSerial, source.state == .lost, !view.devices.contains(where: { $0.path == source.device }) {
          return .wrong(
            .receiver, "\(name) was unplugged", do: "plug it in again; check the kernel log: sudo dmesg | tail")
        }
        return .ok(isSerial ? .receiver : .source, "\(name) is \(source.state)")
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

  /// Receivers on serial lines that could do better and that no source asks to.
  private var settings: [Finding] {
    guard case .answers(let status, _, _) = view.daemon else { return [] }
    return status.sources.compactMap { source in
      guard source.source.hasPrefix("serial"), source.state == .tracking, source.receiver == nil,
        let cycle = source.cycle, cycle > .milliseconds(300)
      else { return nil }
      let isSlow = source.load != nil && (source.bps ?? 0) < 38_400
      var text = "\((1 / cycle.inSeconds).decimals(0)) Hz"
      if let load = source.load, let bps = source.bps {
        text += " at \(bps) bit/s, \((load * 100).decimals(0)) % of the line used"
      }
      let wish = "receiver = { rate = 5\(isSlow ? ", speed = 38400" : "") }"
      return .note(.receiver, "\(text): \(wish)", "add it to the source, see handlebard.toml(5)")
    }
  }

  /// The devices that are plugged in, when no daemon reports them.
  private var receivers: [Finding] {
    if case .answers = view.daemon { return [] }
    guard view.devices.isEmpty else {
      let present = view.devices.map { $0.path == $0.target ? $0.path : "\($0.path) (\($0.name))" }
      return [.ok(.receiver, "plugged in: \(present.joined(separator: ", "))")]
    }
    let brltty = view.programs.first { $0.name == "brltty" }
    return [
      .wrong(
        .receiver,
        "no receiver is plugged in"
          + (brltty.map { "; brltty (pid \($0.pid)) claims USB serial adapters" } ?? ""),
        do: brltty == nil
          ? "check the plug and the cable; check the kernel log: sudo dmesg | tail"
          : "sudo systemctl mask --now brltty-udev brltty")
    ]
  }

  private var sky: [Finding] {
    guard case .answers(let status, let seen, _) = view.daemon else { return [] }
    switch status.state {
    case .tracking: return [.ok(.sky, "there is a \(status.mode.map { "\($0)D " } ?? "")fix")]
    case .acquiring, .lost:
      let signals = seen.compactMap { $0 }.filter { $0 > 0 }
      guard let strongest = signals.max() else {
        return [
          .wrong(
            .sky,
            seen.isEmpty
              ? "the receiver sees no satellite" : "the receiver has no signal from any of \(seen.count) satellites",
            do: "give the antenna a view of the sky and check its plug, then: handlebarctl watch")
        ]
      }
      return [
        .note(
          .sky,
          "no fix yet: \(signals.count) \(signals.count == 1 ? "signal" : "signals"), the strongest of \(strongest.decimals(0)) dBHz",
          "wait, a cold start takes minutes; below 30 dBHz the antenna needs a better view of the sky: handlebarctl watch"
        )
      ]
    default: return []
    }
  }

  /// The earliest plausible time: 2026-01-01.
  private static let floor = UTCInstant(nanosecondsSince1970: 1_767_225_600 * 1_000_000_000)
  /// Tolerated difference between clock and receiver, seconds.
  private static let tolerance = 60.0

  private var clock: Finding {
    let remedy = "check it: timedatectl; set it from the network: sudo timedatectl set-ntp true"
    let now = view.now
    guard now >= Self.floor else {
      return .wrong(.clock, "the system clock is not set: it shows \(now.text)", do: remedy)
    }
    if case .answers(let status, _, let measured?) = view.daemon, status.state == .tracking, let age = status.age,
      let source = status.source, source.hasPrefix("serial") || source.hasPrefix("gpsd")
    {
      let difference = (now - measured).inSeconds - age.inSeconds
      if abs(difference) > Self.tolerance {
        return .wrong(
          .clock, "the system clock is \(difference.decimals(0)) s off the receiver's time", do: remedy)
      }
    }
    return .ok(.clock, "the system clock is set")
  }

  /// Free bytes below which a disk counts as full: some days of riding.
  private static let room: UInt64 = 64 << 20

  private var disk: [Finding] {
    var findings: [Finding] = []
    if case .answers(let status, _, _) = view.daemon, let error = status.recordingError {
      findings.append(
        .wrong(
          .disk, "recording failed: \(error)", do: "check the disk: df -h; remove rides: handlebarctl rides rm RIDE")
      )
    }
    guard let disk = view.disk else { return findings }
    let free = "\(disk.freeBytes >> 20) of \(disk.totalBytes >> 20) MiB are free at \(disk.path)"
    findings.append(
      disk.freeBytes < Self.room
        ? .wrong(
          .disk, "the disk is full: \(free)", do: "df -h \(disk.path); du -x -h -d2 / 2>/dev/null | sort -h | tail")
        : .ok(.disk, free))
    return findings
  }
}

/// Findings that keep the daemon from a serial port.
extension Examination {
  /// The group of the service and of serial ports.
  private static let serialGroup = "dialout"

  var devices: [Finding] {
    view.receivers.flatMap { device in permissions(of: device) + holders(of: device) + others(at: device) }
  }

  /// A running daemon reports denied devices itself.
  private func permissions(of device: SystemView.Device) -> [Finding] {
    if case .answers = view.daemon { return [] }
    let mode = "0" + String(device.mode & 0o777, radix: 8)
    let isReadable = device.mode & 0o004 != 0 || (device.group == Self.serialGroup && device.mode & 0o040 != 0)
    guard !isReadable else { return [.ok(.group, "\(device.path) belongs to the group \(device.group)")] }
    return [
      .wrong(
        .group,
        "\(device.path) belongs to the group \(device.group) with mode \(mode); the service is in \(Self.serialGroup)",
        do:
          "apply the udev rules again: sudo udevadm trigger --action=add /dev/\(device.name); check: ls -lL \(device.path)"
      )
    ]
  }

  private func holders(of device: SystemView.Device) -> [Finding] {
    let others = device.holders.filter { $0.name != "handlebard" }
    return others.map { process in
      .wrong(
        .holder, "\(device.path) is held by \(process.name) (pid \(process.pid))",
        do: remedy(against: process, at: device))
    }
  }

  private func remedy(against process: SystemView.Process, at device: SystemView.Device) -> String {
    switch process.name {
    case "gpsd":
      "sudo systemctl disable --now gpsd.socket gpsd.service, or read gpsd: set the source to gpsd://localhost:2947"
    case "ModemManager": "sudo systemctl disable --now ModemManager"
    case "brltty": "sudo systemctl mask --now brltty-udev brltty"
    case "agetty", "getty", "login": "sudo systemctl mask --now serial-getty@\(device.name).service"
    default: "stop \(process.name): sudo kill \(process.pid)"
    }
  }

  /// Programs that may open the device.
  private func others(at device: SystemView.Device) -> [Finding] {
    var findings: [Finding] = []
    for process in view.programs where !device.holders.contains(process) {
      switch process.name {
      case "ModemManager" where !device.isIgnoredByModemManager:
        findings.append(
          .wrong(
            .interference, "ModemManager (pid \(process.pid)) may probe \(device.path) as a modem",
            do:
              "exclude the device by a udev rule with ENV{ID_MM_DEVICE_IGNORE}=\"1\", or: sudo systemctl disable --now ModemManager"
          ))
      case "agetty", "getty":
        guard process.arguments.contains(where: { $0 == device.name || $0 == "/dev/\(device.name)" }) else { continue }
        findings.append(
          .wrong(
            .console, "\(process.name) (pid \(process.pid)) runs a login on \(device.path)",
            do: remedy(against: process, at: device)))
      case "gpsd":
        findings.append(
          .note(
            .interference, "gpsd (pid \(process.pid)) is running and may open the receiver",
            remedy(against: process, at: device)))
      default: continue
      }
    }
    if view.consoles.contains(device.name) {
      findings.append(
        .wrong(
          .console, "the kernel writes its messages to \(device.path)",
          do: "remove console=\(device.name) from the kernel's command line (cat /proc/cmdline), then: sudo reboot"
        ))
    }
    return findings
  }
}
