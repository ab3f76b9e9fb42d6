import Glibc
import NIOCore
import NIOPosix

extension LocationClientError {
  /// What a failed attempt to connect means.
  init(connecting error: any Error, to endpoint: Endpoint) {
    if let error = error as? LocationClientError {
      self = error
      return
    }
    if error is CancellationError {
      self = .cancelled
      return
    }
    guard let number = Self.systemError(error) else {
      self = .noDaemon(endpoint: endpoint, reason: Self.reason(error))
      return
    }
    switch number {
    case EACCES, EPERM:
      self = .denied(
        message: "\(endpoint) may not be opened",
        remedy: "join the socket's group: sudo usermod -aG handlebar $USER, then log in again")
    default: self = .noDaemon(endpoint: endpoint, reason: String(cString: strerror(number)))
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
    return error.dnsAError == nil && error.dnsAAAAError == nil ? "no answer" : "the host's name is unknown"
  }
}
