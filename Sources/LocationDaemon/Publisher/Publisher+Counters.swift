import GPSDProtocol
import LocationCore

/// What happened how often.
extension Publisher {
  /// Of the leading source, for `STATE`.
  var leadCounters: [Counter] {
    let counters = pipeline.lead.counters
    return [
      Counter("sentences", Int(clamping: counters.nmea.sentences)),
      Counter("rejected", Int(clamping: counters.nmea.rejected)),
      Counter("epochs", Int(clamping: counters.epochs)),
      Counter("fixes", Int(clamping: counters.fixes)),
    ]
  }

  /// Of the whole daemon, for `STATUS`.
  var counters: [Counter] {
    let lead = pipeline.lead.counters
    let clients = audience.counters
    let follow = pipeline.follow.counters
    let link = pipeline.lanes.reduce(LinkCounters()) { $0 + ($1.source?.link ?? LinkCounters()) }
    return leadCounters + [
      Counter("bytes", Int(clamping: lead.nmea.bytes)),
      Counter("badChecksum", Int(clamping: lead.nmea.checksum)),
      Counter("noChecksum", Int(clamping: lead.nmea.noChecksum)),
      Counter("overlong", Int(clamping: lead.nmea.overlong)),
      Counter("notASCII", Int(clamping: lead.nmea.notASCII)),
      Counter("truncated", Int(clamping: lead.nmea.truncated)),
      Counter("fieldCount", Int(clamping: lead.nmea.fieldCount)),
      Counter("malformedFields", Int(clamping: lead.nmea.malformedFields)),
      Counter("noise", Int(clamping: lead.nmea.noise)),
      Counter("voidEpochs", Int(clamping: lead.void)),
      Counter("epochsWithoutPosition", Int(clamping: lead.noPosition)),
      Counter("epochsWithoutStatus", Int(clamping: lead.noStatus)),
      Counter("rolloverSuspects", Int(clamping: lead.rolloverSuspects)),
      Counter("lateSentences", Int(clamping: lead.late)),
      Counter("incompleteGSV", Int(clamping: lead.droppedSets)),
      Counter("outOfOrder", Int(clamping: lead.judge.outOfOrder)),
      Counter("duplicates", Int(clamping: lead.judge.duplicate)),
      Counter("outOfRange", Int(clamping: lead.judge.outOfRange)),
      Counter("zeroPosition", Int(clamping: lead.judge.nullIsland)),
      Counter("inaccurate", Int(clamping: lead.judge.accuracy)),
      Counter("suspects", Int(clamping: lead.judge.held)),
      Counter("unconfirmedJumps", Int(clamping: lead.judge.jump)),
      Counter("clockSteps", Int(clamping: lead.judge.clockSteps)),
      Counter("overlapping", Int(clamping: pipeline.handover.overlapping)),
      Counter("connections", Int(clamping: link.connections)),
      Counter("reports", Int(clamping: link.reports)),
      Counter("malformedReports", Int(clamping: link.malformed)),
      Counter("overlongReports", Int(clamping: link.overlong)),
      Counter("unknownReports", Int(clamping: link.unknown)),
      Counter("nestedObjects", Int(clamping: link.nested)),
      Counter("gpsdErrors", Int(clamping: link.errors)),
      Counter("ignoredViews", follow.unknownSession + follow.oldOrder + follow.superseded),
      Counter("viewsOfUnknownFix", follow.unknownSeq),
      Counter("refusedViews", follow.refused),
      Counter("clientsAccepted", Int(clamping: clients.accepted)),
      Counter("clientsRefused", Int(clamping: clients.refused)),
      Counter("clientsStalled", Int(clamping: clients.stalled)),
      Counter("replacedFixes", Int(clamping: clients.replacedFixes)),
      Counter("badRequests", Int(clamping: clients.badRequests)),
      Counter("recordedBytes", pipeline.recorder?.bytesWritten ?? 0),
      Counter("unrecordedReads", pipeline.recorder?.droppedReads ?? 0),
      Counter("unrecordedEvents", Int(clamping: pipeline.eventBudget.refused)),
    ]
  }
}
