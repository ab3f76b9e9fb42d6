/// How fast a recording plays.
public enum PlaybackSpeed: Hashable, Sendable {
  /// So many times real time, 0.1 to 1000.
  case times(Double)
  /// As fast as the machine can, on virtual time: every fix reaches every client, which is waited for.
  case max

  /// What multiples there are.
  package static let range = 0.1...1000.0
}

extension PlaybackSpeed: ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral {
  /// So many times real time.
  public init(floatLiteral multiple: Double) { self = .times(multiple) }

  /// So many times real time.
  public init(integerLiteral multiple: Int) { self = .times(Double(multiple)) }
}
