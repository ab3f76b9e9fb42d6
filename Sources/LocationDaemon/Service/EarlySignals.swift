/// Keeps signals that come before there is anything to stop, until there is.
final class EarlySignals {
  private var waiting: [Int32] = []
  private var handler: ((Int32) -> Void)?

  /// Takes a signal in.
  func take(_ number: Int32) {
    // One of a kind says all that many would.
    if let handler { handler(number) } else if !waiting.contains(number) { waiting.append(number) }
  }

  /// Says who handles signals from now on, and hands over those that wait.
  func handle(_ body: @escaping (Int32) -> Void) {
    handler = body
    let numbers = waiting
    waiting = []
    for number in numbers { body(number) }
  }
}
