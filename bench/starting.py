# SPDX-License-Identifier: GPL-2.0-only
"""How long it takes until events are being recorded."""

import contextlib
import functools
import subprocess
import time

import recorders
from harness import Case, Table, Unavailable
from producing import SCHED_SWITCH
from recorders import INSTANCE, LOADER, ROOT, TRACEFS, need, perf_record, process, run, tree

SYSTEMS = ("sched", "irq", "timer", "block", "net")


def hundred_tracepoints():
    names = sorted(path.parent.name for path in (TRACEFS / "events/syscalls").glob("sys_enter_*/id"))
    if len(names) < 100:
        raise Unavailable("this kernel has no tracepoints of system calls")
    return [f"syscalls:{name}" for name in names[:100]]


def milliseconds(command):
    before = time.monotonic()
    command()
    return (time.monotonic() - before) * 1e3


# ---- persist-bpf -------------------------------------------------------------------------------


def loader_add(specs, _):
    specs = specs()
    return milliseconds(lambda: run(LOADER, "add", "--root", ROOT, *specs))


def start_default_set(_):
    # What the machine's administrator has configured is not the default.
    return milliseconds(lambda: run(LOADER, "start", "--root", ROOT))


@contextlib.contextmanager
def empty_tree():
    """A tree that exists: what add finds."""
    with tree("task:task_newtask"):
        yield


# ---- the others --------------------------------------------------------------------------------


def bpftrace_start(specs, _):
    need("bpftrace")
    probes = ",".join(f"tracepoint:{spec}" for spec in specs())
    script = f'{probes} {{ @events = count(); }} interval:ms:1 {{ printf("attached\\n"); }}'
    before = time.monotonic()
    command = ("bpftrace", "-q", "-e", script)
    with process(*command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as child:
        if not child.stdout.readline():
            raise Unavailable("bpftrace cannot attach as many probes")
        return (time.monotonic() - before) * 1e3


def perf_start(specs, _):
    before = time.monotonic()
    with perf_record("-a", *(word for spec in specs() for word in ("-e", spec))):
        return (time.monotonic() - before) * 1e3


def trace_cmd_start(specs, _):
    words = [word for spec in specs() for word in ("-e", spec)]
    return milliseconds(lambda: recorders.trace_cmd("start", "-B", INSTANCE, *words))


@contextlib.contextmanager
def no_instance():
    recorders.remove_instance()
    try:
        yield
    finally:
        recorders.remove_instance()


# ------------------------------------------------------------------------------------------------


def start_table(name, title, specs):
    """The same events for all of them; @specs is called when they are needed."""
    others = [
        ("bpftrace", "bpftrace, counting", bpftrace_start, contextlib.nullcontext),
        ("perf", "perf record", perf_start, contextlib.nullcontext),
        ("trace-cmd", "trace-cmd start", trace_cmd_start, no_instance),
    ]
    cases = [
        Case("add", "loader add", functools.partial(loader_add, specs), empty_tree, reference="perf")
    ]
    cases += [
        Case(name, label, functools.partial(measure, specs), setup, reference="perf")
        for name, label, measure, setup in others
    ]
    return Table(name, f"Start of recording, {title}", "ms", cases, rounds=3, seconds=20)


def default_set_table():
    cases = [Case("start", "loader start", start_default_set, tree)]
    title = "Start of recording, default set in a new tree"
    return Table("start-default", title, "ms", cases, rounds=5, seconds=10)


def tables():
    return [
        default_set_table(),
        start_table("start-one", SCHED_SWITCH, lambda: [SCHED_SWITCH]),
        start_table("start-hundred", "100 tracepoints", hundred_tracepoints),
        start_table(
            "start-systems",
            f"every tracepoint of {', '.join(SYSTEMS)}",
            lambda: [f"{system}:*" for system in SYSTEMS],
        ),
    ]
