import GPSDProtocol
import LocationCore

/// A replay: the inputs of one or several files in order, each with its time, once or in a loop. In a loop the next
/// pass begins after the next whole second, and its measured times are shifted by whole seconds
/// (``RecordedInput/Content/shift(_:)``): by the duration of the pass, or by the span of its measured times if that is
/// more, so that measured times never step back. Seeking back, and a file measured before its predecessor, shift in the
/// same way. The caller waits until an input is due.
package struct RecordingReplay: ~Copyable, Sendable {
  package struct Item: Sendable {
    /// The input. Its instant, the time since the start at speed 1, never steps back, even over loops and seeks.
    package var input: RecordedInput
    /// Time since the recording's first stamp.
    package let position: Duration
    /// Number of completed passes.
    package let pass: Int
    package let file: Int

    package init(_ input: RecordedInput, position: Duration, pass: Int, file: Int = 0) {
      self.input = input
      self.position = position
      self.pass = pass
      self.file = file
    }
  }

  /// Lead-in of a seek, before its target: gives the receiver the date, the order of sentences and the target's epoch.
  package static let leadIn = Duration.seconds(3)
  /// Times further back than this belong to another measurement; receivers send some sentences late.
  private static let lateness = Duration.seconds(2)

  /// The latest published measured time, shifted; set at full speed, where the replay does not decode its inputs.
  package var published: UTCInstant?
  private var files: RecordedFiles
  private let isLooped: Bool
  /// Whether all bytes are decoded for their measured times.
  private let observes: Bool
  private var pass = 0
  private var file = 0
  /// Offset of this pass's position 0.
  private var base: Duration = .zero
  private var offset: Duration = .zero
  private var shift: Duration = .zero
  /// The shift that was passed on; `nil` after a seek.
  private var passedShift: Duration? = .zero
  private var span = MeasuredSpan()
  /// The latest measured time of the inputs so far, shifted.
  private var latestMeasured: UTCInstant?
  /// Position of the newest input, played or skipped.
  package private(set) var position: Duration = .zero
  private var hasBegun = false
  private var passIsEmpty = true
  private var settling: Settling?
  /// The input that follows those that it brings about.
  private var pending: Item?
  private var skippedFile = 0
  package var soughtFile: Int { files.file }

  /// A shift that the first measured time after a border decides.
  private struct Settling {
    /// Whether a new measurement certainly begins.
    var isCut: Bool
    var span = MeasuredSpan()
  }

  /// Opens the files. A replay that does not observe its inputs takes what is ``published``.
  package init(files: [String], loop: Bool = false, observes: Bool = true) throws(RecordingError) {
    let files = try RecordedFiles(files: files)
    self.init(files, isLooped: loop, observes: observes)
  }

  // Swift 6.2 destroys properties with a default value twice when an initializer throws.
  private init(_ files: consuming RecordedFiles, isLooped: Bool, observes: Bool) {
    self.files = files
    self.isLooped = isLooped
    self.observes = observes
  }

  package var damage: RecordingDamageCounts { files.damage }

  /// The next input; `nil` at the end of the replay.
  package mutating func next() throws(RecordingError) -> Item? {
    if let item = pending {
      pending = nil
      return passOn(item)
    }
    var next = try files.take()
    if next == nil, isLooped, !passIsEmpty {
      try beginPass()
      next = try files.take()
    }
    guard var input = next else { return nil }
    position = input.instant - .zero
    offset = max(offset, base + position)
    input.instant = .zero + offset
    if files.file != file {
      file = files.file
      if settling == nil { settling = Settling(isCut: false) }
    }
    let item = Item(input, position: position, pass: pass, file: file)
    switch input.content {
    case .begin:
      if hasBegun { cut() }
      hasBegun = true
      return item
    case .restart: cut()
    case .bytes, .report:
      passIsEmpty = false
      let beginsMeasurement = settle(input.content)
      if observes {
        span.observe(input.content)
        if let last = span.last { latestMeasured = max(latestMeasured ?? last + shift, last + shift) }
      }
      if beginsMeasurement {
        pending = item
        return Item(RecordedInput(.restart, at: input.instant), position: position, pass: pass, file: file)
      }
    case .end, .gap, .shift: break
    default: passIsEmpty = false
    }
    return passOn(item)
  }

  /// The item, or before it the shift of its measured times.
  private mutating func passOn(_ item: Item) -> Item {
    guard shift != passedShift else { return item }
    passedShift = shift
    pending = item
    let input = RecordedInput(.shift(shift), at: item.input.instant)
    return Item(input, position: item.position, pass: item.pass, file: item.file)
  }

  /// Begins a seek; there are no inputs until ``continueSeek(to:atMost:at:leadingIn:)`` has returned true.
  package mutating func beginSeek(to target: Duration) throws(RecordingError) {
    pending = nil
    passedShift = nil
    if target <= position + Self.leadIn {
      try files.rewind()
      span = MeasuredSpan()
      position = .zero
    } else {
      // The newest one may not have been played.
      files.untake()
    }
    cut()
  }

  /// Reads so many further inputs; returns whether the target or the end is reached. Calls `body` with the lead-in, at
  /// instants up to `reached`, the current offset of the replay's clock; that is not before the newest played input.
  /// Other inputs in between are skipped. Beyond the end the replay is over, or loops.
  package mutating func continueSeek(
    to target: Duration, atMost count: Int, at reached: Duration, leadingIn body: (RecordedInput) -> Void = { _ in }
  ) throws(RecordingError) -> Bool {
    for _ in 0..<count {
      guard var input = try files.take() else {
        begin(position, at: reached)
        return true
      }
      position = input.instant - .zero
      input.instant = .zero + (reached - (target - position))
      if files.file != skippedFile {
        skippedFile = files.file
        body(RecordedInput(.restart, at: input.instant))
      }
      guard position < target else {
        files.untake()
        file = skippedFile
        begin(target, at: reached)
        return true
      }
      switch input.content {
      case .begin, .restart:
        hasBegun = true
        body(input)
      case .bytes, .report, .gap:
        passIsEmpty = false
        if observes { span.observe(input.content) }
        if target - position <= Self.leadIn { body(input) }
      default: break
      }
    }
    return false
  }

  /// Continues at a position and an offset, regardless of an input that was returned but not played.
  private mutating func begin(_ position: Duration, at reached: Duration) {
    offset = reached
    base = reached - position
  }

  private mutating func beginPass() throws(RecordingError) {
    let length = Self.wholeSeconds(above: position + .milliseconds(100))
    var measured = Duration.zero
    if let earliest = span.earliest, let latest = span.latest { measured = Self.wholeSeconds(above: latest - earliest) }
    try files.rewind()
    pass += 1
    base += length
    shift += max(length, measured)
    span = MeasuredSpan()
    passIsEmpty = true
    file = 0
    cut()
  }

  /// Lets the next measured time decide the shift: a new measurement begins.
  private mutating func cut() { settling = Settling(isCut: true) }

  /// Shifts the measured times after a border to follow those before it; returns whether another measurement begins.
  private mutating func settle(_ content: RecordedInput.Content) -> Bool {
    guard var border = settling else { return false }
    border.span.observe(content)
    settling = border
    guard let first = border.span.earliest else { return false }
    settling = nil
    // Published times lag by the epoch that is still open.
    guard let latest = latestMeasured ?? published.map({ $0 + Self.lateness }) else { return false }
    let missing = latest - (first + shift)
    guard missing >= (border.isCut ? .zero : Self.lateness) else { return false }
    shift += Self.wholeSeconds(above: missing)
    return !border.isCut
  }

  /// The smallest whole number of seconds above a duration.
  private static func wholeSeconds(above duration: Duration) -> Duration { .seconds(duration.components.seconds + 1) }
}

