import LocationCore

// Replacing the list of sources at run time.
extension EngineHost {
  /// Replaces the sources by `uris` (at least one). A source in both lists keeps running, at its new position; removed
  /// ones must have been stopped. Returns the added ones, not yet started.
  package func rearrange(_ uris: [SourceURI]) -> [SourceFeed] {
    var added: [SourceFeed] = []
    let names = Self.names(of: uris)
    var left = feeds
    let arranged = uris.enumerated().map { index, uri in
      let feed: SourceFeed
      if let kept = left.firstIndex(where: { $0.uri == uri }) {
        feed = left.remove(at: kept)
      } else {
        feed = SourceFeed(id: feedCount, uri: uri, name: uri.scheme, host: self)
        feedCount += 1
        added.append(feed)
      }
      feed.name = names[index]
      return feed
    }
    turn { instant in
      feeds = arranged
      rearrangeEngine(arranged.map { $0.uri.setup(id: $0.id) }, at: instant)
    }
    return added
  }

  /// The sources that are not among `uris`.
  package func feedsRemoved(by uris: [SourceURI]) -> [SourceFeed] {
    var left = feeds
    for uri in uris {
      if let kept = left.firstIndex(where: { $0.uri == uri }) { left.remove(at: kept) }
    }
    return left
  }

  static func names(of sources: [SourceURI]) -> [String] {
    sources.enumerated().map { index, uri in
      let same = sources.count { $0.scheme == uri.scheme }
      return same == 1 ? uri.scheme : "\(uri.scheme)-\(sources[...index].count { $0.scheme == uri.scheme })"
    }
  }
}

extension SourceURI {
  /// The source's configuration in the engine.
  func setup(id: Int) -> SourceSetup {
    let form: SourceSetup.Form =
      switch self {
      case .gpsd: .reports
      case .recording: .either
      default: .sentences
      }
    let isLive =
      switch self {
      case .recording, .simulation: false
      case .serial, .gpsd, .tcp, .udp, .disabled: true
      }
    return SourceSetup(
      id: id, form: form, isLive: isLive, device: device,
      configuration: ReceiverConfiguration(checksums: checksums, snapRollover: snapsRollover))
  }
}
