"""What works with the base dependencies alone, and what the other commands say there."""

from __future__ import annotations

import tomllib
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from accelerator_portal.cli.extras import INCLUDED, MODULES, Extra
from accelerator_portal.cli.main import COMMANDS
from tests.cli.base_only import NAME, blocked_modules, run_base_only
from tests.folders import REPOSITORY

PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
WITH_EXTRA = {name: command.extra for name, command in COMMANDS.items() if command.extra}

# Whoever requires one of these could bring another torch than the plugin's.
BRINGS_TORCH = {"accelerate", "timm", "torch", "torchaudio", "torchvision"}


@pytest.fixture
def a_report() -> Path:
    return min(REPOSITORY.glob("accelerators/*/results/*.json"), key=lambda p: p.stat().st_size)


@pytest.mark.parametrize(
    "words",
    [
        "--version",
        "--help",
        "check --help",
        "facts --sample 3",
        "owners --check",
        "report --help",
        "report check --help",
        "schema --check",
        "suites --help",
        "validate --help",
    ],
)
def test_the_base_dependencies_are_enough(words: str) -> None:
    done = run_base_only(*words.split())
    assert (done.returncode, done.stderr) == (0, "")


def test_reports_are_read_checked_and_written_with_the_base_alone(
    a_report: Path, tmp_path: Path
) -> None:
    out = tmp_path / "report.ctrf.json"
    for words in (
        ["show", str(a_report)],
        ["check", str(a_report)],
        ["export", "--format", "ctrf", "--out", str(out), str(a_report)],
    ):
        done = run_base_only("report", *words)
        assert (done.returncode, done.stderr) == (0, "")
    words = ["--accelerator", "cpu", "--out", str(tmp_path / "report.json"), str(out)]
    done = run_base_only("report", "import", *words)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(("name", "extra"), WITH_EXTRA.items())
@pytest.mark.parametrize("words", [(), ("--help",), ("--root", "x", "y")])
def test_a_command_without_its_extra_says_how_to_install_it(
    name: str, extra: Extra, words: tuple[str, ...]
) -> None:
    done = run_base_only(name, *words)
    assert done.returncode == 2
    assert done.stderr == (
        f"Error: `accelerator-portal {name}` needs the optional packages of the extra `{extra}`. "
        f"Install them: pip install 'accelerator-portal[{extra}]'\n"
    )


def test_an_option_without_its_extra_says_how_to_install_it() -> None:
    done = run_base_only("check", "--network")
    assert done.returncode == 2
    assert "`accelerator-portal check --network` needs the optional packages" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_cluster_needs_its_extra_and_nothing_else_of_it() -> None:
    done = run_base_only("validate", "--device", "cpu", "--scheduler", "tcp://127.0.0.1:1")
    assert done.returncode == 2
    assert done.stderr == (
        "Error: `accelerator-portal validate --scheduler` needs the optional packages of the extra "
        "`cluster`. Install them: pip install 'accelerator-portal[cluster]'\n"
    )


@pytest.mark.parametrize("name", sorted(COMMANDS.keys() - WITH_EXTRA.keys()))
def test_a_command_that_names_no_extra_needs_none(name: str) -> None:
    done = run_base_only(name, "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"Usage: accelerator-portal {name}")


@pytest.mark.parametrize("extra", MODULES)
def test_the_modules_of_an_extra_are_those_of_its_requirements(extra: Extra) -> None:
    required = {Requirement(line) for line in EXTRAS[extra]}
    base = {canonicalize_name(Requirement(line).name) for line in PROJECT["dependencies"]}
    names = {canonicalize_name(r.name) for r in required} - base - {NAME}
    owners = metadata.packages_distributions()
    assert {canonicalize_name(owners[module][0]) for module in MODULES[extra]} == names
    included = {one for r in required if r.name == NAME for one in r.extras}
    assert set(INCLUDED.get(extra, ())) == included


def test_what_an_extra_needs_is_missing_in_the_process_that_tests_it() -> None:
    assert {module for modules in MODULES.values() for module in modules} <= blocked_modules()


@pytest.mark.parametrize("extra", ["", *sorted(EXTRAS.keys() - {"test-validation"})])
def test_no_extra_brings_a_torch(extra: str) -> None:
    """Only `test-validation` may: it is for this repository, whose lock says which torch."""
    lines = EXTRAS[extra] if extra else PROJECT["dependencies"]
    names = {canonicalize_name(Requirement(line).name) for line in lines}
    assert not names & BRINGS_TORCH
