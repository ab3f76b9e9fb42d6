// What this library hands out are values of these two; whoever imports it need not name them.
@_exported import GPSDProtocol
@_exported import LocationCore
