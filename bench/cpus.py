# SPDX-License-Identifier: GPL-2.0-only
"""What an event takes on machines with more CPUs: virtual ones, emulated by software."""

import functools
import pathlib

from harness import Case, Table, Unavailable
from recorders import need, run

BOOT = str(pathlib.Path(__file__).with_name("boot_guest"))
CPUS = (2, 8, 64)

# One boot gives all of its numbers.
boots = {}


def boot(cpus):
    if cpus not in boots:
        need("qemu-system-x86_64")
        lines = [line.split() for line in run(BOOT, "growth", str(cpus), "6.12").splitlines()]
        boots[cpus] = {line[1]: float(line[2]) for line in lines if line[0] == "growth:"}
        if "locked_bytes" not in boots[cpus]:
            raise Unavailable(f"a machine with {cpus} CPUs did not come up in time")
    return boots[cpus]


def ring_kib(cpus, _):
    return boot(cpus)["ring_bytes"] / 1024 / cpus


def other_kib(cpus, _):
    return (boot(cpus)["locked_bytes"] - boot(cpus)["ring_bytes"]) / 1024 / cpus


def number(what, cpus, _):
    return boot(cpus)[what]


def growth_table(name, title, unit, measures):
    cases = []
    for case, label, measure in measures:
        reference = f"{case}-{CPUS[0]}"
        cases += [
            Case(f"{case}-{cpus}", f"{label}, {cpus} CPUs", functools.partial(measure, cpus),
                 reference=reference)
            for cpus in CPUS
        ]  # fmt: skip
    return Table(name, title, unit, cases, rounds=1)


def tables():
    return [
        growth_table("cpus-memory", "Locked memory of one event for each CPU of a virtual machine",
                     "KiB", [("rings", "rings", ring_kib), ("others", "all else", other_kib)]),
        growth_table("cpus-time", "Time in a virtual machine without hardware acceleration", "ms",
                     [("add", "loader add", functools.partial(number, "add_ms")),
                      ("attach", "reader attach", functools.partial(number, "attach_ms"))]),
    ]  # fmt: skip
