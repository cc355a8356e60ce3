# SPDX-License-Identifier: GPL-2.0-only
"""What an event costs the one who makes it happen, with one recorder or another attached."""

import contextlib
import functools
import os
import signal
import subprocess

import recorders
from harness import Case, Table, Unavailable
from recorders import READER, ROOT, process, run, tool, tree

SYS_ENTER = "raw_syscalls:sys_enter"
SCHED_SWITCH = "sched:sched_switch"
# Happens to nobody but the producer, so that readers do not feed themselves.
GETPPID = "syscalls:sys_enter_getppid"
# Made to happen in a loop inside the kernel: what little there is around it costs some nanoseconds,
# so that it shows differences that are lost in the noise of system calls.
TRIGGER = "bpf_test_run:bpf_trigger_tp"

CPUS = sorted(os.sched_getaffinity(0))
PRODUCER_CPU = CPUS[-1]
OTHER_CPUS = CPUS[:-1] or CPUS

BATCHES, WARM_UP = 60, 10


def most_exact():
    """Event and producer for what does not depend on them."""
    if (recorders.TRACEFS / "events" / TRIGGER.replace(":", "/")).is_dir():
        return TRIGGER, "trigger"
    return SYS_ENTER, "getppid"


def produce(kind, cpus=(PRODUCER_CPU,), events=1000, pause_us=500, batches=BATCHES, part=0.5):
    """Nanoseconds of CPU time per event: the median (or another @part) of many short batches."""
    output = run(
        tool("producer"), kind, "--cpus", ",".join(map(str, cpus)), "--batches", str(batches),
        "--warm-up", str(WARM_UP), "--events", str(events), "--pause-us", str(pause_us),
    )  # fmt: skip
    costs = sorted(map(float, output.split()))
    return costs[int(len(costs) * part)]


def start_with_other_cpus():
    """Keeps what is started from here on off the producer's CPU."""
    os.sched_setaffinity(0, OTHER_CPUS)


# ---- one recorder or another -------------------------------------------------------------------

# Holds all that a producer writes in one measurement.
ROOMY_HEAD = "16M"


def recorder_cases(event, kind, cpus=(PRODUCER_CPU,)):
    """The same lines for every event and producer."""
    measure = lambda _: produce(kind, cpus)  # noqa: E731
    perf = ("-e", event, "-C", ",".join(map(str, cpus)))
    recorder = functools.partial
    setups = [
        ("empty", "empty tracepoint program", recorder(recorders.reference, "empty", event)),
        ("raw", "empty raw tracepoint", recorder(recorders.reference, "empty_raw", event)),
        ("floor", "clock and current task only", recorder(recorders.reference, "clock_and_task", event)),
        ("raw-floor", "the same, raw tracepoint", recorder(recorders.reference, "clock_and_task_raw", event)),
        ("head", "persist, head ring, first pass", recorder(tree, f"{event}/keep=oldest,head={ROOMY_HEAD}/")),
        ("tail", "persist, tail in an array", recorder(tree, f"{event}/keep=latest,ring=array/")),
        ("both", "persist, both, head full", recorder(tree, f"{event}/keep=both,ring=array/")),
        ("overwrite", "persist, tail in a ringbuf", recorder(recorders.overwrite_ringbuf, f"{event}/keep=latest,ring=ringbuf/")),
        ("ftrace", "ftrace", recorder(recorders.ftrace, event)),
        ("perf", "perf record", recorder(recorders.perf_record, *perf)),
        ("perf-overwrite", "perf record --overwrite", recorder(recorders.perf_record, "--overwrite", *perf)),
        ("bpftrace-count", "bpftrace, counting", recorder(recorders.bpftrace, event, recorders.BPFTRACE_COUNT)),
        ("bpftrace-print", "bpftrace, printing", recorder(recorders.bpftrace, event, recorders.BPFTRACE_PRINT[event])),
    ]  # fmt: skip
    cases = [Case("nothing", "nothing attached", measure)]
    cases += [
        Case(name, label, measure, setup, baseline="nothing", reference="ftrace")
        for name, label, setup in setups
    ]
    return cases


