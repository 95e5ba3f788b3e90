"""Applies a platform's own settings to the suites, and describes them in the report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from accelerator_portal.catalog import Platform, Problem, ProblemsError
from accelerator_portal.catalog.files.validation_file import SuiteSettings, Validation
from accelerator_portal.catalog.loader import VALIDATION
from accelerator_portal.catalog.problem import did_you_mean
from accelerator_portal.catalog.wording import count
from accelerator_portal.catalog.yaml_file import Location
from accelerator_validation.matrix import Deployment, Matrix, Tolerance
from accelerator_validation.request import DEPLOY

# The maximum number of characters for settings in the report's note, which may have 4,000.
_MAX_NOTE_CHARS = 3000

# Added to a recipe's own time limit, so that the recipe is ended first.
_GRACE_S = 60


def apply_settings(matrices: Mapping[str, Matrix], platform: Platform) -> dict[str, Matrix]:
    """Return the matrices with the platform's settings.

    Raises ProblemsError, which lists all settings that don't fit the suites.
    """
    faults = [
        fault
        for suite in matrices
        for fault in _settings_problems(suite, matrices[suite], platform)
    ]
    if faults:
        raise ProblemsError(faults)
    found = dict(matrices)
    for suite, own in platform.validation.suites.items():
        if suite in found:
            found[suite] = _with_suite_settings(found[suite], own)
    if DEPLOY in found and (recipes := platform.validation.deploy):
        longest = max(recipe.timeout_s for recipe in recipes) + _GRACE_S
        checks = platform.install.checks
        by_test = {r.id: Deployment(recipe=r, check=checks[r.check]) for r in recipes}
        found[DEPLOY] = found[DEPLOY].model_copy(
            update={"deployments": by_test, "timeout_s": max(found[DEPLOY].timeout_s, longest)}
        )
    return found


def settings_sentences(settings: Validation, matrices: Mapping[str, Matrix]) -> Iterator[str]:
    """Yield a sentence for each tolerance, parameter and time limit that the platform sets.

    The length of the report's note is limited. If sentences are left out for this reason, the last
    sentence says how many.
    """
    room, left = _MAX_NOTE_CHARS, 0
    for suite in filter(matrices.__contains__, settings.suites):
        for sentence in _suite_sentences(suite, settings.suites[suite]):
            room -= len(sentence) + 1
            if room >= 0:
                yield sentence
            else:
                left += 1
    if left:
        yield f"The platform's {VALIDATION} has {count(left, 'more setting')}."


def _suite_sentences(suite: str, own: SuiteSettings) -> Iterator[str]:
    for name, room in own.tolerances.items():
        numbers = f"rtol {room.rtol:g}, atol {room.atol:g}"
        opening = f"This platform's tolerance for {name} in {suite}: {numbers}."
        yield f"{opening} Reason: {room.reason.removesuffix('.')}."
    for axis, narrowed in own.axes.items():
        values = ", ".join(narrowed.only)
        opening = f"This platform supports only these values of {axis} in {suite}: {values}."
        yield f"{opening} Reason: {narrowed.reason.removesuffix('.')}."
    if own.timeout_s is not None:
        yield f"The time limit for each test of {suite}: {own.timeout_s:g} s."


def _settings_problems(suite: str, matrix: Matrix, platform: Platform) -> Iterator[Problem]:
    recipes = platform.validation.deploy if suite == DEPLOY else ()
    checks = platform.install.checks
    for number, recipe in enumerate(recipes):
        if recipe.check not in checks:
            message = f'install.yaml has no check "{recipe.check}"'
            location: Location = ("deploy", number, "check")
            yield platform.problem(
                VALIDATION, location, message, did_you_mean(recipe.check, checks)
            )
    own = platform.validation.suites.get(suite)
    if own is None:
        return
    for axis, narrowed in own.axes.items():
        location = ("suites", suite, "axes", axis)
        if axis not in matrix.axes:
            message, known = f'{suite} has no parameter "{axis}"', did_you_mean(axis, matrix.axes)
            yield platform.problem(VALIDATION, location, message, known)
            continue
        for number, value in enumerate(narrowed.only):
            if value not in matrix.axes[axis]:
                message = f'{axis} of {suite} cannot be "{value}"'
                remedy = did_you_mean(value, matrix.axes[axis])
                yield platform.problem(VALIDATION, (*location, "only", number), message, remedy)
    for name in own.tolerances:
        if name not in matrix.tolerances:
            location = ("suites", suite, "tolerances", name)
            message = f'{suite} has no tolerance for "{name}"'
            yield platform.problem(
                VALIDATION, location, message, did_you_mean(name, matrix.tolerances)
            )


def _with_suite_settings(matrix: Matrix, own: SuiteSettings) -> Matrix:
    tolerances = {
        name: Tolerance(rtol=room.rtol, atol=room.atol) for name, room in own.tolerances.items()
    }
    axes = {name: narrowed.only for name, narrowed in own.axes.items()}
    update = {
        "tolerances": {**matrix.tolerances, **tolerances},
        "axes": {name: axes.get(name, values) for name, values in matrix.axes.items()},
        "default": {
            # If the platform supports no default value, all its values run.
            name: tuple(v for v in values if v in axes.get(name, values)) or axes[name]
            for name, values in matrix.default.items()
        },
        "timeout_s": own.timeout_s or matrix.timeout_s,
    }
    return matrix.model_copy(update=update)
