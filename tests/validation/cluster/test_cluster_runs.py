"""Runs on a Dask cluster of two workers on loopback; whatever happens to one, no test is lost."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from accelerator_reports.report import Report
from accelerator_reports.report_file import read_report
from accelerator_validation.case import Case, Result
from accelerator_validation.cluster import cluster_pool
from accelerator_validation.cluster.connection import connect_to_cluster
from accelerator_validation.plan import RunError
from tests.folders import REPOSITORY
from tests.validation.cluster.dask_cluster import dask_cluster
from tests.validation.cluster.fake_runs import run_on
from tests.validation.processes import is_gone
from tests.validation.runs import go_on, request, run
from tests.validation.test_pool import SAID

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="It looks into /proc.")

SLOW = [f"slow-{number}" for number in range(16)]

# A batch that ends one worker is given up at once, and not after three more.
GIVE_UP = {"DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "0"}


def verdicts(report: Report) -> list[tuple[str, str, str | None, str | None]]:
    return [(test.name, test.outcome, test.stage, test.reason) for test in report.tests]


def records(folder: Path) -> list[dict[str, str]]:
    lines = (folder / "report.journal.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines if line]


@pytest.mark.slow
def test_verdicts_are_those_of_a_local_run(tmp_path: Path) -> None:
    with dask_cluster(tmp_path, workers=2) as cluster:
        hosts: set[int] = set()
        remote = run_on(
            cluster.address, tmp_path, list(SAID), lambda *_: hosts.update(cluster.hosts())
        )
        assert hosts
        assert all(map(is_gone, hosts))  # they end with the run
    local = tmp_path / "local"
    assert verdicts(remote.report) == verdicts(run(request(local), list(SAID), 20).report)
    machines = {record["machine"] for record in records(tmp_path) if record["record"] == "begin"}
    assert len(machines) == 2  # which one ran a test is in the journal


def test_the_batch_of_a_worker_that_is_killed_runs_again_elsewhere(tmp_path: Path) -> None:
    names = [*SLOW, "crash-1", "wrong-1"]
    with dask_cluster(tmp_path, workers=2) as cluster:
        hosts: set[int] = set()

        def watch(_: Case, result: Result | None) -> None:
            if result and cluster.workers[0].poll() is None:
                hosts.update(cluster.hosts())
                cluster.kill_worker(0)

        done = run_on(cluster.address, tmp_path, names, watch)
        assert cluster.workers[0].returncode == -signal.SIGKILL
        assert len(hosts) == 2
        assert all(map(is_gone, hosts))  # also that of the worker that was killed
    assert done.stop_reason is None
    local = run(request(tmp_path / "local"), names, 3)
    assert verdicts(done.report) == verdicts(local.report)
    finals = [r["case"] for r in records(tmp_path) if r.get("final")]
    assert len(finals) == len(set(finals)) == len(names)


@pytest.mark.slow
def test_a_test_that_ends_machine_after_machine_is_a_crash(tmp_path: Path) -> None:
    names = ["passed-1", "machine-1", "passed-2"]
    with dask_cluster(tmp_path, workers=4, variables=GIVE_UP) as cluster:
        with connect_to_cluster(cluster.address) as found:
            found._client.wait_for_workers(4, timeout=60)
        done = run_on(cluster.address, tmp_path, names)
        ended = [one for one in cluster.workers if one.poll() is not None]
        assert 1 <= len(ended) <= 3
    assert done.stop_reason is None
    assert [test.outcome for test in done.report.tests] == ["passed", "crashed", "passed"]
    reason = done.report.tests[1].reason or ""
    assert "only this test. The last worker: tcp:" in reason


@pytest.mark.slow
def test_a_test_that_ends_the_process_for_batches_is_a_crash(tmp_path: Path) -> None:
    with dask_cluster(tmp_path, workers=1) as cluster:
        done = run_on(cluster.address, tmp_path, ["passed-1", "host-1", "passed-2", "passed-3"])
        assert cluster.workers[0].poll() is None
    outcomes = {test.name: test.outcome for test in done.report.tests}
    assert outcomes == {
        "passed-1": "passed",
        "host-1": "crashed",
        "passed-2": "passed",
        "passed-3": "passed",
    }
    reason = done.report.tests[1].reason or ""
    assert reason.startswith("the process for batches ended with status -9")


@pytest.mark.slow
@pytest.mark.parametrize("lost", ["workers", "scheduler"])
def test_a_run_without_a_cluster_ends_and_can_be_gone_on_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lost: str
) -> None:
    monkeypatch.setattr(cluster_pool, "WAIT_FOR_WORKERS_S", 1.0)
    with dask_cluster(tmp_path, workers=1) as cluster:

        def watch(_: Case, result: Result | None) -> None:
            if result and cluster.workers[0].poll() is None:
                (cluster.kill_scheduler if lost == "scheduler" else lambda: None)()
                cluster.kill_worker(0)

        done = run_on(cluster.address, tmp_path, SLOW, watch)
    assert (done.stop_reason or "").startswith("the cluster at tcp://127.0.0.1:")
    outcomes = [test.outcome for test in done.report.tests]
    assert set(outcomes) == {"passed", "not-run"}
    again = go_on(request(tmp_path), SLOW)
    assert {test.outcome for test in again.report.tests} == {"passed"}


@pytest.mark.slow
def test_an_interruption_ends_what_runs_and_keeps_what_ran(tmp_path: Path) -> None:
    names = [*SLOW[:4], *(f"hang-{number}" for number in range(6))]
    program = "tests.validation.cluster.fake_runs"
    with dask_cluster(tmp_path, workers=2) as cluster:
        words = [sys.executable, "-m", program, cluster.address, str(tmp_path), *names]
        variables = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
        process = subprocess.Popen(words, env=variables, cwd=REPOSITORY)
        journal = tmp_path / "report.journal.jsonl"
        for _ in range(2400):
            if journal.exists() and '"final": true' in journal.read_text("utf-8"):
                break
            time.sleep(0.05)
        hosts = cluster.hosts()
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
        assert hosts
        assert all(map(is_gone, hosts))
    outcomes = [test.outcome for test in read_report(tmp_path / "report.json").tests]
    assert "passed" in outcomes
    assert "not-run" in outcomes


def test_an_address_where_nothing_answers_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("accelerator_validation.cluster.connection._CONNECT_S", 2)
    for address in ("tcp://127.0.0.1:1", "nonsense://x", "127.0.0.1"):
        with pytest.raises(RunError, match=r"^no Dask scheduler responds at ") as error:
            run_on(address, tmp_path, ["passed-1"])
        assert "\n" not in str(error.value)
    assert not list(tmp_path.iterdir())


def test_a_scheduler_without_a_worker_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("accelerator_validation.cluster.connection._FIRST_WORKER_S", 1)
    with (
        dask_cluster(tmp_path, workers=0) as cluster,
        pytest.raises(RunError, match="no worker is connected to the Dask scheduler at tcp://"),
    ):
        run_on(cluster.address, tmp_path, ["passed-1"])
