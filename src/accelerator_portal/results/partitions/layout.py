"""Where the files of the archive are: folders as Hive names them, so that every engine reads them.

    data/history/runs/results/accelerator=cpu/suite=op-db/month=2026-11/….parquet

`runs` or `baselines`, then `results` or `changes`; a value is percent-encoded as in an address.
"""

from __future__ import annotations

import datetime as dt
import re
from pathlib import Path
from typing import Literal, NamedTuple, cast, get_args
from urllib.parse import quote, unquote

from accelerator_portal.catalog.catalog import HISTORY as HISTORY  # noqa: PLC0414 - part of the layout, too
from accelerator_portal.results.standing import Basis

Table = Literal["results", "changes"]
"""`results`: what each report says of each test; `changes`: what it says anew."""

TABLES: tuple[Table, ...] = get_args(Table)
BASES: tuple[Basis, ...] = get_args(Basis)

_FOLDER = re.compile(
    rf"({'|'.join(BASES)})/({'|'.join(TABLES)})"
    r"/accelerator=([^/=]+)/suite=([^/=]+)/month=(\d{4}-\d{2})"
)


class Partition(NamedTuple):
    """The files of one suite of an accelerator and one month, in UTC."""

    basis: Basis
    table: Table
    accelerator: str
    suite: str
    month: str

    @property
    def folder(self) -> str:
        """Its folder below `data/history`."""
        accelerator, suite = quote(self.accelerator, ""), quote(self.suite, "")
        return (
            f"{self.basis}/{self.table}/accelerator={accelerator}/suite={suite}/month={self.month}"
        )


def partition_of(path: str) -> Partition | None:
    """Return the partition of a file, given by its path below `data/history`, if it is in one."""
    found = _FOLDER.fullmatch(path.rpartition("/")[0])
    if found is None:
        return None
    basis, table, accelerator, suite, month = found.groups()
    return Partition(
        cast("Basis", basis), cast("Table", table), unquote(accelerator), unquote(suite), month
    )


def table_folder(root: Path, basis: Basis, table: Table, accelerator: str) -> Path:
    """Return the folder that has all partitions of one accelerator."""
    return root / HISTORY / basis / table / f"accelerator={quote(accelerator, '')}"


def archived_accelerators(root: Path) -> list[str]:
    """Return the accelerators of which anything is kept."""
    history = root / HISTORY
    named = {
        path.parent.name
        for name in ("manifest.json", "runs.json", "baselines.json")
        for path in history.glob(f"*/{name}")
    }
    partitioned = {
        unquote(path.name.partition("=")[2])
        for path in history.glob("*/*/accelerator=*")
        if path.is_dir()
    }
    return sorted(named | partitioned)


def month_of(moment: dt.datetime) -> str:
    """Return the month of a moment in UTC: `2026-11`."""
    return f"{moment.astimezone(dt.timezone.utc):%Y-%m}"


def report_file_stem(started: dt.datetime, report: str) -> str:
    """Return how the name of a file starts that one report filled."""
    return f"{started.astimezone(dt.timezone.utc):%Y%m%dT%H%M%SZ}-{report}"


MONTH_FILE_STEM = "month"
"""How the name of a file starts that has several reports."""


def file_name(stem: str, digest: str) -> str:
    """Return the name of a file whose bytes have this SHA-256.

    The same content has the same name, other content never replaces it, and damage is seen without
    a manifest.
    """
    return f"{stem}-{digest[:16]}.parquet"
