/// One fix, `?LOCATE={…}`. What is `nil` was not said: the daemon's configuration holds.
package struct LocateRequest: Hashable, Sendable {
  /// Seconds to wait, 0 to 3600.
  package var timeout: Double?
  /// Oldest acceptable fix in seconds before the request, 0 to 3600.
  package var maxAge: Double?

  package init(timeout: Double? = nil, maxAge: Double? = nil) {
    self.timeout = timeout
    self.maxAge = maxAge
  }
}
