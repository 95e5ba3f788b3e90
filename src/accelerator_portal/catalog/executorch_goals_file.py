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
    """A goal for backend tests, as a source states it."""

    id: Id
    """The id. It never changes."""
    part: GoalPart = "goal"
    """The type in the RFC: goal, test axis, metric or output."""
    milestone: Milestone | None = None
    """The milestone in the RFC, if the RFC names one."""
    title: Line
    """The title in a few words."""
    asked: Paragraph
    """What the source says about it."""
    command: Line | None = None
    """The command that shows it on a machine without an accelerator."""
    needs: Line | None = None
    """The hardware or vendor software that a test of the goal, or of a part, requires."""

    counts: Counted | None = None
    """The count in the latest published reports that shows the progress."""
    metric: Line | None = None
    """Instead of `counts`: the metric whose median shows the progress."""

    @model_validator(mode="after")
    def _somewhere(self) -> Goal:
        if self.command is None and self.needs is None:
            raise fault("there is no command and no requirement", "set command, needs or both")
        return self


class ExecutorchGoals(SourcedFile):
    """Goals that the sources state."""

    goals: Annotated[tuple[Goal, ...], Field(min_length=1)]
    """The goals."""
