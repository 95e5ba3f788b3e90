"""Splits the data of many tests into JSON files of about 30 kB, so that a browser loads only one.

A record is the data of one test. Whether a new file begins at a record depends only on this record
and on the size of the file before. A new or removed record therefore changes one file, rarely a
few. The other files keep their names.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterable, Iterator, Mapping
from operator import itemgetter
from typing import TypeVar

from accelerator_portal.results.history import OutcomeChange
from accelerator_portal.results.history_state import HistoryPoint, State
from accelerator_portal.results.stored_history import History
from accelerator_portal.site.results.history_shapes import (
    CourseStep,
    HistoryShard,
    ReportMoment,
    TestCourses,
    TestHistoryIndex,
)
from accelerator_portal.site.site_file import SiteFile, data_file

ShardRecord = TypeVar("ShardRecord")

# Limits on the bytes of a file before compression. Between LEAST and MOST, a file ends before a
# record that the hash of its key selects, with a probability in proportion to the record's size.
LEAST_FILE_BYTES = 20_000
MOST_FILE_BYTES = 50_000
_BYTES_PER_SPLIT = 12_000

_NAME_LENGTH = 12
_CRC_RANGE = 2**32


def shards(
    records: Mapping[str, ShardRecord], sizes: Iterable[int]
) -> Iterator[dict[str, ShardRecord]]:
    """Split records into files, and yield the records of each file, by key.

    `records` maps keys to records, and must be sorted by key. `sizes` has the size of each record
    in bytes, in the same order.
    """
    shard: dict[str, ShardRecord] = {}
    total = 0
    for (key, record), size in zip(records.items(), sizes, strict=True):
        if shard and _ends_before(key, size, total):
            yield shard
            shard, total = {}, 0
        shard[key] = record
        total += size
    if shard:
        yield shard


def shard_name(first: str) -> str:
    """Return the name of the file whose first record has the key `first`: `0123456789ab.json`."""
    return f"{hashlib.sha256(first.encode()).hexdigest()[:_NAME_LENGTH]}.json"


def _ends_before(key: str, size: int, total: int) -> bool:
    """Return whether a file of `total` bytes ends before the record with this key and size."""
    if total + size > MOST_FILE_BYTES:
        return True
    is_selected = zlib.crc32(key.encode()) / _CRC_RANGE < size / _BYTES_PER_SPLIT
    return total >= LEAST_FILE_BYTES and is_selected


# The histories of single tests, as files that a browser reads when a reader selects a test.
#
# For each history, an index lists the reports and the files. A file has a range of the tests, each
# with its outcomes and the reports since which they apply. Files of unchanged tests stay the same.

TEST_HISTORIES = "test-histories"
"""The folder below `/api/v1/` with the files of test histories."""


def history_name(history: History) -> str:
    """Return the name of a platform's history of runs or baselines, such as `xpu-baselines`."""
    return f"{history.state.accelerator}-{history.state.basis}"


def history_shards(history: History) -> Iterator[SiteFile]:
    """Yield the JSON files with the tests of a history, then the index of these files."""
    folder = f"{TEST_HISTORIES}/{history_name(history)}"
    points = ordered_points(history.state)
    report_indexes = {point.id: number for number, point in enumerate(points)}
    tests = courses_by_test(history.changes, report_indexes)
    file_entries: list[tuple[str, str]] = []
    for shard in shards(tests, map(_approximate_size, tests, tests.values())):
        first_test = next(iter(shard))
        file_entries.append((first_test, shard_name(first_test)))
        yield data_file(f"{folder}/{file_entries[-1][1]}", HistoryShard(tests=shard))
    index = TestHistoryIndex.from_objects(
        history.state,
        reports=tuple(map(_report_moment, points)),
        last={name: report_indexes[g.last.id] for name, g in sorted(history.state.groups.items())},
        tests=len(tests),
        files=tuple(file_entries),
    )
    yield data_file(f"{folder}/index.json", index)


def ordered_points(state: State) -> list[HistoryPoint]:
    """Return the reports of a history, sorted by time."""
    return sorted(state.reports.values(), key=lambda point: (point.started, point.id))


def courses_by_test(
    changes: Iterable[OutcomeChange], numbers: Mapping[str, int]
) -> dict[str, TestCourses]:
    """Return the outcomes over time by test, `suite/name`, and then by settings.

    Settings are the parameters in a test's key: `dtype=float32&mode=training`. Tests and settings
    are sorted. Outcomes over time are steps as in `HistoryShard`. `numbers` has the position of
    each report in the history's list of reports, by report id.
    """
    steps_by_test: dict[str, dict[str, list[CourseStep]]] = {}
    for change in changes:
        test, _, settings = change.key.partition("?")
        step = (numbers[change.report], change.outcome, change.stage)
        steps_by_test.setdefault(test, {}).setdefault(settings, []).append(step)
    step_number = itemgetter(0)
    return {
        test: {
            name: tuple(sorted(steps, key=step_number)) for name, steps in sorted(settings.items())
        }
        for test, settings in sorted(steps_by_test.items())
    }


def _report_moment(point: HistoryPoint) -> ReportMoment:
    return ReportMoment.from_objects(point, point.trigger, torch=point.environment.torch)


def _approximate_size(test: str, settings: TestCourses) -> int:
    """Return the approximate size of a test's history in bytes, the same in every build."""
    punctuation = 8
    return len(test) + sum(
        len(name) + punctuation + sum(len(str(step)) for step in steps)
        for name, steps in settings.items()
    )
