"""The pages of results say what the reports say, and nothing more."""

from __future__ import annotations

import csv
import io
import json
import re
import xml.etree.ElementTree as ET
from collections import Counter, defaultdict
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from accelerator_portal.results.result_matrices import group_of, outcome_counts
from accelerator_portal.results.stored_reports import StoredReport, stored_reports
from accelerator_portal.site.pages.suites import MOST_ROWS
from accelerator_portal.site.results.results_view import (
    ResultsView,
    address_of,
    anchor_of,
    evidence_suffix,
)
from accelerator_portal.site.results.suite_tests import reported_tests
from accelerator_reports.outcomes import BAD, GOOD
from accelerator_reports.report_file import report_text
from accelerator_reports.report_views import missing_operators, waiting_tests_text
from accelerator_reports.suite_names import suite_folder, suite_owner
from tests.built_site import Page, Site, attribute, grid_cells, ids_of_tests, marks
from tests.reports.examples import report as example


def matrix_pages_of(site: Site, suite: str) -> list[Page]:
    """The pages of a suite's matrices, whichever mode and rows."""
    return [
        page
        for address, page in site.pages.items()
        if address.startswith(f"results/{suite_folder(suite)}/") and page.tree.css_first(".matrix")
    ]


def test_every_result_is_on_the_page_of_its_suite(site: Site) -> None:
    reports, problems = stored_reports(site.catalog)
    assert problems == ()
    stated: Counter[str] = Counter()
    shown: Counter[str] = Counter()
    for stored in reports:
        stated.update(test.suite for test in stored.report.tests)
    for suite in stated:
        for page in matrix_pages_of(site, suite):
            shown[suite] += len(page.tree.css(".matrix td > .outcome"))
            assert len(page.tree.css(".result-row")) <= MOST_ROWS
    assert shown == stated


def test_a_platform_with_several_reports_is_one_choice_by_its_name(site: Site) -> None:
    names = {p.id: p.accelerator.name for p in site.catalog.platforms}
    choices = site.pages["results/operators/"].tree.css("select[name=accelerator] option")
    ids = [str(choice.attributes["value"]) for choice in choices[1:]]
    assert len(ids) == len({*ids}) > 1
    assert [choice.text() for choice in choices[1:]] == [names[id_] for id_ in ids]


def test_a_report_counts_tests_by_the_hardware_that_pytorch_wrote_them_for(
    extended_site: Site,
) -> None:
    pages = {address: page for address, page in extended_site.pages.items() if "/runs/" in address}
    shown = {
        address: [item.text(strip=True) for item in page.tree.css(".hw-classifications li")]
        for address, page in pages.items()
    }
    (lines,) = (lines for lines in shown.values() if lines)
    assert lines == ["ACCELERATOR: 0 of 1 tests passed (0%)"]


def test_a_cell_of_the_grid_shows_the_share_of_samples(extended_site: Site) -> None:
    cells = grid_cells(extended_site.pages["results/"])
    notes = [note.text(strip=True) for cell in cells.values() for note in cell.css("small")]
    assert [note for note in notes if "tried" in note] == ["20% tried"]


def test_a_report_counts_the_tests_that_wait_for_an_operator(site: Site) -> None:
    index = json.loads((site.root / "api/v1/results/index.json").read_text("utf-8"))
    by_id = {entry["id"]: entry["missing_operators"] for entry in index["reports"]}
    reports, _ = stored_reports(site.catalog)
    listed = 0
    for stored in reports:
        missing = missing_operators(stored.report.tests)
        page = site.pages[f"results/runs/{stored.id}/"]
        shown = [item.text(strip=True) for item in page.tree.css(".missing-operators li")]
        assert shown == [waiting_tests_text(operator) for operator in missing]
        assert by_id[stored.id] == {found.operator: found.tests for found in missing}
        listed += len(shown)
    assert listed


