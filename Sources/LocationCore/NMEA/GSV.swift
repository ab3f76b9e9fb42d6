/// GSV, satellites in view: one part of a set.
package struct GSV: Hashable, Sendable {
  /// Number of parts in the set.
  @Compact package var parts: Int?
  /// Number of this part, from 1.
  @Compact package var part: Int?
  /// Number of satellites in the set.
  @Compact package var total: Int?
  /// Up to four satellites.
  package var satellites: GSVSatellites?
  /// Signal id, from NMEA 4.1; hexadecimal on the wire.
  @Compact package var signalID: Int?
  /// GNSS system id, in Quectel's PQGSV only.
  @Compact package var systemID: Int?
  /// Malformed or out-of-range fields.
  package var problems: SentenceProblems

  package init() {
    problems = []
  }
}

extension GSV {
  /// Minimum number of fields.
  static let fieldCount = 3

  @inline(never)
  init(_ fields: SentenceFields) {
    var field = FieldCursor(fields)
    let parts = field.integer(from: 1, upTo: 255)
    self.parts = parts
    part = field.integer(from: 1, upTo: parts ?? 255)
    total = field.integer(upTo: 255)
    satellites = field.satellitesInView()
    signalID = field.hexadecimal()
    systemID = field.hexadecimal()
    field.noteSurplus()
    problems = field.problems
  }
}

extension FieldCursor {
  /// Groups of four fields; a group without a number is an empty slot.
  @inline(__always)
  fileprivate mutating func satellitesInView() -> GSVSatellites {
    var satellites = GSVSatellites()
    for _ in 0..<min((count &- 3) / 4, GSVSatellites.bound) {
      let satellite = GSVSatellite(&self)
      if satellite.number != nil { satellites.append(satellite) }
    }
    return satellites
  }
}

/// One satellite of a GSV sentence.
package struct GSVSatellite: Hashable, Sendable {
  /// The number as received; `nil` for 0.
  package var number: Int? {
    get { storedNumber == 0 ? nil : Int(storedNumber) }
    set { storedNumber = newValue.flatMap { UInt16(exactly: $0) } ?? 0 }
  }
  /// Degrees above the horizon.
  @Rounded package var elevation: Double?
  /// Degrees from true north, 0 ≤ azimuth < 360.
  @Rounded package var azimuth: Double?
  /// Carrier to noise density, dBHz; `nil` when not tracked.
  @Rounded package var signal: Double?

  private var storedNumber: UInt16 = 0

  package init() {
    elevation = nil
    azimuth = nil
    signal = nil
  }
}

extension GSVSatellite {
  @inline(__always)
  init(_ field: inout FieldCursor) {
    storedNumber = UInt16(truncatingIfNeeded: field.integer(upTo: 999) ?? 0)
    _elevation = Rounded(field.thousandths(from: -90, to: 90))
    _azimuth = Rounded(field.thousandths(from: 0, to: 360).asCourse)
    _signal = Rounded(field.thousandths(from: 0, to: 99))
  }
}

/// The satellites of one GSV part, at most four.
package struct GSVSatellites: Hashable, Sendable {
  /// The satellites; only the first `count` are defined.
  package var elements: [4 of GSVSatellite]
  /// Number of elements.
  package var count: Int {
    get { Int(storedCount) }
    set { storedCount = UInt8(clamping: newValue) }
  }

  private var storedCount: UInt8

  /// Maximum number.
  static let bound = 4

  package init() {
    elements = .init(repeating: GSVSatellite())
    storedCount = 0
  }

  /// Appends a satellite unless the list is full.
  @inline(__always)
  mutating func append(_ satellite: GSVSatellite) {
    guard count < Self.bound else { return }
    elements[count] = satellite
    storedCount &+= 1
  }

  package static func == (left: Self, right: Self) -> Bool {
    left.count == right.count && (0..<left.count).allSatisfy { left.elements[$0] == right.elements[$0] }
  }

  package func hash(into hasher: inout Hasher) {
    for index in 0..<count { hasher.combine(elements[index]) }
  }
}
