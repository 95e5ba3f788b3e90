"""The command on a Dask cluster of two workers on loopback, one of which is killed."""

from __future__ import annotations

import os
import threading
import time
from importlib.util import find_spec
from pathlib import Path

import pytest

from accelerator_reports.test_keys import identity_of
from tests.validation.cluster.dask_cluster import NANNY, DaskCluster, dask_cluster
from tests.validation_torch.conftest import Done, validate
from tests.validation_torch.installing import SHIM

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("distributed") is None, reason="The extra cluster is missing."),
]

WORDS = ("--device=paper", "--suite=operators", "-k", "exp or sin or tan or add", "--timeout=20")
FAULTS = "sinh=crash,tanh=missing,sin=wrong,expm1=exit"


def verdicts(done: Done) -> dict[str, tuple[str, str | None, str | None]]:
    return {
        identity_of(test).key: (test.outcome, test.stage, test.reason) for test in done.report_tests
    }


def killed_in_the_middle(cluster: DaskCluster, journal: Path) -> threading.Thread:
    """Kill the first worker as soon as the run has a result."""

    def watch() -> None:
        for _ in range(4000):
            if journal.exists() and '"final": true' in journal.read_text("utf-8"):
                cluster.kill_worker(0)
                return
            time.sleep(0.05)

    thread = threading.Thread(target=watch)
    thread.start()
    return thread


def test_a_run_on_two_machines_of_which_one_is_lost_has_the_verdicts_of_a_local_run(
    tmp_path: Path, site: str
) -> None:
    local, remote = tmp_path / "local", tmp_path / "remote"
    for folder in (local, remote):
        folder.mkdir()
    path = os.pathsep.join([str(SHIM), site])
    variables = {"PAPER_FAULTS": FAULTS, "PYTHONPATH": path}
    with dask_cluster(tmp_path, 2, variables, NANNY) as cluster:
        thread = killed_in_the_middle(cluster, remote / "report.journal.jsonl")
        words = (*WORDS, "--scheduler", cluster.address)
        done = validate(remote, *words, site=site, PAPER_FAULTS=FAULTS)
        thread.join()
        assert cluster.workers[0].poll() is not None
        assert cluster.workers[1].poll() is None
    assert done.status == 1, done.said
    alone = validate(local, *WORDS, "--workers=2", site=site, PAPER_FAULTS=FAULTS)
    assert verdicts(done) == verdicts(alone)
    outcomes = {test.outcome for test in done.report_tests}
    assert {"passed", "crashed", "unsupported-operator", "wrong-result"} <= outcomes
    assert done.environment == alone.environment