def test_every_cell_leads_to_its_evidence(site: Site) -> None:
    reports, _ = stored_reports(site.catalog)
    ids: dict[str, set[str]] = defaultdict(set)
    for stored in reports:
        for test in stored.report.tests:
            address, _, anchor = address_of(test.suite, test.name).partition("#")
            ids[address] |= {anchor}
            mode = str(test.parameters.get("mode", ""))
            ids[address].add(anchor + evidence_suffix(mode, stored.id, group_of(test)))
        assert f"results/runs/{stored.id}/" in site.pages
    assert {
        a: found for a, wanted in ids.items() if (found := wanted - ids_of_tests(site, a))
    } == {}


def test_a_result_says_all_that_is_known_of_it(site: Site) -> None:
    for address, page in site.pages.items():
        for result in page.tree.css(".evidence > li"):
            said = [dt.text() for dt in result.css("dt")]
            known = {"Since", "Report", "Environment", "Log", "Command"}
            assert known <= set(said), (address, said)


def test_a_baseline_is_said_to_be_one_and_has_no_rate(site: Site) -> None:
    for stored in stored_reports(site.catalog)[0]:
        words = site.pages[f"results/runs/{stored.id}/"].one("article").text()
        baseline = stored.report.kind == "baseline"
        assert ("Nobody ran the tests for it." in words) == baseline, stored.id
        skipped = all(test.outcome == "skipped" for test in stored.report.tests)
        rows = [
            row.text()
            for row in site.pages[f"results/runs/{stored.id}/"].tree.css(".report-tests tr")
        ]
        assert not baseline or not re.search(r"[✓≠✕] passed\b", " ".join(rows)), stored.id
        counts = re.search(r"(?:of [\d,]+|none) expected to pass", words)
        assert bool(counts) == (baseline and not skipped), stored.id
        assert "no checked results" in words or not skipped, stored.id


def test_every_cell_of_a_baseline_says_that_it_is_expected(site: Site) -> None:
    cells = [
        cell for page in site.pages.values() for cell in page.tree.css("a.suite-cell.is-expected")
    ]
    assert len(cells) > 30
    assert [cell.text() for cell in cells if not re.search("expected|预期", cell.text())] == []
    labels = [
        attribute(cell.css("a")[0], "aria-label")
        for cell in grid_cells(site.pages["results/"]).values()
        if "expected" in marks(cell)[0]
    ]
    assert len(labels) > 15
    assert [label for label in labels if "expected" not in label] == []


def test_expected_outcomes_are_not_shown_as_runs(site: Site) -> None:
    page = site.pages["results/huggingface/"]
    heads = page.tree.css("table.matrix thead tr:last-child th")
    for head in heads[1:]:
        assert ("expected, not run" in head.text()) == ("baseline" in head.text())
    kinds: set[bool] = set()
    for row in page.tree.css("table.matrix tbody tr"):
        for head, cell in zip(heads[1:], row.css("td"), strict=True):
            for sign in cell.css(".outcome"):
                kinds.add(is_expected := "baseline" in head.text())
                assert ("data-expected" in head.attributes) == is_expected
                assert attribute(sign, "aria-label").startswith("expected") == is_expected
                assert ("is-expected" in attribute(sign, "class")) == is_expected
    assert kinds == {True, False}
    assert "baseline" in site.pages["results/"].tree.css("ul.legend")[-1].text()


def test_the_pages_of_tests_show_failures_of_runs_and_count_what_nobody_ran(site: Site) -> None:
    lines = 0
    for address, page in site.pages.items():
        for test in page.tree.css("details.test"):
            results = test.css(".evidence > li")
            assert results, address
            assert not test.css(
                ".evidence .report-kind-baseline, .evidence > li > p > .outcome--pass"
            )
            summary = " ".join(test.css("summary")[0].text().split())
            numbers = re.findall(r"(\d+) ([^;]*)", summary.removeprefix(test.css("h2")[0].text()))
            assert sum(int(number) for number, _ in numbers) >= len(results), (address, summary)
            lines += len(results)
    assert lines > 200


def test_a_page_without_failures_leads_to_the_page_of_all_tests(site: Site) -> None:
    address = address_of("huggingface", "BertForMaskedLM").partition("#")[0]
    page = site.pages[f"results/{address}"]
    assert attribute(page.one("[data-moved]"), "href") == "../"
    assert len(page.html) < 1_500
    assert "Content-Security-Policy" in page.html
    assert site.pages["results/huggingface/tests/"].tree.css("form[data-tests]")


