"""Writes what a vendor hands over to pytorch.org's Additional Platforms page.

For each platform these are the two files of `pytorch/pytorch.github.io`, the text of the pull
request, and the application on which the Accelerator Integration Working Group votes. Upstream's
guide and its script at commit 3bb9fbf name the rules for the files, and the admission process in
`pytorch-fdn/oota` at commit 6fc72a0 those for the application.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.catalog.files.shared_files import RelayRepository
from accelerator_portal.catalog.files.versions_file import CompatibilityRow
from accelerator_portal.catalog.markdown_file import code_span
from accelerator_portal.install.additional_platforms import (
    AdditionalPlatform,
    additional_platform,
    additional_platform_id,
)
from accelerator_portal.install.expand import rows_by_platform
from accelerator_portal.install.resolution import supported_releases
from accelerator_portal.releases.upstream_listing import (
    PLATFORM_FILES,
    PLATFORM_PAGES,
    UpstreamListing,
)
from accelerator_portal.site.additional_platform_page import (
    PlatformPage,
    page_address,
    plain_text,
    platform_page,
    rendering_problems,
    source_link,
)
from accelerator_portal.site.pages.features import FEATURE_LABELS
from accelerator_portal.site.site_file import SiteFile
from accelerator_portal.site.text_formats import EXTENT_WORDS, prose_list
from accelerator_portal.site.upstream_faults import MAX_CODE, ListingFault, upstream_faults
from accelerator_reports.files.fields import FeatureId
from accelerator_reports.files.problem import Problem
from accelerator_reports.files.sources import Source
from accelerator_reports.files.wording import count

OVERVIEW = "hand-over.md"

_REPOSITORY = "https://github.com/pytorch/pytorch.github.io"
_APPLICATIONS = "https://github.com/pytorch-fdn/additional-compute-platforms/issues"
_ADMISSION = (
    "https://github.com/pytorch-fdn/oota/blob/6fc72a0293727c786bac73af46e2032453ae709a/governance/"
    "pytorch_additional_compute_platforms_admission_process.md"
)
_TO_COMPLETE = "**To complete:**"
_NEWEST_ROWS = 5


@dataclass(frozen=True, slots=True)
class HandOver:
    """What is handed over of one platform. `site` is the address of the portal's site."""

    catalog: Catalog
    platform: Platform
    entry: AdditionalPlatform
    page: PlatformPage
    site: str

    @property
    def id(self) -> str:
        """The platform's id on pytorch.org."""
        return additional_platform_id(self.platform)

    @property
    def entry_file(self) -> str:
        """The path of the entry in upstream's repository."""
        return f"{PLATFORM_FILES}/{self.id}.json"

    @property
    def page_file(self) -> str:
        """The path of the page in upstream's repository."""
        return f"{PLATFORM_PAGES}/{self.id}.md"


def hand_overs(catalog: Catalog, site: str) -> list[HandOver]:
    """Return the hand-over of each platform that pytorch.org's own selector lacks.

    Platforms without a command for a release on Linux or Windows are left out. `site` is the
    address of the portal's site, and ends with `/`.
    """
    return [
        HandOver(catalog, platform, entry, platform_page(platform, site), site)
        for platform in catalog.platforms
        if (entry := additional_platform(catalog, platform))
    ]


def hand_over_problems(items: Sequence[HandOver]) -> Iterator[Problem]:
    """Yield what prevents the hand-over: pages that upstream breaks, and ids of two platforms."""
    owners: dict[str, str] = {}
    for item in items:
        yield from rendering_problems(item.platform, item.site)
        owner = owners.setdefault(item.id, item.platform.id)
        if owner != item.platform.id:
            what = f'"{item.id}" is also the id of {owner} on pytorch.org'
            yield Problem(
                item.platform.path("accelerator.yaml"), 1, what, "correct additional_platform"
            )


def hand_over_files(
    catalog: Catalog, items: Sequence[HandOver], listing: UpstreamListing | None
) -> Iterator[SiteFile]:
    """Yield the files of a hand-over. Without `listing`, no text speaks of what upstream has."""
    faults = list(upstream_faults(catalog, listing)) if listing else []
    for item in items:
        data = item.entry.model_dump(exclude_none=True)
        yield SiteFile(item.entry_file, json.dumps(data, indent=2, ensure_ascii=False) + "\n")
        yield SiteFile(item.page_file, item.page.text)
        yield SiteFile(f"applications/{item.id}.md", application(item))
        own_faults = [fault for fault in faults if fault.platform == item.platform.id]
        yield SiteFile(f"pull-requests/{item.id}.md", pull_request(item, listing, own_faults))
    yield SiteFile(OVERVIEW, _overview(catalog, items, listing, faults))


