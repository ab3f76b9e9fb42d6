import GPSDProtocol

/// What plays a recording and lets itself be steered while it does.
package protocol PlaybackPlayer: AnyObject {
  /// How it stands.
  var playback: PlaybackReport { get }
  /// Does what is asked, and tells every subscriber; the change of place goes on behind the scenes.
  func change(_ request: PlaybackRequest) throws(PlaybackRefusal)
}

/// Why a recording is not steered as asked.
package struct PlaybackRefusal: Error, Hashable, CustomStringConvertible {
  /// One line: the cause and the remedy.
  package let description: String

  static let noRecording = PlaybackRefusal(
    description: "the source is no recording, what happens now cannot be steered; replay one with recording:FILE")
  static let sharedTime = PlaybackRefusal(
    description:
      "beside other sources a recording keeps their time; make it the only source to pause it or to change its speed"
  )
  static let endless = PlaybackRefusal(
    description: "a loop at full speed would never end; use a speed up to 1000")
  static let stopped = PlaybackRefusal(description: "the daemon stops")

  static func unreadable(_ reason: String) -> PlaybackRefusal { PlaybackRefusal(description: reason) }
}
