"""The selector in the browser shows what Python says: every command, many impossible choices."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Page

from accelerator_portal.install import Choice, Selector
from accelerator_portal.install.axes import AXES
from accelerator_portal.install.commands import new_environment
from accelerator_portal.site.selector_view import reason
from tests.browser.visit import address_of, shown_choice, shown_commands
from tests.built_site import Site

OpenPage = Callable[..., Page]

SEED = 20261121
IMPOSSIBLE = 500

NAMES = {
    "build": "build",
    "os": "operating system",
    "arch": "architecture",
    "python": "Python",
    "method": "method",
    "platform": "compute platform",
    "variant": "variant",
}

# Clicks radio buttons until the form shows `target`, and returns what stands in it.
WALK = """([form, targets]) => {
  const part = (name) => form.querySelector(`[data-part=${name}]`);
  const text = (box) => (box.hidden ? "" : box.textContent);
  const input = (axis, value) =>
    [...form.querySelectorAll(`input[name="${axis}"]`)].find((one) => one.value === value);
  const choose = (target) => {
    for (let round = 0; round < 8; round += 1) {
      let moved = false;
      for (const [axis, value] of Object.entries(target)) {
        const radio = input(axis, value);
        if (!radio || radio.checked) continue;
        radio.click();
        moved = true;
      }
      if (!moved) return;
    }
  };
  return targets.map((target) => {
    choose(target);
    return {
      commands: text(part("commands")),
      note: text(part("note")),
      environment: text(part("environment").querySelector("code").closest("[data-part]")),
      needs: part("needs").hidden ? [] : [...form.querySelectorAll("[data-part=needs] li")].map(
        (item) => item.textContent
      ),
      check: part("check").hidden ? "" : part("check").querySelector(".check-command").textContent,
      prints: part("check").hidden ? "" : part("check").querySelector(".check-prints").textContent,
      choice: Object.fromEntries(
        [...form.querySelectorAll("input[type=radio]:checked")].map((one) => [one.name, one.value])
      ),
    };
  });
}"""

# Goes to a choice by the address, takes one value, and returns what came of it.
TAKE = """([form, steps]) => steps.map(([query, axis, value]) => {
  history.replaceState(null, "", query);
  dispatchEvent(new PopStateEvent("popstate"));
  const radios = [...form.querySelectorAll(`input[name="${axis}"]`)];
  radios.find((one) => one.value === value).click();
  return [
    Object.fromEntries(
      [...form.querySelectorAll("input[type=radio]:checked")].map((one) => [one.name, one.value])
    ),
    form.querySelector("[data-part=status]").textContent,
  ];
})"""

REASONS = """([form, queries]) => queries.map((query) => {
  history.replaceState(null, "", query);
  dispatchEvent(new PopStateEvent("popstate"));
  return [...form.querySelectorAll("input[type=radio]")].map((input) => {
    const label = input.closest("label");
    const why = label.querySelector(".choice-reason").textContent;
    return [input.name, input.value, why, label.classList.contains("is-blocked")];
  });
})"""


def run(page: Page, script: str, data: Any) -> Any:  # noqa: ANN401 - any JSON
    form = page.locator("form[data-selector]").element_handle()
    return page.evaluate(script, [form, data])


def distinct(selector: Selector) -> list[Choice]:
    """One choice for each distinct commands of the selector."""
    found = {row.commands: next(selector.choices(row)) for row in reversed(selector.rows)}
    assert found
    return list(found.values())


def expected(selector: Selector, choice: Choice) -> dict[str, Any]:
    """What the form must show for a choice."""
    row = selector.row(choice)
    assert row is not None
    environment = (new_environment(row.method, row.os) or "").replace("{python}", choice["python"])
    return {
        "commands": "\n".join(row.commands),
        "note": row.note or "",
        "environment": f"Fresh environment{environment}" if environment else "",
        "needs": [f"{p.name} {p.version}" if p.version else p.name for p in row.prerequisites],
        "check": row.check.command if row.check else "",
        "prints": row.check.prints if row.check else "",
    }


def assert_walk(page: Page, selector: Selector, *, fixed: bool) -> None:
    """Choose each distinct command by clicking; whatever Python moves, the page must move."""
    choices = distinct(selector)
    order = ("platform", "os", "arch", "method", "build", "variant", "python")
    targets = [{axis: choice[axis] for axis in order} for choice in choices]
    for choice, shown in zip(choices, run(page, WALK, targets), strict=True):
        platform = {"platform": choice["platform"]} if fixed else {}
        assert Choice({"variant": "default", **shown.pop("choice"), **platform}) == choice
        assert shown == expected(selector, choice), choice


def test_every_distinct_command_is_reached_by_clicking(open_page: OpenPage, site: Site) -> None:
    assert_walk(open_page("get-started/"), site.selector, fixed=False)


def test_every_distinct_command_is_reached_on_its_platforms_page(
    open_page: OpenPage, site: Site
) -> None:
    for platform in site.selector.axes["platform"]:
        page = open_page(f"compute-platforms/{platform.id}/")
        assert_walk(page, site.selector.only(platform.id), fixed=True)


@pytest.mark.parametrize("address", ["", "get-started/"])
def test_a_reader_clicks_through_some_choices(
    open_page: OpenPage, site: Site, address: str
) -> None:
    page = open_page(address)
    for choice in random.Random(SEED).sample(distinct(site.selector), 2):  # noqa: S311 - a sample
        page.goto(f"./{address}")
        for _ in range(3):
            for axis, value in choice.items():
                radio = page.locator(f"input[name='{axis}'][value='{value}']")
                if radio.count() and not radio.is_checked():
                    more = page.locator(f"details:has(input[name='{axis}'][value='{value}'])")
                    if more.count() and not more.evaluate("box => box.open"):
                        more.locator("summary").click()
                    radio.click()
        assert shown_choice(page) == choice
        assert shown_commands(page) == expected(site.selector, choice)["commands"]


def impossible(selector: Selector) -> Iterator[tuple[Choice, str, str]]:
    """Seeded steps from a valid choice to a value that does not go with it."""
    dice = random.Random(SEED)  # noqa: S311 - to repeat itself is what it is for
    while True:
        choice = dice.choice(list(selector.choices(dice.choice(selector.rows))))
        axis = dice.choice(AXES).id
        values = selector.values(axis, choice["platform"])
        if values:
            value = dice.choice(values).id
            if selector.row(choice | {axis: value}) is None:
                yield choice, axis, value


def announcement(selector: Selector, axis: str, wanted: Choice, found: Choice) -> str:
    """What the page must say after a value was taken."""
    moved = [
        f"{NAMES[other]} to {selector.label(other, found)}"
        for other in selector.moved(wanted, found)
        if (axis, other) != ("platform", "variant") and selector.label(other, found)
    ]
    if moved:
        return f"Changed with it: {', '.join(moved)}."
    axes = ("platform", "variant", "build", "os", "arch", "method")
    return f"Commands for {', '.join(filter(None, (selector.label(a, found) for a in axes)))}."


def test_impossible_choices_move_what_python_moves(open_page: OpenPage, site: Site) -> None:
    selector = site.selector
    steps = [step for step, _ in zip(impossible(selector), range(IMPOSSIBLE), strict=False)]
    page = open_page("get-started/")
    data = [(address_of(choice, page=""), axis, value) for choice, axis, value in steps]
    for (choice, axis, value), (shown, said) in zip(steps, run(page, TAKE, data), strict=True):
        wanted = choice | {axis: value}
        found = selector.nearest(wanted, (axis,))
        assert Choice({"variant": "default", **shown}) == found, (choice, axis, value)
        assert said == announcement(selector, axis, wanted, found), (choice, axis, value)


def test_reasons_are_those_of_python(open_page: OpenPage, site: Site) -> None:
    selector = site.selector
    dice = random.Random(SEED)  # noqa: S311 - to repeat itself is what it is for
    rows = dice.sample(selector.rows, min(30, len(selector.rows)))
    choices = [dice.choice(list(selector.choices(row))) for row in rows]
    page = open_page("get-started/")
    queries = [address_of(choice, page="") for choice in choices]
    for choice, shown in zip(choices, run(page, REASONS, queries), strict=True):
        assert len(shown) > 20
        for axis, value, why, blocked in shown:
            chosen = choice[axis] == value
            assert why == ("" if chosen else reason(selector, choice, axis, value)), (choice, axis)
            assert blocked == bool(why)
