"""Archives the metrics of each night for the page of operations."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from pydantic import ValidationError

from accelerator_portal.automation.archive_store import Archive
from accelerator_portal.site.operations import NightMetrics

FOLDER = "nights"

MOST_KEPT = 400
"""Older nights are removed: more than a year is enough for a trend."""

_MOST_BYTES = 100_000


def keep_metrics(archive: Archive, metrics: NightMetrics) -> None:
    """Add the metrics of a night to the archive. Raises ArchiveError."""
    text = json.dumps(metrics.model_dump(mode="json"), indent=1) + "\n"
    archive.write(f"{FOLDER}/{metrics.started:%Y-%m-%dT%H%M%SZ}.json", text.encode())
    for name in archive.names(FOLDER)[:-MOST_KEPT]:
        archive.remove(f"{FOLDER}/{name}")


def kept_metrics(archive: Archive) -> Iterator[NightMetrics]:
    """Yield the metrics of the nights that the archive keeps, oldest first. Raises ArchiveError.

    A damaged object is left out: it is one night of a trend.
    """
    for name in archive.names(FOLDER):
        data = archive.read(f"{FOLDER}/{name}")
        if data is not None and len(data) <= _MOST_BYTES:
            try:
                yield NightMetrics.model_validate_json(data)
            except ValidationError:
                continue


def write_nights(archive: Archive, file: Path) -> None:
    """Write the metrics of all nights to a file, for the build. Raises ArchiveError, OSError."""
    found = [night.model_dump(mode="json") for night in kept_metrics(archive)]
    file.write_text(json.dumps({"nights": found}), "utf-8")
