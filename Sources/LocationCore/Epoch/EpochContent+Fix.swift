extension EpochContent {
  /// The epoch's fix without its date, or why there is none.
  ///
  /// - Parameters:
  ///   - rangeError: 1 σ of a range, metres, for an accuracy out of a dilution of precision.
  ///   - recent: the mode that GSA gave in an epoch just before, for receivers that send it now and then. It
  ///     can only take a dimension away.
  func fix(rangeError: Double, recent: FixMode?) -> Result<Fix, Absence> {
    let status: FixStatus
    switch self.status {
    case .void: return .failure(.noFix(.void))
    case .unstated: return .failure(.noFix(position == nil ? .noPosition : .noStatus))
    case .valid(let how): status = how
    }
    guard let position else {
      return .failure(hasBadPosition ? .outOfRange : .noFix(.noPosition))
    }
    var fix = Fix(
      position: position, mode: mode(recent: recent), status: status, timeOfDay: key, received: received)
    put(solutionInto: &fix)
    put(accuracyInto: &fix, rangeError: rangeError)
    return .success(fix)
  }

  /// Why an epoch's sentences make no fix.
  enum Absence: Error {
    case noFix(NoFixReason)
    case outOfRange
  }

  /// The position. GGA and GNS are asked first: some receivers give them more digits.
  private var position: Coordinate? { gga?.position ?? gns?.position ?? rmc?.position ?? gll?.position }

  /// Whether a position was sent that could not be read, or that is none on Earth.
  private var hasBadPosition: Bool {
    let early = SentenceProblems(fields: 1...4)
    let middle = SentenceProblems(fields: 2...5)
    let late = SentenceProblems(fields: 3...6)
    return !(gga?.problems ?? []).isDisjoint(with: middle) || !(gns?.problems ?? []).isDisjoint(with: middle)
      || !(rmc?.problems ?? []).isDisjoint(with: late) || !(gll?.problems ?? []).isDisjoint(with: early)
  }

  /// GSA's mode; without GSA three dimensions when there is an altitude.
  private func mode(recent: FixMode?) -> FixMode {
    switch active?.fix {
    case .threeD: .threeD
    case .twoD: .twoD
    case .noFix, nil: altitude == nil || recent == .twoD ? .twoD : .threeD
    }
  }

  private var altitude: Double? { gga?.altitudeMSL ?? gns?.altitudeMSL }

  private func put(solutionInto fix: inout Fix) {
    // In two dimensions the altitude is the receiver's assumption.
    if fix.mode == .threeD { fix.altitudeMSL = altitude }
    fix.geoidSeparation = gga?.geoidSeparation ?? gns?.geoidSeparation
    fix.speed = rmc?.speed ?? vtg?.speed
    fix.course = rmc?.course ?? vtg?.course
    fix.magneticVariation = rmc?.magneticVariation
    fix.hdop = active?.hdop ?? gga?.hdop ?? gns?.hdop
    fix.vdop = active?.vdop
    fix.pdop = active?.pdop
    fix.satellitesUsed = gga?.satellitesUsed ?? gns?.satellitesUsed
    fix.dgpsAge = gga?.dgpsAge ?? gns?.dgpsAge
    fix.dgpsStation = gga?.dgpsStation ?? gns?.dgpsStation
  }
}

extension SentenceProblems {
  /// The fields with these numbers.
  fileprivate init(fields numbers: ClosedRange<Int>) {
    self = []
    for number in numbers { formUnion(SentenceProblems(field: number)) }
  }
}
