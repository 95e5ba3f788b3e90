"""From any choice the selector moves to the row that its rule names, found here by brute force.

The rule: keep the clicked value; change the fewest axes; of those rows keep platform, OS,
architecture, method, Python, build, variant, in that order; then take the newest; of platforms as
good, the one that data/selector.yaml names for the OS.
"""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from accelerator_portal.catalog import load_catalog
from accelerator_portal.install import Choice, Selector, expand, make_selector
from tests.folders import EXAMPLE, INSTALL, Tree

ORDER = ("platform", "os", "arch", "method", "python", "build", "variant")


@pytest.fixture(scope="module")
def valid(selector: Selector) -> list[Choice]:
    return [choice for row in selector.rows for choice in selector.choices(row)]


def places(selector: Selector) -> dict[str, dict[str, int]]:
    """How far from the front of the page a value stands: newest first, the preview last."""
    found = {axis: [value.id for value in values] for axis, values in selector.axes.items()}
    found["build"] = [*(b for b in found["build"] if b != "preview"), "preview"]
    found["variant"] = [v.id for values in selector.variants.values() for v in values]
    ranks = {axis: {value: n for n, value in enumerate(ids)} for axis, ids in found.items()}
    ranks["variant"].setdefault("default", 0)
    return ranks


def oracle(selector: Selector, valid: list[Choice], choice: Choice, pinned: str | None) -> Choice:
    ranks = places(selector)
    left = [c for c in valid if pinned is None or c[pinned] == choice[pinned]]
    changes = [sum(c[axis] != choice[axis] for axis in ORDER) for c in left]
    fewest = min(changes)
    left = [c for c, count in zip(left, changes, strict=True) if count == fewest]
    for axis in ORDER:
        left = [c for c in left if c[axis] == choice[axis]] or left
    left = newest(left, ranks, "build")
    usual = {(start["os"], start["platform"]) for start in selector.starts}
    left = [c for c in left if (c["os"], c["platform"]) in usual] or left
    for axis in ORDER:
        left = newest(left, ranks, axis)
    (nearest,) = left
    return nearest


def newest(choices: list[Choice], ranks: dict[str, dict[str, int]], axis: str) -> list[Choice]:
    first = min(ranks[axis][c[axis]] for c in choices)
    return [c for c in choices if ranks[axis][c[axis]] == first]


def impossible(selector: Selector, seed: int, count: int) -> list[Choice]:
    pick = random.Random(seed)  # noqa: S311
    found: list[Choice] = []
    while len(found) < count:
        values = {axis: pick.choice(vs).id for axis, vs in selector.axes.items()}
        variants = selector.variants.get(values["platform"])
        choice = Choice({**values, "variant": pick.choice(variants).id if variants else "default"})
        if selector.row(choice) is None:
            found.append(choice)
    return found


def one_click_away(selector: Selector, seed: int, count: int) -> list[tuple[Choice, str]]:
    """What clicking does: one value of a valid choice changes, and the choice is impossible."""
    pick = random.Random(seed)  # noqa: S311
    found: list[tuple[Choice, str]] = []
    rows = selector.rows
    while len(found) < count:
        start = pick.choice(list(selector.choices(pick.choice(rows))))
        axis = pick.choice(ORDER)
        values = selector.values(axis, start["platform"])
        if not values:
            continue
        choice = start | {axis: pick.choice(values).id}
        reachable = selector.rows_with(axis, choice[axis])
        if selector.row(choice) is None and reachable:
            found.append((choice, axis))
    return found


def test_any_impossible_choice_moves_to_the_nearest_row(
    selector: Selector, valid: list[Choice]
) -> None:
    for choice in impossible(selector, 1, 250):
        assert selector.nearest(choice) == oracle(selector, valid, choice, None), choice


def test_a_click_on_an_impossible_value_keeps_it(selector: Selector, valid: list[Choice]) -> None:
    for choice, axis in one_click_away(selector, 2, 250):
        found = selector.nearest(choice, (axis,))
        assert found[axis] == choice[axis]
        assert found == oracle(selector, valid, choice, axis), (choice, axis)
        assert selector.row(found) is not None


def test_of_several_pinned_values_as_many_as_can_be_are_kept(
    selector: Selector, valid: list[Choice]
) -> None:
    pinned = ("build", "method", "variant")

    def kept(choice: Choice, other: Choice) -> int:
        return sum(choice[axis] == other[axis] for axis in pinned)

    for choice in impossible(selector, 6, 20):
        most = max(kept(choice, other) for other in valid)
        assert kept(choice, selector.nearest(choice, pinned)) == most, choice


def test_a_valid_choice_stays(selector: Selector, valid: list[Choice]) -> None:
    for choice in random.Random(3).sample(valid, 100):  # noqa: S311
        for pinned in ((), ("platform",), ("os", "method")):
            assert selector.nearest(choice, pinned) == choice


def test_going_again_leads_nowhere_else(selector: Selector) -> None:
    for choice, axis in one_click_away(selector, 4, 50):
        once = selector.nearest(choice, (axis,))
        assert selector.nearest(once, (axis,)) == once
        assert selector.nearest(once) == once


def test_what_stands_against_a_value_is_what_would_move(selector: Selector) -> None:
    for choice, axis in one_click_away(selector, 5, 100):
        start = selector.nearest(choice)
        value = choice[axis]
        if axis == "variant" and start["platform"] != choice["platform"]:
            continue
        against = selector.blocked_by(start, axis, value)
        wanted = start | {axis: value}
        assert (against == ()) == (selector.row(wanted) is not None)
        assert axis not in against
        moved = selector.moved(wanted, selector.nearest(wanted, (axis,)))
        assert against == tuple(a for a in moved if (axis, a) != ("platform", "variant"))


def test_a_variant_does_not_move_when_its_platform_does(selector: Selector) -> None:
    start = selector.starts[0]
    other = start | {"platform": "cpu", "variant": "default", "os": "macos"}
    assert selector.moved(start, other) == ("os", "platform")
    assert selector.moved(start, start) == ()


def test_the_starting_choices_are_rows_one_for_each_system(selector: Selector) -> None:
    assert [start["os"] for start in selector.starts] == ["linux", "windows", "macos"]
    assert all(selector.row(start) for start in selector.starts)
    assert all(a != b for a, b in pairwise(selector.starts))


def test_a_python_that_nothing_is_for_moves_even_where_it_does_not_matter(
    selector: Selector,
) -> None:
    row = next(row for row in selector.rows if row.pythons is None)
    wanted = next(selector.choices(row)) | {"python": "3.2"}
    assert selector.row(selector.nearest(wanted)) is not None


def test_without_a_row_for_which_python_matters_there_are_choices_still(tree: Tree) -> None:
    image = EXAMPLE[INSTALL].index("  - id: image")
    start = EXAMPLE[INSTALL].index("  - id: wheels")
    only_image = EXAMPLE[INSTALL][:start] + EXAMPLE[INSTALL][image:]
    catalog, _ = load_catalog(tree({**EXAMPLE, INSTALL: only_image}))
    assert catalog is not None
    selector = make_selector(catalog, expand(catalog)[0])
    assert [value.id for value in selector.axes["python"]] == ["3.13", "3.12", "3.13t"]
    assert all(selector.row(start) for start in selector.starts)
