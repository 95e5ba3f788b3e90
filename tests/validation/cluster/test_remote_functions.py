from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any

import pytest

from accelerator_validation.cluster import remote_functions
from accelerator_validation.cluster.batch import Batch, BatchOutcome, UnsuitableMachineError
from accelerator_validation.cluster.remote_functions import end_run, probe_machine, run_batch
from accelerator_validation.probe import ProbeResult
from accelerator_validation.worker import Job

JOB = Job("none", {}, {}, 1)
ENVIRONMENT = {"torch": "2.13.0"}


class Host:
    """Stands for the process for batches."""

    made = 0

    def __init__(self) -> None:
        type(self).made += 1
        self.alive = True

    def run(self, batch: Batch) -> BatchOutcome:
        """Return what no batch has."""
        del batch
        return BatchOutcome(())

    def close(self) -> None:
        """End."""
        self.alive = False


@pytest.fixture(autouse=True)
def hosts(monkeypatch: pytest.MonkeyPatch) -> type[Host]:
    """A machine without processes, whose probe finds what the batches expect."""
    monkeypatch.setattr(Host, "made", 0)
    monkeypatch.setattr(remote_functions, "HostProcess", Host)
    monkeypatch.setattr(remote_functions, "machine_name", lambda: "here")
    found(monkeypatch, ProbeResult(ENVIRONMENT))
    return Host


def found(monkeypatch: pytest.MonkeyPatch, probed: ProbeResult) -> None:
    monkeypatch.setattr(remote_functions, "probe_machine", lambda *_: probed)


def batch(run: str, environment: dict[str, Any] | None = None) -> Batch:
    return Batch(run, JOB, (), environment=environment)


def test_a_process_serves_batch_after_batch_until_its_run_ends(hosts: type[Host]) -> None:
    assert run_batch(batch("a")).machine == "here"
    run_batch(batch("a", ENVIRONMENT))
    assert hosts.made == 1
    (kept,) = remote_functions._states["a"].idle
    end_run("a")
    assert not kept.alive
    assert "a" not in remote_functions._states
    end_run("a")  # a second time there is nothing to end


def test_a_process_that_has_ended_in_a_pause_is_replaced(hosts: type[Host]) -> None:
    run_batch(batch("b"))
    remote_functions._states["b"].idle[0].close()
    run_batch(batch("b"))
    assert hosts.made == 2
    end_run("b")


@pytest.mark.parametrize(
    ("probed", "words"),
    [
        (ProbeResult({"torch": "2.12.0"}), "here has torch 2.12.0 instead of 2.13.0"),
        (
            ProbeResult({}, "device", "No such device."),
            "here cannot use the device: No such device.",
        ),
    ],
)
def test_a_machine_that_joins_later_and_is_not_alike_runs_nothing(
    monkeypatch: pytest.MonkeyPatch, hosts: type[Host], probed: ProbeResult, words: str
) -> None:
    found(monkeypatch, probed)
    with pytest.raises(UnsuitableMachineError) as error:
        run_batch(batch("c", ENVIRONMENT))
    assert str(error.value) == words
    assert hosts.made == 0


def test_a_device_is_tried_once_for_a_run(monkeypatch: pytest.MonkeyPatch) -> None:
    tried = []

    def begin(*words: object) -> AbstractContextManager[None]:
        tried.append(words)
        return nullcontext()

    monkeypatch.setattr(remote_functions, "start_probe", begin)
    monkeypatch.setattr(remote_functions, "wait_for_probe", lambda _: ProbeResult(ENVIRONMENT))
    for run in ("d", "d", "e"):
        assert probe_machine(run, "npu", None) == ProbeResult(ENVIRONMENT)
    assert tried == [("npu", None)] * 2
    end_run("d")
    end_run("e")
