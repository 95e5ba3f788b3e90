"""The choice in the page's address: links, reloading, going back, and what makes no sense."""

from __future__ import annotations

import random
from collections.abc import Callable
from urllib.parse import parse_qsl, urlsplit

import pytest
from playwright.sync_api import Page

from accelerator_portal.install import Choice, Selector
from tests.browser.visit import (
    address_of,
    shown_choice,
    shown_commands,
    status,
    wait_until_ready,
)
from tests.built_site import Site

OpenPage = Callable[..., Page]


def some_choices(selector: Selector, count: int) -> list[Choice]:
    rows = random.Random(7).sample(selector.rows, count)  # noqa: S311 - a sample
    return [list(selector.choices(row))[-1] for row in rows]


def query(page: Page) -> dict[str, str]:
    return dict(parse_qsl(urlsplit(page.url).query))


def take(page: Page, axis: str, value: str) -> None:
    """Take a value as a click on its radio button does, wherever it is."""
    page.locator(f"input[name='{axis}'][value='{value}']").evaluate("input => input.click()")


def other_value(selector: Selector, choice: Choice) -> str:
    """Another operating system that there is."""
    return next(value.id for value in selector.axes["os"] if value.id != choice["os"])


def test_an_address_leads_to_its_choice(open_page: OpenPage, site: Site) -> None:
    page = open_page("get-started/")
    for choice in some_choices(site.selector, 4):
        page.goto(address_of(choice))
        wait_until_ready(page)
        row = site.selector.row(choice)
        assert row is not None
        assert shown_choice(page) == choice
        assert shown_commands(page) == "\n".join(row.commands)
        assert status(page) == ""


@pytest.mark.parametrize("address", ["", "get-started/"])
def test_a_choice_is_whole_in_the_address_and_survives_reloading(
    open_page: OpenPage, site: Site, address: str
) -> None:
    page = open_page(address)
    assert query(page) == {}
    take(page, "os", other_value(site.selector, shown_choice(page)))
    choice = shown_choice(page)
    whole = {a: v for a, v in choice.items() if (a, v) != ("variant", "default")}
    assert query(page) == whole
    page.reload()
    wait_until_ready(page)
    assert shown_choice(page) == choice
    assert query(page) == whole


def test_a_platforms_page_keeps_its_platform(open_page: OpenPage, site: Site) -> None:
    first, second = (platform.id for platform in site.catalog.platforms[:2])
    page = open_page(f"compute-platforms/{first}/?platform={second}&build=preview")
    assert shown_choice(page)["platform"] == first
    take(page, "build", site.selector.only(first).axes["build"][0].id)
    assert "platform" not in query(page)
    assert page.locator("input[name=platform]").count() == 0


def test_unknown_values_are_ignored_and_said(open_page: OpenPage) -> None:
    start = shown_choice(open_page("get-started/?os=linux&arch=x86_64"))
    page = open_page(
        "get-started/?os=linux&arch=x86_64&method=teleport&platform=%3Cb%3E&colour=red"
    )
    assert shown_choice(page) == start
    assert "method “teleport”, which does not exist; ignored" in status(page)
    assert "compute platform “<b>”, which does not exist; ignored" in status(page)
    assert "colour" not in status(page)
    assert page.locator("[data-part=status] b").count() == 0


def test_a_variant_of_another_platform_does_not_break_the_page(
    open_page: OpenPage, site: Site
) -> None:
    selector = site.selector
    owner, variants = next(iter(selector.variants.items()))
    other = next(p.id for p in selector.axes["platform"] if p.id != owner)
    page = open_page(f"get-started/?platform={other}&variant={variants[0].id}")
    assert selector.row(shown_choice(page)) is not None


def test_an_impossible_combination_becomes_the_nearest_one_and_is_said(
    open_page: OpenPage, site: Site
) -> None:
    selector = site.selector
    choice = next(
        choice | {"os": os.id}
        for row in selector.rows
        for choice in selector.choices(row)
        for os in selector.axes["os"]
        if selector.row(choice | {"os": os.id}) is None
    )
    page = open_page(address_of(choice))
    pinned = [a for a, v in choice.items() if (a, v) != ("variant", "default")]
    nearest = selector.nearest(choice, pinned)
    assert shown_choice(page) == nearest
    assert status(page).startswith("Changed with it: ")
    for axis in selector.moved(choice, nearest):
        if selector.label(axis, nearest):
            assert selector.label(axis, nearest) in status(page)


def test_back_and_forward_walk_through_the_choices(open_page: OpenPage, site: Site) -> None:
    page = open_page("get-started/")
    seen = [shown_choice(page)]
    for method in [value.id for value in site.selector.axes["method"]][:3]:
        if shown_choice(page)["method"] != method:
            take(page, "method", method)
            seen.append(shown_choice(page))
    assert len(seen) > 2
    for choice in seen[-2::-1]:
        page.go_back()
        assert shown_choice(page) == choice
    for choice in seen[1:]:
        page.go_forward()
        assert shown_choice(page) == choice
    assert shown_commands(page)


def test_taking_what_is_already_chosen_leaves_no_step_behind(open_page: OpenPage) -> None:
    page = open_page("get-started/")
    steps = page.evaluate("history.length")
    page.locator("input[name=os]:checked").evaluate("input => input.click()")
    assert page.evaluate("history.length") == steps


def test_the_newest_versions_number_means_stable(open_page: OpenPage, site: Site) -> None:
    newest = site.catalog.releases.newest.version
    page = open_page(f"get-started/?build={newest}")
    assert shown_choice(page)["build"] == "stable"
    assert status(page) == ""


def test_a_link_to_an_earlier_release_opens_the_list_of_them(
    open_page: OpenPage, site: Site
) -> None:
    builds = [value.id for value in site.selector.axes["build"]]
    earlier = [build for build in builds if build not in {"stable", "preview"}]
    page = open_page(f"get-started/?build={earlier[0]}")
    assert shown_choice(page)["build"] == earlier[0]
    assert page.locator(".axis-build details.more-choices").evaluate("box => box.open")


def test_an_address_keeps_its_anchor(open_page: OpenPage) -> None:
    page = open_page("get-started/#install")
    take(page, "method", "uv")
    assert urlsplit(page.url).fragment == "install"
    assert query(page)["method"] == "uv"
