"""Hosts that do not answer are found out once, and not asked again."""

from __future__ import annotations

from pathlib import Path

import pytest

from accelerator_portal.install.rows import PipCall
from accelerator_portal.packages import verification
from accelerator_portal.packages.uv_resolution import ResolutionQuestion, ResolutionResult
from accelerator_portal.packages.verification import (
    ReachableHosts,
    index_hosts,
    resolver_of_reachable_hosts,
    unreachable_hosts,
)

NO_ANSWER = ResolutionResult("unchecked", why="an index did not respond", no_answer=True)


def question(*calls: PipCall) -> ResolutionQuestion:
    return ResolutionQuestion(calls, "linux", "x86_64", "3.12", first_index=False)


ON_PYPI = question(PipCall(("torch",)))


def test_a_host_that_is_not_there_is_silent() -> None:
    found = unreachable_hosts(["127.0.0.1:9", "127.0.0.1:9", "127.0.0.1:8"])
    assert found == {"127.0.0.1:8": "ConnectError", "127.0.0.1:9": "ConnectError"}


def test_nobody_is_asked_where_nothing_is_named() -> None:
    assert unreachable_hosts([]) == {}


def test_what_asks_a_silent_host_is_not_resolved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verification, "PYPI_HOST", "127.0.0.1:9")
    elsewhere = question(PipCall(("x",), index="https://nowhere.invalid/simple"))
    answer = resolver_of_reachable_hosts([ON_PYPI, elsewhere], tmp_path / "cache")
    monkeypatch.setattr(verification, "resolve", lambda *_: pytest.fail("uv was asked"))
    found = [answer(one) for one in (ON_PYPI, elsewhere)]
    assert [(one.kind, one.why) for one in found] == [
        ("unchecked", "127.0.0.1:9 did not respond (ConnectError)"),
        ("unchecked", "nowhere.invalid did not respond (ConnectError)"),
    ]


def test_pypi_is_asked_unless_every_call_names_another_index() -> None:
    other = PipCall(("x",), index="https://a.example/simple", extra_index="https://b.example:8443/")
    pypi = verification.PYPI_HOST
    assert index_hosts(ON_PYPI) == {pypi}
    assert index_hosts(question(other)) == {"a.example", "b.example:8443"}
    assert index_hosts(question(other, PipCall(("y",)))) == {"a.example", "b.example:8443", pypi}


def test_a_host_that_goes_silent_meanwhile_is_not_waited_for_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(verification, "PYPI_HOST", "127.0.0.1:9")
    hosts = ReachableHosts({})
    assert hosts.unreachable_host_text(ON_PYPI) is None
    hosts.note(ON_PYPI, NO_ANSWER)
    assert hosts.unreachable_host_text(ON_PYPI) == "127.0.0.1:9 did not respond (ConnectError)"


def test_a_host_that_answers_and_never_to_uv_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verification, "unreachable_hosts", lambda _: {})
    hosts = ReachableHosts({})
    for _ in range(4):
        hosts.note(ON_PYPI, NO_ANSWER)
    hosts.note(ON_PYPI, ResolutionResult("none"))
    for _ in range(4):
        hosts.note(ON_PYPI, NO_ANSWER)
    assert hosts.unreachable_host_text(ON_PYPI) is None
    hosts.note(ON_PYPI, NO_ANSWER)
    assert hosts.unreachable_host_text(ON_PYPI) == (
        f"{verification.PYPI_HOST} did not respond (uv got no response)"
    )


def test_after_its_time_nothing_is_resolved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verification, "unreachable_hosts", lambda _: {})
    monkeypatch.setattr(verification, "RESOLUTION_TIME_LIMIT_S", -1)
    answer = resolver_of_reachable_hosts([ON_PYPI], tmp_path / "cache")(ON_PYPI)
    assert (answer.kind, answer.why) == ("unchecked", "the 45 minutes for resolving have elapsed")
