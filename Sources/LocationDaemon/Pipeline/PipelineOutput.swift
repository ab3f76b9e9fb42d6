import LocationCore
import NIOCore

/// What the pipeline has to tell, in the order it happens.
package protocol PipelineOutput: AnyObject {
  /// A fix was accepted; the sky and the noise of its epoch come with it.
  func pipelineDidPublish(_ fix: PublishedFix, sky: Sky?, noise: PseudorangeNoise?, at instant: MonotonicInstant)
  /// Satellites of an epoch without a fix.
  func pipelineDidSee(_ sky: Sky, from lane: Lane, at instant: MonotonicInstant)
  /// The leading source changed its state, or another took the lead.
  func pipelineDidChangeState(leads reason: LeadReason?, at instant: MonotonicInstant)
  /// The leading source had a fix and has none now.
  func pipelineDidLoseFix(of lane: Lane, at instant: MonotonicInstant)
  /// Whether anyone wants the leading source's sentences.
  var wantsSentences: Bool { get }
  /// Sentences of the leading source, each with its line end.
  func pipelineDidRead(_ sentences: ByteBuffer)
  /// A view changed its state.
  func pipelineDidChange(_ state: FollowState)
  /// Every renderer is to have the newest fix.
  func pipelineWantsNewestFixSent(at instant: MonotonicInstant)
  /// A target changed its state.
  func pipelineDidChange(_ arrival: Arrival)
  /// A one-shot request has its answer.
  func pipelineDidAnswer(_ answer: LocateAnswer, at instant: MonotonicInstant)
  /// Filters whose heartbeat is due may speak.
  func pipelineExpire(at instant: MonotonicInstant)
  /// When the next heartbeat is due.
  var deadline: MonotonicInstant? { get }
  /// What was staged goes out: a turn is over, or its fix need not wait for the rest of it.
  func pipelineDidStage()
}
