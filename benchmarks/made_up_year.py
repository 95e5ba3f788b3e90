"""Generates made-up histories for measurements: the nights of one platform, and its last report.

Nothing is real, and nothing is written into the repository: the platforms are called synthetic, and
the folders are temporary.
"""

from __future__ import annotations

import datetime as dt
import random
from pathlib import Path

import yaml

from accelerator_portal.results.history import OutcomeChange, fold_report
from accelerator_portal.results.history_state import State
from accelerator_portal.results.stored_history import History
from accelerator_reports.outcomes import Outcome
from accelerator_reports.report import Report
from accelerator_reports.report_file import report_text

START = dt.datetime(2025, 11, 1, tzinfo=dt.timezone.utc)
SUITE = "made-up"

# The share of tests that get a new random outcome each night; it can be the same as before.
CHANGING = 1 / 300

_OUTCOMES: tuple[Outcome, ...] = ("passed", "passed", "passed", "failed", "crashed", "skipped")
_SETTINGS = [
    {"compiler": "inductor", "dtype": dtype, "mode": mode}
    for dtype in ("float32", "bfloat16", "float16")
    for mode in ("inference", "training")
]


def nightly_report(accelerator: str, outcomes: list[Outcome], night: int) -> Report:
    """Return the report of a night; six consecutive tests have one name and different parameters.

    `outcomes` are those of the tests in order.
    """
    return Report.model_validate(
        {
            "schema_version": 1,
            "accelerator": accelerator,
            "kind": "self-reported",
            "trigger": {
                "kind": "nightly",
                "repository": "example/nightly",
                "commit": f"{night:040x}",
            },
            "started": (START + dt.timedelta(days=night)).isoformat(),
            "environment": {"torch": f"2.15.0.dev{night}", "os": "linux"},
            "suites": [{"name": SUITE, "kind": "unit"}],
            "tests": [
                {
                    "suite": SUITE,
                    "name": test_name(n // len(_SETTINGS)),
                    "parameters": _SETTINGS[n % len(_SETTINGS)],
                    "outcome": outcome,
                    "stage": "run",
                    "reason": "Made up.",
                }
                for n, outcome in enumerate(outcomes)
            ],
        }
    )


def test_name(number: int) -> str:
    """Return a name as test runners write it; the names have ten equally frequent first letters."""
    word = f"{'abcdefghij'[number % 10]}_made_up"
    return f"test_{word[0]}_ops.TestMadeUp::test_{word}_{number:05}"


def test_names(tests: int) -> list[str]:
    """Return the different names of the first `tests` tests of a night."""
    return [test_name(n) for n in range(-(-tests // len(_SETTINGS)))]


def history(accelerator: str, tests: int, nights: int) -> tuple[History, Report]:
    """Return the history of a platform after `nights` nights, and the report of the last night."""
    pick = random.Random(tests)  # noqa: S311 - made-up outcomes
    outcomes = pick.choices(_OUTCOMES, k=tests)
    state = State(accelerator, "runs")
    changes: list[OutcomeChange] = []
    report = nightly_report(accelerator, outcomes, 0)
    for night in range(nights):
        for place in pick.sample(range(tests), k=max(1, int(tests * CHANGING))) if night else ():
            outcomes[place] = pick.choice(_OUTCOMES)
        report = nightly_report(accelerator, outcomes, night)
        state, more = fold_report(state, report)
        changes += more
    return History(state, tuple(changes)), report


def add_suite(root: Path, tests: list[str]) -> None:
    """Write the file of the made-up suite with its test names, so that its tests are accepted."""
    source = {"url": "https://example.org/", "title": "None: made up", "read": dt.date(2026, 1, 1)}
    suite = {
        "sources": {SUITE: source},
        "title": "Made up",
        "kind": "unit",
        "description": "Tests that do not exist.",
        "url": "https://example.org/",
        "source": [SUITE],
        "tests": tests,
    }
    (root / "data/suites" / f"{SUITE}.yaml").write_text(yaml.safe_dump(suite), "utf-8")


def add_report(root: Path, report: Report) -> None:
    """Write a report to its platform's folder."""
    path = root / "accelerators" / report.accelerator / "results" / "nightly.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(report_text(report), "utf-8")
