import Dispatch
import Glibc
import Libc
import Logging
import Recordings
import Synchronization
import SystemPackage

/// A text file of a ``StateDirectory``: a first line with its name and version, its own lines, and `end`.
package struct StateFile: Hashable, Sendable {
  package let name: String
  package let version: Int
  /// The largest size that is read, in bytes.
  package var limit = 1 << 20

  fileprivate var header: String { "# handlebard \(name) \(version)" }

  fileprivate func bytes(of lines: [String]) -> [UInt8] {
    Array(([header] + lines + ["end\n"]).joined(separator: "\n").utf8)
  }

  /// The file's own lines; `nil` if it is incomplete, damaged or of another version.
  fileprivate func lines(of bytes: [UInt8]) -> [Substring]? {
    guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.count >= 3, lines[0] == header, lines.suffix(2) == ["end", ""] else { return nil }
    return Array(lines[1..<(lines.count - 2)])
  }
}

/// The directory of small files that survive the daemon. They are read at the start, and replaced as a whole by a
/// thread of their own, the newest content only: flash may take a second to store it.
package final class StateDirectory: Sendable {
  private struct Queue {
    var contents: [StateFile: @Sendable () -> [String]] = [:]
    var isWriting = false
    /// Whether a failure was logged since the last success.
    var hasFailed = false
    var isRetryDue = false
    /// Files that could not be read: each is renamed before it is replaced.
    var unread: Set<StateFile> = []
  }

  private let path: String
  private let log: Logger
  private let retry: DispatchTimeInterval
  private let queue = Mutex(Queue())
  private let thread = DispatchQueue(label: "handlebard.state")

  /// Opens the directory; creates it, but not its parents. A failure to write is logged, and tried again after `retry`.
  package init(path: String, log: Logger, retry: DispatchTimeInterval = .seconds(10)) {
    self.path = path
    self.log = log
    self.retry = retry
    mkdir(path, 0o750)
    // What a power cut has left of files that were being written.
    for name in Directory.names(in: path) where name.hasPrefix(RecordingDraft.prefix) { unlink(location(of: name)) }
  }

  /// Reads a file; `nil` if there is none. One that `parse` refuses is renamed, for a person to look at.
  package func read<Value>(_ file: StateFile, _ parse: ([Substring]) -> Value?) -> Value? {
    readLines(file) { lines, _ in parse(lines) }
  }

  /// Reads a file line by line, without those that `parse` refuses.
  func readEach<Value>(_ file: StateFile, _ parse: (Substring) -> Value?) -> [Value]? {
    readLines(file) { lines, refused in
      let values = lines.compactMap(parse)
      refused = lines.count - values.count
      return values
    }
  }

  /// Reads a file, of which `parse` may leave out lines and count them; then it is also kept for a person to look at.
  package func readLines<Value>(
    _ file: StateFile, _ parse: (_ lines: [Substring], _ refused: inout Int) -> Value?
  ) -> Value? {
    let path = location(of: file.name)
    do throws(RecordingError) {
      guard let bytes = try RecordingFile.contents(of: path, limit: file.limit) else { return nil }
      var refused = 0
      if let value = file.lines(of: bytes).flatMap({ parse($0, &refused) }) {
        if refused > 0 { keepDamaged(file, refused) }
        return value
      }
    } catch {
      // A link, a directory or a file of that size is none of ours.
      guard error.code == ELOOP || [.wrongKind, .unknownFormat].contains(error.reason) else {
        // Perhaps it can be read at the next start: it stays until it is to be replaced.
        queue.withLock { _ = $0.unread.insert(file) }
        log.warning("cannot read \(path): \(String(cString: strerror(error.code)))", metadata: ["REASON": "state"])
        return nil
      }
    }
    setAside(file, "is damaged or of another version")
    return nil
  }

  private func setAside(_ file: StateFile, _ cause: String) {
    let path = location(of: file.name)
    let isRenamed = rename(path, path + ".damaged") == 0
    let fate = isRenamed ? "renamed to \(file.name).damaged" : "ignored"
    log.warning("\(path) \(cause); it is \(fate)", metadata: ["REASON": "state"])
  }

  private func keepDamaged(_ file: StateFile, _ refused: Int) {
    let path = location(of: file.name)
    unlink(path + ".damaged")
    let fate = link(path, path + ".damaged") == 0 ? "; the file is kept as \(file.name).damaged" : ""
    let lines = refused == 1 ? "a line of \(path) is" : "\(refused) lines of \(path) are"
    log.warning("\(lines) damaged or of another version, and left out\(fate)", metadata: ["REASON": "state"])
  }

  /// Replaces a file soon, its lines are made by the thread. What cannot be written is tried again.
  package func write(_ file: StateFile, _ lines: @autoclosure @escaping @Sendable () -> [String]) {
    let isIdle = queue.withLock { queue in
      queue.contents[file] = lines
      return !exchange(&queue.isWriting, with: true)
    }
    if isIdle { thread.async { [self] in writeAll() } }
  }

  /// Removes the files whose names begin with `prefix`, all but the newest `count` and the one named `name`.
  func remove(oldestOf prefix: String, but name: String, keeping count: Int) {
    let others = Directory.names(in: path).filter { $0.hasPrefix(prefix) && $0 != name }
    guard others.count > count else { return }
    let ages = others.map { name in ((try? Stat(location(of: name)))?.st_mtim.tv_sec ?? 0, name) }
    for (_, name) in ages.sorted(by: { $0 > $1 }).dropFirst(count) { unlink(location(of: name)) }
  }

  private func writeAll() {
    var failed: [StateFile: @Sendable () -> [String]] = [:]
    func next() -> (key: StateFile, value: @Sendable () -> [String])? {
      queue.withLock { queue in
        if let next = queue.contents.popFirst() { return next }
        queue.contents = failed
        queue.isWriting = false
        return nil
      }
    }
    while let (file, lines) = next() {
      do throws(RecordingError) {
        if queue.withLock({ $0.unread.remove(file) != nil }) { setAside(file, "could not be read") }
        try RecordingFile.replace(location(of: file.name), with: file.bytes(of: lines()), mode: 0o640)
        failed[file] = nil
      } catch {
        failed[file] = lines
        guard !queue.withLock({ exchange(&$0.hasFailed, with: true) }) else { continue }
        let cause = String(cString: strerror(error.code))
        log.error("cannot write \(location(of: file.name)): \(cause)", metadata: ["REASON": "state"])
      }
    }
    if !failed.isEmpty {
      if queue.withLock({ exchange(&$0.isRetryDue, with: true) }) { return }
      thread.asyncAfter(deadline: .now() + retry) { [weak self] in self?.writeAgain() }
    } else if queue.withLock({ exchange(&$0.hasFailed, with: false) }) {
      log.notice("\(path) can be written to again")
    }
  }

  /// Writes what failed, unless a later change did.
  private func writeAgain() {
    let isDue = queue.withLock { queue in
      queue.isRetryDue = false
      return !queue.contents.isEmpty && !exchange(&queue.isWriting, with: true)
    }
    if isDue { writeAll() }
  }

  private func location(of name: String) -> String { path + "/" + name }

  /// Returns when everything is on the disk, or has failed.
  package func stop() { thread.sync { writeAll() } }
}
