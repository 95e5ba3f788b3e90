"""Which commands there are with only some packages, and what commands say that need more."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from accelerator_reports.cli.lazy_command import Extra, is_installed
from accelerator_reports.cli.main import installed_commands
from accelerator_reports.files.wording import install_command
from tests.folders import PACKAGES, REPOSITORY
from tests.reports.cli.installed import Done, all_but, run_base_only

PROJECTS = {
    name: tomllib.loads((folder / "pyproject.toml").read_text("utf-8"))["project"]
    for name, folder in PACKAGES.items()
}
COMMANDS = installed_commands()
WITH_EXTRA = {name: command.extra for name, command in COMMANDS.items() if command.extra}

# Whoever requires one of these could bring another torch than the plugin's.
BRINGS_TORCH = {"accelerate", "timm", "torch", "torchaudio", "torchvision"}

REPORTS, VALIDATION, PORTAL, AUTOMATION = PACKAGES
OF_PACKAGE = {
    name: {
        command
        for command, lazy in COMMANDS.items()
        if lazy.place.startswith(name.replace("-", "_"))
    }
    for name in PACKAGES
}
# What runs with a package and its requirements alone.
ENOUGH = {
    REPORTS: ["--version", "--help", "report check --help"],
    VALIDATION: ["--version", "--help", "report check --help", "suites --help", "validate --help"],
    PORTAL: ["--version", "check --help", "facts --stale 90", "owners --check", "schema --check"],
    AUTOMATION: ["--version", "nightly --help", "upstream --help", "new --help", "build --help"],
}
NEEDING = [
    (name, *words) for name in WITH_EXTRA for words in ((), ("--help",), ("--root", "x", "y"))
]
NETWORK = ("check", "--network")
CLUSTER = ("validate", "--device", "cpu", "--scheduler", "tcp://127.0.0.1:1")


@cache
def runs(package: str) -> dict[tuple[str, ...], Done]:
    """What each command line comes to; a process for each would take ten times as long."""
    lines = [tuple(words.split()) for words in ENOUGH[package]]
    lines += {PORTAL: [*NEEDING, NETWORK], VALIDATION: [CLUSTER]}.get(package, [])
    return dict(zip(lines, run_base_only(lines, package), strict=True))


@pytest.fixture
def a_report() -> Path:
    return min(REPOSITORY.glob("accelerators/cpu/results/*.json"), key=lambda p: p.stat().st_size)


@pytest.mark.parametrize(
    ("package", "words"), [(package, words) for package in ENOUGH for words in ENOUGH[package]]
)
def test_a_package_and_its_requirements_are_enough(package: str, words: str) -> None:
    done = runs(package)[tuple(words.split())]
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("package", "others"),
    [
        (REPORTS, ()),
        (VALIDATION, (REPORTS,)),
        (PORTAL, (REPORTS,)),
        (AUTOMATION, (REPORTS, PORTAL)),
    ],
)
def test_the_commands_of_installed_packages_are_listed(
    package: str, others: tuple[str, ...]
) -> None:
    (done,) = run_base_only([["--help"]], package)
    listed = {line.split()[0] for line in done.stdout.partition("Commands:\n")[2].splitlines()}
    assert listed == set[str]().union(*(OF_PACKAGE[name] for name in (package, *others)))
    assert all(OF_PACKAGE.values())


def test_a_command_of_a_package_that_is_not_installed_is_refused_with_its_name() -> None:
    (done,) = run_base_only([["check"]], VALIDATION)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == (
        "Error: No such command 'check'. "
        "Other commands are in accelerator-portal, accelerator-automation (not installed)."
    )
    (done,) = run_base_only([["frobnicate"]], *PACKAGES)
    assert done.stderr.splitlines()[-1] == "Error: No such command 'frobnicate'."


def test_reports_are_read_checked_and_written_with_the_reports_package_alone(
    a_report: Path, tmp_path: Path
) -> None:
    out = tmp_path / "report.ctrf.json"
    folder = ["--root", str(tmp_path)]
    lines = (
        ["show", str(a_report)],
        ["check", *folder, str(a_report)],
        ["compare", str(a_report), str(a_report)],
        ["export", "--format", "ctrf", "--out", str(out), str(a_report)],
        ["import", *folder, "--accelerator", "any", "--out", str(tmp_path / "r.json"), str(out)],
    )
    for done in run_base_only((["report", *line] for line in lines), REPORTS):
        assert (done.returncode, done.stderr) == (0, "")


def test_names_that_cannot_be_checked_are_told(a_report: Path) -> None:
    line = ["report", "check", "--root", str(REPOSITORY), str(a_report)]
    (done,) = run_base_only([line], VALIDATION)
    assert done.returncode == 0
    assert done.stderr == (
        "The names of platforms and suites are not checked: accelerator-portal is not installed.\n"
    )
    (done,) = run_base_only([line], PORTAL)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("line", NEEDING)
def test_a_command_without_its_extra_says_how_to_install_it(line: tuple[str, ...]) -> None:
    done, name = runs(PORTAL)[line], line[0]
    extra = WITH_EXTRA[name]
    assert done.returncode == 2
    assert done.stderr == (
        f"Error: `accelerator-portal {name}` needs the optional packages of the extra "
        f"`{extra.name}`. In a clone of the portal, run: "
        f"pip install ./packages/reports '.[{extra.name}]'\n"
    )


def test_an_option_without_its_extra_says_how_to_install_it() -> None:
    done = runs(PORTAL)[NETWORK]
    assert done.returncode == 2
    assert "`accelerator-portal check --network` needs the optional packages" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_cluster_needs_its_extra_and_nothing_else_of_it() -> None:
    done = runs(VALIDATION)[CLUSTER]
    assert done.returncode == 2
    assert done.stderr == (
        "Error: `accelerator-portal validate --scheduler` needs the optional packages of the extra "
        "`cluster`. In a clone of the portal, run: "
        "pip install ./packages/reports './packages/validation[cluster]'\n"
    )


@pytest.mark.parametrize(
    "extra",
    [
        *(Extra(VALIDATION, name) for name in ("cluster", "executorch")),
        *(Extra(PORTAL, name) for name in ("packages", "site")),
    ],
)
def test_an_extra_is_missing_without_one_of_its_requirements(
    extra: Extra, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = PROJECTS[extra.package]["optional-dependencies"][extra.name]
    own = {canonicalize_name(Requirement(line).name) for line in lines}
    for name in own:
        with monkeypatch.context() as patch:
            patch.setattr(
                "accelerator_reports.cli.lazy_command._is_package_installed",
                lambda asked, name=name: canonicalize_name(asked) != name,
            )
            assert not is_installed(extra)
    monkeypatch.setattr(
        "accelerator_reports.cli.lazy_command._is_package_installed", lambda _name: True
    )
    assert is_installed(extra)


@pytest.mark.parametrize("package", PACKAGES)
def test_no_package_or_extra_brings_a_torch(package: str) -> None:
    """Only `test-validation` may: it is for this repository, whose lock says which torch."""
    project = PROJECTS[package]
    lines = [*project["dependencies"]]
    for name, extra in project.get("optional-dependencies", {}).items():
        lines += extra if name != "test-validation" else ()
    assert not {canonicalize_name(Requirement(line).name) for line in lines} & BRINGS_TORCH


def test_the_packages_have_one_version_and_require_each_other_in_it() -> None:
    (version,) = {project["version"] for project in PROJECTS.values()}
    lines = [line for project in PROJECTS.values() for line in project["dependencies"]]
    siblings = [one for one in map(Requirement, lines) if one.name in PROJECTS]
    assert {(one.name, str(one.specifier)) for one in siblings} == {
        (REPORTS, f"=={version}"),
        (PORTAL, f"=={version}"),
    }


@pytest.mark.parametrize("package", PACKAGES)
def test_the_command_that_installs_a_package_names_what_it_requires(package: str) -> None:
    requirements = map(Requirement, PROJECTS[package]["dependencies"])
    siblings = {one.name for one in requirements if one.name in PROJECTS}
    if PORTAL in siblings:
        siblings.add(REPORTS)
    named = {(REPOSITORY / folder).resolve() for folder in install_command(package).split()[2:]}
    assert named == {PACKAGES[name] for name in (*siblings, package)}


def test_what_is_missing_in_a_process_is_what_a_package_does_not_need() -> None:
    missing = all_but(VALIDATION)
    assert {"accelerator-portal", "mkdocs", "pandas"} <= missing.distributions
    assert {"accelerator_portal", "accelerator_automation", "mkdocs"} <= missing.modules
    assert not {"accelerator_reports", "click", "rich"} & missing.modules
