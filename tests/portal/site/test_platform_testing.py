"""What a platform's page says of tests that its vendor declares."""

from __future__ import annotations

import pytest

from tests.built_site import Page, Site


@pytest.fixture
def page(extended_site: Site) -> Page:
    return extended_site.pages["compute-platforms/acme/"]


def test_known_issues_have_their_reason_link_and_end(page: Page) -> None:
    first, second = page.tree.css("#known-issues ~ ul > li")
    words = " ".join(first.text().split())
    assert words == "timm/alpha: expected to fail. It <b>*breaks*. Issue, expires 2099-05-01"
    assert first.css("a")[0].attributes["href"] == "https://example.org/1"
    assert "timm/b*: skipped." in " ".join(second.text().split())


def test_each_feed_leads_to_where_reports_come_from(page: Page) -> None:
    links = [
        item.css("a")[0].attributes["href"] for item in page.tree.css("#report-feeds ~ ul > li")
    ]
    assert links == [
        "https://example.org/newest.json",
        "https://github.com/acme/plugin/releases",
        "https://github.com/acme/ci/actions/workflows/weekly.yml",
    ]


def test_the_tests_of_pytorchs_changes_are_named(page: Page) -> None:
    facts = {
        row.css("dt")[0].text(): row.css("dd")[0].text().strip()
        for row in page.tree.css("#upstream-events ~ dl > div")
    }
    assert facts.pop("Events").startswith("pull-request, daily")
    assert facts == {
        "Required label": "ciflow/acme",
        "Tasks": "build, unit",
        "Runs in": "acme/tests",
        "Time limit": "8 hours",
    }


def test_a_questions_heading_shows_code_as_code(page: Page) -> None:
    codes = [node.text() for node in page.tree.css("#faq ~ details h3 code")]
    assert codes == ["torch.<acme>", "a_b_c"]


def test_the_place_in_the_relay_is_said_with_what_is_only_requested(site: Site) -> None:
    relay = site.catalog.relay
    assert relay
    entries = {entry.repository: entry for entry in relay.repositories}
    shown = 0
    for platform in site.catalog.platforms:
        text = " ".join(site.pages[f"compute-platforms/{platform.id}/"].tree.text().split())
        for one in platform.accelerator.upstream_ci:
            entry = entries[one.repository]
            words = text.partition("Upstream CI")[2].partition(one.repository)[2][:120]
            assert (f"level {entry.level} of the CI relay" in words) == bool(entry.level)
            assert ("not yet part of the CI relay" in words) == (entry.level is None)
            assert ("nightly runs only" in words) == (entry.events == ("nightly",))
            assert (f"level {entry.requested}" in words) == bool(entry.requested)
            shown += 1
    assert shown > 5
