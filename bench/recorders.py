# SPDX-License-Identifier: GPL-2.0-only
"""
What can be attached to a tracepoint, each as a context manager: when its body runs, events are
being recorded, and behind it nothing of it is left.
"""

import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import time

from harness import Unavailable

TRACEFS = pathlib.Path("/sys/kernel/tracing")
ROOT = "/sys/fs/bpf/persist-bench"
INSTANCE = "persist-bench"

BUILD = pathlib.Path(os.environ.get("OUTPUT", "build")).absolute()
WORK = BUILD / "bench" / "work"
LOADER = str(BUILD / "loader")
READER = str(BUILD / "reader")


def tool(name):
    """Path of a program that the benchmarks bring themselves."""
    return str(BUILD / "bench" / name)


def run(*command, **options):
    """Runs a command that has to succeed, and returns its standard output."""
    done = subprocess.run(
        command, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, **options
    )
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip()}")
    return done.stdout


def need(program):
    if not shutil.which(program):
        raise Unavailable(f"{program} is not installed")


def need_tracepoint(event):
    if not (TRACEFS / "events" / event.replace(":", "/")).is_dir():
        raise Unavailable(f"this kernel has no {event}")


@contextlib.contextmanager
def process(*command, end=signal.SIGINT, **options):
    """A process that is told to end, and waited for, behind the body."""
    child = subprocess.Popen(command, **options)
    try:
        yield child
    finally:
        if child.stdin:
            child.stdin.close()
        if end and child.poll() is None:
            child.send_signal(end)
        try:
            child.wait(timeout=30)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
        if child.stdout:
            child.stdout.close()


# ---- references --------------------------------------------------------------------------------


@contextlib.contextmanager
def reference(program, event):
    """A program of reference.bpf.c."""
    need_tracepoint(event)
    with process(
        tool("reference"), program, event,
        end=None, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as child:  # fmt: skip
        if child.stdout.readline() != "attached\n":
            raise RuntimeError(f"reference {program} {event} failed")
        yield


# ---- persist-bpf -------------------------------------------------------------------------------


def stop_tree():
    """Removes the benchmarks' own tree, if there is one."""
    if os.path.isdir(ROOT):
        run(LOADER, "stop", "--root", ROOT)
        with contextlib.suppress(OSError):
            os.rmdir(ROOT)


@contextlib.contextmanager
def tree(*specs):
    """A tree of persistent events."""
    for spec in specs:
        need_tracepoint(spec.split("/")[0])
    stop_tree()
    if specs:
        run(LOADER, "start", "--root", ROOT, *(word for spec in specs for word in ("-e", spec)))
    try:
        yield
    finally:
        stop_tree()


def has_overwrite_ringbuf():
    probe = json.loads(run(LOADER, "probe", "--json"))
    return probe["overwrite_ringbuf"]["present"]


@contextlib.contextmanager
def overwrite_ringbuf(spec):
    if not has_overwrite_ringbuf():
        raise Unavailable("this kernel has no BPF_F_RB_OVERWRITE")
    with tree(spec):
        yield


# ---- ftrace ------------------------------------------------------------------------------------


def remove_instance():
    path = TRACEFS / "instances" / INSTANCE
    if not path.is_dir():
        return
    (path / "events" / "enable").write_text("0")
    for _ in range(50):
        # Somebody may have a file of it open for a moment.
        with contextlib.suppress(OSError):
            path.rmdir()
            return
        time.sleep(0.02)


@contextlib.contextmanager
def ftrace(event):
    """An instance with a ring of its own, of the size that the kernel gives it."""
    need_tracepoint(event)
    remove_instance()
    path = TRACEFS / "instances" / INSTANCE
    path.mkdir()
    try:
        (path / "events" / event.replace(":", "/") / "enable").write_text("1")
        yield
    finally:
        remove_instance()


def trace_cmd(*arguments):
    """Runs trace-cmd, which some kernels do not let do what it insists on."""
    need("trace-cmd")
    try:
        return run("trace-cmd", *arguments)
    except RuntimeError as error:
        raise Unavailable(" ".join(str(error).split("trace-cmd: ", 1)[-1].split())) from error


# ---- perf --------------------------------------------------------------------------------------

# More than a producer writes in one batch: nothing is lost, so that every event is paid for.
PERF_BUFFER = "4M"


@contextlib.contextmanager
def perf_record(*options, output=None):
    """perf record, enabled when the body begins."""
    need("perf")
    output = output or WORK / "perf.data"
    control, ack = os.pipe(), os.pipe()
    command = ["perf", "record", "--quiet", "--delay=-1", f"--control=fd:{control[0]},{ack[1]}"]
    command += ["-m", PERF_BUFFER, "-o", str(output), *options]
    try:
        with process(*command, pass_fds=(control[0], ack[1]), stderr=subprocess.DEVNULL):
            os.close(ack[1])
            os.write(control[1], b"enable\n")
            if not os.read(ack[0], 5):
                raise RuntimeError(f"{' '.join(command)} failed")
            yield
    finally:
        for fd in (*control, ack[0]):
            os.close(fd)


# ---- bpftrace ----------------------------------------------------------------------------------

BPFTRACE_COUNT = "{ @events = count(); }"
BPFTRACE_PRINT = {
    "bpf_test_run:bpf_trigger_tp": '{ printf("%llu %d %d %d %s %d\\n", nsecs, cpu, pid, tid, comm,'
    " args->nonce); }",
    "raw_syscalls:sys_enter": '{ printf("%llu %d %d %d %s %ld %lx %lx %lx %lx %lx %lx\\n", nsecs,'
    " cpu, pid, tid, comm, args->id, args->args[0], args->args[1], args->args[2], args->args[3],"
    " args->args[4], args->args[5]); }",
    "sched:sched_switch": '{ printf("%llu %d %d %d %s %s %d %d %ld %s %d %d\\n", nsecs, cpu, pid,'
    " tid, comm, args->prev_comm, args->prev_pid, args->prev_prio, args->prev_state,"
    " args->next_comm, args->next_pid, args->next_prio); }",
}


def wait_for_line(line, path, child):
    while line not in path.read_text(errors="replace"):
        if child.poll() is not None:
            raise RuntimeError(f"{child.args[0]} ended with {child.returncode}")
        time.sleep(0.02)


@contextlib.contextmanager
def bpftrace(event, action):
    """Attached when an interval, which is attached last, has printed something."""
    need("bpftrace")
    need_tracepoint(event)
    path = WORK / "bpftrace.out"
    script = f'tracepoint:{event} {action} interval:ms:50 {{ printf("attached\\n"); }}'
    with path.open("w") as output:
        with process("bpftrace", "-q", "-e", script, stdout=output, stderr=output) as child:
            wait_for_line("attached\n", path, child)
            yield
