"""Folders that all tests of a run share: whichever worker comes first makes one."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """Return the run's folder `name`; where there is none yet, `make` is called with its path.

    Nobody may change what is in it. Source: "Making session-scoped fixtures execute only once",
    pytest-xdist's documentation.
    """
    base = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent  # each worker has a folder of its own, the run has the one above
    folder = base / name
    with FileLock(base / f"{name}.lock"):
        if not folder.exists():
            unfinished = base / f"{name}.unfinished"
            shutil.rmtree(unfinished, ignore_errors=True)
            make(unfinished)
            unfinished.rename(folder)
    return folder
