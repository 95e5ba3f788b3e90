"""The workers of a cluster must have one environment, which is that of the report."""

from __future__ import annotations

import platform
from dataclasses import replace
from typing import Any

import pytest

from accelerator_validation.cluster import cluster_pool
from accelerator_validation.cluster import cluster_pool as remote_functions
from accelerator_validation.cluster.cluster_pool import Batch, common_probe_result, run_batch
from accelerator_validation.plan import RunError
from accelerator_validation.pool import PoolError
from accelerator_validation.probe import ProbeResult
from accelerator_validation.worker import Job

ENVIRONMENT: dict[str, Any] = {
    "torch": "2.13.0",
    "python": platform.python_version(),
    "driver": "7.1",
    "packages": {"numpy": "2.0"},
}
PROBED = ProbeResult(ENVIRONMENT, aten={"registered": 9})


@pytest.fixture(autouse=True)
def torch_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """This machine has the torch of the workers."""
    monkeypatch.setattr(cluster_pool, "installed_version", {"torch": "2.13.0"}.get)


def with_facts(**changes: Any) -> ProbeResult:  # noqa: ANN401 - any field of an environment
    return replace(PROBED, environment={**ENVIRONMENT, **changes})


def test_machines_that_are_alike_are_one_environment() -> None:
    found = common_probe_result({"tcp://b": replace(PROBED, forks=False), "tcp://a": PROBED})
    assert found == replace(PROBED, forks=False)  # what forks on one only is not forked at all
    broken = ProbeResult({}, "import", "libmade_up.so is missing")  # left to suites that say why
    assert common_probe_result({"tcp://a": broken, "tcp://b": broken}) == broken


def test_every_difference_is_named_with_its_machine() -> None:
    others = {
        "tcp://b": with_facts(torch="2.12.0", packages={}),
        "tcp://c": replace(PROBED, fault="device", message="No such device."),
        "tcp://d": with_facts(driver=None),
    }
    with pytest.raises(RunError) as error:
        common_probe_result({"tcp://a": PROBED, **others})
    assert str(error.value).splitlines() == [
        "the Dask workers have different environments. Compared with tcp://a:",
        "  tcp://b: package numpy not known instead of 2.0",
        "  tcp://b: torch 2.12.0 instead of 2.13.0",
        "  tcp://c: the device cannot be used: No such device.",
        "  tcp://d: driver not known instead of 7.1",
    ]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"torch": "2.12.0"}, "the Dask workers have torch 2.12.0, and this machine has 2.13.0"),
        ({"python": "3.9.1"}, "the Dask workers have python 3.9, and this machine has 3."),
    ],
)
def test_tests_of_another_version_are_not_listed_here(changes: dict[str, str], words: str) -> None:
    with pytest.raises(RunError) as error:
        common_probe_result({"tcp://a": with_facts(**changes)})
    assert str(error.value).startswith(words)


@pytest.mark.parametrize(
    ("probed", "words"),
    [
        (with_facts(torch="2.12.0"), "here has torch 2.12.0 instead of 2.13.0"),
        (
            ProbeResult({}, "device", "No such device."),
            "here cannot use the device: No such device.",
        ),
    ],
)
def test_a_machine_that_joins_later_and_is_not_alike_runs_nothing(
    monkeypatch: pytest.MonkeyPatch, probed: ProbeResult, words: str
) -> None:
    monkeypatch.setattr(remote_functions, "probe_machine", lambda *_: probed)
    monkeypatch.setattr(remote_functions, "machine_name", lambda: "here")
    monkeypatch.setattr(remote_functions, "HostProcess", lambda: pytest.fail("nothing runs"))
    with pytest.raises(PoolError, match=f"^{words}$"):
        run_batch(Batch("a run", Job("none", {}, {}, 1), environment=ENVIRONMENT))
