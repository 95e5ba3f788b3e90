from __future__ import annotations

import platform
from dataclasses import replace
from typing import Any

import pytest

from accelerator_validation.cluster import connection
from accelerator_validation.cluster.connection import common_probe_result, connect_to_cluster
from accelerator_validation.plan import RunError
from accelerator_validation.probe import ProbeResult

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
    monkeypatch.setattr(connection, "installed_version", {"torch": "2.13.0"}.get)


def with_facts(**changes: Any) -> ProbeResult:  # noqa: ANN401 - any field of an environment
    return replace(PROBED, environment={**ENVIRONMENT, **changes})


def test_machines_that_are_alike_are_one_environment() -> None:
    found = common_probe_result({"tcp://b": replace(PROBED, forks=False), "tcp://a": PROBED})
    assert found == replace(PROBED, forks=False)  # what forks on one only is not forked at all


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


@pytest.mark.parametrize("address", ["tls://127.0.0.1:9", "127.0.0.1:x", ""])
def test_an_address_that_cannot_be_used_is_told(address: str) -> None:
    with (
        pytest.raises(RunError, match=f'no Dask scheduler responds at "{address}": .*or correct'),
        connection.connect_to_cluster(address),
    ):
        pass


def test_a_device_that_no_machine_can_use_is_left_to_the_suites_that_say_why() -> None:
    broken = ProbeResult({}, "import", "libmade_up.so is missing")
    assert common_probe_result({"tcp://a": broken, "tcp://b": broken}) == broken


def test_no_client_that_would_not_close_is_made_for_an_invalid_address(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("distributed.Client", lambda *_, **__: pytest.fail("it does not close"))
    with pytest.raises(RunError, match="missing port"), connect_to_cluster("nonsense"):
        pass
