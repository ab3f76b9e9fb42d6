import LocationCore

/// The newest reports of the sources, the answer to `?POLL;` (gpsd's class `POLL`), at `time`, UTC; `active` sources
/// are open. The arrays are always present: a `TPV` for each source (`mode` 1 without a fix now), a `GST` for each
/// whose receiver estimates the errors of its present fix, a `SKY` for each that reported satellites. This daemon
/// reports its leading source.
package struct POLL: Hashable, Sendable {
  package var time: UTCInstant?
  package var active: Int
  package var tpv: [TPV]
  package var sky: [SkyReport]

  init(_ object: inout JSONObject) {
    time = object.time("time")
    active = object.required("active", object.integer("active"), or: 0)
    tpv = object.required("tpv", object.objects("tpv") { TPV(&$0) }, or: [])
    sky = object.required("sky", object.objects("sky") { SkyReport(&$0) }, or: [])
  }

  /// Writes the whole line of the leading source; satellites that do not fit are left out. `fix` is `nil` after a loss,
  /// `derived`, its errors and dilutions of precision as gpsd derives them, where those of the fix alone are written.
  package static func write(
    time: UTCInstant, active: Int, device: String, fix: Fix? = nil, noise: PseudorangeNoise? = nil, sky: Sky? = nil,
    derived: (errors: DerivedErrors?, dilution: Dilution)? = nil, into line: inout JSONLine
  ) {
    let limit = line.count + JSONLine.maximumLength - 4
    line.begin("POLL")
    line.field("time", time)
    line.field("active", active)
    line.beginArray("tpv")
    if let fix {
      TPV.body(fix, device: device, errors: derived?.errors, into: &line)
    } else {
      TPV.noFix(time: nil, device: device, into: &line)
    }
    line.endObject()
    line.endArray()
    line.beginArray("gst")
    if let noise { GSTReport(noise, time: fix?.measured, device: device).writeObject(into: &line) }
    line.endArray()
    line.beginArray("sky")
    if let sky { SkyReport.object(sky, device: device, dilution: derived?.dilution, limit: limit, into: &line) }
    line.endArray()
    line.end()
  }
}
