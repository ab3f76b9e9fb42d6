/// Keeps a signal that comes before there is anything to stop, until there is.
final class EarlySignals {
  private var waiting: Int32?
  private var handler: ((Int32) -> Void)?

  /// Takes a signal in.
  func take(_ number: Int32) {
    if let handler { handler(number) } else { waiting = number }
  }

  /// Says who handles signals from now on, and hands over the one that waits.
  func handle(_ body: @escaping (Int32) -> Void) {
    handler = body
    if let number = waiting { body(number) }
    waiting = nil
  }
}
