/// A name of a set that later releases may extend. The names of this release are static members; any other is kept as
/// it is. `Names` distinguishes the sets.
public struct OpenName<Names>: RawRepresentable, CustomStringConvertible, Hashable, Codable, Sendable {
  /// The name on the wire.
  public let rawValue: String

  /// The name that is on the wire.
  public init(rawValue name: String) { rawValue = name }
  package init(_ name: String) { rawValue = name }

  /// The name on the wire.
  public var description: String { rawValue }
}
