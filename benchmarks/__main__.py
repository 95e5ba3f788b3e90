"""Compare the portal's build with a plain MkDocs build of the same pages: `python -m benchmarks`.

The platforms are synthetic: copies of one real vendor folder under other names, in a temporary
copy of the repository. Each build runs in a new process, alternately with its counterpart.
"""

from __future__ import annotations

import argparse
import signal
import sys
import tempfile
from pathlib import Path

from benchmarks.build_tables import build_tables
from benchmarks.measure import MeasureError, Size, run_all

ROOT = Path(__file__).parent.parent


def main() -> int:
    """Measure the sizes that the arguments select; print the tables, also after an interruption.

    Returns 130 after an interruption, and 1 if a build failed.
    """
    arguments = _arguments()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that SIGTERM cleans up, too
    with tempfile.TemporaryDirectory(prefix="portal-benchmarks-") as folder:
        counts = sorted({arguments.pages, *arguments.growth})
        sizes = [Size(count, Path(folder, str(count))) for count in counts]
        status = _measure(sizes, arguments)
        print(build_tables(sizes, arguments.pages))
    return status


def _measure(sizes: list[Size], arguments: argparse.Namespace) -> int:
    try:
        run_all(ROOT, sizes, arguments.seed, arguments.repeat, _show)
    except KeyboardInterrupt:
        _show("\nInterrupted; this is what was measured so far.\n")
        return 130
    except MeasureError as error:
        _show(f"\n{error}\n")
        return 1
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes, one run: a minute")
    parser.add_argument("--pages", type=_count, metavar="N", help="platforms to compare at (500)")
    parser.add_argument(
        "--growth", type=_counts, metavar="N,N", help="platforms to see growth at (10,100,1000)"
    )
    parser.add_argument("--repeat", type=_count, metavar="N", help="runs of each build (3)")
    parser.add_argument(
        "--seed", default="", metavar="ID", help="the vendor folder to repeat (the first plugin)"
    )
    arguments = parser.parse_args()
    pages, growth, repeat = (60, [10, 30], 1) if arguments.quick else (500, [10, 100, 1000], 3)
    arguments.pages = arguments.pages or pages
    arguments.growth = growth if arguments.growth is None else arguments.growth
    arguments.repeat = arguments.repeat or repeat
    return arguments


def _count(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("give a number from 1")
    return number


def _counts(text: str) -> list[int]:
    return [_count(part) for part in text.split(",") if part]


def _show(text: str) -> None:
    """Write progress to standard error, apart from the tables."""
    sys.stderr.write(text)
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main())
