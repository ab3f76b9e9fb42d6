/// GSV, satellites in view, one part of a set.
package struct GSV: Hashable, Sendable {
  /// How many parts the set has.
  package var parts: Int?
  /// This part's number, from 1.
  package var part: Int?
  /// Satellites in view in the whole set.
  package var total: Int?
  /// Up to four satellites.
  package var satellites: GSVSatellites?
  /// Signal id, from NMEA 4.1; hexadecimal on the wire.
  package var signalID: Int?
  /// GNSS system id, in Quectel's PQGSV only.
  package var systemID: Int?
  /// The fields that were present and malformed or out of range.
  package var problems: SentenceProblems

  package init() {
    problems = []
  }
}

extension GSV {
  /// Fewest fields on the wire.
  static let fieldCount = 3

  @inline(__always)
  init(_ field: inout FieldCursor) {
    parts = field.integer(upTo: 255)
    part = field.part(of: parts)
    total = field.integer(upTo: 255)
    satellites = field.satellitesInView()
    signalID = field.hexadecimal()
    systemID = field.hexadecimal()
    field.noteSurplus()
    problems = field.problems
  }
}

extension FieldCursor {
  /// A number between 1 and `parts`.
  @inline(__always)
  fileprivate mutating func part(of parts: Int?) -> Int? {
    let field = next()
    if field.count == 0 { return nil }
    guard let part = Self.integer(field.start, field.count), part > 0, part <= parts ?? 255 else {
      return fail(field)
    }
    return part
  }

  /// The groups of four fields; a group without a number is an empty slot.
  @inline(__always)
  fileprivate mutating func satellitesInView() -> GSVSatellites {
    var satellites = GSVSatellites()
    while left >= 4, satellites.count < satellites.elements.count {
      var satellite = GSVSatellite()
      satellite.number = integer(upTo: 999)
      satellite.elevation = signed(upTo: 90)
      satellite.azimuth = course()
      satellite.signal = unsigned(upTo: 99)
      guard satellite.number != nil else { continue }
      satellites.elements[satellites.count] = satellite
      satellites.count &+= 1
    }
    return satellites
  }
}
