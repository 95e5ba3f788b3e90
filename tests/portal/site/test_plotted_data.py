"""What pages plot are the numbers of their data: tables, JSON files and reports."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from selectolax.lexbor import LexborNode

from accelerator_portal.catalog import load_catalog
from accelerator_portal.results.history import SuiteCount
from accelerator_portal.results.stored_reports import stored_reports
from accelerator_portal.site.plots import svg
from accelerator_portal.site.results.results_over_time import MOST_RESULTS, platform_course
from accelerator_reports.outcomes import BAD, GOOD
from tests.built_site import Site, attribute
from tests.folders import EXAMPLE, Tree
from tests.portal.results.made_up import Outcomes, history_of, made_up


def words(node: LexborNode) -> str:
    return " ".join(node.text(separator=" ").split())


def marks(node: LexborNode) -> list[str]:
    """Return what the marks of plots say to readers who point at them."""
    return [mark.text() for mark in node.css("svg.plot :not(svg) > title")]


def data(site: Site, path: str) -> Any:  # noqa: ANN401 - any JSON
    return json.loads((site.root / "api/v1" / path).read_text("utf-8"))


# Hardware


def test_each_product_with_memory_and_power_is_plotted(site: Site) -> None:
    page = site.pages["hardware/"]
    expected = Counter(
        f"{words_of_name} ({platform['name']}): {model['memory_gb']:g} GB, {model['power_w']:g} W"
        for platform in data(site, "hardware.json")["platforms"]
        for generation in platform["generations"]
        for model in generation["models"]
        for words_of_name in [model["name"]]
        if "memory_gb" in model and "power_w" in model
    )
    plot = page.one("svg.plot-wide[aria-labelledby^=memory-power]")
    shown = Counter(
        one for mark in plot.css(":not(svg) > title") for one in mark.text().split("; ")
    )
    assert shown == expected
    count = sum(expected.values())
    assert f"both stated for {count} of the " in words(page.one("article"))


def test_the_table_of_releases_has_the_numbers_of_the_plots(site: Site) -> None:
    page = site.pages["hardware/"]
    platforms = [p for p in data(site, "hardware.json")["platforms"] if p["releases"]]
    assert {"cuda", "rocm", "xpu"} == {p["id"] for p in platforms}
    table = page.one('[aria-label="Models supported by each release"]')
    rows = {words(row.css("th")[0]): [words(c) for c in row.css("td")] for row in table.css("tr")}
    for number, platform in enumerate(platforms):
        total = sum(len(generation["models"]) for generation in platform["generations"])
        shown = marks(page.one(".plot-panels"))
        for release in platform["releases"]:
            cell = f"{release['products']} of {total}"
            if release["uncertain"]:
                cell += f", {release['uncertain']} more not certain"
            assert rows[release["torch"]][number] == cell
            assert f"PyTorch {release['torch']}: {cell}" in shown


# Release lag


@pytest.mark.parametrize("address", ["versions/followed/", "compute-platforms/{}/"])
def test_each_release_lag_is_a_bar(site: Site, address: str) -> None:
    plotted = 0
    for platform, facts in data(site, "packages.json")["platforms"].items():
        page = site.pages[address.format(platform)]
        plots = page.tree.css(f"svg[aria-labelledby^='lag-{platform}-panel']")
        if not any("plugin" in lag for lag in facts["lags"]):
            assert not plots
            continue
        (plot,) = plots
        bars = {bar.css("title")[0].text(): bar for bar in plot.css(".column")}
        assert len(bars) == len(facts["lags"])
        for lag in facts["lags"]:
            start = f"PyTorch {lag['torch']}: {lag.get('plugin', 'none')} "
            (text,) = [text for text in bars if text.startswith(start)]
            assert re.findall(r"(\d+) days?", text) == [str(abs(lag["days"]))]
            assert ("earlier" in text) == ("plugin" in lag and lag["days"] < 0)
            assert ("open" in attribute(bars[text], "class")) == ("plugin" not in lag)
        plotted += 1
    assert plotted > 3


def test_pages_have_no_bars_with_a_style(site: Site) -> None:
    for address in ("versions/followed/", "hardware/", "results/dashboard/"):
        assert not site.pages[address].tree.css("article [style]"), address


# Speeds


@pytest.mark.parametrize("address", ["results/speed/", "results/runs/cuda-speed/"])
def test_each_speed_in_the_table_is_plotted(site: Site, address: str) -> None:
    page = site.pages[address]
    plots = page.tree.css("svg.plot-wide[aria-labelledby^=speed]")
    shown = [mark for plot in plots for mark in plot.css(":not(svg) > title")]
    cells = [c for c in page.tree.css("table.speeds td.figure") if words(c)]
    if "runs" in address:
        cells = page.tree.css("table.speeds tbody tr")
    assert len(shown) == len(cells) > 0
    numbers = Counter(re.search(r", ([\d.]+) \S+, 95%", mark.text())[1] for mark in shown)  # type: ignore[index]
    column = "td:nth-child(3)" if "runs" in address else None
    in_table = Counter(
        words(cell.css(column)[0]) if column else words(cell).split(" ")[0] for cell in cells
    )
    assert numbers == in_table


# Results over time


def test_a_history_counts_what_passed_and_failed_in_each_report() -> None:
    days: list[Outcomes] = [
        {"a": "passed", "b": "failed", "c": "skipped", "d": "executed"},
        {"a": "passed", "b": "passed"},
    ]
    history = history_of(*(made_up(day, tests) for day, tests in enumerate(days)))
    first, second = history.reports
    assert history.counts == (
        SuiteCount(first, "models", 1, 2),
        SuiteCount(second, "models", 2, 2),
    )


def test_a_test_that_is_gone_is_not_counted() -> None:
    days: list[Outcomes] = [{"a": "passed", "b": "passed"}, {"a": "passed"}]
    history = history_of(*(made_up(day, tests) for day, tests in enumerate(days)))
    assert [(count.passed, count.counted) for count in history.counts] == [(2, 2), (1, 1)]


DAYS: list[Outcomes] = [
    {"a": "passed", "b": "passed"},
    {"a": "passed", "b": "passed"},
    {"a": "failed", "b": "passed"},
]


@pytest.mark.parametrize(
    ("kind", "title", "text"),
    [
        ("self-reported", "Example", "passed"),
        ("baseline", "Example: baseline, not runs", "expected to pass"),
    ],
)
def test_results_over_time_say_n_of_m(tree: Tree, kind: str, title: str, text: str) -> None:
    catalog, problems = load_catalog(tree(EXAMPLE))
    assert catalog is not None, problems
    environment = {"torch": "2.13.0+cpu"}
    history = history_of(
        *(made_up(d, tests, kind=kind, environment=environment) for d, tests in enumerate(DAYS))
    )
    course = platform_course(catalog, history)
    assert (course.title, course.one_day, course.none_passed) == (title, 0, 0)
    (plot,) = course.plots
    drawn = svg(plot)
    since = "2026-03-01 to 2026-03-02, torch 2.13.0+cpu"
    assert drawn.count(f"<title>{since}: 2 of 2 {text}</title>") == 2
    assert f"<title>2026-03-03, torch 2.13.0+cpu: 1 of 2 {text}</title>" in drawn
    assert f"First: {since}: 2 of 2 {text}. Last: " in drawn
    assert drawn.count('class="event"') == 1  # the version does not change
    assert "%" not in drawn


def test_a_new_version_of_torch_is_annotated(tree: Tree) -> None:
    catalog, problems = load_catalog(tree(EXAMPLE))
    assert catalog is not None, problems
    versions = ["2.13.0+cpu", "2.13.0+cu130", None, "2.14.0"]
    history = history_of(
        *(made_up(d, DAYS[0], environment={"torch": v}) for d, v in enumerate(versions))
    )
    (plot,) = platform_course(catalog, history).plots
    found = [e.hover for e in plot.elements if ("class", "event") in e.attributes]
    assert found == ["2.13.0", "2.14.0"]


def test_suites_of_one_day_or_without_a_pass_are_only_counted(tree: Tree) -> None:
    catalog, problems = load_catalog(tree(EXAMPLE))
    assert catalog is not None, problems
    one_day = platform_course(catalog, history_of(made_up(0, DAYS[0])))
    assert (one_day.plots, one_day.one_day, one_day.none_passed) == ((), 1, 0)
    failing: list[Outcomes] = [{"a": "failed"}, {"a": "failed"}]
    history = history_of(*(made_up(day, tests) for day, tests in enumerate(failing)))
    never = platform_course(catalog, history)
    assert (never.plots, never.one_day, never.none_passed) == ((), 0, 1)


def test_only_the_newest_results_are_plotted(tree: Tree) -> None:
    catalog, problems = load_catalog(tree(EXAMPLE))
    assert catalog is not None, problems
    days: list[Outcomes] = [DAYS[day % 2 * 2] for day in range(MOST_RESULTS + 5)]
    history = history_of(*(made_up(day, tests) for day, tests in enumerate(days)))
    ((suite,), newest) = platform_course(catalog, history).suites, list(history.reports.values())
    assert len(suite.results) == MOST_RESULTS
    assert suite.results[-1].until == newest[-1].started
    empty = replace(history, counts=())
    assert platform_course(catalog, empty).plots == ()


def test_the_dashboard_plots_what_the_reports_say(site: Site) -> None:
    page = site.pages["results/dashboard/"]
    shown = marks(page.one("article"))
    reports = [s.report for s in stored_reports(site.catalog)[0] if s.report.accelerator == "cpu"]
    for report in reports:
        counts = Counter(t.outcome for t in report.tests if t.suite == "operators")
        passed = sum(n for outcome, n in counts.items() if outcome in GOOD)
        counted = passed + sum(n for outcome, n in counts.items() if outcome in BAD)
        if passed and report.started:
            text = f"torch {report.environment.torch}: {passed:,} of {counted:,} passed"
            assert any(text in mark for mark in shown), text
    assert any(t.suite == "operators" for report in reports for t in report.tests)
    assert "expected to pass" in " ".join(shown)
    assert all(re.search(r"[\d,]+ of [\d,]+", mark) for mark in shown if "pass" in mark)


def test_the_table_of_results_over_time_has_the_result_of_every_point(site: Site) -> None:
    page = site.pages["results/dashboard/"]
    rows = page.tree.css("article .fold .fold table tbody tr")
    cells = [[words(cell) for cell in row.css("td")] for row in rows]
    in_table = {(days, torch, share) for days, torch, share in cells}
    points = page.tree.css(".plot-panels svg .passed title")
    plotted = set()
    for point in points:
        text = re.fullmatch(r"(.*?)(?:, torch (\S+))?: ([\d,]+ of [\d,]+) .*", point.text())
        assert text, point.text()
        plotted.add((text[1], text[2] or "not stated", text[3]))
    assert plotted == in_table != set()


def test_history_files_have_the_numbers_of_each_report(site: Site) -> None:
    reports = data(site, "history/xpu-baselines.json")["reports"]
    newest = [report for report in reports if "torchbench" in report["suites"]][-1]
    assert newest["suites"]["torchbench"] == {"passed": 677, "counted": 917}
