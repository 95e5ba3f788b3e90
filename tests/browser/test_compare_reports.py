"""Two reports compared in the browser, as the library compares them."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from playwright.sync_api import Page, Route

from accelerator_portal.results.stored_reports import stored_reports
from accelerator_portal.site.results.results_view import address_of
from accelerator_reports.comparison import compare_reports
from accelerator_reports.report_file import report_text
from tests.browser.visit import OpenPage, expect
from tests.built_site import Site
from tests.reports.examples import report

COMPARE = "results/compare/"
FIRST, SECOND = "cpu-baseline-inductor", "cuda-baseline-inductor"
PAIR = f"{COMPARE}?from={FIRST}&to={SECOND}"

# What the page's own modules make of two reports.
COMPARED = """async ([from, to]) => {
  const base = document.querySelector('script[type=module]').src.replace(/portal\\.js.*/, '');
  const { compareReports } = await import(`${base}compare-reports-model.js`);
  const form = document.querySelector('form[data-reports]');
  const groups = Object.fromEntries([...document.querySelectorAll('[data-part=signs] li')]
    .map(({ dataset }) => [dataset.outcome, dataset.group]));
  const read = async (id) => (await fetch(`${form.dataset.data}${id}.json`)).json();
  const settings = form.dataset.settings.split(' ');
  const found = compareReports(await read(from), await read(to), groups, settings);
  return {
    differences: found.differences.map(({ kind, test, first, second }) =>
      [kind, test.suite, test.name, first ?? null, second ?? null]),
    unchanged: Object.fromEntries(found.unchanged),
    onlyFirst: Object.fromEntries(found.onlyFirst),
    onlySecond: Object.fromEntries(found.onlySecond),
  };
}"""


def state(page: Page) -> str:
    expect(page.locator(".report-choice .filters-state")).not_to_contain_text("Reading")
    return page.locator(".report-choice .filters-state").inner_text()


def test_the_browser_compares_as_the_library_does(open_page: OpenPage, site: Site) -> None:
    page = open_page(COMPARE)
    reports = stored_reports(site.catalog)[0]
    compared = 0
    for one, other in pairwise(reports):
        found = page.evaluate(COMPARED, [one.id, other.id])
        wanted = compare_reports(one.report, other.report)
        differences = [
            [d.kind, d.test.suite, d.test.name, d.first, d.second] for d in wanted.differences
        ]
        assert sorted(found["differences"], key=str) == sorted(differences, key=str)
        assert found["unchanged"] == dict(wanted.unchanged)
        assert found["onlyFirst"] == dict(wanted.only_first)
        assert found["onlySecond"] == dict(wanted.only_second)
        compared += len(differences)
    assert compared


def test_a_reader_compares_two_reports_and_shares_the_address(
    open_page: OpenPage, site: Site
) -> None:
    page = open_page(COMPARE)
    assert state(page) == "Choose two reports."
    page.locator("select[name=from]").select_option(FIRST)
    assert state(page) == "Choose the other report."
    page.locator("select[name=to]").select_option(SECOND)
    expect(page.locator("[data-part=comparison] h2").first).to_have_text("Environment")
    assert page.url.endswith(PAIR)
    box = page.locator("[data-part=comparison]")
    expect(box).to_contain_text("Both reports are baselines: they list expected results, not runs.")
    expect(box).to_contain_text("The reports are of different platforms.")
    expect(box).to_contain_text("Only the first report has: timm (")
    expect(box).not_to_contain_text("New failures")
    page.locator("[data-part=comparison] select[name=kind]").select_option("only-second")
    page.locator("[data-part=comparison] select[name=suite]").select_option("huggingface")
    assert page.url.endswith("&suite=huggingface&kind=only-second")
    page.reload()
    reports = {stored.id: stored.report for stored in stored_reports(site.catalog)[0]}
    wanted = compare_reports(reports[FIRST], reports[SECOND])
    names = [d.test.name for d in wanted.of_kind("only-second") if d.test.suite == "huggingface"]
    address = f"../../results/{address_of('huggingface', names[0])}"
    links = page.locator(".report-differences a")
    expect(links).to_have_text([f"huggingface/{name}" for name in names])
    expect(links.first).to_have_attribute("href", address)
    links.first.click()
    expect(page.locator(".test[open] > summary")).to_contain_text(names[0])


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("?from=nonsense", "There is no report “nonsense”. Choose one from the list."),
        (f"?from={FIRST}&to=%3Cb%3Ex", "There is no report “<b>x”. Choose one from the list."),
        (f"?to={FIRST}", "Choose the other report."),
        (f"?from={FIRST}&to={FIRST}", "Choose two different reports."),
    ],
)
def test_nonsense_in_the_address_is_answered_in_a_sentence(
    open_page: OpenPage, address: str, words: str
) -> None:
    page = open_page(COMPARE + address)
    assert state(page) == words
    expect(page.locator("[data-part=comparison] > *")).to_have_count(0)


def test_a_long_list_is_cut_and_says_so(open_page: OpenPage) -> None:
    def answer(route: Route) -> None:
        outcome = "passed" if FIRST in route.request.url else "failed"
        tests: list[dict[str, Any]] = [{"name": f"t{n}", "outcome": outcome} for n in range(1000)]
        route.fulfill(body=report_text(report(*tests)), content_type="application/json")

    page = open_page(COMPARE)
    page.route("**/api/v1/reports/*.json", answer)
    page.locator("select[name=from]").select_option(FIRST)
    page.locator("select[name=to]").select_option(SECOND)
    box = page.locator("[data-part=comparison]")
    expect(box).to_contain_text("New failures (1,000)")
    expect(box).to_contain_text("The table lists the first 300 of 1,000 tests.")
    expect(box.locator("tbody a")).to_have_count(300)


def test_a_report_that_cannot_be_read_leaves_no_other_comparison(open_page: OpenPage) -> None:
    page = open_page(PAIR)
    box = page.locator("[data-part=comparison]")
    expect(box.locator("h2").first).to_have_text("Environment")
    page.route("**/api/v1/reports/*.json", lambda route: route.fulfill(body="half a rep"))
    page.locator("select[name=to]").select_option("cpu-validation")
    expect(page.locator(".report-choice .filters-state")).to_contain_text("could not be read")
    expect(box.locator("> *")).to_have_count(0)


def test_without_scripts_the_data_and_the_command_are_there(open_page: OpenPage) -> None:
    page = open_page(PAIR, java_script_enabled=False)
    expect(page.locator("form[data-reports]")).to_be_hidden()
    expect(page.locator("article")).to_contain_text("accelerator-portal report compare")
    link = page.locator(f"#report-list [data-report={FIRST}]").get_by_role("link", name="JSON")
    expect(link).to_have_attribute("href", f"../../api/v1/reports/{FIRST}.json")