def producer_table(name, title, event, kind):
    return Table(name, title, "ns", recorder_cases(event, kind), rounds=9, seconds=70)


# ---- the head ring, page by page ---------------------------------------------------------------

# A page of a ring holds some forty records of TRIGGER: most of such batches do not begin a new one.
WITHIN_A_PAGE = {"events": 20, "pause_us": 0, "batches": 600, "part": 0.2}


def head_table():
    """
    A head ring is written once, from its first page to its last. What the first touch of each page
    costs says more about the machine (on one under a hypervisor with shadow page tables, 6 µs) than
    about recorders: here is the rest of it.
    """
    measure = lambda _: produce("trigger", **WITHIN_A_PAGE)  # noqa: E731
    cases = recorder_cases(TRIGGER, "trigger")
    wanted = ("nothing", "floor", "head", "tail", "ftrace")
    cases = [case for case in cases if case.name in wanted]
    for case in cases:
        case.measure = measure
        case.label = case.label.removesuffix(", first pass")
    title = f"Added cost of {TRIGGER}, without the first touch of each page"
    return Table("head", title, "ns", cases, rounds=11, seconds=30)


# ---- every CPU at once -------------------------------------------------------------------------


def every_cpu_table():
    """Each recorder with producers on one CPU and on all, in the same round."""
    cases = []
    event, kind = most_exact()
    for suffix, where, cpus in ("one", "one CPU", (PRODUCER_CPU,)), ("all", "every CPU", CPUS):
        for case in recorder_cases(event, kind, cpus):
            if case.name not in ("nothing", "floor", "both", "ftrace", "perf"):
                continue
            if case.baseline:
                case.baseline = f"nothing-{suffix}"
            case.reference = f"{case.name}-one" if suffix == "all" and case.baseline else None
            case.name += f"-{suffix}"
            case.label += f", {where}"
            cases.append(case)
    title = f"Added cost of {event} with producers on one CPU and on all {len(CPUS)}"
    return Table("every-cpu", title, "ns", cases, rounds=7, seconds=40)


# ---- followers ---------------------------------------------------------------------------------

# Ten thousand events a second: as many as 64 readers on one CPU can show.
PACED = {"events": 100, "pause_us": 10000, "batches": 60}


@contextlib.contextmanager
def followers(number):
    """Readers that follow the event and write its lines nowhere."""
    command = (READER, "attach", "--follow", "--root", ROOT, "sys_enter_getppid")
    with tree(f"{GETPPID}/keep=latest/"), contextlib.ExitStack() as stack:
        yield [
            stack.enter_context(process(*command, end=signal.SIGTERM, stdout=subprocess.DEVNULL))
            for _ in range(number)
        ]


def cpu_seconds(children):
    total = 0
    for child in children:
        with open(f"/proc/{child.pid}/schedstat", encoding="ascii") as file:
            total += int(file.read().split()[0])
    return total / 1e9


FOLLOWERS = (0, 1, 8, 64)


def followers_table():
    """The producer's side of it."""
    measure = lambda _: produce("getppid", **PACED)  # noqa: E731
    cases = [Case("nothing", "nothing attached", measure)]
    cases += [
        Case(str(number), f"{number} following readers", measure,
             functools.partial(followers, number), baseline="nothing", reference="0")
        for number in FOLLOWERS
    ]  # fmt: skip
    title = f"Added cost of {GETPPID} with following readers, 10,000 events a second"
    return Table("followers", title, "ns", cases, rounds=5, seconds=40)


def follower_time(children):
    """Nanoseconds of CPU time of one reader for one record."""
    before = cpu_seconds(children)
    produce("getppid", **PACED)
    records = (PACED["batches"] + WARM_UP) * PACED["events"]
    return (cpu_seconds(children) - before) * 1e9 / records / len(children)


