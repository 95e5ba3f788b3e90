"""A plugin's lifecycle, said before the commands that install it."""

from __future__ import annotations

import datetime as dt

import pytest

from accelerator_portal.catalog.files.versions_file import Lifecycle
from accelerator_portal.install.expand import expand
from accelerator_portal.install.resolution import payload
from accelerator_portal.install.selector import make_selector
from tests.folders import COMPATIBILITY, Edit, Tree, edited, loaded

DAY = dt.date(2026, 5, 1)
ROW = '  - {torch: "1.9.1", variant: ex1, lifecycle: {status: ended}, source: made-up}\n'


def stages(tree: Tree, *edits: Edit) -> dict[str, Lifecycle | None]:
    """The stage of each release."""
    rows, _ = expand(loaded(tree(edited(*edits))))
    return {row.build: row.stage for row in rows}


def row(lifecycle: str, *more: str) -> Edit:
    fields = f"lifecycle: {lifecycle}, source: made-up"
    first = f'  - {{torch: "1.9.1", variant: ex1, {fields}}}\n'
    return COMPATIBILITY, ROW, first + "".join(more)


@pytest.mark.parametrize(
    ("lifecycle", "expected"),
    [
        ("{status: ended}", Lifecycle(status="ended")),
        ("{status: kept, until: 2026-05-01}", Lifecycle(status="kept", until=DAY)),
        ("{status: kept, note: For some.}", Lifecycle(status="kept", note="For some.")),
    ],
)
def test_the_row_for_a_release_says_its_stage(
    lifecycle: str, expected: Lifecycle, tree: Tree
) -> None:
    assert stages(tree, row(lifecycle)) == {"1.9.1": expected, "1.10.0": None, "preview": None}


def test_rows_that_differ_say_none(tree: Tree) -> None:
    other = '  - {torch: "1.9.1", plugin: "2", variant: ex1, source: made-up}\n'
    assert stages(tree, row("{status: ended}", other))["1.9.1"] is None


def test_the_payload_has_the_stage(tree: Tree) -> None:
    catalog = loaded(tree(edited(row("{status: kept, until: 2026-05-01}"))))
    data = payload(make_selector(catalog, expand(catalog)[0]))
    stages = [row["stage"] for row in data["rows"] if "stage" in row]
    assert stages
    assert all(stage == {"status": "kept", "until": DAY} for stage in stages)
