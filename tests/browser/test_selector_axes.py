"""The selector's script names no axis that the data and the form could tell it."""

from __future__ import annotations

import random
from collections.abc import Callable

from playwright.sync_api import Page

from accelerator_portal.catalog import Catalog
from accelerator_portal.install.axes import Choice, by_rank
from accelerator_portal.install.payload import payload
from tests.further_axis import further_selector

OpenPage = Callable[..., Page]

STEPS = 150

_FIND = """async ([data, ranked, steps]) => {
  const { Model } = await import(new URL("../assets/scripts/selector-model.js", location.href));
  const model = new Model(data, ranked);
  return steps.map(([choice, axis, value]) => [
    model.nearest({ ...choice, [axis]: value }, [axis]),
    model.blockedBy(choice, axis, value),
  ]);
}"""


def test_the_script_follows_a_further_axis_as_python_does(
    open_page: OpenPage, catalog: Catalog
) -> None:
    selector = further_selector(catalog)
    dice = random.Random(7)  # noqa: S311 - to repeat itself is what it is for
    steps: list[tuple[Choice, str, str]] = []
    while len(steps) < STEPS:
        choice = dice.choice(list(selector.choices(dice.choice(selector.rows))))
        axis = dice.choice(selector.table).id
        if values := selector.values(axis, choice["platform"]):
            steps.append((choice, axis, dice.choice(values).id))
    page = open_page("get-started/")
    ranked = [axis.id for axis in by_rank(selector.table)]
    plain = [(dict(choice), axis, value) for choice, axis, value in steps]
    found = page.evaluate(_FIND, [payload(selector), ranked, plain])
    for (choice, axis, value), (nearest, against) in zip(steps, found, strict=True):
        assert nearest == selector.nearest(choice | {axis: value}, (axis,)), (choice, axis, value)
        assert tuple(against) == selector.blocked_by(choice, axis, value), (choice, axis, value)
