import Glibc
import Synchronization

/// The terminal as it sends each key at once and shows none, until ``restore()``; that is done at the program's end
/// too, however that comes about.
enum RawTerminal {
  private static let saved = Mutex<termios?>(nil)

  /// Whether keys can be read: standard input is a terminal, and this program is not in its background.
  static var isAvailable: Bool { isatty(STDIN_FILENO) == 1 && tcgetpgrp(STDIN_FILENO) == getpgrp() }

  /// Lets keys through. Signals of keys stay: ^C, ^Z.
  static func begin() {
    saved.withLock { saved in
      var settings = termios()
      guard saved == nil, tcgetattr(STDIN_FILENO, &settings) == 0 else { return }
      saved = settings
      settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
      tcsetattr(STDIN_FILENO, TCSADRAIN, &settings)
      atexit { RawTerminal.restore() }
    }
  }

  /// Gives the terminal back as it was.
  static func restore() {
    saved.withLock { saved in
      guard var settings = saved else { return }
      saved = nil
      tcsetattr(STDIN_FILENO, TCSADRAIN, &settings)
    }
  }

  /// Columns of the terminal that standard error is; 80 when it does not tell.
  static var width: Int {
    var size = winsize()
    guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }
}
