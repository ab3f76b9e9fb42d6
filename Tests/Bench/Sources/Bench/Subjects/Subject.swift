import Glibc

/// What is measured, or what it is compared with.
enum Subject: Hashable {
  /// This project's daemon, by the path of its binary.
  case handlebard(String)
  /// Debian's gpsd.
  case gpsd(String)
  /// This project's daemon as a client of a gpsd that reads the line; what is measured is the daemon alone.
  case behind(gpsd: String, handlebard: String)
  /// The least that can be done: a program here that reads the line and answers each epoch with one constant line.
  /// What it costs is the share of the machine and of this driver in every figure.
  case floor

  /// Starts it on a line of its own and waits until it accepts clients.
  func start(in scratch: Scratch, source: String? = nil, on terminal: Terminal? = nil) throws -> RunningSubject {
    try RunningSubject(self, terminal: try terminal ?? Terminal(), source: source, scratch: scratch)
  }

  /// What a client says to get every fix.
  var subscription: String {
    switch self {
    case .handlebard, .behind: "?WATCH={\"enable\":true,\"json\":true,\"distanceFilter\":0};\n"
    case .gpsd: "?WATCH={\"enable\":true,\"json\":true};\n"
    case .floor: "\n"
    }
  }
}
