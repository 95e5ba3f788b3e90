"""`data/own-runs.yaml`: the platforms on which this project itself runs the suites."""

from __future__ import annotations

from accelerator_portal.catalog.fields import Id, Line, Model


class OwnRun(Model):
    """A platform whose reports may say that they were made here."""

    accelerator: Id
    """Id of the platform."""
    by: Line
    """What runs the suites there."""


class OwnRuns(Model):
    """Every platform on which this project runs the suites."""

    platforms: tuple[OwnRun, ...]
    """The platforms."""

    @property
    def ids(self) -> frozenset[str]:
        """Their ids."""
        return frozenset(run.accelerator for run in self.platforms)
