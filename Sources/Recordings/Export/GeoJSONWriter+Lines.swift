import LocationCore

extension GeoJSONWriter {
  /// The newest position of the line in progress.
  var end: GeoJSONPosition? {
    switch line {
    case .empty: nil
    case .one(let position), .open(let position): position
    }
  }

  /// Appends a position to the line in progress.
  mutating func add(_ position: GeoJSONPosition) {
    switch line {
    case .empty: line = .one(position)
    case .one(let first):
      beginFeature("LineString")
      bytes.append("[")
      first.write(into: &bytes)
      bytes.append(",")
      position.write(into: &bytes)
      line = .open(position)
    case .open:
      bytes.append(UInt8(ascii: ","))
      position.write(into: &bytes)
      line = .open(position)
    }
    times.append(position.time)
    speeds.append(position.speed)
  }

  /// Ends the line in progress.
  mutating func endLine() {
    switch line {
    case .empty: return
    case .one(let position):
      beginFeature("Point")
      position.write(into: &bytes)
    case .open:
      bytes.append("]")
    }
    beginProperties()
    bytes.append(",\"segment\":")
    bytes.append(decimal: Int64(segment))
    bytes.append(",\"coordinateProperties\":{\"times\":[")
    for (index, time) in times.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      write(time: time)
    }
    bytes.append("],\"speeds\":[")
    for (index, speed) in speeds.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      if let speed, speed.isFinite { bytes.append(fixed: speed, decimals: 3) } else { bytes.append("null") }
    }
    bytes.append("]}}}")
    line = .empty
    times.removeAll(keepingCapacity: true)
    speeds.removeAll(keepingCapacity: true)
  }

  /// Writes a route as a MultiLineString, which is cut where it crosses the antimeridian.
  mutating func write(route: [Fix]) {
    beginFeature("MultiLineString")
    bytes.append("[[")
    var last: GeoJSONPosition?
    for fix in route {
      let position = GeoJSONPosition(fix)
      if let last {
        bytes.append(",")
        if let cut = last.cut(to: position) {
          cut.near.write(into: &bytes)
          bytes.append("],[")
          cut.far.write(into: &bytes)
          bytes.append(",")
        }
      }
      position.write(into: &bytes)
      last = position
    }
    bytes.append("]]")
    beginProperties()
    bytes.append(",\"route\":true}}")
  }

  private mutating func beginProperties() {
    bytes.append("},\"properties\":{\"name\":")
    bytes.append(json: title)
  }

  private mutating func write(time: UTCInstant?) {
    guard let time else {
      bytes.append("null")
      return
    }
    bytes.append(atMost: TextCursor.longestInstant + 2) { text in
      text.put(UInt8(ascii: "\""))
      text.put(iso8601: time)
      text.put(UInt8(ascii: "\""))
    }
  }
}
