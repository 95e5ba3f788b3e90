"""Reads and writes a platform's file of verdicts: the results of verifying its install commands.

The file lists each distinct verdict once. Then it has one line for each install row, which refers
to verdicts by their position in that list, from 0.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, NonNegativeInt

from accelerator_portal.install.rows import KEY_AXES, InstallRow, row_key
from accelerator_portal.packages.uv_resolution import ResolutionKind, ResolutionResult
from accelerator_reports.file_reading import file_error, read_bytes
from accelerator_reports.files.fields import StrictModel
from accelerator_reports.files.problem import ProblemsError
from accelerator_reports.files.text_file import write_bytes_atomically

VERDICTS = "data/verdicts"


_Module = Annotated[str, Field(pattern=r"^[A-Za-z_]\w{0,79}$")]


class Trial(StrictModel):
    """A successful installation of a command in a fresh environment."""

    on: dt.date
    """The day of the installation."""
    python: Annotated[str, Field(pattern=r"^3\.\d{1,2}\.\d{1,3}[a-z0-9+]{0,10}$")]
    """The full version of Python: `3.11.7`."""
    imported: Annotated[tuple[_Module, ...], Field(min_length=1, max_length=50)]
    """The modules of the installed packages that were imported on a machine without a device."""
    checked: bool = False
    """Whether the check of the install option printed the expected text."""


class Verdict(StrictModel):
    """The result of verifying an install command on one system with one Python version."""

    kind: ResolutionKind
    """`found`: fitting versions exist; `none`: no fitting versions exist; `unchecked`: unknown."""
    on: dt.date
    """The day on which the command was resolved."""
    found: Mapping[str, str] = {}
    """The version that was found for each package that the command names, by package name."""
    why: str | None = None
    """Why no versions exist, or why the command could not be checked."""
    trial: Trial | None = None
    """The newest successful installation of exactly these versions."""


RowKey = tuple[str, ...]
"""What identifies an install row of a platform: the option's id, variant, build, operating system,
architecture and method, such as `("wheels", "cu130", "2.15.0", "linux", "x86_64", "pip")`."""

Verdicts = Mapping[RowKey, Mapping[str, Verdict]]
"""A platform's verdicts by key of the install row, then by Python version."""


class _VerdictFile(StrictModel):
    schema_version: Literal[1]
    verdicts: tuple[Verdict, ...]
    rows: tuple[tuple[str | Mapping[str, NonNegativeInt], ...], ...]
    """Each row consists of the parts of its key, then a mapping of Python versions to positions in
    `verdicts`."""


def verdict_row_key(row: InstallRow) -> RowKey:
    """Return the key of an install row, which stays the same when rows are added."""
    return (row.option, *row_key(row, "platform"))


def verdict_of(answer: ResolutionResult, day: dt.date) -> Verdict:
    """Return the verdict for uv's answer on the day `day`."""
    return Verdict(kind=answer.kind, on=day, found=dict(answer.found), why=answer.why)


def verdicts_text(verdicts: Verdicts) -> str:
    """Return verdicts as JSON in a fixed order.

    There is a line for each distinct verdict, then a line for each install row: the parts of its
    key, then the positions of its verdicts (from 0) by Python version.
    """
    number_by_text: dict[str, int] = {}
    lines = []
    for key in sorted(verdicts):
        number_by_python = {}
        for python, verdict in verdicts[key].items():
            text = json.dumps(
                verdict.model_dump(mode="json", exclude_defaults=True), sort_keys=True
            )
            number_by_python[python] = number_by_text.setdefault(text, len(number_by_text))
        lines.append(json.dumps([*key, number_by_python]))
    return (
        '{"schema_version": 1,\n"verdicts": [\n'
        + ",\n".join(number_by_text)
        + '\n],\n"rows": [\n'
        + ",\n".join(lines)
        + "\n]}\n"
    )


def write_verdicts(root: Path, platform: str, verdicts: Verdicts) -> None:
    """Write a platform's verdict file atomically. Raises OSError."""
    write_bytes_atomically(_verdict_path(root, platform), verdicts_text(verdicts).encode())


def read_verdicts(root: Path, platform: str) -> Verdicts:
    """Return a platform's verdicts; empty without a file. Raises ProblemsError if it is invalid.

    The error names the file's path in the repository.
    """
    path = _verdict_path(root, platform)
    try:
        return read_verdict_file(path)
    except ProblemsError as error:
        raise error.at(path.relative_to(root).as_posix()) from None


def read_verdict_file(path: Path) -> Verdicts:
    """Return a file's verdicts; empty without a file. Raises ProblemsError if it is invalid."""
    if not path.exists():
        return {}
    try:
        file = _VerdictFile.model_validate_json(read_bytes(path))
        rows = map(_parse_row, file.rows)
        return {
            key: {python: file.verdicts[n] for python, n in numbers.items()}
            for key, numbers in rows
        }
    except (ValueError, IndexError):
        what = "this is not a valid verdict file"
        remedy = f"delete {VERDICTS}/{path.name}, then run: accelerator-portal install verify"
        raise file_error(path, 1, what, remedy) from None


def _parse_row(row: tuple[str | Mapping[str, int], ...]) -> tuple[RowKey, Mapping[str, int]]:
    """Return the key in a row of a verdict file, and the positions of verdicts by Python version.

    Raises ValueError if `row` has another shape.
    """
    *parts, number_by_python = row
    key = tuple(part for part in parts if isinstance(part, str))
    if len(key) != len(parts) or len(key) != len(KEY_AXES) or isinstance(number_by_python, str):
        raise ValueError(row)
    return key, number_by_python


def _verdict_path(root: Path, platform: str) -> Path:
    return root / VERDICTS / f"{platform}.json"
