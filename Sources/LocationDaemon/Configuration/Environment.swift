import Glibc

/// The environment variables of a process.
package enum Environment {
  /// This process's, as they are now.
  package static var process: [String: String] {
    var variables: [String: String] = [:]
    var entry = environ
    while let text = entry.pointee {
      let parts = String(cString: text).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if parts.count == 2 { variables[String(parts[0])] = String(parts[1]) }
      entry += 1
    }
    return variables
  }

  /// Takes out what the service manager meant for this process alone: its children must not answer for it.
  package static func removeServiceVariables() {
    for name in ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] {
      unsetenv(name)
    }
  }
}
