"""The fields that gpsd's clients read, beside gpsd itself: the same rides and logs played into both.

Two differences are the daemon's intention. The mode is what the receiver states: one whose first epochs are 2D by GSA, with
an altitude in GGA, changes its mode here and not in gpsd. With GST the errors are 95 % of what the receiver itself
estimates, where gpsd multiplies the dilutions by a constant of 15 m and reports up to nine times as much.

Run as a program, it prints the share of fixes that carry each field and the ratio of the values, and writes nothing.
"""

import collections
import contextlib
import re
import statistics
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

import epoch_oracle
from gpsd_harness import Gpsd, free_port, needs_gpsd
from handlebar_harness import BUNDLED, DEVICE_LOGS, Client, Daemon, Receiver, own_folder
from test_device_logs import bursts

pytestmark = needs_gpsd
SPEED = 10
EPOCHS = 60  # of a bundled ride, after its cold start
# Of the receiver alone: the daemon has no model of the Earth's magnetic field and of the geoid. An altitude in two
# dimensions is the receiver's assumption, and without one there are two: its errors go with it. gpsd reports a cycle of 1 s
# before it knows one.
EXEMPT = {"magvar", "magtrack", "geoidSep", "alt", "altMSL", "altHAE", "epv", "epc", "cycle"}
TPV = (
    "mode status time lat lon alt altMSL altHAE ept epx epy epv eph sep track magtrack magvar speed climb eps epc epd geoidSep"
).split()
SKY = "time xdop ydop hdop vdop pdop tdop gdop nSat uSat satellites".split()
DEVICE = "path driver activated flags native bps parity stopbits cycle".split()
ERRORS = "epx epy epv eph sep ept eps epc epd".split()
FACTOR = 1.5
SIGMAS = 1.96  # of 95 % in one dimension
# GGA and GSA state different dilutions, of which gpsd takes GGA's; gpsd counts each of a satellite's signals.
AMBIGUOUS = {"quectelLC79D"}


def fix_of(report):
    return report["class"] == "TPV" and report.get("mode", 0) >= 2 and "lat" in report


class Reports:
    """What a client received of one log, and the log's bytes."""

    def __init__(self, lines, log):
        self.lines = lines
        self.log = log
        self.estimates = {line["time"]: line for line in lines if line["class"] == "GST" and "time" in line}
        # gpsd reports an epoch in several steps: the fields of all of them count.
        epochs = collections.OrderedDict()
        for number, line in enumerate(line for line in lines if fix_of(line)):
            epochs.setdefault(line.get("time", number), {}).update(line)
        self.fixes = epochs
        self.skies = [line for line in lines if line["class"] == "SKY" and line.get("satellites")]
        self.without = [line for line in lines if line["class"] == "TPV" and line["mode"] < 2]
        lists = [line["devices"] for line in lines if line["class"] == "DEVICES"]
        self.devices = [one for one in (*lists[-1:], [line for line in lines if line["class"] == "DEVICE"]) for one in one]

    def share(self, name, of):
        """(how many have the field, how many there are)."""
        values = {"TPV": list(self.fixes.values()), "SKY": self.skies, "DEVICE": self.devices}[of]
        return sum(name in one for one in values), len(values)

    def flaps(self):
        """How often the mode changes between 2 and 3."""
        modes = [fix["mode"] for fix in self.fixes.values()]
        return sum(one != other for one, other in zip(modes, modes[1:]))

    def stated_flaps(self):
        """How often the receiver itself changes between the two from epoch to epoch: GSA's mode, and whether there is an altitude
        of more than three satellites."""
        found = epoch_oracle.epochs(self.log)
        ends = [epoch.start for epoch in found[1:]] + [len(self.log)]
        texts = [self.log[epoch.start : end] for epoch, end in zip(found, ends)]
        modes = [min(one) for one in (re.findall(rb"GSA,[AM],([23])", text) for text in texts) if one]
        measured = [bool(re.search(rb"G(GA|NS),([^,]*,){5}[1-9A-M][A-Z]*,0*([4-9]|[1-9]\d),[^,]*,[-\d]", text)) for text in texts]
        return sum(one != other for states in (modes, measured) for one, other in zip(states, states[1:]))


def log_of(path, epochs=EPOCHS):
    """The bursts of a log; of a bundled ride those from its first fix on."""
    log = b"".join(line for line in path.read_bytes().splitlines(keepends=True) if not line.startswith(b"#"))
    found = epoch_oracle.epochs(log)
    if path in BUNDLED:
        first = next(index for index, epoch in enumerate(found) if epoch.has_fix)
        found = found[first:][: epochs and epochs + 1]
        log = log[found[0].start : found[-1].start]
        found = epoch_oracle.epochs(log)
    return log, bursts(log, found)


def play(path, folder):
    """The reports of both, gpsd's first."""
    number = free_port()
    log, paced = log_of(path)
    with contextlib.ExitStack() as stack:
        receivers = [stack.enter_context(Receiver(folder / name)) for name in ("gps0", "gps1")]
        gpsd = stack.enter_context(Gpsd(receivers[0].link))
        source = f"serial:{receivers[1].link}?speed=9600"
        daemon = stack.enter_context(Daemon(folder, source, options=["--tcp", f"127.0.0.1:{number}"]))
        theirs, ours = (stack.enter_context(Client(address)) for address in (gpsd.address, ("127.0.0.1", number)))
        for client in (theirs, ours):
            client.watch()

        def listen():
            theirs.receive()
            ours.receive()

        Both(receivers).play(paced, SPEED, meanwhile=listen)
        theirs.until_quiet(1.0)
        ours.until_quiet(0.5)
        theirs.send("?DEVICES;")
        ours.send("?DEVICES;")
        theirs.wait("DEVICES")
        ours.wait("DEVICES")
        daemon.stop()
    return Reports(theirs.lines, log), Reports(ours.lines, log)


