/// One line on the terminal after a second of silence, so that a person knows what is waited for.
struct Progress {
  private let task: Task<Void, Never>?

  /// Says `what` on standard error after a second, if that is a terminal.
  static func start(_ what: String) -> Progress {
    guard StandardError.isTerminal else { return Progress(task: nil) }
    return Progress(
      task: Task {
        guard (try? await Task.sleep(for: .seconds(1))) != nil else { return }
        StandardError.say("\(what) …")
      })
  }

  /// Says nothing any more.
  func end() {
    task?.cancel()
  }
}
