/// GSA, active satellites and dilutions of precision.
package struct GSA: Hashable, Sendable {
  /// M manual or A automatic 2D/3D.
  package var selection: GSASelection?
  /// 1 none, 2 two-dimensional, 3 three-dimensional.
  package var fix: GSAFix?
  /// Numbers of the satellites in use, without empty slots.
  package var satellites: GSASatellites?
  /// Position dilution of precision; `nil` for 0 and ≥ 99.
  @Compact package var pdop: Double?
  /// Horizontal dilution of precision.
  @Compact package var hdop: Double?
  /// Vertical dilution of precision.
  @Compact package var vdop: Double?
  /// GNSS system id, from NMEA 4.1.
  @Compact package var systemID: Int?
  /// Malformed or out-of-range fields.
  package var problems: SentenceProblems

  package init() {
    problems = []
  }
}

extension GSA {
  /// Minimum number of fields.
  static let fieldCount = 17

  /// Number of satellite slots: 12, or 24 in longer sentences.
  package static func slots(fields count: Int) -> Int { count < 29 ? 12 : 24 }

  @inline(never)
  init(_ fields: SentenceFields) {
    var field = FieldCursor(fields)
    selection = field.letter()
    fix = field.digit()
    satellites = field.satellitesUsed(slots: Self.slots(fields: field.count))
    pdop = field.dilution()
    hdop = field.dilution()
    vdop = field.dilution()
    systemID = field.hexadecimal()
    problems = field.problems
  }
}

extension FieldCursor {
  /// The numbers in `slots` slots, without empty ones and zeros.
  @inline(__always)
  fileprivate mutating func satellitesUsed(slots: Int) -> GSASatellites {
    var satellites = GSASatellites()
    for _ in 0..<slots {
      guard let number = integer(upTo: 999), number > 0 else { continue }
      satellites.numbers[satellites.count] = UInt16(truncatingIfNeeded: number)
      satellites.count &+= 1
    }
    return satellites
  }
}

/// Selection between 2D and 3D in GSA.
package enum GSASelection: UInt8, Hashable, Sendable {
  /// M, manual.
  case manual = 0x4D
  /// A, automatic.
  case automatic = 0x41
}

/// The navigation mode of GSA.
package enum GSAFix: UInt8, Hashable, Sendable {
  /// 1, no fix.
  case noFix = 1
  /// 2, two-dimensional.
  case twoD = 2
  /// 3, three-dimensional.
  case threeD = 3
}

/// The satellites in use of a GSA sentence, without empty slots.
package struct GSASatellites: Hashable, Sendable {
  /// The numbers as received; only the first `count` are defined.
  package var numbers: [24 of UInt16]
  /// Number of elements.
  package var count: Int {
    get { Int(storedCount) }
    set { storedCount = UInt8(clamping: newValue) }
  }

  private var storedCount: UInt8

  package init() {
    numbers = .init(repeating: 0)
    storedCount = 0
  }

  package static func == (left: Self, right: Self) -> Bool {
    left.count == right.count && (0..<left.count).allSatisfy { left.numbers[$0] == right.numbers[$0] }
  }

  package func hash(into hasher: inout Hasher) {
    for index in 0..<count { hasher.combine(numbers[index]) }
  }
}
