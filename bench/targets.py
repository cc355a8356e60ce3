# SPDX-License-Identifier: GPL-2.0-only
"""What the numbers should be."""

import dataclasses
from typing import Optional

from statistics_of_rounds import Summary, TableValues


@dataclasses.dataclass
class Target:
    """
    A case's value, or with @against its ratio to another one of the same round, shall be at most
    @bound, or with @at_least no less.
    """

    what: str
    table: str
    case: str
    bound: float
    against: Optional[str] = None
    at_least: bool = False
    unit: str = ""

    def measured(self, tables) -> Optional[Summary]:
        if self.table not in tables:
            return None
        values = TableValues(tables[self.table])
        return values.ratio(self.case, self.against) if self.against else values.summary(self.case)

    def is_met(self, summary):
        return summary.median >= self.bound if self.at_least else summary.median <= self.bound

    def __str__(self):
        sign = "≥" if self.at_least else "≤"
        return f"{sign} {self.bound:g}{' ' if self.unit else ''}{self.unit}"


TARGETS = [
    # The same targets for a loop of system calls, and for one inside the kernel, whose numbers
    # are more exact.
    Target("both, head full / clock and task, getppid", "producer", "both", 1.1, "floor"),
    Target("both, head full / clock and task, in the kernel", "trigger", "both", 1.1, "floor"),
    Target("both, head full / ftrace, getppid", "producer", "both", 0.75, "ftrace"),
    Target("both, head full / ftrace, in the kernel", "trigger", "both", 0.75, "ftrace"),
    Target("both, head full / perf record, getppid", "producer", "both", 0.25, "perf"),
    Target("both, head full / perf record, in the kernel", "trigger", "both", 0.25, "perf"),
    Target("head ring / ftrace, getppid", "producer", "head", 1.0, "ftrace"),
    Target("head ring / ftrace, in the kernel", "head", "head", 1.0, "ftrace"),
    Target("mce_record / empty program, raw tracepoints, instructions", "mce", "tail", 1.5, "empty"),
    Target("every CPU / one CPU, both", "every-cpu", "both-all", 1.1, "both-one"),
    Target("64 following readers / none, producer", "followers", "64", 1.02, "0"),
    Target("raw scan", "reading", "scan", 20, at_least=True, unit="million/s"),
    Target("text / perf script, lines", "reading", "text", 3, "perf", at_least=True),
    Target("JSON / perf script, lines", "reading", "json", 5, "perf", at_least=True),
    Target("wake-up latency, wakeup=1, p99", "latency", "wakeup-p99", 200, unit="µs"),
    Target("wake-up latency, polling, p99", "latency", "polling-p99", 20000, unit="µs"),
    Target("idle follower, polling", "idle", "polling", 0.2, unit="% of a CPU"),
    Target("idle follower, wakeup=1", "idle", "wakeup", 0.2, unit="% of a CPU"),
    Target("reader attach to first line", "first-line", "default", 5, unit="ms"),
    Target("reader attach / perf script, first line", "first-line", "text", 0.1, "perf"),
    Target("loader start, default set", "start-default", "start", 500, unit="ms"),
    Target("loader add of one event", "start-one", "add", 50, unit="ms"),
    Target("loader add of 100", "start-hundred", "add", 2000, unit="ms"),
]
