"""Reports as hypothesis draws them: any value that the format allows."""

from __future__ import annotations

import datetime as dt
from typing import TypeVar, get_args

from hypothesis import strategies as st

from accelerator_reports.file_reading import ImportResult
from accelerator_reports.files.fields import VERDICT_MARK
from accelerator_reports.files.text_file import HIDDEN_CHARACTER
from accelerator_reports.outcomes import Outcome, ReportKind, Stage
from accelerator_reports.report import (
    EARLIEST_TIME,
    Component,
    Environment,
    Evidence,
    KnownIssue,
    Metric,
    OperatorCoverage,
    Report,
    Suite,
    TestEntry,
    Trigger,
)
from accelerator_reports.suite_file import SuiteKind
from accelerator_reports.test_keys import identity_of

# Any character but half of a pair, which no text in UTF-8 has.
CHARACTERS = st.characters(exclude_categories=["Cs"])
VISIBLE = st.text(CHARACTERS, min_size=1, max_size=200).map(
    lambda text: VERDICT_MARK.sub("?", HIDDEN_CHARACTER.sub("?", text))
)
TEXT = st.one_of(st.text(CHARACTERS, min_size=1, max_size=60), st.just("x\n" * 2000))
VISIBLE_TEXT = TEXT.map(lambda text: HIDDEN_CHARACTER.sub("?", text))
NAMES = st.one_of(
    VISIBLE,
    st.sampled_from(
        [
            "test_x",
            "TestX::test_y",
            "TestOpsCUDA::test_add_cuda_float32",
            "t[cpu-float32]",
            "a.py::b",
        ]
    ),
)
IDS = st.sampled_from(["dtype", "case", "device", "retries", "a-b", "a_b", "x.1"])
SCALARS = st.one_of(
    st.just("") | VISIBLE,
    st.sampled_from(["float32", "bf16", "cuda", "cuda:0"]),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
)
COVERED = OperatorCoverage(covered=("add", "mm"), registered=944, core=2, core_missing=("cat",))
PARAMETERS = st.builds(
    lambda mode, others: {**mode, **others},
    st.sampled_from([{}, {"mode": "inference"}, {"mode": "x.y-1"}]),
    st.dictionaries(IDS, SCALARS, max_size=3),
)
SUITES = st.sampled_from(["models", "unit_tests", "a.b-c"])
URLS = st.sampled_from(["https://example.org/1", "https://example.org/2?x=1&y=%3C"])
MOMENTS = st.timedeltas(dt.timedelta(days=1), dt.timedelta(days=80_000)).map(
    lambda age: EARLIEST_TIME + age
)

T = TypeVar("T")


def optional(strategy: st.SearchStrategy[T]) -> st.SearchStrategy[T | None]:
    return st.one_of(st.none(), strategy)


FIGURES = st.floats(allow_nan=False, allow_infinity=False)
METRICS = st.builds(
    Metric, value=st.one_of(FIGURES, st.just(2.0)), unit=st.sampled_from(["1", "s"])
)
ENTRIES = st.builds(
    TestEntry,
    suite=SUITES,
    name=NAMES,
    parameters=PARAMETERS,
    outcome=st.sampled_from(get_args(Outcome)),
    stage=optional(st.sampled_from(get_args(Stage))),
    raw_status=optional(st.one_of(VISIBLE, st.sampled_from(["xfail", "failure", "timeout"]))),
    duration_s=optional(
        st.one_of(
            st.floats(0, allow_nan=False, allow_infinity=False),
            st.integers(0, 10**6).map(lambda milliseconds: milliseconds / 1000),
        )
    ),
    reason=optional(TEXT),
    log_tail=optional(TEXT),
    known_issue=optional(st.builds(KnownIssue, url=URLS)),
    metrics=st.dictionaries(IDS, METRICS, max_size=2),
    evidence=st.lists(st.builds(Evidence, label=VISIBLE, url=URLS), max_size=2).map(tuple),
    command=optional(VISIBLE_TEXT),
)
ENVIRONMENTS = st.builds(
    Environment,
    torch=optional(VISIBLE),
    os=optional(VISIBLE),
    hardware=optional(VISIBLE),
    hardware_count=optional(st.integers(1, 8)),
    plugin=optional(st.builds(Component, name=VISIBLE, version=optional(VISIBLE))),
    packages=st.dictionaries(VISIBLE, VISIBLE, max_size=2),
)


@st.composite
def reports(draw: st.DrawFn) -> Report:
    """A report whose tests all have an identity of their own and a suite that it declares."""
    tests = draw(st.lists(ENTRIES, max_size=5, unique_by=identity_of))
    names = dict.fromkeys([*(test.suite for test in tests), draw(SUITES)])
    return Report(
        schema_version=1,
        accelerator="made-up",
        kind=draw(st.sampled_from(get_args(ReportKind))),
        trigger=Trigger(kind="manual", repository="example/example", commit="0123abc"),
        started=draw(optional(MOMENTS)),
        finished=draw(optional(MOMENTS)),
        environment=draw(ENVIRONMENTS),
        note=draw(optional(VISIBLE_TEXT)),
        suites=tuple(
            Suite(
                name=name,
                kind=draw(st.sampled_from(get_args(SuiteKind))),
                planned=draw(optional(st.integers(0, 9))),
                operators=draw(optional(st.just(COVERED))),
                command=draw(optional(VISIBLE_TEXT)),
            )
            for name in names
        ),
        tests=tuple(tests),
    )


def of(report: Report) -> ImportResult:
    """What a reader gives of a report of which nothing was lost."""
    return ImportResult(
        report.suites,
        report.tests,
        report.environment,
        report.started,
        report.finished,
        report.note,
    )
