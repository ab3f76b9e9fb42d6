/// Findings about a system. Pure: the same view gives the same findings.
struct Examination {
  let view: SystemView

  /// All findings, the causes before their effects.
  var findings: [Finding] {
    let groups: [[Finding]] = [
      [configuration, socket], sources, sensors, setups, settings, lines, pluggedIn, access, sky, firstFix,
      interference, ailments, [clock], disk,
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

  /// Free bytes below which a disk counts as full: some hours of riding.
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
