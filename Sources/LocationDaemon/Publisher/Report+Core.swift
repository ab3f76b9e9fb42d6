import GPSDProtocol
import LocationCore

extension FollowReport {
  /// The state of a view, as told.
  init(_ state: FollowState) {
    self.init(
      view: state.view, following: state.following, reason: state.reason.rawValue, distance: state.distance,
      seq: state.seq)
  }
}

extension ArrivalReport {
  /// The state of a target, as told.
  init(_ arrival: Arrival) {
    self.init(
      name: arrival.name, state: arrival.state.rawValue, distance: arrival.distance, bearing: arrival.bearing,
      eta: arrival.eta?.inSeconds)
  }
}

extension ErrorReport {
  /// Why a source gives no fix, as the answer to a request.
  init(_ error: SourceError, request: String) {
    self.init(message: "\(error)", code: error.code, request: request, remedy: error.remedy)
  }
}

extension SourceState {
  /// 2 or 3 while tracking.
  var mode: Int? {
    if case .tracking(let mode) = self { mode.rawValue } else { nil }
  }

  /// What is wrong.
  var error: SourceError? {
    if case .failed(let error, _) = self { error } else { nil }
  }
}
