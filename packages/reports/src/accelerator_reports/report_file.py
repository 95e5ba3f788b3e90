"""Reads, checks and writes files in the common test report format: JSON with one test per line."""

from __future__ import annotations

import datetime as dt
import difflib
import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, Literal, TypedDict

from pydantic import ValidationError

from accelerator_reports.file_reading import (
    MAX_REPORT_BYTES,
    MAX_TESTS,
    file_error,
    finite_number,
    json_error_text,
    paused_garbage_collection,
    place_and_text,
    read_bytes,
    read_text,
    reject_nan_and_infinity,
)
from accelerator_reports.files.folders import report_fault
from accelerator_reports.files.problem import Problem, ProblemsError, did_you_mean
from accelerator_reports.files.wording import count
from accelerator_reports.report import SCHEMA_VERSION, Report, TestEntry, compact_test
from accelerator_reports.suite_names import SUITES_WITHOUT_FILE, SuiteFile, SuiteNames, suite_owner
from accelerator_reports.test_ids import IdentityValues, identity_values

# Lists the reports in a folder `results/`, and limits their number and size.

# Readers look at no more runs than this; the history keeps the results of older ones.
MAX_REPORTS = 100
MAX_REPORTS_BYTES = 64 * 1024**2

_REMEDY = "remove the oldest reports; the history keeps their results"


def list_reports(
    root: Path, folder: str, names: Iterable[str]
) -> tuple[tuple[Path, ...], list[Problem]]:
    """Return the paths of the reports in a folder, and the problems of the folder.

    `names` are the names of all files in the folder. A file that is not a report is a problem. If
    the folder has too many reports or their total size is too large, that is also a problem, and
    no path is returned.
    """
    report_files: list[Path] = []
    problems: list[Problem] = []
    for name in names:
        file = root / folder / name
        if fault := report_fault(name) or _file_fault(file):
            problems.append(Problem(f"{folder}/{name}", 1, *fault))
        else:
            report_files.append(file)
    limit_problems = [Problem(folder, 1, what, _REMEDY) for what in exceeded_limits(report_files)]
    return () if limit_problems else tuple(report_files), problems + limit_problems


def _file_fault(file: Path) -> tuple[str, str] | None:
    if file.is_symlink() or not file.is_file():
        return "this is not a regular file", "replace the link with the file"
    return None


def exceeded_limits(files: Sequence[Path]) -> Iterator[str]:
    """Yield a message if a folder has too many reports, and one if their total size is too large.

    `files` are the reports in the folder. The total size leaves out each report that is larger than
    MAX_REPORTS_BYTES, because that report is a problem when it is read. The size of a sparse file
    is its apparent size.
    """
    if len(files) > MAX_REPORTS:
        yield f"the folder has {len(files):,} reports, more than {MAX_REPORTS}"
    sizes = (file.stat().st_size for file in files)
    size = sum(size for size in sizes if size <= MAX_REPORTS_BYTES)
    if size > MAX_REPORTS_BYTES:
        yield f"the reports have {size / 1024**2:,.0f} MiB, more than {MAX_REPORTS_BYTES >> 20}"


# Checks test reports for faults that their schema cannot detect.
#
# These are duplicate tests, contradictions, unknown and reserved names, excessive sizes and missing
# facts.

MAX_LISTED_FAULTS = 20
"""The maximum number of faults of one kind that are listed for a report. If there are more, one
more fault states how many are not listed."""

MAX_SUITES = 100
MAX_MODES = 10
MAX_CELLS = 2_000_000

# Names of pages and files in the folder in which suites get theirs.
RESERVED_NAMES = frozenset(
    {
        "by-model",
        "changes",
        "compare",
        "dashboard",
        "feed.atom",
        "index",
        "runs",
        "standards",
        "weeks",
    }
)

_MODE = re.compile(r"(?=.{1,60}\Z)[a-z0-9]+(?:[-_.][a-z0-9]+)*")

# The test's index in the report (None for a fault of the whole report), what is wrong, and the fix.
ReportFault = tuple[int | None, str, str]

