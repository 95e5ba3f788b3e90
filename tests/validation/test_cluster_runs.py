"""Runs on a Dask cluster on this machine; whatever happens to a worker, no test is lost."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import dask
import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelerator_reports.report import Report
from accelerator_validation.case import Case, Result
from accelerator_validation.cluster import cluster_pool
from accelerator_validation.cluster.cluster_pool import (
    Batch,
    Cluster,
    ClusterPool,
    batches,
    connect_to_cluster,
)
from accelerator_validation.matrix import TestFile
from accelerator_validation.plan import RunError
from accelerator_validation.probe import ProbeResult
from accelerator_validation.run import FinishedRun, begin_run
from accelerator_validation.worker import Job
from tests.validation.dask_cluster import dask_cluster, hosts, kill_worker
from tests.validation.processes import is_gone
from tests.validation.runs import TORCH, go_on, matrix, plan, request, run

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="It looks into /proc.")

SLOW = [f"slow-{number}" for number in range(16)]


class ClusterWithoutTorch(Cluster):
    """A cluster whose machines are not tried: they need no torch for the fake suite."""

    def pool(self, job: Job, probed: ProbeResult, **callbacks: Any) -> ClusterPool:  # noqa: ANN401
        """Return a pool that compares no environments."""
        del probed
        return ClusterPool(self._client, Batch(self._run_id, job), **callbacks)


def run_on(
    address: str,
    folder: Path,
    names: Sequence[str],
    watch: Callable[[Case, Result | None], None] = lambda *_: None,
) -> FinishedRun:
    matrices = {"made-up": matrix(names, timeout_s=5).model_copy(update={"batch": 4})}
    with connect_to_cluster(address) as found:
        cluster = ClusterWithoutTorch(found._client)
        return begin_run(request(folder), matrices, plan(names), TORCH, watch, cluster)


def verdicts(report: Report) -> list[tuple[str, str, str | None, str | None]]:
    return [(test.name, test.outcome, test.stage, test.reason) for test in report.tests]


def records(folder: Path) -> list[dict[str, str]]:
    lines = (folder / "report.journal.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines if line]


def machines(folder: Path) -> set[str]:
    return {record["machine"] for record in records(folder) if record["record"] == "begin"}


def test_the_batch_of_a_worker_that_is_killed_runs_again(tmp_path: Path) -> None:
    names = [*SLOW, "crash-1", "wrong-1", "missing-1"]
    killed: list[int] = []
    started: set[int] = set()
    with dask_cluster(tmp_path, workers=2) as cluster:

        def watch(_: Case, result: Result | None) -> None:
            started.update(hosts(cluster))
            if result and not killed and len(machines(tmp_path)) > 1:
                killed.append(kill_worker(cluster))

        done = run_on(cluster.scheduler_address, tmp_path, names, watch)
        assert is_gone(killed[0])
        assert len(started) >= 2
        assert all(map(is_gone, started))  # they end with the run, or with their worker
    assert done.stop_reason is None
    local = run(request(tmp_path / "local"), names, 5)
    assert verdicts(done.report) == verdicts(local.report)
    finals = [r["case"] for r in records(tmp_path) if r.get("final")]
    assert len(finals) == len(set(finals)) == len(names)
    assert len(machines(tmp_path)) >= 2  # which one ran a test is in the journal


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("machine-1", "Each Dask worker that ran this test was lost. The last one was tcp://"),
        ("host-1", "the process for batches ended with status -9"),
    ],
)
def test_a_test_that_ends_what_runs_it_is_a_crash_and_the_others_are_not(
    tmp_path: Path, name: str, reason: str
) -> None:
    names = ["passed-1", name, "passed-2", "passed-3"]
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),  # not after three more
        dask_cluster(tmp_path, workers=1) as cluster,
    ):
        done = run_on(cluster.scheduler_address, tmp_path, names)
    assert done.stop_reason is None
    outcomes = [test.outcome for test in done.report.tests]
    assert outcomes == ["passed", "crashed", "passed", "passed"]
    assert (done.report.tests[1].reason or "").startswith(reason)


@pytest.mark.slow
def test_a_run_whose_workers_are_all_lost_ends_and_can_be_gone_on_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster_pool, "WAIT_FOR_WORKERS_S", 5.0)
    with dask_cluster(tmp_path, workers=1) as cluster:
        address = cluster.scheduler_address

        def watch(_: Case, result: Result | None) -> None:
            if result:
                cluster.scale(0)

        done = run_on(address, tmp_path, SLOW, watch)
    why = "no worker was connected for 5 s"
    assert done.stop_reason == f"the cluster at {address} can no longer be used: {why}"
    assert {test.outcome for test in done.report.tests} == {"passed", "not-run"}
    again = go_on(request(tmp_path), SLOW)
    assert {test.outcome for test in again.report.tests} == {"passed"}


def test_an_interruption_ends_what_runs_and_keeps_what_ran(tmp_path: Path) -> None:
    names = [*SLOW[:4], *(f"hang-{number}" for number in range(6))]
    started: set[int] = set()
    with dask_cluster(tmp_path, workers=2) as cluster:

        def watch(_: Case, result: Result | None) -> None:
            started.update(hosts(cluster))
            if result:
                raise KeyboardInterrupt

        done = run_on(cluster.scheduler_address, tmp_path, names, watch)
        assert started
        assert all(map(is_gone, started))
    assert done.exit_code == 130
    assert {test.outcome for test in done.report.tests} == {"passed", "not-run"}


@pytest.mark.parametrize(
    "address",
    ["tcp://127.0.0.1:1", "nonsense://x", "127.0.0.1", "tls://127.0.0.1:9", "127.0.0.1:x", ""],
)
def test_an_address_where_nothing_answers_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    monkeypatch.setattr(cluster_pool, "_CONNECT_S", 2)
    words = f'^no Dask scheduler responds at "{address}": .*or correct'
    with pytest.raises(RunError, match=words) as error:
        run_on(address, tmp_path, ["passed-1"])
    assert "\n" not in str(error.value)
    assert not list(tmp_path.iterdir())


def test_a_scheduler_without_a_worker_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster_pool, "WAIT_FOR_WORKERS_S", 1)
    with (
        dask_cluster(tmp_path, workers=0) as cluster,
        pytest.raises(RunError, match="no worker is connected to the Dask scheduler at tcp://"),
    ):
        run_on(cluster.scheduler_address, tmp_path, ["passed-1"])


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["one", "two"]),
            st.sampled_from(["test_a.T::x", "test_b.T::x", "other"]),
        ),
        max_size=60,
    ),
    st.integers(0, 8),
)
def test_each_case_is_in_one_batch_and_files_do_not_mix(
    names: list[tuple[str, str]], slots: int
) -> None:
    files = (TestFile(path="test_a", covers="A."), TestFile(path="test_b", covers="B."))
    one = matrix([]).model_copy(update={"batch": 3})
    matrices = {"one": one, "two": one.model_copy(update={"batch": 5, "files": files})}
    template = Batch("run", Job("none", matrices, {"one": 1.0, "two": 1.0}, 1))
    cases = [Case(suite, name, (("n", str(at)),)) for at, (suite, name) in enumerate(names)]
    found = list(batches(template, cases, slots))
    assert [case for batch in found for case in batch.cases] == cases
    for batch in found:
        ((suite, suite_matrix),) = batch.job.matrices.items()
        assert {case.suite for case in batch.cases} == {suite}
        assert len({suite_matrix.group(case.name) for case in batch.cases}) == 1
        assert len(batch.cases) <= suite_matrix.batch
