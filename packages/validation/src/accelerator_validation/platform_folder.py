"""Reads what a platform's folder says to the harness: settings, known issues, checks, reports.

The portal reads the whole folder with its own models. This module reads three files of it, so that
the harness runs without the portal, and a fault in another file does not stop a run.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, Field

from accelerator_reports.files.fields import Id, OpenModel
from accelerator_reports.files.folders import ACCELERATORS, KNOWN_ISSUES, RESULTS, VALIDATION
from accelerator_reports.files.problem import Problem, ProblemsError, did_you_mean, printable
from accelerator_reports.files.text_file import read_text
from accelerator_reports.files.wording import count
from accelerator_reports.files.yaml_file import Location, YamlFile, parse_yaml, validate
from accelerator_reports.known_issues import KnownFailure, KnownIssues
from accelerator_reports.report import Tolerance
from accelerator_reports.report_file import list_reports
from accelerator_reports.validation_file import Check, SuiteSettings, Validation
from accelerator_validation.matrix import Deployment, Matrix
from accelerator_validation.plan import RunError
from accelerator_validation.request import DEPLOY

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


# Applies the settings in a platform's `validation.yaml` to suites, and describes them in words.

# The most characters of the sentence that says how many settings are left out.
_OMISSION_CHARS = 100

# Added to a recipe's own time limit, so that the recipe is ended first.
_GRACE_S = 60


def apply_settings(matrices: Mapping[str, Matrix], platform: PlatformFolder) -> dict[str, Matrix]:
    """Return the matrices, by suite, with the platform's settings and deployment recipes.

    Raises ProblemsError, with a list of all settings that don't fit the suites, if there are any.
    """
    problems = list(_recipe_problems(platform)) if DEPLOY in matrices else []
    for suite, matrix in matrices.items():
        problems += _settings_problems(suite, matrix, platform)
    if problems:
        raise ProblemsError(problems)
    new_matrices = dict(matrices)
    for suite, settings in platform.validation.suites.items():
        if suite in new_matrices:
            new_matrices[suite] = _with_suite_settings(new_matrices[suite], settings)
    if DEPLOY in new_matrices and (recipes := platform.validation.deploy):
        longest_s = max(recipe.timeout_s for recipe in recipes) + _GRACE_S
        checks = platform.checks
        deployments = {r.id: Deployment(recipe=r, check=checks[r.check]) for r in recipes}
        new_matrices[DEPLOY] = new_matrices[DEPLOY].model_copy(
            update={
                "deployments": deployments,
                "timeout_s": max(new_matrices[DEPLOY].timeout_s, longest_s),
            }
        )
    return new_matrices


def settings_sentences(
    settings: Validation, matrices: Mapping[str, Matrix], max_chars: int
) -> Iterator[str]:
    """Yield a sentence for each tolerance, parameter and time limit that the platform sets.

    Together, the sentences have at most `max_chars` characters, including a space before each. If
    some do not fit, they are left out, and the last sentence says how many.
    """
    remaining_chars, omitted_count = max_chars - _OMISSION_CHARS, 0
    for suite in filter(matrices.__contains__, settings.suites):
        for sentence in _suite_sentences(suite, settings.suites[suite]):
            remaining_chars -= len(sentence) + 1
            if remaining_chars >= 0:
                yield sentence
            else:
                omitted_count += 1
    if omitted_count:
        yield f"The platform's {VALIDATION} has {count(omitted_count, 'more setting')}."


def _suite_sentences(suite: str, settings: SuiteSettings) -> Iterator[str]:
    for name, tolerance in settings.tolerances.items():
        numbers = f"rtol {tolerance.rtol:g}, atol {tolerance.atol:g}"
        opening = f"This platform's tolerance for {name} in {suite}: {numbers}."
        yield f"{opening} Reason: {tolerance.reason.removesuffix('.')}."
    for axis, axis_setting in settings.axes.items():
        values = ", ".join(axis_setting.only)
        opening = f"This platform supports only these values of {axis} in {suite}: {values}."
        yield f"{opening} Reason: {axis_setting.reason.removesuffix('.')}."
    if settings.timeout_s is not None:
        yield f"The time limit for each test of {suite}: {settings.timeout_s:g} s."


def _unknown_name_problem(
    platform: PlatformFolder, location: Location, message: str, name: str, names: Iterable[str]
) -> Problem:
    return platform.settings_problem(location, message, did_you_mean(name, names))


def _recipe_problems(platform: PlatformFolder) -> Iterator[Problem]:
    checks = platform.checks
    for number, recipe in enumerate(platform.validation.deploy):
        if recipe.check not in checks:
            message = f'install.yaml has no check "{recipe.check}"'
            location = ("deploy", number, "check")
            yield _unknown_name_problem(platform, location, message, recipe.check, checks)


def _settings_problems(suite: str, matrix: Matrix, platform: PlatformFolder) -> Iterator[Problem]:
    problem = partial(_unknown_name_problem, platform)
    settings = platform.validation.suites.get(suite)
    if settings is None:
        return
    for axis, axis_setting in settings.axes.items():
        location: Location = ("suites", suite, "axes", axis)
        if axis not in matrix.axes:
            yield problem(location, f'{suite} has no parameter "{axis}"', axis, matrix.axes)
            continue
        for number, value in enumerate(axis_setting.only):
            if value not in matrix.axes[axis]:
                message = f'{axis} of {suite} cannot be "{value}"'
                yield problem((*location, "only", number), message, value, matrix.axes[axis])
    for name in settings.tolerances:
        if name not in matrix.tolerances:
            message = f'{suite} has no tolerance for "{name}"'
            yield problem(("suites", suite, "tolerances", name), message, name, matrix.tolerances)


def _with_suite_settings(matrix: Matrix, settings: SuiteSettings) -> Matrix:
    tolerances = {
        name: Tolerance(rtol=tolerance.rtol, atol=tolerance.atol)
        for name, tolerance in settings.tolerances.items()
    }
    axes = {name: axis_setting.only for name, axis_setting in settings.axes.items()}
    update = {
        "tolerances": {**matrix.tolerances, **tolerances},
        "axes": {name: axes.get(name, values) for name, values in matrix.axes.items()},
        "default": {
            # If the platform supports no default value, all its values run.
            name: tuple(v for v in values if v in axes.get(name, values)) or axes[name]
            for name, values in matrix.default.items()
        },
        "timeout_s": settings.timeout_s or matrix.timeout_s,
    }
    return matrix.model_copy(update=update)
