// What receivers state in sentences, by the manuals of u-blox, CASIC, GlobalTop, CDTop, MediaTek and Quectel.
extension Interference {
  /// The datum of the positions, by the code of DTM; `nil` for WGS 84.
  package var datum: String? { datumCode == 0 ? nil : SentenceAddress.unpack(datumCode) }

  /// Takes a sentence that may be about the receiver itself.
  mutating func take(_ type: SentenceType, _ fields: SentenceFields) {
    let digit = fields[1].count == 1 ? fields[1].first.map { $0 &- 0x30 } : nil
    /// Of the antenna in use, the internal or the external one.
    func state(short: UInt8) -> Antenna? {
      guard let digit, (1...3).contains(digit), fields[0].elementsEqual("11".utf8) else { return nil }
      return digit == short ? .short : .ok
    }
    let (state, source): (Antenna?, AntennaSource) =
      switch type {
      case .txt: (takeText(fields[3]), .txt)
      case .pgtop: (state(short: 1), .pgtop)
      case .pcd: (state(short: 3), .pcd)
      case .pqtmAntennaStatus: (digit.flatMap { Antenna(rawValue: $0) }, .pqtm)
      default: (nil, .txt)
      }
    if let state { (antennaState, antennaSource) = (state, source) }
    if type == .dtm {
      let isNone = fields[0].allSatisfy { $0 == 0x20 } || fields[0].elementsEqual("W84".utf8)
      datumCode = isNone ? 0 : SentenceAddress.pack(fields[0])
    }
    if type == .pmtk, fields.address.elementsEqual("PMTK010".utf8), fields[0].elementsEqual("001".utf8) { starts &+= 1 }
  }

  /// Takes the text of a TXT; returns what it states about the antenna: `ANTENNA OPEN`, `ANTSTATUS=OK`, `ANT_SHORT`.
  private mutating func takeText(_ text: UnsafeRawBufferPointer) -> Antenna? {
    if text.elementsEqual("txbuf alloc".utf8) { overflows &+= 1 }
    if text.starts(with: "u-blox ".utf8) || text.starts(with: "MA=CAS".utf8) { starts &+= 1 }
    guard text.starts(with: "ANTENNA".utf8) || text.starts(with: "ANTSTATUS=".utf8) || text.starts(with: "ANT_".utf8)
    else { return nil }
    func ends(_ word: StaticString) -> Bool {
      word.withUTF8Buffer { text.count > $0.count && text.suffix($0.count).elementsEqual($0) }
    }
    return ends("OPEN") ? .open : ends("SHORT") ? .short : ends("OK") ? .ok : .unknown
  }
}
