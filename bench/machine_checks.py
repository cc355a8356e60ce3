# SPDX-License-Identifier: GPL-2.0-only
"""
What recording and counting a machine check takes, in a virtual machine: the machine that measures
may have none.

The emulator counts instructions, and its guest's clocks go by that, so that a nanosecond there is
an instruction. How long these take on a processor is another matter.
"""

import functools
import pathlib

from harness import Case, Table, Unavailable
from recorders import need, run

BOOT = str(pathlib.Path(__file__).with_name("boot_guest"))
KERNEL = "6.12"


@functools.cache
def costs():
    """Of each case, the median instructions between two clocks that enclose it."""
    need("qemu-system-x86_64")
    lines = [line.split() for line in run(BOOT, "mce_cost", "1", KERNEL, "count").splitlines()]
    return {line[1]: float(line[3]) for line in lines if line[0] == "cost:" and float(line[2])}


def cost(name, _):
    if name not in costs():
        raise Unavailable("the virtual machine did not come as far as that")
    return costs()[name]


def tables():
    cases = [
        ("nothing", "nothing attached"),
        ("empty", "empty raw tracepoint"),
        ("floor", "clock and current task, raw tracepoint"),
        ("head", "persist, head ring, and totals"),
        ("tail", "persist, tail in an array, and totals"),
    ]
    enclosed = [
        Case(name, label, functools.partial(cost, name), baseline="nothing", reference="empty")
        for name, label in cases[1:]
    ]
    clocks = Case(*cases[0], functools.partial(cost, "nothing"))
    title = f"Added instructions of mce:mce_record, Linux {KERNEL} in an emulator that counts them"
    return [Table("mce", title, "instructions", [clocks, *enclosed], rounds=1)]
