import LocationClient
import LocationCore

/// Looks a system over. Pure: the same view gives the same findings.
struct Examination {
  let view: SystemView

  /// Everything that was found, in the order in which it matters.
  var findings: [Finding] {
    [configuration, socket] + sources + receivers + devices + sky + [clock] + disk
  }

  private var configuration: Finding {
    switch view.configuration {
    case .right: .ok(.configuration, "the configuration is right")
    case .wrong(let message):
      .wrong(.configuration, message, do: "correct it, then look again: handlebard --check-config")
    case .unchecked: .note(.configuration, "not checked: there is no handlebard to ask")
    }
  }

  private var socket: Finding {
    switch view.daemon {
    case .answers(let status, _, _):
      .ok(.socket, "the daemon answers: \(status.release), \(status.clients) clients")
    case .absent(let path):
      .wrong(
        .socket, "\(path) does not exist: no daemon runs, or it serves another path",
        do: "sudo systemctl start handlebard; why it ended: journalctl -u handlebard -n 20")
    case .deaf(let path):
      .wrong(
        .socket, "nobody listens on \(path)",
        do: "sudo systemctl restart handlebard; why it ended: journalctl -u handlebard -n 20")
    case .denied(let path, let group):
      .wrong(
        .socket, "\(view.user) may not connect to \(path)" + (group.map { ": it is for the group \($0)" } ?? ""),
        do: "sudo usermod -aG \(group ?? "handlebar") \(view.user), then log in again")
    case .silent(let path, let reason):
      .wrong(
        .socket, "\(path) was reached, but: \(reason)",
        do: "sudo systemctl restart handlebard; what it says: journalctl -u handlebard -n 20")
    }
  }

  /// What the daemon says of its sources.
  private var sources: [Finding] {
    guard case .answers(let status, _, _) = view.daemon else { return [] }
    return status.sources.map { source in
      let name = source.device.map { "\(source.source) (\($0))" } ?? source.source
      guard source.state == "failed" else {
        let isSerial = source.source.hasPrefix("serial")
        if isSerial, source.state == "lost", !view.devices.contains(where: { $0.path == source.device }) {
          return .wrong(
            .receiver, "\(name) was unplugged", do: "plug it in again; what the kernel saw: sudo dmesg | tail")
        }
        return .ok(isSerial ? .receiver : .source, "\(name) is \(source.state)")
      }
      let check: Finding.Check =
        switch source.error {
        case "notFound": .receiver
        case "denied": .group
        case "busy": .holder
        case "noNMEA": .speed
        default: .source
        }
      return .wrong(check, source.message ?? "\(name) has failed", do: source.remedy)
    }
  }

  /// What is plugged in, when no daemon says anything about it.
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
        "nothing is plugged in that could be a receiver"
          + (brltty.map { "; brltty (pid \($0.pid)) takes USB serial adapters away" } ?? ""),
        do: brltty == nil
          ? "check plug and cable; what the kernel saw: sudo dmesg | tail"
          : "sudo systemctl mask --now brltty-udev brltty")
    ]
  }

  private var sky: [Finding] {
    guard case .answers(let status, let seen, _) = view.daemon else { return [] }
    switch status.state {
    case "tracking": return [.ok(.sky, "there is a \(status.mode.map { "\($0)D " } ?? "")fix")]
    case "acquiring", "lost":
      let heard = seen.compactMap { $0 }.filter { $0 > 0 }
      guard let strongest = heard.max() else {
        return [
          .wrong(
            .sky,
            seen.isEmpty ? "the receiver sees no satellite" : "the receiver hears none of \(seen.count) satellites",
            do: "give it the open sky, check the antenna's plug, then watch: handlebarctl watch")
        ]
      }
      return [
        .note(
          .sky, "no fix yet: \(heard.count) satellites are heard, the strongest at \(strongest.decimals(0)) dBHz",
          "wait: a cold start takes minutes; below 30 dBHz give it more sky: handlebarctl watch")
      ]
    default: return []
    }
  }

  /// Before this the clock cannot be right: 2026-01-01.
  private static let floor = UTCInstant(nanosecondsSince1970: 1_767_225_600 * 1_000_000_000)
  /// How far clock and receiver may be apart, seconds.
  private static let tolerance = 60.0

  private var clock: Finding {
    let remedy = "timedatectl; set it by the network: sudo timedatectl set-ntp true"
    let now = view.now
    guard now >= Self.floor else {
      return .wrong(.clock, "the system's time is not set: it says \(PositionText.iso(now))", do: remedy)
    }
    if case .answers(let status, _, let measured?) = view.daemon, status.state == "tracking", let age = status.age,
      let source = status.source, source.hasPrefix("serial") || source.hasPrefix("gpsd")
    {
      let difference = (now - measured).inSeconds - age
      if abs(difference) > Self.tolerance {
        return .wrong(
          .clock, "the system's time is \(difference.decimals(0)) s off the receiver's", do: remedy)
      }
    }
    return .ok(.clock, "the system's time is set")
  }

  /// Below this a disk counts as full, bytes: some days of riding.
  private static let room: UInt64 = 64 << 20

  private var disk: [Finding] {
    var findings: [Finding] = []
    if case .answers(let status, _, _) = view.daemon, let error = status.recordingError {
      findings.append(
        .wrong(.disk, "the recording has stopped: \(error)", do: "df -h; handlebarctl rides; delete what is not needed")
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
