"""A plugin's lifecycle stands above its commands."""

from __future__ import annotations

import datetime as dt

from accelerator_portal.install.rows import InstallRow
from accelerator_portal.site.text_formats import lifecycle_words
from tests.browser.visit import OpenPage, address_of, expect, set_clock
from tests.built_site import Site
from tests.day import TODAY


def with_until(site: Site, *, past: bool) -> InstallRow:
    """A row whose lifecycle ends before or after today."""
    return next(
        row
        for row in site.selector.rows
        if row.stage and row.stage.until and (row.stage.until < TODAY) is past
    )


def test_it_is_shown_before_the_commands(open_page: OpenPage, site: Site) -> None:
    row = with_until(site, past=False)
    page = open_page(address_of(site.selector.first_choice(row)))
    stage = page.locator("[data-part=stage]")
    assert row.stage
    expect(stage).to_contain_text(lifecycle_words(row.stage, TODAY))
    box, commands = stage.bounding_box(), page.locator(".command-box").bounding_box()
    assert box
    assert commands
    assert box["y"] < commands["y"]


def test_what_has_ended_is_said_to_have(open_page: OpenPage, site: Site) -> None:
    row = with_until(site, past=True)
    address = address_of(site.selector.first_choice(row))
    page = open_page(address)
    expect(page.locator("[data-part=stage]")).to_contain_text(", was expected to end on ")
    assert row.stage
    assert row.stage.until
    set_clock(page, dt.datetime.combine(row.stage.until, dt.time()) - dt.timedelta(days=400))
    expect(page.locator("[data-part=stage]")).to_contain_text(
        f", expected to end on {row.stage.until}"
    )


def test_a_platform_without_one_shows_none(open_page: OpenPage) -> None:
    page = open_page("?platform=cuda")
    expect(page.locator("[data-part=stage]")).to_be_hidden()
    page.locator("input[value=ascend]").evaluate("one => one.click()")
    expect(page.locator("[data-part=commands]")).to_contain_text("torch-npu")
