import LocationCore

/// The encoded polyline algorithm: differences of whole numbers, five bits a character.
package enum Polyline {
  private static let decimals = 1e6
  /// Most characters of a number: 35 bits.
  private static let longest = 7

  /// The points of a text; `nil` unless it consists of whole points, at least one, that are on the Earth.
  package static func points(_ text: String) -> [CoursePoint]? {
    guard let values = values(text, every: 2), !values.isEmpty, values.count.isMultiple(of: 2) else { return nil }
    var points: [CoursePoint] = []
    points.reserveCapacity(values.count / 2)
    for index in stride(from: 0, to: values.count, by: 2) {
      let (latitude, longitude) = (Double(values[index]) / decimals, Double(values[index + 1]) / decimals)
      guard let place = Coordinate(latitude: latitude, longitude: longitude) else { return nil }
      points.append(CoursePoint(place))
    }
    return points
  }

  /// Adds the elevations of a text, if there is one; false unless it has one for each point.
  static func add(_ elevation: String?, to points: inout [CoursePoint]) -> Bool {
    guard let elevation else { return true }
    guard let values = values(elevation, every: 1), values.count == points.count else { return false }
    for (index, value) in values.enumerated() {
      points[index] = CoursePoint(points[index].position, elevation: Double(value) / 10)
    }
    return true
  }

  /// Texts of points, and of their elevations if any is known; a missing one is below every place on Earth.
  package static func texts(of points: [CoursePoint]) -> (polyline: String, elevation: String?) {
    let places = points.flatMap { point in
      [point.position.latitude, point.position.longitude].map { Int64(($0 * decimals).rounded()) }
    }
    let polyline = text(of: places, every: 2)
    guard points.contains(where: { $0.elevation != nil }) else { return (polyline, nil) }
    return (polyline, text(of: points.map { Int64((($0.elevation ?? -32_768) * 10).rounded()) }, every: 1))
  }

  /// The numbers of a text, each the difference from the one so many before; `nil` if it is damaged.
  private static func values(_ text: String, every step: Int) -> [Int64]? {
    var values: [Int64] = []
    var (number, shift): (UInt64, UInt64) = (0, 0)
    for byte in text.utf8 {
      guard (63...126).contains(byte), shift < 5 * UInt64(longest) else { return nil }
      let bits = UInt64(byte) - 63
      number |= (bits & 0x1f) << shift
      if bits & 0x20 != 0 {
        shift += 5
      } else {
        let difference = Int64(number >> 1) ^ -Int64(number & 1)
        values.append(difference + (values.count >= step ? values[values.count - step] : 0))
        (number, shift) = (0, 0)
      }
    }
    return shift == 0 ? values : nil
  }

  private static func text(of values: [Int64], every step: Int) -> String {
    var bytes: [UInt8] = []
    for index in values.indices {
      let difference = values[index] - (index >= step ? values[index - step] : 0)
      var number = UInt64(bitPattern: (difference << 1) ^ (difference >> 63))
      while number >= 0x20 {
        bytes.append(UInt8(number & 0x1f | 0x20) + 63)
        number >>= 5
      }
      bytes.append(UInt8(number) + 63)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
