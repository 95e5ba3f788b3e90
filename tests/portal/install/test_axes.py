"""Whatever the selector does with its axes follows from their table."""

from __future__ import annotations

import json
from dataclasses import fields

import pytest

from accelerator_portal.catalog import Catalog
from accelerator_portal.install import InstallRow, Selector
from accelerator_portal.install.resolution import payload
from accelerator_portal.install.rows import AXES, row_key
from accelerator_portal.site.languages import ENGLISH
from tests.further_axis import MUSL_COMMAND, LibcRow, further_selector
from tests.selector_choices import choices_of, row_of


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


def test_a_choice_on_a_further_axis_leads_to_its_own_row(further: Selector) -> None:
    for row in further.rows:
        for choice in choices_of(further, row):
            assert row_of(further, choice) is row
            assert (choice["libc"] == "musl") == (MUSL_COMMAND in row.commands)


def test_one_platforms_selector_has_a_further_axis(further: Selector) -> None:
    one = further.only("mps")
    assert {row.libc for row in one.rows if isinstance(row, LibcRow)} == {"glibc"}


def test_the_scripts_data_hold_a_further_axis(further: Selector) -> None:
    data = json.loads(ENGLISH.json(payload(further)))
    assert data["axes"]["libc"] == [["glibc", "GNU"], ["musl", "musl"]]
    libcs = [row["libc"] for row in data["rows"]]
    assert libcs == [further.first_choice(row)["libc"] for row in further.rows]
