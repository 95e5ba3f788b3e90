"""Runs tests on the machines of a Dask cluster.

Dask decides which worker runs which batch of tests, and runs the batch of a lost worker on another
one. If a batch is lost on several workers, Dask gives up. Its tests then run one by one.
"""

from __future__ import annotations

import logging
import platform
import socket
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from multiprocessing import Pipe
from typing import TYPE_CHECKING, Any

from accelerator_reports.environment import installed_version
from accelerator_reports.report import Environment, different_facts, environment_facts
from accelerator_validation.case import Case, Result, short_message
from accelerator_validation.plan import RunError
from accelerator_validation.pool import EndCallback, PoolError
from accelerator_validation.probe import PROBE_TIMEOUT_S, ProbeResult, start_probe, wait_for_probe
from accelerator_validation.side_process import WaitCallback, kill_group
from accelerator_validation.worker import Job

if TYPE_CHECKING:
    from distributed import Client, Future

# Probes the device and runs batches of tests on a cluster's machine, called by Dask workers.
#
# A Dask worker may not start processes through `multiprocessing`, and a crashing test must not end
# the Dask worker. So each of its threads starts a host process, which runs the program
# `batch_process`. The host process stays until the run ends.

_MODULE = "accelerator_validation.cluster.batch_process"
_GRACE_S = 5.0

Event = tuple[Case, int, Result | None, bool]
"""The start or the end of an attempt at a test: the test, the number of the attempt, the result,
and whether the result is final. The result is None for the start."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Tests to run in order on one machine of a cluster, with all settings that they need.

    `run` is the id of the run; several runs can share a cluster. If `fresh` is true, each worker
    imports torch itself instead of being forked. `environment` is the environment that the machine
    must have, or None if any is allowed.
    """

    run: str
    job: Job
    cases: tuple[Case, ...] = ()
    fresh: bool = False
    environment: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class BatchOutcome:
    """The events of a batch in order, and the machine that ran the batch.

    `fault` is the error message if workers could not start, else None. With a fault, some tests
    have no events.
    """

    events: tuple[Event, ...]
    machine: str = ""
    fault: str | None = None


class HostDiedError(Exception):
    """Raised if the process that runs a batch on a machine dies; the message says how."""


class HostProcess:
    """A process on this machine that runs one batch after the other, see `batch_process`."""

    def __init__(self) -> None:
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the process
        self._connection, child_end = Pipe()
        with child_end:
            descriptor = child_end.fileno()
            self._process = subprocess.Popen(
                [sys.executable, "-m", _MODULE, str(descriptor)],
                stdin=subprocess.DEVNULL,
                stdout=self._errors,
                stderr=self._errors,
                pass_fds=[descriptor],
                start_new_session=True,
            )

    @property
    def alive(self) -> bool:
        """Whether the process is running; it ends by itself after a long idle time."""
        return self._process.poll() is None

    def run(self, batch: Batch) -> BatchOutcome:
        """Run a batch and return its outcome. Raises HostDiedError if the process dies."""
        try:
            self._connection.send(batch)
            outcome: BatchOutcome = self._connection.recv()
        except (EOFError, OSError):
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(_GRACE_S)
            self._errors.seek(0)
            output_text = self._errors.read().decode(errors="replace").strip()[-600:]
            problem = f"the process for batches ended with status {self._process.poll()}"
            self.close()  # its workers may still run
            raise HostDiedError(short_message(f"{problem}. {output_text}".strip())) from None
        return outcome

    def close(self) -> None:
        """End the process and its workers. A call of `run` in progress raises HostDiedError."""
        kill_group(self._process.pid)
        self._process.kill()
        self._process.wait()


# By run and thread: a thread of a Dask worker runs one batch at a time.
_hosts: dict[tuple[str, int], HostProcess] = {}


