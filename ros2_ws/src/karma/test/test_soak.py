# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What a soak does to nodes, and how it judges them."""

import json
import os
import random
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import pytest

pytest.importorskip("rclpy")

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from std_srvs.srv import Trigger

from karma.soak.faults import NO_ROOM, Model, Page
from karma.soak.household import Ledger, traces
from karma.soak.judge import CONTROL, LATENCIES, slope, slopes
from karma.soak.machine import Machine
from karma.soak.plot import plot_soak
from karma.soak.run import Plan, Record, missing
from karma.soak.witness import Witness
from karma_memory import Code, Event, EventKind
from karma_memory.journal import CorruptJournalError, open_journal


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def seen(machine: Machine, code: str) -> str:
    """Return what a process prints on that machine."""
    environment = {**os.environ, **machine.environment}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_the_clock_is_set_and_waiting_takes_as_long_as_ever(machine: Machine) -> None:
    code = (
        "import multiprocessing, threading, time; before = time.monotonic();"
        "threading.Event().wait(0.1); time.sleep(0.1); lock = multiprocessing.Lock(); lock.acquire();"
        "lock.acquire(timeout=0.1); print(time.time(), time.monotonic() - before)"
    )
    for ahead in (3 * 86400.0, -4 * 86400.0):
        machine.set_clock(ahead)
        now, took = map(float, seen(machine, code).split())
        assert now == pytest.approx(machine.now(), abs=60.0)
        assert 0.3 <= took < 60.0
    assert machine.now() == pytest.approx(time.time() - 86400.0, abs=1.0)


