"""Follow mode as a renderer sees it: behind a distance filter, before the first fix, over a restart of the daemon."""

import json

import nmea_sender
from handlebar_harness import Daemon, Receiver, until


def view(seq=None, latitude=48.1, cause="user", name="main"):
    fields = {"view": name, "lat": latitude, "lon": 11.5, "seq": seq, "cause": cause}
    return f"?VIEW={json.dumps({name: value for name, value in fields.items() if value is not None})};"


def restore(following=False, name="main"):
    return f"?FOLLOW={json.dumps({'view': name, 'following': following, 'restore': True})};"


def test_behind_the_default_filter(folder):
    """The first report with the newest fix that the renderer was sent counts, although newer ones are published."""
    with (
        Receiver(folder / "gps0") as receiver,
        Daemon(folder, f"serial:{receiver.link}?speed=115200") as daemon,
        daemon.connect() as tracker,
        daemon.connect() as renderer,
    ):
        tracker.watch(distanceFilter=0)

        def ride(first, last):
            for number in range(first, last + 1):
                receiver.write(nmea_sender.epoch(number, period=0.2, speed=2.0))
                receiver.wait_read()
            return tracker.wait("TPV", lambda fix: fix["seq"] >= last)["seq"]

        ride(0, 3)
        assert renderer.watch()["distanceFilter"] == 10
        newest = ride(4, 9)
        renderer.settle()
        sent = max(line["seq"] for line in renderer.lines if line["class"] == "TPV")
        assert sent < newest
        renderer.send(view(sent, latitude=48.11))
        follow = renderer.wait("FOLLOW", lambda follow: not follow["following"])
        assert (follow["reason"], follow["seq"]) == ("drift", sent)
        daemon.stop()


def test_before_the_first_fix(folder):
    """Every report is answered, as nothing can be judged yet."""
    with Daemon(folder, f"serial:{folder}/absent") as daemon, daemon.connect() as renderer:
        for _ in range(3):
            renderer.send(view(latitude=49))
            assert renderer.wait("FOLLOW")["following"]
            renderer.settle()
            assert "FOLLOW" not in [line["class"] for line in renderer.waiting]
            renderer.waiting.clear()
        daemon.stop()


def test_over_a_restart(folder):
    source = f"serial:{folder}/absent"
    with Daemon(folder, source) as daemon, daemon.connect() as renderer:
        renderer.watch()
        renderer.send('?FOLLOW={"enable":false};')
        assert not renderer.wait("FOLLOW", lambda follow: follow["reason"] == "requested")["following"]
        daemon.stop()
    with Daemon(folder, source) as daemon, daemon.connect() as other, daemon.connect() as renderer:
        for client in (other, renderer):
            client.watch()
            assert client.wait("FOLLOW")["following"]
        renderer.send(restore())
        for client in (other, renderer):
            follow = client.wait("FOLLOW")
            assert (follow["following"], follow["reason"]) == (False, "requested")
        # The rider re-engages; an older state does not come back.
        other.send('?FOLLOW={"enable":true};')
        assert renderer.wait("FOLLOW", lambda follow: follow["following"])
        for client in (other, renderer):
            client.settle()
            client.waiting.clear()
            client.send(restore())
            assert client.wait("FOLLOW")["following"]
        daemon.stop()


def test_a_restored_state_does_not_replace_a_known_one(folder):
    with Daemon(folder, f"serial:{folder}/absent") as daemon, daemon.connect() as renderer:
        renderer.send(view(cause="follow"))
        assert renderer.wait("FOLLOW")["following"]
        with daemon.connect() as other:
            other.send(restore())
            assert other.wait("FOLLOW")["following"]
            other.send(restore(name="inset"))
            assert not other.wait("FOLLOW")["following"]

        def kept():
            renderer.send("?FOLLOW;")
            states = [renderer.wait("FOLLOW") for _ in range(2)]
            return {state["view"]: state["following"] for state in states} == {"main": True, "inset": False}

        until(kept, "the state of both views")
        daemon.stop()
