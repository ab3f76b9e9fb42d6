/// One line of the protocol towards a client, by its class.
package enum Report: Hashable, Sendable {
  case version(VersionReport)
  case devices(DevicesReport)
  case device(DeviceReport)
  case watch(WatchReport)
  case tpv(TPV)
  case pose(POSE)
  case sky(SkyReport)
  case gst(GSTReport)
  case poll(POLL)
  case error(ErrorReport)
  case state(StateReport)
  case follow(FollowReport)
  case arrival(ArrivalReport)
  case trip(TripReport)
  case course(CourseReport)
  case coursePiece(CoursePieceReport)
  case sensor(SensorReport)
  case playback(PlaybackReport)
  case status(StatusReport)
  case record(RecordReport)
  case receiver(ReceiverReport)
  case other(String)
}

package enum ReportError: Error, Hashable, Sendable {
  case tooLong
  /// The line breaks the protocol; with the breach.
  case malformed(String)
}

extension Report {
  /// The report in a line without its end, which has every required member, and known ones of the right type only.
  package init(line: ArraySlice<UInt8>) throws(ReportError) {
    guard let (report, fault) = line.withUnsafeBufferPointer({ Self.read($0) }) else {
      throw .malformed("no JSON object with a \"class\"")
    }
    if let fault { throw .malformed(fault) }
    self = report
  }

  /// The report in a line from a gpsd of any release, with or without the line's end. Members that are missing or of
  /// another type count as not sent; `nil` unless the line is a JSON object with a `class`.
  package init?(anyRelease line: UnsafeBufferPointer<UInt8>) {
    guard let (report, _) = Self.read(line) else { return nil }
    self = report
  }

  package static func begins(_ line: some Collection<UInt8>) -> Bool { line.first == Byte.openBrace }

  private static func read(_ line: UnsafeBufferPointer<UInt8>) -> (report: Report, fault: String?)? {
    guard var object = JSONObject(line), let name = object.string("class") else { return nil }
    let report: Report =
      switch name {
      case "VERSION": .version(VersionReport(&object))
      case "DEVICES": .devices(DevicesReport(&object))
      case "DEVICE": .device(DeviceReport(&object))
      case "WATCH": .watch(WatchReport(&object))
      case "TPV": .tpv(TPV(&object))
      case "POSE": .pose(POSE(&object))
      case "SKY": .sky(SkyReport(&object))
      case "GST": .gst(GSTReport(&object))
      case "POLL": .poll(POLL(&object))
      case "ERROR": .error(ErrorReport(&object))
      case "STATE": .state(StateReport(&object))
      case "FOLLOW": .follow(FollowReport(&object))
      case "ARRIVAL": .arrival(ArrivalReport(&object))
      case "TRIP": .trip(TripReport(&object))
      case "COURSE" where object.has("from"): .coursePiece(CoursePieceReport(&object))
      case "COURSE": .course(CourseReport(&object))
      case "SENSOR": .sensor(SensorReport(&object))
      case "PLAYBACK": .playback(PlaybackReport(&object))
      case "RECORD": .record(RecordReport(&object))
      case "RECEIVER": .receiver(ReceiverReport(&object))
      case "STATUS": .status(StatusReport(&object))
      default: .other(name)
      }
    return (report, object.fault.map { "\(name): \($0)" })
  }
}

/// A splitter of a connection's bytes into lines, wherever the reads were split. It holds one line at most.
package struct ReportLines: Sendable {
  /// Longest line that is read, in bytes: the protocol's limit and some room for later daemons.
  package static let maximumLength = 16_384
  private var line: [UInt8] = []
  private var hasOverflowed = false

  package init() {}

  /// The next line that is not empty, without its end; `index` moves past it; `nil` if `bytes` end first.
  package mutating func nextLine(in bytes: Span<UInt8>, from index: inout Int) throws(ReportError) -> [UInt8]? {
    while index < bytes.count {
      let length = bytes.extracting(index...).withUnsafeBufferPointer { rest in
        let length = rest.firstIndex(of: Byte.lineFeed) ?? rest.count
        hasOverflowed = hasOverflowed || line.count + length > Self.maximumLength
        if !hasOverflowed { line.append(contentsOf: rest[..<length]) }
        return length
      }
      index += length + 1
      guard index <= bytes.count else {
        index = bytes.count
        break
      }
      var whole = exchange(&line, with: [])
      if exchange(&hasOverflowed, with: false) { throw .tooLong }
      if whole.last == Byte.carriageReturn { whole.removeLast() }
      if !whole.isEmpty { return whole }
    }
    return nil
  }
}