def follower_time_table():
    cases = [
        Case(str(number), f"{number} following readers", follower_time,
             functools.partial(followers, number), reference="1")
        for number in FOLLOWERS if number
    ]  # fmt: skip
    title = "CPU time of each following reader for one line of text, 10,000 events a second"
    return Table("follower-time", title, "ns", cases, rounds=3, seconds=20)


# ---- growth ------------------------------------------------------------------------------------

# What hardly happens on a machine that runs benchmarks.
QUIET_SYSTEMS = ("xfs", "btrfs", "ext4", "erofs", "jbd2", "kvm", "kvmmmu", "mptcp", "sunrpc",
                 "nfs", "cgroup", "power", "thermal", "fib", "fib6", "bridge", "iommu", "damon",
                 "hugetlbfs", "ksm", "cpuhp", "devlink", "cfg80211", "mac80211", "drm", "scsi",
                 "libata", "nvme", "sock", "thp", "vmscan", "oom", "swiotlb")  # fmt: skip


def quiet_tracepoints(number):
    """Names of tracepoints that are persisted only so that they are many."""
    found = []
    for system in QUIET_SYSTEMS:
        for path in sorted((recorders.TRACEFS / "events" / system).glob("*/id")):
            found.append(f"{system}:{path.parent.name}")
    # A name that two systems have would need one of its own.
    by_name = {event.split(":")[1]: event for event in found}
    if len(by_name) < number:
        raise Unavailable(f"this kernel has only {len(by_name)} tracepoints of quiet systems")
    return list(by_name.values())[:number]


@contextlib.contextmanager
def among_others(event, number):
    specs = [f"{event}/keep=latest/"]
    specs += [f"{other}/keep=latest,tail=4K/" for other in quiet_tracepoints(number - 1)]
    with tree(*specs):
        yield


MEBI = 1 << 20


@contextlib.contextmanager
def touched_ring(event, kind, size):
    """A ring that has been written once, all of it: each record takes at least 128 bytes."""
    with tree(f"{event}/keep=latest,ring=array,tail={size}/"):
        produce(kind, events=10000, pause_us=0, batches=size // 128 // 10000 + 1)
        yield


def growth_tables():
    event, kind = most_exact()
    measure = lambda _: produce(kind)  # noqa: E731
    nothing = Case("nothing", "nothing attached", measure)
    events = [nothing] + [
        Case(str(number), f"{number} event{'s' * (number > 1)} persisted", measure,
             functools.partial(among_others, event, number), baseline="nothing", reference="1")
        for number in (1, 10, 100, 500)
    ]  # fmt: skip
    rings = [nothing] + [
        Case(label, f"ring of {label}", measure,
             functools.partial(touched_ring, event, kind, size),
             baseline="nothing", reference="256K")
        for label, size in (("64K", MEBI // 16), ("256K", MEBI // 4), ("1M", MEBI),
                            ("16M", 16 * MEBI), ("256M", 256 * MEBI))
    ]  # fmt: skip
    return [
        Table("growth-events", f"Added cost of {event} with more events in the tree", "ns",
              events, rounds=2, seconds=25),
        Table("growth-rings", f"Added cost of {event} with larger rings", "ns",
              rings, rounds=5, seconds=25),
    ]  # fmt: skip


def tables():
    return [
        producer_table("trigger", f"Added cost of {TRIGGER}, a loop inside the kernel on one CPU",
                       TRIGGER, "trigger"),
        head_table(),
        producer_table("producer", f"Added cost of {SYS_ENTER}, getppid() on one CPU",
                       SYS_ENTER, "getppid"),
        producer_table("switch", f"Added cost of {SCHED_SWITCH}, two processes over a pipe on "
                       "one CPU", SCHED_SWITCH, "pipe"),
        every_cpu_table(),
        followers_table(),
        follower_time_table(),
        *growth_tables(),
    ]  # fmt: skip
