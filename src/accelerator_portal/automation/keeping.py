"""What main forgets and the archive keeps: older runs, and what package indexes said before."""

from __future__ import annotations

import datetime as dt
import hashlib
from pathlib import Path

from accelerator_portal.automation.archive_store import Archive, packed, unpacked

MOST_RUNS = 60
"""Of one feed; the history keeps what older ones said of each test."""

MOST_FACTS = 120
"""Of one package: each is a day on which something was new."""

_PACKAGES = "data/packages"
_MOST_BYTES = 64 * 1024 * 1024


def keep_run(
    archive: Archive, accelerator: str, feed: str, started: dt.datetime | None, text: bytes
) -> None:
    """Keep a report with its log tails, and drop the oldest. Raises ArchiveError.

    The name is the moment at which the run started, or, where it does not say, its content.
    """
    folder = f"runs/{accelerator}/{feed}"
    moment = started.astimezone(dt.UTC) if started else None
    name = f"{moment:%Y%m%dT%H%M%SZ}" if moment else f"0-{hashlib.sha256(text).hexdigest()[:12]}"
    archive.write(f"{folder}/{name}.json.gz", packed(text))
    _drop_oldest(archive, folder, MOST_RUNS)


def keep_facts(archive: Archive, root: Path, today: dt.date) -> int:
    """Keep the facts of packages that differ from the last ones, and return how many do.

    Raises ArchiveError, OSError.
    """
    new = 0
    for file in sorted((root / _PACKAGES).glob("*.json")):
        folder, text = f"packages/{file.stem}", file.read_bytes()
        names = archive.names(folder)
        last = archive.read(f"{folder}/{names[-1]}") if names else None
        if last is not None and unpacked(last, _MOST_BYTES) == text:
            continue
        archive.write(f"{folder}/{today.isoformat()}.json.gz", packed(text))
        _drop_oldest(archive, folder, MOST_FACTS)
        new += 1
    return new


def _drop_oldest(archive: Archive, folder: str, most: int) -> None:
    for name in archive.names(folder)[:-most]:
        archive.remove(f"{folder}/{name}")
