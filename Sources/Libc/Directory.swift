package enum Directory {
  /// The names in a directory, without `.` and `..`, as far as it can be read.
  package static func names(in path: String) -> [String] { read(path).names }

  /// The names in a directory, and the `errno` of what kept it from being read to its end; 0 if nothing did.
  package static func read(_ path: String) -> (names: [String], code: CInt) {
    guard let stream = opendir(path) else { return ([], errno) }
    defer { closedir(stream) }
    var names: [String] = []
    while true {
      errno = 0
      guard let entry = readdir(stream) else { return (names, errno) }
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if name != ".", name != ".." { names.append(name) }
    }
  }
}

package enum Link {
  /// The path with all links resolved; `nil` if there is no such file.
  package static func resolved(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// The target of a link; `nil` if it is none. It is not visited: a file system that does not answer would block.
  package static func target(of path: String) -> String? {
    var bytes = [CChar](repeating: 0, count: 1024)
    let count = readlink(path, &bytes, bytes.count)
    return count > 0 ? String(decoding: bytes[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self) : nil
  }

  /// Whether two paths with the same name lead to pseudo-terminals of different mounts (pts(4)), as in a container.
  package static func areTerminalsOfDifferentMounts(_ path: String, _ other: String) -> Bool {
    var (first, second) = (stat(), stat())
    guard stat(path, &first) == 0, stat(other, &second) == 0 else { return false }
    return first.st_mode & second.st_mode & S_IFMT == S_IFCHR && first.st_rdev == second.st_rdev
      && first.st_dev != second.st_dev && (136...143).contains(first.st_rdev >> 8 & 0xFFF)
  }
}

/// Sockets that the service manager passes to this process (sd_listen_fds(3)).
package enum PassedSockets {
  /// The sockets with the names from their units. They do not block, and children of this process do not inherit them.
  package static func take(
    _ variable: (String) -> String?, pid: pid_t = getpid(), first: CInt = 3
  ) -> [(descriptor: CInt, name: String)] {
    guard variable("LISTEN_PID").flatMap({ pid_t($0) }) == pid,
      let count = variable("LISTEN_FDS").flatMap({ CInt($0) }), (1...64).contains(count)
    else { return [] }
    let names = (variable("LISTEN_FDNAMES") ?? "").split(separator: ":", omittingEmptySubsequences: false)
    return (0..<count).map { offset in
      let (descriptor, index) = (first + offset, Int(offset))
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      let flags = fcntl(descriptor, F_GETFL)
      if flags >= 0 { _ = fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) }
      return (descriptor, names.indices.contains(index) ? String(names[index]) : "")
    }
  }
}
