"""Collects each test of a suite with its results in all reports, for the pages of the tests."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from accelerator_portal.catalog import Catalog
from accelerator_portal.catalog.message import comma_list
from accelerator_portal.results.evidence_level import has_change_on_same_code, is_flaky
from accelerator_portal.results.history import ResultState, result_kind
from accelerator_portal.results.result_matrices import group_of
from accelerator_portal.results.stored_reports import StoredReport
from accelerator_portal.site.results.history_view import ChangedReport, ResultChange, TestHistories
from accelerator_portal.site.results.results_view import (
    ResultsView,
    address_of,
    anchor_of,
    evidence_suffix,
    history_address,
)
from accelerator_portal.site.text_formats import Anchors, format_number
from accelerator_reports.files.wording import count
from accelerator_reports.outcomes import UNSUCCESSFUL, WORST_FIRST, Outcome
from accelerator_reports.report import Environment, Metric, Report, TestEntry
from accelerator_reports.report_views import repeat_command, seed_of
from accelerator_reports.test_ids import identity_of

MOST_RESULTS = 120
"""The maximum number of results on a page that shows a suite's failing tests with one initial
letter. A single test with more results is shown completely. With this maximum, the page has at most
6,000 elements and 400 kB."""

_HARNESS_COMMAND = "accelerator-portal validate "


def recent_words(state: ResultState) -> str | None:
    """Return the last good and bad results of a test in words: `2 of the last 3 passed`.

    None if there are fewer than two.
    """
    if len(state.recent) < 2:  # noqa: PLR2004 - one result shows no change
        return None
    passed = sum(result.endswith("+") for result in state.recent)
    words = f"{passed} of the last {len(state.recent)} passed"
    if has_change_on_same_code(state):
        return f"{words}; flaky: passed and failed on the same code"
    return f"{words}; flaky" if is_flaky(state) else words


@dataclass(frozen=True, slots=True)
class ReportedTest:
    """The result of a test in one report; `report` and `kind` are the report's id and kind.

    `mode` is the test's parameter `mode`, or empty. `group` has all parameters except the mode as
    text: `inductor, float32`. `address` is the address of the test, relative to `results/`.
    """

    report: str
    accelerator: str
    kind: str
    mode: str
    group: str
    address: str
    test: TestEntry
    since: str | None = None
    """The day since which the outcome is the same: `2026-11-21`, or `at least 2026-11-21` if the
    outcome never changed. If a newer report has the test, the text is instead the day of `report`
    with a note: `2026-11-21; a newer report exists`. None if only one report has the test, or if
    the day is unknown."""
    recent: tuple[str, ...] = ()
    """The test's last good and bad results, oldest first, as `ResultState.recent` has them."""
    runs: str | None = None
    """`recent` in words. None if there are fewer than two, if the report is a baseline, or if a
    newer report has the test."""
    day: dt.date | None = None
    """The day of the report; None if the report has no date."""
    environment: str = ""
    """The software and the device, in words; empty if the report states neither."""
    run_url: str | None = None
    """The address of the CI run, or None."""
    command: str | None = None
    """The command that repeats the test or ran its suite; None if the report states neither."""
    seed: int | None = None
    """The seed of the test's random numbers, if the harness of this project made them."""
    of_model: bool = False
    """Whether the suite tests whole models."""
    whole_suite: bool = False
    """Whether the command runs the whole suite and not only this test."""
    anchor: str = ""
    """The result's id on the page of the test."""
    history: str | None = None
    """The address of the test on the page of test histories, relative to `results/`. None if there
    is no history, or if a newer report has the test."""

    @property
    def settings(self) -> str:
        """All parameters of the test as a text, the mode first: `inference, inductor, float32`."""
        return ", ".join(filter(None, (self.mode, self.group)))

    @property
    def evidence_address(self) -> str:
        """The address where readers find the result and its log, relative to `results/`."""
        return self.address + evidence_suffix(self.mode, self.report, self.group)

    @property
    def notes(self) -> tuple[str, ...]:
        """The stage and the reason of the outcome, as texts."""
        test = self.test
        stage = f"stage: {test.stage}" if test.stage else None
        return tuple(filter(None, (stage, test.reason)))

    @property
    def since_words(self) -> str | None:
        """`since`, or the day of the report with a note: `2026-11-21 (only report)`.

        The note is used if `since` is None. The result is None if the day of the report is unknown,
        too.
        """
        return self.since or (f"{self.day} (only report)" if self.day else None)

    @property
    def lacks(self) -> str | None:
        """What a reader needs to repeat the test and the report does not state, in words.

        None if nothing is missing, and for a baseline, which nobody ran.
        """
        if self.kind == "baseline":
            return None
        facts = {
            "the inputs": self.test.inputs,
            "the allowed difference": self.test.tolerance,
            "the address of the run": self.run_url,
            "a command for this test": None if self.whole_suite else self.command,
        }
        missing = [name for name, value in facts.items() if value is None]
        return comma_list(missing) if missing else None

    @property
    def allowed(self) -> str | None:
        """The allowed difference from the reference, as text; None if it is not stated."""
        if self.test.tolerance is None:
            return None
        rtol, atol = self.test.tolerance.rtol, self.test.tolerance.atol
        if self.of_model and self.mode == "training":
            return f"{rtol:g} of a gradient's norm"
        return f"{rtol:g} of the reference + {atol:g}" + self.of_model * " of its largest number"

    @property
    def measured(self) -> dict[str, str]:
        """The measured values as texts, by name: `max abs difference` is `0.5`."""
        return {
            name.replace("_", " "): f"{format_number(metric.value)}"
            f"{f' {metric.unit}' if metric.unit != '1' else ''}{_interval_words(metric)}"
            for name, metric in self.test.metrics.items()
        }

    @property
    def metrics(self) -> tuple[str, ...]:
        """The measured values with their names: `max abs difference 0.5`, `latency 1.5 ms`."""
        return tuple(f"{name} {value}" for name, value in self.measured.items())


