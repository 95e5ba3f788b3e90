"""Collects the tests and problems of an imported file, and maps foreign statuses to outcomes."""

from __future__ import annotations

import datetime as dt
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ValidationError

from accelerator_reports.failure_texts import outcome_of_text
from accelerator_reports.file_reading import (
    MAX_TESTS,
    READ_AS_TEST,
    ImportOptions,
    ImportResult,
    file_error,
    place_and_text,
    read_text,
)
from accelerator_reports.files.fields import VERDICT_MARK
from accelerator_reports.files.problem import Problem, ProblemsError
from accelerator_reports.files.text_file import HIDDEN_CHARACTER, escape_sequence
from accelerator_reports.files.wording import count
from accelerator_reports.files.yaml_file import YamlFile, parse_yaml
from accelerator_reports.merge import merged_suites
from accelerator_reports.outcomes import OUTCOMES, UNSUCCESSFUL, Outcome, Stage
from accelerator_reports.report import Environment, Suite, TestEntry, compact_test
from accelerator_reports.shortened_text import shortened_text
from accelerator_reports.test_ids import (
    MAX_NAME,
    IdentityValues,
    identity_values,
    shortened_with_digest,
    valid_suite_name,
)

EXPORTER = "accelerator-portal"
"""The name that files exported by this project state. Their outcomes are exact."""

_NO_ENVIRONMENT = Environment()
_MOST_SHOWN = 100
_MOST_COUNTED = 10_000
_MOST_NAMED = 3
_REMEDY = "see the report format page"

# Devices that are not the accelerator: the host's CPU, and PyTorch's device without data.
_NOT_THE_ACCELERATOR = frozenset({"cpu", "meta"})

_NOT_IN_NAMES = re.compile(f"{HIDDEN_CHARACTER.pattern}|{VERDICT_MARK.pattern}|[\ud800-\udfff]")

Repeats = Literal["apart", "counted", "merged"]
"""What happens to a second result of a test. `apart`: the better of the two gets a number after its
name, unless they are of different devices. `counted`: it is left out, and counted. `merged`: it is
left out."""

ModelT = TypeVar("ModelT", bound=BaseModel)


