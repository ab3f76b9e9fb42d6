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
}
