"""Reads and checks each vendor's folder in a child process with limits.

`python -m accelerator_portal.checks.folder_process ROOT DAY` prints a JSON object: the folders that
exceed the limits, each with the reason. The parent process has one thread, so that it can fork. It
reads the shared data once for all children.

Usually all folders together stay within the limits of one folder. Then one child process is enough.
"""

from __future__ import annotations

import datetime as dt
import json
import os
import pickle
import resource
import signal
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import TypeVar

from accelerator_portal.catalog import Catalog, load_catalog
from accelerator_portal.catalog.loader import load_platform
from accelerator_portal.checks import load_and_check, run_checks
from accelerator_portal.checks.folder_limits import MAX_BYTES, MAX_SECONDS
from accelerator_reports.files.folders import ACCELERATORS

T = TypeVar("T")

_EXCEPTION = 1
_NO_MEMORY = 3
_REASON_BY_EXIT_CODE = {
    0: None,
    _EXCEPTION: "exception",
    _NO_MEMORY: "memory",
    -signal.SIGABRT: "memory",
    -signal.SIGXCPU: "time",
    -signal.SIGKILL: "time",
}
# The wall-clock limit in seconds. Waiting for a disk takes no processor time, which the other limit
# measures. On a busy machine, ten seconds of processor time also take long.
_MAX_WAIT = MAX_SECONDS * 30
_PAGE_SIZE = resource.getpagesize()


def main(root: Path, today: dt.date) -> int:
    """Print a JSON object of the folders that exceed a limit, each with the reason.

    Returns the exit status: 0, or 1 if the shared data cannot be used.
    """
    shared, _ = load_catalog(root, lambda _: False)
    if shared is None:
        return 1
    reason_by_folder = {}
    if run_within_limits(partial(read_and_check_all, root, today)):
        for folder in sorted(entry.name for entry in (root / ACCELERATORS).iterdir()):
            reason = run_within_limits(partial(read_and_check, root, shared, folder, today))
            if reason not in {None, "exception"}:  # the next process reports the exception
                reason_by_folder[folder] = reason
    sys.stdout.write(json.dumps(reason_by_folder))
    return 0


def read_and_check_all(root: Path, today: dt.date) -> None:
    """Read all folders, run all rules, and ignore the problems."""
    load_and_check(root, today)


def read_and_check(root: Path, shared: Catalog, folder: str, today: dt.date) -> None:
    """Read one folder, run all rules on it and on the shared data, and ignore the problems.

    The caller measures only whether the process stays within the limits.
    """
    platform, _ = load_platform(root, folder)
    if platform is None:
        return
    for _ in run_checks(shared.with_platform(platform), today):
        pass


def result_within_limits(work: Callable[[], T]) -> T | None:
    """Return the result of `work`, done in a child process, or None if it exceeds a limit.

    The result is also None if `work` raises an exception. The process must have one thread.
    """
    with tempfile.TemporaryFile() as file:

        def store() -> None:
            pickle.dump(work(), file)
            file.flush()

        if run_within_limits(store):
            return None
        file.seek(0)
        result: T = pickle.load(file)  # noqa: S301 - of the process that this one started
    return result


def run_within_limits(work: Callable[[], None], wait: float = _MAX_WAIT) -> str | None:
    """Run `work` in a child process, and return which limit the process exceeds.

    Return `time`, `memory`, `hangs` (the process does not end within `wait` seconds), `exception`
    (`work` raises one, except MemoryError) or `crash`, or None if `work` ends within the limits.
    """
    child = get_context("fork").Process(target=_run_child, args=(work,))
    child.start()
    child.join(wait)
    if child.exitcode is None:
        child.kill()
        child.join()
        return "hangs"
    return _REASON_BY_EXIT_CODE.get(child.exitcode, "crash")


def _run_child(work: Callable[[], None]) -> None:
    try:
        resource.setrlimit(resource.RLIMIT_CPU, (MAX_SECONDS, MAX_SECONDS + 1))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        _limit_memory()
        work()
    except MemoryError:
        os._exit(_NO_MEMORY)
    except BaseException:  # noqa: BLE001 - the parent process learns of it by the exit code
        os._exit(_EXCEPTION)
    os._exit(0)


def _limit_memory() -> None:
    """Limit the memory of the child process to MAX_BYTES more than it has at the start."""
    try:
        current_bytes = int(Path("/proc/self/statm").read_text("ascii").split()[0]) * _PAGE_SIZE
    except OSError:  # macOS has no such file, and does not enforce the limit
        current_bytes = 0
    resource.setrlimit(resource.RLIMIT_AS, (current_bytes + MAX_BYTES, current_bytes + MAX_BYTES))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), dt.date.fromisoformat(sys.argv[2])))
