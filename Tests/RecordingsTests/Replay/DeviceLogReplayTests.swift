import Glibc
import LocationCore
import Testing

@testable import Recordings

/// Real receivers' logs, where they are at hand: `../shared` beside the checkout, or `HANDLEBAR_SHARED`.
struct SharedLogTests {
  private static let files: [String] = {
    var roots: [String] = []
    if let override = getenv("HANDLEBAR_SHARED") { roots.append(String(cString: override)) }
    var parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
    while parts.popLast() != nil { roots.append(parts.joined(separator: "/") + "/shared") }
    for root in roots {
      let files = ["logs", "rides"].flatMap { folder in
        names(in: "\(root)/\(folder)").map { "\(root)/\(folder)/\($0)" }
      }
      if !files.isEmpty { return files.sorted() }
    }
    return []
  }()

  private static func names(in folder: String) -> [String] {
    guard let stream = opendir(folder) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if name.hasSuffix(".log") || name.hasSuffix(".nmea") { names.append(name) }
    }
    return names
  }

  @Test(
    "Every byte except comments is replayed, epoch by epoch",
    .enabled(if: !files.isEmpty, "the shared logs are not beside the checkout"), arguments: files)
  func everyByteExceptCommentsReplayedEpoch(file: String) throws {
    var lines: [UInt8] = []
    var reader = try RecordingReader(path: file)
    var times: Set<Int64> = []
    var decoder = NMEADecoder(checksums: .accept)
    while let item = try reader.next() {
      guard case .burst(let burst) = item else { continue }
      lines += burst.bytes
      burst.bytes.withUnsafeBytes { bytes in
        decoder.decode(bytes) { event in
          guard case .sentence(let sentence) = event.payload else { return }
          let time: TimeOfDay? =
            switch sentence {
            case .rmc(let rmc): rmc.time
            case .gga(let gga): gga.time
            case .gll(let gll): gll.time
            case .gns(let gns): gns.time
            case .zda(let zda): zda.time
            default: nil
            }
          if let time { times.insert(time.nanoseconds) }
        }
      }
    }
    var schedule = try ReplaySchedule(files: [file], speed: .times(1), loop: false)
    var replayed: [UInt8] = []
    var bursts = 0
    var offset = Duration.zero
    while let item = try schedule.next() {
      #expect(item.offset >= offset)
      offset = item.offset
      guard case .burst(let burst) = item.content else { continue }
      replayed += burst.bytes
      bursts += 1
    }
    #expect(replayed == lines)
    #expect(schedule.damage.total == 0)
    // Some times differ by less than epochs do, some epochs have none, and some logs begin again.
    #expect(bursts >= times.count / 2)
    #expect(bursts <= times.count * 3 / 2 + 3)
  }
}
