import ArgumentParser
import LocationClient

/// What a failure ends the command with.
enum CommandError {
  /// Says the error in one line and gives the exit code for it.
  static func exit(_ error: LocationClientError) -> ExitCode {
    StandardError.say(text(error))
    return ExitCode(code(error))
  }

  /// Says a cause that is no answer of the daemon's.
  static func exit(_ message: String, code: Int32 = 1) -> ExitCode {
    StandardError.say(message)
    return ExitCode(code)
  }

  static func code(_ error: LocationClientError) -> Int32 {
    switch error {
    case .noDaemon: 3
    case .timedOut: 4
    case .denied: 5
    case .disabled: 6
    case .misconfigured, .remote, .protocolViolation, .closed, .cancelled: 1
    }
  }

  static func text(_ error: LocationClientError) -> String {
    guard case .timedOut(let lastKnown?) = error else { return error.description }
    return "\(error); last known: \(PositionText.text(lastKnown))"
  }
}
