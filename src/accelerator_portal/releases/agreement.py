"""How the portal and a list of PyTorch's agree, combination by combination."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

from packaging.version import Version

Agreement = Literal["same", "differs", "missing", "extra"]
"""`missing`: upstream lists it, the portal does not; `extra`: the other way round."""

AGREEMENTS: tuple[Agreement, ...] = get_args(Agreement)

NIGHTLY = "nightly"
"""The release of nightly builds."""


@dataclass(frozen=True, slots=True)
class ComparedEntry:
    """One combination and how both sides agree; `words` say what differs."""

    release: str
    """A version, its first two numbers, or NIGHTLY."""
    system: str
    """The operating system, with the architecture where the list has one."""
    kind: str
    """What is compared: `pip`, `libtorch`, `wheels`, `archives` or `support`."""
    build: str
    agreement: Agreement
    words: str = ""


@dataclass(frozen=True, slots=True)
class UpstreamComparison:
    """All combinations of the releases that both sides have, newest release first."""

    entries: tuple[ComparedEntry, ...]
    only_upstream: tuple[str, ...]
    """Releases since the portal's first that only upstream lists."""
    only_portal: tuple[str, ...]
    """Releases that only the portal lists."""
    with_torchaudio: int = 0
    """How many of upstream's pip commands install torchaudio."""

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of the combinations, each once."""
        return tuple(sorted({entry.kind for entry in self.entries}))

    def count(self, agreement: Agreement, kind: str) -> int:
        """Return how many combinations of a kind agree like this."""
        return sum((e.agreement, e.kind) == (agreement, kind) for e in self.entries)


def in_order(entries: Iterable[ComparedEntry]) -> tuple[ComparedEntry, ...]:
    """Return the newest release first; nightly builds are newer than any."""
    found = sorted(entries, key=lambda e: (e.kind, e.system, e.build))
    found.sort(key=lambda e: (e.release == NIGHTLY, _version(e.release)), reverse=True)
    return tuple(found)


def _version(release: str) -> Version:
    return Version("0" if release == NIGHTLY else release)
