"""What reports said over time, as pages show it: since when, and what changed with which report."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from pathlib import Path

from accelerator_portal.catalog import Catalog
from accelerator_portal.reports.identity import Identity, identity_of, parse_key
from accelerator_portal.reports.outcomes import Outcome
from accelerator_portal.reports.report import Report, TestEntry
from accelerator_portal.results.archive import (
    BASES,
    History,
    basis_of,
    read_history,
    with_reports,
)
from accelerator_portal.results.history import ChangeKind, OutcomeChange
from accelerator_portal.results.standing import Basis, Point, Standing, State
from accelerator_portal.site.results_view import ResultsView


@dataclass(frozen=True, slots=True)
class HistoryStep:
    """What a report changed of a test, in as many of its settings as went the same way."""

    suite: str
    name: str
    kind: ChangeKind
    before: Outcome | None
    after: Outcome | None
    settings: str
    """In words: `inference: float16, bfloat16; training: float16`."""
    count: int


@dataclass(frozen=True, slots=True)
class Episode:
    """What one report changed; `first_seen` is how many tests the first of all brought."""

    accelerator: str
    basis: Basis
    point: Point
    steps: tuple[HistoryStep, ...]
    first_seen: int = 0

    @property
    def anchor(self) -> str:
        """Its id on the page of changes: `changed-xpu-0123456789abcdef`."""
        return f"changed-{self.accelerator}-{self.point.id}"

    @property
    def summary(self) -> str:
        """How many tests changed how, settings counted one by one: `9 fixed, 1 gone`."""
        if self.first_seen:
            return f"the first known report, {self.first_seen:,} tests"
        found: dict[ChangeKind, int] = {}
        for step in self.steps:
            found[step.kind] = found.get(step.kind, 0) + step.count
        return ", ".join(f"{n:,} {_plural(kind, n)}" for kind, n in sorted(found.items()))


@dataclass(frozen=True)
class Past:
    """The histories of all platforms."""

    histories: tuple[History, ...]

    def of(self, accelerator: str, basis: Basis) -> History:
        """Return the history of an accelerator, which may be empty."""
        empty = History(State(accelerator, basis))
        return self._by_place.get((accelerator, basis), empty)

    def standing(self, report: Report, test: TestEntry) -> Standing | None:
        """Return how a test stands if this report is the last that has it."""
        found = self._standings.get((report.accelerator, basis_of(report)), {})
        standing = found.get(identity_of(test).key)
        last = standing is not None and standing.last_seen.started == report.started
        return standing if last else None

    @cached_property
    def episodes(self) -> tuple[Episode, ...]:
        """What each report changed, the newest first; those that changed nothing are left out."""
        found = [episode for history in self.histories for episode in _episodes(history)]
        order = {history.state.accelerator: n for n, history in enumerate(self.histories)}
        found.sort(key=lambda e: (order[e.accelerator], e.basis))
        return tuple(sorted(found, key=lambda e: e.point.started, reverse=True))

    @cached_property
    def of_tests(self) -> Mapping[tuple[str, str], list[tuple[Episode, HistoryStep]]]:
        """What changed of a test, by suite and name, the newest first."""
        found: dict[tuple[str, str], list[tuple[Episode, HistoryStep]]] = {}
        for episode in self.episodes:
            for step in episode.steps:
                found.setdefault((step.suite, step.name), []).append((episode, step))
        return found

    @cached_property
    def _by_place(self) -> dict[tuple[str, Basis], History]:
        return {(h.state.accelerator, h.state.basis): h for h in self.histories}

    @cached_property
    def _standings(self) -> dict[tuple[str, Basis], dict[str, Standing]]:
        return {place: dict(history.state.tests()) for place, history in self._by_place.items()}


def past(catalog: Catalog, root: Path, results: ResultsView) -> Past:
    """Return what is kept below `root`, and the newer reports of the folders on top of it.

    Raises ProblemsError where what is kept cannot be read.
    """
    found = []
    for platform in catalog.platforms:
        for basis in BASES:
            kept = read_history(root, platform.id, basis)
            reports = [s for s in results.of(platform.id) if basis_of(s.report) == basis]
            history = with_reports(kept, reports)
            if history.state.reports or history.left_out:
                found.append(history)
    return Past(tuple(found))


def _plural(kind: ChangeKind, number: int) -> str:
    return "expectations changed" if kind == "expectation changed" and number > 1 else kind


def _episodes(history: History) -> Iterator[Episode]:
    """What each report changed; what the first of all brought is only counted."""
    state = history.state
    first = min((point.started for point in state.reports.values()), default=None)
    for (started, report), together in groupby(
        history.changes, key=lambda c: (c.started, c.report)
    ):
        changes = list(together)
        point = state.reports[report]
        if started == first:
            yield Episode(state.accelerator, state.basis, point, (), len(changes))
        else:
            yield Episode(state.accelerator, state.basis, point, tuple(_steps(changes)))


def _steps(changes: Iterable[OutcomeChange]) -> Iterator[HistoryStep]:
    found: dict[tuple[str, str, ChangeKind, Outcome | None, Outcome | None], list[Identity]] = {}
    for change in changes:
        test = parse_key(change.key)
        way = (test.suite, test.name, change.kind, change.outcome_before, change.outcome)
        found.setdefault(way, []).append(test)
    for (suite, name, kind, before, after), tests in found.items():
        yield HistoryStep(suite, name, kind, before, after, _settings(tests), len(tests))


def _settings(tests: Iterable[Identity]) -> str:
    """In words which settings of a test are meant, by mode; empty where it has none."""
    modes: dict[str, list[str]] = {}
    for test in tests:
        said = dict(test.parameters)
        mode = said.pop("mode", "")
        modes.setdefault(mode, []).append(" ".join(said.values()))
    shared = _shared(modes.values())
    words = []
    for mode, others in modes.items():
        short = [other.removeprefix(shared).strip() for other in others]
        listed = ", ".join(filter(None, short))
        words.append(": ".join(filter(None, (mode, listed))))
    return "; ".join(filter(None, words))


def _shared(groups: Iterable[list[str]]) -> str:
    """The first word if all have it: the compiler, which the history of a suite hardly changes."""
    firsts = {text.partition(" ")[0] for group in groups for text in group}
    return firsts.pop() if len(firsts) == 1 else ""
