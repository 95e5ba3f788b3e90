"""What the selector shows first follows from the reader's system, where the browser says it."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from accelerator_portal.install.resolution import offers, resolve
from accelerator_portal.site.selector_view import other_machines
from tests.browser.visit import OpenPage, expect, shown_choice
from tests.built_site import Site

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


def start(site: Site, system: str, **known: str) -> dict[str, str]:
    """The machine, the platform and the build that a reader on a system begins with."""
    starts = site.selector.starts
    first = next((s for s in starts if s["os"] == system), starts[0])
    machine = {"os": first["os"], "arch": first["arch"], **known}
    choice = resolve(site.selector, machine).choice
    assert choice
    newest = offers(site.selector)[choice["platform"]][f"{machine['os']} {machine['arch']}"]
    assert choice["build"] == newest
    return {**machine, "platform": choice["platform"], "build": "stable"}


def shown_start(page: Page) -> dict[str, str]:
    shown = shown_choice(page)
    return {axis: shown[axis] for axis in ("os", "arch", "platform", "build")}


@pytest.mark.parametrize(("platform", "system"), PLATFORMS.items())
def test_the_system_is_chosen_without_client_hints(
    open_page: OpenPage, site: Site, platform: str, system: str
) -> None:
    page = open_page("", script=old_browser(platform))
    assert shown_start(page) == start(site, system)


@pytest.mark.parametrize("platform", ["iPhone", "", "FreeBSD amd64"])
def test_an_unknown_system_gets_the_first_start(
    open_page: OpenPage, site: Site, platform: str
) -> None:
    page = open_page("", script=old_browser(platform))
    assert shown_start(page) == start(site, site.selector.starts[0]["os"])


ANDROID = """
Object.defineProperty(navigator, "userAgent", { get: () => "Mozilla/5.0 (Android 14; Mobile)" });
"""


def test_firefox_on_linux_tells_an_arm_processor(open_page: OpenPage, site: Site) -> None:
    """On a Mac it says MacIntel always. A phone says the same, and is not what PyTorch is for."""
    page = open_page("", script=old_browser("Linux aarch64"))
    expect(page.locator("input[name=arch][value=aarch64]")).to_be_checked()
    assert shown_start(page) == start(site, "linux", arch="aarch64")
    page = open_page("", script=old_browser("Linux aarch64") + ANDROID)
    assert shown_start(page) == start(site, "linux")


@pytest.mark.parametrize(
    ("system", "told"), [("linux", "Linux"), ("windows", "Windows"), ("macos", "macOS")]
)
@pytest.mark.parametrize(("arch", "architecture"), [("x86_64", "x86"), ("aarch64", "arm")])
def test_client_hints_tell_system_and_architecture(  # noqa: PLR0913, PLR0917 - two parameters each
    open_page: OpenPage, site: Site, system: str, told: str, arch: str, architecture: str
) -> None:
    page = open_page("", script=hints(told, architecture))
    expect(page.locator(f"input[name=arch][value={arch}]")).to_be_checked()
    assert shown_choice(page)["os"] == system
    if not (system == "macos" and arch == "x86_64"):  # no platform has a build for it
        assert shown_start(page) == start(site, system, arch=arch)


def test_a_32_bit_browser_says_nothing_of_the_machine(open_page: OpenPage, site: Site) -> None:
    page = open_page("", script=hints("Windows", "arm", "32"))
    assert shown_start(page) == start(site, "windows")


def test_the_address_counts_more_than_the_system(open_page: OpenPage, site: Site) -> None:
    arch = start(site, "linux")["arch"]
    page = open_page(f"?os=linux&arch={arch}", script=hints("Windows", "arm"))
    page.wait_for_timeout(100)  # client hints arrive late
    shown = shown_choice(page)
    assert (shown["os"], shown["arch"]) == ("linux", arch)


def test_the_architecture_that_arrives_late_leaves_the_message(open_page: OpenPage) -> None:
    page = open_page("?platform=nowhere", script=hints("Linux", "arm"))
    expect(page.locator("input[name=arch][value=aarch64]")).to_be_checked()
    expect(page.locator("[data-part=status]")).to_contain_text("no compute platform “nowhere”")


def test_a_platforms_page_never_leaves_its_platform(open_page: OpenPage, site: Site) -> None:
    for platform in (site.selector.axes["platform"][0], site.selector.axes["platform"][-1]):
        page = open_page(f"compute-platforms/{platform.id}/", script=old_browser("Win32"))
        machines = offers(site.selector)[platform.id]
        shown = shown_choice(page)
        assert shown["platform"] == platform.id
        system = "windows" if "windows x86_64" in machines else "linux"
        assert shown["os"] == system


def test_platforms_that_do_not_fit_say_where_they_are(open_page: OpenPage, site: Site) -> None:
    page = open_page("?platform=ascend&os=linux&arch=aarch64")
    offered = offers(site.selector)
    choice = {"os": "linux", "arch": "aarch64"}
    reasons = {
        platform: other_machines(site.selector, machines, choice)
        for platform, machines in offered.items()
        if "linux aarch64" not in machines
    }
    assert reasons["mps"] == "macOS only"
    assert reasons["rocm"] == "x86-64 only"
    for platform, reason in reasons.items():
        label = page.locator(f"label:has(input[name=platform][value={platform}])").first
        expect(label).to_contain_text(reason)
