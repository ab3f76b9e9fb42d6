import GPSDProtocol

enum ReceiverHint {
  /// What receivers that are left as they are can do, and the words of their own that make them do it.
  static let ofFamily: [String: (ability: String, words: String)] = [
    "Unicore": (
      "20 epochs a second, error estimates, a model for cars",
      "CONFIG COM1 115200; GPGGA 0.05; GPRMC 0.05; GPGST 0.05; MODE ROVER AUTOMOTIVE; SAVECONFIG keeps them"
    ),
    "Unicore Firebird": (
      "10 epochs a second", "$CFGPRT,1,0,115200,1,3 for the speed, then $CFGNAV,200,200 for 5 epochs a second"
    ),
    "Allystar": ("10 epochs a second", "binary, by its maker's program Satrack: speed, rate, sentences"),
    "SkyTraq": ("10 epochs a second", "binary, by its maker's program GNSS Viewer: speed, rate, sentences"),
    "SiRF": (
      "one epoch a second, at 38400 bit/s also with all sentences",
      "$PSRF100,1,38400,8,1,0 for the speed, $PSRF103,04,00,01,01 for RMC, with their checksums"
    ),
  ]

  static func name(_ report: ReceiverReport) -> String {
    [report.family, report.model, report.firmware, report.protocolVersion.map { "protocol \($0)" }]
      .compactMap { $0?.printable }.joined(separator: ", ")
  }
}
