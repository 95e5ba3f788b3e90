"""The choice in the page's address: links, reloading, going back, and what makes no sense."""

from __future__ import annotations

import random
from urllib.parse import parse_qsl, urlsplit

import pytest
from playwright.sync_api import Page

from accelerator_portal.catalog.files.versions_file import PYTORCH_INDEX
from accelerator_portal.install import Choice, Selector
from accelerator_portal.install.rows import Value
from tests.browser.visit import (
    OpenPage,
    address_of,
    shown_choice,
    shown_commands,
    status,
    wait_until_ready,
)
from tests.built_site import Site
from tests.selector_choices import choices_of, row_of


def some_choices(selector: Selector, count: int) -> list[Choice]:
    rows = random.Random(7).sample(selector.rows, count)  # noqa: S311 - a sample
    return [list(choices_of(selector, row))[-1] for row in rows]


def query(page: Page) -> dict[str, str]:
    return dict(parse_qsl(urlsplit(page.url).query))


def take(page: Page, axis: str, value: str) -> None:
    """Take a value as a click on its radio button does, wherever it is."""
    page.locator(f"input[name='{axis}'][value='{value}']").evaluate("input => input.click()")


def test_an_address_leads_to_its_choice(open_page: OpenPage, site: Site) -> None:
    page = open_page()
    for choice in some_choices(site.selector, 6):
        page.goto(address_of(choice))
        wait_until_ready(page)
        row = row_of(site.selector, choice)
        assert row is not None
        assert shown_commands(page) == "\n".join(row.commands), choice
        assert status(page) == "", choice


@pytest.mark.parametrize("address", [""])
def test_the_address_holds_what_was_picked_and_survives_reloading(
    open_page: OpenPage, address: str
) -> None:
    page = open_page(address)
    assert query(page) == {}
    take(page, "os", "windows")
    take(page, "platform", "cpu")
    assert query(page) == {"os": "windows", "platform": "cpu"}
    commands = shown_commands(page)
    page.reload()
    wait_until_ready(page)
    assert shown_commands(page) == commands
    assert query(page) == {"os": "windows", "platform": "cpu"}


def test_a_platforms_page_keeps_its_platform(open_page: OpenPage, site: Site) -> None:
    first, second = (platform.id for platform in site.catalog.platforms[:2])
    page = open_page(f"compute-platforms/{first}/?platform={second}&build=preview")
    assert shown_choice(page)["platform"] == first
    take(page, "build", "stable")
    assert "platform" not in query(page)
    assert page.locator("input[name=platform]").count() == 0


@pytest.mark.parametrize("language", ["", "zh/"])
def test_a_mirror_replaces_the_index_that_the_commands_use(
    open_page: OpenPage, site: Site, language: str
) -> None:
    pypi, pytorch = (
        next(one for one in site.catalog.releases.mirrors if one.index == index)
        for index in ("pypi", "pytorch")
    )
    address = f"{language}?platform=ascend&os=linux"
    usual = shown_commands(open_page(address)).split("\n")
    page = open_page(f"{address}&pypi-mirror={pypi.id}&pytorch-mirror={pytorch.id}")
    expected = [
        line.replace(PYTORCH_INDEX, pytorch.url)
        if PYTORCH_INDEX in line or "pip install" not in line
        else f"{line} --index-url {pypi.url}"
        for line in usual
    ]
    assert shown_commands(page).split("\n") == expected
    assert not page.locator(".finding--found, .finding--installed").is_visible()
    page.locator("[data-reset]").evaluate("button => button.click()")
    assert query(page) == {}
    assert not any(one.url in shown_commands(page) for one in site.catalog.releases.mirrors)


def test_a_selected_mirror_stays_selected(open_page: OpenPage) -> None:
    page = open_page("?os=linux&platform=cuda")
    page.locator(".settings > summary").click()
    page.select_option("#pypi-mirror", index=1)
    chosen = query(page)["pypi-mirror"]
    page.goto(page.url.partition("?")[0])
    wait_until_ready(page)
    assert page.locator("#pypi-mirror").input_value() == chosen
    assert page.locator("#pytorch-mirror").is_hidden()


def test_a_mirror_that_is_not_used_is_named(open_page: OpenPage, site: Site) -> None:
    mirror = next(one for one in site.catalog.releases.mirrors if one.index == "pypi")
    address = f"?os=linux&platform=cuda&pypi-mirror={mirror.id}"
    words = f"These commands do not use the mirror {mirror.name}."
    assert words not in status(open_page(address))
    assert words in status(open_page(f"{address}&method=requirements"))


