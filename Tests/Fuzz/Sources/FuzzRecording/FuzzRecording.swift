import CLibFuzzer
import Glibc
import LocationCore
import Recordings

/// Feeds what libFuzzer invents to the recording reader, whole and cut in two: both must tell the same items.
///
/// What is told stays within its bounds, recorded time never steps back, and no byte is handed out twice.
@main
enum FuzzRecording {
  static func main() {
    var count = CommandLine.argc
    var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
    exit(
      LLVMFuzzerRunDriver(&count, &arguments) { start, count in
        guard count > 1 else { return 0 }
        let bytes = Array(UnsafeBufferPointer(start: start, count: count))
        // The first two bytes say where to cut the others.
        let input = Array(bytes.dropFirst(2))
        let cut = min(Int(bytes[0]) << 8 | Int(bytes[1]), input.count)
        let items = FuzzRecording.items(of: [input])
        precondition(items == FuzzRecording.items(of: [Array(input[..<cut]), Array(input[cut...])]))
        FuzzRecording.check(items, size: input.count)
        return 0
      })
  }

  static func items(of pieces: [[UInt8]]) -> [RecordingItem] {
    var decoder = RecordingDecoder()
    var items: [RecordingItem] = []
    for piece in pieces {
      piece.withUnsafeBufferPointer { decoder.feed($0) }
      while let item = decoder.next() { items.append(item) }
    }
    decoder.end()
    while let item = decoder.next() { items.append(item) }
    return items
  }

  static func check(_ items: [RecordingItem], size: Int) {
    var time = RecordedTime()
    var timed: [RecordedTime.Item] = []
    var told = 0
    for item in items {
      switch item {
      case .burst(let burst):
        precondition(burst.bytes.count <= RecordingDecoder.maximumBurst)
        told += burst.bytes.count
      case .header(let header): precondition(header.fields.count <= RecordingHeader.maximumFields)
      case .event(let event): told += event.json.count
      case .damage: break
      }
      time.take(item, into: &timed)
    }
    time.flush(into: &timed)
    precondition(told <= size)
    precondition(zip(timed, timed.dropFirst()).allSatisfy { $0.position <= $1.position }, "recorded time stepped back")
  }
}