def pull_request(
    item: HandOver, listing: UpstreamListing | None, faults: Iterable[ListingFault]
) -> str:
    """Return the text of the pull request for a platform, with the headings of upstream's form."""
    accelerator = item.platform.accelerator
    files = f"`{item.entry_file}` and `{item.page_file}`"
    portal = f"[PyTorch accelerator portal]({page_address(item.platform, item.site)})"
    lines = [
        f"# {plain_text(accelerator.name)}: install commands and guide",
        "## Description",
        plain_text(accelerator.summary),
        f"The files {files} were generated from the {portal}.",
        *_differences(item, listing),
        "## Motivation",
        *_fault_items(faults),
        f"- Nightly builds: {_nightly_words(item.entry)}",
        f"- {_TO_COMPLETE} the address of the application in {_APPLICATIONS} that passed the vote",
        f"- Questions: {_support(item)}",
    ]
    return _joined(lines)


def _nightly_words(entry: AdditionalPlatform) -> str:
    if entry.preview:
        return "`preview` has the command."
    return "the portal knows no command. Upstream's guide asks for a stable and a nightly build."


def _differences(item: HandOver, listing: UpstreamListing | None) -> list[str]:
    if listing is None:
        return []
    theirs = listing.platforms.get(item.id)
    heading = f"### Difference from {listing.version}"
    if theirs is None:
        return [heading, "- Both files are new."]
    old, new = _values(theirs), _values(item.entry)
    keys = [key for key in dict.fromkeys((*old, *new)) if old.get(key) != new.get(key)]
    changes = [f"- `{key}`: {_code(old.get(key))} becomes {_code(new.get(key))}" for key in keys]
    if listing.has_markdown and listing.pages.get(item.id, "") != item.page.text:
        changes.append(f"- `{item.page_file}` is replaced.")
    return [heading, *(changes or ["- There is none."])]


def _code(text: str | None) -> str:
    return code_span(text, MAX_CODE) if text else "nothing"


def _values(entry: AdditionalPlatform) -> dict[str, str]:
    """Return the texts of an entry by key: `name`, `stable.linux`."""
    values: dict[str, str] = {}
    for key, value in entry.model_dump(exclude_none=True).items():
        nested = value.items() if isinstance(value, dict) else [("", value)]
        values |= {f"{key}.{os}" if os else key: text for os, text in nested}
    return values


def _fault_items(faults: Iterable[ListingFault]) -> list[str]:
    return [
        f"- `{fault.file}` says {fault.says}. {fault.fact} Sources: {'; '.join(fault.sources)}."
        for fault in faults
    ]


def application(item: HandOver) -> str:
    """Return the application for a platform: an answer to each requirement for admission.

    What the portal does not know is marked for the vendor to complete.
    """
    return _joined(
        [
            f"# Application: {plain_text(item.platform.accelerator.name)}",
            f"This text answers the [admission requirements]({_ADMISSION}).",
            f"Open an issue with it in {_APPLICATIONS}.",
            "For a listed platform, it is the self-assessment for the review every six months.",
            "## Functional requirements",
            *_functional_items(item),
            "## Maintenance requirements",
            *_maintenance_items(item),
        ]
    )


def _functional_items(item: HandOver) -> Iterator[str]:
    accelerator, address = item.platform.accelerator, page_address(item.platform, item.site)
    key, package = accelerator.dispatch_key, accelerator.package
    kind = f"{accelerator.integration.value}, dispatch key `{key.value}`"
    device = f"device `{accelerator.device.value}`"
    yield f"- **PyTorch integration:** {kind}, {device}{_cited(item, key.source)}"
    yield from _feature_items(item)
    reports = f"[Reports and baselines on the portal]({address}): {len(item.platform.results)}"
    yield f"- **CI:** {_TO_COMPLETE} the CI and the hardware that it covers. {reports}"
    yield from _relay_items(item)
    yield from _release_items(item)
    yield f"- **Package:** `{package.name}`{_cited(item, package.source)}"
    yield f"- **Manual:** [guide and commands]({address})"


def _maintenance_items(item: HandOver) -> Iterator[str]:
    maintainers = item.platform.accelerator.maintainers
    for person in maintainers:
        name = f"{plain_text(person.name)}, " if person.name else ""
        yield f"- **Maintainer:** {name}`{person.github}`{_cited(item, person.source)}"
    if not maintainers:
        yield f"- **Maintainers:** {_TO_COMPLETE} the names"
    yield f"- **Support:** {_support(item)}"
    yield f"- **12 months:** {_TO_COMPLETE} who maintains the platform for at least 12 months"
    yield f"- **Release lag:** {_lag_words(item)}"
    policy = "the policy for reports of vulnerabilities, with times for answers and fixes"
    yield f"- **Security:** {_TO_COMPLETE} {policy}"


def _support(item: HandOver) -> str:
    channels = item.platform.accelerator.support
    return prose_list([f"[{plain_text(channel.title)}]({channel.url})" for channel in channels])


