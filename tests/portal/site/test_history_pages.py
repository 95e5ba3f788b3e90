"""The pages of changes say what the kept history and the newer reports say, and nothing more."""

from __future__ import annotations

import datetime as dt
import json
import re
import xml.etree.ElementTree as ET
from typing import Any

import pytest

from accelerator_portal.results.result_table import read_history
from accelerator_portal.results.stored_reports import stored_reports
from accelerator_portal.site.results.history_view import TestHistories, read_histories
from accelerator_portal.site.results.results_view import ResultsView, anchor_of
from tests.built_site import REPOSITORY, Site, attribute
from tests.folders import EXAMPLE, Tree, loaded
from tests.portal.results.made_up import Outcomes, history_of, made_up

ATOM = "{http://www.w3.org/2005/Atom}"


def words(text: str) -> str:
    return " ".join(text.split())


def test_every_change_of_the_expectations_is_shown_once(site: Site) -> None:
    kept = read_history(REPOSITORY, "xpu", "baselines")
    assert len(kept.reports) == 29
    data = json.loads((site.root / "api/v1/history/xpu-baselines.json").read_text("utf-8"))
    first_seen = sum(report.get("first_seen") or 0 for report in data["reports"])
    assert first_seen + len(data["changes"]) == len(kept.changes)
    page = site.pages["results/changes/"]
    for change in data["changes"]:
        assert f"changed-xpu-{change['report']}" in page.ids
    shown = re.findall(
        r"([\d,]+) (?:expectations? changed|changed|new|gone|fixed|regressed)(?=[,.])",
        page.one("article").text(),
    )
    kept_of_all = (site.root / "api/v1/history").glob("*-*.json")
    changes = [json.loads(file.read_text("utf-8"))["changes"] for file in kept_of_all]
    assert sum(int(n.replace(",", "")) for n in shown) == sum(map(len, changes))


def test_the_first_report_of_a_suite_is_no_news_of_its_tests(site: Site, view: ResultsView) -> None:
    page = site.pages["results/changes/"]
    told = [words(p.text()) for p in page.tree.css(".episode p")]
    words_of_first = "first report of ExecuTorch models and ExecuTorch operators, 241 tests."
    assert any(one.endswith(words_of_first) for one in told)
    history = read_histories(site.catalog, REPOSITORY, view).of("cpu", "runs")
    data = json.loads((site.root / "api/v1/history/cpu-runs.json").read_text("utf-8"))
    brought = sum(point.get("first_seen", 0) for point in data["reports"])
    assert brought + len(data["changes"]) == len(history.changes)


def test_every_report_stands_in_its_week_and_each_week_has_a_feed(site: Site) -> None:
    page = site.pages["results/changes/"]
    weeks = page.tree.css("section.week")
    assert len(weeks) > 5
    for week in weeks:
        (name,) = [attribute(h2, "id").removeprefix("week-") for h2 in week.css("h2")]
        feed = ET.fromstring((site.root / f"results/weeks/{name}.atom").read_text("utf-8"))  # noqa: S314 - our own
        linked = {link.get("href", "").partition("#")[2] for link in feed.iter(f"{ATOM}link")}
        for episode in week.css(".episode"):
            day = dt.date.fromisoformat(attribute(episode, "data-since"))
            assert f"{day.isocalendar().year}-W{day.isocalendar().week:02}" == name
            reports = [attribute(one, "id") for one in episode.css("p[id]")]
            assert reports
            assert linked.issuperset(reports)


def test_a_platform_has_one_entry_a_day(site: Site) -> None:
    entries = site.pages["results/changes/"].tree.css(".episode")
    days = [(attribute(e, "data-platform"), attribute(e, "data-since")) for e in entries]
    assert len(days) == len({*days})
    reports = [len(entry.css("p[id]")) for entry in entries]
    assert max(reports) > 1, "no day has two reports of a platform"


def test_a_platform_without_a_run_says_how_to_send_one(site: Site, view: ResultsView) -> None:
    page = site.pages["results/changes/"]
    runs = {s.report.accelerator for s in view.reports if s.report.kind != "baseline"}
    told = [words(item.text()) for item in page.tree.css("#without-run ~ details li")]
    names = [p.accelerator.name for p in site.catalog.platforms if p.id not in runs]
    assert [one.partition(" was sent")[0] for one in told] == [
        f"No test run on {name}" for name in names
    ]
    (xpu,) = (one for one in told if one.startswith("No test run on XPU was"))
    assert "how to send one" in xpu
    assert "xpu-baseline-inductor-rolling" in xpu
    assert xpu.endswith("Upstream: PyTorch issues, Issues of the XPU operators (torch-xpu-ops).")


