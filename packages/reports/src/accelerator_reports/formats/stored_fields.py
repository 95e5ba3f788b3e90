"""Computes the report fields that an export must store separately, because its format lacks them.

An import from the exported file then restores these fields. The writer of the file first writes a
test into the normal fields of the other format. It then determines which `TestEntry` fields a
reader would get from these normal fields. The fields that differ from the test are stored
separately, under the name `NAMESPACE`. Everything that the other format can express is therefore in
its normal fields.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from accelerator_reports.report import Environment, Moment, Report, TestEntry, VisibleText

NAMESPACE = "accelerator-portal"

Fields = dict[str, Any]


class StoredRun(BaseModel):
    """Facts of a run that an export stores in a file, so that an import can restore them."""

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


def differing_fields(all_fields: Mapping[str, Any], plain_fields: Mapping[str, Any]) -> Fields:
    """Return the fields of a test that a writer must store in addition to the plain fields.

    `all_fields` are the fields of the test. `plain_fields` are those that a reader gets from the
    normal fields of the other format. The result has the fields of `all_fields` that differ, and
    None for each field that only `plain_fields` has.
    """
    differing = {
        name: value for name, value in all_fields.items() if plain_fields.get(name) != value
    }
    return differing | {name: None for name in plain_fields if name not in all_fields}


def with_stored_fields(plain_fields: Mapping[str, Any], stored: Mapping[str, Any]) -> Fields:
    """Return the fields of a test: `plain_fields`, updated with the fields in `stored`.

    `plain_fields` are those that a reader gets from the normal fields of the other format. `stored`
    has the fields that the writer stored in addition. A stored None removes a field.
    """
    return {name: value for name, value in {**plain_fields, **stored}.items() if value is not None}


def run_fields(report: Report) -> Fields:
    """Return a report's fields as JSON values, without suites, tests and default values."""
    record = report.model_dump(mode="json", exclude_none=True, exclude_defaults=True)
    return {name: value for name, value in record.items() if name not in {"suites", "tests"}}