class Both(Receiver):
    """Two receivers that send the same."""

    def __init__(self, receivers):
        self.receivers = receivers

    def write(self, data, **options):
        for receiver in self.receivers:
            receiver.write(data, **options)

    def wait_read(self):
        for receiver in self.receivers:
            receiver.wait_read()


def ratios(theirs, ours, names):
    """Ours to gpsd's of every fix that both have, by name."""
    found = collections.defaultdict(list)
    for time, fix in ours.fixes.items():
        other = theirs.fixes.get(time, {})
        for name in names:
            if fix.get(name, 0) > 0 and other.get(name, 0) > 0:
                found[name].append(fix[name] / other[name])
    return found


def table(pairs):
    """The measured shares and ratios of pairs of reports, in lines."""
    lines = [f"{'':12}{'gpsd':>14}{'handlebard':>14}"]
    for of, names in (("TPV", TPV), ("SKY", SKY), ("DEVICE", DEVICE)):
        for name in names:
            counts = [[one.share(name, of) for one in side] for side in zip(*pairs)]
            sums = [tuple(map(sum, zip(*side))) for side in counts]
            shares = [f"{have}/{all} {100 * have / max(all, 1):4.0f}" for have, all in sums]
            lines.append(f"{of[0]} {name:10}{shares[0]:>14}{shares[1]:>14}")
    lines.append(f"{'no fix':12}{sum(len(a.without) for a, _ in pairs):14}{sum(len(b.without) for _, b in pairs):14}")
    lines.append(f"{'mode changes':12}{sum(a.flaps() for a, _ in pairs):14}{sum(b.flaps() for _, b in pairs):14}")
    found = collections.defaultdict(list)
    for theirs, ours in pairs:
        for name, values in ratios(theirs, ours, ERRORS).items():
            found[name] += values
    for name, values in found.items():
        within = sum(1 / FACTOR <= value <= FACTOR for value in values)
        lines.append(f"ratio {name}: median {statistics.median(values):.2f}, {within} of {len(values)} within {FACTOR}")
    return lines


def measured(paths):
    """The pairs of reports of each path."""

    def measure(path):
        with own_folder() as place:
            return play(path, place)

    with ThreadPoolExecutor(4) as pool:
        return list(pool.map(measure, paths))


@pytest.fixture(
    scope="module",
    params=[pytest.param(BUNDLED, id="bundled rides"), pytest.param(DEVICE_LOGS, id="logs", marks=pytest.mark.logs)],
)
def played(request):
    """The pairs of reports, by path."""
    return dict(zip(request.param, measured(request.param)))


def share(reports, name, of):
    have, all = (sum(counts) for counts in zip(*(one.share(name, of) for one in reports)))
    return have / max(all, 1)


@pytest.mark.slow
def test_each_field_comes_as_often_as_from_gpsd_and_means_the_same(played):
    theirs, ours = zip(*played.values())
    lines = "\n".join(table(played.values()))
    for of, names in (("TPV", TPV), ("SKY", SKY), ("DEVICE", DEVICE)):
        for name in names:
            if name not in EXEMPT:
                # How a busy machine cuts a log into reads makes or ends a few reports.
                reports = sum(one.share(name, of)[1] for one in ours)
                missed = max(0.005, 3 / max(reports, 1))
                assert share(ours, name, of) >= share(theirs, name, of) - missed, f"{name} of {of}\n{lines}"
    for path, (one, other) in played.items():
        assert other.flaps() <= max(one.flaps(), other.stated_flaps()), f"{path.stem}\n{lines}"
    found = collections.defaultdict(list)
    for path, pair in played.items():
        if path.stem in AMBIGUOUS:
            continue
        for name, values in (ratios_to_estimates(pair[1]) if pair[1].estimates else ratios(*pair, ERRORS)).items():
            found[name] += values
    assert found
    for name, values in found.items():
        within = sum(1 / FACTOR <= value <= FACTOR for value in values)
        assert within >= 0.95 * len(values), f"{name}\n{lines}"
    for report in (line for reports in ours for line in reports.lines if line["class"] == "TPV"):
        assert not {"seq", "reason", "source", "suspect", "bend"} & report.keys(), report


def ratios_to_estimates(reports):
    """Errors to 95 % of what the receiver estimates in GST for the same epoch, by name; each is within 1 %."""
    found = collections.defaultdict(list)
    for time, fix in reports.fixes.items():
        estimate = reports.estimates.get(time, {})
        for name, of in (("epx", "lon"), ("epy", "lat"), ("epv", "alt")):
            if name in fix and estimate.get(of):
                assert fix[name] == pytest.approx(SIGMAS * estimate[of], rel=0.01, abs=0.01), (fix, estimate)
                found[f"{name} to GST"].append(fix[name] / (SIGMAS * estimate[of]))
    return found


if __name__ == "__main__":
    chosen = [path for path in DEVICE_LOGS or BUNDLED if not sys.argv[1:] or path.stem in sys.argv[1:]]
    results = measured(chosen)
    for path, pair in zip(chosen, results):
        print(f"== {path.stem}")
        print("\n".join(table([pair])))
    print("== all")
    print("\n".join(table(results)))
