import GPSDProtocol

/// The result of one check.
struct Finding: Hashable {
  /// Result, worst last.
  enum State: String {
    case ok
    /// Information, nothing to do.
    case note
    case wrong
  }

  /// Subject of the check.
  enum Check: String, CaseIterable {
    case configuration
    case socket
    case receiver
    case group
    case holder
    case speed
    case interference
    case console
    case source
    case sky
    case clock
    case disk
  }

  let check: Check
  let state: State
  /// The finding, one sentence.
  let message: String
  /// What to do about it.
  let remedy: String?

  static func ok(_ check: Check, _ message: String) -> Finding {
    Finding(check: check, state: .ok, message: message, remedy: nil)
  }

  static func note(_ check: Check, _ message: String, _ remedy: String? = nil) -> Finding {
    Finding(check: check, state: .note, message: message, remedy: remedy)
  }

  static func wrong(_ check: Check, _ message: String, do remedy: String?) -> Finding {
    Finding(check: check, state: .wrong, message: message, remedy: remedy)
  }

  /// One JSON object on a line.
  var json: [UInt8] {
    var line = JSONLine(capacity: 256)
    line.beginObject()
    line.field("check", check.rawValue)
    line.field("state", state.rawValue)
    line.field("message", message)
    line.field("remedy", remedy)
    line.endObject()
    return Array(line.bytes) + [UInt8(ascii: "\n")]
  }

  /// For people: state, subject and message; the remedy on a second line.
  func lines(_ style: Style) -> [String] {
    let colour: Style.Colour =
      switch state {
      case .ok: .green
      case .note: .dim
      case .wrong: .red
      }
    let head = "\(style.text(state.rawValue.left(6), colour)) \(check.rawValue.left(14)) "
    return [head + message.printable]
      + (remedy.map { [String(repeating: " ", count: 22) + "do: " + $0.printable] } ?? [])
  }
}
