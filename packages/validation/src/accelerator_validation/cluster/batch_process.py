"""Runs batches of tests for a thread of a Dask worker: `python -m … FILE_DESCRIPTOR`.

The process runs many batches, each test in a worker process.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from multiprocessing.connection import Connection

from accelerator_validation.case import Case, Result
from accelerator_validation.cluster.cluster_pool import Batch, BatchOutcome, Event
from accelerator_validation.pool import Pool, PoolError

# The process ends after this time without a batch: the sender may have been killed.
_IDLE_S = 900.0

_PARENT_CHECK_INTERVAL_S = 0.5


def _run_batch(batch: Batch) -> BatchOutcome:
    events: list[Event] = []

    def began(case: Case, attempt: int) -> None:
        events.append((case, attempt, None, False))

    def ended(case: Case, result: Result, final: bool) -> None:  # noqa: FBT001 - as Pool calls it
        events.append((case, result.attempts, result, final))

    pool = Pool(batch.job, workers=1, began=began, ended=ended, fresh=batch.fresh)
    try:
        pool.run(batch.cases)
    except PoolError as error:
        return BatchOutcome(tuple(events), fault=str(error))
    return BatchOutcome(tuple(events))


def _exit_with_parent(parent: int) -> None:
    """End this process when the Dask worker with the process id `parent` has ended."""
    while os.getppid() == parent:
        time.sleep(_PARENT_CHECK_INTERVAL_S)
    os._exit(1)


def main() -> None:
    """Run batches that a Dask worker sends, until it disconnects or sends none for a long time."""
    connection = Connection(int(sys.argv[1]))
    threading.Thread(target=_exit_with_parent, args=(os.getppid(),), daemon=True).start()
    try:
        while connection.poll(_IDLE_S):
            connection.send(_run_batch(connection.recv()))
    except (EOFError, BrokenPipeError, ConnectionResetError):
        pass  # the run or the Dask worker has ended


if __name__ == "__main__":
    main()
