"""The line of a record is found by the record's identity, so equal records may not share one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from accelerator_portal.catalog import Catalog
from accelerator_portal.catalog.loader import load_catalog
from accelerator_reports.files.yaml_file import Location
from tests.folders import COMPATIBILITY, Tree, edited

ROW = '  - {torch: "1.9.1", variant: ex1, lifecycle: {status: ended}, source: made-up}\n'


def value_at(top: object, location: Location) -> object:
    value: Any = top
    for key in location:
        if isinstance(value, BaseModel):
            fields = type(value).model_fields
            (name,) = (name for name, field in fields.items() if key in {name, field.alias})
            value = getattr(value, name)
        else:
            value = value[key]
    return value


def test_each_record_of_this_repository_has_the_line_of_its_place(catalog: Catalog) -> None:
    count = 0
    for platform in catalog.platforms:
        contents = {
            "accelerator.yaml": platform.accelerator,
            "install.yaml": platform.install,
            "compatibility.yaml": platform.compatibility,
            "known-issues.yaml": {"issues": platform.known_issues},
            "validation.yaml": platform.validation,
        }
        for name, file in platform.files.items():
            for location, data in file.values() if name in contents else ():
                if location and isinstance(data, Mapping):
                    record = value_at(contents[name], location)
                    if isinstance(record, BaseModel):
                        assert platform.line_of(record) == file.lines[location]
                        count += 1
    assert count > 1_000


def test_equal_records_have_their_own_lines(tree: Tree) -> None:
    files = edited((COMPATIBILITY, ROW, ROW * 3))
    catalog, _ = load_catalog(tree(files))
    assert catalog
    (platform,) = catalog.platforms
    rows = platform.compatibility.rows[1:]
    assert rows[0] == rows[1] == rows[2]
    numbered = enumerate(files[COMPATIBILITY].splitlines(keepends=True), 1)
    expected = [number for number, line in numbered if line == ROW]
    assert [platform.line_of(row) for row in rows] == expected
    problem = platform.record_problem(rows[1], ("lifecycle", "status"), "wrong", "mend it")
    assert str(problem) == f"{COMPATIBILITY}:{expected[1]}: wrong; mend it"