class ImportedTests:
    """Collects the tests and the problems of one file while a reader reads it.

    An entry that is not a valid test is left out, and so is an invalid value of a test: the other
    tests of the file are still read. The report's note counts what was left out, and the problems
    become warnings. The file is refused if no test is left, or if it has a fault that is not about
    one entry. The first 100 problems are stored. Problems after them are only counted.

    `repeats` says what happens to a second result of the same test. If only one of the results is
    kept, a result on the accelerator takes precedence over a result on the CPU or on the device
    `meta`. Otherwise, the result with the lower `merge_rank` is kept, such as a failure.

    `entries` counts the entries of the file. The key is `READ_AS_TEST` for entries that the reader
    read as tests, and the reason for entries that were left out. `suite_names` maps the suites of
    the tests, as a reader names them, to their names in the report.
    """

    def __init__(self, path: Path, options: ImportOptions, *, repeats: Repeats = "counted") -> None:
        self._path = path
        self._options = options
        self._repeats = repeats
        self._tests: dict[IdentityValues, TestEntry] = {}
        self._devices: dict[IdentityValues, str] = {}
        self._repeated: Counter[IdentityValues] = Counter()
        self._repeated_names: list[str] = []
        self._other_device_names: list[str] = []
        self._problems: list[Problem] = []
        self._unlisted_problems = 0
        self._left_out_values = 0
        self._is_refused = False
        self.entries: Counter[str] = Counter()
        self.suite_names: dict[str, str] = {}

    def record_fault(self, line: int, what: str, remedy: str) -> None:
        """Record a fault for which the file is refused: `what` is wrong, and `remedy` is the fix.

        Raises ProblemsError after 10,100 problems: the file is probably not in this format.
        """
        self._is_refused = True
        self._add_problem(line, what, remedy)

    def leave_out(self, line: int, what: str, remedy: str, why: str = "with errors") -> None:
        """Leave out an entry of the file. `why` completes the sentence `Left out: 1 …`.

        Raises ProblemsError after 10,100 problems: the file is probably not in this format.
        """
        self.entries[why] += 1
        self._add_problem(line, what, remedy)

    def leave_out_value(self, line: int, what: str, remedy: str) -> None:
        """Leave out a value of a test, such as an invalid duration. The test itself is kept.

        Raises ProblemsError after 10,100 problems: the file is probably not in this format.
        """
        self._left_out_values += 1
        self._add_problem(line, what, remedy)

    def warn(self, line: int, what: str, remedy: str) -> None:
        """Add a warning about something that is wrong with the file. Nothing is left out.

        Raises ProblemsError after 10,100 problems: the file is probably not in this format.
        """
        self._add_problem(line, what, remedy)

    def _add_problem(self, line: int, what: str, remedy: str) -> None:
        if len(self._problems) < _MOST_SHOWN:
            self._problems.append(Problem(self._path.name, line, what, remedy))
            return
        self._unlisted_problems += 1
        if self._unlisted_problems == _MOST_COUNTED:
            raise ProblemsError(self._all_problems())

    def parse_entry(
        self,
        model: type[ModelT],
        record: object,
        place: str,
        line: int = 1,
        remedy: str = _REMEDY,
    ) -> ModelT | None:
        """Return `record`, an entry such as `results.tests[3]`, as a `model`.

        If it is invalid, return None and leave out the entry; `remedy` is how to fix it.
        """
        try:
            return model.model_validate(record)
        except ValidationError as error:
            self._leave_out_invalid(line, place, error, remedy)
            return None

    def _leave_out_invalid(
        self, line: int, place: str, error: ValidationError, remedy: str = _REMEDY
    ) -> None:
        first, *others = _validation_faults(place, error)
        self.leave_out(line, first, remedy)
        for what in others:
            self._add_problem(line, what, remedy)

    def environment(self, facts: Mapping[str, Any], place: str) -> Environment:
        """Return the environment of the tests; `facts` maps fields of `Environment` to values.

        If a value is invalid, return an empty environment and record faults that name `place`.
        """
        try:
            return Environment.model_validate(facts)
        except ValidationError as error:
            for what in _validation_faults(place, error):
                self.record_fault(1, what, _REMEDY)
            return Environment()

    def cells_by_column(
        self, line: int, columns: Sequence[str], row: Sequence[str]
    ) -> dict[str, str] | None:
        """Return the cells of a row by column.

        If there are more or fewer cells than columns, return None and leave out the row.
        """
        if len(row) == len(columns):
            return dict(zip(columns, row, strict=True))
        what = f"the row has {len(row)} values, the header has {len(columns)}"
        self.leave_out(line, what, "use one value per column")
        return None

    def parse_number(
        self, line: int, column: str, cell: str, *, may_be_infinite: bool = False
    ) -> float | None:
        """Return the number in a cell; None for infinity, NaN and any other text.

        Text that is not a number is a value that is left out, also an empty text. So are infinity
        and NaN, unless `may_be_infinite` is true.
        """
        try:
            value = float(cell)
        except ValueError:
            value, may_be_infinite = math.nan, False
        if math.isfinite(value):
            return value
        if not may_be_infinite:
            self.leave_out_value(line, f'{column}: "{cell[:60]}" is not a number', "use a number")
        return None

    def add(
        self, line: int, fields: Mapping[str, Any], *, place: str = "", device: str | None = None
    ) -> bool:
        """Add a test with these `TestEntry` fields, or leave it out if they are invalid.

        The test also gets the parameters in `options.parameters`. If `fields` states the same
        parameter, the value in `fields` counts. Characters that names may not contain are written
        as escape sequences, because test frameworks allow them. `place` names the test in a
        problem. `device` is the device that was part of the test's name in the file, or None.
        Return whether the test was added. Raises ProblemsError if the file has more tests than a
        report may have.
        """
        parameters = fields.get("parameters", {})
        if isinstance(parameters, Mapping):  # otherwise invalid
            visible_parameters = {name: _visible(value) for name, value in parameters.items()}
            parameters = {**self._options.parameters, **visible_parameters}
        fields = {**fields, "parameters": parameters}
        if "name" in fields:
            fields["name"] = _visible(fields["name"])
        if isinstance(suite := fields.get("suite"), str):
            fields["suite"] = self._full_name(suite)
        try:
            test = compact_test(fields)
        except ValidationError as error:
            self._leave_out_invalid(line, place, error)
            return False
        identity = identity_values(test)
        if identity in self._tests:
            if self._repeats != "apart" or device != self._devices.get(identity):
                return self._add_repeated(identity, test, device)
            if _is_preferred(test, device, self._tests[identity], device):
                self._tests[identity], test = test, self._tests[identity]
            test = self._with_number(identity, test)
            identity = identity_values(test)
        self._tests[identity] = test
        if device:
            self._devices[identity] = device
        if len(self._tests) > MAX_TESTS:
            self.record_fault(
                line, f"the file has more than {MAX_TESTS:,} tests", "split it by suite"
            )
            raise ProblemsError(self._all_problems())
        return True

    def _add_repeated(self, identity: IdentityValues, test: TestEntry, device: str | None) -> bool:
        """Keep one of two results of a test. Return whether both count as read."""
        old_device = self._devices.get(identity)
        if _is_preferred(test, device, self._tests[identity], old_device):
            self._tests[identity] = test
            self._devices[identity] = device or ""
        if self._repeats == "merged":
            return True
        names = self._repeated_names if device == old_device else self._other_device_names
        names.append(test.name)
        self.entries["listed more than once" if device == old_device else "on another device"] += 1
        return False

    def _with_number(self, identity: IdentityValues, test: TestEntry) -> TestEntry:
        """Return a test with the name of another test, with the next free number: `test_a (2)`."""
        numbered = test
        while identity_values(numbered) in self._tests:
            self._repeated[identity] += 1
            ending = f" ({self._repeated[identity] + 1})"
            name = shortened_with_digest(test.name, MAX_NAME - len(ending))
            numbered = test.model_copy(update={"name": f"{name}{ending}"})
        self._repeated_names.append(numbered.name)
        return numbered

    def result(
        self,
        suites: Iterable[Suite],
        environment: Environment = _NO_ENVIRONMENT,
        started: dt.datetime | None = None,
        finished: dt.datetime | None = None,
        note: str | None = None,
    ) -> ImportResult:
        """Return the result of the import. Raises ProblemsError if the file is refused.

        Suites of the same name become one.
        """
        if self._is_refused or (self._problems and not self._tests):
            raise ProblemsError(self._all_problems())
        if self.entries:
            self.entries.setdefault(READ_AS_TEST, len(self._tests))
        return ImportResult(
            suites=merged_suites(
                suite.model_copy(update={"name": self._full_name(suite.name)}) for suite in suites
            ),
            tests=tuple(self._tests.values()),
            environment=environment,
            started=started,
            finished=finished,
            note=" ".join(filter(None, (note, *self._notes()))) or None,
            entries=self.entries,
            warnings=tuple(self._all_problems()),
        )

    def _full_name(self, suite: str) -> str:
        if suite not in self.suite_names:
            self.suite_names[suite] = self._options.full_suite_name(suite)
        return self.suite_names[suite]

    def _notes(self) -> Iterator[str]:
        if self._left_out_values:
            yield f"{count(self._left_out_values, 'invalid value')} left out."
        title = (
            "Tests with the name of another test, to which a number was added"
            if self._repeats == "apart"
            else "Listed more than once"
        )
        lists = {title: self._repeated_names, "On another device": self._other_device_names}
        for title, all_names in lists.items():
            names = ", ".join(f'"{name[:60]}"' for name in all_names[:_MOST_NAMED])
            more = ", …" if len(all_names) > _MOST_NAMED else ""
            if names:
                yield f"{title}: {len(all_names):,} ({names}{more})."

    def _all_problems(self) -> list[Problem]:
        problems = list(self._problems)
        if self._unlisted_problems:
            unread_text = (
                ". The rest of the file was not read"
                if self._unlisted_problems == _MOST_COUNTED
                else ""
            )
            what = f"{self._unlisted_problems:,} more problems{unread_text}"
            problems.append(Problem(self._path.name, 1, what, "fix the problems above first"))
        return problems


