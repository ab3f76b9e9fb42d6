/// Why a source delivers nothing, with what a person can do about it.
package enum SourceError: Error, Hashable, Sendable {
  /// What switched a source off.
  package enum Switch: Hashable, Sendable {
    /// A key of the configuration.
    case configuration(key: String)
    /// A radio kill switch, by its name.
    case rfkill(name: String)
  }

  /// What keeps a user from a device.
  package enum Obstacle: Hashable, Sendable {
    /// Being none of the group that may open it.
    case membership
    /// That the group may not open it.
    case permission
    /// The one and the other.
    case both
    /// Neither: what holds the service in, most likely.
    case other
  }

  /// The device may not be opened: its path, the group that owns it, the user that asks, and what it is for.
  case denied(device: String, group: String?, user: String?, for: Obstacle = .membership)
  /// There is no such device; what is plugged in instead.
  case notFound(device: String, present: [String])
  /// The program that serves the source is not installed on this machine.
  case notInstalled(program: String, source: String)
  /// Somebody else holds the device; who, if it can be known ("gpsd (pid 812)").
  case busy(device: String, holder: String?)
  /// Switched off on purpose.
  case disabled(source: String, by: Switch)
  /// A gpsd has no receiver, and a serial source of this daemon holds one that it may be meant to have.
  case heldHere(source: String, by: String)
  /// Not there for the moment; tried again without end.
  case unavailable(source: String, reason: String)
  /// The configuration asks for what cannot be.
  case misconfigured(source: String, reason: String)
  /// Bytes arrive, but never a sentence: how many bytes, at which speeds (none = the device has no speed).
  case noNMEA(device: String, bytes: Int, speeds: [Int])

  /// The protocol's name of the kind.
  package var code: String {
    switch self {
    case .denied: "denied"
    case .notFound, .notInstalled: "notFound"
    case .busy, .heldHere: "busy"
    case .disabled: "disabled"
    case .unavailable: "unavailable"
    case .misconfigured: "misconfigured"
    case .noNMEA: "noNMEA"
    }
  }

  /// Whether it can pass by itself, so that trying again makes sense.
  package var isTransient: Bool {
    switch self {
    case .notFound, .notInstalled, .busy, .heldHere, .unavailable, .noNMEA: true
    case .denied, .disabled, .misconfigured: false
    }
  }
}

extension SourceError: CustomStringConvertible {
  /// What is wrong, in one line without the remedy.
  package var description: String {
    switch self {
    case .denied(let device, let group, _, _):
      "\(device) may not be opened" + (group.map { ": it belongs to the group \($0)" } ?? "")
    case .notFound(let device, _) where device.hasPrefix("gpsd://"):
      "\(device) does not exist: gpsd has no such receiver"
    case .notFound(let device, _):
      "\(device) does not exist"
    case .notInstalled(let program, let source):
      "\(source) cannot be read: \(program) is not installed here"
    case .busy(let device, let holder):
      "\(device) is held by \(holder ?? "another process")"
    case .heldHere(let source, let other):
      "\(source) has no receiver, and \(other) is held here: gpsd cannot open what is held"
    case .disabled(let source, .configuration(let key)):
      "\(source) is switched off by \(key) in the configuration"
    case .disabled(let source, .rfkill(let name)):
      "\(source) is switched off by the radio kill switch \(name)"
    case .unavailable(let source, let reason):
      "\(source) is not available: \(reason)"
    case .misconfigured(let source, let reason):
      "\(source) cannot be used: \(reason)"
    case .noNMEA(let device, let bytes, let speeds):
      "\(device) sent \(bytes) bytes and no NMEA sentence" + Self.list(speeds)
    }
  }

