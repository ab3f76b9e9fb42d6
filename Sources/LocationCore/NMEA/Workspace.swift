/// Memory that decoding needs for the time of one call.
struct Workspace {
  /// Bytes that may be read behind the end of a line.
  static let slack = 16

  /// Offsets of a line's commas and its end.
  let bounds: UnsafeMutablePointer<UInt16>
  /// A line that lies too close to the end of the input to be read eight bytes at a time.
  let line: UnsafeMutablePointer<UInt8>
  /// What the line turned out to be.
  let payload: UnsafeMutablePointer<NMEAEvent.Payload>

  /// Hands out memory on the stack.
  @inline(__always)
  static func with(_ body: (Workspace) -> Void) {
    withUnsafeTemporaryAllocation(of: UInt16.self, capacity: LineScan.bound) { bounds in
      withUnsafeTemporaryAllocation(of: UInt8.self, capacity: LineScan.bound + slack) { line in
        withUnsafeTemporaryAllocation(of: NMEAEvent.Payload.self, capacity: 1) { payload in
          guard let bounds = bounds.baseAddress, let line = line.baseAddress, let payload = payload.baseAddress else {
            return
          }
          payload.initialize(to: .rejected(.truncated))
          body(Workspace(bounds: bounds, line: line, payload: payload))
        }
      }
    }
  }

  /// A copy of a line with bytes behind it.
  @inline(never)
  func copy(_ source: UnsafePointer<UInt8>, count: Int) -> UnsafePointer<UInt8> {
    line.initialize(repeating: 0, count: LineScan.bound + Self.slack)
    line.update(from: source, count: min(count, LineScan.bound))
    return UnsafePointer(line)
  }
}
