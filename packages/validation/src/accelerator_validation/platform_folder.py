"""Reads what the harness needs of a platform's folder: settings, known issues, checks, reports.

The portal reads the whole folder with its own models. This module reads three files of it, so that
the harness runs without the portal, and a fault in another file does not stop a run.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, Field

from accelerator_reports.files.fields import Id, OpenModel
from accelerator_reports.files.folders import ACCELERATORS, KNOWN_ISSUES, RESULTS, VALIDATION
from accelerator_reports.files.problem import Problem, ProblemsError, did_you_mean, printable
from accelerator_reports.files.text_file import read_text
from accelerator_reports.files.yaml_file import Location, YamlFile, parse_yaml
from accelerator_reports.files.yaml_validation import validate
from accelerator_reports.install_check import Check
from accelerator_reports.known_issues_file import KnownFailure, KnownIssues
from accelerator_reports.results_folder import list_reports
from accelerator_reports.validation_file import Validation
from accelerator_validation.plan import RunError

_INSTALL = "install.yaml"

M = TypeVar("M", bound=BaseModel)


class _Checks(OpenModel):
    """The part of `install.yaml` that the suite `deploy` needs."""

    checks: Mapping[Id, Check] = Field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class PlatformFolder:
    """The settings of a platform, and the paths of its reports."""

    id: str
    validation: Validation = field(default_factory=Validation)
    known_issues: tuple[KnownFailure, ...] = ()
    checks: Mapping[str, Check] = field(default_factory=dict)
    results: tuple[Path, ...] = ()
    settings_file: YamlFile | None = None
    """The parsed `validation.yaml`, which gives the lines of problems."""

    def settings_problem(self, location: Location, what: str, remedy: str) -> Problem:
        """Return a problem at `location` of the platform's `validation.yaml`."""
        line = self.settings_file.line(location) if self.settings_file else 1
        return Problem(f"{ACCELERATORS}/{self.id}/{VALIDATION}", line, what, remedy)


def read_platform_folder(root: Path, platform: str) -> PlatformFolder:
    """Return the settings of a platform in a clone of the portal.

    Raises RunError if there is no such folder, and ProblemsError if its files are invalid.
    """
    if not (root / ACCELERATORS).is_dir():
        raise RunError(
            f"{root.absolute()} is not a clone of the portal: it has no {ACCELERATORS}/. "
            "Pass the folder of a clone with --known-issues"
        )
    folders = sorted(entry.name for entry in os.scandir(root / ACCELERATORS) if entry.is_dir())
    if platform not in folders:
        error_text = f'there is no platform "{platform[:60]}"; {did_you_mean(platform, folders)}'
        period = "" if error_text.endswith("?") else "."
        remedy = "If the device is not the id of your platform, pass the id with --accelerator"
        raise RunError(printable(f"{error_text}{period} {remedy}"))
    reader = _FolderReader(root, f"{ACCELERATORS}/{platform}")
    validation, settings_file = reader.optional(VALIDATION, Validation)
    issues, _ = reader.optional(KNOWN_ISSUES, KnownIssues)
    install, _ = reader.optional(_INSTALL, _Checks)
    results = reader.reports()
    if reader.problems:
        raise ProblemsError(reader.problems)
    return PlatformFolder(
        platform,
        validation or Validation(),
        issues.issues if issues else (),
        install.checks if install else {},
        results,
        settings_file,
    )


@dataclass
class _FolderReader:
    root: Path
    folder: str
    problems: list[Problem] = field(default_factory=list)

    def optional(self, name: str, model: type[M]) -> tuple[M | None, YamlFile | None]:
        path = f"{self.folder}/{name}"
        if not os.path.lexists(self.root / path):
            return None, None
        text = read_text(self.root, path, self.folder)
        if isinstance(text, Problem):
            self.problems.append(text)
            return None, None
        file, problems = parse_yaml(path, text)
        self.problems += problems
        if file is None:
            return None, None
        record, problems = validate(model, file)
        self.problems += problems
        return record, file

    def reports(self) -> tuple[Path, ...]:
        path = f"{self.folder}/{RESULTS}"
        if not (self.root / path).is_dir():
            return ()
        names: Iterator[str] = (entry.name for entry in os.scandir(self.root / path))
        reports, problems = list_reports(self.root, path, sorted(names))
        self.problems += problems
        return reports
