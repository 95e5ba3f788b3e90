"""No test may fill the disk: within, no file of this process grows beyond a limit."""

from __future__ import annotations

import errno
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

LARGEST_GB = 4
"""A program of ExecuTorch that is larger is none for the devices that it is made for."""


@contextmanager
def limited_files(largest_gb: float = LARGEST_GB) -> Iterator[None]:
    """Limit each file, where the system can, and remove temporary files that are left afterwards.

    Raises OSError, with words that say why, where a file would have grown beyond the limit.
    """
    before = tempfile.tempdir
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, _limit(largest_gb):
        tempfile.tempdir = folder
        try:
            yield
        except OSError as error:
            if error.errno != errno.EFBIG:
                raise
            name = Path(str(error.filename)).name if error.filename else "A file"
            raise RuntimeError(f"{name} would be larger than {largest_gb:g} GB") from error
        finally:
            tempfile.tempdir = before


@contextmanager
def _limit(largest_gb: float) -> Iterator[None]:
    try:
        import resource
    except ImportError:  # not on Windows
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    wanted = int(largest_gb * 1e9)
    allowed = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    resource.setrlimit(resource.RLIMIT_FSIZE, (allowed, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
