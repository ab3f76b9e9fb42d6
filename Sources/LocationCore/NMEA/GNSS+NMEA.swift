extension GNSS {
  /// The system with that id in NMEA 4.11.
  init?(systemID: Int) {
    switch systemID {
    case 1: self = .gps
    case 2: self = .glonass
    case 3: self = .galileo
    case 4: self = .beidou
    case 5: self = .qzss
    case 6: self = .navic
    default: return nil
    }
  }

  /// The system that a talker stands for; none for `GN` and for what is no receiver.
  init?(talker: Talker) {
    switch talker.code {
    case 0x4750: self = .gps
    case 0x474C: self = .glonass
    case 0x4741: self = .galileo
    case 0x4742, 0x4244: self = .beidou
    case 0x4751, 0x515A: self = .qzss
    case 0x4749: self = .navic
    default: return nil
    }
  }
}
