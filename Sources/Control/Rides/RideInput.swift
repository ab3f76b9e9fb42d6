import ArgumentParser
import Glibc
import Recordings
import RideTools
import SystemPackage

/// The files of the ride that a command names, which may be read more than once.
struct RideInput: ~Copyable {
  let files: [String]
  let title: String
  /// Copy of a pipe's data, an unnamed file.
  private var spool: FileDescriptor?
  /// Whether the user named the file, which may then be a link.
  private let isNamed: Bool

  deinit { try? spool?.close() }
}

extension RideInput {
  /// A file or standard input (`-`); `nil` when there is no file of that name.
  init?(file ride: String) throws(ExitCode) {
    if ride == "-" {
      self = try Self.standardInput()
    } else if ride.contains("/") || access(ride, F_OK) == 0 {
      self.init(files: [ride], title: FilePath(ride).stem ?? ride, isNamed: true)
    } else {
      return nil
    }
  }

  init(_ ride: Ride, in directory: RideDirectory) {
    self.init(files: directory.files(of: ride), title: ride.name.stem, isNamed: false)
  }

  var bytes: Int {
    files.reduce(0) { sum, path in sum + Int((try? Stat(path))?.size ?? 0) }
  }

  /// Reads it from start to end; returns the number of damaged places. A command that reads it twice reports them once.
  @discardableResult
  func read(
    _ privacy: PrivacyFilter? = nil, _ stops: StopFilter? = nil, reportsDamage: Bool = true,
    _ body: (RideMoment) throws -> Void
  ) throws -> Int {
    var (privacy, stops) = (privacy, stops)
    func pass(_ moment: RideMoment) throws {
      if stops == nil { try body(moment) } else { try stops?.filter(moment, body) }
    }
    var reader = try CommandError.exiting { () throws(RecordingError) in
      try RideReader(files: files, followsLinks: isNamed)
    }
    var progress = ReadingProgress()
    var moments = 0
    defer { progress.end() }
    while try CommandError.exiting({ () throws(RecordingError) in try reader.advance() }) {
      for index in reader.moments.indices {
        if privacy == nil { try pass(reader.moments[index]) } else { try privacy?.filter(reader.moments[index], pass) }
      }
      moments += reader.moments.count
      progress.report("\(moments) fixes")
    }
    try stops?.finish(body)
    if reportsDamage {
      progress.end()
      let repeated = reader.damage.repeatedPoints
      for (count, one, more, what) in [
        (reader.damage.total - repeated, "damaged place", "damaged places", "of the recording skipped"),
        (repeated, "point", "points", "left out that the file repeats"),
        (Int(clamping: reader.outOfOrder), "fix", "fixes", "left out whose time runs backwards"),
        (Int(clamping: reader.clockSteps), "place", "places", "where the time runs backwards, and the ride goes on"),
      ] where count > 0 {
        StandardError.say("\(count) \(count == 1 ? one : more) \(what)")
      }
    }
    return reader.damage.total
  }

  func withoutFix(named ride: String) -> ExitCode {
    CommandError.exit(
      "\(title.printable) has no fix; show its contents: handlebarctl decode \(ride.printable)", code: EX_DATAERR)
  }

  private static func standardInput() throws(ExitCode) -> RideInput {
    let isFile = (try? FileDescriptor.standardInput.stat())?.type == .regular
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
    guard number >= 0 else {
      let error = RecordingError(.create, "a temporary file in \(directory)", code: errno)
      throw CommandError.exit("\(error)", code: EX_IOERR)
    }
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
      throw CommandError.exit(RecordingError(operation, "standard input", code: (error as? Errno)?.rawValue ?? EIO))
    }
  }
}
