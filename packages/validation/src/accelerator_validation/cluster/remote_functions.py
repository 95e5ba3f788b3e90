"""Probes the device and runs batches of tests on a cluster's machine, called by Dask workers.

A Dask worker may not start processes through `multiprocessing`, and a crashing test must not end
the Dask worker. So each of its threads starts a host process, which runs the program
`batch_process`. The host process stays until the run ends.
"""

from __future__ import annotations

import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from multiprocessing import Pipe
from typing import Any

from accelerator_reports.report import Environment, different_facts, environment_facts
from accelerator_validation.case import Case, Result, short_message
from accelerator_validation.pool import PoolError
from accelerator_validation.probe import ProbeResult, start_probe, wait_for_probe
from accelerator_validation.side_process import kill_group
from accelerator_validation.worker import Job

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