def _feature_items(item: HandOver) -> Iterator[str]:
    features = item.platform.accelerator.features
    yield f"- **Features:** {count(len(features), 'feature')} with a source"
    for extent, words in EXTENT_WORDS.items():
        ids: list[FeatureId] = [id_ for id_ in FEATURE_LABELS if id_ in features]
        labels = [FEATURE_LABELS[id_] for id_ in ids if features[id_].works == extent]
        if labels:
            yield f"    - {words}: {', '.join(labels)}"
    yield f"    - {_TO_COMPLETE} the list of APIs"


def _relay_items(item: HandOver) -> Iterator[str]:
    title = "- **Results on PyTorch's dashboard through the CI relay:**"
    relay = item.catalog.relay
    repositories = {entry.repository for entry in item.platform.accelerator.upstream_ci}
    entries = [r for r in (relay.repositories if relay else ()) if r.repository in repositories]
    for entry in entries:
        sources = [source_link(relay.sources[name]) for name in entry.source] if relay else []
        yield f"{title} `{entry.repository}`, {_level_words(entry)} ({'; '.join(sources)})"
    if not any(entry.level for entry in entries):
        yield f"{title} {_TO_COMPLETE} a repository on the relay's allowlist"


def _level_words(entry: RelayRepository) -> str:
    requested = f"{entry.requested} is requested" if entry.requested else ""
    return ", ".join(filter(None, (f"level {entry.level}" if entry.level else "", requested)))


def _release_items(item: HandOver) -> Iterator[str]:
    rows: Sequence[CompatibilityRow] = item.platform.compatibility.rows[:_NEWEST_ROWS]
    names = [f"{row.plugin} for torch {row.torch}" for row in rows if row.plugin]
    if names:
        yield f"- **Releases:** {', '.join(names)}"
    yield f"- **Release plan:** {_TO_COMPLETE} how often releases come"


def _lag_words(item: HandOver) -> str:
    releases = supported_releases(item.catalog, item.platform)
    newest = item.catalog.releases.newest.version
    behind = count(releases.behind or 0, "minor release")
    words = f"newest torch {releases.newest}, {behind} behind {newest}"
    criteria = item.catalog.criteria
    limit = criteria.most_minors_behind if criteria else None
    if limit is not None and releases.behind is not None and releases.behind > limit:
        return f"{words}, more than the {limit} allowed. {_TO_COMPLETE} a newer release"
    return words


def _cited(item: HandOver, ids: Iterable[str]) -> str:
    sources: list[Source] = [item.platform.accelerator.sources[name] for name in ids]
    return f" ({'; '.join(map(source_link, sources))})"


def _overview(
    catalog: Catalog,
    items: Sequence[HandOver],
    listing: UpstreamListing | None,
    faults: Sequence[ListingFault],
) -> str:
    """Return what is handed over, what is not and why, and the faults on pytorch.org."""
    handed_over = {item.platform.id for item in items}
    rows = [
        f"| {plain_text(item.platform.accelerator.name)} | `{item.id}` | {item.page.length} |"
        f" {', '.join(item.page.left_out) or 'none'} | {'yes' if item.entry.preview else 'no'} |"
        f" {application(item).count(_TO_COMPLETE)} |"
        for item in items
    ]
    return _joined(
        [
            "# Hand-over to pytorch.org",
            f"Copy `{PLATFORM_FILES}/` and `{PLATFORM_PAGES}/` into a checkout of {_REPOSITORY}.",
            "Open the issue in `applications/` first, and the pull request after the vote.",
            "| Platform | Id | Lines | Sections left out | Nightly | To complete |",
            "| --- | --- | --- | --- | --- | --- |",
            *rows,
            "## Not handed over",
            *(
                f"- {plain_text(platform.accelerator.name)}: {_reason(catalog, platform)}"
                for platform in catalog.platforms
                if platform.id not in handed_over
            ),
            *_overview_faults(listing, faults),
        ]
    )


def _reason(catalog: Catalog, platform: Platform) -> str:
    if platform.id in catalog.defaults.primary:
        return "pytorch.org's own selector has it."
    if rows_by_platform(catalog)[platform.id]:
        return "there is no command for a release on Linux or Windows. `stable` needs one."
    return "there is no install command."


def _overview_faults(
    listing: UpstreamListing | None, faults: Sequence[ListingFault]
) -> Iterator[str]:
    if listing is None:
        return
    yield f"## What to correct in {listing.version}"
    yield from _fault_items(faults) or ["The portal found nothing."]


def _joined(lines: Iterable[str]) -> str:
    """Return blocks of Markdown, with a blank line between those that are not in one list."""
    text = ""
    previous = ""
    for line in lines:
        together = line.lstrip()[:2] in {"- ", "| "} and previous[:1] == line.lstrip()[:1]
        text += ("\n" if together else "\n\n" if text else "") + line
        previous = line.lstrip()
    return text + "\n"
