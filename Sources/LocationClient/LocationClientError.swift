import GPSDProtocol

/// Why there is no answer.
public enum LocationClientError: Error, Hashable, Sendable {
  /// Nobody listens there, with the system's reason.
  case noDaemon(endpoint: Endpoint, reason: String)
  /// The socket, or the receiver behind the daemon, may not be used.
  case denied(message: String, remedy: String?)
  /// Location is switched off.
  case disabled(message: String, remedy: String?)
  /// The daemon's configuration cannot work.
  case misconfigured(message: String, remedy: String?)
  /// No fix in time; where the rider was last, if that is known.
  case timedOut(lastKnown: LastKnown?)
  /// The daemon refused with an error of another kind.
  case remote(ErrorReport)
  /// What came is not the protocol.
  case protocolViolation(String)
  /// The daemon ended the connection.
  case closed
  /// The task was cancelled.
  case cancelled

  /// The error that a daemon's refusal stands for.
  package init(_ report: ErrorReport) {
    switch report.code {
    case "timedOut": self = .timedOut(lastKnown: LastKnown(report))
    case "denied": self = .denied(message: report.message, remedy: report.remedy)
    case "disabled": self = .disabled(message: report.message, remedy: report.remedy)
    case "misconfigured": self = .misconfigured(message: report.message, remedy: report.remedy)
    default: self = .remote(report)
    }
  }
}

extension LocationClientError: CustomStringConvertible {
  /// One line that names the cause and, where there is one, the remedy.
  public var description: String {
    switch self {
    case .noDaemon(let endpoint, let reason):
      "no daemon at \(endpoint) (\(reason)); start it with: systemctl start handlebard"
    case .denied(let message, let remedy), .disabled(let message, let remedy), .misconfigured(let message, let remedy):
      Self.line(message, remedy)
    case .timedOut(let lastKnown):
      lastKnown == nil ? "no fix in time, and none was ever had" : "no fix in time"
    case .remote(let report): Self.line(report.message, report.remedy)
    case .protocolViolation(let what): "the daemon does not speak this protocol: \(what)"
    case .closed: "the daemon closed the connection"
    case .cancelled: "cancelled"
    }
  }

  private static func line(_ message: String, _ remedy: String?) -> String {
    remedy.map { "\(message); \($0)" } ?? message
  }
}
