"""What outlives the connections of a subscription: what it restores, and what waits for its consumer."""

from __future__ import annotations

import collections
import dataclasses
from typing import Any, Deque, Dict, Optional, Tuple

from ._guidance import Arrival, Course, Follow, Sensor, Trip
from ._limits import BACKOFF, MAXIMUM_EVENTS
from ._positions import ErrorEstimate, Fix, Pose, Satellites
from ._reports import AnyReport, Report, Update
from ._requests import _ADDITIONS, Request, Subscription


class Subscriber:
    """What a subscription sends to every daemon that it reaches, and when it tries again."""

    def __init__(self, subscription: Subscription):
        self.subscription = subscription
        # Whether the views that this client reported follow, as far as known.
        self.views: Dict[str, bool] = {}
        # The targets that this client has set, by name; persistent ones are the daemon's affair.
        self.targets: Dict[str, Request] = {}
        self._delay = BACKOFF[0]

    def opening(self) -> bytes:
        """Restores targets and the views that did not follow, then subscribes, so that the snapshot has them as they were."""
        free = [view for view, is_following in self.views.items() if not is_following]
        restored = [Request("FOLLOW", {"view": view, "following": False, "restore": True}) for view in free]
        restored += self.targets.values()
        requests = ([_ADDITIONS] if restored else []) + restored + [self.subscription.request]
        return b"".join(request.encode() for request in requests)

    def register(self, report: AnyReport) -> bool:
        """Notes a report; whether it is for the consumer."""
        if isinstance(report, Report) and report.class_ == "WATCH":
            self._delay = BACKOFF[0]
        if isinstance(report, Follow) and report.view in self.views:
            self.views[report.view] = report.is_following
        if isinstance(report, Arrival) and report.state == "removed":
            self.targets.pop(report.name, None)
        if isinstance(report, Satellites):
            return self.subscription.satellites
        return not (isinstance(report, Report) and report.class_ in ("WATCH", "DEVICES"))

    def asked(self, request: Request) -> None:
        """Notes a view that this client reports or controls."""
        if request.name in ("VIEW", "FOLLOW"):
            self.views.setdefault((request.fields or {})["view"], True)

    def answered(self, request: Request) -> None:
        """Notes a target that the daemon has set."""
        fields = request.fields or {}
        if request.name == "TARGET" and "lat" in fields:
            if fields.get("persistent"):
                self.targets.pop(fields["name"], None)
            else:
                self.targets[fields["name"]] = request

    def delay(self, chance: float) -> float:
        """Seconds to the next attempt; `chance`, from 0 to 1, spreads those of several clients."""
        delay = self._delay * (1 + chance) / 2
        self._delay = min(2 * self._delay, BACKOFF[1])
        return delay


class UpdateQueue:
    """The pending updates of a slow consumer, in the order of their arrival: the newest fix, pose, satellites and error
    estimate, and at most 64 others; or, on demand, every one."""

    _NEWEST = (Fix, Pose, Satellites, ErrorEstimate)

    def __init__(self, every_report: bool = False):
        self._every_report = every_report
        self._updates: Deque[Update] = collections.deque()
        # Numbers of fixes that were replaced by a newer one, and of other updates that made room.
        self.missed_fixes: int = 0
        self.missed_events: int = 0

    def __len__(self) -> int:
        return len(self._updates)

    def push(self, update: Update) -> None:
        """Adds an update."""
        if not self._every_report:
            if self._is_replaced(update):
                update = self._replacing(update)
            else:
                self._make_room()
        self._updates.append(update)

    def _is_replaced(self, update: Update) -> bool:
        return isinstance(update, (*self._NEWEST, Course, Sensor)) or isinstance(update, Trip) and update.state == "moving"

    def _replacing(self, update: Update) -> Update:
        def kind(one: Update) -> Tuple[Any, ...]:
            # Of a course the newest in each state, so that none is left out.
            if isinstance(one, Sensor):
                return type(one), one.sensor, one.source
            return type(one), getattr(one, "name", None), one.state if isinstance(one, Course) else None

        old = next((one for one in self._updates if kind(one) == kind(update) and self._is_replaced(one)), None)
        if old is None:
            return update
        # Not by equality: the one that is replaced may equal another.
        self._updates = collections.deque(one for one in self._updates if one is not old)
        if isinstance(old, Fix) and isinstance(update, Fix):
            self.missed_fixes += 1
            # A transition is never lost. A hostile daemon has no end of names.
            update = dataclasses.replace(update, reasons=tuple(dict.fromkeys(old.reasons + update.reasons))[-16:])
        return update

    def _make_room(self) -> None:
        events = [one for one in self._updates if not self._is_replaced(one)]
        if len(events) == MAXIMUM_EVENTS:
            self._updates = collections.deque(one for one in self._updates if one is not events[0])
            self.missed_events += 1

    def pop(self) -> Optional[Update]:
        """Takes the oldest one."""
        return self._updates.popleft() if self._updates else None
