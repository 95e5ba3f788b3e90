"""What main forgets and the archive keeps: older runs, and what package indexes said before."""

from __future__ import annotations

import datetime as dt
import hashlib
from collections.abc import Iterable
from pathlib import Path

from accelerator_portal.automation.archive_store import (
    Archive,
    DamagedObjectError,
    packed,
    unpacked,
)
from accelerator_portal.reports.report import Report
from accelerator_portal.reports.store import StoredReport

MOST_RUNS = 60
"""Of one name; the history keeps what older ones said of each test."""

MOST_FACTS = 120
"""Of one package: each is a day on which something was new."""

_PACKAGES = "data/packages"
_MOST_BYTES = 64 * 1024 * 1024


def archive_runs(
    archive: Archive, reports: Iterable[StoredReport], root: Path, most: int = MOST_RUNS
) -> int:
    """Keep the runs among reports, log tails included, and return how many are new.

    The name is the moment at which a run started, or, where it does not say, its content. Of a
    report's name the newest `most` stay. Raises ArchiveError, OSError.
    """
    new = 0
    for stored in reports:
        if stored.report.kind == "baseline":
            continue  # what is expected is kept in the history
        folder = f"runs/{stored.report.accelerator}/{Path(stored.path).stem}"
        text = (root / stored.path).read_bytes()
        path, data = f"{folder}/{_moment(stored.report, text)}.json.gz", packed(text)
        if archive.read(path) != data:
            archive.write(path, data)
            _drop_oldest(archive, folder, most)
            new += 1
    return new


def _moment(report: Report, text: bytes) -> str:
    if report.started is None:
        return f"0-{hashlib.sha256(text).hexdigest()[:12]}"
    return f"{report.started.astimezone(dt.timezone.utc):%Y%m%dT%H%M%SZ}"


def archive_facts(archive: Archive, root: Path, today: dt.date) -> int:
    """Keep the facts of packages that differ from the last ones, and return how many do.

    Raises ArchiveError, OSError.
    """
    new = 0
    for file in sorted((root / _PACKAGES).glob("*.json")):
        folder, text = f"packages/{file.stem}", file.read_bytes()
        names = archive.names(folder)
        last = archive.read(f"{folder}/{names[-1]}") if names else None
        if last is not None and _holds(last, text):
            continue
        archive.write(f"{folder}/{today.isoformat()}.json.gz", packed(text))
        _drop_oldest(archive, folder, MOST_FACTS)
        new += 1
    return new


def _holds(data: bytes, text: bytes) -> bool:
    try:
        return unpacked(data, _MOST_BYTES) == text
    except DamagedObjectError:  # it is written again
        return False


def _drop_oldest(archive: Archive, folder: str, most: int) -> None:
    for name in archive.names(folder)[:-most]:
        archive.remove(f"{folder}/{name}")
