"""`data/suites/<id>.yaml`: a test suite, and the names of its tests; `data/models.yaml`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field

from accelerator_portal.catalog.fields import Id, Line, Paragraph, Url
from accelerator_portal.catalog.sources import Sourced, SourcedFile

SuiteKind = Literal["build", "deploy", "unit", "operator", "model", "speed"]

SUITES_OF_CHECKOUTS = frozenset({"pytorch-tests"})
"""Suites of the harness whose tests are listed nowhere here: they lie in a checkout."""

SUITES_WITHOUT_FILE = SUITES_OF_CHECKOUTS | {"build", "deploy"}
"""Suites of the harness that `data/suites/` does not describe."""


class SuiteFile(SourcedFile):
    """A test suite; its id is the name of the file."""

    title: Line
    """What readers see."""
    short: Annotated[Line, Field(max_length=24)] | None = None
    """What they see where there is little room; absent: the title."""
    kind: SuiteKind
    """What it tests."""
    description: Paragraph
    """What it does, in two or three sentences."""
    url: Url
    """Where it is."""
    tests: Annotated[tuple[Line, ...], Field(min_length=1)]
    """Every name that its tests have, or had."""
    aliases: Mapping[Line, tuple[Line, ...]] = Field(default_factory=dict)
    """Other names under which reports may know a test, by the name in `tests`."""
    source: Annotated[tuple[Id, ...], Field(min_length=1)]
    """Ids of `sources`: where the names come from."""


class SameModel(Sourced):
    """A model that several suites have under names of their own."""

    id: Id
    """Its id; never changes."""
    title: Line
    """What readers see."""
    names: Annotated[tuple[Line, ...], Field(min_length=2)]
    """`suite/name`, each one of a suite's tests."""
    note: Line | None = None
    """What may differ between them."""


class Models(SourcedFile):
    """Models that meet although suites call them differently."""

    models: tuple[SameModel, ...]
    """The models."""
