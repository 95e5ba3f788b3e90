"""What a look at an open page tells: how wide and tall it is, and what its buttons do."""

from __future__ import annotations

from playwright.sync_api import Page

from tests.browser.visit import DESKTOP, PHONE

WIDTHS = (320, 390, 768, 1280, 1920)

# What a reader scrolls through at most, before anything is opened.
MOST_PIXELS = 20_000

HEIGHT = "document.documentElement.scrollHeight"
# What stands out to the right, for the message.
_WIDE = """() => [...document.querySelectorAll("body *")].filter((node) => {
  const box = node.getBoundingClientRect();
  const apart = node.closest(".table-box, pre, .md-search, .md-sidebar");
  return box.width && box.right > innerWidth + 1 && !apart;
}).map((node) => `${node.nodeName}.${node.className}`).slice(0, 5)"""


def too_wide(page: Page) -> dict[int, object]:
    """The widths of a window at which the page scrolls sideways, with what stands out."""
    found: dict[int, object] = {}
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 800})
        sizes = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
        if sizes[0] > sizes[1]:
            found[width] = (sizes, page.evaluate(_WIDE))
    return found


def too_tall(page: Page) -> dict[int, int]:
    """The heights of the page that are more than anybody scrolls through, by the window's width."""
    found: dict[int, int] = {}
    for size in (PHONE, DESKTOP):
        page.set_viewport_size(size)
        height = page.evaluate(HEIGHT)
        if height > MOST_PIXELS:
            found[size["width"]] = height
    return found


def press_everything(page: Page) -> None:
    """Switch the colors and the selector's systems, and copy all that can be copied."""
    for label in page.locator("form[data-md-component=palette] label").all():
        label.evaluate("label => label.click()")
    for radio in page.locator("form[data-selector] input[name=os]").all():
        radio.evaluate("radio => radio.click()")
    page.locator("button[data-copy], .md-clipboard").evaluate_all(
        "buttons => buttons.forEach((button) => button.click())"
    )
