"""`data/executorch-goals.yaml`: what ExecuTorch asks of tests of backends, and where it works."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from accelerator_portal.catalog.fields import Id, Line, Paragraph, fault
from accelerator_portal.catalog.sources import Sourced, SourcedFile

GoalPart = Literal["goal", "axis", "metric", "output"]
Milestone = Literal[1, 2]
Counted = Literal["tests", "operators", "models", "recipes", "backends", "dtypes"]


class Goal(Sourced):
    """A thing that tests of backends should do, as a source states it."""

    id: Id
    """Its id; never changes."""
    part: GoalPart = "goal"
    """What the RFC calls it: a goal, an axis of the tests, a metric or an output."""
    milestone: Milestone | None = None
    """The milestone that it belongs to; absent where the RFC names none."""
    title: Line
    """What it is, in a few words."""
    asked: Paragraph
    """What the source says of it."""
    command: Line | None = None
    """The command that shows it on a machine without any accelerator."""
    needs: Line | None = None
    """The hardware, or its maker's software, without which it, or the rest of it, cannot be run."""

    counts: Counted | None = None
    """What to count in the newest published reports, as the figure that shows it."""
    metric: Line | None = None
    """Or the metric of tests whose median shows it."""

    @model_validator(mode="after")
    def _somewhere(self) -> Goal:
        if self.command is None and self.needs is None:
            raise fault("there is no command and no requirement", "set command, needs or both")
        return self


class ExecutorchGoals(SourcedFile):
    """What the sources ask for."""

    goals: Annotated[tuple[Goal, ...], Field(min_length=1)]
    """The goals."""
