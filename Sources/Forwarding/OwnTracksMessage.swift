import GPSDProtocol
import LocationCore

/// The payload of a fix: OwnTracks' JSON (https://owntracks.org/booklet/tech/json), type `location`, with the name of
/// the ride and the number of the fix in addition.
/// `alt`, `vel` (km/h), `cog`, `acc` and `vac` are whole numbers, as OwnTracks defines them; Traccar truncates decimals.
/// `acc` and `vac` are 95 % errors. Traccar identifies units by `topic` when a bridge passes messages on by HTTP.
struct OwnTracksMessage {
  let topic: String

  /// Writes the payload of a fix; nothing without a date. `now` is `nil` while the system clock is not set.
  func write(_ queued: QueuedFix, at now: UTCInstant?, into line: inout JSONLine) {
    let fix = queued.fix
    guard let measured = fix.measured else { return }
    line.beginObject()
    line.field("_type", "location")
    line.field("topic", topic)
    // The last two characters, as OwnTracks chooses it.
    line.field("tid", String(topic.suffix(2)))
    line.field("tst", Self.seconds(measured))
    line.field("lat", fix.position.latitude, decimals: 9)
    line.field("lon", fix.position.longitude, decimals: 9)
    line.field("alt", Self.whole(fix.altitudeMSL))
    line.field("vel", Self.whole(fix.speed.map { $0 * 3.6 }))
    line.field("cog", Self.whole(fix.course).map { $0 % 360 })
    line.field("acc", Self.whole(fix.horizontalAccuracy))
    line.field("vac", Self.whole(fix.verticalAccuracy))
    line.field("created_at", now.map { Self.seconds($0) })
    line.field("ride", queued.ride)
    line.field("seq", queued.numbers.upperBound)
    line.endObject()
  }

  private static func seconds(_ instant: UTCInstant) -> Int { Int(instant.nanosecondsSince1970 / 1_000_000_000) }
  private static func whole(_ value: Double?) -> Int? { value.flatMap { Int(exactly: $0.rounded()) } }
}
