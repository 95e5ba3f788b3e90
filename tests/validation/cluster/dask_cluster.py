"""A Dask cluster on loopback: a scheduler and workers, each a process of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.folders import REPOSITORY

_LIMIT_S = 120

NANNY = "--nanny"
"""As workers usually run: in a process of their own, which is started again when it ends."""


class DaskCluster:
    """A scheduler, and workers that are killed and added one by one."""

    def __init__(self, folder: Path, variables: Mapping[str, str], nanny: str) -> None:
        self._nanny = nanny
        self._file = folder / "scheduler.json"
        # Each worker writes into a folder of its own, under the test's.
        self._variables = {
            **os.environ,
            "PYTHONPATH": str(REPOSITORY),
            "DASK_TEMPORARY_DIRECTORY": str(folder / "dask"),
            **variables,
        }
        self._scheduler = self._started("dask_scheduler", "--port", "0")
        self.workers: list[subprocess.Popen[bytes]] = []

    @property
    def address(self) -> str:
        """Where the scheduler listens."""
        for _ in range(_LIMIT_S * 20):
            if self._file.exists() and (text := self._file.read_text("utf-8")).endswith("}"):
                return str(json.loads(text)["address"])
            time.sleep(0.05)
        pytest.fail("the scheduler of the test did not come up")

    def add_worker(self) -> None:
        """Start one more worker, which runs one batch at a time."""
        self.workers.append(self._started("dask_worker", self._nanny, "--nthreads", "1"))

    def kill_worker(self, index: int) -> None:
        """End a worker, and its nanny, as a machine that goes down does: without a word."""
        children = _children(self.workers[index].pid) if self._nanny == NANNY else ()
        self.workers[index].kill()
        for child in children:
            os.kill(child, signal.SIGKILL)
        self.workers[index].wait(_LIMIT_S)

    def kill_scheduler(self) -> None:
        """End the scheduler; the workers stay for a while."""
        self._scheduler.kill()
        self._scheduler.wait(_LIMIT_S)

    def hosts(self) -> set[int]:
        """Return the processes for batches that the workers have started."""
        return {child for worker in self.workers for child in _children(worker.pid)}

    def close(self) -> None:
        """End whatever is left."""
        for process in [*self.workers, self._scheduler]:
            process.kill()
            process.wait(_LIMIT_S)

    def _started(self, program: str, *options: str) -> subprocess.Popen[bytes]:
        words = ["--host", "127.0.0.1", "--no-dashboard", "--scheduler-file", str(self._file)]
        return subprocess.Popen(
            [sys.executable, "-m", f"distributed.cli.{program}", *words, *options],
            env=self._variables,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )


def _children(pid: int) -> set[int]:
    files = Path(f"/proc/{pid}/task").glob("*/children")
    return {int(child) for file in files for child in file.read_text("utf-8").split()}


@contextmanager
def dask_cluster(
    folder: Path,
    workers: int,
    variables: Mapping[str, str] | None = None,
    nanny: str = "--no-nanny",
) -> Iterator[DaskCluster]:
    """Start a cluster, and end all of it at the end."""
    cluster = DaskCluster(folder, variables or {}, nanny)
    try:
        cluster.address  # noqa: B018 - a worker reads the scheduler's file
        for _ in range(workers):
            cluster.add_worker()
        yield cluster
    finally:
        cluster.close()
