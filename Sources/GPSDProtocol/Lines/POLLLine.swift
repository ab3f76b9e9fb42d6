import LocationCore

/// The `POLL` line: the answer to `?POLL;`, the newest of every source. Its arrays are always there.
///
/// | field | unit |
/// |---|---|
/// | `time` | UTC of the answer |
/// | `active` | sources that are open |
/// | `tpv` | one `TPV` for each source; `mode` 1 when it has no fix now |
/// | `gst` | one `GST` for each source whose receiver estimates the errors of its present fix |
/// | `sky` | one `SKY` for each source that reported satellites |
package enum POLLLine {
  /// What one source has to say.
  package struct Source: Sendable {
    /// The device's path.
    package var device: String
    /// The present fix; `nil` without one, a lost fix is not repeated.
    package var fix: Fix?
    /// The errors of that fix as its receiver estimates them.
    package var noise: PseudorangeNoise?
    /// The newest satellites.
    package var sky: Sky?

    package init(device: String, fix: Fix? = nil, noise: PseudorangeNoise? = nil, sky: Sky? = nil) {
      self.device = device
      self.fix = fix
      self.noise = noise
      self.sky = sky
    }
  }

  /// Writes the whole line. Sources that do not fit are left out, and satellites before sources.
  package static func write(time: UTCInstant, active: Int, sources: [Source], into line: inout JSONLine) {
    let limit = line.count + JSONLine.maximumLength - 4
    line.begin("POLL")
    line.field("time", time)
    line.field("active", active)
    line.beginArray("tpv")
    for source in sources {
      let mark = line.count
      if let fix = source.fix {
        TPVLine.body(fix, device: source.device, into: &line)
      } else {
        TPVLine.noFix(time: nil, device: source.device, into: &line)
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
      GSTLine.object(noise, time: source.fix?.measured, device: source.device, into: &line)
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
      SKYLine.object(sky, device: source.device, limit: limit, into: &line)
      guard line.count <= limit else {
        line.truncate(to: mark)
        break
      }
    }
    line.endArray()
    line.end()
  }
}
