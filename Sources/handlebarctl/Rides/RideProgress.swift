/// How far a long reading of a ride has come, once a second on a terminal.
struct RideProgress {
  private let clock = ContinuousClock()
  private var next: ContinuousClock.Instant
  private var moments = 0
  private var isShown = false

  init() {
    next = clock.now + .seconds(1)
  }

  /// So many more moments were read.
  mutating func advance(_ count: Int) {
    let before = moments
    moments += count
    guard moments / 1024 > before / 1024, StandardError.isTerminal, clock.now >= next else { return }
    next = clock.now + .seconds(1)
    isShown = true
    StandardError.write("\r\(moments) fixes …")
  }

  func end() {
    if isShown { StandardError.write("\r\u{1B}[K") }
  }
}
