"""Models `data/suites/<id>.yaml`: a test suite, and the names of its tests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field

from accelerator_reports.files.fields import Id, Line, Paragraph, Url
from accelerator_reports.files.sources import SourcedFile

SuiteKind = Literal["build", "deploy", "unit", "operator", "model", "speed"]

SUITES_OF_CHECKOUTS = frozenset({"pytorch-tests"})
"""Suites of the test harness whose tests are in a PyTorch checkout and not listed in a file."""

SUITES_WITHOUT_FILE = SUITES_OF_CHECKOUTS | {"build", "deploy"}
"""Suites of the test harness that `data/suites/` does not describe."""


class SuiteFile(SourcedFile):
    """A test suite. Its id is the file name."""

    title: Line
    """Title that readers see, for example `Acme kernel tests`."""
    short: Annotated[Line, Field(max_length=24)] | None = None
    """A short title for narrow columns. Default: the title."""
    kind: SuiteKind
    """What the suite tests."""
    description: Paragraph
    """What the suite does, in two or three sentences."""
    models: Line | None = None
    """How the suite's models differ from the published models, for example `two layers, random
    weights`."""
    url: Url
    """Address of the suite's documentation or source code."""
    tests: Annotated[tuple[Line, ...], Field(min_length=1)]
    """Names of the suite's tests, current and former."""
    aliases: Mapping[Line, tuple[Line, ...]] = Field(default_factory=dict)
    """Other names of tests that reports contain, by the name in `tests`."""
    source: Annotated[tuple[Id, ...], Field(min_length=1)]
    """Ids of the entries in `sources` that state the names of the tests."""
