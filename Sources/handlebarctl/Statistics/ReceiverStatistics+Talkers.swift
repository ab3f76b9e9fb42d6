import LocationCore

extension ReceiverStatistics {
  /// How many sentences each talker sent, the most talkative first. Proprietary sentences have none.
  var talkers: [(talker: Talker, count: Int)] {
    var counts: [Talker: Int] = [:]
    for tally in kinds where tally.kind.talker.code != 0 { counts[tally.kind.talker, default: 0] += tally.count }
    return counts.sorted { ($1.value, $0.key.code) < ($0.value, $1.key.code) }.map { ($0.key, $0.value) }
  }
}
