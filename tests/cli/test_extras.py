"""What works with the base dependencies alone, and what the other commands say there."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from accelerator_portal.cli.extras import INCLUDED, MODULES, Extra
from accelerator_portal.cli.main import COMMANDS
from tests.cli.base_only import NAME, Done, blocked_modules, run_base_only
from tests.folders import REPOSITORY

PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
WITH_EXTRA = {name: command.extra for name, command in COMMANDS.items() if command.extra}

# Whoever requires one of these could bring another torch than the plugin's.
BRINGS_TORCH = {"accelerate", "timm", "torch", "torchaudio", "torchvision"}


ENOUGH = [
    "--version",
    "--help",
    "check --help",
    "facts --stale 90",
    "owners --check",
    "report --help",
    "report check --help",
    "schema --check",
    "suites --help",
    "validate --help",
]
NEEDING = [
    (name, *words) for name in WITH_EXTRA for words in ((), ("--help",), ("--root", "x", "y"))
]
NEEDLESS = [(name, "--help") for name in sorted(COMMANDS.keys() - WITH_EXTRA.keys())]
NETWORK = ("check", "--network")
CLUSTER = ("validate", "--device", "cpu", "--scheduler", "tcp://127.0.0.1:1")


@cache
def runs() -> dict[tuple[str, ...], Done]:
    """What each command line comes to; a process for each would take ten times as long."""
    enough = [tuple(words.split()) for words in ENOUGH]
    lines = [*enough, *NEEDING, *NEEDLESS, NETWORK, CLUSTER]
    return dict(zip(lines, run_base_only(lines), strict=True))


@pytest.fixture
def a_report() -> Path:
    return min(REPOSITORY.glob("accelerators/cpu/results/*.json"), key=lambda p: p.stat().st_size)


@pytest.mark.parametrize("words", ENOUGH)
def test_the_base_dependencies_are_enough(words: str) -> None:
    done = runs()[tuple(words.split())]
    assert (done.returncode, done.stderr) == (0, "")


def test_reports_are_read_checked_and_written_with_the_base_alone(
    a_report: Path, tmp_path: Path
) -> None:
    out = tmp_path / "report.ctrf.json"
    lines = (
        ["show", str(a_report)],
        ["check", str(a_report)],
        ["export", "--format", "ctrf", "--out", str(out), str(a_report)],
        ["import", "--accelerator", "cpu", "--out", str(tmp_path / "report.json"), str(out)],
    )
    for done in run_base_only(["report", *line] for line in lines):
        assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("line", NEEDING)
def test_a_command_without_its_extra_says_how_to_install_it(line: tuple[str, ...]) -> None:
    done, name = runs()[line], line[0]
    extra = WITH_EXTRA[name]
    assert done.returncode == 2
    assert done.stderr == (
        f"Error: `accelerator-portal {name}` needs the optional packages of the extra `{extra}`. "
        f"In a clone of the portal, run: pip install '.[{extra}]'\n"
    )


def test_an_option_without_its_extra_says_how_to_install_it() -> None:
    done = runs()[NETWORK]
    assert done.returncode == 2
    assert "`accelerator-portal check --network` needs the optional packages" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_cluster_needs_its_extra_and_nothing_else_of_it() -> None:
    done = runs()[CLUSTER]
    assert done.returncode == 2
    assert done.stderr == (
        "Error: `accelerator-portal validate --scheduler` needs the optional packages of the extra "
        "`cluster`. In a clone of the portal, run: pip install '.[cluster]'\n"
    )


@pytest.mark.parametrize("line", NEEDLESS)
def test_a_command_that_names_no_extra_needs_none(line: tuple[str, ...]) -> None:
    done = runs()[line]
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"Usage: accelerator-portal {line[0]}")


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
