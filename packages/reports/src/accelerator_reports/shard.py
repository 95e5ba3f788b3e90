"""Describes shards: if several machines share a run, each machine runs one shard of its tests.

The module also converts the positions of a shard's tests to text and back. A position is a number
in the run's plan, the list of all tests of the run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated

from pydantic import Field, StringConstraints, model_validator

from accelerator_reports.files.fields import StrictModel, validation_error

MAX_SHARDS = 1000

# Python refuses to read a number of more than 4,300 digits.
_RANGE = r"[1-9][0-9]{0,8}(?:-[1-9][0-9]{0,8})?"
_RANGES_PATTERN = rf"^{_RANGE}(?: {_RANGE})*$"

Digest = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Positions = Annotated[str, StringConstraints(pattern=_RANGES_PATTERN, max_length=2_000_000)]
ResumeCommand = Annotated[str, StringConstraints(min_length=1, max_length=4000)]


class Shard(StrictModel):
    """The part of a plan (the list of a run's tests) that one machine ran."""

    index: Annotated[int, Field(ge=1, le=MAX_SHARDS)]
    """Number of this shard, from 1."""
    count: Annotated[int, Field(ge=1, le=MAX_SHARDS)]
    """Number of all shards of the run."""
    planned: Annotated[int, Field(ge=1)]
    """Number of tests in all shards together."""
    positions: Positions
    """Positions of the shard's tests in the plan of the whole run, counted from 1: numbers and
    ranges, for example `1-3 7`."""
    plan: Digest
    """SHA-256 of the plan: tests, settings and known issues. All shards of a run have the same
    value."""
    times: Digest | None = None
    """SHA-256 of the recorded test durations by which the tests were divided into shards. Absent
    without recorded durations."""
    unfinished: Annotated[int, Field(ge=0)] = 0
    """Number of the shard's tests without a result, because the run was interrupted or stopped."""
    resume: ResumeCommand
    """The command that resumes an interrupted run of this shard."""

    @model_validator(mode="after")
    def _check_index_within_count(self) -> Shard:
        if self.index > self.count:
            what = f"there is no shard {self.index} of {self.count}"
            raise validation_error(what, "correct index or count")
        return self

    @property
    def name(self) -> str:
        """The shard as a value of the option `--shard`: `2/4` is the second of four shards."""
        return f"{self.index}/{self.count}"


def positions_text(positions: Iterable[int]) -> str:
    """Return ascending positions as ranges: 1, 2, 3 and 7 become `1-3 7`."""
    ranges: list[tuple[int, int]] = []
    for position in positions:
        if ranges and ranges[-1][1] == position - 1:
            ranges[-1] = (ranges[-1][0], position)
        else:
            ranges.append((position, position))
    return " ".join(str(a) if a == b else f"{a}-{b}" for a, b in ranges)


def positions_of(text: str, limit: int) -> Iterator[int]:
    """Yield the positions in a text: `1-3 7` gives 1, 2, 3 and 7.

    Ranges are cut off at `limit`, because a hostile file could name an endless range.
    """
    for part in text.split():
        first, _, last = part.partition("-")
        yield from range(int(first), min(int(last or first), limit) + 1)