FaultAndRemedy = tuple[str, str]  # what is wrong, and the fix

FILE_REMEDIES: Mapping[str, str] = {
    "started": "add started",
    "times": "correct started or finished",
    "torch": "add environment.torch",
    "origins": "add origins",
    "suites": "put the tests of several suites into one, or split the report",
}
"""What to do about a fact that a report file lacks or contradicts, by the name of the fact."""


@dataclass(frozen=True)
class KnownNames:
    """The accelerators and test suites that the portal knows, to check the names in reports.

    `suites` has the suites in `data/suites/` by id. `own_suites` are the names of suites that
    vendors' folders declare. If `accelerators` is empty, every accelerator is accepted.
    """

    accelerators: frozenset[str] = frozenset()
    suites: Mapping[str, SuiteFile] = field(default_factory=dict)
    own_suites: frozenset[str] = frozenset()
    aliases: Mapping[str, str] = field(default_factory=dict)
    """The names of vendors' suites, by alias: each key is an alias of the suite in the value."""
    plugin_packages: Mapping[str, str] = field(default_factory=dict)
    """The names of the plugins' packages, by accelerator. In-tree accelerators are absent."""
    unread: Mapping[str, tuple[Problem, ...]] = field(default_factory=dict)
    """The accelerators whose folders have errors, so that their own suites are unknown, and these
    errors."""
    remedies: Mapping[str, str] = field(default_factory=lambda: FILE_REMEDIES)
    """What to do about a missing fact, by the name of the fact (see `FILE_REMEDIES`)."""

    @property
    def suite_names(self) -> SuiteNames:
        """The ids of the suites in `data/suites/`, and the aliases of vendors' suites."""
        return SuiteNames(frozenset(self.suites), self.aliases)


def report_problems(
    report: Report, path: str, known: KnownNames, now: dt.datetime, first_test: int | None = None
) -> Iterator[Problem]:
    """Yield the problems of a report that its schema does not detect.

    The problems name the report's `path`. Start and end times after `now` are a problem.
    `first_test` is the line of the report's first test in the file. It is None if the file does not
    have one line per test.
    """
    for index, what, remedy in _report_faults(report, known, now):
        line = 1 if index is None or first_test is None else first_test + index
        yield Problem(path, line, what, remedy)


def _report_faults(report: Report, known: KnownNames, now: dt.datetime) -> Iterator[ReportFault]:
    yield from ((None, *fault) for fault in site_limit_faults(report, known.remedies))
    yield from _run_faults(report, known, now)
    yield from _missing_fact_faults(report, known.remedies)
    yield from first_faults(_suite_problems(report, known), "faults of suites")
    yield from first_faults(_test_faults(report))


def _run_faults(report: Report, known: KnownNames, now: dt.datetime) -> Iterator[ReportFault]:
    if known.accelerators and report.accelerator not in known.accelerators:
        what = f'there is no platform "{report.accelerator}"'
        yield None, what, did_you_mean(report.accelerator, known.accelerators)
    if report.started and report.finished and report.finished < report.started:
        yield None, "the end time is before the start time", known.remedies["times"]
    for name, moment in (("started", report.started), ("finished", report.finished)):
        if moment and moment > now:
            yield None, f"{name} is in the future ({moment:%Y-%m-%d})", "correct it"
    if not report.tests and report.kind != "baseline":
        yield None, "the report has no tests", "correct the command that runs or imports the tests"
    if shard := report.shard:
        what = f"the report is shard {shard.name}, a part of a run"
        yield None, what, "merge all shards with accelerator-portal report merge"


def _missing_fact_faults(report: Report, remedies: Mapping[str, str]) -> Iterator[ReportFault]:
    if report.kind != "baseline":
        if report.started is None:
            yield None, "the run has no start time", remedies["started"]
        if report.environment.torch is None:
            yield None, "the run has no PyTorch version", remedies["torch"]
    elif not report.origins:
        yield None, "the baseline has no origin", remedies["origins"]