def _interval_words(metric: Metric) -> str:
    """Return a median's interval and repeats as text to append: ` (1.2 to 1.4, 30 repeats)`.

    A fact that the metric lacks is left out; without both, the text is empty.
    """
    interval = " to ".join(format_number(value) for value in metric.interval or ())
    repeats = count(metric.repeats, "repeat") if metric.repeats else ""
    words = ", ".join(filter(None, (interval, repeats)))
    return f" ({words})" if words else ""


@dataclass(frozen=True, slots=True)
class SameModelTest:
    """A test that uses the same model as a `TestView`, in another suite or under another name.

    `address` is relative to `results/`.
    """

    suite: str
    name: str
    address: str


@dataclass(frozen=True, slots=True)
class TestView:
    """A test and all its results.

    `anchor` is the id of the test on the page. `same` are tests of the same model in other suites
    or under other names. `same_note` states how these tests differ from this test, or is None.
    `changes` has a pair for each change of the test's outcome, newest first. The first item is the
    `ChangedReport` of the report that shows the change, the second item is the change.
    """

    __test__ = False

    name: str
    anchor: str
    results: tuple[ReportedTest, ...]
    same: tuple[SameModelTest, ...]
    same_note: str | None
    changes: tuple[tuple[ChangedReport, ResultChange], ...]

    @property
    def failures(self) -> tuple[ReportedTest, ...]:
        """The results of runs that did not succeed, whatever the cause."""
        return tuple(
            result
            for result in self.results
            if result.kind != "baseline" and result.test.outcome in UNSUCCESSFUL
        )

    @property
    def outcomes(self) -> tuple[tuple[Outcome, str, int], ...]:
        """The numbers of results: outcome, `run` or `baseline`, and number.

        Runs come before baselines, and the worst outcome first.
        """
        counts = Counter(
            (result.test.outcome, "baseline" if result.kind == "baseline" else "run")
            for result in self.results
        )
        return tuple(
            (outcome, kind, counts[outcome, kind])
            for kind in ("run", "baseline")
            for outcome in WORST_FIRST
            if counts[outcome, kind]
        )


def reported_tests(stored: StoredReport, suite: str | None = None) -> Iterator[ReportedTest]:
    """Yield the result of each test in a report.

    If `suite` is given, only tests of this suite are included.
    """
    report = stored.report
    commands = {s.name: s.command for s in report.suites}
    kinds = {s.name: s.kind for s in report.suites}
    environment = _environment_words(report.environment)
    for test in report.tests:
        if suite not in {None, test.suite}:
            continue
        suite_command = commands.get(test.suite)
        own_command = repeat_command(test, suite_command)
        by_harness = own_command is not None and own_command.startswith(_HARNESS_COMMAND)
        # Tests of pytest and of PyTorch have seeds of their own.
        is_seeded = by_harness and "--py" not in (own_command or "")
        yield ReportedTest(
            stored.id,
            report.accelerator,
            report.kind,
            str(test.parameters.get("mode", "")),
            group_of(test),
            address_of(test.suite, test.name),
            test,
            day=stored.day,
            environment=environment,
            run_url=str(report.run_url) if report.run_url else None,
            command=own_command or suite_command,
            seed=seed_of(identity_of(test).key) if is_seeded else None,
            of_model=kinds.get(test.suite) == "model",
            whole_suite=own_command is None and suite_command is not None,
        )


def _environment_words(environment: Environment) -> str:
    """Return software and device in one line: `torch 2.13.0, Python 3.11, Linux, 2 × device`.

    The digests of lock files follow.
    """
    device = environment.hardware
    if device and environment.hardware_count:
        device = f"{environment.hardware_count} × {device}"
    components = (environment.plugin, environment.sdk, environment.backend)
    words = (
        f"torch {environment.torch}" if environment.torch else None,
        *(f"{c.name} {c.version or ''}".strip() for c in components if c),
        f"driver {environment.driver}" if environment.driver else None,
        f"Python {environment.python}" if environment.python else None,
        environment.os,
        environment.arch,
        device,
        *(f"{name} (SHA-256 {digest})" for name, digest in environment.locks.items()),
    )
    return ", ".join(word for word in words if word)


