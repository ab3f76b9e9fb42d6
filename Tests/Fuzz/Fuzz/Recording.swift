import LocationCore
import Recordings

/// The recording reader on arbitrary bytes, whole and cut in two: both must give the same items.
///
/// Items stay within their bounds, recorded time never steps back, and no byte is handed out twice. The first two bytes are
/// the position of the cut.
enum RecordingTarget {
  static func run(_ bytes: UnsafeRawBufferPointer) -> Int32 {
    guard bytes.count > 1 else { return 0 }
    let input = Array(bytes.dropFirst(2))
    let cut = min(Int(bytes[0]) << 8 | Int(bytes[1]), input.count)
    let items = Self.items(of: [input])
    precondition(items == Self.items(of: [Array(input[..<cut]), Array(input[cut...])]))
    check(items, size: input.count)
    return 0
  }

  private static func items(of pieces: [[UInt8]]) -> [RecordingItem] {
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

  private static func check(_ items: [RecordingItem], size: Int) {
    var count = 0
    for item in items {
      switch item {
      case .burst(let burst):
        precondition(burst.bytes.count <= RecordingDecoder.maximumBurst)
        count += burst.bytes.count
      case .header(let header): precondition(header.fields.count <= RecordingHeader.maximumFields)
      case .event(let event): count += event.json.count
      case .damage: break
      }
    }
    precondition(count <= size)
    _ = played(items)
  }

  /// The inputs of the items at their recorded times, which never step back.
  static func played(_ items: [RecordingItem]) -> [RecordedInput] {
    var player = RecordingPlayer()
    for item in items { player.take(item) }
    player.finish()
    precondition(
      zip(player.inputs, player.inputs.dropFirst()).allSatisfy { $0.instant <= $1.instant },
      "recorded time stepped back")
    return player.inputs
  }
}

/// The readers of every form that can be replayed, whole and in pieces of one size: both must give the same items.
///
/// Reports hold values in their ranges. The first byte is the size of the pieces less one.
enum ReplayTarget {
  static func run(_ bytes: UnsafeRawBufferPointer) -> Int32 {
    guard let piece = bytes.first else { return 0 }
    let file = Array(bytes.dropFirst())
    let whole = items(of: file, piece: max(file.count, 1))
    precondition(items(of: file, piece: Int(piece) + 1) == whole, "the size of the pieces changes what is read")
    for input in RecordingTarget.played(whole) {
      guard case .report(.position(let position), _) = input.content, let fix = position.fix else { continue }
      EpochWitness.check(fix)
    }
    return 0
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
}
