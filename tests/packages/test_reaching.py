"""Hosts that do not answer are found out once, and not asked again."""

from __future__ import annotations

from pathlib import Path

from accelerator_portal.install.rows import PipCall
from accelerator_portal.packages.questions import Question
from accelerator_portal.packages.reaching import resolve_what_answers, silent_hosts


def test_a_host_that_is_not_there_is_silent() -> None:
    assert list(silent_hosts(["127.0.0.1:9", "127.0.0.1:9"])) == ["127.0.0.1:9"]


def fault_of(host: str) -> str | None:
    return "ConnectError" if "a." in host else None


def test_what_names_a_silent_host_is_not_resolved(tmp_path: Path) -> None:
    calls = (PipCall(("torch",)), PipCall(("x",), index="https://a.example/simple"))
    question = Question(calls, "linux", "x86_64", "3.12", first_index=False)
    answer = resolve_what_answers([question], tmp_path / "cache", fault_of)(question)
    assert (answer.kind, answer.why) == ("unchecked", "a.example did not answer (ConnectError)")
