extension NMEACounters {
  /// The reasons for rejecting, and how often there was each.
  package var rejections: [(name: StaticString, count: UInt64)] {
    [
      ("checksum", checksum), ("noChecksum", noChecksum), ("badChecksumFormat", badChecksumFormat),
      ("overlong", overlong), ("notASCII", notASCII), ("truncated", truncated), ("fieldCount", fieldCount),
    ]
  }
}
