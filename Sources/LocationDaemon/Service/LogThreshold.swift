import Logging
import Synchronization

/// The least level that is logged. It can change while loggers are in use.
package final class LogThreshold: Sendable {
  private let value: Mutex<Logger.Level>

  package init(_ level: Logger.Level) {
    value = Mutex(level)
  }

  package var level: Logger.Level {
    get { value.withLock { $0 } }
    set { value.withLock { $0 = newValue } }
  }
}
