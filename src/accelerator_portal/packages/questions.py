"""What is asked of package indexes: the calls of a command, on one system, with one Python."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from accelerator_portal.catalog.fields import Arch, Os
from accelerator_portal.catalog.releases_file import INDEX
from accelerator_portal.install.rows import InstallRow, PipCall

# The methods whose commands are resolved; pip and uv differ in how they look at a second index.
ASKED = ("pip", "uv")


@dataclass(frozen=True, slots=True)
class ResolutionQuestion:
    """Whether versions exist that satisfy some calls, one after the other.

    `first_index` says how several indexes are looked at: as uv does (the first that has a package
    is the only one asked for it), or as pip does (the best version of all).
    """

    calls: tuple[PipCall, ...]
    os: Os
    arch: Arch
    python: str
    first_index: bool

    @property
    def hosts(self) -> frozenset[str]:
        """The hosts of the indexes that are named; that of PyPI, which is not, is left out."""
        named = (i for call in self.calls for i in (call.index, call.extra_index) if i)
        builds = (INDEX for call in self.calls if call.backend)
        return frozenset(urlsplit(index).hostname or "" for index in (*named, *builds))

    @property
    def asks_pypi(self) -> bool:
        """Whether a call names no index that replaces PyPI."""
        return any(call.index is None for call in self.calls)


def questions(row: InstallRow) -> dict[str, ResolutionQuestion]:
    """Return a row's questions by Python version; none where it asks no index."""
    if row.method not in ASKED or not row.calls:
        return {}
    several = any(call.extra_index for call in row.calls)
    first_index = several and row.method == "uv"
    return {
        python: ResolutionQuestion(row.calls, row.os, row.arch, python, first_index)
        for python in row.pythons or ()
    }


def every_question(rows: Iterable[InstallRow]) -> list[ResolutionQuestion]:
    """Return each question once, in the order of the rows."""
    return list(dict.fromkeys(q for row in rows for q in questions(row).values()))
