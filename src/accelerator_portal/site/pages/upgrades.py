"""Builds the page of what each PyTorch release removes and adds on each platform."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.catalog.catalog import RELEASES
from accelerator_portal.catalog.grouping import cached_by_owner, grouped
from accelerator_portal.catalog.message import comma_list, message
from accelerator_portal.install.resolution import minor_release
from accelerator_portal.install.rows import ARCH_LABELS, OS_LABELS
from accelerator_portal.releases.upgrades import (
    SupportChange,
    UpgradeStep,
    VersionChange,
    minor_steps,
    step_to,
)
from accelerator_portal.site.pages.questions import page_sources
from accelerator_portal.site.selector_view import SelectorView
from accelerator_portal.site.site import Page, Site
from accelerator_portal.site.site_file import SiteFile, data_file
from accelerator_portal.site.text_formats import python_range
from accelerator_portal.site.vendor_text import SourceEntry, SourceList
from accelerator_reports.files.fields import StrictModel
from accelerator_reports.files.sources import sources_by_id

UPGRADES_PAGE = "versions/upgrade"

NEWEST_STEPS = 2
"""The number of steps of a platform that the page shows at first."""


class UpgradeData(StrictModel):
    """What differs between the PyTorch releases of each platform."""

    platforms: dict[str, tuple[UpgradeStep, ...]]
    """The steps by platform id, from each minor release to the next one, newest step first."""


TRANSLATED = (f"{UPGRADES_PAGE}.md",)
SCHEMAS = {"upgrades": UpgradeData}


class NamedHardware(NamedTuple):
    """Hardware whose names have no translation, and the systems. `systems` is empty for all."""

    names: tuple[str, ...]
    systems: str


@dataclass(frozen=True, slots=True)
class StepRow:
    """A row of a platform's table of steps, in words; `note` says what is not stated."""

    step: UpgradeStep
    anchor: str
    removed: tuple[str | NamedHardware, ...]
    new: tuple[str | NamedHardware, ...]
    versions: tuple[str, ...]
    note: str
    sources: Sequence[SourceEntry]
    """The sources about releases, which the page lists."""
    own_sources: Sequence[SourceEntry]
    """The sources of the platform, which its own page lists."""


def pages(site: Site) -> Iterator[Page]:
    """Yield the page of all steps."""
    catalog, steps = site.catalog, upgrade_data(site.catalog).platforms
    keys = (key for found in steps.values() for step in found for key in step.sources)
    cited = grouped(_source_files(keys)).get("releases.yaml", ())
    sources = SourceList([("releases.yaml", sources_by_id(catalog.releases.sources, cited))])
    rows = {
        platform: list(_step_rows(platform, steps[platform.id], sources))
        for platform in catalog.platforms
        if platform.id in steps
    }
    context = {"platforms": rows, "newest_steps": NEWEST_STEPS, "sources": sources}
    yield Page(f"{UPGRADES_PAGE}.md", context, edit=RELEASES)


def data(site: Site) -> Iterator[SiteFile]:
    """Yield the JSON file of all steps. Fields with their default are omitted."""
    steps = upgrade_data(site.catalog).model_dump(mode="json", exclude_defaults=True)
    yield data_file("upgrades.json", steps)


@cached_by_owner
def upgrade_data(catalog: Catalog) -> UpgradeData:
    """Return the steps of all platforms. Platforms without steps are absent."""
    steps = {platform.id: minor_steps(catalog, platform) for platform in catalog.platforms}
    return UpgradeData(platforms={platform: found for platform, found in steps.items() if found})


@cached_by_owner
def removed_words(catalog: Catalog, platform_id: str) -> dict[str, str]:
    """Return a text about what each release of a platform removed, by release.

    Each release is compared with the newest one of an earlier minor release. Releases that removed
    nothing are omitted.
    """
    platform = catalog.by_id[platform_id]
    texts: dict[str, str] = {}
    for release in catalog.releases.releases:
        step = step_to(catalog, platform, release.version)
        if step and step.removed:
            texts[release.version] = message(
                "Removed since PyTorch {before}: {what}.",
                before=step.before,
                what=comma_list(map(_plain_words, _change_words(platform, step.removed))),
            )
    return texts


