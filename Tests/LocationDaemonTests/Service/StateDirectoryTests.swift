import Dispatch
import Glibc
import Libc
import Logging
import Recordings
import Synchronization
import Testing

@testable import LocationDaemon

@Suite("State directory", .timeLimit(.minutes(5)))
struct StateDirectoryTests {
  /// A log handler that keeps the messages.
  private struct Messages: LogHandler {
    final class Box: Sendable {
      let list = Mutex<[String]>([])
    }

    let box: Box
    var metadata = Logger.Metadata()
    var logLevel = Logger.Level.trace
    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }
    func log(event: LogEvent) { box.list.withLock { $0.append("\(event.message)") } }
  }

  private let scratch: ScratchDirectory
  private let box = Messages.Box()
  private let file = StateFile(name: "things", version: 1)
  private let content = "# handlebard things 1\none\ntwo\nend\n"

  init() throws { scratch = try ScratchDirectory() }

  private var messages: [String] { box.list.withLock { $0 } }

  /// Opens the directory, runs `body`, and waits for what that wrote.
  private func session<Result>(
    in path: String? = nil, retry: DispatchTimeInterval = .seconds(600), _ body: (StateDirectory) -> Result
  ) -> Result {
    let box = box
    let directory = StateDirectory(
      path: path ?? scratch.path, log: Logger(label: "test") { _ in Messages(box: box) }, retry: retry)
    defer { directory.stop() }
    return body(directory)
  }

  private func read() -> [String]? { session { directory in directory.read(file) { $0.map(String.init) } } }

  @Test func `What was written last is read after a restart, and only the owner and the group can read it`() throws {
    #expect(read() == nil)
    session { directory in
      for number in 0..<100 { directory.write(file, ["\(number)"]) }
      directory.write(file, ["one", "two"])
    }
    #expect(scratch.names == ["things"])
    #expect(scratch.read("things") == content)
    #expect(read() == ["one", "two"])
    session { $0.write(file, []) }
    #expect(read() == [])
    var status = stat()
    #expect(stat(scratch / "things", &status) == 0 && status.st_mode & 0o027 == 0)
    #expect(messages.isEmpty)
  }

  @Test(arguments: [
    "", "# handlebard things 1\none\ntwo\nen", "# handlebard things 1\none\n", "# handlebard things 2\none\nend\n",
    "# handlebard others 1\none\nend\n", "one\nend\n", "\u{0}\u{0}\u{0}\u{0}", "# handlebard things 1\nbad\nend\n",
    String(repeating: "x", count: StateFile(name: "things", version: 1).limit + 1),
  ])
  func `A partial, damaged or huge file, or one of another version, is set aside`(text: String) throws {
    try scratch.write(text, to: "things")
    let lines = session { directory in directory.read(file) { $0 == ["bad"] ? nil : $0.map(String.init) } }
    #expect(lines == nil)
    #expect(scratch.names == ["things.damaged"])
    #expect(scratch.read("things.damaged") == text)
    #expect(messages.count == 1 && messages.allSatisfy { $0.contains("renamed to things.damaged") })
    session { $0.write(file, ["one", "two"]) }
    #expect(read() == ["one", "two"])
  }

  @Test func `Bytes that are not text are damage`() throws {
    try scratch.write(Array("# handlebard things 1\n".utf8) + [0xFF, 0x0A] + Array("end\n".utf8), to: "things")
    #expect(read() == nil)
    #expect(scratch.names == ["things.damaged"])
  }

  @Test func `A planted link is neither read nor written through`() throws {
    try scratch.write(content, to: "elsewhere")
    try scratch.link("things", to: "elsewhere")
    #expect(read() == nil)
    #expect(scratch.names == ["elsewhere", "things.damaged"])
    try scratch.link("things", to: "elsewhere")
    session { $0.write(file, ["three"]) }
    #expect(scratch.read("elsewhere") == content)
    #expect(read() == ["three"])
  }

  @Test func `A pipe is not waited for`() throws {
    #expect(mkfifo(scratch / "things", 0o600) == 0)
    #expect(read() == nil)
    #expect(scratch.names == ["things.damaged"])
  }

  @Test func `What a power cut left of a write is removed`() throws {
    try scratch.write("# handle", to: ".handlebar-1f")
    try scratch.write(content, to: "things")
    #expect(read() == ["one", "two"])
    #expect(scratch.names == ["things"])
  }

  @Test func `A failure is logged once, and what failed is written when it is possible again`() throws {
    let other = StateFile(name: "others", version: 1)
    // Also root cannot replace a directory by a file.
    #expect(mkdir(scratch / "things", 0o700) == 0)
    session { directory in
      directory.write(file, ["one"])
      directory.write(file, ["one", "two"])
    }
    #expect(messages.count == 1 && messages[0].hasPrefix("cannot write \(scratch / "things"): "))
    session { directory in
      directory.write(file, ["one", "two"])
      while messages.count < 2 { usleep(1000) }
      rmdir(scratch / "things")
      directory.write(other, [])
    }
    #expect(messages.count == 3 && messages[2].hasSuffix("can be written to again"))
    #expect(scratch.read("things") == content)
    #expect(scratch.names == ["others", "things"])
  }

  @Test func `What failed is written when there is room, without another change`() throws {
    #expect(mkdir(scratch / "things", 0o700) == 0)
    session(retry: .milliseconds(1)) { directory in
      directory.write(file, ["one", "two"])
      while messages.isEmpty { usleep(1000) }
      rmdir(scratch / "things")
      while messages.count < 2 { usleep(1000) }
    }
    #expect(messages.count == 2 && messages[1].hasSuffix("can be written to again"))
    #expect(scratch.read("things") == content)
  }

  @Test func `What cannot be written does not keep another file waiting`() throws {
    #expect(mkdir(scratch / "things", 0o700) == 0)
    session { directory in
      directory.write(file, ["one"])
      while messages.isEmpty { usleep(1000) }
      directory.write(StateFile(name: "others", version: 1), [])
      while !scratch.names.contains("others") { usleep(1000) }
    }
    #expect(messages.count == 1)
  }

  /// As root every file can be read, but for one in which a process has a lease: opening it without waiting fails.
  @Test func `A file that cannot be read stays, and is set aside by the next change`() throws {
    try scratch.write(content, to: "things")
    let holder = open(scratch / "things", O_RDWR | O_CLOEXEC)
    defer { close(holder) }
    // F_SETLEASE (fcntl(2)), which glibc declares only with GNU extensions. The signal of a broken lease is ignored.
    let setLease: CInt = 1024
    signal(SIGIO, SIG_IGN)
    // Not while a child that another test is starting has the file open: until it executes its program.
    _ = try until("the lease") { fcntl(holder, setLease, F_WRLCK) == 0 ? true : nil }
    session { directory in
      #expect(directory.read(file) { $0.map(String.init) } == nil)
      #expect(scratch.names == ["things"] && messages.count == 1 && messages[0].hasPrefix("cannot read "))
      _ = fcntl(holder, setLease, F_UNLCK)
      directory.write(file, ["three"])
    }
    #expect(scratch.names == ["things", "things.damaged"])
    #expect(scratch.read("things.damaged") == content)
    #expect(read() == ["three"])
  }

  @Test func `Of files with a common name only the newest are kept`() throws {
    for number in 0..<5 {
      try scratch.write("", to: "thing-\(number)")
      var times = [timeval(tv_sec: 1000 + number, tv_usec: 0), timeval(tv_sec: 1000 + number, tv_usec: 0)]
      utimes(scratch / "thing-\(number)", &times)
    }
    try scratch.write("", to: "things")
    session { $0.remove(oldestOf: "thing-", but: "thing-0", keeping: 2) }
    #expect(Set(scratch.names) == ["thing-0", "thing-3", "thing-4", "things"])
  }

  @Test func `A directory that does not exist is created, and one that cannot be is logged once`() throws {
    let path = scratch / "state"
    session(in: path) { $0.write(file, []) }
    #expect(Directory.names(in: path) == ["things"])
    unlink(path + "/things")
    rmdir(path)
    session(in: scratch / "a/b") { directory in
      #expect(directory.read(file) { $0 } == nil)
      directory.write(file, [])
    }
    #expect(messages.count == 1)
  }
}
