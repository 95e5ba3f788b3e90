"""Runs tests on the machines of a Dask cluster.

Dask decides which machine runs which batch, and runs the batch of a lost machine on another one. If
a batch is lost on several machines, Dask gives up. The tests of this batch then run one by one.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any

from accelerator_validation.case import Case, Result, short_message
from accelerator_validation.cluster.batch import Batch, BatchOutcome, HostDiedError, batches
from accelerator_validation.cluster.remote_functions import end_run, run_batch
from accelerator_validation.pool import EndCallback, PoolError
from accelerator_validation.worker import Job

if TYPE_CHECKING:
    from distributed import Client, Future

# How long a run waits for a new worker after the last one is gone: Dask's nannies start new ones.
WAIT_FOR_WORKERS_S = 60.0

_CHECK_INTERVAL_S = 1.0

RemoteBeginCallback = Callable[[Case, int, str], None]
"""Called for each attempt at a test, after the test's batch has ended. The arguments are the test,
the number of the attempt and the machine."""


# States of a batch that was done, but whose worker was lost before the outcome had been read.
_LOST_STATES = frozenset({"lost", "pending"})


class ClusterPool:
    """Runs tests on a cluster, and calls `began` and `ended` for each attempt at a test.

    The calls are made when the whole batch of the test has ended.
    """

    def __init__(  # noqa: PLR0913 - what a pool needs, and the cluster
        self,
        client: Client,
        run: str,
        job: Job,
        *,
        began: RemoteBeginCallback,
        ended: EndCallback,
        fresh: bool = False,
        environment: Mapping[str, Any] | None = None,
    ) -> None:
        self._client, self._run_id, self._job = client, run, job
        self._began, self._ended = began, ended
        self._fresh, self._environment = fresh, environment
        self._pending: dict[Future[BatchOutcome], Batch] = {}
        self._done: SimpleQueue[Future[BatchOutcome]] = SimpleQueue()
        self._suspects: list[Case] = []
        self._no_workers_since: float | None = None

    def run(self, cases: Iterable[Case]) -> None:
        """Run all tests.

        Raises PoolError if the cluster cannot be used, KeyboardInterrupt if the run is interrupted.
        """
        try:
            slots = sum(self._client.nthreads().values())
            for batch in batches(self._run_id, self._job, cases, slots):
                self._submit(batch)
            self._wait_for_batches()
            # One at a time, so that it is clear which one ends a machine.
            for case in self._suspects:
                self._submit(next(batches(self._run_id, self._job, [case], 1)))
                self._wait_for_batches()
        except OSError as error:
            raise self._cluster_lost_error(str(error)) from None
        finally:
            self._cancel_batches()

    def _submit(self, batch: Batch) -> None:
        batch = replace(batch, fresh=self._fresh, environment=self._environment)
        future = self._client.submit(run_batch, batch, pure=False)
        self._pending[future] = batch
        future.add_done_callback(self._done.put)

    def _wait_for_batches(self) -> None:
        """Handle finished batches until none is pending."""
        while self._pending:
            try:
                future = self._done.get(timeout=_CHECK_INTERVAL_S)
            except Empty:
                self._check_cluster()
                continue
            if batch := self._pending.pop(future, None):
                self._handle_finished_batch(future, batch)

    def _handle_finished_batch(self, future: Future[BatchOutcome], batch: Batch) -> None:
        from distributed import KilledWorker

        if future.status == "finished":
            self._report_events(future.result())
            return
        if future.status in _LOST_STATES:
            self._submit(batch)
            return
        error = future.exception() if future.status == "error" else None
        if isinstance(error, KilledWorker | HostDiedError):
            if len(batch.cases) == 1:
                self._report_crash(batch.cases[0], error)
            else:
                self._suspects.extend(batch.cases)
        elif error is None:
            raise self._cluster_lost_error("its batches were cancelled")
        else:
            raise PoolError(short_message(str(error) or type(error).__name__, 1200))

    def _report_events(self, outcome: BatchOutcome) -> None:
        for event in outcome.events:
            if event.result is None:
                self._began(event.case, event.attempt, outcome.machine)
            else:
                self._ended(event.case, event.result, event.final)
        if outcome.fault:
            raise PoolError(f"{outcome.machine}: {outcome.fault}")

    def _report_crash(self, case: Case, error: BaseException) -> None:
        """Report a test as crashed, after a batch that had only this test was lost.

        `error` is a HostDiedError if the process of the batch died, or a KilledWorker of Dask if
        several Dask workers were lost.
        """
        machine = getattr(getattr(error, "last_worker", None), "address", "")
        crash_text = str(error)
        if not isinstance(error, HostDiedError):
            failures = getattr(error, "allowed_failures", 0) + 1
            crash_text = (
                f"{failures} Dask workers were lost, each while it ran only this test. The last "
                f"worker: {machine or 'not known'}. The usual cause is too little memory on the "
                "machine."
            )
        self._began(case, 1, machine)
        self._ended(case, Result("crashed", "run", short_message(crash_text), attempts=1), True)  # noqa: FBT003

    def _check_cluster(self) -> None:
        """Submit lost batches again. Raises PoolError if no more results can arrive."""
        for future in [pending for pending in self._pending if pending.status == "lost"]:
            self._submit(self._pending.pop(future))
        if any(future.status == "cancelled" for future in self._pending):
            raise self._cluster_lost_error("the scheduler lost the batches")
        if self._client.nthreads():
            self._no_workers_since = None
            return
        since = self._no_workers_since = self._no_workers_since or time.monotonic()
        if time.monotonic() - since > WAIT_FOR_WORKERS_S:
            raise self._cluster_lost_error(
                f"no worker was connected for {WAIT_FOR_WORKERS_S:.0f} s"
            )

    def _cluster_lost_error(self, why: str) -> PoolError:
        address = self._client.scheduler.address if self._client.scheduler else "the scheduler"
        return PoolError(f"the cluster at {address} can no longer be used: {why}")

    def _cancel_batches(self) -> None:
        """Cancel pending batches, and end the processes that run batches on the machines."""
        with suppress(Exception):  # the cluster may be gone; the run has ended either way
            self._client.cancel(list(self._pending), force=True)
            self._client.run(end_run, self._run_id, on_error="ignore")