def removal_note(catalog: Catalog, view: SelectorView | None) -> tuple[str, str]:
    """Return what the release that a selector shows at first removed, and the address of the step.

    The text is empty if it removed nothing; the address is then that of the page.
    """
    row = view.row if view else None
    words = removed_words(catalog, row.platform).get(row.build, "") if row else ""
    anchor = f"#{step_anchor(row.platform, row.build)}" if row and words else ""
    return words, f"{UPGRADES_PAGE}/{anchor}"


def step_anchor(platform: str, torch: str) -> str:
    """Return the id of the row of a step on the page: `rocm-2.14` for 2.14.1."""
    return f"{platform}-{'.'.join(map(str, minor_release(torch)))}"


def _step_rows(
    platform: Platform, steps: Iterable[UpgradeStep], sources: SourceList
) -> Iterator[StepRow]:
    own_sources = page_sources(platform)
    for step in steps:
        cited = grouped(_source_files(step.sources))
        yield StepRow(
            step,
            step_anchor(platform.id, step.after),
            tuple(_change_words(platform, step.removed)),
            tuple(_change_words(platform, step.new)),
            tuple(_version_words(platform, change) for change in step.versions),
            _note(step),
            _by_number(sources.cited("releases.yaml", cited.pop("releases.yaml", ()))),
            _by_number(e for file, ids in cited.items() for e in own_sources.cited(file, ids)),
        )


def _by_number(entries: Iterable[SourceEntry]) -> list[SourceEntry]:
    return sorted(set(entries), key=lambda entry: entry.number)


def _source_files(keys: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the file name and the id of each source in `UpgradeStep.sources`."""
    for key in keys:
        path, _, name = key.partition("#")
        yield path.rpartition("/")[2], name


def _note(step: UpgradeStep) -> str:
    """Return what is not stated about a step, or that nothing differs. Can be empty."""
    if step.read:
        day = str(step.read)
        return message("No version for PyTorch {torch} as of {day}.", torch=step.after, day=day)
    if not step.is_stated:
        return message("No source names a version for PyTorch {torch}.", torch=step.after)
    if "variant" in step.unstated:
        return message("Not stated: builds in PyTorch’s own index.")
    if step.unstated:
        return message("Not stated: Python versions.")
    is_same = not (step.removed or step.new or step.versions)
    return message("No difference is stated.") if is_same else ""


def _change_words(
    platform: Platform, changes: Iterable[SupportChange]
) -> Iterator[str | NamedHardware]:
    names = grouped(((change.subject, change.systems), change.name) for change in changes)
    for (subject, systems), found in names.items():
        on = comma_list(map(_system_label, systems)) if systems else ""
        if subject == "hardware":
            yield NamedHardware(tuple(found), on)
        elif subject == "python":
            yield _on_systems(f"Python {python_range(found)}", on)
        else:
            own = (
                map(_system_label, found)
                if subject == "system"
                else _variant_names(platform, found)
            )
            yield _on_systems(comma_list(own), on)


def _plain_words(words: str | NamedHardware) -> str:
    return words if isinstance(words, str) else _on_systems(comma_list(words.names), words.systems)


def _on_systems(words: str, systems: str) -> str:
    return message("{name} ({systems})", name=words, systems=systems) if systems else words


def _version_words(platform: Platform, change: VersionChange) -> str:
    names = {
        "pypi": message("Build on PyPI for {system}", system=_system_label(change.name)),
        "minimum": message("Wheels for {system}", system=_system_label(change.name)),
    }
    before, after = (
        _joined(platform, change, versions) for versions in (change.before, change.after)
    )
    return message(
        "{name}: {before} → {after}",
        name=names.get(change.subject, change.name),
        before=before or message("none"),
        after=after or message("not stated"),
    )


def _joined(platform: Platform, change: VersionChange, versions: Sequence[str]) -> str:
    if change.subject == "python":
        return python_range(versions)
    if change.subject == "pypi":
        versions = _variant_names(platform, versions)
    plain = dict.fromkeys(one.removeprefix("==").removesuffix(".*") for one in versions)
    return comma_list(plain) if plain else ""


def _variant_names(platform: Platform, ids: Iterable[str]) -> list[str]:
    names = {variant.id: variant.name for variant in platform.install.variants}
    return [names[variant] for variant in ids]


def _system_label(system: str) -> str:
    os, _, arch = system.partition(" ")
    return f"{OS_LABELS.get(os, os)} {ARCH_LABELS.get(arch, arch)}"
