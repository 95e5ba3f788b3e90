"""Seventeen things that readers come for, each from the home page, on a desktop and a phone.

`pytest -s` prints what each of them takes: clicks, pixels from the top of the page to the command,
and the command.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from playwright.sync_api import Page, ViewportSize

from tests.browser import kinds
from tests.browser.test_selector_system import hints
from tests.browser.visit import DESKTOP, PHONE, OpenPage, expect

LINUX = hints("Linux", "x86")
WINDOWS = hints("Windows", "x86")
MAC = hints("macOS", "arm")

COMMAND = "form[data-selector] [data-part=commands]"
ANSWER = ".finder-answers pre"
MOST_PIXELS = 700


class Walker:
    """A reader: counts clicks, and opens what hides the thing to click."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.clicks = 0

    def click(self, selector: str) -> Walker:
        """Click the first element."""
        self.page.locator(selector).first.click()
        self.clicks += 1
        return self

    def pick(self, axis: str, value: str) -> Walker:
        """Pick a value, behind whatever disclosures it stands."""
        radio = self.page.locator(f"input[name='{axis}'][value='{value}']")
        for box in radio.locator("xpath=ancestor::details").all():
            if not box.evaluate("box => box.open"):
                box.locator("> summary").click()
                self.clicks += 1
        radio.locator("xpath=ancestor::label").click()
        self.clicks += 1
        return self

    def type(self, selector: str, text: str) -> Walker:
        """Type into a field; reaching it is a click."""
        self.click(selector)
        self.page.locator(selector).fill(text)
        return self

    def find(self, card: str) -> Walker:
        """Ask the finder for a card, by the link beside the platforms."""
        return self.click(".to-finder").type("#card", card)

    def go(self, *addresses: str) -> Walker:
        """Follow links of the menu; on a phone it has to be opened first."""
        for address in addresses:
            links = self.page.locator(
                f".md-tabs a[href$='{address}'], .md-nav a[href$='{address}']"
            )
            if not links.filter(visible=True).count():
                self.page.get_by_role("button", name="Menu").click()
                self.clicks += 1
                for label in self.page.locator(".md-nav--primary label[for^=__nav]:visible").all():
                    if links.filter(visible=True).count():
                        break
                    if label.locator(f"xpath=..//a[contains(@href, '{address}')]").count():
                        label.click()
                        self.clicks += 1
            with self.page.expect_navigation():
                links.filter(visible=True).first.click()
            self.clicks += 1
        return self


@dataclass(frozen=True)
class Walk:
    """What a reader does, and what they must then see."""

    does: Callable[[Walker], Walker]
    sees: tuple[str, ...]
    where: str = COMMAND
    system: str = LINUX
    most_clicks: int = 6
    hides: tuple[str, ...] = ()


WALKS = {
    "V100": Walk(lambda w: w.find("V100"), ("whl/cu126",), ANSWER),
    "CPU on Linux": Walk(lambda w: w.pick("platform", "cpu"), ("whl/cpu",)),
    "RX 7900 XTX on Windows": Walk(
        lambda w: w.find("RX 7900 XTX"), ("stable.repo.amd.com/rocm",), ANSWER, WINDOWS
    ),
    "M3": Walk(lambda w: w.find("MacBook Pro M3"), ("pip install torch==",), ANSWER, MAC),
    "Ascend 910B on aarch64": Walk(
        lambda w: w.pick("platform", "ascend").pick("arch", "aarch64"), ("torch-npu==",)
    ),
    "Arc A770 on Windows": Walk(lambda w: w.find("Arc A770"), ("whl/xpu",), ANSWER, WINDOWS),
    "driver 535": Walk(
        lambda w: w.click("[data-part=settings] > summary").type("#driver-version", "535"),
        ("whl/cu126",),
    ),
    "2.6.0 with CUDA 12.4": Walk(
        lambda w: w.pick("build", "2.6.0").pick("variant", "cu124"), ("torch==2.6.0",)
    ),
    "nightly": Walk(lambda w: w.pick("build", "preview"), ("--pre", "whl/nightly")),
    "conda": Walk(lambda w: w.pick("method", "conda"), ("conda-forge",)),
    "uv project": Walk(
        lambda w: w.pick("method", "pyproject"), ("[project]", "torch=="), "[data-part=files] pre"
    ),
    "ROCm in Docker": Walk(
        lambda w: w.pick("platform", "rocm").pick("method", "docker"), ("docker run", "/dev/kfd")
    ),
    "GH200": Walk(lambda w: w.find("GH200"), ("pip install torch==",), ANSWER),
    "Gaudi against Ascend": Walk(
        lambda w: (
            w.go("compute-platforms/", "compare/")
            .click(".grid-presets a[href*=gaudi]")
            .click(".grid-columns summary")
            .click("label:has(input[name=with][value=ascend])")
            .click("label:has(input[name=with][value=xpu])")
        ),
        ("Gaudi", "Ascend NPU"),
        "table.grid-table",
        most_clicks=9,
        hides=("ROCm", "XPU"),
    ),
    "BERT training": Walk(
        lambda w: (
            w.go("results/")
            .click("article a[href='huggingface/']")
            .click("article a[href*='training/']")
            .type("form[data-matrix] input[name=text]", "bert")
        ),
        ("Showing", "bert"),
        ".filters-state",
    ),
    "what broke this week": Walk(lambda w: w.go("results/", "changes/"), ("What changed",), "h1"),
    "how to become tested": Walk(
        lambda w: w.go("results/", "standards/"), ("Requirements for “tested”",), "#tested"
    ),
}


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("name", WALKS)
def test_a_reader_gets_there(open_page: OpenPage, name: str, viewport: ViewportSize) -> None:
    walk = WALKS[name]
    page = open_page("", script=walk.system, viewport=viewport)
    walker = Walker(page)
    walk.does(walker)
    target = page.locator(walk.where).first
    for text in walk.sees:
        expect(target).to_contain_text(text, use_inner_text=True)
    for text in walk.hides:
        expect(target).not_to_contain_text(text, use_inner_text=True)
    top = target.evaluate("box => box.getBoundingClientRect().top + scrollY")
    shown = " ".join((target.text_content() or "").split())[:90]
    size = "phone" if viewport == PHONE else "desktop"
    print(f"{name} | {size} | {walker.clicks} clicks | {top:.0f} px | {shown}")  # noqa: T201 - for -s
    assert walker.clicks <= walk.most_clicks


def test_the_first_command_line_is_in_the_first_view(open_page: OpenPage) -> None:
    page = open_page("404.html")
    tops: dict[str, float] = {}
    for address in ("", *kinds.PLATFORMS):
        page.goto(f"/{address}")
        box = page.locator("[data-part=script]")
        if box.count():  # a few platforms have no sourced command
            expect(page.locator("form[data-ready]")).to_be_attached()
            for size in (DESKTOP, PHONE):
                page.set_viewport_size(size)
                top = box.evaluate("box => box.getBoundingClientRect().top + scrollY")
                tops[address] = max(top, tops.get(address, 0))
    assert len(tops) > 15
    assert {address: top for address, top in tops.items() if top > MOST_PIXELS} == {}
