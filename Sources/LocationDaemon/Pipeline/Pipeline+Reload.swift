import LocationCore

/// Another list of sources while the daemon runs.
extension Pipeline {
  /// Takes over `uris` (at least one). A source that stays keeps running, wherever it stands now; those that are gone must have
  /// been stopped. Returns the new lanes, which nothing reads yet.
  package func rearrange(_ uris: [SourceURI]) -> [Lane] {
    let (kept, added) = arrangement(of: uris)
    turn { pipeline, instant in
      let hadFix = pipeline.hasFix
      let places = kept.map { $0?.index }
      let names = Self.names(of: uris)
      var fresh = added[...]
      pipeline.lanes = kept.enumerated().compactMap { index, lane in
        guard let lane = lane ?? fresh.popFirst() else { return nil }
        lane.index = index
        lane.name = names[index]
        return lane
      }
      pipeline.perform(pipeline.supervisor.rearrange(places, at: instant), at: instant)
      if hadFix, !pipeline.hasFix { pipeline.loseFix(of: pipeline.lead, at: instant) }
    }
    return added
  }

  /// The lanes that `uris` leave out.
  package func lanesLeftOut(of uris: [SourceURI]) -> [Lane] {
    let kept = arrangement(of: uris, makesNew: false).kept
    return lanes.filter { lane in !kept.contains { $0 === lane } }
  }

  /// The lane of before for each URI, and new lanes for those without one.
  private func arrangement(of uris: [SourceURI], makesNew: Bool = true) -> (kept: [Lane?], added: [Lane]) {
    var left = lanes
    let kept = uris.map { uri in
      left.firstIndex { $0.uri == uri }.map { left.remove(at: $0) }
    }
    guard makesNew else { return (kept, []) }
    let added = zip(uris, kept).compactMap { uri, lane -> Lane? in
      guard lane == nil else { return nil }
      defer { laneCount += 1 }
      return Lane(index: 0, id: laneCount, uri: uri, name: uri.scheme, pipeline: self)
    }
    return (kept, added)
  }
}
