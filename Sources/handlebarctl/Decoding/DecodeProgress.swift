/// How far a long decoding has come, once a second on a terminal.
struct DecodeProgress {
  private let clock = ContinuousClock()
  private var next: ContinuousClock.Instant
  private var isShown = false

  init() {
    next = clock.now + .seconds(1)
  }

  mutating func report(_ bytes: Int) {
    guard StandardError.isTerminal, clock.now >= next else { return }
    next = clock.now + .seconds(1)
    isShown = true
    StandardError.write("\r\(bytes / 1_000_000) MB …")
  }

  func end() {
    if isShown { StandardError.write("\r\u{1B}[K") }
  }
}
