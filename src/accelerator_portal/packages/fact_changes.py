"""Lists what changed in published releases between two readings of a package index."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator, Mapping

from packaging.version import Version

from accelerator_portal.catalog.files.package_file import (
    ANY_PLATFORM_TAG,
    ChangedFact,
    FactChange,
    IndexFacts,
    ReleaseFacts,
)

# The most changes in a package's file; older ones are in the repository's history.
MOST_CHANGES = 30


# What changed, the platform tag, the old value and the new value.
_Change = tuple[ChangedFact, str, str, str]


def fact_changes(
    before: IndexFacts, after: IndexFacts, versions: frozenset[Version], day: dt.date
) -> Iterator[FactChange]:
    """Yield each change on an index between the readings `before` and `after`.

    A change is a new value of a release's fact, or the removal of a release. `versions` are all
    versions that the index has now. A release that is in `versions`, but not in `after`, was not
    removed: the portal stores only the newest releases. A fact that is unknown in one of the
    readings does not count as changed. `day` is the date of the changes.
    """
    after_by_version = {release.version: release for release in after.releases}
    for old in before.releases:
        new = after_by_version.get(old.version)
        changes: Iterable[_Change] = ()
        if new is not None:
            changes = _release_changes(old, new)
        elif Version(old.version) not in versions:
            changes = [("removed", ANY_PLATFORM_TAG, "", "")]
        for fact, tag, old_value, new_value in changes:
            yield FactChange(
                date=day,
                index=after.index,
                version=old.version,
                of=fact,
                on=tag,
                before=old_value[:300],
                after=new_value[:300],
            )


def merged_changes(
    known: tuple[FactChange, ...], found: list[FactChange]
) -> tuple[FactChange, ...]:
    """Return the old changes `known` and the new ones `found` without duplicates, newest first.

    If there are more than MOST_CHANGES, the oldest are omitted.
    """
    change_by_key = {_change_key(change): change for change in (*known, *found)}
    ordered = sorted(change_by_key.values(), key=lambda c: (c.index, c.of, c.on))
    ordered.sort(key=lambda change: Version(change.version), reverse=True)
    ordered.sort(key=lambda change: change.date, reverse=True)
    return tuple(ordered[:MOST_CHANGES])


def _release_changes(old: ReleaseFacts, new: ReleaseFacts) -> Iterator[_Change]:
    if old.python and new.python and old.python != new.python:
        yield "python", ANY_PLATFORM_TAG, old.python, new.python
    if (old.yanked is None) != (new.yanked is None):
        yield "yanked", ANY_PLATFORM_TAG, _yanked_text(old), _yanked_text(new)
    before = {tag: ", ".join(lines) for tag, lines in old.requires.items()}
    after = {tag: ", ".join(lines) for tag, lines in new.requires.items()}
    yield from (("requires", *difference) for difference in _changed_values(before, after))
    if old.requires and new.requires:
        yield from (("cuda", *difference) for difference in _changed_values(old.cuda, new.cuda))


def _yanked_text(release: ReleaseFacts) -> str:
    return "" if release.yanked is None else release.yanked or "yes"


def _changed_values(
    old_values: Mapping[str, str], new_values: Mapping[str, str]
) -> Iterator[tuple[str, str, str]]:
    """Yield each platform tag whose value differs, with the old and the new value.

    The arguments map platform tags to values. A tag that is not in a mapping has the mapping's
    value for `*`. A tag that has a value in only one of the two mappings is omitted.
    """
    for tag in sorted({*old_values, *new_values}):
        old_value = old_values.get(tag, old_values.get(ANY_PLATFORM_TAG))
        new_value = new_values.get(tag, new_values.get(ANY_PLATFORM_TAG))
        if old_value is not None and new_value is not None and old_value != new_value:
            yield tag, old_value, new_value


def _change_key(change: FactChange) -> tuple[object, ...]:
    return change.date, change.index, change.version, change.of, change.on
