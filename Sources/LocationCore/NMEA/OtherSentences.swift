// Sentences that never reach a fix: checked, counted and shown by `decode`. Each is a function that lists its fields, a
// line in the list below, and an address in `SentenceType`, with an identifying field also in `SentenceAddress`.

extension SentenceReader {
  @inline(never) mutating func decodeOther(_ type: SentenceType) -> DecodingOutcome {
    switch type {
    case .gbs: other(8) { $0.gbs() }
    case .grs: other(14) { $0.grs() }
    case .dtm: other(8) { $0.dtm() }
    case .txt: other(4) { $0.txt() }
    case .pubx03: other(2) { $0.pubx03() }
    case .pubx04: other(9) { $0.pubx04() }
    case .pgrmz: other(2) { $0.pgrmz() }
    case .pmtk: other(0) { $0.pmtk() }
    case .psti030: other(13) { $0.psti030() }
    case .ptnlGGK: other(12) { $0.ptnlGGK() }
    default: .unknown
    }
  }

  private mutating func other(_ fewest: Int, _ fields: (inout Self) -> Void) -> DecodingOutcome {
    guard count >= fewest else { return .tooFewFields }
    fields(&self)
    return .decoded
  }

  /// GBS, satellite fault detection: expected errors in metres and the satellite most likely to be faulty.
  private mutating func gbs() {
    time()
    unsigned("epy")
    unsigned("epx")
    unsigned("epv")
    integer("failed", upTo: 999)
    unsigned("probability", 9)
    signed("bias")
    unsigned("deviation")
    hexadecimal("system")
    hexadecimal("signal")
  }

  /// GRS, range residuals in metres of the satellites in use, in the order of the preceding GSA, with its empty slots.
  private mutating func grs() {
    time()
    integer("mode", upTo: 1)
    let residuals = read("residuals") { field in
      [12 of Thousandths] { _ in Thousandths(wrappedValue: field.signed(upTo: Thousandths.limit)) }
    }
    let count = residuals.indices.last { residuals[$0].wrappedValue != nil }.map { $0 + 1 } ?? 0
    show("residuals", .list((0..<count).map { residuals[$0].wrappedValue.map { .decimal($0, places: 3) } }))
    hexadecimal("system")
    hexadecimal("signal")
  }

  /// DTM, datum reference: the local datum (W84, W72, P90, 999 for a user-defined one, or an IHO code) and its offsets.
  private mutating func dtm() {
    shortText("datum")
    shortText("subdivision")
    number("latOffset", 9) { $0.offset(positive: 0x4E, negative: 0x53) }
    number("lonOffset", 9) { $0.offset(positive: 0x45, negative: 0x57) }
    signed("altOffset")
    shortText("reference")
  }

  /// TXT, text message; `id` is its kind. u-blox: 0 error, 1 warning, 2 notice.
  private mutating func txt() {
    let parts = read("parts") { $0.integer(upTo: 99) }
    integer("part", upTo: 99)
    show("parts", parts.map(FieldValue.integer))
    integer("id", upTo: 99)
    let text = read("text") { $0.rest() }
    show("text", .text(text.unescaped))
  }

  /// PUBX,03, satellites (u-blox M8 protocol). `PRN` is u-blox's number; `use` is `U` used, `e` with ephemeris, `-` not
  /// used; `lock` is seconds of continuous carrier lock, 64 for more.
  private mutating func pubx03() {
    skip()
    integer("nSat", upTo: 255)
    list("satellites", count: (count - 2) / 6) { field in
      let number = field.value("PRN", FieldValue.integer) { $0.integer(upTo: 999).flatMap { $0 > 0 ? $0 : nil } }
      field.letter("use", SatelliteUse.self)
      field.number("az", 3) { $0.course() }
      field.signed("el", 3, upTo: 90)
      field.unsigned("ss", 3, upTo: 99)
      field.integer("lock", upTo: 255)
      return number != nil
    }
  }

  /// PUBX,04, time of day and clock (u-blox M8 protocol). `tow` is in seconds of the UTC week, `clockBias` and
  /// `granularity` in ns, `clockDrift` in ns/s; `leapReceived` is false for the firmware's default.
  private mutating func pubx04() {
    skip()
    time()
    date()
    unsigned("tow", 3, upTo: 604_800)
    integer("week", upTo: 99_999)
    let (leapSeconds, isReceived) = read("leapseconds") { $0.leapSeconds() }
    show("leapseconds", leapSeconds.map(FieldValue.integer))
    show("leapReceived", isReceived.map(FieldValue.flag))
    signed("clockBias", 3)
    signed("clockDrift", 3)
    signed("granularity", 3)
  }

  /// PGRMZ, altitude (Garmin), feet on the wire; `source` is 1 none, 2 user or barometer, 3 satellites.
  private mutating func pgrmz() {
    number("altMSL", 4) { field in
      let feet = field.signed()
      return field.unit(0x66) ? feet.map { $0 * 0.3048 } : nil
    }
    digit("source", AltitudeSource.self)
  }

