"""Reads and writes the state of a platform's history, as JSON with a report or test per line."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, NonNegativeInt, ValidationError

from accelerator_portal.catalog.atomic_write import write_bytes_atomically
from accelerator_portal.catalog.fields import Model
from accelerator_portal.reports.outcomes import Outcome, Stage
from accelerator_portal.reports.reading import first_error, read_bytes, refuse
from accelerator_portal.reports.report import Slug
from accelerator_portal.results.standing import (
    VERDICT,
    WINDOW,
    Basis,
    Group,
    Point,
    Standing,
    State,
)

SCHEMA_VERSION = 1

_REMEDY = "restore it from the repository's history"

# A number is an index in the list of reports, or a count of reports.
StandingRow = tuple[
    Outcome,
    Stage | None,
    NonNegativeInt,  # since
    NonNegativeInt,  # first_seen
    NonNegativeInt,  # last_seen
    NonNegativeInt | None,  # last_good
    NonNegativeInt | None,  # first_bad
    Outcome | None,  # failure
    Stage | None,  # failure_stage
    NonNegativeInt | None,  # gone
    NonNegativeInt,  # good
    NonNegativeInt,  # bad
    NonNegativeInt,  # silent
    Annotated[str, Field(pattern=rf"^({VERDICT.pattern}){{0,{WINDOW}}}$")],  # recent
]


class _Group(Model):
    last: NonNegativeInt
    tests: Mapping[str, StandingRow]


class _File(Model):
    schema_version: Literal[1]
    accelerator: Slug
    basis: Basis
    reports: tuple[Point, ...]
    groups: Mapping[str, _Group]


def state_text(state: State) -> str:
    """Return a state as JSON, without the environment of reports that no test or group refers to.

    Such reports stay listed, so that they are recognized if they are added again.
    """
    points = sorted(state.reports.values(), key=lambda point: (point.started, point.id))
    numbers = {point.id: number for number, point in enumerate(points)}
    used = _used(state)
    head = {
        "schema_version": SCHEMA_VERSION,
        "accelerator": state.accelerator,
        "basis": state.basis,
    }
    reports = ",\n".join(_report(point, full=point.id in used) for point in points)
    groups = ",\n".join(
        _group(name, group, numbers) for name, group in sorted(state.groups.items())
    )
    text = json.dumps(head)[:-1]
    return f'{text},\n"reports": [\n{reports}\n],\n"groups": {{\n{groups}\n}}}}\n'


def write_state(path: Path, state: State) -> None:
    """Write a state file atomically. Raises OSError if writing fails."""
    write_bytes_atomically(path, state_text(state).encode())


def read_state(path: Path) -> State:
    """Return the state in a file that `write_state` wrote.

    Raises ProblemsError if the file is invalid.
    """
    try:
        found = _File.model_validate_json(read_bytes(path))
        points = found.reports
        groups = {
            name: Group(
                points[group.last],
                {key: _standing(row, points) for key, row in group.tests.items()},
            )
            for name, group in found.groups.items()
        }
    except (ValidationError, IndexError) as error:
        unknown = "a test refers to a report that is not in the file"
        words = first_error(error) if isinstance(error, ValidationError) else unknown
        raise refuse(path, 1, f"invalid history state ({words})", _REMEDY) from None
    reports = {point.id: point for point in points}
    return State(found.accelerator, found.basis, reports, groups)


def _report(point: Point, *, full: bool) -> str:
    record: dict[str, object] = {
        "id": point.id,
        "started": point.started.isoformat(),
        "kind": point.kind,
        "trigger": point.trigger.model_dump(mode="json", exclude_none=True),
    }
    if point.origins:
        record["origins"] = point.origins
    if full:
        record["environment"] = point.environment.model_dump(mode="json", exclude_defaults=True)
    return json.dumps(record, sort_keys=True)


def _group(name: str, group: Group, numbers: Mapping[str, int]) -> str:
    encode = json.JSONEncoder(separators=(",", ":")).encode
    rows = ",\n".join(
        f'"{key}":{encode(_row(standing, numbers))}'  # a key is ASCII without quotation marks
        for key, standing in sorted(group.tests.items())
    )
    return f'{json.dumps(name)}: {{"last": {numbers[group.last.id]}, "tests": {{\n{rows}\n}}}}'


def _used(state: State) -> set[str]:
    used = {group.last.id for group in state.groups.values()}
    for group in state.groups.values():
        for field in chain.from_iterable(group.tests.values()):
            if type(field) is Point:
                used.add(field.id)
    return used


def _row(standing: Standing, numbers: Mapping[str, int]) -> list[object]:
    return [numbers[field.id] if type(field) is Point else field for field in standing]


def _standing(row: StandingRow, points: Sequence[Point]) -> Standing:
    return Standing(
        outcome=row[0],
        stage=row[1],
        since=points[row[2]],
        first_seen=points[row[3]],
        last_seen=points[row[4]],
        last_good=None if row[5] is None else points[row[5]],
        first_bad=None if row[6] is None else points[row[6]],
        failure=row[7],
        failure_stage=row[8],
        gone=None if row[9] is None else points[row[9]],
        good=row[10],
        bad=row[11],
        silent=row[12],
        recent=row[13],
    )
