"""Lists the questions that uv answers: which versions an install command finds on a system."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from accelerator_portal.install.rows import InstallRow, PipCall
from accelerator_reports.files.fields import Arch, Os

# The methods whose commands are resolved. pip and uv use several indexes in different ways.
RESOLVED_METHODS = ("pip", "uv")


@dataclass(frozen=True, slots=True)
class ResolutionQuestion:
    """A question for uv: which versions `calls` would install on a system with one Python version.

    `calls` are calls of pip or uv, which run in order. `first_index` matters if a call has several
    indexes. If it is true, only the first index that has the package is used, as uv does. If it is
    false, the best version of all indexes is used, as pip does.
    """

    calls: tuple[PipCall, ...]
    os: Os
    arch: Arch
    python: str
    first_index: bool


def questions_of_row(row: InstallRow) -> dict[str, ResolutionQuestion]:
    """Return an install row's question for each Python version, by Python version.

    The result is empty if the row's method is not pip or uv.
    """
    if row.method not in RESOLVED_METHODS or not row.calls:
        return {}
    several = any(call.extra_index for call in row.calls)
    first_index = several and row.method == "uv"
    return {
        python: ResolutionQuestion(row.calls, row.os, row.arch, python, first_index)
        for python in row.pythons or ()
    }


def distinct_questions(rows: Iterable[InstallRow]) -> list[ResolutionQuestion]:
    """Return the distinct questions of install rows, in the order of the rows."""
    return list(dict.fromkeys(q for row in rows for q in questions_of_row(row).values()))
