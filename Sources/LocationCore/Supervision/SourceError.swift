package enum SourceError: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Switch: Hashable, Sendable {
    case configuration(key: String)
    case rfkill(name: String)
  }

  package enum Obstacle: Hashable, Sendable {
    /// The user is not a member of the group.
    case membership
    /// The mode does not give the group access.
    case permission
    case both
    /// Neither; most likely a restriction of the service.
    case other
  }

  /// The device cannot be opened by `user`; `group` owns it.
  case denied(device: String, group: String?, user: String?, for: Obstacle = .membership)
  /// The device does not exist; `present` lists the devices that do.
  case notFound(device: String, present: [String])
  case notInstalled(program: String, source: String)
  /// Another process holds the device; `holder` names it if known ("gpsd (pid 812)").
  case busy(device: String, holder: String?)
  case disabled(source: String, by: Switch)
  /// gpsd has no receiver, and a serial source of this daemon holds one that may be meant for it.
  case heldByDaemon(source: String, by: String)
  /// Temporarily unavailable; retried indefinitely.
  case unavailable(source: String, reason: String)
  case misconfigured(source: String, reason: String)
  /// Bytes arrive without any sentence, at the speeds tried (none = the device has no speed); what they are, if known.
  case noNMEA(device: String, bytes: Int, speeds: [Int], binary: BinaryProtocol? = nil)

  package var code: String {
    switch self {
    case .denied: "denied"
    case .notFound, .notInstalled: "notFound"
    case .busy, .heldByDaemon: "busy"
    case .disabled: "disabled"
    case .unavailable: "unavailable"
    case .misconfigured: "misconfigured"
    case .noNMEA: "noNMEA"
    }
  }

  /// Whether the error can resolve by itself, so that the source is retried.
  package var isTransient: Bool {
    switch self {
    case .notFound, .notInstalled, .busy, .heldByDaemon, .unavailable, .noNMEA: true
    case .denied, .disabled, .misconfigured: false
    }
  }

  package var description: String {
    switch self {
    case .denied(let device, let group, _, _):
      "\(device): permission denied" + (group.map { " (group \($0))" } ?? "")
    case .notFound(let device, _) where device.hasPrefix("gpsd://"):
      "\(device) does not exist: gpsd has no such receiver"
    case .notFound(let device, _):
      "\(device) does not exist"
    case .notInstalled(let program, let source):
      "\(source) cannot be read: \(program) is not installed"
    case .busy(let device, let holder):
      "\(device) is held by \(holder ?? "another process")"
    case .heldByDaemon(let source, let other):
      "\(source) has no receiver: this daemon holds \(other), so gpsd cannot open it"
    case .disabled(let source, .configuration(let key)):
      "\(source) is disabled by \(key) in the configuration"
    case .disabled(let source, .rfkill(let name)):
      "\(source) is disabled by the radio kill switch \(name)"
    case .unavailable(let source, let reason):
      "\(source) is unavailable: \(reason)"
    case .misconfigured(let source, let reason):
      "\(source) is misconfigured: \(reason)"
    case .noNMEA(let device, let bytes, _, let binary?):
      "\(device) sent \(bytes) bytes without an NMEA sentence: it sends \(binary.rawValue)"
    case .noNMEA(let device, let bytes, let speeds, nil):
      "\(device) sent \(bytes) bytes without an NMEA sentence" + Self.list(speeds)
    }
  }

  package var remedy: String {
    if let sensorRemedy { return sensorRemedy }
    return switch self {
    case .denied(let device, "root", let user?, .both):
      "sudo chgrp dialout \(device); sudo chmod g+rw \(device) (permanently: a udev rule with GROUP=\"dialout\", MODE=\"0660\"), sudo usermod -aG dialout \(user), then restart the service or log in again"
    case .denied(let device, let group?, let user?, .both):
      "sudo chmod g+rw \(device) (permanently: a udev rule with MODE=\"0660\"), sudo usermod -aG \(group) \(user), then restart the service or log in again"
    case .denied(let device, _, _, .permission), .denied(let device, _, _, .both):
      "sudo chmod g+rw \(device) (permanently: a udev rule with GROUP=\"dialout\", MODE=\"0660\"); to check: ls -l \(device)"
    case .denied(let device, _, _, .other):
      "owner and mode permit access (ls -l \(device)); add DeviceAllow=\(device) rw to the service: sudo systemctl edit handlebard"
    case .denied(let device, let group?, let user?, _):
      "sudo usermod -aG \(group) \(user), then restart the service or log in again; to check: ls -l \(device)"
    case .denied(let device, let group?, nil, _):
      "add the daemon's user to the group: sudo usermod -aG \(group) USER, then restart the daemon; to check: ls -l \(device)"
    case .denied(let device, nil, _, _):
      "find the device's group: ls -l \(device); add the daemon's user to it: sudo usermod -aG GROUP USER"
    case .notFound(let device, let present) where device.hasPrefix("gpsd://"):
      present.isEmpty
        ? "gpsd has no receiver: plug one in, or add it to gpsd: sudo gpsdctl add DEVICE"
        : "gpsd has: \(present.joined(separator: ", ")): set the source to one of them, or add the other to gpsd: sudo gpsdctl add DEVICE"
    case .notFound(let device, let present) where present.isEmpty:
      "no possible receiver is plugged in: check plug and cable (sudo dmesg | tail); \(device) is opened as soon as it exists"
    case .notFound(_, let present):
      "plugged in instead: \(present.joined(separator: ", ")): set the source to serial:\(present[0])"
    case .notInstalled(let program, _):
      "sudo apt-get install \(program), or read the receiver directly: set the source to serial:DEVICE"
    case .busy(let device, let holder) where holder?.hasPrefix("gpsd") == true:
      "sudo systemctl disable --now gpsd.socket gpsd.service to use \(device) directly, or read gpsd: set the source to gpsd://localhost:2947"
    case .busy(let device, _) where device.hasPrefix("udp://"):
      "find the program that listens there: sudo ss -lunp; stop it, or send to another port and set the source to that port"
    case .heldByDaemon(let source, let other):
      "configure only one of \(other) and \(source); if gpsd has another receiver, add it: sudo gpsdctl add DEVICE"
    case .busy(let device, _):
      "find the program that holds it: sudo fuser -v \(device); stop that program"
    case .disabled(_, .configuration(let key)):
      "change \(key) in the configuration and reload: sudo systemctl reload handlebard"
    case .disabled(_, .rfkill(let name)):
      "rfkill list; sudo rfkill unblock \(name)"
    case .unavailable(let source, _) where source.hasPrefix("gpsd://"):
      "check whether gpsd is running and has a receiver: systemctl status gpsd.socket gpsd; it is retried at least every 5 s"
    case .unavailable:
      "no action needed: it is retried at least every 5 s"
    case .misconfigured(let source, _):
      "correct the source \(source), then check: handlebard --check-config"
    case .noNMEA(_, _, _, .rtcm), .noNMEA(_, _, _, .rtcm2):
      "those are corrections, without positions: set the source to the receiver that gets them, or let it send NMEA 0183, too"
    case .noNMEA(_, _, _, .unchecked):
      "add checksums=prefer to the source, see handlebard.toml(5)"
    case .noNMEA(_, _, _, .damaged):
      "check the cable, the ground and the speed of the line, and that no other program reads it"
    case .noNMEA(let device, _, _, .console):
      "a computer's login or messages are on this line, and no receiver: set the source to the receiver's line; if \(device) is this computer's console: handlebarctl doctor"
    case .noNMEA(let device, _, _, let binary?) where device.contains("://"):
      "let the receiver behind \(device) send NMEA 0183 instead of \(binary.rawValue)"
    case .noNMEA(let device, _, _, .sirf), .noNMEA(let device, _, _, .skytraq), .noNMEA(let device, _, _, .mediatek):
      "a program such as gpsd may have left it so: switch it back to NMEA 0183 with gpsd running: gpsctl -n \(device), or take its power away for some minutes, with its battery if it has one"
    case .noNMEA(_, _, _, _?):
      "switch the receiver to NMEA 0183 with its maker's program; handlebard reads NMEA 0183 and UBX"
    case .noNMEA(let device, _, _, nil) where device.contains("://"):
      "what \(device) sends is neither NMEA 0183 nor UBX: correct the address, or configure the sender for NMEA 0183"
    case .noNMEA(let device, _, let speeds, nil) where speeds.isEmpty:
      "it is another device, or a receiver in another protocol: show what it sends: sudo timeout 3 cat -v \(device)"
    case .noNMEA(let device, _, let speeds, nil) where speeds.count == 1:
      "remove speed=\(speeds[0]) from the source, so that the receiver's speed is looked for; what it sends: sudo timeout 3 cat -v \(device)"
    case .noNMEA(let device, _, _, nil):
      "it has an unusual speed, another protocol, or is another device: set the receiver's speed, as in serial:\(device)?speed=9600; what it sends: sudo timeout 3 cat -v \(device)"
    }
  }

  private static func list(_ speeds: [Int]) -> String {
    speeds.isEmpty ? "" : " at " + speeds.map { "\($0)" }.joined(separator: ", ") + " baud"
  }
}
