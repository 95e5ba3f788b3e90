"""Connects to a Dask cluster, and checks that its machines have the same environment."""

from __future__ import annotations

import logging
import platform
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from accelerator_reports.environment import installed_version
from accelerator_validation.case import short_message
from accelerator_validation.cluster.cluster_pool import ClusterPool, RemoteBeginCallback
from accelerator_validation.cluster.remote_functions import environment_differences, probe_machine
from accelerator_validation.plan import RunError
from accelerator_validation.pool import EndCallback
from accelerator_validation.probe import PROBE_TIMEOUT_S, ProbeResult
from accelerator_validation.side_process import WaitCallback
from accelerator_validation.worker import Job

if TYPE_CHECKING:
    from distributed import Client

_CONNECT_S = 20
_FIRST_WORKER_S = 60

# Seconds in addition to the probe's own time limit.
_EXTRA_S = 60

_SAME_VERSIONS_ADVICE = (
    "Install the same Python, torch, plugin and accelerator-portal there as on this machine"
)


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
        started = time.monotonic()
        futures = {
            address: self._client.submit(
                probe_machine, self._run_id, device, imports, workers=[address], pure=False
            )
            for address in self._client.nthreads()
        }
        while any(not future.done() for future in futures.values()):
            waiting(time.monotonic() - started)
            time.sleep(0.1)
            if time.monotonic() - started > PROBE_TIMEOUT_S + _EXTRA_S:
                late_workers = sorted(a for a, future in futures.items() if not future.done())
                limit_s = PROBE_TIMEOUT_S + _EXTRA_S
                problem = f"the Dask worker {late_workers[0]} did not try {device} in {limit_s} s"
                raise RunError(f"{problem}. If it is busy, wait; otherwise restart it")
        results_by_address: dict[str, ProbeResult] = {}
        for address, future in futures.items():
            if future.status != "finished":
                message = " ".join(short_message(str(future.exception())).split())
                problem = f"the Dask worker {address} cannot use {device}"
                first_sentence = message.partition(". ")[0]
                raise RunError(f"{problem}: {first_sentence}. {_SAME_VERSIONS_ADVICE}")
            results_by_address[address] = future.result()
        return common_probe_result(results_by_address)

    def pool(
        self, job: Job, probed: ProbeResult, *, began: RemoteBeginCallback, ended: EndCallback
    ) -> ClusterPool:
        """Return a pool that runs tests on this cluster."""
        return ClusterPool(
            self._client,
            self._run_id,
            job,
            began=began,
            ended=ended,
            fresh=probed.needs_fresh_workers,
            environment=None if probed.fault else probed.environment,
        )


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


@contextmanager
def connect_to_cluster(address: str) -> Iterator[Cluster]:
    """Connect to the cluster whose scheduler is at `address`, for a `with` block.

    Raises RunError if the scheduler does not respond or no worker is connected to it.
    """
    from distributed import Client
    from distributed import TimeoutError as DaskTimeoutError  # not Python's own before 3.11
    from distributed.comm.addressing import get_address_host_port

    # Errors are reported once, by this module.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    try:
        get_address_host_port(address)  # with an invalid address, a client does not close
        client: Client = Client(address, timeout=_CONNECT_S, set_as_default=False)
    except (
        OSError,
        ValueError,
        TypeError,
        DaskTimeoutError,
    ) as error:  # TypeError: TLS without keys
        error_line = short_message(str(error)).splitlines()[0]
        problem = f'no Dask scheduler responds at "{address}": {error_line}'
        raise RunError(
            f"{problem}. Start one with dask scheduler, or correct --scheduler"
        ) from None
    with closing(client):
        try:
            client.wait_for_workers(1, timeout=_FIRST_WORKER_S)
        except DaskTimeoutError:
            problem = f"no worker is connected to the Dask scheduler at {address}"
            raise RunError(f"{problem}. Start one on each machine: dask worker {address}") from None
        yield Cluster(client)
