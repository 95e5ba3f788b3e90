"""A Dask cluster on this machine, whose workers can be killed."""

from __future__ import annotations

import gc
import logging
import os
import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import dask
from distributed import LocalCluster

from tests.folders import REPOSITORY


@contextmanager
def dask_cluster(
    folder: Path, workers: int, variables: Mapping[str, str] | None = None
) -> Iterator[LocalCluster]:
    """Start a scheduler and workers, each of which runs one batch at a time."""
    gc.collect()  # a client that found no scheduler; closed while a cluster starts, it waits forever
    config = {
        "temporary-directory": str(folder / "dask"),
        "distributed.comm.timeouts.connect": "5s",  # what a worker tries after a lost scheduler
    }
    with (
        dask.config.set(config),
        LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address=":0",
            silence_logs=logging.CRITICAL,
            env={"PYTHONPATH": str(REPOSITORY), **(variables or {})},
        ) as cluster,
    ):
        yield cluster


def kill_worker(cluster: LocalCluster) -> int:
    """End the first worker without a word, as lack of memory does; its nanny starts another one."""
    pid = int(cluster.workers[0].pid)
    os.kill(pid, signal.SIGKILL)
    return pid


def hosts(cluster: LocalCluster) -> set[int]:
    """Return the processes for batches that the workers have started."""
    return {
        child
        for nanny in cluster.workers.values()
        if nanny.pid
        for file in Path(f"/proc/{nanny.pid}/task").glob("*/children")
        for child in map(int, file.read_text("utf-8").split())
        if b"batch_process" in Path(f"/proc/{child}/cmdline").read_bytes()
    }
