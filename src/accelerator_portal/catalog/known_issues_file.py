"""`known-issues.yaml`: tests that are known to fail, or are left out on purpose, until a day."""

from __future__ import annotations

from typing import Literal

from pydantic import model_validator

from accelerator_portal.catalog.fields import Day, Line, Model, Url, fault


class KnownFailure(Model):
    """A test, or several under a glob, with what is done about it and until when."""

    test: Line | None = None
    """The test's key: `suite/name?dtype=float32&mode=inference`; without parameters: any."""
    glob: Line | None = None
    """Instead of `test`: a pattern with `*` and `?` over keys."""
    action: Literal["skip", "expect"]
    """`skip`: it is not run; `expect`: it is run, and its failure is no news."""
    reason: Line
    """Why."""
    url: Url
    """Where it is followed up."""
    expires: Day
    """From this day on it counts no more."""

    @model_validator(mode="after")
    def _one_way_to_name(self) -> KnownFailure:
        if (self.test is None) == (self.glob is None):
            raise fault("a known issue needs either test or glob", "set exactly one of the two")
        return self


class KnownIssues(Model):
    """The known issues of one platform; the harness takes them for its list of skips."""

    issues: tuple[KnownFailure, ...]
    """The issues."""
