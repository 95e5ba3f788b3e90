"""`validation.yaml`: how the harness treats one platform, with reasons, and its deploy recipes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field, model_validator

from accelerator_portal.catalog.fields import Code, Id, Line, Model, Url, fault

_DAY = 86_400

# Wider than a whole, nothing would be compared any more.
_Room = Annotated[float, Field(ge=0, lt=1, allow_inf_nan=False)]
_Seconds = Annotated[float, Field(gt=0, le=_DAY, allow_inf_nan=False)]


class OwnTolerance(Model):
    """The tolerance for this platform, and the reason for it."""

    rtol: _Room
    """Relative tolerance, for example `0.001`."""
    atol: _Room
    """Absolute tolerance, for example `0.00001`."""
    reason: Line
    """Why the suite's tolerance doesn't apply. The reason is shown with each report."""
    url: Url | None = None
    """Address of a page that explains the limit."""


class Narrowed(Model):
    """The parameter values that the platform supports."""

    only: Annotated[tuple[Line, ...], Field(min_length=1)]
    """The parameter values to test."""
    reason: Line
    """Why other values are not supported. The reason is shown with each report."""
    url: Url | None = None
    """Address of a page that explains the limit."""


class SuiteSettings(Model):
    """Settings for one suite."""

    tolerances: Mapping[Id, OwnTolerance] = Field(default_factory=dict)
    """Tolerances by data type, or by another key of the suite."""
    axes: Mapping[Id, Narrowed] = Field(default_factory=dict)
    """Supported values by parameter: `dtype`, `mode`, `compiler` or `recipe`."""
    timeout_s: _Seconds | None = None
    """The time limit of one test in seconds."""


class DeployRecipe(Model):
    """A recipe to build or deploy the platform's software. It runs in an empty folder."""

    id: Literal["from-source", "from-wheel", "in-container"]
    """The name of the test. Use the same name on all platforms, so that results can be compared."""
    title: Line
    """Title of the recipe: what it builds or deploys."""
    script: Code | None = None
    """The commands of the recipe, run with `bash`."""
    container: Code | None = None
    """Instead of `script`: a Dockerfile for `docker build`. The check runs in the image."""
    python: Line = "python"
    """The Python interpreter for the check. A path is relative to the folder."""
    check: Id
    """Id of a check in `install.yaml`."""
    timeout_s: _Seconds = 3600
    """The time limit of the recipe in seconds."""

    @model_validator(mode="after")
    def _one_of_two(self) -> DeployRecipe:
        if (self.script is None) == (self.container is None):
            raise fault(
                "a recipe needs either a script or a container", "set exactly one of the two"
            )
        return self


class Validation(Model):
    """Settings of the harness for one platform. Skipped tests are in `known-issues.yaml`."""

    suites: Mapping[Id, SuiteSettings] = Field(default_factory=dict)
    """Settings by suite."""
    deploy: tuple[DeployRecipe, ...] = ()
    """The tests of the suite `deploy`."""
