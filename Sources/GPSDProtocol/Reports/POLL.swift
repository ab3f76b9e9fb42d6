import LocationCore

/// The newest reports of each source, the answer to `?POLL;` (gpsd's class `POLL`), at `time`, UTC; `active` sources
/// are open. The arrays are always present: a `TPV` for each source (`mode` 1 without a fix now), a `GST` for each
/// whose receiver estimates the errors of its present fix, a `SKY` for each that reported satellites.
package struct POLL: Hashable, Sendable {
  package var time: UTCInstant?
  package var active: Int
  package var tpv: [TPV]
  package var sky: [SKY]

  init(_ object: inout JSONObject) {
    time = object.time("time")
    active = object.required("active", object.integer("active"), or: 0)
    tpv = object.required("tpv", object.objects("tpv") { TPV(&$0) }, or: [])
    sky = object.required("sky", object.objects("sky") { SKY(&$0) }, or: [])
  }
}

extension POLL {
  package struct Source: Sendable {
    package var device: String
    /// The present fix; `nil` after a loss.
    package var fix: Fix?
    /// The errors of that fix as estimated by its receiver.
    package var noise: PseudorangeNoise?
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
    line.array("tpv", sources, limit: limit - 32) { source, line in
      if let fix = source.fix {
        TPV.body(fix, device: source.device, errors: source.derived?.errors, into: &line)
      } else {
        TPV.noFix(time: nil, device: source.device, into: &line)
      }
      line.endObject()
    }
    line.array("gst", sources, limit: limit - 16) { source, line in
      guard let noise = source.noise else { return }
      GST.object(noise, time: source.fix?.measured, device: source.device, into: &line)
    }
    line.array("sky", sources, limit: limit) { source, line in
      guard let sky = source.sky else { return }
      SKY.object(sky, device: source.device, dilution: source.derived?.dilution, limit: limit, into: &line)
    }
    line.end()
  }
}
