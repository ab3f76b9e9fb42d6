import NIOCore
import Recordings

/// Finds how long a recording is, beside its replay and without holding up the loop.
final class LengthReader {
  private static let itemsPerTurn = 256
  private static let pause = TimeAmount.milliseconds(2)

  private final class Reading {
    var length: RecordingLength

    init(_ length: consuming RecordingLength) { self.length = length }
  }

  private let loop: any EventLoop
  private let body: (Duration) -> Void
  private var reading: Reading?

  /// Calls `body` when the length is known; never if a file cannot be read.
  init(files: [String], on loop: any EventLoop, _ body: @escaping (Duration) -> Void) {
    self.loop = loop
    self.body = body
    do throws(RecordingError) {
      reading = Reading(try RecordingLength(files: files))
      readOn()
    } catch {
      // The replay itself says what is wrong with the file.
    }
  }

  /// Gives it up.
  func stop() { reading = nil }

  private func readOn() {
    guard let reading else { return }
    do throws(RecordingError) {
      if let length = try reading.length.measure(atMost: Self.itemsPerTurn) {
        self.reading = nil
        return body(length)
      }
    } catch {
      self.reading = nil
      return
    }
    loop.assumeIsolated().scheduleTask(in: Self.pause) { [weak self] in self?.readOn() }
  }
}
