"""Compare the portal's build with plain MkDocs on the same pages: `python -m benchmarks.build`.

The platforms are copies of one real vendor folder with its test results, under other names, in a
temporary copy of the repository. Plain MkDocs builds the finished pages from Markdown files. Each
build runs in a new process, alternately with its counterpart.
"""

from __future__ import annotations

import argparse
import gzip
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
SIDES = ("portal", "mkdocs")


@dataclass(frozen=True, slots=True)
class Build:
    """One build: processor time and elapsed time in seconds, and peak memory in bytes."""

    cpu: float
    clock: float
    peak: int


def main() -> None:
    """Print two lines for each number of platforms. Raises SystemExit if a build fails."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.build", description=__doc__)
    parser.add_argument("--platforms", type=int, nargs="+", default=[10, 100, 500])
    parser.add_argument("--repeat", type=int, default=3, help="builds of each (3)")
    parser.add_argument("--seed", default="", metavar="ID", help="the folder to copy (a plugin)")
    parser.add_argument("--no-results", action="store_true", help="copy no test results")
    arguments = parser.parse_args()
    for count in arguments.platforms:
        with tempfile.TemporaryDirectory(prefix="portal-benchmarks-") as name:
            folders = [Path(name, side) for side in SIDES]
            copies = ["-m", "benchmarks.copies", str(ROOT), *map(str, folders), str(count)]
            copies += [f"--seed={arguments.seed}", *["--no-results"] * arguments.no_results]
            run_measured([sys.executable, *copies], ROOT)
            _compare(count, folders, arguments.repeat)


def _compare(count: int, folders: list[Path], repeat: int) -> None:
    pairs = [[_build(folder) for folder in folders] for _ in range(repeat)]
    portal, plain = zip(*pairs, strict=True)
    words = [
        f"{name} {ours:.1f} and {theirs:.1f} {unit}, ratio {ours / theirs:.2f}"
        for name, unit, ours, theirs in (
            ("processor time", "s", _median(b.cpu for b in portal), _median(b.cpu for b in plain)),
            ("clock", "s", _median(b.clock for b in portal), _median(b.clock for b in plain)),
            ("memory", "MB", max(b.peak for b in portal) / 1e6, max(b.peak for b in plain) / 1e6),
        )
    ]
    print(f"platforms: {count}; portal and plain MkDocs: {'; '.join(words)}")
    site = folders[0] / "site"
    whole = sum(file.stat().st_size for file in site.rglob("*") if file.is_file())
    sizes = [
        f"{name} {_mean_size(site.glob(pattern))}"
        for name, pattern in (
            ("a platform’s page", "compute-platforms/*/index.html"),
            ("home", "index.html"),
            ("selector’s data", "api/v1/selector.json"),
            ("of one platform", "api/v1/install/*.json"),
        )
    ]
    print(f"  site {whole / 1e6:.1f} MB; {', '.join(sizes)}", flush=True)


def _build(folder: Path) -> Build:
    start = time.perf_counter()
    cpu, peak = run_measured([sys.executable, "-m", "mkdocs", "build", "--quiet"], folder)
    return Build(cpu, time.perf_counter() - start, peak)


def run_measured(command: list[str], folder: Path) -> tuple[float, int]:
    """Run a command; return its processor time in seconds and its peak memory in bytes.

    Raises SystemExit with the end of its output if it fails.
    """
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(command, cwd=folder, stdout=output, stderr=subprocess.STDOUT)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            output.seek(0)
            raise SystemExit(f"{' '.join(command)} failed:\n{output.read()[-3000:].decode()}")
    peak = used.ru_maxrss * (1 if sys.platform == "darwin" else 1024)  # elsewhere it is in KiB
    return used.ru_utime + used.ru_stime, peak


def _median(values: Iterable[float]) -> float:
    return statistics.median(values)


def _mean_size(paths: Iterable[Path]) -> str:
    """Return the mean size of files, as they are and in brackets gzipped as a server sends them."""
    pairs = [(len(data), len(gzip.compress(data, 6))) for p in paths for data in [p.read_bytes()]]
    plain, zipped = (sum(sizes) / len(sizes) / 1000 for sizes in zip(*pairs, strict=True))
    return f"{plain:.1f} ({zipped:.1f}) kB"


if __name__ == "__main__":
    main()