def _suite_problems(report: Report, known: KnownNames) -> Iterator[ReportFault]:
    counts_by_suite = Counter(test.suite for test in report.tests)
    for name, times in Counter(suite.name for suite in report.suites).items():
        if times > 1:
            yield None, f'the suite "{name}" is listed twice in suites', "merge the two"
    for suite in report.suites:
        described = known.suites.get(suite.name)
        if described and described.kind != suite.kind:
            what = f'the suite "{suite.name}" is of kind {described.kind}, not {suite.kind}'
            yield None, what, "correct its kind"
        if suite.planned is not None and suite.planned < counts_by_suite[suite.name]:
            what = (
                f'"{suite.name}" planned {count(suite.planned, "test")}, '
                f"but the report has {counts_by_suite[suite.name]:,}"
            )
            yield None, what, "correct planned"
    declared = {suite.name for suite in report.suites}
    for name in sorted(set(counts_by_suite) - declared):
        yield (
            None,
            f'the suite "{name}" is used in tests but missing from suites',
            "add it to suites",
        )


def _test_faults(report: Report) -> Iterator[ReportFault]:
    index_by_identity: dict[IdentityValues, int] = {}
    for index, test in enumerate(report.tests):
        first_index = index_by_identity.setdefault(identity_values(test), index)
        if first_index != index:
            what = f'"{test.name}" is listed twice with the same parameters'
            yield index, what, "remove one, or add what differs"
        if test.outcome in {"skipped", "not-run"} and not (test.reason or test.known_issue):
            yield index, f'"{test.name}" is {test.outcome} but has no reason', "add reason"


def first_faults(
    faults: Iterable[ReportFault], noun: str = "tests have problems"
) -> Iterator[ReportFault]:
    """Yield at most `MAX_LISTED_FAULTS` of the faults, then one that says how many are left out.

    The text of the last fault is their number, `more` and `noun`: `12 more tests have problems`. If
    no fault is left out, there is no such fault.
    """
    more_count = 0
    for number, fault in enumerate(faults):
        if number < MAX_LISTED_FAULTS:
            yield fault
        else:
            more_count += 1
    if more_count:
        yield (
            None,
            f"{more_count:,} more {noun}",
            "fix the listed problems, then run the check again",
        )


def too_many_suites_fault(
    number: int, remedies: Mapping[str, str] = FILE_REMEDIES
) -> FaultAndRemedy:
    """Return what is wrong with a report that has `number` suites, and the fix."""
    return f"{number:,} suites, more than {MAX_SUITES}", remedies["suites"]


def site_limit_faults(
    report: Report, remedies: Mapping[str, str] = FILE_REMEDIES
) -> Iterator[FaultAndRemedy]:
    """Yield the faults because of which the site cannot have pages for a report.

    These are too many suites, modes or table cells, reserved suite names and invalid modes.
    """
    declared = (suite.name for suite in report.suites)
    names = dict.fromkeys((*declared, *(test.suite for test in report.tests)))
    if (number := max(len(names), len(report.suites))) > MAX_SUITES:
        yield too_many_suites_fault(number, remedies)
        return  # each of them may have faults of its own
    for name in names:
        if name in RESERVED_NAMES:
            yield f'"{name}" is a reserved suite name', "choose another name"
    yield from _mode_faults(report)
    yield from _table_size_faults(report)


def _mode_faults(report: Report) -> Iterator[FaultAndRemedy]:
    modes = dict.fromkeys(str(test.parameters.get("mode", "")) for test in report.tests)
    for mode in modes:
        if mode and not _MODE.fullmatch(mode):
            remedy = "use lowercase letters and digits, separated by a single -, _ or ."
            yield f'"{mode[:60]}" is not a valid mode', remedy
            return
    if len(modes) > MAX_MODES:
        remedy = "use another parameter than mode"
        yield f"the tests have {len(modes):,} modes, more than {MAX_MODES}", remedy


