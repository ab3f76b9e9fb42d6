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
    case .rmc: store(.rmc(RMC(fields)), RMC.fieldCount, fields)
    case .gga: store(.gga(GGA(fields)), GGA.fieldCount, fields)
    case .gsv: store(.gsv(GSV(fields)), GSV.fieldCount, fields)
    case .gsa: store(.gsa(GSA(fields)), GSA.fieldCount, fields)
    case .gll: store(.gll(GLL(fields)), GLL.fieldCount, fields)
    case .vtg: store(.vtg(VTG(fields)), VTG.fieldCount, fields)
    case .zda: store(.zda(ZDA(fields)), ZDA.fieldCount, fields)
    case .gns: store(.gns(GNS(fields)), GNS.fieldCount, fields)
    case .gst: store(.gst(GST(fields)), GST.fieldCount, fields)
    case .none: .tooFewFields
    default: decode(rare: type, fields)
    }
  }

  /// Less frequent types, outside the hot path.
  @inline(never)
  private func decode(rare type: SentenceType, _ fields: SentenceFields) -> DecodingOutcome {
    switch type {
    case .gbs: store(.gbs(GBS(fields)), GBS.fieldCount, fields)
    case .grs: store(.grs(GRS(fields)), GRS.fieldCount, fields)
    case .dtm: store(.dtm(DTM(fields)), DTM.fieldCount, fields)
    case .txt: store(.txt(TXT(fields)), TXT.fieldCount, fields)
    case .hdt: store(.hdt(HDT(fields)), HDT.fieldCount, fields)
    case .ths: store(.ths(THS(fields)), THS.fieldCount, fields)
    case .pubx00: store(.pubx00(PUBX00(fields)), PUBX00.fieldCount, fields)
    case .pubx03: store(.pubx03(PUBX03(fields)), PUBX03.fieldCount, fields)
    case .pubx04: store(.pubx04(PUBX04(fields)), PUBX04.fieldCount, fields)
    case .pgrme: store(.pgrme(PGRME(fields)), PGRME.fieldCount, fields)
    case .pgrmz: store(.pgrmz(PGRMZ(fields)), PGRMZ.fieldCount, fields)
    case .pmtk: store(.pmtk(PMTK(fields)), PMTK.fieldCount, fields)
    case .psti030: store(.psti030(PSTI030(fields)), PSTI030.fieldCount, fields)
    case .ptnlGGK: store(.ptnlGGK(PTNLGGK(fields)), PTNLGGK.fieldCount, fields)
    case .psrfepe: store(.psrfepe(PSRFEPE(fields)), PSRFEPE.fieldCount, fields)
    case .pqgsv: store(.gsv(GSV(fields)), GSV.fieldCount, fields)
    default: .unknown
    }
  }

  /// Stores a sentence in `payload`; it is decoded only if there are enough fields.
  @inline(__always)
  private func store(
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
