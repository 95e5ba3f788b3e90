"""Which tests of a suite stand on static pages, and which ones the browser reads on demand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from accelerator_portal.reports.outcomes import BAD
from accelerator_portal.reports.store import StoredReport
from accelerator_portal.site.result_addresses import initial
from accelerator_portal.site.suite_tests import TestView

# Results on the page of a letter, of which a test has one for each platform and setting: two
# megabytes at most, and less than 100 kB as servers send them.
MOST_RESULTS = 800

# Names on the page of all letters, each with a link.
MOST_NAMES = 3_000


def large_suites(reports: Iterable[StoredReport]) -> frozenset[str]:
    """Return the suites whose tests do not all fit on static pages."""
    by_letter: Counter[tuple[str, str]] = Counter()
    names: dict[str, set[str]] = {}
    for stored in reports:
        for test in stored.report.tests:
            by_letter[test.suite, initial(test.name)] += 1
            names.setdefault(test.suite, set()).add(test.name)
    full = {suite for (suite, _), results in by_letter.items() if results > MOST_RESULTS}
    return frozenset(full | {suite for suite, own in names.items() if len(own) > MOST_NAMES})


def static_tests(tests: Sequence[TestView]) -> list[TestView]:
    """Return the tests of a letter that its page shows: all that fit, the newest failures first.

    They stay in their order; a first test always fits.
    """
    if sum(len(test.results) for test in tests) <= MOST_RESULTS:
        return list(tests)
    kept: set[str] = set()
    room = MOST_RESULTS
    for test in sorted(tests, key=_urgency):
        room -= len(test.results)
        if room < 0 and kept:
            break
        kept.add(test.name)
    return [test for test in tests if test.name in kept]


def failing(tests: Iterable[TestView]) -> int:
    """Return how many tests fail in some report."""
    return sum(map(_fails, tests))


def _fails(test: TestView) -> bool:
    return any(result.test.outcome in BAD for result in test.results)


def _urgency(test: TestView) -> tuple[bool, float]:
    """What fails comes first, what changed last before what has been so for long."""
    changed = max((episode.point.started.timestamp() for episode, _ in test.changes), default=0.0)
    return not _fails(test), -changed
