"""Compare commands with programs that do only the necessary work: `python -m benchmarks.commands`.

`--help` is compared with a program that only imports click, `check` with one that only loads and
checks the same repository. They run alternately, each in its own process. Processor time is
measured.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from benchmarks.measure import run_measured

ROOT = Path(__file__).parent.parent

_MAIN = "from accelerator_reports.cli import main; main()"
_CHECK = """
from pathlib import Path
from accelerator_reports.files.clock import today
from accelerator_portal.checks import load_and_check
load_and_check(Path("."), today())
"""
PAIRS = {
    "--help beside `import click`": ((_MAIN, "--help"), ("import click",), 2.0),
    "check beside loading and checking": ((_MAIN, "check"), (_CHECK,), 1.5),
}
"""The measurements by name: the command, the program to compare it with, and the largest ratio."""


def main() -> int:
    """Print the medians and the ratio of each pair; return 1 if a ratio is too large."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.commands", description=__doc__)
    parser.add_argument("--repeat", type=int, default=7, metavar="N", help="runs of each (7)")
    parser.add_argument("--root", type=Path, default=ROOT, help="what is checked (the portal)")
    arguments = parser.parse_args()
    missed = False
    for name, (command, beside, aim) in PAIRS.items():
        run = partial(_seconds, arguments.root)
        ours, theirs = _medians(partial(run, command), partial(run, beside), arguments.repeat)
        ratio = ours / theirs
        missed = missed or ratio > aim
        print(f"{name}: {ours:.3f} s and {theirs:.3f} s, ratio {ratio:.2f} (aim {aim})")
    return int(missed)


def _medians(
    first: Callable[[], float], second: Callable[[], float], repeat: int
) -> tuple[float, float]:
    """Return the medians of the processor times; the first run only fills the caches."""
    pairs = [(first(), second()) for _ in range(repeat + 1)][1:]
    ours, theirs = zip(*pairs, strict=True)
    return statistics.median(ours), statistics.median(theirs)


def _seconds(root: Path, program: Sequence[str]) -> float:
    used = run_measured([sys.executable, "-c", *program], root)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    sys.exit(main())
