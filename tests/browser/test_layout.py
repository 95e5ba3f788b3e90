"""No choice makes a page scroll sideways, nothing jumps while loading, a choice shows at once."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from accelerator_portal.install.resolution import resolve
from tests.browser import kinds
from tests.browser.serving import served
from tests.browser.visit import DESKTOP, PHONE, OpenPage, Visitor, expect, shown_commands
from tests.built_site import Site

SHIFTS = """
window.shifts = [];
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) {
    const nodes = entry.sources.map(({ node }) => node?.className || node?.nodeName);
    window.shifts.push(`${entry.value.toFixed(4)} ${nodes.join(", ")}`);
  }
}).observe({ type: "layout-shift", buffered: true });
"""


BEYOND_THE_BOX = """(tables) => tables.map((table) => {
  table.closest("details")?.toggleAttribute("open", true);
  return table.offsetWidth - table.parentElement.clientWidth;
})"""

# Lines of the install command that are below the box, and lines of any command that the button covers.
LINES_OUT_OF_VIEW = """() => {
  const box = document.querySelector(".selector > .command-box .command");
  const button = document.querySelector(".selector > .command-box .copy").getBoundingClientRect();
  const lines = (element) => {
    const text = document.createRange();
    text.selectNodeContents(element);
    return [...text.getClientRects()];
  };
  const edge = box.getBoundingClientRect().bottom;
  return {
    below: lines(box.querySelector(".command-main")).filter((line) => line.bottom > edge).length,
    covered: lines(box).filter((line) => line.right > button.left && line.top < button.bottom).length,
  };
}"""


def test_no_choice_makes_the_page_scroll_sideways(open_page: OpenPage, site: Site) -> None:
    page = open_page("", viewport={"width": 320, "height": 800})
    for platform in site.selector.axes["platform"]:
        page.locator(f"input[name=platform][value='{platform.id}']").evaluate("one => one.click()")
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, platform.id


def test_tables_show_their_commands_without_scrolling(open_page: OpenPage) -> None:
    page = open_page("404.html", viewport=DESKTOP)
    root = page.url.removesuffix("404.html")
    beyond = {}
    for address in ("", kinds.RELEASE, *kinds.PLATFORMS):
        page.goto(root + address)
        beyond[address] = page.locator(".commands-table").evaluate_all(BEYOND_THE_BOX)
    assert beyond[""]
    assert {address: widths for address, widths in beyond.items() if any(widths)} == {}


def test_on_a_phone_the_whole_install_command_is_in_view(open_page: OpenPage) -> None:
    page = open_page("?platform=cpu&os=linux&method=pip", viewport=PHONE)
    expect(page.locator(".command-main")).to_contain_text("--index-url")
    assert page.evaluate(LINES_OUT_OF_VIEW)["below"] == 0


def test_on_a_phone_the_button_covers_no_command(open_page: OpenPage) -> None:
    page = open_page("?platform=rocm&os=linux&method=docker", viewport=PHONE)
    expect(page.locator(".command-main")).to_contain_text("docker run")
    assert page.evaluate(LINES_OUT_OF_VIEW)["covered"] == 0


@pytest.fixture(scope="module")
def slow_origin(site: Site) -> Iterator[str]:
    """The site as it comes over a slow line."""
    with served(site.root, slow=True) as address:
        yield address


on_both_screens = pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["desktop", "phone"])
with_selectors = pytest.mark.parametrize(
    "address", ["", "get-started/", kinds.FULLEST], ids=kinds.name
)


@on_both_screens
@with_selectors
def test_nothing_jumps_while_the_page_loads(
    open_page: OpenPage, address: str, viewport: dict[str, int]
) -> None:
    assert shifts(open_page(address, script=SHIFTS, viewport=viewport)) == []


@on_both_screens
@with_selectors
def test_nothing_jumps_on_a_slow_line(
    browser: Browser, slow_origin: str, address: str, viewport: dict[str, int]
) -> None:
    """A page is drawn many times before it has come whole, whatever the place where it stops."""
    visitor = Visitor(browser, slow_origin)
    page = visitor.open(address, script=SHIFTS, viewport=viewport)
    assert shifts(page) == []
    assert visitor.close() == []


@pytest.mark.parametrize(
    "address",
    [
        "compare/",
        "compute-platforms/",
        "questions/",
        "results/compare/",
        "results/test-history/",
        "run-anywhere/",
    ],
    ids=kinds.name,
)
def test_a_form_or_button_that_needs_scripts_moves_nothing_when_they_come(
    browser: Browser, slow_origin: str, address: str
) -> None:
    """Columns that grow with their words move a little: half of what counts as good is allowed.

    The share of the screen that moves times how far: https://web.dev/articles/cls calls 0.1 good.
    """
    visitor = Visitor(browser, slow_origin)
    page = visitor.open(address, script=SHIFTS, viewport=PHONE)
    moved = shifts(page)
    assert sum(float(line.split()[0]) for line in moved) < 0.05, moved
    assert visitor.close() == []


def shifts(page: Page) -> list[str]:
    """What has jumped, once the page has loaded and was drawn."""
    page.wait_for_load_state("networkidle")
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 100)))")
    found: list[str] = page.evaluate("window.shifts")
    return found


def test_a_jump_would_be_seen(open_page: OpenPage) -> None:
    page = open_page("", script=SHIFTS)
    page.evaluate("""() => new Promise((done) => {
      const box = document.createElement("p");
      box.style.height = "200px";
      document.querySelector("h1").before(box);
      requestAnimationFrame(done);
    })""")
    page.wait_for_function("window.shifts.length")


def test_a_choice_shows_before_the_event_is_over(open_page: OpenPage, site: Site) -> None:
    """Without timers, so within the frame in which the reader clicked."""
    machine = {axis: site.selector.starts[0][axis] for axis in ("os", "arch")}
    row = resolve(site.selector, {**machine, "platform": "cuda", "method": "uv"}).row
    assert row is not None
    page = open_page("?os=linux&arch=x86_64&platform=cuda")
    shown = page.evaluate(
        """([axis, value]) => {
          const input = [...document.getElementsByName(axis)].find((one) => one.value === value);
          input.checked = true;
          input.dispatchEvent(new Event("change", { bubbles: true }));
          const text = document.querySelector("[data-part=commands]").textContent;
          return [text, document.querySelector("[data-part=status]").textContent !== ""];
        }""",
        ["method", "uv"],
    )
    assert shown == ["\n".join(row.commands), True]


def test_the_command_box_keeps_its_height(open_page: OpenPage, site: Site) -> None:
    """Where commands are as long as the first ones, what stands below does not move."""
    page = open_page()
    heights = set()
    for method in [value.id for value in site.selector.axes["method"] if value.id in {"pip", "uv"}]:
        page.locator(f"input[name=method][value={method}]").check()
        assert shown_commands(page)
        heights.add(page.locator(".command-box").evaluate("box => box.offsetHeight"))
    assert len(heights) == 1


def test_the_colours_follow_the_system(open_page: OpenPage) -> None:
    page = open_page("", color_scheme="dark")
    expect(page.locator("body")).to_have_attribute("data-md-color-scheme", "slate")
    dark = page.locator("body").evaluate("body => getComputedStyle(body).backgroundColor")
    page.emulate_media(color_scheme="light")
    expect(page.locator("body")).to_have_attribute("data-md-color-scheme", "default")
    light = page.locator("body").evaluate("body => getComputedStyle(body).backgroundColor")
    assert dark != light


TWICE = """() => {
  const ids = [...document.querySelectorAll("[id]")].map(({ id }) => id);
  return [...new Set(ids.filter((id, n) => ids.indexOf(id) !== n))];
}"""


@pytest.mark.parametrize(
    "address", ["", "get-started/", "questions/", "contribute/", kinds.FULLEST], ids=kinds.name
)
def test_no_id_stands_twice(open_page: OpenPage, address: str) -> None:
    """Material gives code blocks their ids when its script runs."""
    page = open_page(address)
    page.wait_for_load_state("networkidle")
    assert page.evaluate(TWICE) == []


# Of the choices that are on the screen: those too low for a finger, and those that something covers.
HARD_TO_HIT = """() => [...document.querySelectorAll(".selector .choice")].filter((label) => {
  const { top, bottom, left, width, height } = label.getBoundingClientRect();
  if (height === 0 || top < 60 || bottom > innerHeight) return false;
  const hit = document.elementFromPoint(left + width / 2, top + height / 2);
  const covered = label.closest(".formats") && !label.contains(hit);
  return height < 44 || covered;
}).map((label) => label.textContent.trim())"""


@pytest.mark.parametrize("scrolled", [0, 150, 300, 450])
def test_on_a_phone_every_choice_can_be_hit(open_page: OpenPage, scrolled: int) -> None:
    page = open_page("?platform=cuda&os=linux", viewport=PHONE)
    page.evaluate("(top) => scrollTo(0, top)", scrolled)
    assert page.evaluate(HARD_TO_HIT) == []
