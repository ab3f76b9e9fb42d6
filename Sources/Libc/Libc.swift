// The C library of the platform under one name, for the targets of the products LocationClient and
// LocationClientTesting, and beside it what several programs do with it.
#if canImport(Glibc)
  @_exported import Glibc
#elseif canImport(Musl)
  @_exported import Musl
#elseif canImport(Android)
  @_exported import Android
#else
  @_exported import Darwin
#endif

// What Darwin's has under another name, or not at all.
#if canImport(Darwin)
  extension stat {
    package var st_mtim: timespec { st_mtimespec }
  }

  package let TCP_KEEPIDLE = TCP_KEEPALIVE

  package func fdatasync(_ descriptor: CInt) -> CInt { fsync(descriptor) }
#endif
