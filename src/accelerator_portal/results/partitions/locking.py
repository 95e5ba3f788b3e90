"""One command at a time writes the history of an accelerator."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from accelerator_portal.catalog import Problem, ProblemsError
from accelerator_portal.results.partitions.layout import HISTORY


@contextmanager
def locked(root: Path, accelerator: str) -> Iterator[None]:
    """Hold the history of an accelerator while it is written.

    Raises ProblemsError if another command holds it, OSError where no file can be made.
    """
    lock = root / HISTORY / accelerator / "history.lock"
    lock.parent.mkdir(parents=True, exist_ok=True)
    held = FileLock(lock, timeout=0)
    try:
        held.acquire()
    except Timeout:
        what = f'another command is writing the history of "{accelerator}"'
        remedy = "wait until it finishes, then run this command again"
        raise ProblemsError([Problem(f"{HISTORY}/{accelerator}", 1, what, remedy)]) from None
    try:
        yield
    finally:
        lock.unlink(missing_ok=True)  # before the release: another one may hold it right after
        held.release()
