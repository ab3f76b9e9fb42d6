import LocationCore

/// The newest reports of each source, the answer to `?POLL;` (gpsd's class `POLL`). Its arrays are always present.
///
/// | field | unit |
/// |---|---|
/// | `time` | UTC of the answer |
/// | `active` | number of open sources |
/// | `tpv` | one `TPV` for each source; `mode` 1 when it has no fix now |
/// | `gst` | one `GST` for each source whose receiver estimates the errors of its present fix |
/// | `sky` | one `SKY` for each source that reported satellites |
package struct POLL: Hashable, Sendable {
  /// UTC of the answer.
  package var time: UTCInstant?
  /// Number of open sources.
  package var active: Int
  /// One for each source.
  package var tpv: [TPV]
  /// One for each source that reported satellites.
  package var sky: [SKY]

  init(_ object: inout JSONObject) {
    time = object.time("time")
    active = object.required("active", object.integer("active"), or: 0)
    tpv = object.required("tpv", object.objects("tpv") { TPV(&$0) }, or: [])
    sky = object.required("sky", object.objects("sky") { SKY(&$0) }, or: [])
  }
}

// MARK: - Writing

extension POLL {
  /// The state of one source.
  package struct Source: Sendable {
    /// Path of the device.
    package var device: String
    /// The present fix; `nil` after a loss.
    package var fix: Fix?
    /// The errors of that fix as estimated by its receiver.
    package var noise: PseudorangeNoise?
    /// The newest satellites.
    package var sky: Sky?
    /// The fix's errors and the dilutions of precision as gpsd derives them; `nil` for those of the fix alone.
    package var derived: (errors: DerivedErrors?, dilution: Dilution)?

    package init(
      device: String, fix: Fix? = nil, noise: PseudorangeNoise? = nil, sky: Sky? = nil,
      derived: (errors: DerivedErrors?, dilution: Dilution)? = nil
    ) {
      self.device = device
      self.fix = fix
      self.noise = noise
      self.sky = sky
      self.derived = derived
    }
  }

  /// Writes the whole line. Satellites that do not fit are left out, then sources.
  package static func write(time: UTCInstant, active: Int, sources: [Source], into line: inout JSONLine) {
    let limit = line.count + JSONLine.maximumLength - 4
    line.begin("POLL")
    line.field("time", time)
    line.field("active", active)
    line.beginArray("tpv")
    for source in sources {
      let mark = line.count
      if let fix = source.fix {
        TPV.body(fix, device: source.device, errors: source.derived?.errors, into: &line)
      } else {
        TPV.noFix(time: nil, device: source.device, into: &line)
      }
      line.endObject()
      guard line.count + 32 <= limit else {
        line.truncate(to: mark)
        break
      }
    }
    line.endArray()
    line.beginArray("gst")
    for source in sources {
      guard let noise = source.noise else { continue }
      let mark = line.count
      GST.object(noise, time: source.fix?.measured, device: source.device, into: &line)
      guard line.count + 16 <= limit else {
        line.truncate(to: mark)
        break
      }
    }
    line.endArray()
    line.beginArray("sky")
    for source in sources {
      guard let sky = source.sky else { continue }
      let mark = line.count
      SKY.object(sky, device: source.device, dilution: source.derived?.dilution, limit: limit, into: &line)
      guard line.count <= limit else {
        line.truncate(to: mark)
        break
      }
    }
    line.endArray()
    line.end()
  }
}
