struct Finding: Hashable {
  /// Result, worst last.
  enum State: String {
    case ok
    case note
    case wrong
  }

  enum Check: String, CaseIterable {
    case configuration, socket, receiver, group, holder, speed, interference, console, source, sensor, sky, clock, disk
  }

  let check: Check
  let state: State
  let message: String
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

  var json: [UInt8] {
    jsonObject { line in
      line.field("check", check.rawValue)
      line.field("state", state.rawValue)
      line.field("message", message)
      line.field("remedy", remedy)
    }
  }

  /// For people: state, subject and message; the remedy on a second line.
  func lines(_ style: Style) -> [String] {
    let colour: Style.Colour = state == .ok ? .green : state == .note ? .dim : .red
    let head = "\(style.text(state.rawValue.left(6), colour)) \(check.rawValue.left(14)) "
    let remedy = remedy.map { "".left(22) + "do: " + $0.printable }
    return [head + message.printable] + (remedy.map { [$0] } ?? [])
  }
}
