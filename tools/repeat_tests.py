"""Run the published commands of some tests of a report again, and say whether the outcomes agree.

    python -m tools.repeat_tests REPORT --bin FOLDER [--draw 20] [--seed TEXT] [--lock FILE …]

FOLDER has the command `accelerator-portal` of an environment that was made from the locks which
the report states. The nightly job calls it with the date as the seed, so that each night draws
other tests. It exits with 1 if an outcome differs, and with 2 if nothing could be repeated.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from accelerator_reports.outcomes import BAD, GOOD
from accelerator_reports.report import Report, TestEntry
from accelerator_reports.report_file import read_report
from accelerator_reports.report_views import repeat_command
from accelerator_reports.test_ids import identity_of

_COMMAND = "accelerator-portal"
_LIMIT_S = 900


def main(words: Sequence[str] | None = None) -> int:
    """Print one line for each drawn test; return the exit status."""
    parser = argparse.ArgumentParser(prog="repeat_tests")
    parser.add_argument("report", type=Path)
    parser.add_argument("--bin", type=Path, required=True)
    parser.add_argument("--draw", type=int, default=20)
    parser.add_argument("--seed", default="")
    parser.add_argument("--lock", type=Path, action="append", default=[])
    arguments = parser.parse_args(words)
    report = read_report(arguments.report)
    if problem := next(different_locks(report.environment.locks, arguments.lock), None):
        print(f"{arguments.report}: {problem}", file=sys.stderr)
        return 2
    different = total = 0
    for test, command in drawn_tests(report, arguments.draw, arguments.seed):
        outcome = outcome_of(command, arguments.bin)
        total += 1
        different += outcome != test.outcome
        sign = "same" if outcome == test.outcome else f"DIFFERENT, {outcome} now"
        print(f"{test.outcome}: {sign}: {command}", flush=True)
    print(f"{total - different} of {total} commands gave the outcome that the report states.")
    return 2 if not total else int(bool(different))


def drawn_tests(report: Report, number: int, seed: str) -> Iterator[tuple[TestEntry, str]]:
    """Yield at most `number` tests that passed or failed, with their commands, drawn with a seed.

    Tests that need a checkout, which a placeholder stands for, are left out.
    """
    commands = {suite.name: suite.command for suite in report.suites}
    repeatable = [
        (test, command)
        for test in report.tests
        if test.outcome in GOOD | BAD
        and (command := repeat_command(test, commands.get(test.suite)))
        and not any(word.isupper() for word in shlex.split(command))
    ]
    repeatable.sort(key=lambda pair: identity_of(pair[0]).key)
    yield from random.Random(seed).sample(repeatable, min(number, len(repeatable)))  # noqa: S311 - no secret


def different_locks(stated: Mapping[str, str], files: Iterable[Path]) -> Iterator[str]:
    """Yield what differs between the locks that a report states and the lock files."""
    found = {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}
    for name in sorted(found.keys() | stated.keys()):
        if found.get(name) != stated.get(name):
            yield f"{name}: the report was made with {stated.get(name) or 'no such lock'}"


def outcome_of(command: str, folder: Path) -> str:
    """Run a command of the harness with the program in `folder`; return the outcome of its test."""
    program, *words = shlex.split(command)
    if program != _COMMAND:
        raise ValueError(f"not a command of the harness: {command}")
    with tempfile.TemporaryDirectory() as place:
        out = Path(place, "report.json")
        done = subprocess.run(
            [folder / program, *words, "--out", out],
            capture_output=True,
            text=True,
            timeout=_LIMIT_S,
            check=False,
        )
        if not out.is_file():
            return f"no report ({(done.stderr.strip().splitlines() or ['no output'])[-1]})"
        (test,) = read_report(out).tests
        return test.outcome


if __name__ == "__main__":
    sys.exit(main())
