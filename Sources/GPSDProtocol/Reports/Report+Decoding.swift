import FoundationEssentials

extension Report {
  /// The report that a line holds, without its line end.
  package init(line: ArraySlice<UInt8>) throws(ReportError) {
    guard JSONNesting.isShallow(line) else { throw .malformed("objects and arrays too deep in each other") }
    let data = Data(line)
    let name = try Self.decode(Head.self, from: data).class
    switch name {
    case "VERSION": self = .version(try Self.decode(VersionReport.self, from: data))
    case "DEVICES": self = .devices(try Self.decode(DevicesReport.self, from: data))
    case "DEVICE": self = .device(try Self.decode(DeviceReport.self, from: data))
    case "WATCH": self = .watch(try Self.decode(WatchReport.self, from: data))
    case "TPV": self = .tpv(try Self.decode(TPV.self, from: data))
    case "SKY": self = .sky(try Self.decode(SKY.self, from: data))
    case "GST": self = .gst(try Self.decode(NoiseReport.self, from: data))
    case "POLL": self = .poll(try Self.decode(POLL.self, from: data))
    case "ERROR": self = .error(try Self.decode(ErrorReport.self, from: data))
    case "STATE": self = .state(try Self.decode(StateReport.self, from: data))
    case "FOLLOW": self = .follow(try Self.decode(FollowReport.self, from: data))
    case "ARRIVAL": self = .arrival(try Self.decode(ArrivalReport.self, from: data))
    case "PLAYBACK": self = .playback(try Self.decode(PlaybackReport.self, from: data))
    case "RECORD": self = .record(try Self.decode(RecordReport.self, from: data))
    case "STATUS": self = .status(try Self.decode(StatusReport.self, from: data))
    default: self = .other(name)
    }
  }

  private struct Head: Decodable {
    var `class`: String
  }

  private static func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws(ReportError) -> Value {
    do {
      return try JSONDecoder().decode(type, from: data)
    } catch DecodingError.keyNotFound(let key, _) {
      throw .malformed("\(type): \"\(key.stringValue)\" is missing")
    } catch DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context) {
      throw .malformed(
        "\(type): \"\(context.codingPath.map(\.stringValue).joined(separator: "."))\" has the wrong type")
    } catch {
      throw .malformed("no JSON object with a \"class\"")
    }
  }
}
