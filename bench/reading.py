# SPDX-License-Identifier: GPL-2.0-only
"""How fast what was recorded is read: the library alone, and lines of text and JSON."""

import contextlib
import functools
import os
import statistics
import subprocess
import time

import recorders
from harness import Case, Table, Unavailable
from producing import GETPPID, PRODUCER_CPU, SYS_ENTER, cpu_seconds
from recorders import (
    INSTANCE, LOADER, READER, ROOT, TRACEFS, WORK, need, perf_record, process, remove_instance, run, tool, tree,
)  # fmt: skip

# A record of SYS_ENTER is 136 bytes, in the array ring 192.
RING = "16M"
RECORDS = (16 << 20) // 192
EVENT = "sys_enter"
PERF_DATA = WORK / "reading.perf.data"
TRACE_DAT = WORK / "reading.trace.dat"


# A little more than fits into the ring, so slowly that the others lose nothing.
PACE = ("--events", "1000", "--batches", str(RECORDS // 1000), "--pause-us", "2000")


def produce_records():
    run(tool("producer"), "getppid", "--cpus", str(PRODUCER_CPU), *PACE)


def trace_cmd_record():
    """trace-cmd ends when its command does."""
    recorders.trace_cmd(
        "record", "-q", "-B", INSTANCE, "-b", "16384", "-o", str(TRACE_DAT), "-e", SYS_ENTER,
        tool("producer"), "getppid", "--cpus", str(PRODUCER_CPU), *PACE,
    )  # fmt: skip


@contextlib.contextmanager
def full_buffers():
    """The same number of events of the same kind, in everybody's own format."""
    need("perf")
    with perf_record("-e", SYS_ENTER, "-C", str(PRODUCER_CPU), output=PERF_DATA):
        produce_records()
    with contextlib.suppress(Unavailable):
        trace_cmd_record()
    remove_instance()
    with tree(f"{SYS_ENTER}/keep=latest,ring=array,tail={RING}/"):
        produce_records()
        # Without its link the program runs no more: what readers do is not recorded.
        os.unlink(f"{ROOT}/{EVENT}/link")
        yield


def need_trace_dat(command):
    if command[0] == "trace-cmd" and not TRACE_DAT.exists():
        raise Unavailable("trace-cmd record does not work here")


def lines_per_second(*command):
    """Millions of lines of output for each second of CPU time."""
    need_trace_dat(command)
    with process(*command, end=None, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as child:
        lines = 0
        while chunk := child.stdout.read(1 << 20):
            lines += chunk.count(b"\n")
        usage = os.wait4(child.pid, 0)[2]
        child.returncode = 0
    return lines / (usage.ru_utime + usage.ru_stime) / 1e6


def perf_data_rate(_):
    """Millions of samples that are written for each second of CPU time."""
    output = WORK / "reading.ours.data"
    command = (READER, "record", "--root", ROOT, "--quiet", "-e", EVENT, "-o", str(output), "true")
    with process(*command, end=None, stderr=subprocess.DEVNULL) as child:
        status, usage = os.wait4(child.pid, 0)[1:]
        child.returncode = status
    output.unlink()
    if status:
        raise RuntimeError("reader record failed")
    return RECORDS / (usage.ru_utime + usage.ru_stime) / 1e6


def scan_rate(_):
    output = run(tool("scan"), f"{ROOT}/{EVENT}", "5").splitlines()
    return 1e3 / statistics.median(float(line.split()[1]) for line in output)


def reading_table():
    attach = (READER, "attach", "--root", ROOT, EVENT)
    commands = [
        ("text", "reader attach", attach),
        ("json", "reader attach --json", (*attach, "--json")),
        ("perf", "perf script", ("perf", "script", "-i", str(PERF_DATA))),
        ("trace-cmd", "trace-cmd report", ("trace-cmd", "report", "-i", str(TRACE_DAT))),
    ]
    cases = [Case("scan", "library alone", scan_rate, reference="perf")]
    cases += [Case("perf-data", "reader record", perf_data_rate, reference="perf")]
    cases += [
        Case(name, label, lambda _, command=command: lines_per_second(*command), reference="perf")
        for name, label, command in commands
    ]
    title = f"Reading {RECORDS} records of {SYS_ENTER}"
    return Table("reading", title, "million/s", cases, full_buffers, rounds=7, seconds=30)


# ---- the first line ----------------------------------------------------------------------------


def first_line(*command):
    """Milliseconds from the start of a command to its first output."""
    need_trace_dat(command)
    before = time.monotonic()
    with process(*command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as child:
        if not os.read(child.stdout.fileno(), 1):
            raise RuntimeError(f"{' '.join(command)} printed nothing")
        return (time.monotonic() - before) * 1e3


DEFAULT_RINGS = "sys_enter_default"


@contextlib.contextmanager
def full_buffers_of_both_sizes():
    with full_buffers():
        spec = f"{SYS_ENTER}/ring=array,name={DEFAULT_RINGS}/"
        run(LOADER, "add", "--root", ROOT, spec)
        produce_records()
        os.unlink(f"{ROOT}/{DEFAULT_RINGS}/link")
        yield


def first_line_table():
    commands = [
        ("default", "reader attach, default rings", (READER, "attach", "--root", ROOT, DEFAULT_RINGS)),
        ("text", f"reader attach, ring of {RING}", (READER, "attach", "--root", ROOT, EVENT)),
        ("perf", "perf script", ("perf", "script", "-i", str(PERF_DATA))),
        ("trace-cmd", "trace-cmd report", ("trace-cmd", "report", "-i", str(TRACE_DAT))),
    ]  # fmt: skip
    cases = [
        Case(name, label, lambda _, command=command: first_line(*command), reference="perf")
        for name, label, command in commands
    ]
    title = f"From the start of a reader to its first line, {RECORDS} records of {SYS_ENTER}"
    setup = full_buffers_of_both_sizes
    return Table("first-line", title, "ms", cases, setup, rounds=9, seconds=20)


# ---- following ---------------------------------------------------------------------------------


def latency(percentile, _):
    output = run(tool("wakeup_latency"), f"{ROOT}/sys_enter_getppid", str(PRODUCER_CPU), "300")
    return statistics.quantiles(map(int, output.split()), n=100)[percentile - 1] / 1e3


def latency_table():
    kinds = ("wakeup", "wakeup=1", 1), ("polling", "polling", 0)
    cases = [
        Case(f"{name}-p{percentile}", f"{label}, p{percentile}",
             functools.partial(latency, percentile),
             functools.partial(tree, f"{GETPPID}/keep=latest,wakeup={wakeup}/"))
        for name, label, wakeup in kinds for percentile in (50, 99)
    ]  # fmt: skip
    title = f"From an event to a following reader that has it, {GETPPID}"
    return Table("latency", title, "µs", cases, rounds=3, seconds=25)


IDLE_SECONDS = 4
MANY = 100


def many_quiet_events():
    """Tracepoints of system calls that nobody makes while this is measured."""
    quiet = ("key", "quota", "module", "mq_", "timer_", "swap", "xattr", "msg", "sem", "shm", "landlock")
    names = sorted(
        path.parent.name
        for path in (TRACEFS / "events/syscalls").glob("sys_*/id")
        if any(word in path.parent.name for word in quiet)
    )
    if len(names) < MANY:
        raise Unavailable(f"this kernel has no {MANY} tracepoints of system calls that nobody makes")
    return names[:MANY]


@contextlib.contextmanager
def idle_followers(number, wakeup, events=lambda: ["sys_enter_getppid"]):
    names = events()
    command = (READER, "attach", "--follow", "--root", ROOT, *names)
    specs = [f"syscalls:{name}/head=4K,tail=8K,wakeup={wakeup}/" for name in names]
    with tree(*specs), contextlib.ExitStack() as stack:
        children = [
            stack.enter_context(process(*command, stdout=subprocess.DEVNULL)) for _ in range(number)
        ]
        time.sleep(1)
        yield children


def idle_share(children):
    """Of each of them."""
    before = cpu_seconds(children)
    time.sleep(IDLE_SECONDS)
    return (cpu_seconds(children) - before) / IDLE_SECONDS / len(children) * 100


def sleep_only(_):
    """What the machine takes to wake a process as often, which then does nothing."""
    before = time.thread_time_ns()
    clock = time.monotonic()
    while time.monotonic() < clock + IDLE_SECONDS:
        time.sleep(0.019)
    return (time.thread_time_ns() - before) / 1e9 / IDLE_SECONDS * 100


def idle_table():
    followers = [
        ("wakeup", "wakeup=1", (1, 1)),
        ("polling", "polling", (1, 0)),
        ("polling-64", "polling, each of 64", (64, 0)),
        ("polling-events", f"polling, {MANY} events", (1, 0, many_quiet_events)),
    ]
    cases = [
        Case(name, label, idle_share, functools.partial(idle_followers, *arguments))
        for name, label, arguments in followers
    ]
    cases.append(Case("sleep", "a loop that only sleeps as long", sleep_only))
    title = "CPU time of one follower while nothing happens"
    return Table("idle", title, "% of a CPU", cases, rounds=5, seconds=120)


def tables():
    return [reading_table(), first_line_table(), latency_table(), idle_table()]
