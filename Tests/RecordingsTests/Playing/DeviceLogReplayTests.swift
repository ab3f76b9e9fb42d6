import Glibc
import LocationCore
import Testing

@testable import Recordings

/// Logs and drives of real receivers, which are not part of the project: the folders that `LOGS` and `RIDES` name.
struct DeviceLogReplayTests {
  private static let files = ["LOGS", "RIDES"].flatMap(paths).sorted()

  private static func paths(ofFolderIn variable: String) -> [String] {
    guard let folder = getenv(variable), let stream = opendir(folder) else { return [] }
    defer { closedir(stream) }
    var paths: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if name.hasSuffix(".log") || name.hasSuffix(".nmea") { paths.append("\(String(cString: folder))/\(name)") }
    }
    return paths
  }

  @Test(.enabled(if: !files.isEmpty, "LOGS and RIDES name no folder with receivers' logs"), arguments: files)
  func `Every byte except comments is replayed, epoch by epoch`(file: String) throws {
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
    var items = try ReplayedItems([file])
    var replayed: [UInt8] = []
    var bursts = 0
    var offset = Duration.zero
    while let item = try items.next() {
      #expect(item.offset >= offset)
      offset = item.offset
      guard let bytes = item.bytes else { continue }
      replayed += bytes
      bursts += 1
    }
    #expect(replayed == lines)
    #expect(items.replay.damage.total == 0)
    // Some times differ by less than epochs do, some epochs have none, and some logs begin again.
    #expect(bursts >= times.count / 2)
    #expect(bursts <= times.count * 3 / 2 + 3)
  }
}
