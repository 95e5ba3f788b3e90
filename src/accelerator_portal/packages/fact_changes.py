"""What changed under a published version between two readings of an index."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping

from packaging.version import Version

from accelerator_portal.catalog.package_file import (
    EVERY,
    ChangeOf,
    FactChange,
    IndexFacts,
    ReleaseFacts,
)

# Of a package; older ones are in the repository's history.
MOST_CHANGES = 30


def fact_changes(
    before: IndexFacts, after: IndexFacts, versions: frozenset[Version], day: dt.date
) -> Iterator[FactChange]:
    """Yield what `after` says otherwise of the same versions; `versions` are all that exist.

    A release that is only too old to be kept was not removed. What was not known before is no
    change when it becomes known.
    """
    now = {release.version: release for release in after.releases}
    for old in before.releases:
        about: dict[str, object] = {"date": day, "index": after.index, "version": old.version}
        new = now.get(old.version)
        if new is not None:
            for of, on, was, said in _compared(old, new):
                said_so = {"of": of, "on": on, "before": was[:300], "after": said[:300]}
                yield FactChange.model_validate(about | said_so)
        elif Version(old.version) not in versions:
            yield FactChange.model_validate({**about, "of": "removed"})


def with_changes(known: tuple[FactChange, ...], found: list[FactChange]) -> tuple[FactChange, ...]:
    """Return all changes, newest first, as many as are kept."""
    merged = {_key(change): change for change in (*known, *found)}
    ordered = sorted(merged.values(), key=lambda c: (c.index, c.of, c.on))
    ordered.sort(key=lambda change: Version(change.version), reverse=True)
    ordered.sort(key=lambda change: change.date, reverse=True)
    return tuple(ordered[:MOST_CHANGES])


def _compared(old: ReleaseFacts, new: ReleaseFacts) -> Iterator[tuple[ChangeOf, str, str, str]]:
    if old.python and new.python and old.python != new.python:
        yield "python", EVERY, old.python, new.python
    if (old.yanked is None) != (new.yanked is None):
        yield "yanked", EVERY, _withdrawn(old), _withdrawn(new)
    before = {tag: ", ".join(said) for tag, said in old.requires.items()}
    after = {tag: ", ".join(said) for tag, said in new.requires.items()}
    yield from (("requires", *difference) for difference in _different(before, after))
    if old.requires and new.requires:
        yield from (("cuda", *difference) for difference in _different(old.cuda, new.cuda))


def _withdrawn(release: ReleaseFacts) -> str:
    return "" if release.yanked is None else release.yanked or "yes"


def _different(
    before: Mapping[str, str], after: Mapping[str, str]
) -> Iterator[tuple[str, str, str]]:
    for tag in sorted({*before, *after}):
        was, said = before.get(tag, before.get(EVERY)), after.get(tag, after.get(EVERY))
        if tag == EVERY and was != said and (EVERY not in before or EVERY not in after):
            continue  # told by the tags themselves
        if was is not None and said is not None and was != said:
            yield tag, was, said


def _key(change: FactChange) -> tuple[object, ...]:
    return change.date, change.index, change.version, change.of, change.on
