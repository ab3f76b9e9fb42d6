/// Stack memory for one decoding call.
struct Workspace {
  /// Number of bytes that may be read beyond the end of a line.
  static let slack = 16

  let map: CommaMap
  /// Copy of a line too close to the end of the input for word-wise reads.
  let line: UnsafeMutablePointer<UInt8>
  let payload: UnsafeMutablePointer<NMEAEvent.Payload>

  @inline(__always) static func with(_ body: (Workspace) -> Void) {
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

  @inline(never) func copy(_ source: UnsafePointer<UInt8>, count: Int) -> UnsafePointer<UInt8> {
    let length = min(count, LineScan.bound)
    line.initialize(from: source, count: length)
    (line + length).initialize(repeating: 0, count: Self.slack)
    return UnsafePointer(line)
  }
}
