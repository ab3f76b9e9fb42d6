/// What became of a line whose checksum holds.
enum DecodingOutcome {
  case decoded
  case unknown
  case encapsulated
  case tooFewFields
}
