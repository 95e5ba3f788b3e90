"""A vendor's recipe runs in an empty folder, and whatever it does is told with its log."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

from accelerator_reports.validation_file import Check, DeployRecipe
from accelerator_validation.case import Case, Result
from accelerator_validation.matrix import Deployment, read_matrix
from accelerator_validation.suites import deploy
from accelerator_validation.suites.deploy import output_pattern
from accelerator_validation.worker import Job, run_case


def deployed(recipe: Deployment) -> Result:
    name = recipe.recipe.id
    matrix = read_matrix("deploy").model_copy(update={"deployments": {name: recipe}})
    job = Job("none", {"deploy": matrix}, {"deploy": 60}, 1)
    return run_case(Case("deploy", name), job)


def recipe(
    script: str,
    code: str = "print('made', 1)",
    timeout_s: float = 20,
    container: str | None = None,
    python: str = "python3",
) -> Deployment:
    return Deployment(
        recipe=DeployRecipe(
            id="in-container" if container else "from-source",
            title="Made up",
            script=None if container else script,
            container=container,
            python=python,
            check="made-up",
            timeout_s=timeout_s,
        ),
        check=Check(code=code, prints="made 1", source=("made-up",)),
    )


def test_a_recipe_that_works_passes_with_its_log() -> None:
    code = "from pathlib import Path\nprint(Path('made').read_text())"
    found = deployed(recipe("echo building; printf 'made 1' > made", code))
    assert (found.outcome, found.stage, found.log_tail) == ("passed", "deploy", "building\nmade 1")
    assert found.reason == "Made up"


@pytest.mark.parametrize(
    ("made", "outcome", "stage", "reason"),
    [
        (recipe("echo no compiler >&2; false"), "failed", "build",
         "The script exited with status 1."),
        (recipe("true | false | true; echo never"), "failed", "build",
         "The script exited with status 1."),
        (recipe("sleep 30", timeout_s=0.5), "timed-out", "build",
         "The script timed out."),
        (recipe("true", "exit(4)"), "failed", "deploy",
         "The check exited with status 4."),
        (recipe("true", "print('made 2')"), "wrong-result", "deploy",
         "The check printed 'made 2', not 'made 1'."),
        (recipe("true", "import time; time.sleep(60)", 4), "timed-out", "deploy",
         "The check timed out."),
        (recipe("true", python="env/bin/python"), "failed", "deploy", ""),
    ],
)  # fmt: skip
def test_what_goes_wrong_is_told(made: Deployment, outcome: str, stage: str, reason: str) -> None:
    found = deployed(made)
    assert (found.outcome, found.stage) == (outcome, stage)
    if reason:
        assert found.reason == reason
    else:
        assert "The check could not start" in (found.reason or "")
        assert "No such file or directory" in (found.reason or "")


def test_the_environment_holds_no_secret_and_the_folder_is_empty(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", "secret-1")
    monkeypatch.setenv("PYTHONPATH", "/secret-2")
    found = deployed(recipe("ls -A; env; [ $HOME = $PWD ]"))
    assert found.outcome == "passed"
    assert "secret" not in (found.log_tail or "")
    assert (found.log_tail or "").startswith("HOME=") or "HOME=" in (found.log_tail or "")


def test_nothing_that_a_script_started_outlives_it() -> None:
    found = deployed(recipe("sleep 61.25 & sleep 62.25 & echo made 1; exit 3"))
    assert found.outcome == "failed"
    late = deployed(recipe("sleep 63.25 & wait", timeout_s=0.5))
    assert late.outcome == "timed-out"
    for _ in range(500):  # what is killed ends at once, and on a busy machine a little later
        if not left_behind():
            return
        time.sleep(0.02)
    pytest.fail(f"still there: {left_behind()}")


def left_behind() -> list[str]:
    running = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True)
    sleeps = ("sleep 61.25", "sleep 62.25", "sleep 63.25")
    return [line for line in running.stdout.splitlines() if line.startswith(sleeps)]


def test_a_log_holds_nothing_that_a_terminal_obeys() -> None:
    found = deployed(
        recipe(r"printf '\033[2J\x07red\n'; head -c 9000 /dev/zero | tr '\0' x; false")
    )
    assert found.outcome == "failed"
    assert "\x1b" not in (found.log_tail or "")
    assert len(found.log_tail or "") == 3000


def test_a_log_is_not_read_as_a_whole() -> None:
    found = deployed(recipe("truncate -s 1T ../log.txt; echo the end; false"))
    assert (found.outcome, found.log_tail) == ("failed", "the end")
    found = deployed(
        recipe("true", "import os; os.truncate('../log.txt', 1 << 40); print('made 1')")
    )
    assert (found.outcome, found.log_tail) == ("passed", "made 1")


def test_a_folder_that_cannot_be_removed_changes_no_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def busy(*_: object, **__: object) -> None:
        raise OSError("Directory not empty")  # a daemon of the recipe writes into it

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(os, "rmdir", busy)
    assert deployed(recipe("true")).outcome == "passed"


def test_a_container_without_docker_is_no_fault_of_the_platform(tmp_path: Path) -> None:
    made = recipe("", container="FROM scratch")
    found = deploy.run_recipe(made, str(tmp_path))
    assert (found.outcome, found.reason) == (
        "infrastructure-error",
        "docker is not installed on this machine.",
    )


def test_a_container_is_built_checked_and_removed(tmp_path: Path) -> None:
    told = tmp_path / "told"
    program = tmp_path / "docker"
    program.write_text(
        f'#!/bin/bash\necho "$1 $2" >> {told}\n[ $1 != build ] || (cat Dockerfile; echo)\n'
        "[ $1 != run ] || echo made 1\n",
        "utf-8",
    )
    program.chmod(0o755)
    made = recipe("", container="FROM made-up")
    found = deploy.run_recipe(made, f"{tmp_path}{os.pathsep}/usr/bin:/bin")
    assert (found.outcome, found.log_tail) == ("passed", "FROM made-up\nmade 1")
    assert told.read_text("utf-8").splitlines() == [
        "build --tag",
        "run --rm",
        "rm --force",
        "image rm",
    ]


def test_a_container_does_not_outlive_the_time_limit(tmp_path: Path) -> None:
    """The client is killed at the limit, but the container belongs to Docker's daemon."""
    program = tmp_path / "docker"
    program.write_text(
        f"#!/bin/bash\ncase $1 in\nrun) echo $4 > {tmp_path}/running; sleep 60;;\n"
        f"rm) grep -qx $3 {tmp_path}/running && rm {tmp_path}/running;;\nesac\n",
        "utf-8",
    )
    program.chmod(0o755)
    made = recipe("", container="FROM made-up", timeout_s=2)
    found = deploy.run_recipe(made, f"{tmp_path}{os.pathsep}/usr/bin:/bin")
    assert (found.outcome, found.stage) == ("timed-out", "deploy")
    assert not (tmp_path / "running").exists()


@pytest.mark.parametrize(
    ("prints", "printed", "fits"),
    [
        ("{torch}+{variant}\nTrue", "2.13.0+cpu\nTrue", True),
        ("{torch}+{variant}\nTrue", "2.13.0+cpu\nFalse", False),
        ("tensor([1., 2.])", "a warning\ntensor([1., 2.])", True),
        ("a.b", "aXb", False),
    ],
)
def test_what_a_check_prints_may_hold_versions(prints: str, printed: str, fits: bool) -> None:  # noqa: FBT001 - a parameter
    assert bool(output_pattern(prints).search(printed)) == fits
