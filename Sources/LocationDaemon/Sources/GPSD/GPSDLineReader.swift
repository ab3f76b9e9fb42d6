import CGPSD
import LocationCore

/// Decodes a gpsd's lines by the installed libgps.
final class GPSDLineReader {
  /// Why no line can be decoded.
  enum Failure: Error, Hashable {
    /// libgps is not installed, or another one than this was built for.
    case noLibrary(name: String)
    /// This was built without libgps-dev.
    case notBuilt
  }

  /// Lines that libgps did not understand.
  private(set) var malformed: UInt64 = 0

  /// Members that were left out because they are objects where none belong.
  private(set) var nested: UInt64 = 0

  private let decoder: OpaquePointer
  private let report: UnsafeMutablePointer<cgpsd_report>
  /// The line at hand, with the NUL that C wants.
  private var text: [CChar] = []

  /// Loads libgps if nobody has yet.
  init() throws(Failure) {
    switch cgpsd_available() {
    case CGPSD_OK: break
    case CGPSD_NOT_BUILT: throw .notBuilt
    default: throw .noLibrary(name: String(cString: cgpsd_library_name()))
    }
    guard let decoder = cgpsd_decoder_create() else {
      throw .noLibrary(name: String(cString: cgpsd_library_name()))
    }
    self.decoder = decoder
    report = .allocate(capacity: 1)
    report.initialize(to: cgpsd_report())
  }

  deinit {
    cgpsd_decoder_destroy(decoder)
    report.deallocate()
  }

  /// Decodes one line without its line end; `nil` when it is broken, which is counted.
  func read(_ line: ArraySlice<UInt8>, at instant: MonotonicInstant) -> GPSDLineReport? {
    // A NUL would end the line for C and hide what follows it.
    guard !line.contains(0) else {
      malformed &+= 1
      return nil
    }
    text.removeAll(keepingCapacity: true)
    line.withUnsafeBytes { text.append(contentsOf: $0.assumingMemoryBound(to: CChar.self)) }
    text.append(0)
    let result = text.withUnsafeMutableBufferPointer { cgpsd_decode(decoder, $0.baseAddress, report) }
    guard result == CGPSD_OK else {
      malformed &+= 1
      return nil
    }
    nested &+= UInt64(clamping: report.pointee.nested)
    return GPSDLineReport(report.pointee, at: instant)
  }
}

extension GPSDLineReader.Failure {
  /// What it means for a source, with the way out.
  package func sourceError(of source: String) -> SourceError {
    switch self {
    case .noLibrary(let name):
      // Debian names the package by the library's number: libgps.so.28 is in libgps28.
      .notInstalled(program: name.replacing("libgps.so.", with: "libgps"), source: source)
    case .notBuilt:
      .misconfigured(source: source, reason: "this program was built without libgps-dev; install that and build again")
    }
  }
}
