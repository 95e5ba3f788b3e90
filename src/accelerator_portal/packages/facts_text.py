"""Formats the facts of a package's releases as JSON, one release per line, for readable diffs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from pydantic import BaseModel

from accelerator_portal.catalog.files.package_file import PackageFacts, PackagesRead


def facts_text(facts: PackageFacts) -> str:
    """Return the JSON text of a package's file in `data/packages`."""
    return "\n".join(_facts_lines(facts)) + "\n"


def packages_read_text(read: PackagesRead) -> str:
    """Return the JSON text of `data/packages-read.json`, which states when packages were read."""
    read_day = json.dumps(read.read.isoformat() if read.read else None)
    later_days = json.dumps({name: f"{day}" for name, day in sorted(read.later.items())})
    lines = [
        "{",
        f'"read": {read_day},',
        f'"later": {later_days},',
        '"faults": [',
        *_record_lines(read.faults),
        "]",
        "}",
    ]
    return "\n".join(lines) + "\n"


def release_line_number(facts: PackageFacts, index: str, version: str) -> int:
    """Return the line number of a release in the result of `facts_text`; 1 if it is missing.

    `index` is `pypi` or the address of the index that has the release.
    """
    line = 3  # the brace, the name, the list of indexes
    for index_facts in facts.indexes:
        line += 1
        for release in index_facts.releases:
            line += 1
            if (index_facts.index, release.version) == (index, version):
                return line
        line += 1
    return 1


def _facts_lines(facts: PackageFacts) -> Iterator[str]:
    yield "{"
    yield f'"package": {_json_string(facts.package)},'
    yield '"indexes": ['
    for position, index_facts in enumerate(facts.indexes):
        about_field = f', "about": {_json_string(index_facts.about)}' if index_facts.about else ""
        yield f'{{"index": {_json_string(index_facts.index)}{about_field}, "releases": ['
        yield from _record_lines(index_facts.releases)
        yield "]}" + ("," if position + 1 < len(facts.indexes) else "")
    yield "],"
    yield '"changes": ['
    yield from _record_lines(facts.changes)
    yield "]"
    yield "}"


def _record_lines(records: Iterable[BaseModel]) -> Iterator[str]:
    rows = [_record_json(record) for record in records]
    yield from (f"{row}," for row in rows[:-1])
    yield from rows[-1:]


def _record_json(record: BaseModel) -> str:
    plain = record.model_dump(mode="json", exclude_defaults=True)
    return json.dumps(plain, ensure_ascii=False)


def _json_string(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)
