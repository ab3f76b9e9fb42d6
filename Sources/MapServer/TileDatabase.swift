import Glibc
import NIOCore
import Synchronization

/// An MBTiles file: an SQLite database with a table of tiles, whose rows count from the south, and one of metadata.
/// One thread reads at a time.
final class TileDatabase: Sendable {
  private struct Handles {
    var database: OpaquePointer
    var tile: OpaquePointer
  }

  let zooms: ClosedRange<Int>
  let attribution: String?
  private let library: SQLite
  private let handles: Mutex<Handles>

  init(path: String) throws(MapTiles.Failure) {
    guard let library = SQLite() else { throw .noLibrary }
    self.library = library
    var opened: OpaquePointer?
    let code = library.open(path, &opened, SQLite.readOnly, nil)
    guard code == SQLite.ok, let database = opened else {
      _ = library.close(opened)
      throw .unreadable(path: path, reason: "cannot be opened")
    }
    do throws(MapTiles.Failure) {
      zooms = try Self.zooms(library, database, path)
      attribution = try? library.row(
        "SELECT value FROM metadata WHERE name = 'attribution'", in: database, path
      ) { statement in
        library.columnText(statement, 0).map { String(cString: $0) }
      }
      let tile = try library.prepare(
        "SELECT tile_data FROM tiles WHERE zoom_level = ? AND tile_column = ? AND tile_row = ?", in: database, path)
      handles = Mutex(Handles(database: database, tile: tile))
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
  ) throws(MapTiles.Failure) -> ClosedRange<Int> {
    let found = try library.row(
      "SELECT min(zoom_level), max(zoom_level) FROM tiles", in: database, path
    ) { statement -> (Int, Int)? in
      guard library.columnType(statement, 0) == SQLite.integer else { return nil }
      return (Int(library.columnInt(statement, 0)), Int(library.columnInt(statement, 1)))
    }
    guard let (first, last) = found, first <= last, MapTile.zooms.contains(first), MapTile.zooms.contains(last) else {
      throw .unusable(path: path, what: "has no tiles")
    }
    let image = try library.row("SELECT tile_data FROM tiles LIMIT 1", in: database, path) {
      library.columnBytes($0, 0)
    }
    guard let image, MapTile.type(of: image) != nil else {
      throw .unusable(path: path, what: "its tiles are no images")
    }
    return first...last
  }

  /// The image of a tile; `nil` when there is none.
  func read(_ place: MapTile) -> ByteBuffer? {
    handles.withLock { handles in
      let row = (1 << place.zoom) - 1 - place.y
      for (index, value) in [place.zoom, place.x, row].enumerated() {
        guard library.bindInt(handles.tile, Int32(index + 1), Int64(value)) == SQLite.ok else { return nil }
      }
      defer { _ = library.reset(handles.tile) }
      guard library.step(handles.tile) == SQLite.row else { return nil }
      return library.columnBytes(handles.tile, 0)
    }
  }
}

/// The part of libsqlite3 that reads, loaded when the first MBTiles file is opened: no other command needs it.
struct SQLite: Sendable {
  static let libraryName = "libsqlite3.so.0"
  // sqlite3.h
  static let ok: Int32 = 0
  static let row: Int32 = 100
  static let integer: Int32 = 1
  static let readOnly: Int32 = 0x1

  typealias Code = @convention(c) (OpaquePointer?) -> Int32
  typealias Open =
    @convention(c) (UnsafePointer<CChar>, UnsafeMutablePointer<OpaquePointer?>, Int32, OpaquePointer?) -> Int32
  typealias Bind = @convention(c) (OpaquePointer?, Int32, Int64) -> Int32
  typealias Compile =
    @convention(c) (
      OpaquePointer?, UnsafePointer<CChar>, Int32, UnsafeMutablePointer<OpaquePointer?>, OpaquePointer?
    ) -> Int32
  typealias Message = @convention(c) (OpaquePointer?) -> UnsafePointer<CChar>?
  typealias ColumnInt32 = @convention(c) (OpaquePointer?, Int32) -> Int32
  typealias ColumnInt64 = @convention(c) (OpaquePointer?, Int32) -> Int64
  typealias ColumnText = @convention(c) (OpaquePointer?, Int32) -> UnsafePointer<CChar>?
  typealias ColumnBlob = @convention(c) (OpaquePointer?, Int32) -> UnsafeRawPointer?

