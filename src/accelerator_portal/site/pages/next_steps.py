"""Builds the page that shows vendors what their platform lacks for the next level of evidence."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import urlencode

from accelerator_portal.catalog import Platform
from accelerator_portal.catalog.files.criteria_file import (
    Criteria,
    Level,
    LevelRequirement,
    RequiredModels,
)
from accelerator_portal.results.evidence_level import QualityAssessment
from accelerator_portal.site.results.results_view import DEMANDS, evidence_level
from accelerator_portal.site.site import Page, Site
from accelerator_reports.files.folders import ACCELERATORS

# Those of PyTorch itself are not about a vendor's reports.
_VENDOR_ISSUES = re.compile(r"https://github\.com/(?!pytorch/pytorch/)[\w.-]+/[\w.-]+/issues/?")


@dataclass(frozen=True, slots=True)
class NextStep:
    """What a platform lacks for the next level of evidence, and how its vendor can add it."""

    platform: Platform
    level: Level
    """The platform's level."""
    next: Level
    """The level above it."""
    missing: dict[LevelRequirement, str]
    """Why each unmet requirement of the next level is unmet."""
    commands: tuple[str, ...]
    """The commands that make the missing runs."""
    issue: str | None
    """The address of GitHub's form for a new issue in the vendor's repository, filled in; None if
    the platform names no such repository."""


def pages(site: Site) -> Iterator[Page]:
    """Yield the page, if the catalog has criteria."""
    criteria = site.catalog.criteria
    if criteria is None:
        return
    steps = [
        _next_step(site, platform, quality, criteria)
        for platform in site.catalog.platforms
        if (quality := evidence_level(site.catalog, site.results, platform)) and quality.missing
    ]
    steps.sort(key=lambda step: criteria.levels.index(step.level))
    yield Page("contribute/next-steps.md", {"steps": steps, "demands": DEMANDS})


def _next_step(
    site: Site, platform: Platform, quality: QualityAssessment, criteria: Criteria
) -> NextStep:
    *_, level = quality.missing
    missing = {
        demand: quality.demands[demand].why
        for demand in level.asks
        if not quality.demands[demand].met
    }
    commands = tuple(_commands(platform, missing.keys(), criteria.tested.models.suites))
    issue = _issue(site, platform, level, missing, commands)
    return NextStep(platform, quality.level, level, missing, commands, issue)


def _commands(
    platform: Platform, missing: Collection[LevelRequirement], required: Iterable[RequiredModels]
) -> Iterator[str]:
    """Yield the commands that make the missing reports on a platform's device."""
    if not {"baseline", "run", "tested"} & set(missing):
        return
    device, package = platform.accelerator.device.value, platform.accelerator.package
    start = f"accelerator-portal validate --device {device} --accelerator {platform.id}"
    if package.module != "torch" and not package.autoload:
        start += f" --import {package.module}"
    yield f"{start} --suite integration --suite operators --out operators.json"
    suites = [models.suite for models in required] if "tested" in missing else []
    if options := " ".join(f"--suite {suite}" for suite in suites if suite != "torchbench"):
        yield f"{start} {options} --out models.json"
    if "torchbench" in suites:
        yield f"{start} --torchbench benchmark --out torchbench.json"


def _issue(
    site: Site,
    platform: Platform,
    level: Level,
    missing: dict[LevelRequirement, str],
    commands: tuple[str, ...],
) -> str | None:
    """Return the address of a new issue for the vendor, with text; None without a repository."""
    channels = (channel.url for channel in platform.accelerator.support)
    address = next(filter(_VENDOR_ISSUES.fullmatch, channels), None)
    if address is None:
        return None
    name, home = platform.accelerator.name, site.edition.repository.url
    lines = [
        f"The PyTorch accelerator portal shows install commands and test results of {name}: {home}",
        f"For the level “{level.title}”, {name} lacks:",
        *(f"- {why}" for why in missing.values()),
    ]
    if commands:
        lines += ["", "These commands make the reports:", "```bash", *commands, "```"]
    lines += ["", f"Its folder: {home}/tree/main/{ACCELERATORS}/{platform.id}"]
    title = f"Test results of {name} for PyTorch’s users"
    query = urlencode({"title": title, "body": "\n".join(lines)})
    return f"{address.rstrip('/')}/new?{query}"
