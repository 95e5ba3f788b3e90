"""Holds what several pages of the site show. Each value is computed when a page first needs it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, Field

from accelerator_portal.catalog import Catalog
from accelerator_portal.install.commands import with_derived_formats
from accelerator_portal.install.expand import expand
from accelerator_portal.install.rows import InstallRow
from accelerator_portal.install.selector import Selector, make_selector
from accelerator_portal.results.evidence_level import as_of
from accelerator_portal.site.languages import ENGLISH, Language
from accelerator_portal.site.results.findings import read_all_verdicts, with_findings
from accelerator_portal.site.results.history_view import TestHistories, read_histories
from accelerator_portal.site.results.results_view import ResultsView, make_results_view
from accelerator_portal.site.results.speeds import SpeedRun, speed_runs
from accelerator_portal.site.templates import TEMPLATES_FOLDER, Templates
from accelerator_reports.files.fields import Count, StrictModel

# Defines the metrics of the nightly updates: duration, network traffic and failures.


class NetworkMetrics(StrictModel):
    """The amount of network traffic. Traffic of other programs, such as uv, is not included."""

    requests: Count = 0
    """The number of HTTP requests."""
    bytes: Annotated[int, Field(ge=0)] = 0
    """The number of bytes of the response bodies."""
    retries: Count = 0
    """The number of requests that repeated a failed request."""
    refusals: Count = 0
    """The number of responses that refused a request: status 401, 403 or 429, or GitHub's rate
    limit."""


class StepMetrics(NetworkMetrics):
    """The metrics of a step of a nightly run."""

    name: str
    """Name of the step."""
    seconds: Annotated[float, Field(ge=0)]
    """The duration in seconds."""
    failed: bool = False
    """Whether the step failed."""


class NightMetrics(StrictModel):
    """The metrics of a run of the nightly update."""

    schema_version: Literal[1] = 1
    """The version of this format."""
    started: AwareDatetime
    """The start time, in UTC."""
    seconds: Annotated[float, Field(ge=0)]
    """The duration in seconds."""
    published: bool
    """Whether the site was built, because something had changed."""
    steps: tuple[StepMetrics, ...]
    """The steps in their order."""
    feeds: dict[str, Count]
    """The number of report feeds by result: `new`, `unchanged`, `refused` and `unreachable`."""
    quarantined: tuple[str, ...]
    """Ids of the platforms whose folders have errors."""
    overdue: Count = 0
    """The number of regressions that are open for longer than the deadline."""

    @property
    def start(self) -> str:
        """The start in UTC, to the minute: `2026-11-21 03:00`."""
        return f"{self.started.astimezone(dt.timezone.utc):%Y-%m-%d %H:%M}"

    @property
    def failed_steps(self) -> tuple[str, ...]:
        """The names of the steps that failed."""
        return tuple(step.name for step in self.steps if step.failed)

    @property
    def network(self) -> NetworkMetrics:
        """The network traffic of all steps together."""
        names = NetworkMetrics.model_fields
        sums = {name: sum(getattr(step, name) for step in self.steps) for name in names}
        return NetworkMetrics(**sums)


class Operations(StrictModel):
    """The metrics of the last nightly runs."""

    nights: tuple[NightMetrics, ...]
    """The nightly runs, newest first. Empty if the build had no archive of their metrics."""


def read_nights(file: str) -> tuple[NightMetrics, ...]:
    """Return the metrics of the nightly runs in a JSON file; empty if `file` is an empty text.

    The file has the format of `Operations`, but the runs can be in any order. Raises OSError if the
    file cannot be read, and pydantic's ValidationError if the file is invalid.
    """
    return Operations.model_validate_json(Path(file).read_bytes()).nights if file else ()


@dataclass(frozen=True, slots=True)
class RepositoryLinks:
    """The URL of the repository (`url`), and the start of the URL that edits a file (`edit`).

    The path of the file is appended to `edit`.
    """

    url: str
    edit: str


@dataclass(frozen=True, slots=True)
class Edition:
    """What a build of the site depends on besides the repository's data.

    `today` decides which dates have passed. `nights` are the metrics of nightly runs, if available.
    `languages` are the languages besides English.
    """

    repository: RepositoryLinks
    today: dt.date
    nights: Sequence[NightMetrics] = ()
    languages: Iterable[Language] = ()


@dataclass(frozen=True, slots=True)
class Page:
    """A page before it is rendered: the path of the English page, such as `hardware.md`.

    `context` has the variables of the template. `template` is by default `path` with the suffix
    `.j2`. `edit` is the repository file that the page's edit link opens. By default, this is the
    template for English, and the file with the translations for any other language. `platform` is
    the platform's name if the page is about one platform. If `language` is given, this is the page
    in that language only.
    """

    path: str
    context: Mapping[str, Any] = field(default_factory=dict)
    template: str = ""
    edit: str = ""
    platform: str | None = None
    language: Language | None = None


@dataclass(frozen=True, eq=False)
class Site:
    """The site of a catalog. `root` is the folder of the repository.

    Stored verification results and histories that cannot be read are left out;
    `checks.stored_data` says what is wrong with them.
    """

    catalog: Catalog
    root: Path
    edition: Edition

    @cached_property
    def languages(self) -> tuple[Language, ...]:
        """All languages, English first."""
        return (ENGLISH, *self.edition.languages)

    @cached_property
    def templates(self) -> tuple[Templates, ...]:
        """The templates of each language."""
        return tuple(
            Templates(
                self.root / TEMPLATES_FOLDER,
                language,
                catalog=self.catalog,
                repository=self.edition.repository,
                today=self.edition.today,
            )
            for language in self.languages
        )

    @cached_property
    def install_rows(self) -> tuple[InstallRow, ...]:
        """The install rows of all platforms, with what readers see of their verification."""
        verdicts = read_all_verdicts(self.catalog, self.root)
        return with_findings(expand(self.catalog)[0], verdicts)

    @cached_property
    def selector(self) -> Selector:
        """The install selector, with the commands that the portal derives from vendors' rows."""
        return make_selector(self.catalog, with_derived_formats(self.catalog, self.install_rows))

    @cached_property
    def results(self) -> ResultsView:
        """The test reports of all platforms."""
        return make_results_view(self.catalog)

    @cached_property
    def histories(self) -> TestHistories:
        """The test results of all platforms over time."""
        return read_histories(self.catalog, self.root, self.results)

    @cached_property
    def speed_runs(self) -> Sequence[SpeedRun]:
        """The runs that measured speeds."""
        return speed_runs(self.catalog, self.results.reports)

    @cached_property
    def data_time(self) -> dt.datetime:
        """The time of the newest data, to which ages are counted."""
        return as_of(self.catalog, [stored.report for stored in self.results.reports])
