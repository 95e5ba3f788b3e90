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
    """How far a number of this platform may be from its reference, and why."""

    rtol: _Room
    """Part of the reference."""
    atol: _Room
    """On top of that, in the number's own unit."""
    reason: Line
    """Why it is not that of the suite; shown with every report that it was used in."""
    url: Url | None = None
    """Where that is described."""


class Narrowed(Model):
    """The values of a parameter that this platform can have at all."""

    only: Annotated[tuple[Line, ...], Field(min_length=1)]
    """The values."""
    reason: Line
    """Why not the others; shown with every report."""
    url: Url | None = None
    """Where that is described."""


class SuiteSettings(Model):
    """What is different in one suite."""

    tolerances: Mapping[Id, OwnTolerance] = Field(default_factory=dict)
    """By type, or by whatever else the suite has a tolerance for."""
    axes: Mapping[Id, Narrowed] = Field(default_factory=dict)
    """By parameter: `dtype`, `mode`, `compiler`, `recipe`."""
    timeout_s: _Seconds | None = None
    """Seconds that one test may take."""


class DeployRecipe(Model):
    """A way to build or deploy the platform's software, tried in an empty folder."""

    id: Literal["from-source", "from-wheel", "in-container"]
    """The name of its test: the same words on every platform, so that they can be compared."""
    title: Line
    """What is built or deployed."""
    script: Code | None = None
    """A script for `bash`."""
    container: Code | None = None
    """Instead of it: a recipe for `docker build`; the check then runs in the image."""
    python: Line = "python"
    """The Python that the check runs with; a path in the folder counts from there."""
    check: Id
    """Id of a check in `install.yaml`."""
    timeout_s: _Seconds = 3600
    """Seconds that all of it may take."""

    @model_validator(mode="after")
    def _one_of_two(self) -> DeployRecipe:
        if (self.script is None) == (self.container is None):
            raise fault(
                "a recipe needs either a script or a container", "set exactly one of the two"
            )
        return self


class Validation(Model):
    """What the harness does differently on one platform; skips stand in `known-issues.yaml`."""

    suites: Mapping[Id, SuiteSettings] = Field(default_factory=dict)
    """By suite."""
    deploy: tuple[DeployRecipe, ...] = ()
    """The tests of the suite `deploy`."""
