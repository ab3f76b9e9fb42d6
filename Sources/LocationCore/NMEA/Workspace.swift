/// Stack memory for one decoding call.
struct Workspace {
  /// Number of bytes that may be read beyond the end of a line.
  static let slack = 16

  /// Positions of the current line's commas.
  let map: CommaMap
  /// Copy of a line too close to the end of the input for word-wise reads.
  let line: UnsafeMutablePointer<UInt8>
  /// The decoded line.
  let payload: UnsafeMutablePointer<NMEAEvent.Payload>

  /// Allocates a workspace on the stack.
  @inline(__always)
  static func with(_ body: (Workspace) -> Void) {
    withUnsafeTemporaryAllocation(of: UInt64.self, capacity: CommaMap.size) { map in
      withUnsafeTemporaryAllocation(of: UInt8.self, capacity: LineScan.bound + slack) { line in
        withUnsafeTemporaryAllocation(of: NMEAEvent.Payload.self, capacity: 1) { payload in
          guard let map = map.baseAddress, let line = line.baseAddress, let payload = payload.baseAddress else {
            return
          }
          payload.initialize(to: .sentence(.unknown))
          body(Workspace(map: CommaMap(map), line: line, payload: payload))
        }
      }
    }
  }

  /// Copies a line and adds slack.
  @inline(never)
  func copy(_ source: UnsafePointer<UInt8>, count: Int) -> UnsafePointer<UInt8> {
    let length = min(count, LineScan.bound)
    line.initialize(from: source, count: length)
    (line + length).initialize(repeating: 0, count: Self.slack)
    return UnsafePointer(line)
  }

  /// Decodes the fields as a sentence of the given type into `payload`, unless the type is unknown or fields are
  /// missing.
  @inline(__always)
  func decode(_ type: SentenceType, _ fields: SentenceFields) -> DecodingOutcome {
    switch type {
    case .rmc: become(.rmc(RMC(fields)), RMC.fieldCount, fields)
    case .gga: become(.gga(GGA(fields)), GGA.fieldCount, fields)
    case .gsv: become(.gsv(GSV(fields)), GSV.fieldCount, fields)
    case .gsa: become(.gsa(GSA(fields)), GSA.fieldCount, fields)
    case .gll: become(.gll(GLL(fields)), GLL.fieldCount, fields)
    case .vtg: become(.vtg(VTG(fields)), VTG.fieldCount, fields)
    case .zda: become(.zda(ZDA(fields)), ZDA.fieldCount, fields)
    case .gns: become(.gns(GNS(fields)), GNS.fieldCount, fields)
    case .gst: become(.gst(GST(fields)), GST.fieldCount, fields)
    case .none: .tooFewFields
    default: decode(rare: type, fields)
    }
  }

  /// Less frequent types, outside the hot path.
  @inline(never)
  private func decode(rare type: SentenceType, _ fields: SentenceFields) -> DecodingOutcome {
    switch type {
    case .gbs: become(.gbs(GBS(fields)), GBS.fieldCount, fields)
    case .grs: become(.grs(GRS(fields)), GRS.fieldCount, fields)
    case .dtm: become(.dtm(DTM(fields)), DTM.fieldCount, fields)
    case .txt: become(.txt(TXT(fields)), TXT.fieldCount, fields)
    case .hdt: become(.hdt(HDT(fields)), HDT.fieldCount, fields)
    case .ths: become(.ths(THS(fields)), THS.fieldCount, fields)
    case .pubx00: become(.pubx00(PUBX00(fields)), PUBX00.fieldCount, fields)
    case .pubx03: become(.pubx03(PUBX03(fields)), PUBX03.fieldCount, fields)
    case .pubx04: become(.pubx04(PUBX04(fields)), PUBX04.fieldCount, fields)
    case .pgrme: become(.pgrme(PGRME(fields)), PGRME.fieldCount, fields)
    case .pgrmz: become(.pgrmz(PGRMZ(fields)), PGRMZ.fieldCount, fields)
    case .pmtk: become(.pmtk(PMTK(fields)), PMTK.fieldCount, fields)
    case .psti030: become(.psti030(PSTI030(fields)), PSTI030.fieldCount, fields)
    case .ptnlGGK: become(.ptnlGGK(PTNLGGK(fields)), PTNLGGK.fieldCount, fields)
    case .psrfepe: become(.psrfepe(PSRFEPE(fields)), PSRFEPE.fieldCount, fields)
    case .pqgsv: become(.gsv(GSV(fields)), GSV.fieldCount, fields)
    default: .unknown
    }
  }

  /// Stores a sentence in `payload`; it is evaluated only if there are enough fields.
  @inline(__always)
  private func become(
    _ sentence: @autoclosure () -> Sentence, _ fewest: Int, _ fields: SentenceFields
  ) -> DecodingOutcome {
    guard fields.count >= fewest else { return .tooFewFields }
    payload.initialize(to: .sentence(sentence()))
    return .decoded
  }
}

/// Result of decoding a line with a valid checksum.
enum DecodingOutcome {
  case decoded
  case unknown
  case encapsulated
  case tooFewFields
}
