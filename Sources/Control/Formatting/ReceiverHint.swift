import GPSDProtocol

/// What receivers that are left as they are can do, and the words of their own that make them do it.
struct ReceiverHint {
  let ability: String
  let words: String

  var text: String { "\(ability): \(words)" }

  static let ofFamily = [
    "Unicore": ReceiverHint(
      ability: "20 epochs a second, error estimates, a model for cars",
      words: "CONFIG COM1 115200; GPGGA 0.05; GPRMC 0.05; GPGST 0.05; MODE ROVER AUTOMOTIVE; SAVECONFIG keeps them"),
    "Unicore Firebird": ReceiverHint(
      ability: "10 epochs a second",
      words: "$CFGPRT,1,0,115200,1,3 for the speed, then $CFGNAV,200,200 for 5 epochs a second"),
    "Allystar": ReceiverHint(
      ability: "10 epochs a second", words: "binary, by its maker's program Satrack: speed, rate, sentences"),
    "SkyTraq": ReceiverHint(
      ability: "10 epochs a second", words: "binary, by its maker's program GNSS Viewer: speed, rate, sentences"),
    "SiRF": ReceiverHint(
      ability: "one epoch a second, at 38400 bit/s also with all sentences",
      words: "$PSRF100,1,38400,8,1,0 for the speed, $PSRF103,04,00,01,01 for RMC, with their checksums"),
  ]

  static func name(_ report: ReceiverReport) -> String {
    [report.family, report.model, report.firmware, report.protocolVersion.map { "protocol \($0)" }]
      .compactMap { $0?.printable }.joined(separator: ", ")
  }
}
