import ArgumentParser
import LocationClient

/// Where the daemon is.
struct ConnectionOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Path of the daemon's socket (default: $HANDLEBAR_SOCKET, else \(Endpoint.standardPath)).", valueName: "PATH"))
  var socket: String?

  /// The client of the daemon that this command, or the command line before it, names.
  func client(after parent: ConnectionOptions) -> LocationClient {
    (socket ?? parent.socket).map { LocationClient(endpoint: .unix(path: $0)) } ?? LocationClient()
  }

  /// Asks that daemon; says on a terminal what is waited for, and ends the command with the error's line and code.
  func ask<Answer>(
    after parent: ConnectionOptions, waitingFor what: String = "the daemon",
    _ question: (LocationClient) async throws(LocationClientError) -> Answer
  ) async throws(ExitCode) -> Answer {
    StandardOutput.prepare()
    let progress = Progress.start("waiting for \(what)")
    defer { progress.end() }
    do throws(LocationClientError) {
      return try await question(client(after: parent))
    } catch {
      throw CommandError.exit(error)
    }
  }
}
