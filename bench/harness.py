# SPDX-License-Identifier: GPL-2.0-only
"""
Runs tables of cases, and nothing else: what is measured and how, is said by the cases.

The cases of a table are interleaved, A B C A B C, so that a machine that changes its speed changes
it for all of them. Everything that is compared is compared inside of one round, and the median over
the rounds is what counts.
"""

import contextlib
import dataclasses
import sys
import time
from typing import Any, Callable, ContextManager, Optional

FEWEST_ROUNDS = 3
# In front of the reason why a case has no values although it should have.
FAILED = "failed: "


class Unavailable(Exception):
    """A case cannot be measured on this machine; the text says why."""


@dataclasses.dataclass
class Case:
    """
    One line of a table. What its functions raise, Unavailable or RuntimeError, becomes its result.

    name       unique in its table, for the JSON and the targets
    label      for people
    measure    gets what setup yields, and returns a number in the table's unit
    setup      context manager around each measurement
    baseline   case whose value is subtracted, of the same round
    reference  case that the ratio is taken to, of the same round
    """

    name: str
    label: str
    measure: Callable[[Any], float]
    setup: Callable[[], ContextManager] = contextlib.nullcontext
    baseline: Optional[str] = None
    reference: Optional[str] = None


@dataclasses.dataclass
class Table:
    """
    Cases that are compared with each other.

    unit      of their values; one that contains "/s" is better if it is more
    setup     context manager around all rounds
    rounds    how many are wanted
    seconds   after which no more round is begun, if there have been FEWEST_ROUNDS
    """

    name: str
    title: str
    unit: str
    cases: list
    setup: Callable[[], ContextManager] = contextlib.nullcontext
    rounds: int = 9
    seconds: float = 60


def progress(text):
    if sys.stderr.isatty():
        sys.stderr.write("\r\033[K" + text)
        sys.stderr.flush()


def measure_once(case):
    with case.setup() as state:
        return case.measure(state)


def run_rounds(table, values, skipped):
    end = time.monotonic() + table.seconds
    for number in range(table.rounds):
        if number >= FEWEST_ROUNDS and time.monotonic() > end:
            break
        for case in table.cases:
            if case.name in skipped:
                continue
            progress(f"{table.name} {number + 1}/{table.rounds} {case.label}")
            try:
                values[case.name].append(measure_once(case))
            except Unavailable as reason:
                skipped[case.name] = str(reason)
            except RuntimeError as error:
                skipped[case.name] = f"{FAILED}{error}"
    progress("")


def run_table(table):
    """Returns what goes into the JSON: the cases with their values, one for each round."""
    values = {case.name: [] for case in table.cases}
    skipped = {}
    try:
        with table.setup():
            run_rounds(table, values, skipped)
    except Unavailable as reason:
        skipped = {case.name: str(reason) for case in table.cases}
    except RuntimeError as error:
        skipped = {case.name: f"{FAILED}{error}" for case in table.cases}
    return {
        "name": table.name,
        "title": table.title,
        "unit": table.unit,
        "cases": [
            {
                "name": case.name,
                "label": case.label,
                "baseline": case.baseline,
                "reference": case.reference,
                "values": [] if case.name in skipped else values[case.name],
                "skipped": skipped.get(case.name),
            }
            for case in table.cases
        ],
    }