  /// PMTK and three digits, status messages of a MediaTek receiver: 001 acknowledges a command (`result` 0 invalid,
  /// 1 unsupported, 2 failed, 3 done), 010 is a system message (0 unknown, 1 start-up, 2 notification, 3 normal).
  private mutating func pmtk() {
    let packet = value("packet", FieldValue.integer) { $0.addressNumber(after: 4) }
    if packet == 1 {
      integer("command", upTo: 999)
      integer("result", upTo: 9)
    } else if packet == 10 {
      integer("message", upTo: 999)
    }
  }

  /// PSTI,030, recommended minimum with three-dimensional velocity (SkyTraq).
  private mutating func psti030() {
    skip()
    time()
    letter("status", RMCStatus.self)
    position()
    signed("altMSL")
    signed("velE", 3, upTo: FieldCursor.fastest)
    signed("velN", 3, upTo: FieldCursor.fastest)
    signed("velU", 3, upTo: FieldCursor.fastest)
    date()
    letter("mode", PositioningMode.self)
    unsigned("rtkAge", 3)
    unsigned("rtkRatio", 3)
  }

  /// PTNL,GGK, time, position, fix type and DOP (Trimble). `quality` is 0 no fix, 1 autonomous, 2 float RTK, 3 fixed
  /// RTK, 4 differential …; the altitude is above the ellipsoid (`EHT`) or above mean sea level (`GHT`).
  private mutating func ptnlGGK() {
    skip()
    time()
    value("date", FieldValue.date) { $0.monthDayYear() }
    position()
    integer("quality", upTo: 99)
    integer("nSat", upTo: 255)
    dilution("dop")
    let height = read("altHAE") { $0.height() }
    show("altHAE", height.ellipsoidal.map { .decimal($0, places: 4) })
    show("altMSL", height.geoidal.map { .decimal($0, places: 4) })
  }
}

/// Use of a satellite in the solution, in PUBX,03.
private enum SatelliteUse: UInt8 {
  case unused = 0x2D
  case used = 0x55
  case ephemeris = 0x65
}

/// Source of the altitude in PGRMZ.
private enum AltitudeSource: UInt8 {
  case none = 1
  case user = 2
  case satellites = 3
}

extension FieldCursor {
  /// Degrees from minutes and a direction.
  fileprivate mutating func offset(positive: UInt8, negative: UInt8) -> Double? {
    let minutes = signed(upTo: 10_800)
    let direction = next()
    guard let minutes else { return nil }
    switch direction.count == 1 ? direction.start[0] : 0 {
    case positive: return minutes / 60
    case negative: return -minutes / 60
    default: return fail(direction)
    }
  }

  /// A field of one to eight characters.
  mutating func shortText() -> UnsafeBufferPointer<UInt8>? {
    let field = next()
    if field.count == 0 { return nil }
    return field.count <= 8 ? UnsafeBufferPointer(start: field.start, count: field.count) : fail(field)
  }

  /// A number, followed by `D` if it is the firmware's default.
  fileprivate mutating func leapSeconds() -> (seconds: Int?, isReceived: Bool?) {
    let field = next()
    if field.count == 0 { return (nil, nil) }
    let isDefault = field.start[field.count - 1] == 0x44
    let digits = field.count - (isDefault ? 1 : 0)
    guard digits > 0, let seconds = Digits.value(field.start, digits), seconds <= 255 else { return (fail(field), nil) }
    return (Int(truncatingIfNeeded: seconds), !isDefault)
  }

  /// `mmddyy`.
  fileprivate mutating func monthDayYear() -> CalendarDate? {
    let field = next()
    if field.count == 0 { return nil }
    guard field.count == 6, let (month, day, year) = Digits.pairs(field.start),
      let date = Self.date(year: year, month: month, day: day)
    else { return fail(field) }
    return date
  }

  /// A number prefixed by `EHT` or `GHT`, and the unit `M`.
  fileprivate mutating func height() -> (ellipsoidal: Double?, geoidal: Double?) {
    let field = next()
    guard unit(0x4D), field.count > 0 else { return (nil, nil) }
    guard field.count > 3, field.start[1] == 0x48, field.start[2] == 0x54 else { return (fail(field), nil) }
    let value = Self.signedValue(Field(start: field.start + 3, count: field.count - 3))
    switch field.start[0] {
    case 0x45 where !value.isNaN: return (value, nil)
    case 0x47 where !value.isNaN: return (nil, value)
    default: return (fail(field), nil)
    }
  }
}

extension FieldCursor.Field {
  /// The bytes with `^hh` decoded, so it can contain any byte. A `^` without two hexadecimal digits is literal.
  fileprivate var unescaped: [UInt8] {
    var text: [UInt8] = []
    var at = 0
    while at < count {
      if start[at] == 0x5E, at + 2 < count, let byte = Hexadecimal.byte(start[at + 1], start[at + 2]) {
        text.append(byte)
        at += 3
      } else {
        text.append(start[at])
        at += 1
      }
    }
    return text
  }
}
