import LocationCore

/// How to open a receiver on a serial line: `serial:/dev/gps0?speed=auto&checksums=require`.
package struct SerialOptions: Hashable, Sendable {
  /// The device's path; a stable link is best.
  package var path: String
  /// Bits per second; `nil` finds the speed.
  package var speed: Int?
  /// What to do with sentences that carry no checksum.
  package var checksums: ChecksumPolicy
  /// Whether dates of a receiver that lost count of 1024 weeks are moved forward.
  package var snapsRollover = false

  package init(path: String, speed: Int? = nil, checksums: ChecksumPolicy = .require) {
    self.path = path
    self.speed = speed
    self.checksums = checksums
  }

  init(_ query: inout URIQuery) throws(ConfigurationError) {
    guard query.path.hasPrefix("/") else {
      throw query.error("a serial source needs an absolute path, for example serial:/dev/gps0")
    }
    path = query.path
    switch query.take("speed") {
    case nil, "auto": speed = nil
    case .some(let text):
      guard let value = Int(text), SerialLine.speeds[value] != nil else {
        let known = SerialLine.speeds.keys.sorted().map(String.init).joined(separator: ", ")
        throw query.error("speed=\(text) is not a line speed; use auto or one of \(known)")
      }
      speed = value
    }
    checksums = try query.takeChecksumPolicy()
    snapsRollover = try query.takeRollover()
  }
}

extension URIQuery {
  /// Takes `checksums=require|prefer|accept`; `require` when absent.
  mutating func takeChecksumPolicy() throws(ConfigurationError) -> ChecksumPolicy {
    guard let text = take("checksums") else { return .require }
    guard let policy = ChecksumPolicy(rawValue: text) else {
      throw error("checksums=\(text) is not known; use require, prefer or accept")
    }
    return policy
  }

  /// Takes `rollover=flag|snap`, whether dates that lie a multiple of 1024 weeks behind are only counted or moved forward
  /// too; `flag` when absent.
  mutating func takeRollover() throws(ConfigurationError) -> Bool {
    switch take("rollover") {
    case nil, "flag": false
    case "snap": true
    case .some(let text): throw error("rollover=\(text) is not known; use flag or snap")
    }
  }
}
