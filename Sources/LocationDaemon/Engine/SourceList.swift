import LocationCore

package final class ConfiguredSource {
  package let id: SourceID
  package let uri: SourceURI
  /// Name sent to clients: the scheme, numbered when several sources share it.
  package fileprivate(set) var name: String
  package internal(set) var transport: (any ReceiverSource)?
  /// Of a sensor: what it is doing, and why it has no readings. The states of other sources are the engine's.
  package internal(set) var sensor: (phase: SourcePhase, error: SourceError?) = (.opening, nil)

  fileprivate init(id: SourceID, uri: SourceURI) {
    self.id = id
    self.uri = uri
    name = uri.scheme
  }

  package var device: String { uri.device }

  var setup: SourceSetup {
    let kind = uri.kind
    return SourceSetup(
      id: id, form: kind.form, isLive: kind.isLive, device: device,
      configuration: ReceiverConfiguration(checksums: kind.checksums, snapRollover: kind.snapsRollover))
  }
}

/// The configured sources in the order of preference, as in the engine. Only `EngineLoop.rearrange` changes it.
package final class SourceList {
  package private(set) var all: [ConfiguredSource] = []
  private var count: Int32 = 0

  /// The sources, numbered from `first` on.
  package init(_ uris: [SourceURI], from first: Int32 = 0) {
    count = first
    (all, _) = arranged(uris)
  }

  /// The configured source of one in the engine; `nil` once it is removed.
  package subscript(id: SourceID) -> ConfiguredSource? { all.first { $0.id.configured == id.configured } }

  package func lead(in engine: borrowing LocationEngine) -> ConfiguredSource {
    self[engine.sources[engine.supervisor.lead].setup.id] ?? all[0]
  }

  /// The engine's index of what represents a configured source: of several recorded ones the leading, else the first.
  func index(of source: ConfiguredSource, in engine: borrowing LocationEngine) -> Int? {
    lead(in: engine) === source ? engine.supervisor.lead : engine.index(of: source.id)
  }

  func state(of source: ConfiguredSource, in engine: borrowing LocationEngine) -> SourceState {
    index(of: source, in: engine).map { engine.supervisor.states[$0] } ?? .idle
  }

  /// The number in the recorder's files of a source in the engine; `nil` for a recorded one that represents no other.
  func number(of id: SourceID, in engine: borrowing LocationEngine) -> Int? {
    guard let source = self[id], let index = index(of: source, in: engine), engine.sources[index].setup.id == id
    else { return nil }
    return all.firstIndex { $0 === source }
  }

  var devices: String { all.map(\.device).joined(separator: ", ") }

  /// The list for `uris` (at least one), and its new sources. A source in both lists is kept.
  func arranged(_ uris: [SourceURI]) -> (all: [ConfiguredSource], added: [ConfiguredSource]) {
    var added: [ConfiguredSource] = []
    var left = all
    let all = uris.map { uri -> ConfiguredSource in
      if let kept = left.firstIndex(where: { $0.uri == uri }) { return left.remove(at: kept) }
      added.append(ConfiguredSource(id: SourceID(configured: count), uri: uri))
      count += 1
      return added[added.count - 1]
    }
    for (index, source) in all.enumerated() {
      let isAlone = uris.count { $0.scheme == source.uri.scheme } == 1
      let number = uris[...index].count { $0.scheme == source.uri.scheme }
      source.name = isAlone ? source.uri.scheme : "\(source.uri.scheme)-\(number)"
    }
    return (all, added)
  }

  package func removed(by uris: [SourceURI]) -> [ConfiguredSource] {
    uris.reduce(into: all) { left, uri in
      if let kept = left.firstIndex(where: { $0.uri == uri }) { left.remove(at: kept) }
    }
  }

  func replace(by sources: [ConfiguredSource]) { all = sources }
}
