"""Made-up histories for measurements: a year of nights of one platform, and a report of many tests.

Nothing of it is real, and nothing of it is ever written into the repository: the platforms are
called synthetic, and the folders are temporary.
"""

from __future__ import annotations

import datetime as dt
import random
from pathlib import Path

import yaml

from accelerator_portal.reports.outcomes import Outcome
from accelerator_portal.reports.report import Report
from accelerator_portal.reports.report_file import report_text
from accelerator_portal.results.archive import History
from accelerator_portal.results.history import OutcomeChange, fold
from accelerator_portal.results.standing import State

START = dt.datetime(2025, 11, 1, tzinfo=dt.timezone.utc)
SUITE = "made-up"

# Of a night: one test in three hundred changes, and stays so for a while.
CHANGING = 1 / 300

_OUTCOMES: tuple[Outcome, ...] = ("passed", "passed", "passed", "failed", "crashed", "skipped")
_SETTINGS = [
    {"compiler": "inductor", "dtype": dtype, "mode": mode}
    for dtype in ("float32", "bfloat16", "float16")
    for mode in ("inference", "training")
]


def nightly_report(accelerator: str, outcomes: list[Outcome], night: int) -> Report:
    """Return the report of a night; six tests in a row are one name in six settings."""
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
    """Return a name as test runners write them; ten letters are as frequent as each other."""
    word = f"{'abcdefghij'[number % 10]}_made_up"
    return f"test_{word[0]}_ops.TestMadeUp::test_{word}_{number:05}"


def history(accelerator: str, tests: int, nights: int) -> tuple[History, Report]:
    """Return what so many nights leave, and the report of the last of them."""
    pick = random.Random(tests)  # noqa: S311 - made-up outcomes
    outcomes = pick.choices(_OUTCOMES, k=tests)
    state = State(accelerator, "runs")
    changes: list[OutcomeChange] = []
    report = nightly_report(accelerator, outcomes, 0)
    for night in range(nights):
        for place in pick.sample(range(tests), k=max(1, int(tests * CHANGING))) if night else ():
            outcomes[place] = pick.choice(_OUTCOMES)
        report = nightly_report(accelerator, outcomes, night)
        state, more = fold(state, report)
        changes += more
    return History(state, tuple(changes)), report


def add_suite(root: Path, tests: int) -> None:
    """Describe the made-up suite and its names, so that its tests are not refused."""
    source = {"url": "https://example.org/", "title": "None: made up", "read": dt.date(2026, 1, 1)}
    suite = {
        "sources": {SUITE: source},
        "title": "Made up",
        "kind": "unit",
        "description": "Tests that do not exist.",
        "url": "https://example.org/",
        "source": [SUITE],
        "tests": [test_name(n) for n in range(-(-tests // len(_SETTINGS)))],
    }
    (root / "data/suites" / f"{SUITE}.yaml").write_text(yaml.safe_dump(suite), "utf-8")


def add_report(root: Path, report: Report) -> None:
    """Put a report into its platform's folder."""
    path = root / "accelerators" / report.accelerator / "results" / "nightly.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(report_text(report), "utf-8")
