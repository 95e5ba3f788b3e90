"""The files of single tests say what the history says, and change only where it does."""

from __future__ import annotations

import json

from hypothesis import given

from accelerator_portal.site.pages.history import history_shards
from accelerator_reports.outcomes import Outcome
from accelerator_reports.report import Report
from tests.portal.results.made_up import HISTORIES, Outcomes, history_of, made_up


def files_of(*reports: Report) -> dict[str, str]:
    return {f.path: f.content for f in history_shards(history_of(*reports))}


@given(HISTORIES)
def test_the_files_say_of_every_test_what_each_report_changed(days: list[Outcomes]) -> None:
    reports = [made_up(day, outcomes) for day, outcomes in enumerate(days)]
    history = history_of(*reports)
    files = files_of(*reports)
    index = json.loads(files["api/v1/test-histories/example-runs/index.json"])
    told = []
    for first, name in index["files"]:
        tests = json.loads(files[f"api/v1/test-histories/example-runs/{name}"])["tests"]
        assert next(iter(tests)) == first
        for test, settings in tests.items():
            for query, steps in settings.items():
                key = f"{test}?{query}" if query else test
                told += [(index["reports"][n]["id"], key, o, s) for n, o, s in steps]
    assert sorted(told, key=str) == sorted(
        [(c.report, c.key, c.outcome, c.stage) for c in history.changes], key=str
    )
    ids = [report["id"] for report in index["reports"]]
    assert {name: ids[n] for name, n in index["last"].items()} == {
        name: point.id for name, point in history.last_by_group.items()
    }


def test_a_night_changes_the_index_and_the_files_of_the_tests_that_changed() -> None:
    night: dict[str, Outcome] = {f"test_{n:05}": "passed" for n in range(4_000)}
    before = files_of(made_up(0, night))
    assert len(before) > 5
    same = files_of(made_up(0, night), made_up(1, night))
    changed = files_of(made_up(0, night), made_up(1, {**night, "test_02000": "failed"}))
    index = "api/v1/test-histories/example-runs/index.json"
    assert {path for path in before if before[path] != same.get(path)} == {index}
    assert len([path for path in before if before[path] != changed.get(path)]) == 2
    assert changed == files_of(made_up(0, night), made_up(1, {**night, "test_02000": "failed"}))
