import Glibc
import Libc
import LocationCore
import Logging
import SystemPackage

/// A directory of assistance files, `NAME.ubx`, which the user supplies.
enum AssistanceDirectory {
  private static let maximumCount = 16
  /// Most bytes of all files: orbits for five weeks have 300,000.
  private static let maximumSize = 1 << 20

  /// The messages for a moment. What is not sent is logged.
  static func messages(in directory: String, at utc: UTCInstant, log: Logger) -> [[UInt8]] {
    let names = Directory.names(in: directory).filter { $0.hasSuffix(".ubx") }.sorted()
    if names.isEmpty { log.warning("\(directory) has no assistance files; put files NAME.ubx there") }
    if names.count > maximumCount { log.warning("\(directory): only the first \(maximumCount) files are read") }
    var messages: [[UInt8]] = []
    var rest = maximumSize
    for path in names.prefix(maximumCount).map({ "\(directory)/\($0)" }) {
      guard let file = read(path, &rest, log) else { continue }
      if file.others > 0 || file.damaged > 0 {
        let unsent = "\(file.others) other messages and \(file.damaged) damaged bytes"
        log.warning("\(path): \(unsent) are not sent, only orbits are")
      }
      let current = file.messages(at: utc)
      if current.isEmpty { log.warning("\(path) has no orbits for today; download it again") }
      messages += current
    }
    return messages
  }

  private static func read(_ path: String, _ rest: inout Int, _ log: Logger) -> AssistanceFile? {
    func refuse(_ reason: String) -> AssistanceFile? {
      log.warning("\(path): \(reason)")
      return nil
    }
    guard let status = try? Stat(path), status.type == .regular else { return refuse("not a file; it is not sent") }
    guard status.size <= rest else {
      return refuse("\(rest < maximumSize ? "makes the files larger" : "larger") than 1 MiB; it is not sent")
    }
    guard let bytes = try? FileDescriptor.contents(of: path, limit: rest) else {
      return refuse("cannot be read; let the daemon's user read it: chmod o+r \(path)")
    }
    rest -= bytes.count
    let modified = UTCInstant(nanosecondsSince1970: Int64(status.st_mtim.tv_sec) * 1_000_000_000)
    let file = AssistanceFile(bytes, modified: modified)
    return file.isEmpty ? refuse("no UBX-MGA messages with orbits; it is not sent") : file
  }
}