def test_unknown_values_are_ignored_and_said(open_page: OpenPage) -> None:
    commands = shown_commands(open_page("?os=linux&arch=x86_64"))
    page = open_page("?os=linux&arch=x86_64&method=teleport&platform=%3Cb%3E&colour=red&driver=x")
    assert shown_commands(page) == commands
    assert "This selector has no format “teleport”." in status(page)
    assert "This selector has no compute platform “<b>”." in status(page)
    assert "This selector has no GPU driver “x”." in status(page)
    assert "colour" not in status(page)
    assert page.locator("[data-part=status] b").count() == 0


def test_a_release_before_the_oldest_one_leads_to_pytorch_org(
    open_page: OpenPage, site: Site
) -> None:
    page = open_page("?os=linux&build=1.13.1")
    oldest = list(site.selector.axes["build"])[-1].id
    assert f"“1.13.1”. The oldest release here is {oldest}." in status(page)
    listed = page.locator(".axis-build details.more-choices a")
    stated = page.locator("[data-part=status] a")
    assert stated.get_attribute("href") == listed.get_attribute("href")
    assert "The oldest release" not in status(open_page("?os=linux&build=99.0"))
    own = open_page("compute-platforms/ascend/").locator(".axis-build details a")
    assert (own.get_attribute("href") or "").endswith("compute-platforms/ascend/#versions")


@pytest.mark.parametrize("query", ["torch=2.9", "build=2.9", "torch=2.9.1"])
def test_a_minor_version_is_its_newest_release_and_torch_is_the_build(
    open_page: OpenPage, query: str
) -> None:
    page = open_page(f"?os=linux&platform=cpu&{query}")
    assert "torch==2.9.1" in shown_commands(page)
    assert status(page) == ""


def test_a_variant_of_another_platform_does_not_break_the_page(
    open_page: OpenPage, site: Site
) -> None:
    owner, variants = next(iter(site.selector.variants.items()))
    other = next(p.id for p in site.selector.axes["platform"] if p.id != owner)
    page = open_page(f"?os=linux&platform={other}&variant={variants[0].id}")
    assert status(page) == ""
    assert shown_commands(page)


def test_back_and_forward_walk_through_the_choices(open_page: OpenPage) -> None:
    page = open_page("?os=linux")
    seen = [shown_commands(page)]
    for axis, value in (("platform", "cpu"), ("method", "uv"), ("platform", "rocm")):
        take(page, axis, value)
        seen.append(shown_commands(page))
    assert len(set(seen)) == len(seen)
    for commands in seen[-2::-1]:
        page.go_back()
        assert shown_commands(page) == commands
    for commands in seen[1:]:
        page.go_forward()
        assert shown_commands(page) == commands


def test_taking_what_is_already_chosen_leaves_no_step_behind(open_page: OpenPage) -> None:
    page = open_page()
    steps = page.evaluate("history.length")
    page.locator("input[name=os]:checked").evaluate("input => input.click()")
    assert page.evaluate("history.length") == steps


@pytest.mark.parametrize("build", ["stable", "number"])
def test_the_newest_release_has_a_lasting_name_and_a_number(
    open_page: OpenPage, site: Site, build: str
) -> None:
    newest = site.catalog.releases.newest.version
    page = open_page(f"?os=linux&build={newest if build == 'number' else build}")
    assert shown_choice(page)["build"] == "stable"
    assert f"torch=={newest}" in shown_commands(page)
    assert status(page) == ""


def test_a_link_to_an_earlier_release_opens_the_list_of_them(
    open_page: OpenPage, site: Site
) -> None:
    builds: list[Value] = [*site.selector.axes["build"]]
    earlier = builds[3].id
    page = open_page(f"?os=linux&build={earlier}")
    assert shown_choice(page)["build"] == earlier
    assert page.locator(".axis-build details.more-choices").evaluate("box => box.open")


def test_an_address_keeps_its_anchor(open_page: OpenPage) -> None:
    page = open_page("#install")
    take(page, "method", "uv")
    assert urlsplit(page.url).fragment == "install"
    assert query(page)["method"] == "uv"


@pytest.mark.parametrize(
    ("address", "words", "place"),
    [
        ("?platform=musa&build=1.13", "All versions of MUSA", "compute-platforms/musa/#versions"),
        ("?platform=musa&build=2.14.1", "All versions of MUSA", "platforms/musa/#versions"),
        ("?build=1.13", "Older releases on pytorch.org", "get-started/previous-versions/"),
        ("?os=linux&arch=aarch64&method=docker", "Containers for CUDA", "platforms/cuda/#deploy"),
        ("?platform=qaic&method=docker", "Containers for Qualcomm Cloud AI", "qaic/#install"),
    ],
)
def test_what_has_no_command_leads_to_where_it_is(
    open_page: OpenPage, address: str, words: str, place: str
) -> None:
    page = open_page(address)
    wait_until_ready(page)
    link = page.locator("[data-part=status]").get_by_role("link", name=words)
    assert (link.get_attribute("href") or "").endswith(place)
