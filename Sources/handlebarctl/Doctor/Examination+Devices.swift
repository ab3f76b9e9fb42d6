/// What stands between the daemon and a serial line.
extension Examination {
  /// The group that the service belongs to, and serial lines with it.
  private static let serialGroup = "dialout"

  var devices: [Finding] {
    view.receivers.flatMap { device in permissions(of: device) + holders(of: device) + others(at: device) }
  }

  /// A daemon that runs says by itself what it may not open.
  private func permissions(of device: SystemView.Device) -> [Finding] {
    if case .answers = view.daemon { return [] }
    let mode = "0" + String(device.mode & 0o777, radix: 8)
    let isReadable = device.mode & 0o004 != 0 || (device.group == Self.serialGroup && device.mode & 0o040 != 0)
    guard !isReadable else { return [.ok(.group, "\(device.path) is for the group \(device.group)")] }
    return [
      .wrong(
        .group,
        "\(device.path) is for the group \(device.group) with mode \(mode): the service is in \(Self.serialGroup)",
        do: "let udev set it again: sudo udevadm trigger --action=add /dev/\(device.name); look: ls -lL \(device.path)")
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

  /// Programs that do not hold it now, and will.
  private func others(at device: SystemView.Device) -> [Finding] {
    var findings: [Finding] = []
    for process in view.programs where !device.holders.contains(process) {
      switch process.name {
      case "ModemManager" where !device.isIgnoredByModemManager:
        findings.append(
          .wrong(
            .interference, "ModemManager (pid \(process.pid)) may try \(device.path) as a modem",
            do:
              "keep it off by a rule with ENV{ID_MM_DEVICE_IGNORE}=\"1\", or: sudo systemctl disable --now ModemManager"
          ))
      case "agetty", "getty":
        guard process.arguments.contains(where: { $0 == device.name || $0 == "/dev/\(device.name)" }) else { continue }
        findings.append(
          .wrong(
            .console, "\(process.name) (pid \(process.pid)) offers a login on \(device.path)",
            do: remedy(against: process, at: device)))
      case "gpsd":
        findings.append(
          .note(
            .interference, "gpsd (pid \(process.pid)) runs and opens receivers by its own rules",
            remedy(against: process, at: device)))
      default: continue
      }
    }
    if view.consoles.contains(device.name) {
      findings.append(
        .wrong(
          .console, "the kernel writes its messages to \(device.path)",
          do: "take console=\(device.name) out of the kernel's command line (see: cat /proc/cmdline), then: sudo reboot"
        ))
    }
    return findings
  }
}
