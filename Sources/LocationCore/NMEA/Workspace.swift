/// Memory that decoding needs for the time of one call.
struct Workspace {
  /// Bytes that may be read behind the end of a line.
  static let slack = 16

  /// Where a line's commas are.
  let map: CommaMap
  /// A line that lies too close to the end of the input to be read eight bytes at a time.
  let line: UnsafeMutablePointer<UInt8>
  /// What the line turned out to be.
  let payload: UnsafeMutablePointer<NMEAEvent.Payload>

  /// Hands out memory on the stack.
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

  /// A copy of a line with bytes behind it.
  @inline(never)
  func copy(_ source: UnsafePointer<UInt8>, count: Int) -> UnsafePointer<UInt8> {
    let length = min(count, LineScan.bound)
    line.initialize(from: source, count: length)
    (line + length).initialize(repeating: 0, count: Self.slack)
    return UnsafePointer(line)
  }
}
