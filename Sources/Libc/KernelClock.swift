/// What the kernel knows of the calendar clock.
package enum KernelClock {
  /// The clock's greatest error (adjtimex(2)); `nil` unless something keeps it. The service may not ask for it unless its
  /// unit is changed.
  package static var error: Duration? {
    // Swift's Glibc has no struct timex: of its 64-bit words the fourth is `maxerror`, in microseconds, the sixth
    // `status`.
    guard MemoryLayout<Int>.size == 8, let symbol = dlsym(nil, "adjtimex") else { return nil }
    let adjtimex = unsafeBitCast(symbol, to: (@convention(c) (UnsafeMutableRawPointer) -> CInt).self)
    var words = [Int64](repeating: 0, count: 32)
    let state = words.withUnsafeMutableBytes { $0.baseAddress.map { adjtimex($0) } ?? -1 }
    let (timeError, isUnset, limit) = (CInt(5), Int64(0x40), Int64(16_000_000))
    guard state >= 0, state != timeError, words[5] & isUnset == 0, (0..<limit).contains(words[3]) else { return nil }
    return .microseconds(words[3])
  }
}
