/// A UBX frame with a valid checksum: class, id and payload. Valid only as long as the underlying bytes.
package struct UBXFrame {
  package let type: UBXType?
  /// Class and id, `0x0107` for NAV-PVT.
  package let code: UInt16
  /// Number of bytes of the payload.
  package let count: Int
  private let payload: UnsafePointer<UInt8>

  /// The frame in the bytes of an event from `B5` through the checksum; `nil` when they are too few for one.
  package init?(_ raw: UnsafeRawBufferPointer) {
    guard raw.count >= 8, let base = raw.assumingMemoryBound(to: UInt8.self).baseAddress else {
      return nil
    }
    code = UInt16(base[2]) << 8 | UInt16(base[3])
    count = raw.count - 8
    payload = base + 6
    type = UBXType(rawValue: code)
  }

  /// Whether it is a text, INF-ERROR to INF-DEBUG.
  var isText: Bool { 0x0400...0x0404 ~= code }
  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: payload, count: count) }
  /// `UBX-NAV-PVT`, or `UBX-02-13` of a message that is not decoded.
  package var name: String { Self.name(of: code) }

  package static func name(of code: UInt16) -> String {
    if let type = UBXType(rawValue: code) { return "UBX-\(type.name)" }
    let (messageClass, id) = (UInt8(code >> 8), UInt8(code & 0xFF))
    return "UBX-\(Hexadecimal.text([messageClass]))-\(Hexadecimal.text([id]))".uppercased()
  }

  /// Whether the payload has the length that its type prescribes; later versions only append.
  package var isWhole: Bool {
    switch type {
    case .navPVT: count == 84 || count >= 92
    case .navSAT: count >= 8 && count == 8 + 12 * Int(u1(5))
    case .navSVINFO: count >= 8 && count == 8 + 12 * Int(u1(4))
    case .monRF:
      count >= 4 && u1(1) > 0 && (count - 4) % Int(u1(1)) == 0 && (count - 4) / Int(u1(1)) >= 20
    case .secSIG: count >= 4 && (u1(0) == 1 ? count >= 12 : count == 4 + 4 * Int(u1(3)))
    case .navPOSLLH: count >= 28
    case .navSTATUS, .navTIMEGPS: count >= 16
    case .navDOP: count >= 18
    case .navSOL: count >= 52
    case .navVELNED: count >= 36
    case .navTIMEUTC: count >= 20
    case .navEOE: count >= 4
    case .monHW: count >= 60
    case .monSYS: count >= 24
    case nil: true
    }
  }

  /// GPS time of week of a decoded NAV message, milliseconds; `nil` when it is out of range.
  package var timeOfWeek: UInt32? {
    guard type != nil, code >> 8 == 0x01, count >= 4 else { return nil }
    let time = u4(0)
    return time < 604_800_000 ? time : nil
  }

  @inline(__always) func u1(_ offset: Int) -> UInt8 { payload[offset] }
  @inline(__always) func i1(_ offset: Int) -> Int8 { Int8(bitPattern: payload[offset]) }
  @inline(__always) func u2(_ offset: Int) -> UInt16 {
    UInt16(payload[offset]) | UInt16(payload[offset + 1]) << 8
  }
  @inline(__always) func i2(_ offset: Int) -> Int16 { Int16(bitPattern: u2(offset)) }
  @inline(__always) func u4(_ offset: Int) -> UInt32 {
    UInt32(u2(offset)) | UInt32(u2(offset + 2)) << 16
  }
  @inline(__always) func i4(_ offset: Int) -> Int32 { Int32(bitPattern: u4(offset)) }

  @inline(__always) func flag(_ offset: Int, _ bit: UInt8) -> Bool {
    payload[offset] >> bit & 1 != 0
  }

  /// A standard deviation in `parts` of its unit; `nil` for 0 and the greatest number, which is unknown.
  func deviation(_ offset: Int, parts: Double = 1000) -> Double? {
    let value = u4(offset)
    return value == 0 || value == .max ? nil : Double(value) / parts
  }

  /// A dilution of precision; `nil` for 0 and from 99 on.
  func dilution(_ offset: Int) -> Double? {
    let value = u2(offset)
    return (1..<9900).contains(value) ? Double(value) / 100 : nil
  }
}

/// The UBX messages that are decoded; the raw value is class and id.
package enum UBXType: UInt16, CaseIterable, Sendable {
  case navPOSLLH = 0x0102
  case navSTATUS = 0x0103
  case navDOP = 0x0104
  case navSOL = 0x0106
  case navPVT = 0x0107
  case navVELNED = 0x0112
  case navTIMEGPS = 0x0120
  case navTIMEUTC = 0x0121
  case navSVINFO = 0x0130
  case navSAT = 0x0135
  case navEOE = 0x0161
  case monHW = 0x0A09
  case monRF = 0x0A38
  case monSYS = 0x0A39
  case secSIG = 0x2709

  /// `NAV-PVT`, of the case `navPVT`.
  package var name: String {
    let name = "\(self)"
    return "\(name.prefix(3).uppercased())-\(name.dropFirst(3))"
  }

  /// Whether the number of bytes depends on what is in view.
  @inline(__always) var isVariable: Bool { self == .navSAT || self == .navSVINFO || self == .monRF || self == .secSIG }
}