  let open: Open
  let close: Code
  let bindInt: Bind
  let step: Code
  let reset: Code
  let finalize: Code
  let columnType: ColumnInt32
  let columnInt: ColumnInt64
  let columnText: ColumnText
  private let columnBlob: ColumnBlob
  private let columnSize: ColumnInt32
  private let message: Message
  private let compile: Compile

  /// Loads the library, which stays; `nil` when it is not installed.
  init?() {
    guard let library = dlopen(Self.libraryName, RTLD_NOW | RTLD_LOCAL) else { return nil }
    func find(_ name: String) -> UnsafeMutableRawPointer? { dlsym(library, "sqlite3_" + name) }
    guard let open = find("open_v2"), let close = find("close_v2"), let compile = find("prepare_v2"),
      let bindInt = find("bind_int64"), let step = find("step"), let reset = find("reset"),
      let finalize = find("finalize"), let columnType = find("column_type"), let columnInt = find("column_int64"),
      let columnText = find("column_text"), let columnBlob = find("column_blob"),
      let columnSize = find("column_bytes"), let message = find("errmsg")
    else { return nil }
    // The fields have the types of sqlite3.h, which have not changed since version 3.5.
    self.open = unsafeBitCast(open, to: Open.self)
    self.close = unsafeBitCast(close, to: Code.self)
    self.compile = unsafeBitCast(compile, to: Compile.self)
    self.bindInt = unsafeBitCast(bindInt, to: Bind.self)
    self.step = unsafeBitCast(step, to: Code.self)
    self.reset = unsafeBitCast(reset, to: Code.self)
    self.finalize = unsafeBitCast(finalize, to: Code.self)
    self.columnType = unsafeBitCast(columnType, to: ColumnInt32.self)
    self.columnInt = unsafeBitCast(columnInt, to: ColumnInt64.self)
    self.columnText = unsafeBitCast(columnText, to: ColumnText.self)
    self.columnBlob = unsafeBitCast(columnBlob, to: ColumnBlob.self)
    self.columnSize = unsafeBitCast(columnSize, to: ColumnInt32.self)
    self.message = unsafeBitCast(message, to: Message.self)
  }

  /// A statement, which the caller finalizes.
  func prepare(
    _ text: String, in database: OpaquePointer, _ path: String
  ) throws(MapTiles.Failure) -> OpaquePointer {
    var statement: OpaquePointer?
    guard compile(database, text, -1, &statement, nil) == Self.ok, let statement else {
      throw .unusable(path: path, what: message(database).map { String(cString: $0) } ?? "not an MBTiles file")
    }
    return statement
  }

  /// What `body` makes of the first row; `nil` without a row.
  func row<Value>(
    _ text: String, in database: OpaquePointer, _ path: String, _ body: (OpaquePointer) -> Value?
  ) throws(MapTiles.Failure) -> Value? {
    let statement = try prepare(text, in: database, path)
    defer { _ = finalize(statement) }
    return step(statement) == Self.row ? body(statement) : nil
  }

  /// A blob of at most the size of a tile.
  func columnBytes(_ statement: OpaquePointer, _ column: Int32) -> ByteBuffer? {
    guard let start = columnBlob(statement, column) else { return nil }
    let size = Int(columnSize(statement, column))
    guard (1...MapTiles.maximumSize).contains(size) else { return nil }
    return ByteBuffer(bytes: UnsafeRawBufferPointer(start: start, count: size))
  }
}
