"""Runs of the fake suite on a cluster; as a program, one that can be interrupted."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from accelerator_validation.case import Case, Result
from accelerator_validation.cluster.cluster_pool import ClusterPool, RemoteBeginCallback
from accelerator_validation.cluster.connection import Cluster, connect_to_cluster
from accelerator_validation.pool import EndCallback
from accelerator_validation.probe import ProbeResult
from accelerator_validation.run import FinishedRun, begin_run
from accelerator_validation.worker import Job
from tests.validation.runs import TORCH, matrix, plan, request


class ClusterWithoutTorch(Cluster):
    """A cluster whose machines are not tried: they need no torch for the fake suite."""

    def pool(
        self, job: Job, probed: ProbeResult, *, began: RemoteBeginCallback, ended: EndCallback
    ) -> ClusterPool:
        """Return a pool that compares no environments."""
        del probed
        return ClusterPool(self._client, self._run_id, job, began=began, ended=ended)


@contextmanager
def joined(address: str) -> Iterator[Cluster]:
    with connect_to_cluster(address) as cluster:
        yield ClusterWithoutTorch(cluster._client)


def run_on(
    address: str,
    folder: Path,
    names: Sequence[str],
    watch: Callable[[Case, Result | None], None] = lambda *_: None,
) -> FinishedRun:
    matrices = {"made-up": matrix(names, timeout_s=20).model_copy(update={"batch": 4})}
    with joined(address) as cluster:
        return begin_run(request(folder), matrices, plan(names), TORCH, watch, cluster)


def main() -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    address, folder, *names = sys.argv[1:]
    sys.exit(run_on(address, Path(folder), names).exit_code)


if __name__ == "__main__":
    main()
