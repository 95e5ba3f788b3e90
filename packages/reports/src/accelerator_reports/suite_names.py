"""Models suites of tests, shared ones and a vendor's own, and defines valid names of suites."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, WithJsonSchema

from accelerator_reports.files.fields import (
    Id,
    Line,
    Paragraph,
    StrictModel,
    Title,
    Url,
    validation_error,
)
from accelerator_reports.files.folders import MAX_ID_LENGTH
from accelerator_reports.files.sources import SourcedFile

# Models `data/suites/<id>.yaml`: a test suite, and the names of its tests.

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
    reduced: bool = False
    """Whether the suite's models are smaller than the published ones, such as two of 32 layers."""
    url: Url
    """Address of the suite's documentation or source code."""
    tests: Annotated[tuple[Line, ...], Field(min_length=1)]
    """Names of the suite's tests, current and former."""
    aliases: Mapping[Line, tuple[Line, ...]] = Field(default_factory=dict)
    """Other names of tests that reports contain, by the name in `tests`."""
    source: Annotated[tuple[Id, ...], Field(min_length=1)]
    """Ids of the entries in `sources` that state the names of the tests."""


_LONGEST_WORD = 60
LONGEST_SUITE_NAME = MAX_ID_LENGTH + 1 + _LONGEST_WORD

_FOLDER = r"[a-z0-9]+(?:-[a-z0-9]+)*"
_WORD = r"[a-z0-9]+(?:[-_.][a-z0-9]+)*"

SUITE_NAME_PATTERN = rf"^(?:{_FOLDER}/)?{_WORD}$"
"""Pattern for the name of any suite: `torchbench` of the portal, `acme/kernels` of a vendor."""

_OWN_NAME = rf"^{_FOLDER}/{_WORD}$"


def _validate_own_suite_name(name: str) -> str:
    if not (suite_owner(name) and is_suite_name(name)):
        what = f'"{name[:60]}" is not a valid name for a vendor\'s suite'
        raise validation_error(what, 'use the folder name, a slash and a word: "acme/kernels"')
    return name


OwnSuiteName = Annotated[
    str,
    AfterValidator(_validate_own_suite_name),
    WithJsonSchema({"type": "string", "pattern": _OWN_NAME}),
]


class OwnSuite(StrictModel):
    """A test suite of the vendor. Reports can also contain suites that no file declares."""

    name: OwnSuiteName
    """Name of the suite in reports: the folder name, a slash, and a name of lower-case letters and
    digits with single `-`, `_` or `.` between them, for example `acme/kernels`."""
    title: Annotated[Title, Field(max_length=80)]
    """Title that readers see, for example `Acme kernel tests`."""
    url: Url
    """Address of the suite's source code or documentation."""
    description: Paragraph | None = None
    """What the suite tests, in two or three sentences."""
    aliases: Annotated[tuple[OwnSuiteName, ...], Field(max_length=20)] = ()
    """Other names of the suite in reports. After a suite was renamed, keep `name` and add the new
    name here: the results continue under `name`, and readers see `title`."""


@dataclass(frozen=True, slots=True)
class SuiteNames:
    """The names of the suites in `data/suites/`, and the aliases of vendors' suites."""

    portal: frozenset[str] = frozenset()
    """The suites that `data/suites/` describes."""
    aliases: Mapping[str, str] = field(default_factory=dict)
    """Maps each alias of a vendor's suite to the name of the suite."""

    def full_name(self, suite: str, accelerator: str) -> str:
        """Return the full name of the suite that a report names: `pytest` → `acme/pytest`.

        `suite` is the name in the report, and `accelerator` the id of the report's platform. A name
        in `portal` or SUITES_WITHOUT_FILE is returned unchanged. Any other name without a slash
        gets the prefix `<accelerator>/`, and an alias is then replaced by the name of its suite.
        If `portal` is empty, the portal's suites are unknown. Only aliases then change.
        """
        if suite in self.portal or suite in SUITES_WITHOUT_FILE:
            return suite
        vendor_suite = suite if suite_owner(suite) else f"{accelerator}/{suite}"
        return self.aliases.get(vendor_suite, vendor_suite if self.portal else suite)


def is_suite_name(name: str) -> bool:
    """Return whether a text is a valid suite name, such as `operators` or `acme/kernels`."""
    if len(name) > LONGEST_SUITE_NAME or len(name.rpartition("/")[2]) > _LONGEST_WORD:
        return False
    return re.fullmatch(SUITE_NAME_PATTERN, name) is not None


def validate_suite_name_length(name: str) -> str:
    """Return a suite's name unchanged.

    Raises PydanticCustomError if the part after the slash has more than 60 characters. If the name
    has no slash, the limit applies to the whole name.
    """
    if len(name.rpartition("/")[2]) > _LONGEST_WORD:
        what = f'the name "{name[:60]}…" has more than {_LONGEST_WORD} characters'
        raise validation_error(what, "shorten it")
    return name


def suite_owner(suite: str) -> str | None:
    """Return the id of the vendor's folder that owns a suite, or None for the portal's suites."""
    owner, slash, _ = suite.partition("/")
    return owner if slash else None


def suite_folder(suite: str) -> str:
    """Return a suite's folder name in a path or an address: `acme/kernels` → `acme--kernels`.

    No suite name has two hyphens in a row, so two suites never have the same folder name.
    """
    return suite.replace("/", "--")


def is_executorch_suite(suite: str) -> bool:
    """Return whether a suite tests ExecuTorch, such as `executorch-models` or `acme/executorch`."""
    return suite.rpartition("/")[2].startswith("executorch")
