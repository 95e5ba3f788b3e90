"""Builds two copies of the portal alternately, each in a new process, and measures the builds."""

from __future__ import annotations

import gzip
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

# They are built alternately, so that other load on the machine affects both alike.
SIDES = ("generated", "static")

Show = Callable[[str], None]


class MeasureError(RuntimeError):
    """Raised if a program failed; the message ends with its error output."""


@dataclass(frozen=True, slots=True)
class Run:
    """One build: processor time and elapsed time in seconds, and peak memory in bytes."""

    cpu: float
    wall: float
    peak: int


@dataclass(slots=True)
class Sizes:
    """The sizes of files that readers load, each in bytes: plain and gzipped.

    `page` is the mean of the platforms' pages, `pages` their number, and `part` the mean of the
    platforms' data for the selector.
    """

    page: tuple[int, int]
    pages: int
    home: tuple[int, int]
    selector: tuple[int, int]
    part: tuple[int, int]


@dataclass(slots=True)
class Size:
    """The measurements for one number of platforms, `count`.

    `folder` has a copy of the portal for each of `SIDES`. `runs` has the builds of each side.
    `sizes` is None before the first build of the side `generated`.
    """

    count: int
    folder: Path
    runs: dict[str, list[Run]] = field(default_factory=lambda: {side: [] for side in SIDES})
    sizes: Sizes | None = None

    def median(self, side: str, name: str) -> float | None:
        """Return the median of the field `name` of a side's runs, or None without runs."""
        values = [getattr(run, name) for run in self.runs[side]]
        return statistics.median(values) if values else None


def run_all(root: Path, sizes: list[Size], seed: str, repeat: int, show: Show) -> None:
    """Build every size `repeat` times on both sides, and add each result to `sizes`.

    `show` is called with texts about the progress. Raises MeasureError.
    """
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
    """Create the copies of the portal for all `SIDES`."""
    show(f"making {size.count} synthetic platforms … ")
    folders = [str(size.folder / side) for side in SIDES]
    answer = _program("copies", str(root), *folders, str(size.count), seed)
    show(f"from accelerators/{answer['seed']}\n")


def _build(folder: Path) -> Run:
    start = time.perf_counter()
    used = _program("build", str(folder))
    return Run(used["cpu"], time.perf_counter() - start, used["peak"])


def _program(name: str, *arguments: str) -> dict[str, Any]:
    """Run a program of this folder; return the JSON in its last line. Raises MeasureError."""
    command = [sys.executable, "-m", f"{__package__}.{name}", *arguments]
    place = Path(__file__).parent.parent
    done = subprocess.run(command, cwd=place, capture_output=True, text=True, check=False)
    if done.returncode:
        raise MeasureError(f"`{name}` failed:\n{done.stderr[-3000:]}")
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


def run_measured(
    command: list[str], folder: Path, variables: Mapping[str, str] | None = None
) -> resource.struct_rusage:
    """Run a command in a folder, and return the resources that it used.

    `variables` are additional environment variables. Raises MeasureError with the end of the
    command's output if it fails.
    """
    with tempfile.TemporaryFile() as output:
        environment = {**os.environ, **(variables or {})}
        process = subprocess.Popen(
            command, cwd=folder, stdout=output, stderr=subprocess.STDOUT, env=environment
        )
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            output.seek(0)
            raise MeasureError(output.read().decode("utf-8", "replace")[-2000:])
    return used


def peak_memory(used: resource.struct_rusage) -> int:
    """Return the peak memory of a process in bytes; macOS states it in bytes, Linux in KiB."""
    return used.ru_maxrss if sys.platform == "darwin" else used.ru_maxrss * 1024


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
    """Return the mean size of files in bytes: plain, and gzipped as a server sends them."""
    plain = zipped = 0
    for path in paths:
        data = path.read_bytes()
        plain += len(data)
        zipped += len(gzip.compress(data, 6))
    return plain // len(paths), zipped // len(paths)