struct MeasuredSpan: Sendable {
  /// The earliest, the latest and the newest time of this pass, as recorded.
  private(set) var earliest: UTCInstant?
  private(set) var latest: UTCInstant?
  private(set) var last: UTCInstant?
  private var decoder = NMEADecoder(checksums: .accept)
  private var hasRMC = false

  /// Adds the dates with times of an input: of valid RMC, of ZDA if there is no RMC, of UBX, and of gpsd's `TPV`.
  mutating func observe(_ content: RecordedInput.Content) {
    switch content {
    case .bytes(let bytes): observe(bytes)
    case .report(.position(let position), _): if position.fix != nil, let time = position.time { add(time) }
    default: break
    }
  }

  private mutating func observe(_ bytes: [UInt8]) {
    var times: [UTCInstant] = []
    func take(_ date: CalendarDate?, _ time: TimeOfDay?) {
      if let date, let time, let instant = UTCInstant(date: date, time: time) { times.append(instant) }
    }
    bytes.withUnsafeBytes { bytes in
      decoder.decode(bytes) { event in
        if case .ubx = event.payload, let time = UBXFrame(event.raw)?.measured { times.append(time) }
        guard case .sentence(let sentence) = event.payload else { return }
        switch sentence {
        case .rmc(let rmc):
          hasRMC = true
          if rmc.status != .void, rmc.position != nil { take(rmc.date, rmc.time) }
        case .zda(let zda) where !hasRMC: if zda.date?.year ?? 0 >= 2000 { take(zda.date, zda.time) }
        default: return
        }
      }
    }
    for time in times { add(time) }
  }

  private mutating func add(_ time: UTCInstant) {
    earliest = min(earliest ?? time, time)
    latest = max(latest ?? time, time)
    last = time
  }
}
