import GPSDProtocol
import Libc
import LocationCore
import NIOCore
import NIOPosix

/// The failure of a request or subscription, or the loss of a subscription's connection. Later releases may add cases.
@nonexhaustive public enum LocationClientError: Error, Hashable, Sendable {
  /// A value of a request or subscription is out of its range; with its name and range. Nothing was sent.
  case invalid(String)
  /// No daemon listens at the endpoint; with the system's reason.
  case noDaemon(endpoint: Endpoint, reason: String)
  /// What is at the endpoint is no working daemon: a file, another program, a process that is stopped or hangs.
  case unusable(message: String, remedy: String?)
  /// Permission for the socket or for the receiver is missing.
  case denied(message: String, remedy: String?)
  /// The source is disabled.
  case disabled(message: String, remedy: String?)
  /// The daemon's configuration is unusable.
  case misconfigured(message: String, remedy: String?)
  /// No fix in time; with the last known position, if there is one.
  case timedOut(lastKnown: LastKnown?)
  /// The daemon refused the request with another error.
  case remote(ErrorReport)
  /// The peer does not follow the protocol; with the breach.
  case protocolViolation(String)
  /// The daemon closed the connection.
  case closed
  /// The task was cancelled.
  case cancelled

  /// Throws `invalid` for a request with a value that no daemon accepts.
  static func check(_ request: Request) throws(LocationClientError) {
    do { try request.validate() } catch { throw .invalid(error.message) }
  }

  package init(_ report: ErrorReport) {
    switch report.code {
    case .timedOut: self = .timedOut(lastKnown: report.lastKnown)
    case .denied: self = .denied(message: report.message, remedy: report.remedy)
    case .disabled: self = .disabled(message: report.message, remedy: report.remedy)
    case .misconfigured: self = .misconfigured(message: report.message, remedy: report.remedy)
    default: self = .remote(report)
    }
  }
}

extension LocationClientError: CustomStringConvertible {
  /// The cause and, where there is one, the remedy on one line.
  public var description: String {
    switch self {
    case .invalid(let message): message
    case .noDaemon(let endpoint, let reason):
      "no daemon at \(endpoint) (\(reason)); start it with: systemctl start handlebard"
    case .unusable(let message, let remedy), .denied(let message, let remedy), .disabled(let message, let remedy),
      .misconfigured(let message, let remedy):
      Self.line(message, remedy)
    case .timedOut(let lastKnown): lastKnown == nil ? "no fix in time, and no earlier fix" : "no fix in time"
    case .remote(let report): Self.line(report.message, report.remedy)
    case .protocolViolation(let what): "the daemon violates the protocol: \(what)"
    case .closed: "the daemon closed the connection"
    case .cancelled: "cancelled"
    }
  }

  private static func line(_ message: String, _ remedy: String?) -> String {
    remedy.map { "\(message); \($0)" } ?? message
  }

  package init(connecting error: any Error, to endpoint: Endpoint) {
    switch (error, Self.systemError(error)) {
    case (let error as LocationClientError, _): self = error
    case (is CancellationError, _): self = .cancelled
    case (_, let number?):
      if let state = EndpointState(connecting: number, to: endpoint) {
        self = state.error(at: endpoint)
      } else {
        self = .noDaemon(endpoint: endpoint, reason: String(cString: strerror(number)))
      }
    case (_, nil): self = .noDaemon(endpoint: endpoint, reason: Self.reason(error))
    }
  }

  private static func systemError(_ error: any Error) -> CInt? {
    if let error = error as? IOError { return error.errnoCode }
    guard let error = error as? NIOConnectionError else { return nil }
    return error.connectionErrors.lazy.compactMap { systemError($0.error) }.first
  }

  private static func reason(_ error: any Error) -> String {
    if case ChannelError.connectTimeout = error { return "no answer in time" }
    guard let error = error as? NIOConnectionError else { return "\(error)" }
    return error.dnsAError == nil && error.dnsAAAAError == nil ? "no answer" : "unknown host"
  }
}
