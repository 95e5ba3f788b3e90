"""What the selector shows first follows from the reader's system, where the browser says it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from accelerator_portal.install import Choice
from tests.browser.visit import expect, shown_choice
from tests.built_site import Site

OpenPage = Callable[..., Page]

PLATFORMS = {"Win32": "windows", "MacIntel": "macos", "Linux x86_64": "linux"}


def old_browser(platform: str) -> str:
    """A script that makes the browser one without client hints."""
    return f"""
delete Navigator.prototype.userAgentData;
Object.defineProperty(Navigator.prototype, "platform", {{ get: () => "{platform}" }});
"""


def hints(platform: str, architecture: str, bitness: str = "64") -> str:
    """A script that makes the browser tell this much of its system, as client hints do."""
    return f"""
const told = {{ platform: "{platform}", architecture: "{architecture}", bitness: "{bitness}" }};
const userAgentData = {{ platform: told.platform, getHighEntropyValues: async () => told }};
Object.defineProperty(Navigator.prototype, "userAgentData", {{ get: () => userAgentData }});
"""


def start(site: Site, system: str) -> Choice:
    starts = site.selector.starts
    return next((s for s in starts if s["os"] == system), starts[0])


@pytest.mark.parametrize(("platform", "system"), PLATFORMS.items())
def test_the_system_is_chosen_without_client_hints(
    open_page: OpenPage, site: Site, platform: str, system: str
) -> None:
    page = open_page("get-started/", script=old_browser(platform))
    assert shown_choice(page) == start(site, system)


@pytest.mark.parametrize("platform", ["iPhone", "", "FreeBSD amd64"])
def test_an_unknown_system_gets_the_first_start(
    open_page: OpenPage, site: Site, platform: str
) -> None:
    page = open_page("get-started/", script=old_browser(platform))
    assert shown_choice(page) == site.selector.starts[0]


def test_the_architecture_is_not_guessed_from_the_platforms_name(
    open_page: OpenPage, site: Site
) -> None:
    """Firefox on a Mac with Apple silicon says MacIntel, and on ARM64 Linux anything."""
    page = open_page("get-started/", script=old_browser("Linux aarch64"))
    assert shown_choice(page) == start(site, "linux")


@pytest.mark.parametrize(
    ("system", "told"), [("linux", "Linux"), ("windows", "Windows"), ("macos", "macOS")]
)
@pytest.mark.parametrize(("arch", "architecture"), [("x86_64", "x86"), ("aarch64", "arm")])
def test_client_hints_tell_system_and_architecture(  # noqa: PLR0913, PLR0917 - two parameters each
    open_page: OpenPage, site: Site, system: str, told: str, arch: str, architecture: str
) -> None:
    wanted = start(site, system) | {"arch": arch}
    expected = site.selector.nearest(wanted, ("os", "arch"))
    page = open_page("get-started/", script=hints(told, architecture))
    expect(page.locator(f"input[name=arch][value={expected['arch']}]")).to_be_checked()
    assert shown_choice(page) == expected


def test_a_32_bit_browser_says_nothing_of_the_machine(open_page: OpenPage, site: Site) -> None:
    page = open_page("get-started/", script=hints("Windows", "arm", "32"))
    assert shown_choice(page) == start(site, "windows")


def test_the_address_counts_more_than_the_system(open_page: OpenPage, site: Site) -> None:
    arch = start(site, "linux")["arch"]
    page = open_page(f"get-started/?os=linux&arch={arch}", script=hints("Windows", "arm"))
    page.wait_for_timeout(100)  # client hints arrive late
    shown = shown_choice(page)
    assert (shown["os"], shown["arch"]) == ("linux", arch)


def test_a_platforms_page_never_leaves_its_platform(open_page: OpenPage, site: Site) -> None:
    for platform in (site.selector.axes["platform"][0], site.selector.axes["platform"][-1]):
        selector = site.selector.only(platform.id)
        page = open_page(f"compute-platforms/{platform.id}/", script=old_browser("Win32"))
        wanted = next((s for s in selector.starts if s["os"] == "windows"), selector.starts[0])
        assert shown_choice(page) == wanted
