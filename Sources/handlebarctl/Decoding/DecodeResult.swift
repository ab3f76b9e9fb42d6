import LocationCore

/// What `decode` makes of a recording.
enum DecodeResult {
  /// What the daemon would publish, through this filter.
  case epochs(FilterConfiguration)
  /// An object for each sentence and rejected line.
  case sentences
  /// What each source sent, over a line of that speed if somebody says so: an object for each, or a table.
  case statistics(speed: Int?, json: Bool)

  /// Whether what was rejected is part of the result.
  var tellsErrors: Bool {
    if case .statistics = self { return true }
    return false
  }
}
