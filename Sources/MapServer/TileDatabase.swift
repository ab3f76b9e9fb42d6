import Glibc
import NIOCore
import Synchronization

/// An MBTiles file: an SQLite database with a table of tiles, whose rows count from the south, and one of metadata. One
/// thread reads at a time. Its contents are untrusted: tables may be views that never end, tiles of any size.
final class TileDatabase: Sendable {
  /// Longest time for a question to the file when it is opened, and for a tile; seconds.
  private static let openingLimit: Int64 = 10
  private static let tileLimit: Int64 = 2

  let zooms: ClosedRange<Int>
  let attribution: String?
  private let library: SQLite
  private let handles: Mutex<(database: OpaquePointer, tile: OpaquePointer)>

  init(path: String) throws(MapFailure) {
    guard let library = SQLite.load() else {
      throw .notInstalled("MBTiles files are read with \(SQLite.libraryName)", package: "libsqlite3-0")
    }
    self.library = library
    var opened: OpaquePointer?
    let code = library.open(path, &opened, SQLite.readOnly, nil)
    guard code == SQLite.ok, let database = opened else {
      _ = library.close(opened)
      throw .tiles("\(path): cannot be opened")
    }
    _ = library.limit(database, SQLite.limitOfLength, Int32(MapTiles.maximumSize))
    do throws(MapFailure) {
      zooms = try Self.zooms(library, database, path)
      attribution = try? library.row(
        "SELECT substr(value, 1, 1000) FROM metadata WHERE name = 'attribution'", in: database, path,
        within: Self.openingLimit
      ) { statement in library.columnText(statement, 0).map { String(cString: $0) } }
      let tile = try library.prepare(
        "SELECT tile_data FROM tiles WHERE zoom_level = ? AND tile_column = ? AND tile_row = ?", in: database, path)
      handles = Mutex((database, tile))
    } catch {
      _ = library.close(database)
      throw error
    }
  }

  deinit {
    handles.withLock { handles in
      _ = library.finalize(handles.tile)
      _ = library.close(handles.database)
    }
  }

  private static func zooms(
    _ library: SQLite, _ database: OpaquePointer, _ path: String
  ) throws(MapFailure) -> ClosedRange<Int> {
    let found = try library.row(
      "SELECT (SELECT min(zoom_level) FROM tiles), (SELECT max(zoom_level) FROM tiles)", in: database, path,
      within: openingLimit
    ) { statement -> (Int, Int)? in
      guard library.columnType(statement, 0) == SQLite.integer else { return nil }
      return (Int(library.columnInt(statement, 0)), Int(library.columnInt(statement, 1)))
    }
    guard let (first, last) = found, first <= last, MapTile.zooms.contains(first), MapTile.zooms.contains(last) else {
      throw .unusable(path: path, what: "has no tiles")
    }
    let image = try library.row("SELECT tile_data FROM tiles LIMIT 1", in: database, path, within: openingLimit) {
      library.columnBytes($0, 0)
    }
    guard let image, MapTile.type(of: image) != nil else {
      throw .unusable(path: path, what: "its tiles are no images")
    }
    return first...last
  }

  func read(_ place: MapTile) -> ByteBuffer? {
    handles.withLock { handles in
      let row = (1 << place.zoom) - 1 - place.y
      for (index, value) in [place.zoom, place.x, row].enumerated() {
        guard library.bindInt(handles.tile, Int32(index + 1), Int64(value)) == SQLite.ok else { return nil }
      }
      defer { _ = library.reset(handles.tile) }
      let code = library.step(handles.tile, in: handles.database, within: Self.tileLimit)
      guard code == SQLite.row else { return nil }
      return library.columnBytes(handles.tile, 0)
    }
  }
}

/// The part of libsqlite3 that reads, loaded when the first MBTiles file is opened: no other command needs it.
struct SQLite: Sendable {
  static let libraryName = "libsqlite3.so.0"
  // sqlite3.h
  static let ok: Int32 = 0
  static let interrupt: Int32 = 9
  static let row: Int32 = 100
  static let done: Int32 = 101
  static let integer: Int32 = 1
  static let readOnly: Int32 = 0x1
  static let limitOfLength: Int32 = 0

