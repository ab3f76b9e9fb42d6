extension ReceiverCounters {
  /// Both together: a receiver that was begun anew goes on counting.
  package static func + (left: Self, right: Self) -> Self {
    var sum = left
    sum.nmea = left.nmea + right.nmea
    sum.judge = left.judge + right.judge
    sum.epochs &+= right.epochs
    sum.void &+= right.void
    sum.noPosition &+= right.noPosition
    sum.noStatus &+= right.noStatus
    sum.rolloverSuspects &+= right.rolloverSuspects
    sum.late &+= right.late
    sum.droppedSets &+= right.droppedSets
    sum.closedByOrder &+= right.closedByOrder
    sum.closedByNext &+= right.closedByNext
    sum.closedBySilence &+= right.closedBySilence
    return sum
  }
}

extension NMEACounters {
  /// Both together.
  package static func + (left: Self, right: Self) -> Self {
    var sum = left
    sum.bytes &+= right.bytes
    sum.sentences &+= right.sentences
    sum.unknown &+= right.unknown
    sum.encapsulated &+= right.encapsulated
    sum.malformedFields &+= right.malformedFields
    sum.checksum &+= right.checksum
    sum.noChecksum &+= right.noChecksum
    sum.badChecksumFormat &+= right.badChecksumFormat
    sum.overlong &+= right.overlong
    sum.notASCII &+= right.notASCII
    sum.truncated &+= right.truncated
    sum.fieldCount &+= right.fieldCount
    sum.binaryFrames &+= right.binaryFrames
    sum.tagBlocks &+= right.tagBlocks
    sum.badTagBlocks &+= right.badTagBlocks
    sum.noise &+= right.noise
    return sum
  }
}

extension JudgeCounters {
  /// Both together.
  package static func + (left: Self, right: Self) -> Self {
    var sum = left
    sum.accepted &+= right.accepted
    sum.suspects &+= right.suspects
    sum.held &+= right.held
    sum.clockSteps &+= right.clockSteps
    sum.outOfOrder &+= right.outOfOrder
    sum.duplicate &+= right.duplicate
    sum.outOfRange &+= right.outOfRange
    sum.nullIsland &+= right.nullIsland
    sum.accuracy &+= right.accuracy
    sum.jump &+= right.jump
    return sum
  }
}