def test_a_timer_of_a_node_goes_on_when_the_clock_was_ahead_and_is_set_back(machine: Machine, domain: int) -> None:
    code = (
        "import rclpy; from karma_ros.timers import steady_timer; rclpy.init(); node = rclpy.create_node('steady');"
        "timer = steady_timer(node, 0.05, lambda: print('tick', flush=True)); rclpy.spin(node)"
    )
    environment = {**os.environ, **machine.environment, "ROS_DOMAIN_ID": str(domain)}
    with subprocess.Popen([sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE, text=True) as node:
        patience = threading.Timer(60.0, node.kill)
        patience.start()
        try:
            assert node.stdout is not None
            for ahead in (86400.0, -86400.0):
                machine.set_clock(ahead)
                assert [node.stdout.readline() for _ in range(20)] == 20 * ["tick\n"]
        finally:
            patience.cancel()
            node.kill()


def test_nothing_fits_on_a_full_disk(machine: Machine, tmp_path: Path) -> None:
    machine.fill_disk(True)
    file = tmp_path / "file"
    free = "import pathlib, shutil; print(shutil.disk_usage('/').free, flush=True)"
    code = f"{free}; pathlib.Path({str(file)!r}).write_text('x')"
    with pytest.raises(subprocess.CalledProcessError) as failed:
        seen(machine, code)
    assert failed.value.stdout == "0\n"
    assert "No space left on device" in failed.value.stderr
    machine.fill_disk(False)
    assert int(seen(machine, code)) > 0
    assert file.read_text() == "x"


def test_a_cut_network_loses_what_comes_and_what_goes(machine: Machine) -> None:
    code = (
        "import socket, sys; ours = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); ours.settimeout(60.0)\n"
        "for line in sys.stdin:\n"
        "    ours.sendto(line.strip().encode(), ('127.0.0.1', int(sys.argv[1])))\n"
        "    print(ours.recvfrom(10)[0].decode() if line == 'hear\\n' else 'said', flush=True)"
    )
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as others:
        others.bind(("127.0.0.1", 0))
        others.settimeout(60.0)
        node = subprocess.Popen(
            [sys.executable, "-c", code, str(others.getsockname()[1])],
            env={**os.environ, **machine.environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert node.stdin is not None
        assert node.stdout is not None

        def tell(line: str) -> None:
            node.stdin.write(f"{line}\n")
            node.stdin.flush()

        with node:
            machine.cut_network(True)
            tell("lost")
            assert node.stdout.readline() == "said\n"
            machine.cut_network(False)
            tell("hear")
            words, address = others.recvfrom(10)
            assert words == b"hear"
            machine.cut_network(True)
            others.sendto(b"lost", address)
            time.sleep(0.5)
            machine.cut_network(False)
            others.sendto(b"sent", address)
            assert node.stdout.readline() == "sent\n"
            node.stdin.close()


def test_a_damaged_page_is_found_and_whole_again_once_mended(tmp_path: Path) -> None:
    database = tmp_path / "memory.sqlite3"
    page = Page(database)
    with open_journal(database) as journal:
        journal.append([Event(str(i), EventKind.TOLD, float(i + 1), text=f"Sentence {i}.") for i in range(30)])
    assert page.damage()
    with pytest.raises(CorruptJournalError), open_journal(database, read_only=True):
        pass
    page.mend()
    with open_journal(database, read_only=True) as journal:
        assert journal.last_sequence == 30


def test_a_model_goes_and_comes_back() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        model = Model(f"http://127.0.0.1:{server.getsockname()[1]}/v1")
        assert model.url.endswith("/v1")
        address = ("127.0.0.1", int(model.url.split(":")[2].split("/")[0]))

        def answered(*, refused: bool = False) -> bytes:
            with closing(socket.create_connection(address, timeout=10.0)) as client, suppress(ConnectionError):
                if not refused:
                    client.sendall(b"hello")
                return client.recv(10)
            return b""

        def answer_once() -> None:
            connection, _ = server.accept()
            with connection:
                connection.sendall(connection.recv(10)[::-1])

        threading.Thread(target=answer_once, daemon=True).start()
        assert answered() == b"olleh"
        model.go()
        assert not model.missed()
        assert answered(refused=True) == b""
        assert model.missed()
        model.come()
        threading.Thread(target=answer_once, daemon=True).start()
        assert answered() == b"olleh"


@pytest.mark.parametrize(
    ("growth", "noise", "flat"), [(0.0, 3.0, True), (0.02, 3.0, False), (0.0017, 3.0, False), (0.0, 40.0, False)]
)
def test_only_what_is_shown_to_be_flat_is_flat(growth: float, noise: float, flat: bool) -> None:
    """The third grows by a tenth as far as one can say, and may well grow by more; so may the last."""
    chance = random.Random(1)
    days = list(range(56))
    values = [100.0 * (1 + growth * day) + chance.gauss(0.0, noise) for day in days]
    found = slope(days, values)
    assert found.flat is flat
    assert slope(days, values, resolved=1000.0).flat
    assert found.low <= 700.0 * growth <= found.high


def test_what_one_process_takes_is_looked_at_where_none_ends_and_latencies_over_all_days() -> None:
    """The machine gets slower, which "ask" shares with its control; "recall" has none."""
    nights = [
        {
            "day": float(day),
            "planner resident MB": 300.0 + 20.0 * max(0, day - 30),
            "ask ms": 2.0 + 0.1 * day,
            "ask ms, control": 1.0 + 0.05 * day,
            "recall ms": 3.0,
            "events": 9.0 * day,
        }
        for day in range(40)
    ]
    for night in nights[::3]:
        night |= {"plan ms": 40.0 + night["day"], "plan ms, control": 40.0}
    found = slopes(nights, 40)
    assert set(found) == {"planner resident MB", "planner resident MB, calm", "ask ms", "plan ms"}
    assert {name for name, its in found.items() if not its.flat} == {"planner resident MB, calm", "plan ms"}


class _Client:
    """Hears what diagnostics the test sends, and answers as a manager that has no planner."""

    def __init__(self) -> None:
        self.node = self

    def create_subscription(self, kind: object, topic: str, hear: Callable[[DiagnosticArray], None], qos: int) -> None:
        self.hear = hear

    def call(self, *_: object, **__: object) -> Trigger.Response:
        return Trigger.Response(success=False, message="planner does not answer: hanging")


def test_an_outage_is_told_by_what_tells_of_it_and_by_nothing_else() -> None:
    client = _Client()
    witness, began = Witness(client, None, client), time.monotonic()  # type: ignore[arg-type]
    status = DiagnosticStatus(level=DiagnosticStatus.WARN, name="perception: camera", message="frames were left out")
    client.hear(DiagnosticArray(status=[status]))
    assert witness.told_since(began, NO_ROOM) == ""
    status.name, status.message = "memory_server: memory", "only 0 MB are free in /data: free some space"
    client.hear(DiagnosticArray(status=[status]))
    assert witness.told_since(began, NO_ROOM) == "memory_server: memory: only 0 MB are free in /data: free some space"
    assert witness.told_since(time.monotonic(), NO_ROOM) == ""
    witness.trouble()
    assert witness.told_since(began, ("planner does not answer",))
    assert not witness.told_since(began, ("sim_bridge does not answer",))


def test_what_is_lost_late_untold_or_growing_is_not_passed(tmp_path: Path) -> None:
    plan = Plan("home1", 8, 1.0, 1, 0)

    def report(**wrong: object) -> dict[str, object]:
        fault = {
            "day": 0,
            "fault": "kill planner",
            "tells": ["planner does not answer"],
            "back_s": 3.0,
            "told": "it is away",
        }
        nights = [
            {
                "day": float(d),
                "planner resident MB": 300.0 + d * wrong.get("mb", 0),
                **dict.fromkeys(LATENCIES, 3.0 + d * wrong.get("ms", 0)),
                **dict.fromkeys((name + CONTROL for name in LATENCIES), 2.0),
                "rooms": 4.0 + d * wrong.get("rooms", 0),
                "planner files": 9,
            }
            for d in range(wrong.get("days", 8))
        ]
        first = {**fault, **{k: v for k, v in wrong.items() if k in fault}}
        record = Record(nights, [first, *(wrong.get("faults", 8) - 1) * [fault]], missing=[])
        record.ledger.kept = wrong.get("kept", {("told", "id", "emma", "My mug is blue.")})
        record.ledger.outcomes = Counter(wrong.get("outcomes", {"ask: SUCCESS": 9}))
        record.missing = wrong.get("missing", [])
        record.ledger.defects = wrong.get("defects", [])
        return record.report(plan)

    assert report()["passed"]
    for wrong in (
        {"missing": ["id"]},
        {"missing": None},
        {"back_s": None},
        {"back_s": 11.0},
        {"told": ""},
        {"defects": ["A defect in the planner: KeyError()"]},
        {"mb": 30.0},
        {"ms": 0.5},
        {"rooms": 1},
        {"days": 7},
        {"faults": 7},
        {"kept": set()},
        {"outcomes": {}},
        {"outcomes": {"ask: SUCCESS": 9, "instruct: no answer": 1}},
    ):
        assert not report(**wrong)["passed"], wrong
    json.dumps(report())
    plot_soak({**report(), "nights": report()["nights"]}, tmp_path / "soak.png")
    assert (tmp_path / "soak.png").stat().st_size > 10_000


def test_what_was_acknowledged_is_lost_where_the_journal_has_other_words(tmp_path: Path) -> None:
    database = tmp_path / "memory.sqlite3"
    events = (
        Event("1", EventKind.TOLD, 1.0, user="emma", text="My mug is blue."),
        Event("2", EventKind.EPISODE_START, 2.0, user="tim", episode="e", text="Go to the sink."),
        Event("3", EventKind.EPISODE_END, 3.0, user="tim", episode="e", code=Code.NOT_FOUND),
        Event("4", EventKind.FEEDBACK, 4.0, user="tim", episode="e", text="Good.", code=Code.SUCCESS),
    )
    with open_journal(database) as journal:
        journal.append(list(events))
    kept = {traces(event) for event in events}
    assert missing(database, Ledger(kept)) == []
    other = {(*each[:-1], "other") for each in kept}
    assert missing(database, Ledger(kept | other)) == sorted(other)
