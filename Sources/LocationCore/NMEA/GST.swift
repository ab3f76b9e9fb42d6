/// GST, pseudorange noise statistics.
package struct GST: Hashable, Sendable {
  /// UTC time of day.
  @Compact package var time: TimeOfDay?
  @Compact var rms: Double?
  @Compact var major: Double?
  @Compact var minor: Double?
  @Compact var orientation: Double?
  @Compact var latitude: Double?
  @Compact var longitude: Double?
  @Compact var altitude: Double?
  /// Malformed or out-of-range fields.
  package var problems: SentenceProblems

  package init() {
    problems = []
  }

  /// 1 σ errors; `nil` when all values are missing.
  package var noise: PseudorangeNoise? {
    get {
      var noise = PseudorangeNoise()
      noise.rms = rms
      noise.major = major
      noise.minor = minor
      noise.orientation = orientation
      noise.latitude = latitude
      noise.longitude = longitude
      noise.altitude = altitude
      return noise == PseudorangeNoise() ? nil : noise
    }
    set {
      rms = newValue?.rms
      major = newValue?.major
      minor = newValue?.minor
      orientation = newValue?.orientation
      latitude = newValue?.latitude
      longitude = newValue?.longitude
      altitude = newValue?.altitude
    }
  }
}

extension GST {
  /// Minimum number of fields.
  static let fieldCount = 8

  @inline(never)
  init(_ fields: SentenceFields) {
    var field = FieldCursor(fields)
    time = field.time()
    rms = field.unsigned()
    major = field.unsigned()
    minor = field.unsigned()
    orientation = field.course()
    latitude = field.unsigned()
    longitude = field.unsigned()
    altitude = field.unsigned()
    problems = field.problems
  }
}

/// GBS, satellite fault detection: expected errors and the satellite most likely to be faulty.
package struct GBS: Hashable, Sendable {
  /// UTC time of day.
  @Compact package var time: TimeOfDay?
  /// Expected error of the latitude, metres.
  @Compact package var latitudeError: Double?
  /// Expected error of the longitude, metres.
  @Compact package var longitudeError: Double?
  /// Expected error of the altitude, metres.
  @Compact package var altitudeError: Double?
  /// Number of the satellite most likely to have failed.
  @Compact package var failedSatellite: Int?
  /// Probability of missed detection.
  @Compact package var missedProbability: Double?
  /// Estimated bias of its pseudorange, metres.
  @Compact package var bias: Double?
  /// Standard deviation of the bias estimate, metres.
  @Compact package var biasDeviation: Double?
  /// GNSS system id, from NMEA 4.1.
  @Compact package var systemID: Int?
  /// Signal id, from NMEA 4.1.
  @Compact package var signalID: Int?
  /// Malformed or out-of-range fields.
  package var problems: SentenceProblems
}

extension GBS {
  /// Minimum number of fields.
  static let fieldCount = 8

  init(_ fields: SentenceFields) {
    var field = FieldCursor(fields)
    time = field.time()
    latitudeError = field.unsigned()
    longitudeError = field.unsigned()
    altitudeError = field.unsigned()
    failedSatellite = field.integer(upTo: 999)
    missedProbability = field.unsigned()
    bias = field.signed()
    biasDeviation = field.unsigned()
    systemID = field.hexadecimal()
    signalID = field.hexadecimal()
    problems = field.problems
  }
}

/// GRS, range residuals of the satellites in use, in the order of the preceding GSA.
package struct GRS: Hashable, Sendable {
  /// UTC time of day.
  @Compact package var time: TimeOfDay?
  /// 0: residuals used for the position in GGA; 1: recomputed after it.
  @Compact package var mode: Int?
  /// Residuals, metres.
  package var residuals: GRSResiduals
  /// GNSS system id, from NMEA 4.1.
  @Compact package var systemID: Int?
  /// Signal id, from NMEA 4.1.
  @Compact package var signalID: Int?
  /// Malformed or out-of-range fields.
  package var problems: SentenceProblems
}

extension GRS {
  /// Minimum number of fields.
  static let fieldCount = 14

  init(_ fields: SentenceFields) {
    var field = FieldCursor(fields)
    time = field.time()
    mode = field.integer(upTo: 1)
    residuals = GRSResiduals(&field)
    systemID = field.hexadecimal()
    signalID = field.hexadecimal()
    problems = field.problems
  }
}

/// The twelve residuals of a GRS sentence.
package struct GRSResiduals: Hashable, Sendable {
  private var stored: [12 of Thousandths]

  /// Number of slots.
  package static let count = 12

  /// The residual in a slot, metres, with three decimals; `nil` for an empty slot.
  package subscript(slot: Int) -> Double? { stored[slot].value }

  package static func == (left: Self, right: Self) -> Bool {
    left.stored.indices.allSatisfy { left.stored[$0] == right.stored[$0] }
  }

  package func hash(into hasher: inout Hasher) {
    for index in stored.indices { hasher.combine(stored[index]) }
  }
}

extension GRSResiduals {
  init(_ field: inout FieldCursor) {
    stored = .init(repeating: .none)
    for index in stored.indices { stored[index] = Thousandths(field.signed(upTo: Thousandths.limit)) }
  }
}
