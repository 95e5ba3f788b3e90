"""Reports that are made up: of no run, of no accelerator that exists."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args

from hypothesis import strategies as st

from accelerator_portal.results.history import History, ResultState, result_kind
from accelerator_portal.results.result_table import ResultTable
from accelerator_portal.results.stored_reports import StoredReport
from accelerator_reports.known_issues import KnownFailure
from accelerator_reports.outcomes import Outcome
from accelerator_reports.report import Report
from tests.reports.examples import report as example

START = dt.datetime(2026, 3, 1, 2, 0, tzinfo=dt.UTC)

Outcomes = Mapping[str, Outcome | tuple[Outcome, str]]

OUTCOMES = st.sampled_from(get_args(Outcome))
STAGES = st.sampled_from(["compile", "run", "compare"])
NAMES = st.sampled_from(["a", "b", "a/b", "a?mode=training", "c?mode=training", "c?shapes=2"])
DAYS = st.dictionaries(NAMES, st.tuples(OUTCOMES, STAGES), max_size=6)
HISTORIES = st.lists(DAYS, min_size=1, max_size=12)


def made_up(day: int, outcomes: Outcomes, **changed: object) -> Report:
    """A report of a day; the tests by name, with an outcome or an outcome and a stage.

    A name may end with parameters, as a key has them: `model?mode=training`.
    """
    return Report.model_validate(
        {
            "schema_version": 1,
            "accelerator": "example",
            "kind": "self-reported",
            "trigger": {"kind": "nightly"},
            "started": START + dt.timedelta(days=day),
            "environment": {"torch": f"2.{day}"},
            "suites": [{"name": "models", "kind": "model"}],
            "tests": [_test(name, said) for name, said in outcomes.items()],
        }
        | changed
    )


def stored_example(name: str, *tests: dict[str, Any], **changes: Any) -> StoredReport:  # noqa: ANN401
    """The example report as a stored report with this id, with other tests and fields."""
    return StoredReport(name, f"{name}.json", example(*tests, **changes), None)


def stored(name: str, report: Report) -> StoredReport:
    """A report as it lies in the folder of a platform, under this name."""
    return StoredReport(name, f"accelerators/example/results/{name}.json", report, None)


def known_failure(**changes: object) -> KnownFailure:
    """A known issue of a made-up test; a field that is None is left out."""
    fields = {
        "test": "made-up/first",
        "action": "expect",
        "reason": "It breaks.",
        "url": "https://example.org/1",
        "expires": "2026-05-01",
        **changes,
    }
    return KnownFailure.model_validate({k: v for k, v in fields.items() if v is not None})


def _test(name: str, said: Outcome | tuple[Outcome, str]) -> dict[str, object]:
    outcome, stage = said if isinstance(said, tuple) else (said, None)
    bare, _, query = name.partition("?")
    parameters = dict(pair.split("=") for pair in query.split("&") if pair)
    test = {"suite": "models", "name": bare, "parameters": parameters}
    return test | {"outcome": outcome, "stage": stage}


def table_of(*reports: Report) -> ResultTable:
    """The results of reports, in the order in which they are given."""
    table = ResultTable("example", result_kind(reports[0]))
    for report in reports:
        table.add(report, Path("report.json"))
    return table


def history_of(*reports: Report) -> History:
    """The history of reports, in the order in which they are given."""
    return table_of(*reports).history()


def course(*outcomes: Outcome | None) -> History:
    """The history of one test that went through outcomes, one a day; None: it was not reported.

    Another test passes every day, so that its absence can be told from that of a report.
    """
    steady: dict[str, Outcome] = {"steady": "passed"}
    days = (steady | ({"model": outcome} if outcome else {}) for outcome in outcomes)
    return history_of(*(made_up(day, tests) for day, tests in enumerate(days)))


def state_of(history: History, name: str = "model") -> ResultState:
    """The state of a test of the example's suite."""
    return history.tests[f"models/{name}"]
