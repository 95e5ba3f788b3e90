"""Lists backends under observation and other runtimes, which are not platforms here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from accelerator_portal.catalog import Catalog
from accelerator_portal.catalog.sources import Sourced, sources_by_id
from accelerator_portal.site.source_list import SourceList

_FILE = "other-backends.yaml"


def observed_backends(catalog: Catalog) -> dict[str, Any]:
    """Return the backends without a folder, and the sources that they name."""
    others = catalog.other_backends
    entries = others.observed if others else ()
    return {"observed": entries, "sources": _sources(catalog, entries)}


def other_runtimes(catalog: Catalog) -> dict[str, Any]:
    """Return what runs models without being a torch device, and the sources that it names."""
    others = catalog.other_backends
    entries = others.runtimes if others else ()
    return {"runtimes": entries, "sources": _sources(catalog, entries)}


def _sources(catalog: Catalog, entries: Sequence[Sourced]) -> SourceList:
    """Only what these entries cite: the file serves two pages."""
    others = catalog.other_backends
    cited = {name for entry in entries for name in entry.source}
    return SourceList([(_FILE, sources_by_id(others.sources, cited) if others else {})])
