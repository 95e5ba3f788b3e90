"""Each pair of facts: a contradiction is found, and its near miss is none."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from accelerator_portal.catalog import Catalog, load_catalog
from accelerator_portal.checks.rules.facts import contradictions
from accelerator_reports.files.problem import Problem
from tests.day import TODAY
from tests.folders import ACCELERATOR, COMPATIBILITY, Tree, edited
from tests.portal.packages.made_up import PLUGINS

HEAD = PLUGINS[COMPATIBILITY].partition("rows:\n")[0]

LACKING = (
    "this entry lists Python 3.14, but data/releases.yaml says that torch 1.10.0 supports "
    "3.12, 3.13, 3.13t"
)

CARD = """\
hardware:
  generations:
    - name: First
      source: made-up
      builds:
        - {variants: [ex2], %s source: made-up}
      models:
        - {name: Card 1, memory_gb: 16, power_w: 100}
support:
"""


def read(root: Path) -> Catalog:
    """The catalogue of a repository that may have contradictions."""
    catalog, _ = load_catalog(root)
    assert catalog
    return catalog


def problems(tree: Tree, *rows: str) -> list[Problem]:
    text = HEAD + "rows:\n" + "".join(f"  - {{{row}, source: made-up}}\n" for row in rows)
    catalog = read(tree({**PLUGINS, COMPATIBILITY: text}))
    return list(contradictions.check(catalog, TODAY))


def found(tree: Tree, *rows: str) -> list[str]:
    return [problem.what for problem in problems(tree, *rows)]


@pytest.mark.parametrize(("python", "whats"), [("3.12, 3.13t", []), ("3.12, 3.14", [LACKING])])
def test_a_row_s_pythons_beside_those_of_its_torch_release(
    tree: Tree, python: str, whats: list[str]
) -> None:
    listed = ", ".join(f'"{version}"' for version in python.split(", "))
    assert found(tree, f'torch: "1.10.0", python: [{listed}]') == whats


def test_a_release_that_is_not_listed_contradicts_nothing(tree: Tree) -> None:
    assert found(tree, 'torch: "1.7.0", python: ["3.7"]') == []


@pytest.mark.parametrize("version", ["2.0", "2.0.4", "2.1", "2.00"])
def test_a_row_s_sdk_beside_its_variant_s(tree: Tree, version: str) -> None:
    row = f'torch: "1.10.0", variant: ex2, includes: {{Example: "{version}"}}'
    says = (
        f'this entry includes Example {version}, but install.yaml says that "ex2" has version 2.0'
    )
    assert found(tree, row) == ([] if version in {"2.0", "2.0.4"} else [says])


def driver(variant: str, sdk: str, minimum: str) -> str:
    fields = f'variant: {variant}, includes: {{Example: "{sdk}"}}, needs: {{Driver: "{minimum}"}}'
    return f'torch: "1.10.0", {fields}'


@pytest.mark.parametrize(
    ("newer", "older", "count"),
    [(">=9", ">=5", 0), (">=5", ">=5", 0), (">=4", ">=5", 1), ("newest", ">=5", 0)],
)
def test_driver_minimums_grow_with_the_sdk(tree: Tree, newer: str, older: str, count: int) -> None:
    whats = found(tree, driver("ex2", "2.0.1", newer), driver("ex1", "1.4", older))
    assert len(whats) == count
    if whats:
        assert whats[0] == (
            "Example 1.4 needs Driver >=5, but Example 2.0.1 (torch 1.10.0) needs >=4"
        )


def test_one_sdk_needs_one_driver(tree: Tree) -> None:
    one = driver("ex1", "1.4", ">=5")
    other = driver("ex1", "1.4.2", ">=6").replace("1.10.0", "1.9.1")
    assert found(tree, one, other) == [
        "Example 1.4.2 needs Driver >=6, but Example 1.4 (torch 1.10.0) needs >=5"
    ]


def test_drivers_of_different_systems_are_not_compared(tree: Tree) -> None:
    linux = f"os: [linux], {driver('ex1', '1.4', '>=5')}"
    windows = f"os: [windows], {driver('ex1', '1.4', '>=6')}".replace("1.10.0", "1.9.1")
    assert found(tree, linux, windows) == []
    assert len(found(tree, linux, windows.replace("[windows]", "[linux, windows]"))) == 1


PLUGIN = 'torch: "1.10.0", plugin: "3.0", '


RUNTIME, ENDS = 'includes: {{Runtime: "{}"}}', "lifecycle: {{status: {}, until: {}}}"


@pytest.mark.parametrize(
    ("row", "other", "whats"),
    [
        (RUNTIME.format(1), RUNTIME.format(2), ["includes Runtime 2 here and 1 above"]),
        (RUNTIME.format(1), RUNTIME.format(1), []),
        (RUNTIME.format(1), f"{RUNTIME.format(2)}, note: They disagree.", []),
        (
            ENDS.format("active", "2027-01-01"),
            ENDS.format("active", "2027-02-01"),
            ["ends on 2027-02-01 here and on 2027-01-01 above"],
        ),
        (ENDS.format("active", "2027-01-01"), ENDS.format("maintained", "2028-01-01"), []),
    ],
)
def test_two_rows_of_one_plugin_version(tree: Tree, row: str, other: str, whats: list[str]) -> None:
    older = PLUGIN.replace("1.10.0", "1.9.1")
    assert found(tree, PLUGIN + row, older + other) == [f"plugin 3.0 {what}" for what in whats]


@pytest.mark.parametrize(
    "rows",
    [
        ['torch: "1.10.0", python: ["3.14"]'],
        ['torch: "1.10.0", variant: ex2, includes: {Example: "2.1"}'],
        [driver("ex1", "1.4", ">=5"), driver("ex1", "1.4.2", ">=6").replace("1.10.0", "1.9.1")],
        [
            PLUGIN + ENDS.format("active", "2027-01-01"),
            PLUGIN.replace("1.10.0", "1.9.1") + ENDS.format("active", "2027-02-01"),
        ],
    ],
)
def test_no_note_is_advised_where_none_helps(tree: Tree, rows: list[str]) -> None:
    (problem,) = problems(tree, *(f"{row}, note: They disagree." for row in rows))
    assert "note" not in problem.remedy


def with_card(tree: Tree, build: str) -> Catalog:
    return read(tree(edited((ACCELERATOR, "support:\n", CARD % build), files=PLUGINS)))


@pytest.mark.parametrize(
    ("build", "named"),
    [
        ("", None),
        ('torch: ">=1.10", os: [linux],', None),
        ('torch: "<1.10", os: [linux], arch: [riscv64],', "ex2 torch <1.10 linux riscv64"),
        ("os: [macos],", "ex2 macos"),
    ],
)
def test_a_card_beside_the_builds_that_exist(tree: Tree, build: str, named: str | None) -> None:
    whats = [problem.what for problem in contradictions.check(with_card(tree, build), TODAY)]
    assert whats == (
        [f'"First" is listed for {named}, but no install command for "ex2" matches']
        if named
        else []
    )


@pytest.mark.parametrize(
    ("change", "whats"),
    [
        ({}, []),
        ({"memory_gb": 24.0}, ['"Card 1" has 24 GB here and 16 GB on the platform "example"']),
        ({"power_w": 90.0}, ['"Card 1" has 90 W here and 100 W on the platform "example"']),
        ({"memory_gb": 24.0, "note": "The other one."}, []),
        ({"memory_gb": None}, []),
    ],
)
def test_a_card_on_two_platforms(tree: Tree, change: dict[str, object], whats: list[str]) -> None:
    two = platforms_with_cards(with_card(tree, ""), {}, change)
    assert [p.what for p in contradictions.check(two, TODAY) if "Card 1" in p.what] == whats


def test_a_card_with_a_note_is_no_measure_for_others(tree: Tree) -> None:
    noted = {"memory_gb": 24.0, "note": "The other one."}
    three = platforms_with_cards(with_card(tree, ""), noted, {}, {"memory_gb": 32.0})
    whats = [p.what for p in contradictions.check(three, TODAY) if "Card 1" in p.what]
    assert whats == ['"Card 1" has 32 GB here and 16 GB on the platform "other-1"']


def platforms_with_cards(catalog: Catalog, *changes: dict[str, object]) -> Catalog:
    """The catalog with copies of its platform, each with a change of its card."""
    (platform,) = catalog.platforms
    hardware = platform.accelerator.hardware
    assert hardware
    (generation,) = hardware.generations
    platforms = []
    for number, change in enumerate(changes):
        model = generation.models[0].model_copy(update=change)
        generations = (generation.model_copy(update={"models": (model,)}),)
        changed = hardware.model_copy(update={"generations": generations})
        accelerator = platform.accelerator.model_copy(update={"hardware": changed})
        name = f"other-{number}" if number else platform.id
        platforms.append(replace(platform, id=name, accelerator=accelerator))
    return replace(catalog, platforms=tuple(platforms))
