import ArgumentParser
import Glibc
import Recordings

/// The files of a ride that was named on the command line, open to be read as often as need be.
struct RideInput: ~Copyable {
  /// Its files, in order.
  let files: [String]
  /// What it is called.
  let title: String
  /// What stands in for a pipe; a file without a name.
  private let spool: Int32?

  /// A file or standard input (`-`); `nil` when there is no file of that name, so that it must be a ride's.
  init?(file ride: String) throws(ExitCode) {
    if ride == "-" {
      self = try Self.standardInput()
    } else if ride.contains("/") || access(ride, F_OK) == 0 {
      self.init(files: [ride], title: Self.stem(ride), spool: nil)
    } else {
      return nil
    }
  }

  /// A recorded ride.
  init(_ ride: Ride, in directory: RideDirectory) {
    self.init(files: directory.files(of: ride), title: ride.name.stem, spool: nil)
  }

  private init(files: [String], title: String, spool: Int32?) {
    self.files = files
    self.title = title
    self.spool = spool
  }

  deinit {
    if let spool { close(spool) }
  }

  /// Reads it from its beginning; what cannot be read ends the command.
  func reader() throws(ExitCode) -> RideReader {
    do throws(RecordingError) {
      return try RideReader(files: files)
    } catch {
      throw Self.exit(error)
    }
  }

  /// The error's line, and its exit code.
  static func exit(_ error: RecordingError) -> ExitCode {
    let code =
      error.code == RecordingError.unknownFormat ? EX_DATAERR : error.operation == .open ? EX_NOINPUT : EX_IOERR
    return CommandError.exit("\(error)", code: code)
  }

  private static func standardInput() throws(ExitCode) -> RideInput {
    var status = stat()
    let isFile = fstat(STDIN_FILENO, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    let spool = isFile ? nil : try spooled()
    return RideInput(files: ["/proc/self/fd/\(spool ?? STDIN_FILENO)"], title: "standard input", spool: spool)
  }

  /// Standard input as a file: it is read twice where what stands first is known last.
  private static func spooled() throws(ExitCode) -> Int32 {
    let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(folder)/handlebarctl-XXXXXX".utf8CString)
    let file = mkstemp(&template)
    guard file >= 0 else { throw exit(RecordingError(.create, "a temporary file in \(folder)", code: errno)) }
    unlink(template)
    _ = fcntl(file, F_SETFD, FD_CLOEXEC)
    var piece = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(STDIN_FILENO, &piece, piece.count)
      if count == 0 { return file }
      if count < 0, errno == EINTR { continue }
      var code = count < 0 ? errno : 0
      if count > 0, write(file, piece, count) != count { code = errno == 0 ? ENOSPC : errno }
      guard code == 0 else {
        close(file)
        throw exit(RecordingError(count < 0 ? .read : .write, "standard input", code: code))
      }
    }
  }

  private static func stem(_ path: String) -> String {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return name }
    return String(name[..<dot])
  }
}
