"""Models the parts of a file in the Common Test Report Format (CTRF 1.0.0) that `ctrf` reads.

The models are more lenient than CTRF's schema, because real files break it: unknown keys are
ignored, a suite may be a single string, a duration may be a fraction of a millisecond.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from accelerator_reports.file_reading import is_finite
from accelerator_reports.files.fields import Count

Status = Literal["passed", "failed", "skipped", "pending", "other"]
STATUSES: tuple[Status, ...] = get_args(Status)
MillisecondTime = Annotated[int, Field(ge=0, le=253_402_300_799_999)]  # to the end of the year 9999


def _milliseconds_or_none(value: object) -> object:
    """Return a duration, or None for an invalid one: a test is not left out because of it."""
    return value if is_finite(value) and value >= 0 else None


class _CtrfModel(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)


class Attachment(_CtrfModel):
    """A file or address attached to a test."""

    name: str
    path: str


class Test(_CtrfModel):
    """A test in a CTRF file."""

    __test__ = False

    name: Annotated[str, Field(min_length=1)]
    status: Status
    duration: Annotated[float | None, BeforeValidator(_milliseconds_or_none)] = None
    suite: list[str] | str = []
    message: str = ""
    trace: str = ""
    rawStatus: str = ""  # noqa: N815 - CTRF's name
    retries: Count = 0
    flaky: bool = False
    stdout: list[str] = []
    stderr: list[str] = []
    parameters: dict[str, Any] = {}
    attachments: list[Attachment] = []
    extra: Any = None

    @property
    def suites(self) -> list[str]:
        """The suites that contain the test, also if they are one text: `ops > TestX > test_a`."""
        if not isinstance(self.suite, str):
            return self.suite
        return f" > {self.suite}".removesuffix(f" > {self.name}").split(" > ")[1:]

    @property
    def has_node_id(self) -> bool:
        """Whether the name is pytest's node id, which contains the suites: `test_a.py::TestX::b`.

        The plugin pytest-json-ctrf writes such names.
        """
        return any(
            suite.endswith(".py") and self.name.startswith(f"{suite}::")
            for suite in self.suites[:1]
        )


class Summary(_CtrfModel):
    """The number of tests by status, and the run's start and end in milliseconds since 1970."""

    tests: Count
    passed: Count
    failed: Count
    skipped: Count
    pending: Count
    other: Count
    start: MillisecondTime
    stop: MillisecondTime


class Environment(_CtrfModel):
    """The environment in which the tests ran."""

    appName: str = ""  # noqa: N815 - CTRF's name
    appVersion: str = ""  # noqa: N815 - CTRF's name
    osPlatform: str = ""  # noqa: N815 - CTRF's name
    osRelease: str = ""  # noqa: N815 - CTRF's name
    osVersion: str = ""  # noqa: N815 - CTRF's name
    extra: Mapping[str, Any] = {}


class Tool(_CtrfModel):
    """The tool that ran the tests."""

    name: str


class Results(_CtrfModel):
    """The results of a run."""

    tool: Tool
    summary: Summary
    tests: list[Any]
    """The tests, not yet validated. The reader validates each as a `Test`, to name it in errors."""
    environment: Environment = Environment()


class Document(_CtrfModel):
    """A CTRF file."""

    reportFormat: Literal["CTRF"]  # noqa: N815 - CTRF's name
    specVersion: str  # noqa: N815 - CTRF's name
    results: Results
