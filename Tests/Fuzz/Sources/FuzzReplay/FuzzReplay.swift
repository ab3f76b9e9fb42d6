import CLibFuzzer
import GPSDProtocol
import Glibc
import LocationCore
import Recordings

/// Feeds what libFuzzer invents to the readers of every form that can be replayed.
///
/// Nothing may trap or hold memory, pieces of any size must give the same, positions in a recording may not step back, and
/// what a report tells must be in its range.
@main
enum FuzzReplay {
  static func main() {
    var count = CommandLine.argc
    var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
    exit(
      LLVMFuzzerRunDriver(&count, &arguments) { start, count in
        FuzzReplay.play(Array(UnsafeRawBufferPointer(start: start, count: count)))
        return 0
      })
  }

  static func play(_ input: [UInt8]) {
    guard let piece = input.first else { return }
    let file = Array(input.dropFirst())
    let whole = items(of: file, piece: max(file.count, 1))
    precondition(items(of: file, piece: Int(piece) + 1) == whole, "pieces change what is read")
    var time = RecordedTime()
    var timed: [RecordedTime.Item] = []
    for item in whole { time.take(item, into: &timed) }
    time.flush(into: &timed)
    var position = Duration.zero
    for item in timed {
      precondition(item.position >= position, "time goes back")
      position = item.position
      guard case .burst(let burst) = item.content else { continue }
      for line in burst.bytes.split(separator: UInt8(ascii: "\n")) { check(line) }
    }
  }

  private static func items(of file: [UInt8], piece: Int) -> [RecordingItem] {
    var decoder = InputDecoder()
    var items: [RecordingItem] = []
    var rest = file[...]
    while !rest.isEmpty {
      rest.prefix(piece).withUnsafeBufferPointer { decoder.feed($0) }
      rest = rest.dropFirst(piece)
      while let item = decoder.next() { items.append(item) }
    }
    decoder.end()
    while let item = decoder.next() { items.append(item) }
    return items
  }

  private static func check(_ line: ArraySlice<UInt8>) {
    let report = line.withUnsafeBufferPointer { GPSDReport(line: $0, at: .zero) }
    guard case .position(let position) = report, let fix = position.fix else { return }
    precondition((-90...90).contains(fix.position.latitude) && (-180...180).contains(fix.position.longitude))
    for value in [fix.horizontalAccuracy, fix.verticalAccuracy, fix.speed, fix.speedAccuracy] {
      precondition(value.map { $0.isFinite && $0 >= 0 } ?? true)
    }
    precondition(fix.course.map { (0..<360).contains($0) } ?? true)
  }
}
