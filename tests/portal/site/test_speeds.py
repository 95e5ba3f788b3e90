"""Speeds stand beside each other only where they are alike, and never without their spread."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from typing import Any

import pytest

from accelerator_portal.catalog import Catalog
from accelerator_portal.results.stored_reports import StoredReport
from accelerator_portal.site.pages.comparison import comparison_groups
from accelerator_portal.site.results.results_view import ResultsView
from accelerator_portal.site.results.speeds import SpeedRun, newest_runs, speed_runs, speed_table
from accelerator_portal.site.results.suite_tests import reported_tests
from accelerator_reports.report import Report
from tests.day import TODAY
from tests.folders import ACCELERATOR, Tree, edited, loaded

CARD = """\
hardware:
  generations:
    - name: First
      builds: [{variants: [ex1], source: made-up}]
      source: made-up
      models:
        - name: Example card
          also: [EX-1]
          peaks:
            - {of: bfloat16, value: 8, source: made-up}
            - {of: memory, value: 100, source: made-up}
support:
"""

TESTS = {
    "copy": ("float32", "256MiB", "GB/s"),
    "matmul": ("bfloat16", "64x64x64", "TFLOP/s"),
    "resnet50": ("bfloat16", "1x3x8x8", "images/s"),
}


@pytest.fixture
def catalog(tree: Tree) -> Catalog:
    return loaded(tree(edited((ACCELERATOR, "support:\n", CARD))))


def stored(catalog: Catalog, **changed: object) -> StoredReport:
    """Return a report of three speeds; what is changed is of the report or of every test."""
    speed = {"value": 2.0, "interval": [1.9, 2.2], "repeats": 12}
    of_test = {key: changed.pop(key) for key in ("outcome", "metrics", "reason") if key in changed}
    tests = [
        {
            "suite": "speed",
            "name": test,
            "parameters": {"dtype": dtype, "shapes": size},
            "outcome": "passed",
            "metrics": {"speed": {**speed, "unit": unit}, "threads": {"value": 2, "unit": "1"}},
            **of_test,
        }
        for test, (dtype, size, unit) in TESTS.items()
    ]
    record = {
        "schema_version": 1,
        "accelerator": catalog.platforms[0].id,
        "kind": "made-here",
        "trigger": {"kind": "manual"},
        "started": dt.datetime(2026, 11, 22, tzinfo=dt.timezone.utc),
        "environment": {"torch": "2.13.0", "hardware": "ex-1"},
        "suites": [{"name": "speed", "kind": "speed"}],
        "tests": tests,
        **changed,
    }
    return StoredReport("run", "run.json", Report.model_validate(record), None)


def run_of(catalog: Catalog, **changed: object) -> SpeedRun:
    (run,) = speed_runs(catalog, [stored(catalog, **changed)])
    return run


def test_a_run_has_its_medians_with_their_spread(catalog: Catalog) -> None:
    run = run_of(catalog)
    assert (run.hardware, run.torch, run.threads) == ("ex-1", "2.13.0", "2")
    found = {test.name: (s.value, s.low, s.high, s.repeats, s.unit) for test, s in run.rows}
    assert found == {name: (2.0, 1.9, 2.2, 12, unit) for name, (_, _, unit) in TESTS.items()}
    assert not run.has_power


def test_a_speed_with_a_power_says_how_much_it_is_per_watt(catalog: Catalog) -> None:
    speed = {"value": 2.0, "unit": "GB/s", "interval": [1.9, 2.2], "repeats": 12}
    metrics = {"speed": speed, "power": {"value": 300.0, "unit": "W"}}
    (run,) = speed_runs(catalog, [stored(catalog, metrics=metrics)])
    assert {speed.per_watt for _, speed in run.rows} == {0.00667}
    assert {speed.per_watt for _, speed in run_of(catalog).rows} == {None}


def test_the_share_is_of_what_the_vendor_states_for_that_card(catalog: Catalog) -> None:
    shares = {test.name: speed.share for test, speed in run_of(catalog).rows}
    assert shares == {"copy": 0.02, "matmul": 0.25, "resnet50": None}
    assert run_of(catalog).has_share
    other = run_of(catalog, environment={"torch": "2.13.0", "hardware": "EX-2"})
    assert not other.has_share


@pytest.mark.parametrize(
    "changed",
    [
        {"metrics": {"speed": {"value": 2.0, "unit": "GB/s"}}},  # without its spread
        {"outcome": "wrong-result"},
        {"metrics": {}, "reason": "Speed not published: the runs differ by 38%."},
    ],
)
def test_what_is_not_sure_is_no_number_anywhere(catalog: Catalog, changed: dict[str, Any]) -> None:
    run = run_of(catalog, **changed)
    assert run.rows == []
    assert speed_table([run]).rows == ()
    noisy = {why for _, why in run.unpublished}
    assert noisy == ({"the runs differ by 38%"} if "reason" in changed else set())


def test_a_baseline_and_other_suites_are_no_speeds(catalog: Catalog) -> None:
    assert speed_runs(catalog, [stored(catalog, kind="baseline")]) == ()
    other = stored(catalog, suites=[{"name": "speed", "kind": "unit"}])
    assert speed_runs(catalog, [other]) == ()


def test_runs_stand_side_by_side_where_every_parameter_is_the_same(catalog: Catalog) -> None:
    one, other = run_of(catalog), run_of(catalog)
    key = next(key for key in other.speeds if "matmul" in key)
    larger = key.replace("64x64x64", "128x128x128")
    moved = {larger if k == key else k: speed for k, speed in other.speeds.items()}
    tests = {larger if k == key else k: test for k, test in other.tests.items()}
    table = speed_table([one, replace(other, speeds=moved, tests=tests)])
    alike = {test.name: [cell is not None for cell in cells] for test, cells in table.rows[:3]}
    assert alike == {"copy": [True, True], "matmul": [True, False], "resnet50": [True, True]}
    assert [cell is not None for cell in table.rows[3][1]] == [False, True]


def test_a_table_of_one_mode_has_only_runs_that_measured_it(catalog: Catalog) -> None:
    table = speed_table([run_of(catalog)])
    assert table.of_mode("") == table
    assert table.of_mode("training").runs == ()


def test_of_two_runs_on_one_card_the_newest_stands(catalog: Catalog) -> None:
    one = run_of(catalog)
    assert one.started
    older = replace(one, id="older", started=one.started - dt.timedelta(hours=1))
    elsewhere = replace(older, id="elsewhere", hardware="another card")
    assert [run.id for run in newest_runs([one, older, elsewhere])] == ["run", "elsewhere"]


def test_platforms_are_compared_only_where_two_measured_the_same(catalog: Catalog) -> None:
    one = run_of(catalog)
    assert "Measured speed" not in comparison_groups(catalog, TODAY, [one])
    other = replace(one, accelerator="elsewhere", speeds=dict([*one.speeds.items()][:1]))
    ((label, cells),) = comparison_groups(catalog, TODAY, [one, other])["Measured speed"]
    assert label == "copy, float32, 256MiB"
    (line,) = cells[0]
    assert line.text == "2 GB/s"
    assert line.note == "1.9–2.2, ex-1, torch 2.13.0, 2026-11-22, made-here"


def test_a_range_says_how_many_devices_have_a_stated_figure(tree: Tree) -> None:
    models = "        - {name: A, memory_gb: 12}\n        - {name: B, memory_gb: 16}\nsupport:\n"
    catalog = loaded(tree(edited((ACCELERATOR, "support:\n", CARD.replace("support:\n", models)))))
    rows = dict(comparison_groups(catalog, TODAY)["Hardware"])
    (line,) = rows["Memory of one device"][0]
    assert (line.text, line.note) == ("12 to 16 GB", "stated for 2 of 3 devices")


def test_a_speed_is_no_evidence_of_what_works(catalog: Catalog) -> None:
    assert ResultsView((stored(catalog),), {}, {}).newest_run_lines() == {}


def test_a_test_of_its_own_page_has_the_interval(catalog: Catalog) -> None:
    first = next(reported_tests(stored(catalog)))
    assert first.metrics[0] == "speed 2 GB/s (1.9 to 2.2, 12 repeats)"
