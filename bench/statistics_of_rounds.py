# SPDX-License-Identifier: GPL-2.0-only
"""What is made of the values of all rounds: medians, spreads and ratios of one round."""

import dataclasses
import statistics
from typing import Optional

# Half of the rounds lie within this part of their median, or the run says that they do not.
WIDE_SPREAD = 0.10


@dataclasses.dataclass
class Summary:
    """Median over the rounds, and how far the middle half of them reaches, relative to it."""

    median: float
    spread: float

    @property
    def is_wide(self):
        return self.spread > WIDE_SPREAD


def summarize(values):
    if not values:
        return None
    median = statistics.median(values)
    if len(values) < 2:
        return Summary(median, 0.0)
    low, _, high = statistics.quantiles(values, n=4, method="inclusive")
    return Summary(median, (high - low) / abs(median) if median else 0.0)


class TableValues:
    """The values of a table as run_table() returns it."""

    def __init__(self, table):
        self.cases = {case["name"]: case for case in table["cases"]}

    def of(self, name):
        """A value for each round, the baseline's subtracted."""
        case = self.cases.get(name)
        if not case:
            return []
        if not case["baseline"]:
            return case["values"]
        return [a - b for a, b in zip(case["values"], self.cases[case["baseline"]]["values"])]

    def summary(self, name) -> Optional[Summary]:
        return summarize(self.of(name))

    def ratio(self, name, reference) -> Optional[Summary]:
        pairs = zip(self.of(name), self.of(reference))
        return summarize([a / b for a, b in pairs if b > 0])
