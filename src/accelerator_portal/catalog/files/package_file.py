"""Models `data/packages/<name>.json`: what package indexes state about one package, as last read.

A command writes these files (`accelerator-portal packages sync`); nobody edits them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal, TypeVar

from packaging.utils import canonicalize_name
from packaging.version import Version
from pydantic import BaseModel, Field, ValidationError

from accelerator_reports.files.fields import (
    Day,
    Flag,
    Line,
    PackageName,
    StrictModel,
    TorchVersion,
    Url,
)
from accelerator_reports.files.problem import Problem, first_error_text

PYPI = "pypi"
"""The name of PyPI in package files, which name every other index by its address."""

ANY_PLATFORM_TAG = "*"
"""The key for a fact about all platform tags of a release, used instead of a platform tag."""

IndexName = Literal["pypi"] | Url
Tag = Annotated[str, Field(pattern=r"^(\*|[A-Za-z0-9_.-]+)$", max_length=80)]

ChangedFact = Literal["requires", "python", "cuda", "yanked", "removed"]
"""What can change in a version that is already published."""

PACKAGES = "data/packages"
PACKAGES_READ = "data/packages-read.json"

# A file about torch on forty indexes has a quarter of this size.
MAX_BYTES = 4 * 1024**2

_REMEDY = "restore the last valid version of the file, or run accelerator-portal packages sync"

M = TypeVar("M", bound=BaseModel)


class ReleaseFacts(StrictModel):
    """What a package index states about one release of a package."""

    version: TorchVersion
    """The version."""
    date: Day | None = None
    """The day on which its first file was uploaded, if the index states it."""
    yanked: Line | Literal[""] | None = None
    """Why all its files were withdrawn (PEP 592). Empty if no reason was given; None if they were
    not withdrawn."""
    python: Line | None = None
    """The Python versions that all its files require, as a specifier."""
    wheels: Mapping[Tag, Line] = Field(default_factory=dict)
    """The Python tags of its wheels, separated by spaces, by platform tag (PEP 425): system, C
    library, architecture."""
    sdist: Flag = False
    """Whether there is a source archive."""
    requires: Mapping[Tag, tuple[Line, ...]] = Field(default_factory=dict)
    """Its requirements on packages that the portal follows, by platform tag; `*` means every tag.
    The list is empty if it requires none of them. There is no key if the metadata was not read.
    """
    cuda: Mapping[Tag, Line] = Field(default_factory=dict)
    """The CUDA version of the libraries that it requires, by platform tag."""
    sizes: Mapping[Tag, Annotated[int, Field(ge=1)]] = Field(default_factory=dict)
    """The size of its largest wheel in bytes, by platform tag, if the index states it (PEP 700)."""
    files: Annotated[str, Field(pattern=r"^[0-9a-f]{12}$")] | None = None
    """A digest over names and hashes of its files; absent if the index states no hashes."""


class IndexFacts(StrictModel):
    """What one package index states about a package."""

    index: IndexName
    """`pypi`, or the address of the index."""
    about: Line | None = None
    """The summary of the newest release that is not yanked."""
    releases: tuple[ReleaseFacts, ...]
    """The newest releases, newest first. Empty if the index doesn't have the package."""


class FactChange(StrictModel):
    """A change to a version after it was published: new metadata, a yank or a removal."""

    date: Day
    """The date on which the change was detected."""
    index: IndexName
    """The index."""
    version: TorchVersion
    """The version."""
    of: ChangedFact
    """What changed."""
    on: Tag = ANY_PLATFORM_TAG
    """The platform tag that the change concerns."""
    before: Line | Literal[""] = ""
    """The value before the change. For `yanked`: the reason, or `yes` without a reason; empty if
    the version was not yanked."""
    after: Line | Literal[""] = ""
    """The value after the change, as in `before`. For `removed`, both are empty."""


class PackageFacts(StrictModel):
    """All facts about one package."""

    package: PackageName
    """Its normalized name."""
    indexes: tuple[IndexFacts, ...]
    """Each index that was read, PyPI first."""
    changes: tuple[FactChange, ...] = ()
    """Changes to versions after they were published, newest first."""

    def on(self, index: str) -> IndexFacts | None:
        """Return the facts of an index, or None if the index was never read."""
        return next((facts for facts in self.indexes if facts.index == index), None)


class IndexFault(StrictModel):
    """A package that couldn't be read from an index. The facts that were read before remain."""

    package: PackageName
    """Its normalized name."""
    index: IndexName
    """`pypi`, or the address of the index."""
    since: Day
    """The first day on which it could not be read."""
    what: Line
    """The error."""


class PackagesRead(StrictModel):
    """`data/packages-read.json`: the days on which the facts were read from package indexes."""

    read: Day | None = None
    """The day on which all packages were last read, except those in `later` and `faults`."""
    later: Mapping[PackageName, Day] = Field(default_factory=dict)
    """Packages that were read after that day, each with its day."""
    faults: tuple[IndexFault, ...] = ()
    """The packages that could not be read from an index at the last attempt."""

    def fault(self, package: str, index: str) -> IndexFault | None:
        """Return the error of the last attempt to read a package from an index, or None."""
        faults = (f for f in self.faults if (f.package, f.index) == (package, index))
        return next(faults, None)


def releases_newest_first(releases: Mapping[str, ReleaseFacts]) -> tuple[ReleaseFacts, ...]:
    """Return the values of `releases`, sorted by version, the newest first."""
    return tuple(sorted(releases.values(), key=lambda r: Version(r.version), reverse=True))


def read_package_files(root: Path) -> tuple[dict[str, PackageFacts], PackagesRead, list[Problem]]:
    """Return the facts of each package, the days on which they were read, and the problems.

    The keys of the returned dict are normalized package names. The facts are read from
    `data/packages/*.json` below `root`, the days from `data/packages-read.json`. An invalid file is
    left out and reported as a problem.
    """
    problems: list[Problem] = []
    facts_by_package: dict[str, PackageFacts] = {}
    folder = root / PACKAGES
    for file in sorted(folder.glob("*.json")) if folder.is_dir() else ():
        path = f"{PACKAGES}/{file.name}"
        facts = _read_json_file(root, path, PackageFacts, problems)
        if facts is None:
            continue
        if file.stem != canonicalize_name(facts.package) or file.stem != facts.package:
            what = f'the file is about "{facts.package}"'
            problems.append(Problem(path, 1, what, "rename the file after the package"))
        else:
            facts_by_package[facts.package] = facts
    read = PackagesRead()
    if (root / PACKAGES_READ).exists():
        read = _read_json_file(root, PACKAGES_READ, PackagesRead, problems) or read
    return facts_by_package, read, problems


def _read_json_file(root: Path, path: str, model: type[M], problems: list[Problem]) -> M | None:
    file = root / path
    try:
        if file.is_symlink() or not file.is_file() or file.stat().st_size > MAX_BYTES:
            problems.append(
                Problem(path, 1, "this is not a regular file with package data", _REMEDY)
            )
            return None
        return model.model_validate(json.loads(file.read_bytes()))
    except ValidationError as error:
        problems.append(Problem(path, 1, first_error_text(error), _REMEDY))
    except (OSError, ValueError, RecursionError) as error:
        what = f"the file cannot be read ({type(error).__name__})"
        problems.append(Problem(path, 1, what, _REMEDY))
    return None
