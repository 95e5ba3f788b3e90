"""Compares two built sites: each platform's commands, versions, facts, texts and test results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import AwareDatetime, Field, ValidationError

from accelerator_portal.results.history import ResultKind
from accelerator_portal.results.stored_reports import LONG_AGO
from accelerator_portal.site.difference.commands import (
    CommandsByChoice,
    command_changes,
    variant_labels,
)
from accelerator_portal.site.difference.json_changes import changes, shortened
from accelerator_portal.site.difference.shapes import (
    MOST_ENTRIES,
    Difference,
    Item,
    Move,
    PagesDifference,
    PlatformDifference,
    change_kind,
)
from accelerator_portal.site.difference.site_state import (
    PlatformData,
    PlatformState,
    ReportState,
    SiteState,
    VersionRows,
    problems_in,
)
from accelerator_reports.file_reading import load_json
from accelerator_reports.files.fields import OpenModel
from accelerator_reports.files.problem import Problem, ProblemsError
from accelerator_reports.outcomes import BAD, GOOD, OUTCOMES, Outcome
from accelerator_reports.report import Scalar
from accelerator_reports.test_keys import Identity, parameters_of

# Keys of quality data that pages don't show as text.
_HIDDEN_QUALITY_KEYS = ("id", "badge")

# The only keys that are compared if a platform has no quality data before or after.
_QUALITY_KEYS_WHEN_NEW = ("level", "why")

_EMPTY_PLATFORM = PlatformState(
    "",
    PlatformData(accelerator={}, compatibility=VersionRows(), guide={}, faq=()),
    CommandsByChoice({}, {}),
)


LatestOutcomes = Mapping[tuple[ResultKind, Identity], Outcome]
"""The outcome of each test in the newest report that has the test, by basis (`runs` or `baselines`)
and identity of the test."""


class _Test(OpenModel):
    suite: str
    name: str
    parameters: dict[str, Scalar] = Field(default_factory=dict)
    outcome: Outcome


class _Report(OpenModel):
    started: AwareDatetime | None = None
    tests: tuple[_Test, ...]


def compare(before: SiteState, after: SiteState) -> Difference:
    """Return the differences between two built sites.

    Raises ProblemsError if a report cannot be read, or if values are nested too deeply.
    """
    both_have_pages = before.pages is not None and after.pages is not None
    try:
        return Difference(
            shared=tuple(_release_changes(before, after))[:MOST_ENTRIES],
            platforms=tuple(_platform_differences(before, after)),
            pages=_page_changes(before.pages or {}, after.pages or {}) if both_have_pages else None,
        )
    except RecursionError:
        what = "the values are nested too deeply"
        raise ProblemsError([Problem("api/v1", 1, what, "build the sites again")]) from None


def _release_changes(before: SiteState, after: SiteState) -> Iterator[Item]:
    yield from changes(_newest_release(before), _newest_release(after), "newest release of PyTorch")
    yield from changes(list(before.releases), list(after.releases), "PyTorch")


def _newest_release(state: SiteState) -> str | None:
    return next((str(release.get("version")) for release in state.releases), None)


def _platform_differences(before: SiteState, after: SiteState) -> Iterator[PlatformDifference]:
    for id_ in dict.fromkeys((*after.platforms, *before.platforms)):
        old, new = before.platforms.get(id_), after.platforms.get(id_)
        change = change_kind(old, new)
        lists = _change_lists(old or _EMPTY_PLATFORM, new or _EMPTY_PLATFORM)
        if change != "changed" or any(lists.values()):
            yield PlatformDifference(
                id=id_,
                name=(new or old or _EMPTY_PLATFORM).name,
                change=change,
                left_out={n: len(e) - MOST_ENTRIES for n, e in lists.items() if e[MOST_ENTRIES:]},
                **{name: tuple(entries[:MOST_ENTRIES]) for name, entries in lists.items()},
            )


def _change_lists(old: PlatformState, new: PlatformState) -> dict[str, Sequence[Any]]:
    moves, tests = result_changes(old, new)
    return {
        "commands": command_changes(old.choices, new.choices),
        "versions": list(_version_changes(old.folder, new.folder)),
        "facts": list(_fact_changes(old, new)),
        "texts": list(_text_changes(old.folder, new.folder)),
        "reports": [*report_changes(old, new), *tests],
        "moves": moves,
        "evidence": list(_evidence_changes(old, new)),
    }


def _version_changes(old: PlatformData, new: PlatformData) -> Iterator[Item]:
    before: list[Mapping[str, Any]] = list(old.compatibility.rows)
    after = new.compatibility.rows
    for row, new_row in _plugin_updates(before, after):
        # The same row with another plugin: its other values are not listed again.
        before[before.index(row)] = {**row, "plugin": new_row["plugin"]}
        name = ", ".join(f"{key} {row[key]}" for key in ("torch", "variant") if key in row)
        yield from changes(row["plugin"], new_row["plugin"], f"{name}: plugin")
    yield from changes(before, list(after))
    yield from changes(old.compatibility.model_extra, new.compatibility.model_extra)


def _plugin_updates(
    before: Sequence[Mapping[str, Any]], after: Sequence[Mapping[str, Any]]
) -> list[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    """Return pairs of an old and a new version row that differ in the plugin's version.

    `before` has the old rows, and `after` has the new rows. Both rows of a pair have the same
    PyTorch release and variant. Two kinds of rows are left out first: rows without a plugin, and
    rows whose release, variant and plugin are in both `before` and `after`. A release and variant
    gives a pair only if exactly one old and one new row are left.
    """
    rows_by_key: dict[tuple[Any, Any], tuple[list[Any], list[Any]]] = {}
    plugins = [{_row_key(row, "plugin") for row in side} for side in (before, after)]
    for side, other_keys, side_index in ((before, plugins[1], 0), (after, plugins[0], 1)):
        for row in side:
            if "plugin" in row and _row_key(row, "plugin") not in other_keys:
                rows_by_key.setdefault(_row_key(row), ([], []))[side_index].append(row)
    return [
        (old_rows[0], new_rows[0])
        for old_rows, new_rows in rows_by_key.values()
        if len(old_rows) == len(new_rows) == 1
    ]


def _row_key(row: Mapping[str, Any], *more: str) -> tuple[Any, ...]:
    return tuple(str(row.get(key)) for key in ("torch", "variant", *more))


def _fact_changes(old: PlatformState, new: PlatformState) -> Iterator[Item]:
    yield from changes(old.folder.accelerator, new.folder.accelerator)
    yield from changes(variant_labels(old.choices), variant_labels(new.choices), "variant")
    yield from changes(old.cards, new.cards, "runs on")


def _text_changes(old: PlatformData, new: PlatformData) -> Iterator[Item]:
    """Yield the changed guide sections and questions by name, without their texts."""
    yield from _without_texts(changes(old.guide, new.guide, "Guide"))
    yield from _without_texts(
        changes(_answers_by_question(old), _answers_by_question(new), "Question")
    )


def _answers_by_question(folder: PlatformData) -> dict[str, str]:
    return {question.question: question.answer for question in folder.faq}


def _without_texts(items: Iterable[Item]) -> Iterator[Item]:
    return (Item(change=item.change, name=item.name) for item in items)


def _evidence_changes(old: PlatformState, new: PlatformState) -> Iterator[Item]:
    if old.quality and new.quality:
        yield from changes(_shown_quality(old.quality), _shown_quality(new.quality))
    else:
        for name in _QUALITY_KEYS_WHEN_NEW:
            yield from changes(old.quality.get(name), new.quality.get(name), name)
    yield from changes(old.history, new.history, "over time")


def _shown_quality(quality: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in quality.items() if key not in _HIDDEN_QUALITY_KEYS}


def report_changes(before: PlatformState, after: PlatformState) -> Iterator[Item]:
    """Yield the new, removed and changed reports of a platform.

    A report is changed if both sites have its id with different contents.
    """
    for id_ in dict.fromkeys((*after.reports, *before.reports)):
        old_report, new_report = before.reports.get(id_), after.reports.get(id_)
        if old_report and new_report and old_report.digest == new_report.digest:
            continue
        yield Item(
            change=change_kind(old_report, new_report),
            name=id_,
            before=_report_summary(old_report.entry) if old_report else None,
            after=_report_summary(new_report.entry) if new_report else None,
        )


def result_changes(
    before: PlatformState, after: PlatformState
) -> tuple[tuple[Move, ...], tuple[Item, ...]]:
    """Return the tests whose outcome changed, and the numbers of new and removed tests.

    Changed tests that fail now come first. The numbers are given for each suite, separately for
    runs and baselines. If `before` and `after` have the same reports, both tuples are empty. Raises
    ProblemsError if a report cannot be read.
    """
    if not any(report_changes(before, after)):
        return (), ()
    old, new = latest_outcomes(before), latest_outcomes(after)
    change_counts = Counter(
        (basis, test.suite, test.name, old[basis, test], outcome)
        for (basis, test), outcome in new.items()
        if old.get((basis, test), outcome) != outcome
    )
    moves = [
        Move(
            basis=basis,
            suite=suite,
            name=name,
            before=old_outcome,
            after=new_outcome,
            settings=settings,
        )
        for (basis, suite, name, old_outcome, new_outcome), settings in change_counts.items()
    ]
    moves.sort(key=lambda move: (_severity_rank(move), move.basis, move.suite, move.name))
    return tuple(moves), tuple(_test_count_changes(old, new))


def latest_outcomes(platform: PlatformState) -> LatestOutcomes:
    """Return the outcome of each test in the newest report that has the test.

    Raises ProblemsError if a report cannot be read.
    """
    reports = [(_read_report(report.file), report.entry) for report in platform.reports.values()]
    reports.sort(key=lambda report_and_entry: report_and_entry[0].started or LONG_AGO)
    outcome_by_test: dict[tuple[ResultKind, Identity], Outcome] = {}
    for report, entry in reports:
        basis: ResultKind = "baselines" if entry.kind == "baseline" else "runs"
        for test in report.tests:
            identity = Identity(test.suite, test.name, parameters_of(test.parameters))
            outcome_by_test[basis, identity] = test.outcome
    return outcome_by_test


def _report_summary(entry: ReportState) -> str:
    """Return a report in one line: `self-reported, torchbench: 75 passed, 15 failed`."""
    suites = (f"{suite}: {_count_words(counts)}" for suite, counts in entry.counts.items())
    return shortened(", ".join((entry.kind, *suites)))


def _count_words(counts: Mapping[Outcome, int]) -> str:
    return ", ".join(f"{counts[o]:,} {o.replace('-', ' ')}" for o in OUTCOMES if counts.get(o))


def _severity_rank(move: Move) -> int:
    """Return a sort key for a changed outcome; the most severe changes have the lowest key.

    The key is 0 if the test passed before and fails now. It is 1 for other tests that fail now, 2
    for tests that pass now, and 3 for all others.
    """
    if move.after in BAD:
        return 0 if move.before in GOOD else 1
    return 2 if move.after in GOOD else 3


def _test_count_changes(old: LatestOutcomes, new: LatestOutcomes) -> Iterator[Item]:
    added, removed = (
        Counter(f"tests of {test.suite}, {basis}" for basis, test in keys)
        for keys in (new.keys() - old.keys(), old.keys() - new.keys())
    )
    for name, count in sorted(added.items()):
        yield Item(change="added", name=name, after=f"{count:,}")
    for name, count in sorted(removed.items()):
        yield Item(change="gone", name=name, before=f"{count:,}")


def _read_report(file: Path) -> _Report:
    with problems_in(file):
        data = load_json(file)
    try:
        return _Report.model_validate(data)
    except ValidationError:
        problem = Problem(str(file), 1, "this is not a test report", "build the site again")
        raise ProblemsError([problem]) from None


def _page_changes(before: Mapping[str, str], after: Mapping[str, str]) -> PagesDifference:
    """Return the added, removed and changed pages; both arguments are results of `read_pages`."""
    lists = {
        "added": [page for page in after if page not in before],
        "gone": [page for page in before if page not in after],
        "changed": [p for p, digest in after.items() if before.get(p, digest) != digest],
    }
    left_out = {name: len(pages) - MOST_ENTRIES for name, pages in lists.items()}
    return PagesDifference(
        left_out={name: count for name, count in left_out.items() if count > 0},
        **{name: tuple(pages[:MOST_ENTRIES]) for name, pages in lists.items()},
    )
