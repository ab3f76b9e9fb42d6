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
