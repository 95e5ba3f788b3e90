"""Stores the report fields that another file format lacks, so that an import restores them.

A writer first writes a test into the normal fields of the other format. It then determines which
`TestEntry` fields a reader would get from these normal fields. The fields that differ from the test
are stored separately, under the name `NAMESPACE`. Everything that the other format can express is
therefore in its normal fields.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from accelerator_portal.reports.report import Environment, Moment, Report, TestEntry, VisibleText

NAMESPACE = "accelerator-portal"

Fields = dict[str, Any]


class StoredRun(BaseModel):
    """Facts of a run that a writer stores in a file of another format, and a reader restores."""

    environment: Environment = Environment()
    """The environment of the run."""
    started: Moment | None = None
    """The start time."""
    finished: Moment | None = None
    """The end time."""
    note: VisibleText | None = None
    """A remark that readers need to interpret the run."""


def entry_fields(entry: TestEntry) -> Fields:
    """Return the fields of a test as JSON values, without the fields that have their default."""
    return entry.model_dump(mode="json", exclude_none=True, exclude_defaults=True)


def differing_fields(wanted: Mapping[str, Any], plain: Mapping[str, Any]) -> Fields:
    """Return the fields of a test that must be stored: those of `wanted` that differ from `plain`.

    `wanted` has all fields of the test. `plain` has the fields that a reader gets from the test in
    a file of another format, without stored fields. A field that only `plain` has is None in the
    result.
    """
    differing = {name: value for name, value in wanted.items() if plain.get(name) != value}
    return differing | {name: None for name in plain if name not in wanted}


def with_stored_fields(plain: Mapping[str, Any], kept: Mapping[str, Any]) -> Fields:
    """Return `plain` with the values of the stored fields `kept`. A stored None removes a field.

    `plain` has the fields that a reader gets from a test in a file of another format. `kept` has
    the fields that were stored in the file in addition, because that format lacks them.
    """
    return {name: value for name, value in {**plain, **kept}.items() if value is not None}


def run_fields(report: Report) -> Fields:
    """Return a report's fields as JSON values, without suites, tests and default values."""
    record = report.model_dump(mode="json", exclude_none=True, exclude_defaults=True)
    return {name: value for name, value in record.items() if name not in {"suites", "tests"}}
