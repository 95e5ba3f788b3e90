from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from pydantic import TypeAdapter

from accelerator_portal.install import Selector
from accelerator_portal.install.resolution import payload
from accelerator_portal.install.rows import Finding, InstallRow
from accelerator_portal.site.languages import ENGLISH

_ROWS = TypeAdapter(tuple[InstallRow, ...])


def as_json(selector: Selector) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(ENGLISH.json(payload(selector)))
    return data


@pytest.fixture(scope="module")
def data(selector: Selector) -> dict[str, Any]:
    return as_json(selector)


def test_the_data_has_exactly_the_published_fields_of_the_rows(
    data: dict[str, Any], selector: Selector
) -> None:
    rows = _ROWS.validate_python([{**row, "option": ""} for row in data["rows"]])
    assert rows == tuple(
        replace(row, option="", calls=(), container=None, named=None) for row in selector.rows
    )


def test_one_platforms_data_has_its_rows(data: dict[str, Any], selector: Selector) -> None:
    parts = [as_json(selector.only(value.id))["rows"] for value in selector.axes["platform"]]
    assert sorted(map(json.dumps, data["rows"])) == sorted(json.dumps(r) for p in parts for r in p)


def test_equal_findings_of_all_pythons_are_listed_once(selector: Selector) -> None:
    row = next(row for row in selector.rows if len(row.pythons or ()) > 1)
    found, none = (Finding(kind, kind.upper()) for kind in ("found", "none"))
    for given, listed in (((found, found), 1), ((found, none), 2), ((None, None), 0)):
        one = replace(selector, rows=(replace(row, pythons=("3.12", "3.13"), findings=given),))
        assert len(payload(one)["rows"][0].get("findings", ())) == listed


def test_the_starting_choices_are_spelt_out(data: dict[str, Any], selector: Selector) -> None:
    assert data["starts"] == [dict(start) for start in selector.starts]


def test_there_is_an_environment_for_each_method_that_needs_one(data: dict[str, Any]) -> None:
    rows = data["rows"]
    needed = {(r["method"], r["os"]) for r in rows if r["method"] in {"pip", "uv", "source"}}
    given = {(m, os) for m, lines in data["environments"].items() for os in lines}
    assert given == needed
    assert all(
        "{python}" in line for lines in data["environments"].values() for line in lines.values()
    )
