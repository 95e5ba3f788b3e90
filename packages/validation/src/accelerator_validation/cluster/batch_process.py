"""Runs batches of tests on a cluster's machine, in a host process that a Dask worker starts.

A Dask worker may not start processes through `multiprocessing`, and a crashing test must not end
the Dask worker. So each Dask worker runs this module, `python -m … FILE_DESCRIPTOR`, as a separate
process. That host process runs many batches, each test in a worker process.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from multiprocessing.connection import Connection

from accelerator_validation.case import Case, Result
from accelerator_validation.cluster.batch import Batch, BatchOutcome, CaseEvent
from accelerator_validation.pool import Pool, PoolError

# The process ends after this time without a batch: the sender may have been killed.
_IDLE_S = 900.0

_PARENT_CHECK_INTERVAL_S = 0.5


def run_batch_in_pool(batch: Batch) -> BatchOutcome:
    """Run the tests of a batch one by one in worker processes, and return the batch's outcome."""
    events: list[CaseEvent] = []

    def began(case: Case, attempt: int) -> None:
        events.append(CaseEvent(case, attempt))

    def ended(case: Case, result: Result, final: bool) -> None:  # noqa: FBT001 - as Pool calls it
        events.append(CaseEvent(case, result.attempts, result, final))

    pool = Pool(batch.job, workers=1, began=began, ended=ended, fresh=batch.fresh)
    try:
        pool.run(batch.cases)
    except PoolError as error:
        return BatchOutcome(tuple(events), fault=str(error))
    return BatchOutcome(tuple(events))


def _exit_with_parent(parent: int) -> None:
    """Wait until the Dask worker that started this process has ended. Then end this process.

    `parent` is the process id of the Dask worker.
    """
    while os.getppid() == parent:
        time.sleep(_PARENT_CHECK_INTERVAL_S)
    os._exit(1)


def main() -> None:
    """Run batches that a Dask worker sends, until it disconnects or sends none for a long time."""
    connection = Connection(int(sys.argv[1]))
    threading.Thread(target=_exit_with_parent, args=(os.getppid(),), daemon=True).start()
    try:
        while connection.poll(_IDLE_S):
            connection.send(run_batch_in_pool(connection.recv()))
    except (EOFError, BrokenPipeError, ConnectionResetError):
        pass  # the run or the Dask worker has ended


if __name__ == "__main__":
    main()
