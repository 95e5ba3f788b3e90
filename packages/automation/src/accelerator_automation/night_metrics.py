"""Archives the metrics of nightly runs (durations, requests, outcomes) for the operations page."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from pydantic import ValidationError

from accelerator_automation.archive_store import Archive
from accelerator_portal.site.night_metrics import NightMetrics

FOLDER = "nights"

MOST_KEPT = 400
"""The number of nightly runs whose metrics are kept: more than a year, enough for a trend."""

_MOST_BYTES = 100_000


def archive_metrics(archive: Archive, metrics: NightMetrics) -> None:
    """Archive the metrics of a nightly run, and keep only the metrics of the newest MOST_KEPT runs.

    Raises ArchiveError.
    """
    text = metrics.model_dump_json(indent=1) + "\n"
    archive.write(f"{FOLDER}/{metrics.started:%Y-%m-%dT%H%M%SZ}.json", text.encode())
    archive.drop_oldest(FOLDER, MOST_KEPT)


def archived_metrics(archive: Archive) -> Iterator[NightMetrics]:
    """Yield the archived metrics of the nightly runs, oldest first. Raises ArchiveError.

    Objects that are damaged or too large are skipped.
    """
    for name in archive.names(FOLDER):
        data = archive.read(f"{FOLDER}/{name}")
        if data is not None and len(data) <= _MOST_BYTES:
            try:
                yield NightMetrics.model_validate_json(data)
            except ValidationError:
                continue


def write_nights(archive: Archive, file: Path) -> None:
    """Write the metrics of all archived runs to a JSON file. Raises ArchiveError, OSError.

    The file has one key, `nights`, with a list of NightMetrics, oldest first.
    """
    found = [night.model_dump(mode="json") for night in archived_metrics(archive)]
    file.write_text(json.dumps({"nights": found}), "utf-8")
