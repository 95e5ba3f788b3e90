"""Whatever the selector does with its axes follows from their table."""

from __future__ import annotations

import json
from dataclasses import fields

import pytest

from accelerator_portal.catalog import Catalog
from accelerator_portal.install import Choice, InstallRow, Selector
from accelerator_portal.install.axes import AXES, row_key
from accelerator_portal.install.payload import TEXTS, payload
from tests.further_axis import MUSL_COMMAND, further_selector


@pytest.fixture(scope="module")
def further(catalog: Catalog) -> Selector:
    return further_selector(catalog)


def test_no_two_axes_share_an_id_or_a_place() -> None:
    assert len({axis.id for axis in AXES}) == len({axis.rank for axis in AXES}) == len(AXES)


def test_every_axis_is_a_field_of_a_row() -> None:
    assert {axis.field for axis in AXES} <= {field.name for field in fields(InstallRow)}


def test_no_two_rows_of_a_platform_for_the_same_python_have_one_key(selector: Selector) -> None:
    keys = [(row_key(row), python) for row in selector.rows for python in row.pythons or ("any",)]
    assert len(keys) == len(set(keys))


def test_a_row_has_the_version_and_a_choice_the_lasting_name_of_the_newest_release(
    catalog: Catalog, selector: Selector
) -> None:
    newest = selector.rows_with("build", "stable")
    assert {row.build for row in newest} == {catalog.releases.newest.version}
    assert all(choice["build"] == "stable" for row in newest for choice in selector.choices(row))


def test_a_choice_is_a_value_that_does_not_change(selector: Selector) -> None:
    start = selector.starts[0]
    other = start | {"os": "macos"}
    assert (start["os"], other["os"]) == ("linux", "macos")
    assert {start, other | {"os": "linux"}} == {start}
    assert eval(repr(start), {"Choice": Choice}) == start  # noqa: S307 - what repr is for


def test_a_choice_on_a_further_axis_leads_to_its_own_row(further: Selector) -> None:
    for row in further.rows:
        for choice in further.choices(row):
            assert further.row(choice) is row
            assert (choice["libc"] == "musl") == (MUSL_COMMAND in row.commands)


def test_every_page_starts_on_the_first_value_of_a_further_axis(further: Selector) -> None:
    assert {start["libc"] for start in further.starts} == {"glibc"}


def test_a_further_axis_moves_and_blocks_like_the_others(further: Selector) -> None:
    musl = further.starts[0] | {"libc": "musl"}
    assert further.row(musl)
    windows = further.nearest(musl | {"os": "windows"}, ("os",))
    assert windows["libc"] == "glibc"
    assert "libc" in further.blocked_by(musl, "os", "windows")
    assert further.nearest(windows | {"libc": "musl"}, ("libc",))["os"] == "linux"
    assert "os" in further.blocked_by(windows, "libc", "musl")


def test_one_platforms_selector_has_a_further_axis(further: Selector) -> None:
    one = further.only("mps")
    assert [value.id for value in one.axes["libc"]] == ["glibc"]


def test_the_scripts_data_hold_a_further_axis(further: Selector) -> None:
    data = json.loads(json.dumps(payload(further)))
    assert data["axes"]["libc"] == [["glibc", "GNU"], ["musl", "musl"]]
    columns = data["columns"]
    assert [*columns[-len(TEXTS) :]] == [*TEXTS]
    place, width = columns.index("libc"), len(columns)
    libcs = [data["axes"]["libc"][number][0] for number in data["rows"][place::width]]
    assert libcs == [next(further.choices(row))["libc"] for row in further.rows]
