"""`data/own-runs.yaml`: the platforms on which this project itself runs the suites."""

from __future__ import annotations

from accelerator_portal.catalog.fields import Id, Line, Model


class OwnRun(Model):
    """A platform whose reports can have the kind `made-here`."""

    accelerator: Id
    """The id of the platform."""
    by: Line
    """The workflow or machine that runs the suites."""


class OwnRuns(Model):
    """The platforms on which this project runs the suites."""

    platforms: tuple[OwnRun, ...]
    """The platforms."""

    @property
    def ids(self) -> frozenset[str]:
        """Their ids."""
        return frozenset(run.accelerator for run in self.platforms)