def parse_document(path: Path, model: type[ModelT], data: object, remedy: str = _REMEDY) -> ModelT:
    """Return `data`, the parsed content of a file, as a `model`.

    Raises ProblemsError if the content is invalid; `remedy` is how to fix it.

    A model should declare its tests as `list[Any]`. `ImportedTests` can then validate them one by
    one and record a fault for each invalid test.
    """
    try:
        return model.model_validate(data)
    except ValidationError as error:
        faults = (Problem(path.name, 1, what, remedy) for what in _validation_faults("", error))
        raise ProblemsError(faults) from None


def read_yaml(path: Path) -> YamlFile:
    """Return a parsed YAML file that knows its line numbers.

    Raises ProblemsError if the file cannot be read or is not valid YAML.
    """
    file, problems = parse_yaml(path.name, read_text(path))
    if file is None or problems:
        raise ProblemsError(problems)
    return file


def chosen_suite(path: Path, options: ImportOptions) -> str | None:
    """Return the suite that the user named, or None. Raises ProblemsError if it is invalid."""
    if options.suite and (fault := suite_name_fault(options.suite)):
        raise file_error(path, 1, *fault)
    return options.suite or None


def suite_name_fault(name: str) -> tuple[str, str] | None:
    """Return what is wrong with a suite name, and the fix; None for a valid name."""
    valid_name = valid_suite_name(name)
    if valid_name == name:
        return None
    remedy = f'write "{valid_name}"' if valid_name else "use lowercase letters"
    return f'"{name[:60]}" is not a valid suite name', remedy


