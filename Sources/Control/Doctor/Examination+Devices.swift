// The devices that receivers are, and what else uses them.
extension Examination {
  /// The devices that are plugged in, when no daemon reports them.
  var pluggedIn: [Finding] {
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

  /// The group of the service and of serial ports.
  private static let serialGroup = "dialout"

  var access: [Finding] {
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
