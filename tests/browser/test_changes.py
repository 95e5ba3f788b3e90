"""What changed can be narrowed to a platform, a kind of change and a range of days."""

from __future__ import annotations

from tests.browser.visit import DESKTOP, OpenPage, expect


def test_a_range_of_days_is_kept_in_the_address(open_page: OpenPage) -> None:
    page = open_page("results/changes/")
    page.get_by_label("From").fill("2026-01-01")
    page.get_by_label("Until").fill("2026-01-31")
    days = page.locator(".episode:visible").evaluate_all("all => all.map((e) => e.dataset.since)")
    assert days
    assert all("2026-01-01" <= day <= "2026-01-31" for day in days)
    shown = page.locator(".week:visible").count()
    page.reload()
    expect(page.locator(".week:visible")).to_have_count(shown)
    assert page.url.endswith("?since=2026-01-01&until=2026-01-31")


def test_older_weeks_are_folded_and_the_page_is_short(open_page: OpenPage) -> None:
    page = open_page("results/changes/", viewport=DESKTOP)
    assert page.locator(".week:visible").count() == 3
    assert page.evaluate("document.documentElement.scrollHeight") <= 5_000


def test_a_kind_of_change_shows_only_the_tests_that_changed_so(open_page: OpenPage) -> None:
    page = open_page("results/changes/?change=regressed")
    kinds = page.locator(".over-time li:visible").evaluate_all(
        "all => all.map((item) => item.dataset.kind)"
    )
    assert set(kinds) == {"regressed"}
    found = page.locator(".over-time li[data-kind=regressed]")
    assert found.count() == len(kinds)
    expect(page.locator(".older-weeks")).to_be_hidden()


def test_first_reports_of_a_platform_are_shown_alone(open_page: OpenPage) -> None:
    page = open_page("results/changes/?change=first&platform=cpu")
    told = page.locator(".episode:visible").all_inner_texts()
    assert told
    assert all("irst report of" in words for words in told)
