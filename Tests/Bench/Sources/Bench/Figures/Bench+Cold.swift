import Glibc

/// What every epoch pays before it does anything.
///
/// Ten epochs a second leave the processor 99.8 % of the time to others, or asleep; when the next one comes, neither its
/// caches nor its page tables know the program. A daemon that is fed without a pause takes 8 µs for an epoch, one that
/// waits for each takes 15 times as much: for each page that it comes back to, and for each line of 64 bytes on it.
extension Bench {
  func cold() throws -> [Figure] {
    var page = Figure("memory not used for 33 ms: a page and one line of it", unit: "ns")
    var line = Figure("memory not used for 33 ms: each further line", unit: "ns")
    let walk = ColdWalk()
    for _ in 0..<4 {
      let (one, many) = (walk.nanoseconds(lines: 1), walk.nanoseconds(lines: 16))
      page.add(one / Double(ColdWalk.pages))
      line.add((many - one) / Double(15 * ColdWalk.pages))
    }
    return [page, line]
  }
}

/// A way through memory on which each step tells the next, so that none can be taken ahead.
private final class ColdWalk {
  static let pages = 128
  private static let pageSize = 4096
  private static let lineSize = 64
  private let memory: UnsafeMutableRawPointer

  init() {
    memory = .allocate(byteCount: Self.pages * Self.pageSize, alignment: Self.pageSize)
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: Self.pages * Self.pageSize)
  }

  deinit { memory.deallocate() }

  /// What it takes to go once through so many lines of each page, in an order that nothing can guess: the median of ten.
  func nanoseconds(lines: Int) -> Double {
    var random = SystemRandomNumberGenerator()
    var places: [Int] = []
    for page in 0..<Self.pages {
      let first = Int.random(in: 0..<Self.pageSize / Self.lineSize, using: &random)
      for line in 0..<lines {
        places.append(page * Self.pageSize + (first + line * 4) % (Self.pageSize / Self.lineSize) * Self.lineSize)
      }
    }
    places.shuffle(using: &random)
    for (index, place) in places.enumerated() {
      memory.storeBytes(of: places[(index + 1) % places.count], toByteOffset: place, as: Int.self)
    }
    let times = (0..<10).map { _ in
      usleep(33_000)
      let begin = Clock.now
      var place = places[0]
      for _ in places.indices { place = memory.load(fromByteOffset: place, as: Int.self) }
      let end = Clock.now
      precondition(place == places[0])
      return Double(end - begin)
    }
    return Spread.quantile(0.5, of: times)
  }
}
