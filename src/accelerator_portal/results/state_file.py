"""Reads and writes the stored state of a platform's tests (`runs.json` or `baselines.json`)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, NonNegativeInt, ValidationError

from accelerator_portal.results.history_state import (
    VERDICT_PATTERN,
    VERDICT_WINDOW,
    Basis,
    Group,
    HistoryPoint,
    State,
    StoredTestState,
)
from accelerator_reports.file_reading import file_error, read_bytes
from accelerator_reports.files.atomic_write import write_bytes_atomically
from accelerator_reports.files.fields import StrictModel
from accelerator_reports.files.problem import first_error_text
from accelerator_reports.outcomes import Outcome, Stage
from accelerator_reports.report import Slug

SCHEMA_VERSION = 1

_REMEDY = "restore it from the repository's history"

# A number is an index in the list of reports, or a count of reports.
StoredTestRow = tuple[
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
    Annotated[
        str, Field(pattern=rf"^({VERDICT_PATTERN.pattern}){{0,{VERDICT_WINDOW}}}$")
    ],  # recent
]


class _StoredGroup(StrictModel):
    last: NonNegativeInt
    tests: Mapping[str, StoredTestRow]


class _StateFile(StrictModel):
    schema_version: Literal[1]
    accelerator: Slug
    basis: Basis
    reports: tuple[HistoryPoint, ...]
    groups: Mapping[str, _StoredGroup]


def state_text(state: State) -> str:
    """Return a state as JSON, with one report or test per line.

    The JSON lists all reports, so that a report is recognized if it is added again. A report that
    no test or group of tests refers to is listed without its environment.
    """
    points = sorted(state.reports.values(), key=lambda point: (point.started, point.id))
    index_by_id = {point.id: index for index, point in enumerate(points)}
    referenced_ids = _referenced_report_ids(state)
    head = {
        "schema_version": SCHEMA_VERSION,
        "accelerator": state.accelerator,
        "basis": state.basis,
    }
    reports = ",\n".join(_report_json(point, full=point.id in referenced_ids) for point in points)
    groups = ",\n".join(
        _group_json(name, group, index_by_id) for name, group in sorted(state.groups.items())
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
        state_file = _StateFile.model_validate_json(read_bytes(path))
        points = state_file.reports
        groups = {
            name: Group(
                points[group.last],
                {key: _stored_test_state(row, points) for key, row in group.tests.items()},
            )
            for name, group in state_file.groups.items()
        }
    except (ValidationError, IndexError) as error:
        unknown_report = "a test refers to a report that is not in the file"
        error_text = (
            first_error_text(error) if isinstance(error, ValidationError) else unknown_report
        )
        raise file_error(path, 1, f"invalid history state ({error_text})", _REMEDY) from None
    reports = {point.id: point for point in points}
    return State(state_file.accelerator, state_file.basis, reports, groups)


def _report_json(point: HistoryPoint, *, full: bool) -> str:
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


def _group_json(name: str, group: Group, index_by_id: Mapping[str, int]) -> str:
    encode = json.JSONEncoder(separators=(",", ":")).encode
    rows = ",\n".join(
        # A key is ASCII without quotation marks.
        f'"{key}":{encode(_stored_test_row(state_of_test, index_by_id))}'
        for key, state_of_test in sorted(group.tests.items())
    )
    return f'{json.dumps(name)}: {{"last": {index_by_id[group.last.id]}, "tests": {{\n{rows}\n}}}}'


def _referenced_report_ids(state: State) -> set[str]:
    referenced_ids = {group.last.id for group in state.groups.values()}
    for group in state.groups.values():
        for field in chain.from_iterable(group.tests.values()):
            if type(field) is HistoryPoint:
                referenced_ids.add(field.id)
    return referenced_ids


def _stored_test_row(
    state_of_test: StoredTestState, index_by_id: Mapping[str, int]
) -> list[object]:
    return [
        index_by_id[field.id] if type(field) is HistoryPoint else field for field in state_of_test
    ]


def _stored_test_state(row: StoredTestRow, points: Sequence[HistoryPoint]) -> StoredTestState:
    return StoredTestState(
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
