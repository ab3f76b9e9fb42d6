import LocationCore

extension ViewRequest: CodedFields {
  package init() { self.init(coordinate: .origin) }

  package mutating func fields(_ coder: inout some FieldCoder) {
    var name: String? = view
    coder.field("view", &name, bytes: 1...64)
    view = name ?? Request.defaultView
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

  var request: Request {
    if restore != nil, let following {
      return .engine(.restoreFollow(view: view ?? Request.defaultView, following: following))
    }
    return enable.map { .engine(.setFollow(view: view ?? Request.defaultView, enable: $0)) } ?? .follow(view: view)
  }

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