  /// What a person can do about it, in one line.
  package var remedy: String {
    switch self {
    case .denied(let device, "root", let user?, .both):
      "sudo chgrp dialout \(device); sudo chmod g+rw \(device) (for good: a udev rule with GROUP=\"dialout\", MODE=\"0660\"), sudo usermod -aG dialout \(user), then start the service (or log in) anew"
    case .denied(let device, let group?, let user?, .both):
      "sudo chmod g+rw \(device) (for good: a udev rule with MODE=\"0660\"), sudo usermod -aG \(group) \(user), then start the service (or log in) anew"
    case .denied(let device, _, _, .permission), .denied(let device, _, _, .both):
      "sudo chmod g+rw \(device), and for good by a udev rule with GROUP=\"dialout\", MODE=\"0660\"; see who may: ls -l \(device)"
    case .denied(let device, _, _, .other):
      "owner and mode allow it (ls -l \(device)): let the service have it, with DeviceAllow=\(device) rw by: sudo systemctl edit handlebard"
    case .denied(let device, let group?, let user?, _):
      "sudo usermod -aG \(group) \(user), then start the service (or log in) anew; see who may: ls -l \(device)"
    case .denied(let device, let group?, nil, _):
      "add the daemon's user to the group: sudo usermod -aG \(group) USER, then start it anew; see: ls -l \(device)"
    case .denied(let device, nil, _, _):
      "see who may open it: ls -l \(device); give the daemon's user that group: sudo usermod -aG GROUP USER"
    case .notFound(let device, let present) where device.hasPrefix("gpsd://"):
      present.isEmpty
        ? "gpsd has no receiver at all: plug it in, or name it to gpsd: sudo gpsdctl add DEVICE"
        : "gpsd has: \(present.joined(separator: ", ")): set the source to one of them, or name the other to gpsd: sudo gpsdctl add DEVICE"
    case .notFound(let device, let present) where present.isEmpty:
      "nothing is plugged in that could be a receiver: check plug and cable (sudo dmesg | tail); \(device) is opened as soon as it is there"
    case .notFound(_, let present):
      "plugged in instead: \(present.joined(separator: ", ")): set the source to serial:\(present[0])"
    case .notInstalled(let program, _):
      "sudo apt-get install \(program), or read the receiver without it: set the source to serial:DEVICE"
    case .busy(let device, let holder) where holder?.hasPrefix("gpsd") == true:
      "sudo systemctl disable --now gpsd.socket gpsd.service to own \(device), or read gpsd: set the source to gpsd://localhost:2947"
    case .busy(let device, _) where device.hasPrefix("udp://"):
      "see who listens: sudo ss -lunp; stop that program, or send to another port and set the source to it"
    case .heldHere(let source, let other):
      "name one of the two, \(other) or \(source); if gpsd is to have another receiver, name that to it: sudo gpsdctl add DEVICE"
    case .busy(let device, _):
      "see who holds it: sudo fuser -v \(device); stop that program"
    case .disabled(_, .configuration(let key)):
      "change \(key) in the configuration and reload: sudo systemctl reload handlebard"
    case .disabled(_, .rfkill(let name)):
      "rfkill list; sudo rfkill unblock \(name)"
    case .unavailable(let source, _) where source.hasPrefix("gpsd://"):
      "see whether gpsd runs and has a receiver: systemctl status gpsd.socket gpsd; it is tried again, at the latest after 5 s"
    case .unavailable:
      "nothing to do: it is tried again, at the latest after 5 s"
    case .misconfigured(let source, _):
      "correct the source \(source), then check: handlebard --check-config"
    case .noNMEA(let device, _, _) where device.contains("://"):
      "what sends to \(device) is no receiver: correct the address, or set the sender to NMEA 0183"
    case .noNMEA(let device, _, let speeds) where speeds.isEmpty:
      "probably not a GNSS receiver: look at what it sends: sudo timeout 3 cat -v \(device)"
    case .noNMEA(let device, _, _):
      "probably the wrong device, or a speed of its own: set the receiver's speed, as in serial:\(device)?speed=9600"
    }
  }

  private static func list(_ speeds: [Int]) -> String {
    speeds.isEmpty ? "" : " at " + speeds.map { "\($0)" }.joined(separator: ", ") + " baud"
  }
}
