import LocationCore
import Recordings
import Testing

@testable import RideTools

/// The events of the bundled rides, compared with their fixes.
struct RideScriptTests {
  private struct Report {
    let time: MonotonicInstant
    let position: Coordinate
    let sequence: Int
    let cause: String?
  }

  private static func value(_ key: String, in json: String) -> Substring? {
    guard let start = json.range(of: "\"\(key)\":") else { return nil }
    return json[start.upperBound...].prefix { $0 != "," && $0 != "}" }
  }

  @Test func `Each view report names an earlier fix, at the distance of its cause`() throws {
    let recording = try #require(BundledRide.motorway.ride(seed: BundledRide.motorway.defaultSeed)).recording
    var published: [(time: MonotonicInstant, position: Coordinate)] = []
    var decoder = NMEADecoder()
    var reports: [Report] = []
    var follow: [String] = []
    for item in items(of: recording) {
      switch item {
      case .burst(let burst):
        let time = try #require(burst.stamp?.instant)
        burst.bytes.withUnsafeBytes { bytes in
          decoder.decode(bytes) { event in
            if case .sentence(.rmc(let rmc)) = event.payload, let position = rmc.position {
              published.append((time, position))
            }
          }
        }
      case .event(let event):
        let json = String(decoding: event.json, as: UTF8.self)
        if json.contains("\"request\":\"FOLLOW\"") { follow.append(String(Self.value("enable", in: json) ?? "")) }
        guard json.contains("\"request\":\"VIEW\"") else { continue }
        let latitude = try #require(Self.value("lat", in: json).flatMap { Double($0) })
        let longitude = try #require(Self.value("lon", in: json).flatMap { Double($0) })
        reports.append(
          Report(
            time: try #require(event.stamp?.instant),
            position: try #require(Coordinate(latitude: latitude, longitude: longitude)),
            sequence: try #require(Self.value("seq", in: json).flatMap { Int($0) }),
            cause: Self.value("cause", in: json).map { String($0.dropFirst().dropLast()) }))
      case .header, .point: continue
      case .damage(let damage): Issue.record("damage: \(damage)")
      }
    }
    #expect(follow == ["true", "false", "true", "true"])
    #expect(reports.count > 70)
    var drags = 0
    for report in reports {
      let shown = try #require(published.indices.contains(report.sequence - 1) ? published[report.sequence - 1] : nil)
      #expect(report.time - shown.time > .seconds(1.4))
      let distance = shown.position.distance(to: report.position)
      switch report.cause {
      case nil, "follow": #expect(distance < 46)
      case "user": if distance > 100 { drags += 1 } else { #expect(distance < 61) }
      default: #expect(distance > 800)
      }
    }
    #expect(drags == 5)
  }

  @Test func `On the mountain nothing is received while unplugged`() throws {
    let recording = try #require(BundledRide.mountain.ride(seed: BundledRide.mountain.defaultSeed)).recording
    var lost: MonotonicInstant?
    var last: MonotonicInstant?
    var hole = Duration.zero
    var names: [String] = []
    for item in items(of: recording) {
      switch item {
      case .event(let event):
        names.append(String(decoding: event.json, as: UTF8.self))
        #expect(event.stamp?.source == 0)
        if event.json == RecordedEvent.sourceLost {
          lost = last
        } else if let lost, let now = event.stamp?.instant {
          hole = now - lost
        }
      case .burst(let burst):
        if names.count == 1 { Issue.record("bytes while unplugged") }
        last = burst.stamp?.instant
      case .header, .damage, .point: continue
      }
    }
    #expect(names == [#"{"source":"lost"}"#, #"{"source":"found"}"#])
    #expect(hole > .seconds(4) && hole < .seconds(5))
  }

  @Test func `The city has a target`() throws {
    let recording = try #require(BundledRide.city.ride(seed: BundledRide.city.defaultSeed)).recording
    let events = items(of: recording).compactMap { if case .event(let event) = $0 { event } else { nil } }
    #expect(events.count == 1)
    let json = String(decoding: events[0].json, as: UTF8.self)
    #expect(json.hasPrefix(#"{"request":"TARGET","name":"office","lat":48.1"#))
    #expect(json.hasSuffix(#","radius":100}"#))
  }
}

extension String {
  /// The first occurrence of a text.
  fileprivate func range(of text: String) -> Range<Index>? {
    var start = startIndex
    while start < endIndex {
      if self[start...].hasPrefix(text) { return start..<index(start, offsetBy: text.count) }
      start = index(after: start)
    }
    return nil
  }
}
