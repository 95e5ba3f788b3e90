"""Each package is a wheel that names plain requirements and has all files of its sources."""

from __future__ import annotations

import subprocess
from email.parser import Parser
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.folders import PACKAGES, REPOSITORY
from tests.made_once import made_once
from tests.wheels import build_wheels, environment_with

REPORTS, VALIDATION, *_ = PACKAGES


@pytest.fixture(scope="session")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_once(tmp_path_factory, "wheels", build_wheels)


def test_a_wheel_has_every_file_of_its_sources_and_no_other(wheels: Path) -> None:
    for name, folder in PACKAGES.items():
        (wheel,) = wheels.glob(f"{name.replace('-', '_')}-*.whl")
        inside = {file for file in ZipFile(wheel).namelist() if ".dist-info/" not in file}
        listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "src"]
        sources = subprocess.run(listed, cwd=folder, capture_output=True, text=True, check=True)
        files = {line.removeprefix("src/") for line in sources.stdout.splitlines()}
        assert inside == {file for file in files if (folder / "src" / file).is_file()} - {
            "README.md"
        }


def test_a_wheel_requires_packages_by_name(wheels: Path) -> None:
    """An address of the machine that built it would be of no use on another one."""
    for wheel in wheels.glob("*.whl"):
        (metadata,) = (n for n in ZipFile(wheel).namelist() if n.endswith(".dist-info/METADATA"))
        lines = Parser().parsestr(ZipFile(wheel).read(metadata).decode()).get_all("Requires-Dist")
        assert lines
        assert not [line for line in lines if "@" in line or "://" in line]


def test_the_harness_runs_from_its_wheels_without_the_portal(wheels: Path, tmp_path: Path) -> None:
    python = environment_with(VALIDATION, wheels, tmp_path / "place")

    def run(*words: str) -> str:
        command = [str(python.with_name("accelerator-portal")), *words]
        return subprocess.check_output(command, cwd=tmp_path, text=True)

    versions = [line.split()[0] for line in run("--version").splitlines()]
    assert versions == [REPORTS, VALIDATION]
    assert "--device" in run("validate", "--help")
    report = min(
        REPOSITORY.glob("accelerators/cpu/results/*.json"), key=lambda path: path.stat().st_size
    )
    assert run("report", "check", str(report)) == "1 report, no problems.\n"
    found = "import accelerator_portal"
    assert subprocess.run([python, "-c", found], check=False, capture_output=True).returncode == 1
