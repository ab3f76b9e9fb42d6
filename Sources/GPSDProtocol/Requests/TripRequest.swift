import LocationCore

extension TripRequest: CodedFields {
  package init() { self.init(name: "") }

  package mutating func fields(_ coder: inout some FieldCoder) {
    coder.field("name", &name, bytes: 1...64)
    var lap: Bool? = change == .lap ? true : nil
    var reset: Bool? = change == .reset ? true : nil
    var enable: Bool? = change == .end ? false : nil
    coder.field("lap", &lap)
    coder.field("reset", &reset)
    coder.field("enable", &enable)
    let changes: [TripChange] =
      (lap == true ? [.lap] : []) + (reset == true ? [.reset] : []) + (enable == false ? [.end] : [])
    coder.check("name", changes.count <= 1, #"with one of "lap", "reset" and "enable":false"#)
    change = changes.first ?? .start
  }
}
