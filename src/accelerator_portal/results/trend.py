"""How often what was said of a suite's tests, after each report that changed something."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby

from accelerator_portal.reports.identity import parse_key
from accelerator_portal.reports.outcomes import Outcome
from accelerator_portal.results.history import OutcomeChange


@dataclass(frozen=True, slots=True)
class Tally:
    """How many tests of a suite had which outcome from a moment on."""

    started: dt.datetime
    counts: Mapping[Outcome, int]


def tallies(changes: Iterable[OutcomeChange]) -> dict[str, tuple[Tally, ...]]:
    """Return the tallies of each suite, in the order of time, from all changes of a history.

    A report that changed nothing of a suite adds none: the last tally holds.
    """
    now: dict[str, Outcome] = {}
    counts: dict[str, Counter[Outcome]] = {}
    found: dict[str, list[Tally]] = {}
    for (started, _), together in groupby(sorted(changes), key=lambda c: (c.started, c.report)):
        touched: dict[str, None] = {}
        for change in together:
            suite = parse_key(change.key).suite
            touched[suite] = None
            count = counts.setdefault(suite, Counter())
            before = now.pop(change.key, None)
            if before:
                count[before] -= 1
            if change.outcome:
                now[change.key] = change.outcome
                count[change.outcome] += 1
        for suite in touched:
            present = {outcome: n for outcome, n in counts[suite].items() if n}
            found.setdefault(suite, []).append(Tally(started, present))
    return {suite: tuple(points) for suite, points in sorted(found.items())}