def _visible(value: object) -> object:
    """Return a text with escape sequences for characters that names may not contain.

    Other values are returned unchanged.
    """
    if not isinstance(value, str) or (value.isascii() and value.isprintable()):
        return value
    return _NOT_IN_NAMES.sub(lambda found: escape_sequence(found[0]), value)


def _is_preferred(
    new: TestEntry, new_device: str | None, old: TestEntry, old_device: str | None
) -> bool:
    """Return whether `new` replaces `old`, an earlier result of the same test."""
    if (is_old_on_host := _is_host(old_device)) != _is_host(new_device):
        return is_old_on_host
    return OUTCOMES[new.outcome].merge_rank < OUTCOMES[old.outcome].merge_rank


def _is_host(device: str | None) -> bool:
    return (device or "").partition(":")[0] in _NOT_THE_ACCELERATOR  # without a number: `cpu:0`


def _validation_faults(place: str, error: ValidationError) -> Iterator[str]:
    for detail in error.errors(include_url=False):
        field_path, error_text = place_and_text(place, detail)
        yield f"{field_path or 'the file'}: {error_text}"


# Maps the test statuses that other projects use to outcomes, with one table for each project.
#
# PyTorch's dynamo benchmarks (`check_accuracy` in benchmarks/dynamo/common.py), and TorchBench,
# which uses the same statuses:
#
# - `pass`: the result was compared with the reference. For models on a list of non-deterministic
#   models, the benchmark always writes `pass`; the file does not state which models these are.
# - `pass_due_to_skip`: the result was not checked, so this is not a pass. Models on a list of large
#   models are not even run, and the file does not state which these are. The outcome is therefore
#   `skipped`, not `executed`.
# - `fail_accuracy`: the result was compared, and differs.
# - `fail_to_run`: the compiled model stops with an error, during compilation or while it runs.
#   The benchmark catches both errors in one place, so the stage is the later one, `run`.
# - `eager_fail_to_run`, `eager_1st_run_fail`, `eager_2nd_run_fail`: the model stops without the
#   compiler, too. This is an error of the device's own code, and says nothing about the compiler.
# - `eager_two_runs_differ`: the model ran twice without the compiler, with different results, so
#   there is nothing to compare with.
# - `model_fail_to_load`: the model failed before it used the device.
# - `…_OOM`: too little memory. This depends on the card, not on the quality of the code.
# - `timeout`, `infra_error`: the time limit was reached, or the machine failed.
# - `not_implemented`: the model has no such mode, for example no training.
#
# ExecuTorch's backend suite (`TestResult` in backends/test/suite/reporting.py):
#
# - `SUCCESS_UNDELEGATED`: the backend ran no part of the model, so the backend was not tested.
#   ExecuTorch counts this as passed.
# - `SKIPPED`: the model fails before the backend has to do anything, in eager mode or in export.
# - `QUANTIZE_FAIL`, `LOWER_FAIL`, `PTE_LOAD_FAIL`, `PTE_RUN_FAIL`: an error, in that stage.
# - `OUTPUT_MISMATCH_FAIL`: the result was compared, and differs.
# - `UNKNOWN_FAIL`: an error; no stage is known.
#
# The model tests of Tenstorrent's TT-XLA (`BringupStatus` in tests/utils.py), for a known failure:
#
# - `FAILED_FE_COMPILATION`, `FAILED_TTMLIR_COMPILATION`: an error of the frontend or the compiler.
# - `FAILED_RUNTIME`: an error while the model runs.
# - `INCORRECT_RESULT`: the result was compared, and differs.
#
# A text that is in no table is an error message, which `failure_texts` classifies.


@dataclass(frozen=True, slots=True)
class StatusMeaning:
    """The outcome, stage and reason that a status of another project stands for.

    `raw_status` is the status itself, for example `fail_accuracy`. It is None in the tables of this
    module, whose keys are the statuses.
    """

    outcome: Outcome
    stage: Stage | None = None
    reason: str | None = None
    raw_status: str | None = None

    def fields(self) -> dict[str, Any]:
        """Return the outcome, stage, reason and raw status as fields of a `TestEntry`, by name."""
        return asdict(self)