def complete_results(site: Site, suite: str, name: str) -> list[dict[str, Any]]:
    """The results of a test in the data files, with what its reports have in common."""
    folder = site.root / "api/v1/suite-tests" / suite
    reports = json.loads((folder / "index.json").read_text("utf-8"))["reports"]
    for file in folder.glob("[!i]*.json"):
        if test := json.loads(file.read_text("utf-8"))["tests"].get(anchor_of(name)):
            return [{**reports[r["report"]]["common"], **r} for r in test["results"]]
    raise LookupError(name)


@pytest.mark.parametrize(
    ("suite", "name"), [("operators", "add"), ("huggingface", "BertForMaskedLM")]
)
def test_the_data_of_a_test_says_what_its_reports_say(site: Site, suite: str, name: str) -> None:
    expected = {
        (stored.id, result.settings): result
        for stored in stored_reports(site.catalog)[0]
        for result in reported_tests(stored, suite)
        if result.test.name == name
    }
    found = complete_results(site, suite, name)
    assert len(found) == len(expected) > 2
    for one in found:
        result = expected[one["report"], one.get("settings") or ""]
        assert one["outcome"] == result.test.outcome
        command = (one.get("command") or "").replace("{}", one.get("test") or "")
        assert command == (result.command or "")
        assert one.get("inputs") == result.test.inputs
        assert one.get("lacks") == result.lacks
        measured = dict(zip(one.get("measures") or (), one.get("measured") or (), strict=True))
        assert measured == result.measured


def test_counts_show_what_they_are_taken_of(site: Site) -> None:
    words = site.pages["results/runs/ascend-torchbench-2024-10/"].one("article").text()
    assert (
        "75 passed, 2 executed, 14 failed, 1 out of memory, 3 test broken, 8 skipped (103 tests)"
        in words
    )


def test_the_data_of_a_report_is_the_report(site: Site) -> None:
    for stored in stored_reports(site.catalog)[0]:
        text = (site.root / f"api/v1/reports/{stored.id}.json").read_text("utf-8")
        assert json.loads(text) == json.loads(report_text(stored.report))
    index = json.loads((site.root / "api/v1/results/index.json").read_text("utf-8"))
    assert [entry["id"] for entry in index["reports"]] == [
        s.id for s in stored_reports(site.catalog)[0]
    ]


def test_the_same_model_meets_itself_elsewhere(site: Site) -> None:
    anchor = anchor_of("BertForMaskedLM")
    files = (site.root / "api/v1/suite-tests/torchbench").glob("[!i]*.json")
    tests = [t for f in files for t in json.loads(f.read_text("utf-8"))["tests"].values()]
    others = {tuple(other) for test in tests for other in test.get("same", ())}
    assert ("huggingface/BertForMaskedLM", f"huggingface/tests/b/#{anchor}") in others


def test_the_dashboard_names_every_platform_and_no_breakage_of_baselines(
    site: Site, view: ResultsView
) -> None:
    page, overview = site.pages["results/dashboard/"], site.pages["results/"]
    assert len(page.tree.css(".fleet tbody tr")) == len(site.catalog.platforms)
    assert not page.tree.css(".grid-table"), "one page has the grid"
    rows = overview.tree.css(".grid-table [data-row]")
    assert all(row.css("td a") for row in rows), "an empty row says nothing"
    names = [row.css("th a")[0].text() for row in rows]
    untested = overview.tree.css(".grid-empty a[href*='compute-platforms/']")
    assert len({*names}) + len(untested) == len(site.catalog.platforms)
    with_runs = {
        site.catalog.by_id[stored.report.accelerator].accelerator.name
        for stored in view.reports
        if stored.report.kind != "baseline"
    }
    breakages = [heading.text() for heading in page.tree.css(".regression h3")]
    assert {heading.partition(":")[0] for heading in breakages} <= with_runs


