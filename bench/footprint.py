# SPDX-License-Identifier: GPL-2.0-only
"""Memory: of an event in the kernel, and of the programs while they run."""

import contextlib
import functools
import json
import subprocess

from harness import Case, Table
from producing import GETPPID, PRODUCER_CPU, SCHED_SWITCH, SYS_ENTER, produce
from recorders import LOADER, READER, ROOT, need, run, tree


def status():
    return json.loads(run(LOADER, "status", "--root", ROOT, "--json"))["events"][0]


def ring_bytes(_):
    return status()["ring_bytes"] / 1024


def other_bytes(_):
    event = status()
    return (event["locked_bytes"] - event["ring_bytes"]) / 1024


def event_table():
    cases = []
    for event in (SYS_ENTER, SCHED_SWITCH, "sched:sched_process_exec", GETPPID):
        for name, label, measure in (
            ("rings", "rings", ring_bytes),
            ("others", "all but its rings", other_bytes),
        ):
            setup = functools.partial(tree, event)
            cases.append(Case(f"{event}-{name}", f"{event}, {label}", measure, setup))
    return Table("event-memory", "Locked memory of one event, all CPUs", "KiB", cases, rounds=1)


def resident(*command):
    """What GNU time calls the maximum resident set, for a child of its own small process."""
    need("time")
    done = subprocess.run(
        ("time", "--quiet", "-f", "%M", *command),
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False,
    )  # fmt: skip
    return float(done.stderr.split()[-1])


@contextlib.contextmanager
def full_event():
    with tree(SYS_ENTER):
        produce("getppid", cpus=(PRODUCER_CPU,))
        yield


def program_table():
    attach = (READER, "attach", "--root", ROOT, "sys_enter")
    cases = [
        Case("start", "loader start, default set", lambda _: resident(LOADER, "start", "--root", ROOT), tree),
        Case("add", "loader add of one event", lambda _: resident(LOADER, "add", "--root", ROOT, SCHED_SWITCH), full_event),
        Case("text", "reader attach", lambda _: resident(*attach), full_event),
        Case("json", "reader attach --json", lambda _: resident(*attach, "--json"), full_event),
    ]  # fmt: skip
    title = "Resident memory of the programs at most"
    return Table("program-memory", title, "KiB", cases, rounds=3, seconds=20)


def tables():
    return [event_table(), program_table()]
