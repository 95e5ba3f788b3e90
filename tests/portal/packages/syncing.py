"""A small repository whose packages are on an index on loopback."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path
from typing import Any

from accelerator_portal.catalog import load_catalog
from accelerator_portal.http import RequestLimits
from accelerator_portal.packages.sync import SyncOptions, SyncResult, sync
from tests.folders import INSTALL, edited
from tests.portal.packages.loopback import Index

PATIENCE = 60.0  # seconds, for what happens at once on a machine that does nothing else
FAST = RequestLimits(
    attempts=2, first_pause=0.01, longest_pause=0.01, timeout=PATIENCE, total_timeout=PATIENCE
)
DAY = dt.date(2026, 11, 21)

EXTRA = "https://example.org/simple"

# One package from the index that PyPI stands for, one from a vendor's own.
FILES = edited(
    (
        INSTALL,
        'packages: ["torch=={torch}"], index: "{index}"',
        f'packages: ["torch-example==1.0", "beside"], extra_index: "{EXTRA}"',
    )
)

X86 = "cp312-cp312-manylinux_2_28_x86_64"
ARM = "cp312-cp312-manylinux_2_28_aarch64"

PAGE = "/simple/torch-example/"
HTML = "text/html"

# What is to be kept of the release that the index of the tests has.
EXPECTED = {
    "version": "1.0",
    "date": "2026-01-02",
    "wheels": {"manylinux_2_28_aarch64": "cp312", "manylinux_2_28_x86_64": "cp312"},
    "requires": {
        "manylinux_2_28_aarch64": ["torch==1.9.1"],
        "manylinux_2_28_x86_64": ["torch==1.9.1+cpu"],
    },
}


def synced(root: Path, index: Index, day: dt.date = DAY, **options: Any) -> SyncResult:  # noqa: ANN401 - as Options has them
    """Sync the repository at `root` from the index alone; other hosts are not there."""
    catalog, _ = load_catalog(root)
    assert catalog is not None
    addresses = options.pop("addresses", {"pypi": index.url, EXTRA: "http://127.0.0.1:9/"})
    settings: dict[str, Any] = {"limits": FAST, **options}
    only = settings.pop("only", frozenset({"torch-example"}))
    return sync(root, catalog, SyncOptions(day=day, addresses=addresses, only=only, **settings))


def facts(root: Path, name: str = "torch-example") -> Any:  # noqa: ANN401 - any JSON
    """Return the file of a package, as JSON."""
    return json.loads((root / f"data/packages/{name}.json").read_text("utf-8"))


def releases(root: Path, name: str = "torch-example", index: str = "pypi") -> dict[str, Any]:
    """Return what a package's file says of an index, by version."""
    (found,) = (i for i in facts(root, name)["indexes"] if i["index"] == index)
    return {release["version"]: release for release in found["releases"]}


def asked(index: Index, word: str = "") -> list[str]:
    """Return what the index was asked for since the last time, of what has a word."""
    found = [path for path in index.asked if word in path]
    index.asked.clear()
    return found
