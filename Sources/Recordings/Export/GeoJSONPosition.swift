import LocationCore

/// A position of a GeoJSON line, and what belongs to it.
struct GeoJSONPosition: Hashable, Sendable {
  var longitude: Double
  var latitude: Double
  /// Above the ellipsoid, metres.
  var height: Double?
  var time: UTCInstant?
  /// m/s.
  var speed: Double?

  init(_ fix: Fix) {
    longitude = fix.position.longitude
    latitude = fix.position.latitude
    height = fix.altitudeHAE
    time = fix.measured
    speed = fix.speed
  }

  /// Where the short way to another position crosses the antimeridian, seen from either side; `nil` when it does not.
  func cut(to next: GeoJSONPosition) -> (near: GeoJSONPosition, far: GeoJSONPosition)? {
    guard abs(next.longitude - longitude) > 180 else { return nil }
    let before = 180 - abs(longitude)
    let whole = before + 180 - abs(next.longitude)
    let share = whole > 0 ? before / whole : 0
    var near = self
    near.longitude = longitude < 0 ? -180 : 180
    near.latitude += (next.latitude - latitude) * share
    near.height = height.flatMap { from in next.height.map { from + ($0 - from) * share } }
    near.speed = speed.flatMap { from in next.speed.map { from + ($0 - from) * share } }
    near.time = time.flatMap { from in
      // No number is near the type's bound that is a share of a way between two recorded times.
      next.time.map { from + .nanoseconds(Int64(exactly: (($0 - from) / .nanoseconds(1) * share).rounded()) ?? 0) }
    }
    var far = near
    far.longitude = -near.longitude
    return (near, far)
  }

  /// Writes `[longitude,latitude,height]`.
  func write(into bytes: inout [UInt8]) {
    bytes.append(atMost: 3 * TextCursor.longestNumber + 4) { text in
      text.put(UInt8(ascii: "["))
      text.put(fixed: longitude, decimals: 9)
      text.put(UInt8(ascii: ","))
      text.put(fixed: latitude, decimals: 9)
      if let height, height.isFinite {
        text.put(UInt8(ascii: ","))
        text.put(fixed: height, decimals: 3)
      }
      text.put(UInt8(ascii: "]"))
    }
  }
}
