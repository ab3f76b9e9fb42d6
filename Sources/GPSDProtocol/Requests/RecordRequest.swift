/// Begin or end recording, `?RECORD={…}`.
package struct RecordRequest: Hashable, Sendable {
  /// Record, or stop.
  package var enable: Bool
  /// Where to; only the directory that the daemon is configured to record into is accepted.
  package var directory: String?

  package init(enable: Bool, directory: String? = nil) {
    self.enable = enable
    self.directory = directory
  }
}

extension RecordRequest {
  init(_ fields: RequestFields) throws(RequestError) {
    try fields.allowOnly("enable", "directory")
    let directory = try fields.string("directory", bytes: 1...1024)
    self.init(enable: try fields.required("enable", fields.bool("enable")), directory: directory)
  }
}