def test_the_tallies_end_with_what_the_newest_report_says(site: Site) -> None:
    data = json.loads((site.root / "api/v1/history/xpu-baselines.json").read_text("utf-8"))
    report = json.loads(
        (site.root / "api/v1/reports/xpu-baseline-inductor-rolling.json").read_text("utf-8")
    )
    shown = {test["suite"] for test in report["tests"]}
    assert shown <= {*data["tallies"]}
    for suite in shown:
        tallies = data["tallies"][suite]
        counts: dict[str, int] = {}
        for test in report["tests"]:
            if test["suite"] == suite:
                counts[test["outcome"]] = counts.get(test["outcome"], 0) + 1
        assert tallies[-1]["counts"] == counts


def test_an_expectation_never_regresses(site: Site) -> None:
    episodes = site.pages["results/changes/"].tree.css(".episode")
    told = [words(p.text()) for episode in episodes for p in episode.css("p[id]")]
    of_baselines = [one for one in told if one.startswith("Baseline: ")]
    assert of_baselines
    assert not [one for one in of_baselines if "regressed" in one or "fixed" in one]


def test_a_failing_test_says_what_changed(example_site: Site) -> None:
    """The example's first test passed on 2 January, failed on the 5th and crashed on the 10th."""
    pages = [page for page in example_site.pages.values() if page.tree.css("details.test")]
    changes = [words(one.text()) for page in pages for one in page.tree.css("ul.over-time li")]
    assert any("regressed: ✓ passed → ✕ failed" in change for change in changes)


def test_runs_regress_and_the_feed_says_so(example_site: Site) -> None:
    """The example's first test passed on 2 January, failed on the 5th and crashed on the 10th."""
    page = example_site.pages["results/changes/"]
    text = words(page.one("article").text(separator=" "))
    assert "regressed: ✓ passed → ✕ failed" in text
    assert "changed: ✕ failed → ! crashed" in text
    root = ET.fromstring((example_site.root / "results/feed.atom").read_text("utf-8"))  # noqa: S314 - our own
    titles = {entry.findtext(f"{ATOM}title") for entry in root.findall(f"{ATOM}entry")}
    assert "Acme: 1 regressed" in {title for title in titles if title and "regressed" in title}
    links = [link.get("href", "") for link in root.iter(f"{ATOM}link")]
    anchors = [link.partition("#")[2] for link in links if link.startswith("changes/#")]
    assert anchors
    assert set(anchors) <= set(page.ids)


def test_an_older_report_is_not_called_the_only_one(site: Site) -> None:
    folder = site.root / "api/v1/suite-tests/integration"
    common = json.loads((folder / "index.json").read_text("utf-8"))["reports"]
    tests: dict[str, Any] = {}
    for file in folder.glob("[!i]*.json"):
        tests |= json.loads(file.read_text("utf-8"))["tests"]
    since = {
        one["report"]: one.get("since", common[one["report"]]["common"].get("since"))
        for one in tests[anchor_of("amp")]["results"]
    }
    reports, _ = stored_reports(site.catalog)
    older, newer = sorted(
        (stored for stored in reports if stored.id.startswith("cpu-validation")),
        key=lambda stored: stored.order,
    )
    assert since[older.id] == f"{older.day}; a newer report exists"
    assert "newer" not in since[newer.id]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ([""], ""),
        (["?dtype=float16"], "float16"),
        (["?dtype=bfloat16&mode=forward"], "forward: bfloat16"),
        (["?dtype=float16&shapes=2", "?dtype=float16&shapes=3"], "float16 2, float16 3"),
        (["?compiler=inductor&dtype=float16&mode=training"], "training: float16"),
        (["?compiler=inductor&dtype=float16", "?compiler=inductor&dtype=int8"], "float16, int8"),
        (["?compiler=eager", "?compiler=inductor"], "eager, inductor"),
        (["?dtype=float16&mode=x", "?dtype=float16&mode=y"], "x: float16; y: float16"),
    ],
)
def test_the_settings_that_changed_are_named(tree: Tree, settings: list[str], words: str) -> None:
    passed: Outcomes = {f"a{parameters}": "passed" for parameters in settings}
    failed: Outcomes = {f"a{parameters}": "failed" for parameters in settings}
    history = history_of(made_up(0, passed), made_up(1, failed))
    histories = TestHistories((history,), loaded(tree(EXAMPLE)))
    newest, _ = histories.reports
    assert [step.settings for step in newest.changes] == [words]
