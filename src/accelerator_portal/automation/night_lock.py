"""One night at a time for each repository and for each site."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout


class NightRunningError(Exception):
    """Another night runs; the message says where, and what to do."""


@contextmanager
def one_night(root: Path, out: Path) -> Iterator[None]:
    """Hold a repository and the place of its site; a killed night holds nothing any more.

    Raises NightRunningError, OSError.
    """
    locks = (root / ".cache/nightly.lock", out.with_name(f".{out.name}.lock"))
    with _held(locks[0], root), _held(locks[1], out):
        yield


@contextmanager
def _held(lock: Path, what: Path) -> Iterator[None]:
    lock.parent.mkdir(parents=True, exist_ok=True)
    held = FileLock(lock, timeout=0)
    try:
        held.acquire()
    except Timeout:
        where = what.absolute()
        words = f"{where}: another nightly job is running here. Wait until it ends"
        raise NightRunningError(words) from None
    try:
        yield
    finally:
        lock.unlink(missing_ok=True)  # before the release: another night may hold it right after
        held.release()
