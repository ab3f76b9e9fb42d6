import ArgumentParser
import Glibc
import LocationClient
import Recordings
import RideTools

struct ConnectionOptions: ParsableArguments {
  @Option(
    help: .value("PATH", "Path of the daemon's socket (default: $HANDLEBAR_SOCKET, else \(Endpoint.standardPath))."),
    completion: .file())
  var socket: String?

  /// A client of that socket, which can also be named before the command: the parser shares the group with it.
  var client: LocationClient { socket.map { LocationClient(endpoint: .unix(path: $0)) } ?? LocationClient() }

  /// Sends a request; shows on a terminal that it is waiting. An error ends the command with a message and a code.
  func ask<Answer>(
    waitingFor what: String = "the daemon", units: Units = .metric,
    _ request: (LocationClient) async throws -> Answer
  ) async throws -> Answer {
    let progress = WaitNotice("waiting for \(what)")
    defer { progress.end() }
    do {
      return try await request(client)
    } catch let error as LocationClientError {
      throw CommandError.exit(error, units)
    }
  }
}

struct ReportOptions: ParsableArguments {
  @OptionGroup var unit: UnitOptions
  @OptionGroup var connection: ConnectionOptions

  var units: Units { unit.units }
}

/// Errors that end a command: one line on standard error, and an exit code.
enum CommandError {
  /// Prints the line of a client's error; returns its exit code.
  static func exit(_ error: LocationClientError, _ units: Units = .metric) -> ExitCode {
    StandardError.say(text(error, units))
    return ExitCode(code(error))
  }

  static func exit(_ message: String, code: Int32 = 1) -> ExitCode {
    StandardError.say(message)
    return ExitCode(code)
  }

  static func exit(_ error: RecordingError) -> ExitCode {
    let code =
      switch (error.operation, error.reason) {
      case (_, .unknownFormat), (_, .tooLong): EX_DATAERR
      case (.open, _): EX_NOINPUT
      case (.create, _): EX_CANTCREAT
      default: EX_IOERR
      }
    return exit("\(error)", code: code)
  }

  /// The result of `body`; an error ends the command with its line and that code.
  static func exiting<Value: ~Copyable>(_ code: Int32, _ body: () throws -> Value) throws(ExitCode) -> Value {
    do { return try body() } catch { throw exit("\(error)", code: code) }
  }

  static func exiting<Value: ~Copyable>(_ body: () throws(RecordingError) -> Value) throws(ExitCode) -> Value {
    do throws(RecordingError) { return try body() } catch { throw exit(error) }
  }

  private static func code(_ error: LocationClientError) -> Int32 {
    switch error {
    case .noDaemon, .unusable: 3
    case .timedOut: 4
    case .denied: 5
    case .disabled: 6
    case .invalid, .misconfigured, .remote, .protocolViolation, .closed, .cancelled: 1
    }
  }

  private static func text(_ error: LocationClientError, _ units: Units) -> String {
    switch error {
    case .noDaemon: "\(error); \(withoutReceiver)"
    case .timedOut(let lastKnown?): "\(error); last known: \(PositionText.text(lastKnown, units))"
    default: error.description
    }
  }

  static let withoutReceiver = "without a receiver: make run, or handlebarctl replay FILE"
}
