"""A plugin's lifecycle stands above its commands."""

from __future__ import annotations

import datetime as dt

from accelerator_portal.install.rows import InstallRow
from tests.browser.visit import OpenPage, address_of, expect, set_clock
from tests.built_site import Site


def with_until(site: Site, *, past: bool) -> InstallRow:
    """A row whose lifecycle ends before or after 2026-11-21, when this was written."""
    return next(
        row
        for row in site.selector.rows
        if row.stage and row.stage.until and (row.stage.until < "2026-11-21") is past
    )


def test_it_is_shown_before_the_commands(open_page: OpenPage, site: Site) -> None:
    row = with_until(site, past=False)
    page = open_page(address_of(site.selector.first_choice(row)))
    stage = page.locator("[data-part=stage]")
    assert row.stage
    expect(stage).to_contain_text(row.stage.words)
    box, commands = stage.bounding_box(), page.locator(".command-box").bounding_box()
    assert box
    assert commands
    assert box["y"] < commands["y"]


def test_what_has_ended_is_said_to_have(open_page: OpenPage, site: Site) -> None:
    row = with_until(site, past=True)
    address = address_of(site.selector.first_choice(row))
    page = open_page(address)
    expect(page.locator("[data-part=stage]")).to_contain_text(" ended on ")
    assert row.stage
    assert row.stage.until
    set_clock(page, dt.datetime.fromisoformat(row.stage.until) - dt.timedelta(days=400))
    expect(page.locator("[data-part=stage]")).to_contain_text(row.stage.until)
    expect(page.locator("[data-part=stage]")).to_contain_text(f" until {row.stage.until}")


def test_a_platform_without_one_shows_none(open_page: OpenPage) -> None:
    page = open_page("?platform=cuda")
    expect(page.locator("[data-part=stage]")).to_be_hidden()
    page.locator("input[value=ascend]").evaluate("one => one.click()")
    expect(page.locator("[data-part=commands]")).to_contain_text("torch-npu")
