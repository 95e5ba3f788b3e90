"""What the pull request for a PyTorch release says; all data stands in code."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from accelerator_portal.automation.proposals import ProposalKind, marker
from accelerator_portal.automation.sanitizer import faults
from accelerator_portal.catalog.catalog import RELEASES
from accelerator_portal.checks.release_addition import ReleaseAddition
from accelerator_portal.site.difference.harmless import span

KIND: ProposalKind = "pytorch-release"
ABOUT = "torch"

_MOST_LISTED = 40


def title(found: ReleaseAddition) -> str:
    """Return the title of the pull request, which is the subject of its commit, too."""
    verb = "Add" if found.change.is_new else "Complete"
    return f"{verb} torch {found.published.version}"


def body(found: ReleaseAddition) -> str:
    """Return the text of the pull request.

    Raises ValueError if it held anything that could act on GitHub: that would be a fault here.
    """
    version = found.published.version
    first = marker(KIND, ABOUT, [version])
    text = "\n".join([first, "", *_paragraphs(found)]) + "\n"
    if wrong := faults(text, first):
        raise ValueError(f"the pull request for torch {version}: {wrong[0]}")
    return text


def _paragraphs(found: ReleaseAddition) -> Iterator[str]:
    published, change = found.published, found.change
    when = f" on {published.date}" if published.date else ""
    name = span(f"torch {published.version}")
    yield f"{name} was published{when}. The indexes have these builds:"
    yield ""
    added = {(wheel.variant, wheel.os, arch) for wheel in change.wheels for arch in wheel.arch}
    builds = [build for build in published.builds if build.key in added]
    yield from _listed(
        f"{span(' '.join(build.key))}: {span(', '.join(sorted(build.tags)))}, "
        f"Python {span(', '.join(sorted(build.pythons)))}, from {span(build.index)}"
        for build in builds
    )
    if change.torchvision:
        yield f"- {span(f'torchvision {change.torchvision}')} requires it."
    yield ""
    yield from _section("To check, because the entry and the indexes differ", change.differences)
    unread = [f"{name}: {fault}" for name, fault in sorted(published.unread.items())]
    yield from _section("Not read this time; a later run completes the entry", unread)
    yield from _section("These files have to follow the release", map(str, found.problems))
    yield "The indexes state neither Docker images nor LibTorch archives: add them by hand."
    yield ""
    file = span(RELEASES)
    yield f"The entry is in {file}. Push changes to this branch; the nightly build keeps them."
    yield "If you close this pull request, the release is not proposed again."


def _section(heading: str, lines: Iterable[str]) -> Iterator[str]:
    found = list(lines)
    if found:
        yield f"{heading}:"
        yield ""
        yield from _listed(span(line) for line in found)
        yield ""


def _listed(lines: Iterable[str]) -> Iterator[str]:
    """Yield the first lines as a list, and say how many there are beside them."""
    found = list(lines)
    yield from (f"- {line}" for line in found[:_MOST_LISTED])
    if len(found) > _MOST_LISTED:
        yield f"- {len(found) - _MOST_LISTED} more"
