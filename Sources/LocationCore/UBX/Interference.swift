/// What a receiver states about jamming and spoofing. No fix is dropped for it.
package struct Interference: Hashable, Sendable {
  /// The raw values are u-blox's.
  package enum Jamming: UInt8, Hashable, Sendable {
    case unknown, ok, warning, critical
  }

  /// The raw values are u-blox's.
  package enum Spoofing: UInt8, Hashable, Sendable {
    case unknown, none, indicated, multiple
  }

  private var hardwareType = UBXType.monHW
  private var hardwareJamming: Jamming?
  private var securityJamming: Jamming?
  private var statusSpoofing: Spoofing?
  private var securitySpoofing: Spoofing?

  /// The worse statement of MON-HW or MON-RF and of SEC-SIG, and the message; `nil` without any.
  package var jamming: (state: Jamming, source: String)? {
    Self.worse(securityJamming, hardwareJamming, of: hardwareType)
  }

  /// The worse statement of NAV-STATUS and of SEC-SIG, and the message; `nil` without any.
  package var spoofing: (state: Spoofing, source: String)? {
    Self.worse(securitySpoofing, statusSpoofing, of: .navSTATUS)
  }

  private static func worse<State: RawRepresentable<UInt8>>(
    _ security: State?, _ other: State?, of type: UBXType
  ) -> (state: State, source: String)? {
    guard let security, security.rawValue >= other?.rawValue ?? 0 else { return other.map { ($0, type.name) } }
    return (security, UBXType.secSIG.name)
  }

  mutating func take(_ frame: UBXFrame) {
    switch frame.type {
    case .monHW:
      hardwareType = .monHW
      hardwareJamming = Jamming(rawValue: frame.u1(22) >> 2 & 3)
    case .monRF:
      // The worst of the bands.
      let size = (frame.count - 4) / Int(frame.u1(1))
      let worst = (0..<Int(frame.u1(1))).reduce(UInt8(0)) {
        max($0, frame.u1(4 + $1 * size + 1) & 3)
      }
      hardwareType = .monRF
      hardwareJamming = Jamming(rawValue: worst)
    case .navSTATUS: statusSpoofing = Spoofing(rawValue: frame.u1(7) >> 3 & 3)
    case .secSIG where frame.u1(0) == 1:
      securityJamming = Jamming(rawValue: frame.u1(4) >> 1 & 3)
      securitySpoofing = Spoofing(rawValue: frame.u1(8) >> 1 & 7)
    case .secSIG:
      securityJamming = Jamming(rawValue: frame.u1(1) >> 1 & 3)
      securitySpoofing = Spoofing(rawValue: frame.u1(1) >> 4 & 7)
    default: break
    }
  }
}