def run_batch(batch: Batch) -> BatchOutcome:
    """Run a batch in a host process, and return the outcome of the batch.

    Raises HostDiedError if the host process dies. Raises PoolError if the batch has an
    `environment` that differs from this machine's, or if this machine cannot use the device: the
    machine joined during the run.
    """
    if batch.environment is not None:
        probe_result = probe_machine(batch.run, batch.job.device, batch.job.imports or None)
        if probe_result.fault:
            raise PoolError(f"{machine_name()} cannot use the device: {probe_result.message}")
        if differences := ", ".join(
            environment_differences(probe_result.environment, batch.environment)
        ):
            raise PoolError(f"{machine_name()} has {differences}")
    key = (batch.run, threading.get_ident())
    host = _hosts.get(key)
    if host is None or not host.alive:
        host = _hosts[key] = HostProcess()
    return replace(host.run(batch), machine=machine_name())


@lru_cache
def probe_machine(run: str, device: str, imports: str | None) -> ProbeResult:
    """Return the result of probing a device on this machine, once for each run.

    `run` is the id of a run. `imports` is a module to import after torch, or None.
    """
    del run
    with start_probe(device, imports) as probing:
        return wait_for_probe(probing)


def end_run(run: str) -> None:
    """End the host processes of the run with the id `run`, even if a batch is running."""
    for key in [key for key in _hosts if key[0] == run]:
        _hosts.pop(key).close()


def machine_name() -> str:
    """Return the name of this machine and the address of its Dask worker."""
    from distributed import get_worker

    return f"{socket.gethostname()} {get_worker().address}"


def environment_differences(
    environment: Mapping[str, Any], expected: Mapping[str, Any]
) -> Iterator[str]:
    """Yield a text for each difference: `torch 2.12.1 instead of 2.13.0`.

    The first version is from `environment`, the second one from `expected`.
    """
    actual_facts, expected_facts = (
        environment_facts(Environment.model_validate(dict(one))) for one in (environment, expected)
    )
    for name, one, other in different_facts(actual_facts, expected_facts):
        yield f"{name} {one or 'not known'} instead of {other or 'not known'}"


# Dask's nannies start a new worker in place of a lost one.
WAIT_FOR_WORKERS_S = 60.0

_CONNECT_S = 20
_PROBE_S = PROBE_TIMEOUT_S + 60
_WAIT_S = 1.0

_SAME_VERSIONS_ADVICE = (
    "Install the same Python, torch, plugin and accelerator-portal there as on this machine"
)

RemoteBeginCallback = Callable[[Case, int, str], None]
"""Called for each attempt at a test, after the test's batch has ended. The arguments are the test,
the number of the attempt and the machine."""


