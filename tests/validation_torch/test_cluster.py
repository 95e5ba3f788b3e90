"""The command on Dask clusters on this machine that lose the scheduler or a worker."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from distributed import LocalCluster

from accelerator_reports.test_ids import identity_of
from tests.validation.dask_cluster import dask_cluster, kill_worker
from tests.validation_torch.conftest import Done, validate
from tests.validation_torch.installing import SHIM

pytestmark = pytest.mark.slow

WORDS = ("--device=paper", "--suite=operators", "-k", "exp or sin or tan or add", "--timeout=20")
FAULTS = "sinh=crash,tanh=missing,sin=wrong,expm1=exit"


def verdicts(done: Done) -> dict[str, tuple[str, str | None, str | None]]:
    return {
        identity_of(test).key: (test.outcome, test.stage, test.reason) for test in done.report_tests
    }


def results(journal: Path) -> int:
    return journal.read_text("utf-8").count('"final": true') if journal.exists() else 0


def run_on_cluster(
    folder: Path, site: str, harm: Callable[[LocalCluster], object], *words: str
) -> Done:
    """Run the tests on two workers, and harm the cluster as soon as there is one more result."""
    path = os.pathsep.join([str(SHIM), site])
    journal = folder / "report.journal.jsonl"
    start = results(journal)
    with dask_cluster(folder, 2, {"PAPER_FAULTS": FAULTS, "PYTHONPATH": path}) as cluster:

        def harm_in_the_middle() -> None:
            while results(journal) == start:
                time.sleep(0.05)
            harm(cluster)

        threading.Thread(target=harm_in_the_middle, daemon=True).start()
        options = (*WORDS, "--scheduler", cluster.scheduler_address, *words)
        return validate(folder, *options, site=site, PAPER_FAULTS=FAULTS)


def test_a_run_that_loses_its_cluster_and_then_a_worker_has_the_verdicts_of_a_local_run(
    tmp_path: Path, site: str
) -> None:
    local, remote = tmp_path / "local", tmp_path / "remote"
    for folder in (local, remote):
        folder.mkdir()

    lost = run_on_cluster(
        remote,
        site,
        lambda cluster: cluster.sync(cluster.scheduler.close),  # type: ignore[union-attr]
    )
    assert "can no longer be used: the connection to the scheduler was lost" in lost.said
    assert "Traceback" not in lost.said
    assert "not-run" in {test.outcome for test in lost.report_tests}

    killed: list[int] = []
    done = run_on_cluster(remote, site, lambda c: killed.append(kill_worker(c)), "--resume")
    assert killed
    assert done.status == 1, done.said
    assert "Traceback" not in done.said
    alone = validate(local, *WORDS, "--workers=2", site=site, PAPER_FAULTS=FAULTS)
    assert verdicts(done) == verdicts(alone)
    outcomes = {test.outcome for test in done.report_tests}
    assert {"passed", "crashed", "unsupported-operator", "wrong-result"} <= outcomes
    assert done.environment == alone.environment
