import LocationCore

extension ViewRequest: CodedFields {
  /// The view of a request that names none.
  static let defaultName = "main"

  package init() { self.init(coordinate: .origin) }

  package mutating func fields(_ coder: inout some FieldCoder) {
    var name: String? = view
    coder.field("view", &name, bytes: 1...64)
    view = name ?? Self.defaultName
    coder.checkedField(&coordinate)
    coder.field("seq", &seq)
    let causes = "one of \(ViewCause.allCases.map(\.rawValue).joined(separator: ", "))"
    coder.field("cause", &cause, bytes: 0...64, causes)
  }
}

/// The follow state of a view or a change to it, `?FOLLOW={…}`.
struct FollowRequest: CodedFields {
  var view: String?
  var enable: Bool?
  /// With `restore`, the state before the daemon restarted.
  var following: Bool?
  var restore: Bool?

  mutating func fields(_ coder: inout some FieldCoder) {
    coder.field("view", &view, bytes: 1...64)
    coder.field("enable", &enable)
    coder.field("following", &following)
    coder.field("restore", &restore)
    if restore != nil, following == nil { coder.noteMissing("following") }
    if following != nil, restore == nil { coder.noteMissing("restore") }
    coder.check("restore", restore != false && (restore == nil || enable == nil), #"true, and without "enable""#)
  }
}

/// The follow state of a view (class `FOLLOW`), sent on every transition and on request.
public struct FollowReport: Hashable, Codable, Sendable, CodedReport {
  package static let reportClass: StaticString = "FOLLOW"
  /// Why a view follows or not.
  public typealias Reason = OpenName<FollowReport>
  /// Name of the view.
  public var view = ""
  /// Whether the view follows the rider.
  public var isFollowing = false
  /// The cause of the state.
  public var reason: Reason?
  /// Metres between the view and the fix that it was showing, when that was the cause.
  public var distance: Double?
  /// Number of that fix.
  public var seq: UInt64?

  /// The state of a view.
  public init(view: String, isFollowing: Bool, reason: Reason? = nil, distance: Double? = nil, seq: UInt64? = nil) {
    self.view = view
    self.isFollowing = isFollowing
    self.reason = reason
    self.distance = distance
    self.seq = seq
  }

  package init() {}

  package init(_ state: FollowState) {
    self.init(
      view: state.view, isFollowing: state.following, reason: .init(rawValue: state.reason.rawValue),
      distance: state.distance, seq: state.seq)
  }

  package mutating func fields(_ coder: inout some FieldCoder) {
    coder.field("view", &view)
    coder.field("following", &isFollowing)
    coder.field("reason", &reason)
    coder.field("distance", &distance, decimals: 3)
    coder.field("seq", &seq)
  }
}

extension OpenName<FollowReport> {
  /// Following since its first report or request.
  public static var initial: Self { Self("initial") }
  /// Free because it was moved away from the fix.
  public static var drift: Self { Self("drift") }
  /// Set by a request.
  public static var requested: Self { Self("requested") }
}
