"""A feature's row shows what a run found, and where a source and a run contradict each other."""

from __future__ import annotations

import datetime as dt
import itertools
import json
from typing import get_args

import pytest

from accelerator_portal.catalog.files.accelerator import Feature, FeatureSupport
from accelerator_portal.catalog.files.shared_files import FeatureEvidence
from accelerator_portal.results.stored_reports import StoredReport
from accelerator_portal.site.pages.features import contradicts, feature_runs
from accelerator_reports.files.fields import FeatureId
from accelerator_reports.outcomes import BAD, Outcome, ReportKind
from accelerator_reports.report import Report
from tests.built_site import Page, Site, attribute, grid_cells, ids_of_tests

SHOWN_BY = FeatureEvidence.model_validate(
    {
        "features": {
            "amp": [{"names": ["integration/amp"]}],
            "compile": [{"names": ["zoo/*"], "parameters": {"compiler": "induct*"}}],
        }
    }
)


def stored(
    name: str, day: int | None, outcome: Outcome, kind: ReportKind = "self-reported"
) -> StoredReport:
    started = dt.datetime(2026, 1, day, tzinfo=dt.UTC).isoformat() if day else None
    report = {
        "schema_version": 1,
        "accelerator": "acme",
        "kind": kind,
        "trigger": {"kind": "manual"},
        "started": started,
        "suites": [{"name": "integration", "kind": "unit"}],
        "tests": [
            {"suite": "integration", "name": "amp", "outcome": outcome},
            {"suite": "integration", "name": "copy", "outcome": "passed"},
            {"suite": "operators", "name": "compile", "outcome": "passed"},
        ],
    }
    return StoredReport(name, f"{name}.json", Report.model_validate(report), None)


def words(page: Page, label: str) -> str:
    rows = page.tree.css(".features-list > div")
    (row,) = (row for row in rows if row.css("dt")[0].text() == label)
    return " ".join(row.css("dd")[0].text(separator=" ").split())


def test_the_newest_run_that_tried_a_feature_counts() -> None:
    reports = [
        stored("newer", 3, "failed"),
        stored("older", 2, "passed"),
        stored("old", None, "passed"),
    ]
    assert [run.report for run in feature_runs(reports, {}, SHOWN_BY).values()] == ["newer"]
    assert list(feature_runs(reports, {}, SHOWN_BY)) == ["amp"]
    for outcome in ("skipped", "not-run", "test-broken", "infrastructure-error"):
        untried = [*reports, stored("newest", 9, outcome)]
        assert feature_runs(untried, {}, SHOWN_BY)["amp"].report == "newer"


def test_a_baseline_counts_only_where_there_is_no_run_and_contradicts_nothing() -> None:
    base = stored("base", 9, "failed", "baseline")
    works: dict[FeatureId, Feature] = {"amp": Feature(works="yes", source=("made-up",))}
    found = feature_runs([base], works, SHOWN_BY)["amp"]
    assert (found.kind, found.outcome, found.contradicts) == ("baseline", "failed", False)
    found = feature_runs([base, stored("old", 1, "failed")], works, SHOWN_BY)["amp"]
    assert (found.report, found.contradicts) == ("old", True)


def test_several_tests_of_a_feature_are_counted() -> None:
    report = stored("zoo", 1, "passed").report
    tests = [
        {
            "suite": "zoo",
            "name": f"model-{number}",
            "parameters": {"compiler": compiler},
            "outcome": outcome,
        }
        for number, (compiler, outcome) in enumerate(
            [("inductor", "passed"), ("inductor", "failed"), ("eager", "failed")]
        )
    ]
    made = Report.model_validate({**report.model_dump(mode="json"), "tests": tests})
    works: dict[FeatureId, Feature] = {"compile": Feature(works="yes", source=("made-up",))}
    found = feature_runs([StoredReport("zoo", "zoo.json", made, None)], works, SHOWN_BY)["compile"]
    assert (found.passed, found.tests, found.outcome) == (1, 2, "failed")
    assert (found.address, found.contradicts) == ("zoo/", True)  # one of two failed


@pytest.mark.parametrize(
    ("works", "outcome"), list(itertools.product(["yes", "partly", "no"], get_args(Outcome)))
)
def test_only_what_cannot_both_be_right_is_a_contradiction(
    works: FeatureSupport, outcome: Outcome
) -> None:
    feature = Feature(works=works, note="With limits.", source=("made-up",))
    expected = (works == "yes" and outcome in BAD) or (works == "no" and outcome == "passed")
    assert contradicts(feature, [outcome]) == expected
    assert not contradicts(None, [outcome])


def test_a_row_shows_the_source_and_the_run(example_site: Site) -> None:
    page = example_site.pages["compute-platforms/acme/"]
    run = "( self-reported )."
    against = "The source and this run disagree."
    tested = "Tested on 2026-01-10"
    found = words(page, "Automatic mixed precision")
    assert found.startswith("✓ stated to work")
    assert found.endswith(
        f"{tested}: ✕ failed {run} {against} autocast to bfloat16 gave <torch.float32>"
    )
    found = words(page, "Distributed")
    assert found.startswith("✕ stated not to work")
    assert found.endswith(f"{tested}: ✓ passed {run} {against}")
    assert words(page, "torch.compile").endswith(f"{tested}: ✓ passed {run}")
    assert words(page, "Profiler") == f"{tested}: ✓ passed {run}"
    with pytest.raises(ValueError, match="not enough values"):
        words(page, "Quantization")  # nobody speaks of it, and its check was skipped


def test_a_cell_names_the_part_of_a_feature_that_works(example_site: Site) -> None:
    cells = grid_cells(example_site.pages["features/"])
    assert cells["acme", "compile"].css("small")[0].text() == "static shapes"
    assert "static shapes" in attribute(cells["acme", "compile"].css("a")[0], "aria-label")
    assert not cells["acme", "graphs"].css("small")
    row = example_site.pages["compute-platforms/acme/"].tree.css(".grid-row")[1]
    names = [attribute(link, "aria-label") for link in row.css("a[href$='#feature-compile']")]
    assert len(names) == 1  # a half-filled mark; the styles have no room for the words
    assert "static shapes" in names[0]
    data = json.loads((example_site.root / "api/v1/features.json").read_text("utf-8"))
    stated = next(one for one in data["platforms"] if one["id"] == "acme")["features"]
    assert stated["compile"]["part"] == "static shapes"
    assert "part" not in stated["graphs"]


def test_the_part_of_a_feature_that_works_is_translated(site: Site) -> None:
    cell = grid_cells(site.pages["zh/features/"])["cuda", "fp8"]
    assert cell.css("small")[0].text() == "矩阵乘法"


def test_the_link_leads_to_the_test_of_the_report(site: Site) -> None:
    page = site.pages["compute-platforms/cpu/"]
    links = page.tree.css(".feature-run a")
    assert links
    for link in links:
        address, _, anchor = attribute(link, "href").partition("#")
        target = address.removeprefix("../../results/")
        assert not anchor or anchor in ids_of_tests(site, target)
