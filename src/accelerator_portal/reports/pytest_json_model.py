"""What is read of a file of pytest-json-report (version 1.5); unknown keys are passed over."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

Seconds = Annotated[float, Field(ge=0, lt=10**9)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)


class Crash(_Part):
    """Where a stage failed."""

    message: str = ""


class Stage(_Part):
    """A stage of a test."""

    duration: Seconds = 0
    outcome: str = ""
    crash: Crash = Crash()
    longrepr: str = ""
    stdout: str = ""
    stderr: str = ""


class Test(_Part):
    """A test; its stages stand beside its node id."""

    __test__ = False

    nodeid: Annotated[str, Field(min_length=1)]
    outcome: str
    setup: Stage | None = None
    call: Stage | None = None
    teardown: Stage | None = None
    lost: Annotated[Stage | None, Field(alias="???")] = None
    """pytest-xdist's word for the stage of a worker that died."""

    @property
    def stages(self) -> list[Stage]:
        """Those that ran, in order."""
        every = (self.setup, self.call, self.teardown, self.lost)
        return [stage for stage in every if stage]


class Collector(_Part):
    """A module or class in which pytest looked for tests."""

    nodeid: str
    outcome: str
    longrepr: str = ""


class Summary(_Part):
    """Counts; the number of each outcome stands beside them."""

    total: Annotated[int, Field(ge=0)] = 0
    collected: Annotated[int, Field(ge=0)] | None = None
    deselected: Annotated[int, Field(ge=0)] = 0


class Document(_Part):
    """A file; `created` is when the run ended, in seconds since 1970."""

    created: Annotated[float, Field(ge=0, lt=253_402_300_799)]
    duration: Seconds
    environment: Mapping[str, Any] = {}
    summary: Summary
    tests: list[Any] | None = None
    """Each is a Test; they are checked one by one, so that a fault names its test."""
    collectors: list[Collector] = []
