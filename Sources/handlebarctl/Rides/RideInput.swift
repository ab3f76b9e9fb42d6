import ArgumentParser
import Glibc
import Recordings
import SystemPackage

/// The files of the ride that a command names, which may be read more than once.
struct RideInput: ~Copyable {
  /// Its files, in order.
  let files: [String]
  /// Its name for people.
  let title: String
  /// Copy of a pipe's data, an unnamed file.
  private let spool: FileDescriptor?
  /// Whether the user named the file, which may then be a link.
  private let isNamed: Bool

  /// A file or standard input (`-`); `nil` when there is no file of that name.
  init?(file ride: String) throws(ExitCode) {
    if ride == "-" {
      self = try Self.standardInput()
    } else if ride.contains("/") || access(ride, F_OK) == 0 {
      self.init(files: [ride], title: Self.stem(ride), isNamed: true)
    } else {
      return nil
    }
  }

  /// A recorded ride.
  init(_ ride: Ride, in directory: RideDirectory) {
    self.init(files: directory.files(of: ride), title: ride.name.stem, isNamed: false)
  }

  private init(files: [String], title: String, spool: FileDescriptor? = nil, isNamed: Bool) {
    self.files = files
    self.title = title
    self.spool = spool
    self.isNamed = isNamed
  }

  deinit {
    try? spool?.close()
  }

  /// A reader at its start; an error ends the command.
  func reader() throws(ExitCode) -> RideReader {
    do throws(RecordingError) {
      return try RideReader(files: files, followsLinks: isNamed)
    } catch {
      throw Self.exit(error)
    }
  }

  /// Prints the line of an error; returns its exit code.
  static func exit(_ error: RecordingError) -> ExitCode {
    let code =
      [RecordingError.unknownFormat, RecordingError.tooLong].contains(error.code)
      ? EX_DATAERR : error.operation == .open ? EX_NOINPUT : EX_IOERR
    return CommandError.exit("\(error)", code: code)
  }

  private static func standardInput() throws(ExitCode) -> RideInput {
    var status = stat()
    let isFile = fstat(STDIN_FILENO, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    let spool = isFile ? nil : try spooled()
    return RideInput(
      files: ["/proc/self/fd/\((spool ?? .standardInput).rawValue)"], title: "standard input", spool: spool,
      isNamed: true)
  }

  /// Standard input as an unnamed file, since some commands read a ride twice.
  private static func spooled() throws(ExitCode) -> FileDescriptor {
    let directory = Environment["TMPDIR"] ?? "/tmp"
    var template = Array("\(directory)/handlebarctl-XXXXXX".utf8CString)
    let number = mkstemp(&template)
    guard number >= 0 else { throw exit(RecordingError(.create, "a temporary file in \(directory)", code: errno)) }
    unlink(template)
    _ = fcntl(number, F_SETFD, FD_CLOEXEC)
    let file = FileDescriptor(rawValue: number)
    var piece = [UInt8](repeating: 0, count: 65_536)
    var operation = RecordingError.Operation.read
    do {
      while true {
        operation = .read
        let count = try piece.withUnsafeMutableBytes { try FileDescriptor.standardInput.read(into: $0) }
        if count == 0 { return file }
        operation = .write
        try file.writeAll(piece[..<count])
      }
    } catch {
      try? file.close()
      throw exit(RecordingError(operation, "standard input", code: (error as? Errno)?.rawValue ?? EIO))
    }
  }

  private static func stem(_ path: String) -> String {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return name }
    return String(name[..<dot])
  }
}
