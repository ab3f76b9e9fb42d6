/// Who answers (gpsd's class `VERSION`): the first line on every connection.
public struct VersionReport: Hashable, Sendable, Decodable {
  /// The daemon's release.
  public var release: String
  /// The revision it was built from.
  public var rev: String
  /// gpsd's protocol, major number.
  public var protoMajor: Int
  /// gpsd's protocol, minor number.
  public var protoMinor: Int

  /// The report of a daemon that speaks gpsd's protocol 3.14.
  package init(release: String, rev: String) {
    self.release = release
    self.rev = rev
    protoMajor = 3
    protoMinor = 14
  }

  private enum CodingKeys: String, CodingKey {
    case release, rev
    case protoMajor = "proto_major"
    case protoMinor = "proto_minor"
  }

  /// Writes the whole line.
  package func write(into line: inout JSONLine) {
    line.begin("VERSION")
    line.field("release", release)
    line.field("rev", rev)
    line.field("proto_major", protoMajor)
    line.field("proto_minor", protoMinor)
    line.end()
  }
}
