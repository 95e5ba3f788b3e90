"""Models `validation.yaml`: a platform's settings for the test harness, and its deploy recipes."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field, field_validator

from accelerator_reports.files.fields import (
    Code,
    Id,
    Line,
    StrictModel,
    Url,
    exactly_one_of,
    validation_error,
)
from accelerator_reports.files.sources import Sourced
from accelerator_reports.outcomes import RunLevel

_DAY_SECONDS = 86_400

# With a tolerance of 1 or more, wrong results would pass.
_Tolerance = Annotated[float, Field(ge=0, lt=1, allow_inf_nan=False)]
_Seconds = Annotated[float, Field(gt=0, le=_DAY_SECONDS, allow_inf_nan=False)]


class OwnTolerance(StrictModel):
    """A tolerance of the platform that replaces the suite's tolerance, and the reason."""

    rtol: _Tolerance
    """Relative tolerance, for example `0.001`."""
    atol: _Tolerance
    """Absolute tolerance, for example `0.00001`."""
    reason: Line
    """Why the suite's tolerance doesn't apply. The reason is shown with each report."""
    url: Url | None = None
    """Address of a page that explains the limit."""


class Narrowed(StrictModel):
    """The values of one parameter that the platform supports."""

    only: Annotated[tuple[Line, ...], Field(min_length=1)]
    """The values to test, for example `[float32, bfloat16]`."""
    reason: Line
    """Why other values are not supported. The reason is shown with each report."""
    url: Url | None = None
    """Address of a page that explains the limit."""


class SuiteSettings(StrictModel):
    """Settings for one suite."""

    tolerances: Mapping[Id, OwnTolerance] = Field(default_factory=dict)
    """Tolerances by data type, for example `float32`, or by another key of the suite. Default: the
    suite's own tolerances."""
    axes: Mapping[Id, Narrowed] = Field(default_factory=dict)
    """Values that the platform supports, by parameter: `dtype`, `mode`, `compiler` or `recipe`.
    Default: all values of the suite."""
    timeout_s: _Seconds | None = None
    """Time limit of one test in seconds. Default: the suite's own limit."""


class DeployRecipe(StrictModel):
    """A recipe to build or deploy the platform's software. It runs in an empty folder."""

    id: Literal["from-source", "from-wheel", "in-container"]
    """Name of the recipe's test. It is the same on all platforms, so that results can be
    compared."""
    title: Line
    """Title of the recipe: what it builds or deploys."""
    script: Code | None = None
    """The commands of the recipe, run with `bash`."""
    container: Code | None = None
    """A Dockerfile for `docker build`. Use this key instead of `script`. `check` then runs in the
    image."""
    python: Line = "python"
    """The Python interpreter that runs `check`: a command, or a path relative to the recipe's
    folder. Default: `python`."""
    check: Id
    """Id of the check in `install.yaml` that tests the result of the recipe."""
    timeout_s: _Seconds = 3600
    """Time limit of the recipe in seconds. Default: 3,600."""

    _check_one_key = exactly_one_of("script", "container")


class Validation(StrictModel):
    """Settings of `accelerator-portal validate` for one platform.

    Skipped tests are in `known-issues.yaml`.
    """

    level: RunLevel = "quick"
    """How much of each test a run tries: `quick`, `standard` or `full`. Default: `quick`."""
    suites: Mapping[Id, SuiteSettings] = Field(default_factory=dict)
    """Settings by suite, for example `operators`."""
    deploy: tuple[DeployRecipe, ...] = ()
    """Recipes that build or deploy the platform's software: the tests of the suite `deploy`."""


# Part of `accelerator_portal.catalog.files.install_file`: Check, join_statements.


class Check(Sourced):
    """A check of the installation: Python code and its expected output."""

    code: Code
    """Python code to run. Each line is one simple statement."""
    prints: Code
    """What the code prints if the installation works."""

    @field_validator("code")
    @classmethod
    def _validate_code(cls, code: str) -> str:
        """Return the code unchanged.

        Raises PydanticCustomError if the code is not valid Python, contains other statements than
        imports, assignments and expressions, or changes its meaning if `join_statements` joins it.
        """
        try:
            module = ast.parse(code)
            tree_dump = ast.dump(module)
        except SyntaxError as error:
            raise validation_error(f"invalid Python: {error.msg}", "correct the code") from None
        except (ValueError, RecursionError, MemoryError):
            raise validation_error("Python cannot parse this code", "reduce the nesting") from None
        if not all(
            isinstance(s, ast.Expr | ast.Assign | ast.Import | ast.ImportFrom) for s in module.body
        ):
            raise validation_error(
                "compound statements are not allowed", "use only imports, assignments and calls"
            )
        if not _has_same_syntax_tree(join_statements(code), tree_dump):
            what = "the lines change their meaning when joined into one line"
            raise validation_error(what, "write each statement on one line, without comments")
        return code


def join_statements(code: str) -> str:
    """Return the lines of `code` as one line, joined by `; `. Each line is one statement."""
    lines = (line.strip() for line in code.splitlines())
    return "; ".join(line for line in lines if line)


def _has_same_syntax_tree(line: str, tree_dump: str) -> bool:
    try:
        return ast.dump(ast.parse(line)) == tree_dump
    except (SyntaxError, RecursionError, MemoryError):
        return False
