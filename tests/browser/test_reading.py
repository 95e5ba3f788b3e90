"""Copying, the keyboard, and finding a platform."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from accelerator_portal.site.pages.hardware import hardware_data
from tests.browser import kinds
from tests.browser.visit import DESKTOP, OpenPage, address_of, expect, shown_choice, shown_commands
from tests.built_site import Site

FOCUSED = """() => {
  const focused = document.activeElement;
  const seen = focused.closest("label") ?? focused;
  const nodes = [focused, seen, ...seen.querySelectorAll("*")];
  const outlined = (style) => style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0;
  return {
    name: focused.getAttribute("name"),
    text: focused.textContent.trim(),
    visible: nodes.some((node) => outlined(getComputedStyle(node))),
  };
}"""


@pytest.mark.parametrize("address", ["", kinds.FULLEST], ids=kinds.name)
def test_the_copy_button_copies_exactly_the_commands(open_page: OpenPage, address: str) -> None:
    page = open_page(address, permissions=["clipboard-read", "clipboard-write"])
    button = page.locator(".command-box button")
    button.click()
    expect(button).to_have_text("Copied")
    script = page.locator("[data-part=script]").text_content() or ""
    assert page.evaluate("navigator.clipboard.readText()") == script
    assert shown_commands(page) in script
    assert script == script.strip()
    expect(button).to_have_text("Copy")
    page.locator("[data-copy=commands]").click()
    expect(page.locator("[data-copy=commands]")).to_have_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()") == shown_commands(page)


def test_commands_of_several_lines_are_copied_as_several_lines(
    open_page: OpenPage, site: Site
) -> None:
    row = next(row for row in site.selector.rows if len(row.commands) > 1)
    address = address_of(site.selector.first_choice(row))
    page = open_page(address, permissions=["clipboard-read", "clipboard-write"])
    page.locator("[data-copy=commands]").click()
    expect(page.locator("[data-copy=commands]")).to_have_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()") == "\n".join(row.commands)


def test_without_the_permission_the_commands_are_at_least_marked(open_page: OpenPage) -> None:
    page = open_page("", script="delete Navigator.prototype.clipboard;")
    page.locator(".command-box button").click()
    script = page.locator("[data-part=script]").text_content() or ""
    assert page.evaluate("String(getSelection()).trim()") == script.strip()


def tab_until(page: Page, name: str) -> None:
    for _ in range(60):
        page.keyboard.press("Tab")
        focused = page.evaluate(FOCUSED)
        assert focused["visible"], f"nobody sees the focus on {focused}"
        if focused["name"] == name:
            return
    pytest.fail(f"Tab does not lead to {name}")


def test_every_axis_is_reached_by_tab_and_moved_by_arrows(open_page: OpenPage) -> None:
    page = open_page("?os=linux")
    for axis in ("platform", "variant", "build", "os", "arch", "python", "method"):
        if axis == "build":
            page.locator("[data-part=settings] > summary").click()
        tab_until(page, axis)
        before = shown_choice(page)[axis]
        page.keyboard.press("ArrowRight")
        assert page.evaluate(FOCUSED)["name"] == axis, "the focus stays where it was"
        assert shown_choice(page)[axis] != before
        page.keyboard.press("ArrowLeft")
        assert shown_choice(page)[axis] == before


def test_the_first_tab_skips_to_the_content(open_page: OpenPage) -> None:
    page = open_page()
    page.keyboard.press("Tab")
    skip = page.locator(".skip-link")
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport()
    page.keyboard.press("Enter")
    expect(page.locator("#content")).to_be_focused()


def test_the_link_to_the_platform_follows_the_choice(open_page: OpenPage, site: Site) -> None:
    page = open_page()
    for platform in site.selector.axes["platform"]:
        page.locator(f"input[name=platform][value='{platform.id}']").evaluate("one => one.click()")
        link = page.locator("[data-part=more]")
        expect(link).to_have_text(f"{platform.label}: setup, first program, help")
        assert (link.get_attribute("href") or "").endswith(f"compute-platforms/{platform.id}/")


class Cards:
    """The page of the compute platforms and what its filters leave."""

    def __init__(self, page: Page, site: Site) -> None:
        self.page = page
        self.total = len(site.catalog.platforms)

    def assert_shown(self, names: list[str]) -> None:
        """Exactly these cards are shown, and the line above says how many."""
        shown = self.page.locator(".card").filter(visible=True)
        expect(shown.locator(".card-name")).to_have_text(names)
        state = f"Showing {len(names)} of {self.total} platforms."
        expect(self.page.locator(".filters-state")).to_have_text(state)


@pytest.fixture
def cards(open_page: OpenPage, site: Site) -> Cards:
    return Cards(open_page("compute-platforms/", viewport=DESKTOP), site)


def test_without_filters_every_platform_is_shown(cards: Cards, site: Site) -> None:
    cards.assert_shown([p.accelerator.name for p in site.catalog.platforms])


def test_filters_leave_what_they_say(cards: Cards, site: Site) -> None:
    known = [platform.accelerator for platform in site.catalog.platforms]
    traits: dict[str, dict[str, set[str]]] = {
        "Vendor": {a.name: {a.vendor} for a in known},
        "Integration": {a.name: {str(a.integration.value)} for a in known},
        "Operating system": {a.name: {str(s.os) for s in a.operating_systems} for a in known},
    }
    for label, by_name in traits.items():
        for value in sorted(set().union(*by_name.values())):
            cards.page.get_by_label(label).select_option(value)
            cards.assert_shown([name for name, values in by_name.items() if value in values])
        cards.page.get_by_label(label).select_option("")


def test_filters_work_together(cards: Cards, site: Site) -> None:
    accelerator = site.catalog.platforms[-1].accelerator
    cards.page.get_by_label("Vendor").select_option(accelerator.vendor)
    cards.page.get_by_label("Name").fill(f"  {accelerator.name.upper()} ")
    cards.assert_shown([accelerator.name])


@pytest.mark.parametrize(
    ("purpose", "memory", "power"),
    [("training", None, None), ("", 128, None), ("", 48, 300), ("inference", 24, 75)],
)
def test_filters_of_a_device_ask_for_one_that_matches_them_all(
    cards: Cards, site: Site, purpose: str, memory: int | None, power: int | None
) -> None:
    """A platform with one large and another small device has no large device of low power."""
    hardware = hardware_data(site.catalog).platforms
    names = [
        platform.name
        for platform in hardware
        for models in [[m for generation in platform.generations for m in generation.models]]
        if any(
            (not purpose or purpose in (m.purpose or ()))
            and (memory is None or (m.memory_gb or 0) >= memory)
            and (power is None or 0 < (m.power_w or 0) <= power)
            for m in models
        )
    ]
    assert 0 < len(names) < len(site.catalog.platforms)
    cards.page.get_by_label("Made for").select_option(purpose)
    cards.page.get_by_label("Minimum memory (GB)").fill(str(memory or ""))
    cards.page.get_by_label("Maximum power (W)").fill(str(power or ""))
    cards.assert_shown(names)


@pytest.mark.parametrize(
    "text", ["qqzzxxyy", "<script>alert(1)</script>", "(((", "\\", "🦆", "a" * 5000]
)
def test_nonsense_leaves_nothing_and_harms_nothing(cards: Cards, site: Site, text: str) -> None:
    cards.page.get_by_label("Name").fill(text)
    cards.assert_shown([])
    cards.page.get_by_label("Name").fill("")
    cards.assert_shown([p.accelerator.name for p in site.catalog.platforms])


def test_enter_in_a_filter_loads_nothing_anew(cards: Cards, site: Site) -> None:
    cards.page.evaluate("window.stayed = true")
    cards.page.get_by_label("Name").fill("qqzzxxyy")
    cards.page.keyboard.press("Enter")
    cards.assert_shown([])
    assert cards.page.evaluate("window.stayed")
    assert cards.page.url.endswith("?text=qqzzxxyy")
    assert site.catalog.platforms
