import Glibc

/// Which file a path names, whatever it is called: device and inode.
struct FileIdentity: Hashable {
  private let device: UInt
  private let inode: UInt

  /// The file at `path`, links not followed; `nil` when there is none.
  init?(path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    device = UInt(status.st_dev)
    inode = UInt(status.st_ino)
  }
}
