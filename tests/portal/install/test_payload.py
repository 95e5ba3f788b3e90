"""The page's script can rebuild every row from the payload."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from accelerator_portal.install import Selector
from accelerator_portal.install.payload import payload

Row = dict[str, Any]


def decoded(data: dict[str, Any]) -> Iterator[Row]:
    """The rows, as a script would read them."""
    for values in zip(*data["rows"].values(), strict=True):
        numbers = dict(zip(data["rows"], values, strict=True))
        row: Row = {
            axis: _id(data["axes"][axis], numbers[axis])
            for axis in data["axes"]
            if axis != "python"
        }
        row["variant"] = _id(data["variants"].get(row["platform"], []), numbers["variant"])
        pythons = _at(data["pythons"], numbers["pythons"])
        pythons = pythons and [_id(data["axes"]["python"], n) for n in pythons]
        row["pythons"] = pythons
        for column in ("commands", "needs", "check", "note", "files"):
            row[column] = _at(data[column], numbers[column])
        yield row


def _at(table: list[Any], number: int) -> Any:  # noqa: ANN401 - any JSON
    return None if number == -1 else table[number]


def _id(values: list[list[str]], number: int) -> str:
    return "default" if number == -1 else values[number][0]


def expected(selector: Selector) -> list[Row]:
    return [
        {
            "build": row.build,
            "os": row.os,
            "arch": row.arch,
            "method": row.method,
            "platform": row.platform,
            "variant": row.variant,
            "pythons": row.pythons and [*row.pythons],
            "commands": "\n".join(row.commands),
            "needs": [[p.name, p.version, p.url] for p in row.prerequisites] or None,
            "check": row.check and [row.check.command, row.check.prints],
            "note": row.note,
            "files": [[file.name, file.text] for file in row.files] or None,
        }
        for row in selector.rows
    ]


@pytest.fixture(scope="module")
def data(selector: Selector) -> dict[str, Any]:
    decoded_json: dict[str, Any] = json.loads(json.dumps(payload(selector)))
    return decoded_json


def test_the_payload_holds_exactly_the_rows(data: dict[str, Any], selector: Selector) -> None:
    assert list(decoded(data)) == expected(selector)


def test_one_platforms_payload_holds_its_rows(selector: Selector) -> None:
    for platform in selector.axes["platform"]:
        one = selector.only(platform.id)
        assert list(decoded(json.loads(json.dumps(payload(one))))) == expected(one)


def test_a_row_of_one_platform_moves_no_number_of_another(selector: Selector) -> None:
    """Else the difference that a pull request makes would show every vendor's data."""
    first, *others = (value.id for value in selector.axes["platform"])
    gone = selector.rows_of(first)[0]
    fewer = replace(selector, rows=tuple(row for row in selector.rows if row is not gone))
    assert payload(fewer.only(first)) != payload(selector.only(first))
    for platform in others:
        assert payload(fewer.only(platform)) == payload(selector.only(platform))


def test_the_starting_choices_are_spelt_out(data: dict[str, Any], selector: Selector) -> None:
    assert data["starts"] == [dict(start) for start in selector.starts]


def test_every_text_stands_once(data: dict[str, Any]) -> None:
    for table in ("pythons", "commands", "files", "needs", "check", "note"):
        texts = list(map(json.dumps, data[table]))
        assert len(texts) == len(set(texts)), table


def test_there_is_an_environment_for_each_method_that_needs_one(data: dict[str, Any]) -> None:
    rows = list(decoded(data))
    needed = {(r["method"], r["os"]) for r in rows if r["method"] in {"pip", "uv", "source"}}
    given = {(m, os) for m, lines in data["environments"].items() for os in lines}
    assert given == needed
    assert all(
        "{python}" in line for lines in data["environments"].values() for line in lines.values()
    )