def _table_size_faults(report: Report) -> Iterator[FaultAndRemedy]:
    """Yield a fault if the result tables on the site would have more than `MAX_CELLS` cells.

    Each suite and mode has a table, with a row per test and a column per set of parameters.
    """
    rows: defaultdict[tuple[str, object], set[str]] = defaultdict(set)
    columns: defaultdict[tuple[str, object], set[frozenset[tuple[str, object]]]] = defaultdict(set)
    for test in report.tests:
        key = (test.suite, test.parameters.get("mode"))
        rows[key].add(test.name)
        columns[key].add(frozenset(test.parameters.items()))
    cells = sum(len(rows[key]) * len(columns[key]) for key in rows)
    if cells > MAX_CELLS:
        what = f"the tables would have {cells:,} cells, more than {MAX_CELLS:,}"
        yield what, "use test names instead of parameters to distinguish tests"


MAX_MEMBERS = 2_000
"""The maximum number of keys of a JSON object in a report file. A valid report needs fewer: its
largest object, `packages`, has at most 1,000."""
MAX_ENTRY = 1024 * 1024
"""The maximum number of characters of the JSON of one test. Each text of a valid test has at most
4,000 characters."""
MAX_VALUE = 8 * 1024 * 1024
"""The maximum number of characters of a value outside `tests`. The longest valid value lists the
operators of 100 suites."""

_SPACES = " \t\n\r"
_SPACE = re.compile(rf"[{_SPACES}]*")

_MOST_SHOWN = 100


class _Shown(TypedDict):
    mode: Literal["json"]
    exclude_none: bool
    exclude_defaults: bool


def report_text(report: Report) -> str:
    """Return a report as JSON, with one test per line for readable diffs."""
    return b"".join(report_lines(report)).decode()


def report_lines(report: Report) -> Iterator[bytes]:
    """Yield the lines of `report_text` one by one: all tests together would need much memory."""
    shown: _Shown = {"mode": "json", "exclude_none": True, "exclude_defaults": True}
    data = report.model_dump(exclude={"tests"}, **shown)
    head = json.dumps({**data, "schema_version": SCHEMA_VERSION}, indent=1, ensure_ascii=False)
    encode = json.JSONEncoder(ensure_ascii=False).encode
    yield f'{head.removesuffix("}").rstrip()},\n "tests": ['.encode()
    for number, test in enumerate(report.tests):
        yield f"{',' if number else ''}\n  {encode(test.model_dump(**shown))}".encode()
    yield b"\n ]\n}\n" if report.tests else b"]\n}\n"


@paused_garbage_collection()
def read_report(path: Path) -> Report:
    """Read a report file.

    Raises ProblemsError with up to a hundred problems if the file is invalid. Each problem of a
    test names the line of the test.
    """
    problems: list[Problem] = []
    tests: list[TestEntry] = []

    def add_test(index: int, line: int, test: object) -> None:
        if index == MAX_TESTS:
            what = f"the report has more than {MAX_TESTS:,} tests"
            raise file_error(path, line, what, "split it by suite")
        try:
            tests.append(compact_test(test))
        except ValidationError as error:
            _add_schema_problems(problems, path, line, f"tests[{index}]", error)

    head = _JsonReader(path, read_text(path, MAX_REPORT_BYTES), add_test).value()
    if not isinstance(head, dict):
        raise file_error(path, 1, "the report is not a JSON object", "use one JSON object")
    version = head.get("schema_version")
    if isinstance(version, int) and version > SCHEMA_VERSION:
        what = f"the report has schema_version {str(version)[:20]}, newer than {SCHEMA_VERSION}"
        raise file_error(path, 1, what, "update accelerator-portal, or use the older version")
    suites = head.get("suites")  # each may have many faults
    if isinstance(suites, list) and len(suites) > MAX_SUITES:
        raise file_error(path, 1, *too_many_suites_fault(len(suites)))
    try:
        report = Report.model_validate(head).model_copy(update={"tests": tuple(tests)})
    except ValidationError as error:
        _add_schema_problems(problems, path, 1, "", error)
        raise ProblemsError(problems) from None
    if problems:
        raise ProblemsError(problems)
    if limit_faults := list(site_limit_faults(report)):
        raise ProblemsError(Problem(path.name, 1, *fault) for fault in limit_faults)
    return report


