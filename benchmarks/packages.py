"""Measure syncing package facts with an index on loopback: `python -m benchmarks.packages`.

Fifty made-up packages have forty releases each. They are synced for the first time, without news,
without news and cache, and with a new release of one package. The lower limit is also measured: the
page of each package is requested with httpx and not parsed.
"""

from __future__ import annotations

import argparse
import asyncio
import datetime as dt
import shutil
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import httpx

from accelerator_portal.http.limits import RequestLimits
from accelerator_portal.packages.index_page import ACCEPT
from accelerator_portal.packages.portal_packages import PortalPackage
from accelerator_portal.packages.sync import SyncOptions, sync_packages
from benchmarks.copies import catalog_of
from tests.portal.packages.loopback import Index, served

ROOT = Path(__file__).parent.parent
TAGS = ("cp312-cp312-manylinux_2_28_x86_64", "cp312-cp312-manylinux_2_28_aarch64")
DAY = dt.date(2026, 1, 1)


def main() -> None:
    """Print one line for each run."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.packages", description=__doc__)
    parser.add_argument("--packages", type=int, default=50, help="packages (50)")
    parser.add_argument("--releases", type=int, default=40, help="releases of each (40)")
    parser.add_argument("--ranges", action="store_true", help="an index without metadata files")
    arguments = parser.parse_args()
    names = [f"torch-made-up-{number:03}" for number in range(arguments.packages)]
    index = Index()
    for name in names:
        for number in range(arguments.releases):
            _add(index, name, number, own_metadata=not arguments.ranges)
    with tempfile.TemporaryDirectory(prefix="portal-benchmarks-") as folder, served(index):
        _measure(Path(folder), index, names, arguments.releases)


def _measure(root: Path, index: Index, names: Sequence[str], releases: int) -> None:
    shutil.copytree(ROOT / "data", root / "data", ignore=shutil.ignore_patterns("packages*"))
    (root / "accelerators").mkdir()
    files = sum(len(found) for found in index.projects.values())
    print(f"{len(names)} made-up packages, {releases} releases each, {files:,} wheels")
    _show("pages alone, asked and thrown away", lambda: asyncio.run(_floor(index, names)))
    _show("cold", lambda: _sync(root, index, names))
    _show("nothing new", lambda: _sync(root, index, names))
    shutil.rmtree(root / ".cache")
    _show("nothing new, without the cache", lambda: _sync(root, index, names))
    _add(index, names[0], releases, own_metadata=True)
    _show(f"one package of {len(names)} changed", lambda: _sync(root, index, names))


def _sync(root: Path, index: Index, names: Sequence[str]) -> tuple[int, int, int]:
    """Return the numbers of requests, of bytes received, and of files written."""
    catalog = replace(catalog_of(root), platforms=())
    wanted = tuple(PortalPackage(name, ("pypi",), own=True) for name in names)
    options = SyncOptions(DAY, addresses={"pypi": index.url})
    done = sync_packages(root, catalog, wanted, options)
    written = sum(package.written for package in done.packages)
    return done.traffic.requests, done.traffic.bytes, written


async def _floor(index: Index, names: Sequence[str]) -> tuple[int, int, int]:
    turns = asyncio.Semaphore(RequestLimits().concurrent_per_host)
    headers: Mapping[str, str] = {"accept": ACCEPT}

    async def one(client: httpx.AsyncClient, name: str) -> int:
        async with turns:
            return len((await client.get(f"{index.url}{name}/", headers=headers)).content)

    async with httpx.AsyncClient() as client:
        sizes = await asyncio.gather(*(one(client, name) for name in names))
    return len(sizes), sum(sizes), 0


def _add(index: Index, name: str, number: int, *, own_metadata: bool) -> None:
    needs = [f"torch==2.{number}.0"]
    index.add(name, f"2.{number}.0", *TAGS, requires=needs, own_metadata=own_metadata)


def _show(what: str, run: Callable[[], tuple[int, int, int]]) -> None:
    start, used = time.perf_counter(), time.process_time()
    requests, size, written = run()
    clock, busy = time.perf_counter() - start, time.process_time() - used
    print(
        f"{what}: {clock:.1f} s, {busy:.1f} s of processor time, {requests:,} requests, "
        f"{size / 1e6:.2f} MB, {written} files written"
    )


if __name__ == "__main__":
    main()
