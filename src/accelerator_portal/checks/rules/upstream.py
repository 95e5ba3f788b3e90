"""Checks the settings in `accelerator.yaml` for testing a platform with PyTorch's CI."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.catalog.files.upstream_events import UpstreamRun
from accelerator_portal.checks.rule import rule
from accelerator_reports.files.problem import Problem, did_you_mean

# The files in `.github/workflows/`. A test compares the two.
OWN_WORKFLOWS = frozenset(
    {"checks.yml", "executorch.yml", "models.yml", "nightly.yml", "openreg.yml", "pages.yml",
     "pull-request-comment.yml", "pull-request.yml", "release.yml", "test-quality.yml",
     "trials.yml", "upstream-answer.yml", "upstream-event.yml", "upstream-run.yml", "validate.yml"}
)  # fmt: skip
_PYTORCH_REPOSITORY = "pytorch/pytorch"
UpstreamFault = tuple[str, str, str]  # the key, what is wrong, and the fix


@rule()
def relay_list(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Repositories in `upstream_ci` are on the allowlist of PyTorch's CI relay.

    `data/relay.yaml` contains that list. The relay sends nothing to a repository with a misspelled
    name.
    """
    relay_entries = catalog.relay.repositories if catalog.relay else ()
    repositories = {entry.repository for entry in relay_entries}
    for platform in catalog.platforms:
        for entry in platform.accelerator.upstream_ci:
            if entry.repository not in repositories:
                what = f'there is no entry in the relay list for "{entry.repository}"'
                remedy = did_you_mean(entry.repository, repositories)
                yield platform.record_problem(entry, "repository", what, remedy)


@rule()
def upstream_events(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Platforms that test changes of PyTorch name a maintainer and use only their own CI.

    `upstream_events` in `accelerator.yaml` declares where the tests run. Comments on new failures
    name a maintainer to contact. If the tests run in this repository, their workflow is named after
    the platform, and at least one runner label starts with the platform's ID. No vendor can then
    start the portal's own workflows or use another vendor's machines. Tests cannot be started in
    PyTorch's own repository.
    """
    for platform in catalog.platforms:
        events = platform.accelerator.upstream_events
        if events is None:
            continue
        if not platform.accelerator.maintainers:
            what = "upstream_events is set, but there is no maintainer"
            remedy = "add maintainers"
            yield platform.record_problem(events, (), what, remedy)
        for key, what, remedy in _upstream_run_faults(platform, events.run):
            yield platform.record_problem(events.run, key, what, remedy)


def _upstream_run_faults(platform: Platform, run: UpstreamRun) -> Iterator[UpstreamFault]:
    if run.workflow and (
        run.workflow in OWN_WORKFLOWS or not _belongs_to_platform(platform, run.workflow[:-4])
    ):
        what = f'the workflow "{run.workflow}" does not belong to this platform'
        yield "workflow", what, f'name it "{platform.id}.yml", or "{platform.id}-….yml"'
    if run.runner and not any(_belongs_to_platform(platform, label) for label in run.runner):
        what = "no runner label starts with the platform's ID"
        yield "runner", what, f'add the label "{platform.id}", or "{platform.id}-…"'
    if run.sent_to and run.sent_to.repository.casefold() == _PYTORCH_REPOSITORY:
        what = f"events cannot be sent to {_PYTORCH_REPOSITORY}"
        yield run.start_method, what, "use your own repository"


def _belongs_to_platform(platform: Platform, name: str) -> bool:
    return name.casefold() == platform.id or name.casefold().startswith(f"{platform.id}-")
