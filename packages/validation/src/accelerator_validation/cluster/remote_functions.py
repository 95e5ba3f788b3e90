"""Probes the device and runs batches on a cluster's machine, with functions sent to Dask workers.

Between two batches, a Dask worker keeps the result of probing the device and the processes that
ran the batches (see `batch_process`), until the run ends.
"""

from __future__ import annotations

import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from multiprocessing import Pipe
from typing import Any

from accelerator_reports.report import Environment, different_facts, environment_facts
from accelerator_validation.case import short_message
from accelerator_validation.cluster.batch import (
    Batch,
    BatchOutcome,
    HostDiedError,
    UnsuitableMachineError,
)
from accelerator_validation.probe import ProbeResult, start_probe, wait_for_probe
from accelerator_validation.side_process import kill_group

_MODULE = "accelerator_validation.cluster.batch_process"
_GRACE_S = 5.0


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
            raise HostDiedError(self._exit_message()) from None
        return outcome

    def close(self) -> None:
        """End the process and its workers. A call of `run` in progress raises HostDiedError."""
        kill_group(self._process.pid)
        self._process.kill()
        self._process.wait()

    def _exit_message(self) -> str:
        self._errors.seek(0)
        output_text = self._errors.read().decode(errors="replace").strip()
        status = self._process.poll()
        return short_message(
            f"the process for batches ended with status {status}. {output_text[-600:]}".strip()
        )


@dataclass
class _RunState:
    """What a Dask worker keeps until a run ends: the probe result, and idle and busy processes.

    `ended` is true after the end of the run.
    """

    lock: threading.Lock = field(default_factory=threading.Lock)
    probed: ProbeResult | None = None
    idle: list[HostProcess] = field(default_factory=list)
    busy: list[HostProcess] = field(default_factory=list)
    ended: bool = False


_states: dict[str, _RunState] = {}
_states_lock = threading.Lock()


def probe_machine(run: str, device: str, imports: str | None) -> ProbeResult:
    """Return the result of probing a device on this machine.

    `run` is the id of a run. Only the first call for a run probes the device; later calls return
    the same result. `imports` is a module to import after torch, or None.
    """
    state = _run_state(run)
    with state.lock:
        if state.probed is None:
            with start_probe(device, imports) as probing:
                state.probed = wait_for_probe(probing)
        return state.probed


def run_batch(batch: Batch) -> BatchOutcome:
    """Run a batch in a host process, and return the outcome of the batch.

    Raises HostDiedError if the host process dies. Raises UnsuitableMachineError if the batch has an
    `environment` that differs from this machine's, or if this machine cannot use the device.
    """
    if batch.environment is not None:
        probe_result = probe_machine(batch.run, batch.job.device, batch.job.imports or None)
        if probe_result.fault:
            raise UnsuitableMachineError(
                f"{machine_name()} cannot use the device: {probe_result.message}"
            )
        if differences := ", ".join(
            environment_differences(probe_result.environment, batch.environment)
        ):
            raise UnsuitableMachineError(f"{machine_name()} has {differences}")
    with _host_process(_run_state(batch.run)) as host:
        return replace(host.run(batch), machine=machine_name())


def end_run(run: str) -> None:
    """End the host processes of the run with the id `run`, even if a batch is running."""
    with _states_lock:
        state = _states.pop(run, None)
    if state:
        state.ended = True
        for host in [*state.idle, *state.busy]:
            host.close()


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


def _run_state(run: str) -> _RunState:
    with _states_lock:
        return _states.setdefault(run, _RunState())


@contextmanager
def _host_process(state: _RunState) -> Iterator[HostProcess]:
    """Provide a host process for a `with` block: an idle one if there is one, else a new one.

    After the block, the process becomes idle if it still runs. Otherwise it is closed.
    """
    with state.lock:
        host = state.idle.pop() if state.idle else HostProcess()
        if not host.alive:
            host.close()
            host = HostProcess()
        state.busy.append(host)
    try:
        yield host
    finally:
        with state.lock:
            state.busy.remove(host)
            if host.alive and not state.ended:
                state.idle.append(host)
            else:
                host.close()
