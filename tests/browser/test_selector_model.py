"""The selector's script resolves wishes as Python does, whatever axes the data have."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from accelerator_portal.catalog import Catalog
from accelerator_portal.install import InstallRow, Selector
from accelerator_portal.install.hardware_support import driver_bounds, runs_on_generation
from accelerator_portal.install.resolution import payload, payload_overview, resolve
from accelerator_portal.site.commands_table import offline_installs
from accelerator_portal.site.languages import ENGLISH
from accelerator_portal.site.pages.hardware import cards_by_id
from tests.browser.visit import OpenPage, expect
from tests.built_site import Site
from tests.further_axis import further_selector

CASES = 400

# Without data of its own it reads what pages read: the overview, then the rows of each platform.
_RESOLVE = """async ([data, cases]) => {
  const { Model } = await import(new URL("assets/scripts/selector-model.js", document.baseURI));
  const at = async (path) => (await fetch(`api/v1/${path}`)).json();
  const model = new Model(data?.overview ?? await at("selector.json"));
  const found = [];
  for (const [wishes, limits] of cases) {
    const platform = model.platform(wishes);
    if (!model.hasRows(platform)) model.add(platform, data?.parts[platform] ?? await at(`install/${platform}.json`));
    const { choice, row, unmet } = model.resolve(wishes, limits);
    found.push([row && choice, row && row.commands, unmet.map(([axis]) => axis)]);
  }
  return found;
}"""


def some_wishes(selector: Selector, seed: int) -> list[dict[str, str]]:
    """Wishes as clicks make them: any values, in any order, of any platform."""
    dice = random.Random(seed)  # noqa: S311 - to repeat itself is what it is for
    made: list[dict[str, str]] = []
    for _ in range(CASES):
        axes = dice.sample(selector.table, dice.randint(0, len(selector.table)))
        wishes: dict[str, str] = {}
        for axis in axes:
            owner = dice.choice([*selector.variants])
            values = [value.id for value in selector.values(axis.id, owner)]
            wishes[axis.id] = dice.choice(values)
        made.append(wishes)
    return made


def plain_case(wishes: dict[str, str], **limits: str) -> tuple[list[tuple[str, str]], Any]:
    return [*wishes.items()], limits


def expected(selector: Selector, wishes: dict[str, str], **how: Any) -> list[Any]:  # noqa: ANN401
    found = resolve(selector, wishes, **how)
    row = found.row
    return [
        dict(found.choice) if found.choice else None,
        "\n".join(row.commands) if row else None,
        list(found.unmet),
    ]


def test_wishes_lead_to_what_python_says(open_page: OpenPage, site: Site) -> None:
    cases = some_wishes(site.selector, 1)
    plain = [plain_case(wishes) for wishes in cases]
    shown = open_page().evaluate(_RESOLVE, [None, plain])
    for wishes, found in zip(cases, shown, strict=True):
        assert found == expected(site.selector, wishes), wishes


def test_a_further_axis_is_derived_as_python_does(open_page: OpenPage, catalog: Catalog) -> None:
    selector = further_selector(catalog)
    cases = some_wishes(selector, 2)
    plain = [plain_case(wishes) for wishes in cases]
    parts = {p.id: payload(selector.only(p.id)) for p in selector.axes["platform"]}
    data = ENGLISH.translate_data({"overview": payload_overview(selector), "parts": parts})
    shown = open_page().evaluate(_RESOLVE, [data, plain])
    for wishes, found in zip(cases, shown, strict=True):
        assert found == expected(selector, wishes), wishes


def test_cards_and_drivers_limit_what_python_limits(open_page: OpenPage, site: Site) -> None:
    cuda = site.catalog.by_id["cuda"]
    bounds = driver_bounds(cuda)
    assert bounds
    limits: list[tuple[dict[str, str], Callable[[InstallRow], bool]]] = [
        ({"driver": driver}, lambda row, driver=driver: bounds.admits(row, driver))  # type: ignore[misc]
        for driver in ("390", "452.39", "525", "535.104.05", "580", "615.1")
    ]
    limits += [
        ({"card": card}, lambda row, g=generation: runs_on_generation(site.catalog, g, row))  # type: ignore[misc]
        for card, generation in cards_by_id(cuda).items()
    ]
    wishes = {"os": "linux", "arch": "x86_64", "platform": "cuda"}
    shown = open_page().evaluate(_RESOLVE, [None, [plain_case(wishes, **one) for one, _ in limits]])
    for (one, admits), found in zip(limits, shown, strict=True):
        assert found == expected(site.selector, wishes, admits=admits), one


# Every value of every axis, and every pair of two, of each platform and machine.
_EFFECTS = """async () => {
  const { Model } = await import(new URL("assets/scripts/selector-model.js", document.baseURI));
  const { sideEffect } = await import(new URL("assets/scripts/selector-messages.js", document.baseURI));
  const at = async (path) => (await fetch(`api/v1/${path}`)).json();
  const data = await at("selector.json");
  const model = new Model(data);
  for (const [platform, own] of Object.entries((await at("install.json")).platforms)) model.add(platform, own);
  const silent = [];
  let [choices, differences] = [0, 0];
  for (const [platform] of data.axes.platform) {
    const free = data.weights.map((axis) => model.values(axis, platform).map(([id]) => [axis, id]));
    const values = free.flat().filter(([, id]) => id !== "stable");
    const pairs = values.flatMap((one) => values.filter(([axis]) => axis !== one[0]).map((other) => [one, other]));
    for (const machine of Object.keys(model.offers(platform))) {
      const given = [...data.machine.map((axis, n) => [axis, machine.split(" ")[n]]), ["platform", platform]];
      const usual = model.resolve(given).choice;
      for (const picked of [...values.map((value) => [value]), ...pairs]) {
        const wishes = [...given, ...picked];
        const found = model.resolve(wishes);
        const unmet = new Map(found.unmet);
        const said = sideEffect(model, found, wishes, {});
        choices += 1;
        if (said?.text.includes("unless")) {
          const taken = model.resolve([...wishes, ...said.changed.map((axis) => [axis, usual[axis]])]);
          if (taken.unmet.length > 0 || taken.choice.method !== found.choice.method) silent.push(`${wishes.flat().join(" ")}: ${said.text}`);
        }
        if (said && !said.undo) silent.push(`${wishes.flat().join(" ")}: ${said.text}`); // no card or driver is set
        for (const axis of data.weights) {
          const wish = new Map(picked).get(axis);
          if (found.choice[axis] === (wish ?? usual[axis])) continue;
          if (axis === "python" && !wish && !found.row?.pythons) continue; // a container has a Python of its own
          differences += 1;
          if (wish ? !unmet.has(axis) : !said) silent.push([...wishes.flat(), axis].join(" "));
        }
      }
    }
  }
  return { choices, differences, silent: silent.slice(0, 20) };
}"""


def test_what_is_shown_is_what_was_chosen_or_the_difference_is_said(open_page: OpenPage) -> None:
    found = open_page().evaluate(_EFFECTS)
    print(f"{found['choices']} choices, {found['differences']} differences, all of them said")  # noqa: T201 - the count itself
    assert found["silent"] == []
    assert found["choices"] > 10_000


_OFFLINE = """async (rows) => {
  const { offlineLines } = await import(new URL("assets/scripts/selector-offline.js", document.baseURI));
  return rows.map(offlineLines);
}"""


def test_offline_commands_are_those_of_the_page_get_started(
    open_page: OpenPage, site: Site
) -> None:
    rows = [row for row in site.selector.rows if row.method == "pip"]
    given = [{"method": row.method, "commands": "\n".join(row.commands)} for row in rows]
    found = open_page().evaluate(_OFFLINE, given)
    expected = {("\n".join(one.download), one.install) for one in offline_installs(site.selector)}
    assert len(expected) > 10
    assert expected <= {(lines["download"], lines["install"]) for lines in found if lines}


def test_formats_without_pip_have_no_offline_commands(open_page: OpenPage) -> None:
    page = open_page("?platform=cuda&os=linux&variant=cu126")
    box = page.locator("[data-part=offline]")
    expect(box.locator("[data-lines=download]")).to_contain_text("whl/cu126")
    page.locator("label:has(input[name=method][value=docker])").click()
    expect(box).to_be_hidden()