def _add_schema_problems(
    problems: list[Problem], path: Path, line: int, place: str, error: ValidationError
) -> None:
    """Add pydantic's errors to `problems`; `place` names the invalid part, such as `tests[3]`.

    Raises ProblemsError with the problems if there are more than `_MOST_SHOWN`.
    """
    for detail in error.errors(include_url=False):
        if len(problems) == _MOST_SHOWN:
            what = f"more than {_MOST_SHOWN} problems"
            last_problem = Problem(path.name, line, what, "fix the problems above first")
            raise ProblemsError([*problems, last_problem]) from None
        field_path, error_text = place_and_text(place, detail)
        if detail["type"] == "model_type":
            error_text = "expected an object"
        what = f"{field_path or 'the report'}: {error_text}"
        problems.append(Problem(path.name, line, what, "see the report format page"))


def first_test_line(path: Path) -> int | None:
    """Return the line number of a report's first test.

    None if the file does not have one line per test.
    """
    head, separator, _ = read_bytes(path).partition(b'"tests": [\n')
    return head.count(b"\n") + 2 if separator else None


class _JsonReader:
    """Reads a report's JSON piece by piece, so that no file takes much memory or time.

    The tests are passed to `take_test` one by one, each with its index and its line. The function
    can raise an error to stop the reader.
    """

    def __init__(
        self, path: Path, text: str, take_test: Callable[[int, int, object], None]
    ) -> None:
        self._path = path
        self._text = text
        self._take_test = take_test
        self._position = 0
        self._line, self._line_position = 1, 0
        self._repeated_keys: list[str] = []
        self._decoder = json.JSONDecoder(
            # A method of this object would keep all tests in memory until Python finds the cycle.
            object_pairs_hook=partial(_object_from_pairs, self._repeated_keys),
            parse_constant=reject_nan_and_infinity,
            parse_float=finite_number,
        )

    def value(self) -> Any:  # noqa: ANN401 - any JSON
        """Return the value of the JSON text, with an empty list `tests`.

        The tests are passed to `take_test` instead. Raises ProblemsError if the JSON is invalid or
        exceeds a limit.
        """
        json_value: Any = (
            self._read_members() if self._next_character() == "{" else self._decode_value(MAX_VALUE)
        )
        if self._next_character():
            raise self._error_here("invalid JSON: extra data")
        return json_value

    def _read_members(self) -> dict[str, Any]:
        members: dict[str, Any] = {}
        for _ in self._iterate_items("}"):
            if self._next_character() != '"':
                raise self._error_here("invalid JSON: expecting property name in double quotes")
            key = self._decode_value(MAX_ENTRY)
            if self._next_character() != ":":
                raise self._error_here("invalid JSON: expecting :")
            self._position += 1
            if key in members:
                raise self._error_here(
                    f'the key "{key[:60]}" is listed twice', "remove one of the two"
                )
            if len(members) >= MAX_MEMBERS:
                raise self._error_here(f"more than {MAX_MEMBERS:,} keys in one object")
            if key == "tests" and self._next_character() == "[":
                for index, _ in enumerate(self._iterate_items("]")):
                    line = self._current_line()
                    self._take_test(index, line, self._decode_value(MAX_ENTRY))
                members[key] = ()
            else:
                members[key] = self._decode_value(MAX_VALUE)
        return members

    def _iterate_items(self, end: str) -> Iterator[None]:
        """Iterate over an object or list that ends with the character `end`.

        In each iteration, the current position is at an item, and the caller must read this item.
        Raises ProblemsError if neither a comma nor `end` follows the item.
        """
        self._position += 1
        character = self._next_character()
        while character != end:
            yield
            character = self._next_character()
            if character not in {",", end}:
                raise self._error_here(f"invalid JSON: expecting , or {end}")
            if character == ",":
                self._position += 1
                self._next_character()
        self._position += 1

    def _next_character(self) -> str:
        """Skip white space and return the next character; empty at the end."""
        character = self._text[self._position : self._position + 1]
        if character not in _SPACES:
            return character
        space = _SPACE.match(self._text, self._position)
        self._position = space.end() if space else self._position
        return self._text[self._position : self._position + 1]

    def _decode_value(self, limit: int) -> Any:  # noqa: ANN401 - any JSON
        start = self._position
        if self._next_character() == "":
            raise self._error_here("invalid JSON: the file ends too early")
        try:
            json_value, self._position = self._decoder.raw_decode(self._text, self._position)
        except (ValueError, RecursionError) as error:
            if isinstance(error, json.JSONDecodeError):
                self._position = error.pos
            raise self._error_here(f"invalid JSON: {json_error_text(error)}") from None
        if self._position - start > limit:
            what = f"one value has {self._position - start:,} characters, more than {limit:,}"
            self._position = start
            raise self._error_here(what, "shorten its texts and lists")
        if self._repeated_keys:
            self._position = start
            raise self._error_here(
                f'the key "{self._repeated_keys[0][:60]}" is listed twice', "remove one"
            )
        return json_value

    def _current_line(self) -> int:
        self._line += self._text.count("\n", self._line_position, self._position)
        self._line_position = self._position
        return self._line

    def _error_here(self, what: str, remedy: str = "create the file again") -> ProblemsError:
        column = self._position - self._text.rfind("\n", 0, self._position)
        what = what.replace("invalid JSON:", f"invalid JSON in column {column}:", 1)
        return file_error(self._path, self._text.count("\n", 0, self._position) + 1, what, remedy)


