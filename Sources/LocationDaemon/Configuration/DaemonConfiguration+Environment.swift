import Glibc
import Libc
import LocationCore

extension ProcessEnvironment {
  /// Removes the variables that the service manager sets for this process only, so that children do not inherit them.
  package static func removeServiceVariables() {
    for name in ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] {
      unsetenv(name)
    }
  }
}

extension DaemonConfiguration {
  /// Applies the `HANDLEBAR_*` variables, each named like its key in the file. Lists (`HANDLEBAR_SOURCES`, or
  /// `HANDLEBAR_SOURCE`, and `HANDLEBAR_TCP`) are separated by spaces; an empty path or group means none.
  package mutating func apply(environment: [String: String]) throws(ConfigurationError) {
    for key in ConfigurationKey.allCases {
      let text = environment[key.variable] ?? (key == .sources ? environment["HANDLEBAR_SOURCE"] : nil)
      if let text { try apply(key, from: Variable(key: key.variable, text: text)) }
    }
  }

  private struct Variable: ValueReader {
    let key: String
    let text: String

    func text(example: String) -> String { text }

    func number(example: String) throws(ConfigurationError) -> Double {
      // Double(_:) alone accepts "0x10", "inf" and "1e3".
      guard text.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }), let value = Double(text) else {
        throw error("is not a number")
      }
      return value
    }

    func integer(in range: ClosedRange<Int>, isValidated: Bool) throws(ConfigurationError) -> Int {
      guard let value = Int(text), isValidated || range.contains(value) else {
        throw error("is not a whole number" + (isValidated ? "" : " from \(range.lowerBound) to \(range.upperBound)"))
      }
      return value
    }

    func flag() throws(ConfigurationError) -> Bool {
      guard text == "yes" || text == "no" else { throw error("is neither yes nor no") }
      return text == "yes"
    }

    func sources() throws(ConfigurationError) -> [SourceURI] {
      try text.split(separator: " ").map { uri throws(ConfigurationError) in try SourceURI(String(uri)) }
    }

    func addresses() throws(ConfigurationError) -> [NetworkAddress] {
      try text.split(separator: " ").map { address throws(ConfigurationError) in
        try DaemonConfiguration.tcpAddress(address, key: key)
      }
    }

    private func error(_ mistake: String) -> ConfigurationError {
      ConfigurationError(key: key, message: "\"\(text)\" \(mistake)")
    }
  }
}