@contextmanager
def connect_to_cluster(address: str) -> Iterator[Cluster]:
    """Connect to the cluster whose scheduler is at `address`, for a `with` block.

    Raises RunError if the scheduler does not respond or no worker is connected to it.
    """
    from distributed import Client
    from distributed import TimeoutError as DaskTimeoutError  # not Python's own before 3.11
    from distributed.comm.addressing import get_address_host_port

    # Errors are reported once, by this module. Dask sets the level of its client separately.
    for name in ("distributed", "distributed.client"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        get_address_host_port(address)  # with an invalid address, a client does not close
        client: Client = Client(address, timeout=_CONNECT_S)
    except (OSError, ValueError, TypeError, DaskTimeoutError) as error:  # TypeError: TLS, no keys
        error_line = short_message(str(error)).splitlines()[0]
        problem = f'no Dask scheduler responds at "{address}": {error_line}'
        raise RunError(
            f"{problem}. Start one with dask scheduler, or correct --scheduler"
        ) from None
    with closing(client):
        try:
            client.wait_for_workers(1, timeout=WAIT_FOR_WORKERS_S)
        except DaskTimeoutError:
            problem = f"no worker is connected to the Dask scheduler at {address}"
            raise RunError(f"{problem}. Start one on each machine: dask worker {address}") from None
        yield Cluster(client)


class Cluster:
    """A connected Dask cluster, which runs `slots` batches at a time."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._run_id = uuid.uuid4().hex
        self.slots = sum(client.nthreads().values())

    def probe(self, device: str, imports: str | None, waiting: WaitCallback) -> ProbeResult:
        """Probe a device on every machine, and return the common result.

        Raises RunError if a Dask worker does not respond or fails. Also raises the errors of
        `common_probe_result`.
        """
        from distributed import TimeoutError as DaskTimeoutError
        from distributed import wait

        started = time.monotonic()
        futures = {
            address: self._client.submit(
                probe_machine, self._run_id, device, imports, workers=[address], pure=False
            )
            for address in self._client.nthreads()
        }
        while late_workers := sorted(a for a, future in futures.items() if not future.done()):
            seconds = time.monotonic() - started
            if seconds > _PROBE_S:
                problem = f"the Dask worker {late_workers[0]} did not try {device} in {_PROBE_S} s"
                raise RunError(f"{problem}. If it is busy, wait; otherwise restart it")
            waiting(seconds)
            with suppress(DaskTimeoutError):
                wait(list(futures.values()), timeout=_WAIT_S)
        results_by_address: dict[str, ProbeResult] = {}
        for address, future in futures.items():
            if future.status != "finished":
                message = " ".join(short_message(str(future.exception())).split())
                problem = f"the Dask worker {address} cannot use {device}"
                raise RunError(f"{problem}: {message.partition('. ')[0]}. {_SAME_VERSIONS_ADVICE}")
            results_by_address[address] = future.result()
        return common_probe_result(results_by_address)

    def pool(
        self, job: Job, probed: ProbeResult, *, began: RemoteBeginCallback, ended: EndCallback
    ) -> ClusterPool:
        """Return a pool that runs tests on this cluster."""
        environment = None if probed.fault else probed.environment
        template = Batch(self._run_id, job, (), probed.needs_fresh_workers, environment)
        return ClusterPool(self._client, template, began=began, ended=ended)


def common_probe_result(results_by_address: Mapping[str, ProbeResult]) -> ProbeResult:
    """Return one probe result for all Dask workers, which must have the same environment.

    `results_by_address` has the probe result of each Dask worker, by the worker's address. Raises
    RunError, with a list of all differences, if the Dask workers differ. Also raises RunError if
    this machine has another version of torch or another minor version of Python than the workers.
    """
    (first_address, first_result), *other_results = sorted(results_by_address.items())
    differences = [
        f"{address}: {difference}"
        for address, other in other_results
        for difference in _probe_differences(other, first_result)
    ]
    if differences:
        difference_lines = "\n  ".join(differences)
        raise RunError(
            "the Dask workers have different environments. "
            f"Compared with {first_address}:\n  {difference_lines}"
        )
    versions = {
        "torch": (installed_version("torch"), first_result.environment.get("torch")),
        "python": (
            _without_patch(platform.python_version()),
            _without_patch(first_result.environment.get("python") or ""),
        ),
    }
    for name, (local_version, worker_version) in versions.items():
        if local_version and worker_version and worker_version != local_version:
            problem = f"the Dask workers have {name} {worker_version}"
            problem = f"{problem}, and this machine has {local_version}"
            raise RunError(f"{problem}. {_SAME_VERSIONS_ADVICE}: the tests are listed here")
    forks = all(probed.forks for probed in results_by_address.values())
    return replace(first_result, forks=forks)


def _probe_differences(result: ProbeResult, reference: ProbeResult) -> Iterator[str]:
    if result.fault == reference.fault:
        yield from environment_differences(result.environment, reference.environment)
    elif result.fault:
        yield f"the device cannot be used: {result.message}"
    else:
        yield f"the device can be used, but not on all machines: {reference.message}"


def _without_patch(version: str) -> str:
    return ".".join(version.split(".")[:2])


def batches(template: Batch, cases: Iterable[Case], slots: int) -> Iterator[Batch]:
    """Yield tests in batches of one suite and group. The cluster runs `slots` batches at a time."""
    job, remaining_cases = template.job, deque(cases)
    while remaining_cases:
        suite = remaining_cases[0].suite
        length = job.batch_length(remaining_cases, slots)
        batch = tuple(remaining_cases.popleft() for _ in range(length))
        suite_job = replace(job, matrices={suite: job.matrices[suite]})
        yield replace(template, job=suite_job, cases=batch)


class ClusterPool:
    """Runs tests on a cluster, and calls `began` and `ended` for each attempt at a test.

    The calls are made when the whole batch of the test has ended. `template` is a batch without
    tests.
    """

    def __init__(
        self, client: Client, template: Batch, *, began: RemoteBeginCallback, ended: EndCallback
    ) -> None:
        self._client, self._template = client, template
        self._began, self._ended = began, ended
        self._pending: dict[Future[BatchOutcome], Batch] = {}

    def run(self, cases: Iterable[Case]) -> None:
        """Run all tests.

        Raises PoolError if the cluster cannot be used, KeyboardInterrupt if the run is interrupted.
        """
        from distributed import CancelledError

        try:
            slots = sum(self._client.nthreads().values())
            lost = self._run_batches(batches(self._template, cases, slots))
            # One at a time, so that it is clear which one ends a machine.
            for case in [case for batch, _ in lost for case in batch.cases]:
                for _, error in self._run_batches(batches(self._template, [case], 1)):
                    self._report_crash(case, error)
        except CancelledError:
            why = "the connection to the scheduler was lost, or its batches were canceled"
            raise self._cluster_lost_error(why) from None
        except OSError as error:
            raise self._cluster_lost_error(short_message(str(error))) from None
        finally:
            if self._client.status == "running":
                with suppress(Exception):  # the cluster may be gone; the run has ended either way
                    self._client.cancel([*self._pending])
                    self._client.run(end_run, self._template.run, on_error="ignore")

    def _cluster_lost_error(self, why: str) -> PoolError:
        address = self._client.scheduler.address if self._client.scheduler else "the scheduler"
        return PoolError(f"the cluster at {address} can no longer be used: {why}")

    def _run_batches(self, batches: Iterable[Batch]) -> list[tuple[Batch, Exception]]:
        """Run batches, and return those that were lost with their workers or host processes."""
        from distributed import CancelledError, KilledWorker, wait
        from distributed import TimeoutError as DaskTimeoutError

        pending = {self._client.submit(run_batch, batch, pure=False): batch for batch in batches}
        self._pending = pending
        lost: list[tuple[Batch, Exception]] = []
        while pending:
            try:
                finished = wait([*pending], timeout=_WAIT_S, return_when="FIRST_COMPLETED").done
            except DaskTimeoutError:
                self._require_worker()
                continue
            for future in finished:
                try:
                    outcome = future.result(timeout=_WAIT_S)
                except DaskTimeoutError:  # its worker was lost before; Dask runs the batch again
                    continue
                except CancelledError:
                    raise
                except (KilledWorker, HostDiedError) as error:
                    lost.append((pending[future], error))
                except Exception as error:  # noqa: BLE001 - what the machine raised
                    message = str(error) or type(error).__name__
                    raise PoolError(short_message(message, 1200)) from None
                else:
                    self._report_events(outcome)
                del pending[future]
        return lost

    def _require_worker(self) -> None:
        """Raise OSError if no worker is connected and none connects for some time."""
        from distributed import TimeoutError as DaskTimeoutError

        try:
            self._client.wait_for_workers(1, timeout=WAIT_FOR_WORKERS_S)
        except DaskTimeoutError:
            problem = f"no worker was connected for {WAIT_FOR_WORKERS_S:.0f} s"
            raise OSError(problem) from None

    def _report_events(self, outcome: BatchOutcome) -> None:
        for case, attempt, result, final in outcome.events:
            if result is None:
                self._began(case, attempt, outcome.machine)
            else:
                self._ended(case, result, final)
        if outcome.fault:
            raise PoolError(f"{outcome.machine}: {outcome.fault}")

    def _report_crash(self, case: Case, error: Exception) -> None:
        """Report a test as crashed, after a batch that had only this test was lost.

        `error` is a HostDiedError if the process of the batch died, or a KilledWorker of Dask if
        several Dask workers were lost.
        """
        machine = getattr(getattr(error, "last_worker", None), "address", "")
        reason = str(error)
        if machine:
            reason = f"Each Dask worker that ran this test was lost. The last one was {machine}."
            reason = f"{reason} The usual cause is too little memory on the machine."
        self._began(case, 1, machine)
        self._ended(case, Result("crashed", "run", short_message(reason), attempts=1), True)  # noqa: FBT003
