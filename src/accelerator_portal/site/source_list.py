"""Lists the sources of a page, each document once, numbered by first use."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from accelerator_portal.catalog.files.sources import Source
from accelerator_portal.catalog.source_ages import TRUST_LEVELS, trust_level


@dataclass(frozen=True, slots=True)
class SourceEntry:
    """A source document; `anchor` is its id on the page, independent of other sources."""

    number: int
    anchor: str
    source: Source
    trust: str
    """The trust level of the source in words."""


class SourceList:
    """The sources of a page, by file and id."""

    def __init__(
        self, files: Iterable[tuple[str, Mapping[str, Source]]], vendor: Iterable[str] = ()
    ) -> None:
        """Create the list from sources by file; `vendor` are the sites of the platform's vendor."""
        self.entries: list[SourceEntry] = []
        self._entries: dict[tuple[str, str], SourceEntry] = {}
        vendor = frozenset(vendor)
        known: dict[tuple[str, str, str], SourceEntry] = {}
        for file, sources in files:
            for name, source in sources.items():
                place = (source.address or "", source.package or "", source.title)
                if place not in known:
                    anchor = f"source-{file.split('.')[0]}-{name}"
                    trust = TRUST_LEVELS[trust_level(source, vendor)]
                    known[place] = SourceEntry(len(self.entries) + 1, anchor, source, trust)
                    self.entries.append(known[place])
                self._entries[file, name] = known[place]

    def entry(self, file: str, name: str) -> SourceEntry | None:
        """Return the entry for `name` in `file`, or None."""
        return self._entries.get((file, name))

    def cited(self, file: str, names: Iterable[str] | None) -> list[SourceEntry]:
        """Return the entries for ids in `file`, without duplicates and unknown ids."""
        found = (self.entry(file, name) for name in names or ())
        return list(dict.fromkeys(entry for entry in found if entry))
