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

  private typealias Found = (files: [String], title: String, spool: Int32?)

  /// Finds the ride: `-` is standard input, then a file of that name, then a ride of the record directory.
  init(_ ride: String, directory: String?) throws(ExitCode) {
    let found = try Self.find(ride, in: directory)
    files = found.files
    title = found.title
    spool = found.spool
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
    CommandError.exit("\(error)", code: error.operation == .open ? EX_NOINPUT : EX_IOERR)
  }

  private static func find(_ ride: String, in directory: String?) throws(ExitCode) -> Found {
    if ride == "-" {
      var status = stat()
      if fstat(STDIN_FILENO, &status) == 0, status.st_mode & S_IFMT == S_IFREG {
        return (["/proc/self/fd/\(STDIN_FILENO)"], "standard input", nil)
      }
      let file = try spooled()
      return (["/proc/self/fd/\(file)"], "standard input", file)
    }
    if ride.contains("/") || access(ride, F_OK) == 0 { return ([ride], stem(ride), nil) }
    return (try files(of: ride, in: directory), ride, nil)
  }

  private static func files(of ride: String, in directory: String?) throws(ExitCode) -> [String] {
    let named = directory ?? getenv("HANDLEBAR_RECORD").map { String(cString: $0) }
    guard let named, !named.isEmpty else {
      throw CommandError.exit(
        "there is no file \(ride.printable); name one, or the directory of the ride with --rides DIR", code: EX_NOINPUT)
    }
    do throws(RecordingError) {
      let directory = try RideDirectory(existing: named)
      if let found = try directory.ride(named: ride) { return directory.files(of: found) }
    } catch {
      throw exit(error)
    }
    throw CommandError.exit(
      "there is no ride \(ride.printable) in \(named.printable), and no such file; look there for its name",
      code: EX_NOINPUT)
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
