"""One run at a time writes a report and its journal."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from accelerator_portal.validation.request import Request, RunError


@contextmanager
def locked(request: Request) -> Iterator[None]:
    """Hold the report of a request for the time of a run; raises RunError if another one has it."""
    lock = lock_of(request)
    try:
        request.out.parent.mkdir(parents=True, exist_ok=True)
        held = FileLock(lock, timeout=0)
        held.acquire()
    except Timeout:
        raise RunError(
            f"another run is writing {request.out}. Wait until it ends, or name another file "
            "with --out"
        ) from None
    except OSError as error:
        raise RunError(f"{request.out} cannot be written: {error.strerror}") from None
    try:
        yield
    finally:
        lock.unlink(missing_ok=True)  # before the release: another run may hold it right after
        held.release()


def lock_of(request: Request) -> Path:
    """Return the lock file of a run, which lies next to its report."""
    return request.out.with_name(f"{request.out.stem}.lock")
