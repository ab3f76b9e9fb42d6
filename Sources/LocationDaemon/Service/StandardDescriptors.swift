import Glibc

/// Standard input, output and error of the process: descriptors 0, 1 and 2.
enum StandardDescriptors {
  /// Opens `/dev/null` in the place of those that were closed when the process began. Otherwise the next file or
  /// socket to be opened would take the place, and log lines meant for standard error would go into it.
  static func fill() {
    while true {
      let descriptor = open("/dev/null", O_RDWR)
      guard descriptor > STDERR_FILENO else {
        if descriptor < 0 { return }
        continue
      }
      close(descriptor)
      return
    }
  }
}
