import LocationCore

/// The rider's predicted state at an instant between fixes (class `POSE`), for a renderer. Never a fix.
package struct POSE: Hashable, Sendable {
  package typealias Basis = OpenName<POSE>
  /// UTC of the pose.
  package var time: UTCInstant?
  /// Degrees, `track` from true north.
  package var lat, lon: Double
  package var track: Double?
  /// Speed over ground, m/s.
  package var speed: Double
  /// 95 % radius in which the receiver would report a fix at this time, metres.
  package var eph: Double
  /// Number of the fix that it is based on, and seconds since that was measured.
  package var fixSeq: UInt64
  package var age: Double
  package var basis: Basis
  /// Whether the position was corrected at once instead of gradually.
  package var jump: Bool?

  init(_ object: inout JSONObject) {
    time = object.time("time")
    lat = object.required("lat", object.double("lat"), or: 0)
    lon = object.required("lon", object.double("lon"), or: 0)
    track = object.double("track")
    speed = object.required("speed", object.double("speed"), or: 0)
    eph = object.required("eph", object.double("eph"), or: 0)
    fixSeq = object.required("fixSeq", object.integer("fixSeq"), or: 0)
    age = object.required("age", object.double("age"), or: 0)
    basis = Basis(object.required("basis", object.string("basis"), or: ""))
    jump = object.bool("jump")
  }

  package static func write(_ pose: borrowing Pose, into line: inout JSONLine) {
    line.begin("POSE")
    line.field("time", pose.time)
    line.field("lat", pose.coordinate.latitude, decimals: 9, trimmed: false)
    line.field("lon", pose.coordinate.longitude, decimals: 9, trimmed: false)
    line.field("track", pose.course, decimals: 4)
    line.field("speed", pose.speed, decimals: 3)
    line.field("eph", pose.horizontalAccuracy, decimals: 3)
    line.field("fixSeq", pose.seq)
    line.field("age", pose.age.inSeconds, decimals: 3)
    line.field("basis", pose.basis.rawValue)
    if pose.isJump { line.field("jump", true) }
    line.end()
  }
}

extension OpenName<POSE> {
  /// The fix itself: the pose is at the instant of its measurement.
  package static var fix: Self { Self("fix") }
  /// Predicted from the newest fixes.
  package static var predicted: Self { Self("predicted") }
  /// The last position: the rider stopped, or there was no fix for 3 s.
  package static var held: Self { Self("held") }
}
