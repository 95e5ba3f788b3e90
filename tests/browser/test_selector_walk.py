"""What a reader sees after clicking: the commands that their wishes alone lead to."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qsl, urlsplit

from playwright.sync_api import Page

from accelerator_portal.install import Selector
from accelerator_portal.install.resolution import offers, payload_overview, resolve
from accelerator_portal.site.selector_view import install_script
from tests.browser.visit import LOADED_AHEAD, OpenPage, expect
from tests.built_site import Site

SEQUENCES = 25
CLICKS = 20

# Clicks at random what a reader could click, and returns the wishes and what is shown then.
_CLICK = """([form, seed, clicks]) => {
  let state = seed;
  const dice = (sides) => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return Math.floor((state / 2147483648) * sides);
  };
  const clicked = [];
  for (let n = 0; n < clicks; n += 1) {
    const radios = [...form.querySelectorAll("input[type=radio]")].filter(
      (input) => !input.checked && !input.closest("[hidden]")
    );
    const radio = radios[dice(radios.length)];
    radio.click();
    clicked.push([radio.name, radio.value]);
  }
  const box = form.querySelector("[data-part=box]");
  const text = form.querySelector("[data-part=script]").textContent.trim();
  return { clicked, script: box.hidden ? null : text };
}"""


PAIRS = 300

# From the start, picks a visible value of one axis and then of another one, at random. Returns how often what is shown
# differs from a pick, and the pairs whose difference the page does not say.
_PAIRS = """([form, seed, count]) => {
  let state = seed;
  const dice = (sides) => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return Math.floor((state / 2147483648) * sides);
  };
  const all = () => [...form.querySelectorAll("input[type=radio]")];
  const shown = (axis) => {
    const input = all().find((one) => one.name === axis && one.checked);
    return input && [input.value, input.closest("label").querySelector(".choice-detail").textContent.trim()];
  };
  const pick = (other) => {
    const radios = all().filter((input) => !input.checked && input.name !== other && !input.closest("[hidden]"));
    const radio = radios[dice(radios.length)];
    const { name: axis, value } = radio;
    const label = radio.closest("label").querySelector(".choice-label").textContent.trim();
    radio.click();
    return { axis, value, label: label.toLowerCase() };
  };
  const silent = [];
  let differences = 0;
  for (let n = 0; n < count; n += 1) {
    form.querySelector("[data-reset]").click();
    const first = pick();
    const [platform] = shown("platform");
    const pair = [first, pick(first.axis)];
    const status = form.querySelector("[data-part=status]");
    const said = status.textContent.toLowerCase();
    for (const { axis, value, label } of pair) {
      const now = shown(axis);
      // Another platform has other variants; a container has its own Python.
      // "Stable" is the platform's newest release, whose number stands beside it.
      if (now === undefined || now[0] === value || (axis === "build" && now.includes(value))) continue;
      if (axis === "variant" && shown("platform")[0] !== platform) continue;
      differences += 1;
      if (!status.classList.contains("has-news") || !said.includes(label)) silent.push([pair, now, said]);
    }
  }
  return { differences, silent };
}"""


def wishes_of(clicked: list[list[str]]) -> dict[str, str]:
    """What clicks mean: the last of each axis counts, in the order of the last ones."""
    wishes: dict[str, str] = {}
    for axis, value in clicked:
        wishes.pop(axis, None)
        if (axis, value) != ("build", "stable"):
            wishes[axis] = value
    return wishes


def text_of(selector: Selector, wishes: dict[str, str]) -> str | None:
    start = {axis: selector.starts[0][axis] for axis in ("os", "arch")}
    if "os" in wishes and "arch" not in wishes:
        usual = next(s for s in selector.starts if s["os"] == wishes["os"])
        start["arch"] = usual["arch"]
    machine = {**start, **wishes}
    found = resolve(selector, machine)
    if found.row is None or found.choice is None:
        ended = payload_overview(selector)["ended"].get(f"{machine['os']} {machine['arch']}")
        platform = next(s["platform"] for s in selector.starts if s["os"] == machine["os"])
        lines = ended and (
            ended["environment"],
            ended["commands"],
            ended["checks"].get(wishes.get("platform", platform), ended["check"]),
        )
        return "\n".join(lines) if lines else None
    parts = install_script(found.row, found.choice)
    return "\n".join(filter(None, (parts.environment, parts.commands, parts.check)))


# Points at every platform, so that a click at once shows its commands; true when all were fetched.
_POINT = """(form) => {
  const platforms = [...form.querySelectorAll("input[name=platform]")];
  for (const one of platforms) one.dispatchEvent(new Event("pointerover", { bubbles: true }));
  const names = performance.getEntriesByType("resource").map(({ name }) => name);
  return platforms.every(({ value }) => names.some((name) => name.endsWith(`/install/${value}.json`)));
}"""


def fetch_all(page: Page) -> None:
    """Fetch the rows of all platforms, which happens otherwise when a reader points at one."""
    form = page.locator("form[data-selector]").element_handle()
    page.wait_for_function(_POINT, arg=form, timeout=LOADED_AHEAD)


def click_about(page: Page, seed: int) -> dict[str, Any]:
    form = page.locator("form[data-selector]").element_handle()
    found: dict[str, Any] = page.evaluate(_CLICK, [form, seed, CLICKS])
    return found


def test_any_clicks_lead_to_what_the_wishes_alone_lead_to(open_page: OpenPage, site: Site) -> None:
    page = open_page()
    fetch_all(page)
    for seed in range(SEQUENCES):
        page.locator("[data-reset]").evaluate("button => button.click()")
        found = click_about(page, seed)
        assert found["script"] == text_of(site.selector, wishes_of(found["clicked"])), (
            seed,
            found["clicked"],
        )


def test_any_two_picks_are_shown_or_the_difference_is_said(open_page: OpenPage) -> None:
    page = open_page()
    fetch_all(page)
    form = page.locator("form[data-selector]").element_handle()
    found = page.evaluate(_PAIRS, [form, 7, PAIRS])
    assert found["silent"] == []
    assert found["differences"] > PAIRS / 10


def test_an_address_leads_to_what_the_clicks_led_to(open_page: OpenPage, site: Site) -> None:
    page = open_page()
    for seed in range(100, 105):
        page.locator("[data-reset]").evaluate("button => button.click()")
        found = click_about(page, seed)
        wishes = wishes_of(found["clicked"])
        assert dict(parse_qsl(urlsplit(page.url).query)) == wishes
        page.reload()
        expect(page.locator("form[data-ready]")).to_be_attached()
        text = page.locator("[data-part=script]").text_content() or ""
        box = page.locator("[data-part=box]")
        assert (text.strip() if box.is_visible() else None) == text_of(site.selector, wishes)


def test_at_the_start_only_what_the_machine_cannot_have_is_marked(
    open_page: OpenPage, site: Site
) -> None:
    page = open_page("?os=linux&arch=x86_64")
    offered = offers(site.selector)
    marked = page.locator(".choice.is-blocked").all()
    assert 0 < len(marked) <= 6
    for label in marked:
        radio = label.locator("input")
        if radio.get_attribute("name") == "platform":
            assert "linux x86_64" not in offered[radio.get_attribute("value") or ""]
            assert "only" in (label.text_content() or "")
    for platform, machines in offered.items():
        label = page.locator(f"label:has(input[name=platform][value='{platform}'])")
        if "linux x86_64" in machines:
            build = machines["linux x86_64"].replace("preview", "nightly")
            assert build in (label.text_content() or "")