DYNAMO: Mapping[str, StatusMeaning] = {
    "pass": StatusMeaning("passed", "compare"),
    "pass_due_to_skip": StatusMeaning(
        "skipped", reason="The benchmark doesn't check this model and may not run it."
    ),
    "fail_accuracy": StatusMeaning("wrong-result", "compare"),
    "fail_batch_invariance": StatusMeaning("wrong-result", "compare"),
    "fail_to_run": StatusMeaning("failed", "run"),
    "eager_fail_to_run": StatusMeaning("failed", "eager"),
    "eager_1st_run_fail": StatusMeaning("failed", "eager"),
    "eager_2nd_run_fail": StatusMeaning("failed", "eager"),
    "eager_two_runs_differ": StatusMeaning(
        "executed", "eager", "Two runs without a compiler already differ, so there is no reference."
    ),
    "model_fail_to_load": StatusMeaning("test-broken", "load"),
    "eager_1st_run_OOM": StatusMeaning("out-of-memory", "eager"),
    "eager_2nd_run_OOM": StatusMeaning("out-of-memory", "eager"),
    "OOM": StatusMeaning("out-of-memory", "run"),
    "timeout": StatusMeaning("timed-out"),
    "infra_error": StatusMeaning("infrastructure-error"),
    "not_implemented": StatusMeaning("skipped", reason="The model doesn't have this mode."),
}

EXECUTORCH: Mapping[str, StatusMeaning] = {
    "SUCCESS": StatusMeaning("passed", "compare"),
    "SUCCESS_UNDELEGATED": StatusMeaning(
        "executed", "lower", "The backend executed no part of the model. Nothing ran on the device."
    ),
    "SKIPPED": StatusMeaning("skipped", reason="The model fails before the backend is used."),
    "QUANTIZE_FAIL": StatusMeaning("failed", "quantize"),
    "LOWER_FAIL": StatusMeaning("failed", "lower"),
    "PTE_LOAD_FAIL": StatusMeaning("failed", "load"),
    "PTE_RUN_FAIL": StatusMeaning("failed", "run"),
    "OUTPUT_MISMATCH_FAIL": StatusMeaning("wrong-result", "compare"),
    "UNKNOWN_FAIL": StatusMeaning("failed"),
    "PROCESS_CRASH": StatusMeaning("crashed"),
}

TT_XLA: Mapping[str, StatusMeaning] = {
    "FAILED_FE_COMPILATION": StatusMeaning("failed", "compile"),
    "FAILED_TTMLIR_COMPILATION": StatusMeaning("failed", "compile"),
    "FAILED_RUNTIME": StatusMeaning("failed", "run"),
    "INCORRECT_RESULT": StatusMeaning("wrong-result", "compare"),
}


MEASURED = StatusMeaning(
    "executed", "run", "The test was measured, but its result was not checked."
)
"""What a figure means if the file states nothing about the correctness of the result."""

# The benchmarks append the size of the batch at which a check failed.
_BATCH_SIZE = re.compile(r"(?<=\Afail_)(\w+?)_at_(?:batch_)?\d+\Z")


def dynamo_meaning(status: str) -> StatusMeaning:
    """Return the meaning of a status of the dynamo benchmarks or TorchBench.

    An unknown status is treated as an error message: it becomes the reason of a failure.
    """
    meaning = DYNAMO.get(_BATCH_SIZE.sub(r"\1", status))
    if meaning is None:
        return StatusMeaning(
            _failure_outcome(status), reason=shortened_text(status) or "The error has no message."
        )
    return replace(meaning, raw_status=status)


def executorch_meaning(status: str, error: str) -> StatusMeaning:
    """Return the meaning of a test's status, a name in ExecuTorch's `TestResult`.

    `error` is the test's error message. If the status only says that the test failed, the message
    decides the outcome, for example out-of-memory. Raises KeyError for an unknown status.
    """
    meaning = EXECUTORCH[status]
    outcome = _failure_outcome(error) if meaning.outcome == "failed" else meaning.outcome
    reason = shortened_text(error) or meaning.reason
    return StatusMeaning(outcome, meaning.stage, reason, status)


def _failure_outcome(text: str) -> Outcome:
    outcome = outcome_of_text(text)
    return outcome if outcome in UNSUCCESSFUL else "failed"
