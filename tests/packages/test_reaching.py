"""Hosts that do not answer are found out once, and not asked again."""

from __future__ import annotations

from pathlib import Path

from accelerator_portal.install.rows import PipCall
from accelerator_portal.packages.questions import ResolutionQuestion
from accelerator_portal.packages.reaching import resolve_what_answers, silent_hosts


def test_a_host_that_is_not_there_is_silent() -> None:
    found = silent_hosts(["127.0.0.1:9", "127.0.0.1:9", "127.0.0.1:8"])
    assert found == {"127.0.0.1:8": "ConnectError", "127.0.0.1:9": "ConnectError"}


def test_nobody_is_asked_where_nothing_is_named() -> None:
    assert silent_hosts([]) == {}


def test_what_names_a_silent_host_is_not_resolved(tmp_path: Path) -> None:
    calls = (PipCall(("torch",)), PipCall(("x",), index="https://nowhere.invalid/simple"))
    question = ResolutionQuestion(calls, "linux", "x86_64", "3.12", first_index=False)
    answer = resolve_what_answers([question], tmp_path / "cache")(question)
    why = "nowhere.invalid did not answer (ConnectError)"
    assert (answer.kind, answer.why) == ("unchecked", why)
