"""Formats package facts as JSON with one release per line, so that diffs are readable."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from pydantic import BaseModel

from accelerator_portal.catalog.files.package_file import PackageFacts, PackagesRead


def facts_text(facts: PackageFacts) -> str:
    """Return the JSON text of a package's file in `data/packages`."""
    return "\n".join(_facts_lines(facts)) + "\n"


def read_text(read: PackagesRead) -> str:
    """Return the JSON text of `data/packages-read.json`, which states when packages were read."""
    head = json.dumps({"read": read.read.isoformat() if read.read else None})[1:-1]
    later = json.dumps({name: f"{day}" for name, day in sorted(read.later.items())})
    lines = ["{", f"{head},", f'"later": {later},', '"faults": [', *_rows(read.faults), "]", "}"]
    return "\n".join(lines) + "\n"


def line_of(facts: PackageFacts, index: str, version: str) -> int:
    """Return the line number of a release in a package's file; 1 if the release is missing."""
    line = 3  # the brace, the name, the list of indexes
    for found in facts.indexes:
        line += 1
        for release in found.releases:
            line += 1
            if (found.index, release.version) == (index, version):
                return line
        line += 1
    return 1


def _facts_lines(facts: PackageFacts) -> Iterator[str]:
    yield "{"
    yield f'"package": {_text(facts.package)},'
    yield '"indexes": ['
    for place, found in enumerate(facts.indexes):
        about = f', "about": {_text(found.about)}' if found.about else ""
        yield f'{{"index": {_text(found.index)}{about}, "releases": ['
        yield from _rows(found.releases)
        yield "]}" + ("," if place + 1 < len(facts.indexes) else "")
    yield "],"
    yield '"changes": ['
    yield from _rows(facts.changes)
    yield "]"
    yield "}"


def _rows(records: Iterable[BaseModel]) -> Iterator[str]:
    rows = [_record(record) for record in records]
    yield from (f"{row}," for row in rows[:-1])
    yield from rows[-1:]


def _record(record: BaseModel) -> str:
    plain = record.model_dump(mode="json", exclude_defaults=True)
    return json.dumps(plain, ensure_ascii=False)


def _text(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)
