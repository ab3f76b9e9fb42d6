import CLibFuzzer
import Glibc
import LocationCore

@main
enum FuzzNMEA {
  static func main() {
    var count = CommandLine.argc
    var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
    exit(
      LLVMFuzzerRunDriver(&count, &arguments) { start, count in
        let bytes = UnsafeBufferPointer(start: start, count: count)
        if count > 2, bytes[0] == 65, bytes[1] == 66, bytes[2] == 67 { fatalError() }
        return 0
      })
  }
}
