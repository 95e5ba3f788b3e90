"""One folder's share of time and memory, and of the faults that are told at once."""

from __future__ import annotations

import faulthandler
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable

import pytest
from click.testing import CliRunner

from accelerator_portal.checks.folder_limits import (
    MAX_PROBLEMS,
    first_problems,
    folders_over_limits,
    load_within_limits,
)
from accelerator_portal.cli import check
from accelerator_reports.cli import main
from accelerator_reports.files.problem import Problem
from tests.day import TODAY
from tests.folders import ACCELERATOR, EXAMPLE, Tree, edited

if sys.platform == "win32":
    pytest.skip("processes have no limits there", allow_module_level=True)

import resource

from accelerator_portal.checks import folder_process
from accelerator_portal.checks.folder_process import result_within_limits, run_within_limits


def spin() -> None:
    while True:
        pass


def grow() -> None:
    kept = [bytearray(50_000_000) for _ in range(100)]
    assert kept


def fail() -> None:
    raise KeyError


def crash() -> None:
    faulthandler.disable()  # pytest's would print the stack, as if something were wrong
    os.abort()


@pytest.mark.parametrize(
    ("work", "why"),
    [
        (lambda: None, None),
        (fail, "exception"),
        (spin, "time"),
        (grow, "memory"),
        (crash, "memory"),
    ],
)
def test_what_takes_too_much_is_ended(
    work: Callable[[], None], why: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if why == "time":  # others take a second themselves, where the machine is slow
        monkeypatch.setattr(folder_process, "MAX_SECONDS", 1)
    assert run_within_limits(work) == why
    assert resource.getrlimit(resource.RLIMIT_CPU)[0] != 1, "the limits are the child's alone"


@pytest.mark.parametrize("work", [spin, grow, fail, crash])
def test_a_result_comes_from_a_process_within_the_limits_only(
    work: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    if work is spin:
        monkeypatch.setattr(folder_process, "MAX_SECONDS", 1)
    assert result_within_limits(work) is None


def test_a_result_of_another_process_is_whole() -> None:
    found = result_within_limits(lambda: (os.getpid(), "x" * 1_000_000))
    assert found
    process, text = found
    assert process != os.getpid()
    assert text == "x" * 1_000_000


def test_what_waits_for_ever_is_ended() -> None:
    assert run_within_limits(lambda: time.sleep(600), wait=0.5) == "hangs"


def test_the_process_names_the_folders_that_take_too_much(
    tree: Tree, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    root = tree({**EXAMPLE, "accelerators/another/accelerator.yaml": ""})
    # All together exceed the limits, or a rule raises an exception: then each folder is read alone.
    for all_folders in (grow, fail):
        monkeypatch.setattr(folder_process, "read_and_check_all", lambda *_, do=all_folders: do())
        monkeypatch.setattr(
            folder_process, "read_and_check", lambda *at: grow() if at[2] == "example" else fail()
        )
        assert folder_process.main(root, TODAY) == 0
        assert json.loads(capsys.readouterr().out) == {"example": "memory"}


def test_the_folders_are_read_one_by_one_only_if_they_exceed_a_limit_together(
    tree: Tree, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(folder_process, "read_and_check", lambda *_: grow())
    assert folder_process.main(tree(EXAMPLE), TODAY) == 0
    assert json.loads(capsys.readouterr().out) == {}


def test_a_folder_beyond_them_is_left_out_and_named(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the process finds; that a process finds it is tested above."""
    answer = subprocess.CompletedProcess((), 0, b'{"example": "memory"}')
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: answer)
    catalog, problems = load_within_limits(tree(EXAMPLE), TODAY)
    assert catalog
    assert catalog.platforms == ()
    (problem,) = map(str, problems)
    assert problem == (
        "accelerators/example:1: the folder takes more than 1 GB of memory to read and check; "
        "reduce the folder: use fewer or smaller reports and shorter texts"
    )


def test_the_command_names_a_folder_beyond_them(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All folders are checked in one process first. Only if that ends are they read one by one."""
    root = tree(EXAMPLE)
    with monkeypatch.context() as once:
        once.setattr(check, "load_within_limits", fail)
        done = CliRunner().invoke(main, ["check", "--root", str(root)])
        assert done.output == "1 platform, no problems.\n"
    answer = subprocess.CompletedProcess((), 0, b'{"example": "time"}')
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: answer)
    monkeypatch.setattr(folder_process, "_limit_memory", spin)
    monkeypatch.setattr(folder_process, "MAX_SECONDS", 1)
    done = CliRunner().invoke(main, ["check", "--root", str(root)])
    assert done.exit_code == 1
    assert "accelerators/example:1: the folder takes more than 10 s" in done.output


def test_where_the_data_of_all_are_broken_nothing_is_left_out(tree: Tree) -> None:
    broken = {**EXAMPLE, "data/releases.yaml": "x"}
    assert folders_over_limits(tree(broken), TODAY) == {}
    assert load_within_limits(tree(broken), TODAY)[0] is None


def test_a_broken_folder_is_no_large_one(tree: Tree) -> None:
    assert folders_over_limits(tree(edited((ACCELERATOR, "vendor:", "vendr:"))), TODAY) == {}


def test_no_more_faults_of_a_folder_are_told_than_anybody_reads() -> None:
    many = [Problem("accelerators/a/x.yaml", n, "x", "y") for n in range(1, 150)]
    other = Problem("accelerators/b/x.yaml", 1, "x", "y")
    told = first_problems([*many, other])
    assert (len(told), told[-1]) == (MAX_PROBLEMS + 2, other)
    assert "accelerators/a has more than 100 problems" in told[MAX_PROBLEMS].what