def test_the_grid_shows_the_newest_report_of_each_suite(site: Site, view: ResultsView) -> None:
    page = site.pages["results/"]
    expected = {
        (platform.id, f"compute-platforms/{owner}/#own-suites")
        if (owner := suite_owner(found.suite))
        else (platform.id, f"results/runs/{found.stored.id}/#suite-{found.suite}")
        for platform in site.catalog.platforms
        for found in view.newest(platform.id)
        if found.kind != "speed"
    }
    shown = set()
    for (platform, _), cell in grid_cells(page).items():
        address = attribute(cell.css("a")[0], "href").removeprefix("../")
        shown.add((platform, address))
        run, _, anchor = address.partition("#")
        assert anchor in site.pages[run].ids
    assert shown == expected
    by_suite = {found.suite: found.stored.id for found in view.newest("cpu")}
    assert by_suite["executorch-models"] == "cpu-executorch"
    assert by_suite["operators"] != "cpu-executorch", "one report hides nothing of another"


def test_executorch_has_a_group_of_its_own(site: Site) -> None:
    (table,) = site.pages["results/"].tree.css(".grid-table")
    groups = table.css(".grid-groups th")
    assert [group.text() for group in groups][-1] == "ExecuTorch"
    columns = [attribute(head, "data-column") for head in table.css("[data-column]")]
    own = int(attribute(groups[-1], "colspan"))
    assert all(column.startswith("executorch") for column in columns[-own:])
    assert not any(column.startswith("executorch") for column in columns[:-own])


def test_a_cell_says_how_much_was_tried_and_its_mark_how_it_is_known(
    site: Site, view: ResultsView
) -> None:
    """A cell never looks the same for a part of the samples and for all of them."""
    cells = grid_cells(site.pages["results/"])
    seen = set()
    for platform in site.catalog.platforms:
        for found in view.newest(platform.id):
            if found.kind == "speed" or suite_owner(found.suite):
                continue
            cell = cells[platform.id, found.suite]
            (mark,) = marks(cell)
            assert mark.startswith("run" if found.is_run else "expected")
            counts = found.counts
            good = sum(number for name, number in counts.items() if name in GOOD)
            bad = sum(number for name, number in counts.items() if name in BAD)
            assert (mark.split()[1] == "pass") == bool(good and not bad)
            assert (mark.split()[1] == "fail") == (not good and bad and "executed" not in counts)
            if found.samples:
                share = 100 * found.samples[0] // found.samples[1]
                assert (f"{share}% tried" in cell.text()) == (share < 100)
            seen.add(mark)
    assert seen > {"run pass", "run part", "expected part", "expected fail"}


def test_the_feed_is_atom(site: Site) -> None:
    root = ET.fromstring((site.root / "results/feed.atom").read_text("utf-8"))  # noqa: S314 - our own
    space = "{http://www.w3.org/2005/Atom}"
    assert root.tag == f"{space}feed"
    entries = root.findall(f"{space}entry")
    ids = [entry.findtext(f"{space}id", "") for entry in entries]
    prefix = "urn:accelerator-portal:report:"
    shown = {i.removeprefix(prefix) for i in ids if i.startswith(prefix)}
    oldest = min(entry.findtext(f"{space}updated", "") for entry in entries)
    dated = {s.id: s.report.started for s in stored_reports(site.catalog)[0] if s.report.started}
    assert shown <= dated.keys()
    left_out = [dated[name].isoformat() for name in dated.keys() - shown]
    assert all(started <= oldest for started in left_out), "only the oldest are left out"


def test_each_platform_has_a_badge(site: Site) -> None:
    for platform in site.catalog.platforms:
        badge = json.loads((site.root / f"api/v1/badges/{platform.id}.json").read_text("utf-8"))
        assert badge["schemaVersion"] == 1
        assert platform.accelerator.name in badge["label"]


def test_a_table_as_csv_has_what_the_table_has(site: Site) -> None:
    text = (site.root / "api/v1/results/timm/training.csv").read_text("utf-8")
    head, *rows = csv.reader(io.StringIO(text))
    data = json.loads((site.root / "api/v1/results/timm.json").read_text("utf-8"))
    (matrix,) = (m for m in data["matrices"] if m["mode"] == "training")
    assert len(head) == 1 + len(matrix["columns"])
    listed = [
        [test["name"], *(outcome or "" for outcome in test["outcomes"])] for test in matrix["tests"]
    ]
    assert rows == listed