  // The types are those of sqlite3.h, which have not changed since version 3.5.
  typealias Code = @convention(c) (OpaquePointer?) -> Int32
  let open:
    @convention(c) (UnsafePointer<CChar>, UnsafeMutablePointer<OpaquePointer?>, Int32, OpaquePointer?) -> Int32 =
      function("open_v2")
  let close: Code = function("close_v2")
  let bindInt: @convention(c) (OpaquePointer?, Int32, Int64) -> Int32 = function("bind_int64")
  let reset: Code = function("reset")
  let finalize: Code = function("finalize")
  let columnType: @convention(c) (OpaquePointer?, Int32) -> Int32 = function("column_type")
  let columnInt: @convention(c) (OpaquePointer?, Int32) -> Int64 = function("column_int64")
  let columnText: @convention(c) (OpaquePointer?, Int32) -> UnsafePointer<CChar>? = function("column_text")
  private let columnBlob: @convention(c) (OpaquePointer?, Int32) -> UnsafeRawPointer? = function("column_blob")
  private let columnSize: @convention(c) (OpaquePointer?, Int32) -> Int32 = function("column_bytes")
  private let message: @convention(c) (OpaquePointer?) -> UnsafePointer<CChar>? = function("errmsg")
  private let compile:
    @convention(c) (
      OpaquePointer?, UnsafePointer<CChar>, Int32, UnsafeMutablePointer<OpaquePointer?>, OpaquePointer?
    ) -> Int32 = function("prepare_v2")
  private let stepOnce: Code = function("step")
  let limit: @convention(c) (OpaquePointer?, Int32, Int32) -> Int32 = function("limit")
  private let progress:
    @convention(c) (
      OpaquePointer?, Int32, (@convention(c) (UnsafeMutableRawPointer?) -> Int32)?, UnsafeMutableRawPointer?
    ) -> Void = function("progress_handler")

  private nonisolated(unsafe) static let library = dlopen(libraryName, RTLD_NOW | RTLD_LOCAL)

  private static func function<Function>(_ name: String) -> Function {
    guard let address = dlsym(library, "sqlite3_" + name) else { fatalError("\(libraryName) has no \(name)") }
    return unsafeBitCast(address, to: Function.self)
  }

  /// Loads the library, which stays; `nil` when it is not installed.
  static func load() -> SQLite? { library == nil ? nil : SQLite() }

  /// A statement, which the caller finalizes.
  func prepare(_ text: String, in database: OpaquePointer, _ path: String) throws(MapFailure) -> OpaquePointer {
    var statement: OpaquePointer?
    guard compile(database, text, -1, &statement, nil) == Self.ok, let statement else {
      throw .unusable(path: path, what: message(database).map { String(cString: $0) } ?? "not an MBTiles file")
    }
    return statement
  }

  /// Steps, and interrupts what takes longer than so many seconds.
  func step(_ statement: OpaquePointer, in database: OpaquePointer, within seconds: Int64) -> Int32 {
    var end = NIODeadline.now() + .seconds(seconds)
    return withUnsafeMutablePointer(to: &end) { end in
      progress(database, 10_000, { end in end.map { $0.load(as: NIODeadline.self) < .now() } ?? true ? 1 : 0 }, end)
      defer { progress(database, 0, nil, nil) }
      return stepOnce(statement)
    }
  }

  /// What `body` makes of the first row; `nil` without a row.
  func row<Value>(
    _ text: String, in database: OpaquePointer, _ path: String, within seconds: Int64,
    _ body: (OpaquePointer) -> Value?
  ) throws(MapFailure) -> Value? {
    let statement = try prepare(text, in: database, path)
    defer { _ = finalize(statement) }
    switch step(statement, in: database, within: seconds) {
    case Self.row: return body(statement)
    case Self.done: return nil
    case Self.interrupt: throw .unusable(path: path, what: "looking up its tiles takes more than \(seconds) s")
    default: throw .unusable(path: path, what: message(database).map { String(cString: $0) } ?? "cannot be read")
    }
  }

  func columnBytes(_ statement: OpaquePointer, _ column: Int32) -> ByteBuffer? {
    guard let start = columnBlob(statement, column) else { return nil }
    let size = Int(columnSize(statement, column))
    guard (1...MapTiles.maximumSize).contains(size) else { return nil }
    return ByteBuffer(bytes: UnsafeRawBufferPointer(start: start, count: size))
  }
}
