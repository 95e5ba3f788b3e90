"""A suite of 900 tests of one letter, made up: what does not fit on pages is read on demand."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Route

from accelerator_portal.site.broken_links import BuiltSite, broken_links
from accelerator_portal.site.results.results_view import address_of
from tests.browser.serving import served
from tests.browser.visit import OpenPage, Visitor, expect
from tests.built_site import EXAMPLE, build_site, copy_sources

NAMES = [f"made_up_{n:03}" for n in range(900)]
REPORT = "results/runs/acme-many/"
LETTER = "results/many/tests/m/"


def outcome(place: int) -> str:
    return "failed" if place % 100 == 0 else "passed"


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example's site with one more report."""
    sources = copy_sources(tmp_path_factory.mktemp("large"), EXAMPLE)
    results = sources / "accelerators/acme/results"
    report = json.loads((results / "nightly.json").read_text("utf-8"))
    many = {"name": "many", "kind": "unit", "command": "test-many"}
    report["suites"] = [many, {"name": "few", "kind": "unit"}]
    report["tests"] = [
        {
            "suite": "many",
            "name": name,
            "outcome": outcome(place),
            "reason": "<b>Made</b> up.",
            "evidence": [{"label": "log", "url": f"https://example.org/{name}"}],
        }
        for place, name in enumerate(NAMES)
    ]
    report["tests"].append({"suite": "few", "name": "other", "outcome": "passed"})
    (results / "many.json").write_text(json.dumps(report), "utf-8")
    return build_site(sources, tmp_path_factory.mktemp("large-site")).root


@pytest.fixture
def open_large(browser: Browser, large: Path) -> Iterator[OpenPage]:
    with served(large) as origin:
        visitor = Visitor(browser, origin)
        yield visitor.open
        assert visitor.close() == []


def test_a_link_to_a_test_that_is_on_no_page_is_whole_and_shows_it(
    open_large: OpenPage, large: Path
) -> None:
    assert [fault.what for fault in broken_links(BuiltSite(large))] == []
    page = open_large("results/" + address_of("many", NAMES[899]))
    shown = page.locator(".test[open]")
    expect(shown.locator("h2")).to_have_text(NAMES[899])
    expect(shown).to_contain_text("<b>Made</b> up.")
    expect(shown).to_contain_text("(only report)")  # as the tests on the page say it
    expect(shown).to_contain_text("test-many (runs the whole suite)")
    expect(shown.get_by_role("link", name="log")).to_have_attribute(
        "href", f"https://example.org/{NAMES[899]}"
    )
    page.get_by_label("Search tests").fill("UP_898")
    page.locator("[data-part=found] a").click()
    expect(shown.locator("h2")).to_have_text(NAMES[898])
    assert page.url.endswith(address_of("many", NAMES[898]).partition("#")[2])


def test_without_scripts_the_failures_and_the_counts_are_there(open_large: OpenPage) -> None:
    page = open_large(LETTER, java_script_enabled=False)
    article = page.locator("article")
    expect(article).to_contain_text("900 tests, 9 failing in a run.")
    expect(page.locator("details.test")).to_have_count(9)
    for place in range(0, 900, 100):
        expect(page.locator("summary", has_text=NAMES[place])).to_be_visible()
    link = page.get_by_role("link", name="files of the suite").first
    address = link.get_attribute("href") or ""
    assert page.request.get(page.url + address).ok


def test_the_rows_of_a_report_come_by_outcome_by_name_and_by_page(open_large: OpenPage) -> None:
    page = open_large(REPORT + "?outcome=failed")
    rows = page.locator("[data-part=rows] tbody tr")
    state = page.locator("form[data-rows] .filters-state")
    expect(state).to_have_text("Tests 1–9 of 9.")
    expect(rows.locator("a")).to_have_text([f"many/{name}" for name in NAMES[::100]])
    form = page.locator("form[data-rows]")
    form.locator("select[name=outcome]").select_option("")
    expect(state).to_have_text("Tests 1–100 of 901.")
    page.get_by_role("button", name="Next tests").click()
    expect(state).to_have_text("Tests 101–200 of 901.")
    assert "rows=2" in page.url
    page.reload()
    form.scroll_into_view_if_needed()
    expect(state).to_have_text("Tests 101–200 of 901.")
    form.locator("input[name=text]").fill("_777")
    expect(state).to_have_text("1 test found in 901.")
    expect(rows.locator("a")).to_have_attribute(
        "href", "../../../results/" + address_of("many", NAMES[777])
    )
    form.locator("select[name=outcome]").select_option("failed")
    form.locator("select[name=suite]").select_option("few")
    expect(state).to_have_text("0 tests found in 0.")
    expect(page.locator("[data-part=rows]")).to_be_hidden()
    page.goto(page.url.partition("?")[0] + "?rows=99")  # after the last page
    form.scroll_into_view_if_needed()
    expect(state).to_have_text("Tests 901–901 of 901.")
    page.get_by_role("button", name="Previous tests").click()
    expect(state).to_have_text("Tests 801–900 of 901.")


def test_a_test_that_arrives_late_does_not_take_the_reader_from_another(
    open_large: OpenPage,
) -> None:
    page = open_large(LETTER)
    held: list[Route] = []
    page.route("**/index.json", lambda route: held.append(route))  # noqa: PLW0108 - Playwright marks it
    anchors = [address_of("many", NAMES[place]).partition("#")[2] for place in (899, 1)]
    for anchor in anchors:
        page.evaluate("(anchor) => { location.hash = anchor; }", anchor)
        page.wait_for_timeout(50)
    for route in held:
        route.continue_()
    expect(page.locator(".filters-state")).to_have_text("")
    page.wait_for_timeout(200)
    expect(page.locator("[data-part=test] h2")).to_have_text(NAMES[1])
