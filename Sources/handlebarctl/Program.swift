import Control

@main
enum Program {
  static func main() async { await Handlebarctl.main() }
}