def tests_of_suite(
    catalog: Catalog, results: ResultsView, histories: TestHistories, suite: str
) -> list[TestView]:
    """Return the tests of a suite, sorted by name, each with all its results.

    `histories` has the earlier outcomes of each test. `ReportedTest.since` is taken from them.
    """
    results_by_name: dict[str, list[ReportedTest]] = {}
    for stored in results.reports:
        for result in reported_tests(stored, suite):
            complete_result = _with_history(histories, stored.report, result)
            results_by_name.setdefault(result.test.name, []).append(complete_result)
    order = {platform.id: n for n, platform in enumerate(catalog.platforms)}
    return [
        TestView(
            name,
            anchor_of(name),
            tuple(_with_anchors(results_by_name[name], order)),
            *_same_model_tests(catalog, results, suite, name),
            tuple(histories.changes_by_test.get((suite, name), ())),
        )
        for name in sorted(results_by_name, key=lambda name: (name.casefold(), name))
    ]


def _with_anchors(results: list[ReportedTest], order: Mapping[str, int]) -> Iterator[ReportedTest]:
    """Yield a test's results with `anchor` set, sorted by mode, parameters, platform and report.

    `order` has the position of each platform by its id. If two results would have the same anchor,
    a number is appended to the second anchor.
    """
    anchors = Anchors()
    ordered = sorted(results, key=lambda r: (r.mode, r.group, order[r.accelerator], r.report))
    for result in ordered:
        anchor = result.evidence_address.partition("#")[2]
        yield replace(result, anchor=anchors.take(anchor))


def _with_history(histories: TestHistories, report: Report, result: ReportedTest) -> ReportedTest:
    """Return a copy of `result` with the fields that the test's history states.

    `report` is the report that contains the result. If a newer report has the test, only `since` is
    set. Without a history, `result` is returned unchanged.
    """
    state = histories.state_of(report, result.test)
    if state is None or report.started is None:
        return result
    if state.last_seen.started > report.started:
        return replace(result, since=f"{result.day}; a newer report exists")
    if state.last_seen.started < report.started:  # it was left out
        return result
    return replace(
        result,
        since=_since_words(state),
        recent=state.recent,
        runs=None if report.kind == "baseline" else recent_words(state),
        history=history_address(
            f"{report.accelerator}-{result_kind(report)}", result.test.suite, result.test.name
        ),
    )


def _since_words(state: ResultState) -> str | None:
    """Return the day since which a test's outcome is the same, such as `2026-11-21`.

    If the outcome never changed, the text is `at least 2026-11-21`, because the outcome can be
    older than the first report. None if only one report has the test.
    """
    if state.first_seen == state.last_seen:
        return None
    since_day = f"{state.since.started:%Y-%m-%d}"
    return f"at least {since_day}" if state.since == state.first_seen else since_day


def _same_model_tests(
    catalog: Catalog, results: ResultsView, suite: str, name: str
) -> tuple[tuple[SameModelTest, ...], str | None]:
    full_name = f"{suite}/{name}"
    for model in catalog.models.models if catalog.models else ():
        if full_name in model.names:
            other_parts = (
                other_name.partition("/") for other_name in model.names if other_name != full_name
            )
            tests = (
                SameModelTest(s, n, address_of(s, n))
                for s, _, n in other_parts
                if (s, n) in results.tests
            )
            return tuple(tests), model.note
    return (), None


def static_tests(tests: Iterable[TestView]) -> list[TestView]:
    """Return the tests to show on the static page of one initial, in the given order.

    `tests` are all tests with this initial. The page shows the tests that failed in a run: other
    pages link to them as evidence, and readers without scripts must find them. If these tests have
    more than MOST_RESULTS such results, the most recently changed tests are selected first. At
    least one test is selected. The data files of the suite have all tests.
    """
    failing_tests = [test for test in tests if test.failures]
    kept_names: set[str] = set()
    results_left = MOST_RESULTS
    for test in sorted(failing_tests, key=_urgency_key):
        results_left -= len(test.failures)
        if results_left < 0 and kept_names:
            break
        kept_names.add(test.name)
    return [test for test in failing_tests if test.name in kept_names]


def failing_count(tests: Iterable[TestView]) -> int:
    """Return the number of tests that fail in at least one run."""
    return sum(bool(test.failures) for test in tests)


def _urgency_key(test: TestView) -> float:
    """Return a key that sorts the most recently changed tests first."""
    return -max((report.point.started.timestamp() for report, _ in test.changes), default=0.0)