def test_each_mode_has_a_page_of_its_own_that_leads_to_the_others(site: Site) -> None:
    for suite in ("huggingface", "timm", "torchbench"):
        pages = {page.address: page for page in matrix_pages_of(site, suite)}
        assert set(pages) == {f"results/{suite}/", f"results/{suite}/training/"}
        for page in pages.values():
            here = [a.text() for a in page.tree.css("nav[aria-label=Modes] a[aria-current]")]
            assert here == ["training" if "training" in page.address else "inference"]


def test_the_data_says_of_each_test_where_it_stands(site: Site) -> None:
    for suite in ("huggingface", "timm", "torchbench"):
        data = json.loads((site.root / f"api/v1/results/{suite}.json").read_text("utf-8"))
        known = ids_of_tests(site, f"{suite}/tests/")
        for matrix in data["matrices"]:
            ids = [column["id"] for column in matrix["columns"]]
            assert len(set(ids)) == len(ids)
            for test in matrix["tests"]:
                page, _, anchor = test["address"].partition("#")
                assert f"results/{page}" in site.pages
                assert anchor in known


def test_a_breakage_says_since_when_who_and_how_to_repeat_it(example_site: Site) -> None:
    """The example's first test passed on 2 January, failed on the 5th and crashed on the 10th."""
    page = example_site.pages["results/dashboard/"]
    (found,) = page.tree.css(".regression")
    words = " ".join(found.text(separator=" ").split())
    assert "Acme: 1 regression in made-up" in words
    assert "Failing since 2026-01-05 overdue since 2026-01-08" in words
    assert "Last passed 2026-01-02" in words
    assert "torch: 2.3.1 → 2.3.2.dev1" in words
    (test,) = found.css(".broken-tests li")
    assert test.css("a")[0].text() == "made-up/first?dtype=float32&mode=inference"
    assert "crashed" in test.text()
    assert "pytest -k first" in test.text()
    link = attribute(test.css("a")[-1], "href")
    filled = parse_qs(urlsplit(link).query)
    assert filled["filename"] == ["accelerators/acme/known-issues.yaml"]
    assert "made-up/first?dtype=float32&mode=inference" in filled["value"][0]
    badge = json.loads((example_site.root / "api/v1/quality.json").read_text("utf-8"))
    assert (badge["platforms"][0]["open_breakages"], badge["platforms"][0]["never_passed"]) == (
        1,
        2,  # a check of a feature failed in its only run
    )


def test_a_commit_without_a_repository_is_shown(example_site: Site) -> None:
    facts = example_site.pages["results/runs/acme-nightly-3/"].one("dl.facts").text(separator=" ")
    commit = "0123456789abcdef0123456789abcdef01234567"
    assert f"Trigger nightly, commit {commit}" in " ".join(facts.split())


def test_two_columns_of_a_group_have_different_headings(view: ResultsView) -> None:
    told = set()
    for suite, matrices in view.by_suite.items():
        for matrix in matrices:
            headings = [(column.group, column.name) for column in matrix.columns]
            assert len({*headings}) == len(headings), suite
            told |= {column.name for column in matrix.columns}
    assert {"CPU", "CPU, torch 2.13.0+cpu", "CPU, ExecuTorch 1.5.1"} <= told


def test_a_count_says_how_many_of_the_known_samples_ran() -> None:
    """Eight of forty samples and eight of eight must not look the same."""
    metrics = {
        name: {"value": number, "unit": "1"}
        for name, number in (("samples", 8), ("known-samples", 40))
    }
    test = {"suite": "models", "name": "a", "outcome": "passed", "metrics": metrics}
    suites = [{"name": "models", "kind": "unit", "level": "quick"}]
    one = StoredReport("one", "one.json", example(test, suites=suites), None)
    plain = {"suite": "models", "name": "a", "outcome": "passed"}
    other = StoredReport(
        "other", "other.json", example(plain, suites=[{**suites[0], "level": None}]), None
    )
    results = ResultsView((one, other), outcome_counts([one, other]), {})
    (counts,), (unstated,) = results.suite_counts("one"), results.suite_counts("other")
    assert (counts.level, counts.samples) == ("quick", (8, 40))
    assert (unstated.level, unstated.samples) == (None, None)