def _object_from_pairs(repeated_keys: list[str], pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object, and add the keys that it has twice to `repeated_keys`."""
    if len(pairs) > MAX_MEMBERS:
        raise ValueError(f"an object has {len(pairs):,} keys, more than {MAX_MEMBERS:,}")
    members = dict(pairs)
    if len(members) < len(pairs):
        numbers = Counter(key for key, _ in pairs)
        repeated_keys += [key for key, number in numbers.items() if number > 1]
    return members


# Completes the suite names in reports, and warns of suite and test names that are not comparable.
#
# Results can be compared only if platforms use the same names. The site shows results despite the
# warnings, because vendors may report their own suites and tests.

# With a device in its name, a test has another name on each accelerator and cannot be compared.
_CARD = r"gfx[0-9a-f]{3,5}|[ahv]100|h200|b200|mi[23][0-9]{2}x?|910b[0-9]?"
_CARDS = re.compile(rf"(?<![a-z0-9])({_CARD})(?![a-z0-9])", re.IGNORECASE)
# Not used for unit tests, where such names are features of PyTorch: `test_cuda_graphs`.
_DEVICES = re.compile(
    rf"(?<![a-z0-9])(cuda|rocm|xpu|npu|mps|hpu|tpu|mlu|musa|{_CARD})(?![a-z0-9])", re.IGNORECASE
)


def name_warnings(
    report: Report, path: str, known: KnownNames, first_test: int | None = None
) -> Iterator[Problem]:
    """Yield warnings about unknown suites, and about test names that are not comparable.

    A suite is unknown if it is neither in `data/suites/` nor declared by a vendor's folder. For a
    suite in `data/suites/`, each test that the suite's file does not list gets a warning. For
    other suites, except vendors' own, each test whose name contains a device gets a warning. After
    `MAX_LISTED_FAULTS` warnings about tests, a last warning states how many tests are not listed.
    `first_test` is the line of the first test. It is None if the file does not have one line per
    test.
    """
    faults = chain(_suite_faults(report, known), first_faults(_test_name_faults(report, known)))
    for index, what, remedy in faults:
        line = 1 if index is None or first_test is None else first_test + index
        yield replace(Problem(path, line, what, remedy), level="warning")


def with_full_suite_names(report: Report, names: SuiteNames) -> Report:
    """Return a report with full suite names: `pytest` becomes `acme/pytest`.

    See `SuiteNames.full_name`.
    """
    return _with_renamed_suites(report, lambda suite: names.full_name(suite, report.accelerator))


def with_imported_suite_names(report: Report, known: KnownNames) -> Report:
    """Return an imported report with full suite names, see `full_imported_name`."""
    return _with_renamed_suites(
        report, lambda suite: full_imported_name(suite, report.accelerator, known)
    )


def full_imported_name(suite: str, accelerator: str, known: KnownNames) -> str:
    """Return the full name of a suite that an imported file names: `acme/tests-unit`.

    In an imported name, such as `tests/unit`, the part before the slash is often a folder of the
    test tool. If it is not the id of a platform, a hyphen replaces the slash.
    `SuiteNames.full_name` then completes the name.
    """
    owner = suite_owner(suite)
    vendors = {accelerator, *known.accelerators}
    name = suite.replace("/", "-") if owner and owner not in vendors else suite
    return known.suite_names.full_name(name, accelerator)


def _with_renamed_suites(report: Report, full: Callable[[str], str]) -> Report:
    suites = dict.fromkeys([*(s.name for s in report.suites), *(t.suite for t in report.tests)])
    names = {suite: full(suite) for suite in suites}
    if all(name == suite for suite, name in names.items()):
        return report
    return report.model_copy(
        update={
            "suites": tuple(s.model_copy(update={"name": names[s.name]}) for s in report.suites),
            "tests": tuple(t.model_copy(update={"suite": names[t.suite]}) for t in report.tests),
        }
    )


def _suite_faults(report: Report, known: KnownNames) -> Iterator[ReportFault]:
    names = known.suite_names
    for suite in report.suites if names.portal else ():
        name = names.full_name(suite.name, report.accelerator)
        if name in names.portal or name in SUITES_WITHOUT_FILE or name in known.own_suites:
            continue
        if suite_owner(name) in known.unread:
            continue  # the folder may declare it
        yield (
            None,
            f'no vendor folder declares the suite "{name}"',
            _suite_remedy(name, report, known),
        )


def _suite_remedy(name: str, report: Report, known: KnownNames) -> str:
    owner, _, own_name = name.partition("/")
    if owner != report.accelerator:
        return f'write "{report.accelerator}/{own_name}", unless the platforms share the suite'
    close_matches = difflib.get_close_matches(own_name, sorted(known.suites), n=1, cutoff=0.8)
    if close_matches:
        question = f'did you mean "{close_matches[0]}"?'
        return f"{question} If it is your own suite, declare it in accelerator.yaml"
    declare = "declare it with a title and a link in accelerator.yaml, under suites"
    owner_suites = sorted(suite for suite in known.own_suites if suite_owner(suite) == owner)
    if not owner_suites:
        return declare
    (renamed,) = difflib.get_close_matches(name, owner_suites, n=1, cutoff=0)
    return f'{declare}; if it is "{renamed}" under a new name, add the name to its aliases there'


def _test_name_faults(report: Report, known: KnownNames) -> Iterator[ReportFault]:
    tests_by_suite = {name: frozenset(suite.tests) for name, suite in known.suites.items()}
    unit_suites = {suite.name for suite in report.suites if suite.kind == "unit"}
    unknown_count = 0
    for index, test in enumerate(report.tests):
        if test.suite in tests_by_suite:
            if test.name not in tests_by_suite[test.suite]:
                unknown_count += 1
                # Similar names are searched only for faults that are shown: the search takes long.
                is_shown = unknown_count <= MAX_LISTED_FAULTS
                candidates = tests_by_suite[test.suite] if is_shown else ()
                remedy = did_you_mean(test.name, candidates)[:200]
                yield index, f'"{test.suite}" has no test "{test.name}"', remedy
        elif suite_owner(test.suite) is None and (device := _device_in_name(test, unit_suites)):
            what = f'the name "{test.name}" contains a device ("{device}")'
            yield index, what, "remove the device from test names"


def _device_in_name(test: TestEntry, unit_suites: Container[str]) -> str | None:
    found = (_CARDS if test.suite in unit_suites else _DEVICES).search(test.name)
    return found[0] if found else None
