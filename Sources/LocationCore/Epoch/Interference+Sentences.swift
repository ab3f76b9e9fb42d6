// What receivers state in sentences, by the manuals of u-blox, CASIC, GlobalTop, CDTop, MediaTek, Quectel and ST.
extension Interference {
  /// The datum of the positions, by the code of DTM; `nil` for WGS 84.
  package var datum: String? { datumCode == 0 ? nil : SentenceAddress.unpack(datumCode) }

  mutating func take(_ type: SentenceType, _ fields: SentenceFields) {
    func digit(_ index: Int) -> UInt8? { fields[index].count == 1 ? fields[index].first.map { $0 &- 0x30 } : nil }
    /// Of the antenna in use, the internal or the external one.
    func antenna(short: UInt8) -> Antenna? {
      guard let digit = digit(1), (1...3).contains(digit), fields[0].elementsEqual("11".utf8) else { return nil }
      return digit == short ? .short : .ok
    }
    switch type {
    case .txt: take(text: fields[3], of: .txt)
    case .pgtop: put(antenna(short: 1), .pgtop)
    case .pcd: put(antenna(short: 3), .pcd)
    case .pqtmAntennaStatus: put(digit(1).flatMap { Antenna(rawValue: $0) }, .pqtm)
    // Normal, open, short.
    case .pstmAntennaStatus: put(digit(0).flatMap { Antenna(rawValue: $0 &+ 1) }, .pstm)
    case .pairSPF: put(digit(0), .pairSPF, in: \.hardwareJamming)
    case .pairSPF5: put(digit(0), .pairSPF, in: \.secondJamming)
    case .pqtmJamming: put(digit(1), .pqtmJamming, in: \.hardwareJamming)
    case .dtm:
      let isNone = fields[0].allSatisfy { $0 == 0x20 } || fields[0].elementsEqual("W84".utf8)
      datumCode = isNone ? 0 : SentenceAddress.pack(fields[0])
    case .pmtk:
      if fields.address.elementsEqual("PMTK010".utf8), fields[0].elementsEqual("001".utf8) { starts &+= 1 }
    case .deviceName: starts &+= 1
    default: break
    }
  }

  /// A start, an overflow of the line, or a statement about the antenna: `ANTENNA OPEN`, `ANTSTATUS=OK`, `ANT_SHORT`.
  mutating func take(text: UnsafeRawBufferPointer, of source: Source) {
    if text.elementsEqual("txbuf alloc".utf8) { overflows &+= 1 }
    if text.starts(with: "u-blox ".utf8) || text.starts(with: "MA=CAS".utf8) {
      starts &+= 1
      resetReason = nil
    }
    guard text.starts(with: "ANTENNA".utf8) || text.starts(with: "ANTSTATUS=".utf8) || text.starts(with: "ANT_".utf8)
    else { return }
    func ends(_ word: StaticString) -> Bool {
      word.withUTF8Buffer { text.count > $0.count && text.suffix($0.count).elementsEqual($0) }
    }
    put(ends("OPEN") ? .open : ends("SHORT") ? .short : ends("OK") ? .ok : .unknown, source)
  }
}
