"""Numbers the sources that a page cites: each document once, in the order of the data files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from accelerator_portal.catalog.facts import TRUST_LEVELS, trust_level
from accelerator_reports.files.sources import Source


@dataclass(frozen=True, slots=True)
class SourceEntry:
    """A source document in the list of a page.

    `number` is its position in the list, from 1. `anchor` is its id on the page, which stays the
    same if other sources are added or removed.
    """

    number: int
    anchor: str
    source: Source
    trust: str
    """The trust level of the source in words."""


class SourceList:
    """The numbered sources of a page.

    Source ids are unique only within a file. To find an entry, give the file's name and the id.
    """

    def __init__(
        self, files: Iterable[tuple[str, Mapping[str, Source]]], vendor: Iterable[str] = ()
    ) -> None:
        """Create the list from the sources of `files`.

        `files` has pairs of a file name and the file's sources by source id. `vendor` has the sites
        of the platform's vendor, such as `intel.com`. The trust level of a source can depend on
        whether the source is on a vendor's site.
        """
        self.entries: list[SourceEntry] = []
        self._entry_by_id: dict[tuple[str, str], SourceEntry] = {}
        vendor = frozenset(vendor)
        entry_by_document: dict[tuple[str, str, str], SourceEntry] = {}
        for file, sources in files:
            for name, source in sources.items():
                document = (source.address or "", source.package or "", source.title)
                if document not in entry_by_document:
                    anchor = f"source-{file.split('.')[0]}-{name}"
                    trust = TRUST_LEVELS[trust_level(source, vendor)]
                    entry_by_document[document] = SourceEntry(
                        len(self.entries) + 1, anchor, source, trust
                    )
                    self.entries.append(entry_by_document[document])
                self._entry_by_id[file, name] = entry_by_document[document]

    def entry(self, file: str, name: str) -> SourceEntry | None:
        """Return the entry of the source that has the id `name` in `file`, or None if unknown."""
        return self._entry_by_id.get((file, name))

    def cited(self, file: str, names: Iterable[str] | None) -> list[SourceEntry]:
        """Return the entries of the sources with the ids `names` in `file`, in the given order.

        Repeated documents and unknown ids are omitted.
        """
        entries = (self.entry(file, name) for name in names or ())
        return list(dict.fromkeys(entry for entry in entries if entry))
