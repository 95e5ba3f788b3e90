"""Builds both copies by turns, each in a fresh process, and keeps what each of them used."""

from __future__ import annotations

import gzip
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

# By turns: what else runs on the machine then hits both alike.
SIDES = ("generated", "static")

Show = Callable[[str], None]


class MeasureError(RuntimeError):
    """A program that failed; the message ends with what it said."""


@dataclass(frozen=True, slots=True)
class Run:
    """One build: processor time of user and system, time on the clock, and peak memory."""

    cpu: float
    wall: float
    peak: int


@dataclass(slots=True)
class Sizes:
    """Bytes of what readers load; a pair is as it stands, and gzipped."""

    page: tuple[int, int]
    pages: int
    home: tuple[int, int]
    selector: tuple[int, int]
    part: tuple[int, int]


@dataclass(slots=True)
class Size:
    """Both copies for one number of platforms, and their runs by side."""

    count: int
    folder: Path
    runs: dict[str, list[Run]] = field(default_factory=lambda: {side: [] for side in SIDES})
    sizes: Sizes | None = None

    def median(self, side: str, name: str) -> float | None:
        """Return the median of a field over the runs of a side, None before the first."""
        values = [getattr(run, name) for run in self.runs[side]]
        return statistics.median(values) if values else None


def run_all(root: Path, sizes: list[Size], seed: str, repeat: int, show: Show) -> None:
    """Build every size `repeat` times on both sides; results appear in `sizes` as they come."""
    steps = [(n, size, side) for n in range(repeat) for size in sizes for side in SIDES]
    for place, (_, size, side) in enumerate(steps, 1):
        if not size.folder.exists():
            _prepare(root, size, seed, show)
        show(f"[{place}/{len(steps)}] {size.count} platforms, {side} … ")
        run = _build(size.folder / side)
        size.runs[side].append(run)
        show(f"{run.cpu:.1f} s of processor time, {run.wall:.1f} s\n")
        if side == "generated" and size.sizes is None:
            size.sizes = _sizes(size.folder / side / "site")


def _prepare(root: Path, size: Size, seed: str, show: Show) -> None:
    """Make both copies of one size."""
    show(f"making {size.count} synthetic platforms … ")
    folders = [str(size.folder / side) for side in SIDES]
    answer = _program("copies", str(root), *folders, str(size.count), seed)
    show(f"from accelerators/{answer['seed']}\n")


def _build(folder: Path) -> Run:
    start = time.perf_counter()
    used = _program("build", str(folder))
    return Run(used["cpu"], time.perf_counter() - start, used["peak"])


def _program(name: str, *arguments: str) -> dict[str, Any]:
    """Run a program of this folder from the folder above; return the JSON that it prints last."""
    command = [sys.executable, "-m", f"{__package__}.{name}", *arguments]
    place = Path(__file__).parent.parent
    done = subprocess.run(command, cwd=place, capture_output=True, text=True, check=False)
    if done.returncode:
        raise MeasureError(f"`{name}` failed:\n{done.stderr[-3000:]}")
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


def _sizes(site: Path) -> Sizes:
    pages = [*_files(site, "compute-platforms/*/index.html")]
    return Sizes(
        page=_mean(pages),
        pages=len(pages),
        home=_mean([site / "index.html"]),
        selector=_mean([site / "api/v1/selector.json"]),
        part=_mean([*_files(site, "api/v1/install/*.json")]),
    )


def _files(site: Path, pattern: str) -> Iterator[Path]:
    return (path for path in sorted(site.glob(pattern)) if path.is_file())


def _mean(paths: list[Path]) -> tuple[int, int]:
    """Return the mean size of files, as they stand and as a server would send them."""
    plain = zipped = 0
    for path in paths:
        data = path.read_bytes()
        plain += len(data)
        zipped += len(gzip.compress(data, 6))
    return plain // len(paths), zipped // len(paths)
