"""Options that the commands of several packages share, printed results and generated files."""

from __future__ import annotations

import datetime as dt
import json
import os
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from accelerator_reports.file_reading import paused_garbage_collection
from accelerator_reports.files.folders import ACCELERATORS
from accelerator_reports.files.problem import Problem, did_you_mean, printable
from accelerator_reports.files.text_file import write_text_atomically
from accelerator_reports.files.wording import count
from accelerator_reports.report_file import KnownNames


class _InputFile(click.Path):
    """The type of an option whose value is the path of an existing file or folder.

    A pipe or a device is refused, because a command could wait for it forever.
    """

    name = "file"

    def convert(
        self,
        value: str | os.PathLike[str],
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> str | bytes | os.PathLike[str]:
        """Return the path of a regular file or folder.

        Raises click.BadParameter if the path does not exist, or is a pipe or a device.
        """
        file_path = Path(os.fsdecode(value))
        if not self.dir_okay and file_path.is_dir():
            error_text = f'"{value}" is a folder. Pass the files in it, for example {value}/*.xml'
            self.fail(printable(error_text), param, ctx)
        path = super().convert(value, param, ctx)
        if not (file_path.is_file() or file_path.is_dir()):
            error_text = (
                f'"{value}" is not a regular file. Save its content to a file and pass that file'
            )
            self.fail(printable(error_text), param, ctx)
        return path


class ReportCommand(click.Command):
    """A command that reads reports, whose many objects are not looked at for garbage."""

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 - click's own
        """Run the command."""
        ctx.with_resource(paused_garbage_collection())
        return super().invoke(ctx)


INPUT_FILE = _InputFile(exists=True, dir_okay=False, path_type=Path)
INPUT = _InputFile(exists=True, path_type=Path)
INPUT_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
OUTPUT_FILE = click.Path(dir_okay=False, path_type=Path)
OUTPUT_FOLDER = click.Path(file_okay=False, path_type=Path)


if TYPE_CHECKING:
    _ParamType = click.ParamType[Any]
else:  # click 8.1 doesn't support type arguments
    _ParamType = click.ParamType


class _DescribedParamType(_ParamType):
    """Base class of option types whose error message says which values are valid."""

    @property
    def wanted(self) -> str:
        """The description of a valid value, which follows "is not" in the error message."""
        raise NotImplementedError

    def convert(
        self,
        value: Any,  # noqa: ANN401 - click's own
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> Any:  # noqa: ANN401 - the same
        """Return the converted value. Raises click.BadParameter if it is invalid."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            self.fail(printable(f'"{value}" is not {self.wanted}'), param, ctx)


class WholeNumber(_DescribedParamType, click.IntRange):
    """The type of an option whose value is a whole number from `min` to `max`.

    If `max` is None, there is no upper bound.
    """

    @property
    def wanted(self) -> str:
        """The bounds as text, such as "a whole number from 1 to 8"."""
        bounds = f"from {self.min} to {self.max}" if self.max else f"of {self.min} or more"
        return f"a whole number {bounds}"


class SecondsText(_DescribedParamType, click.FloatRange):
    """The type of an option whose value is a number of seconds, `min` or more."""

    @property
    def wanted(self) -> str:
        """The lower bound as text, such as "a number of seconds, 1 or more"."""
        return f"a number of seconds, {self.min} or more"


class DateText(_DescribedParamType, click.DateTime):
    """The type of an option whose value is a date in one of `formats`, such as `%Y-%m-%d`."""

    @property
    def wanted(self) -> str:
        """A text with an example of each format: "a valid date. Write it like 2026-11-25"."""
        day = dt.datetime(2026, 11, 25, 13, 45, tzinfo=dt.timezone.utc)
        examples = " or ".join(f"{day:{date_format}}" for date_format in self.formats)
        return f"a valid date. Write it like {examples}"


_Command = TypeVar("_Command", bound=Callable[..., Any])


def root_option(callback: Callable[..., Path] | None) -> Callable[[_Command], _Command]:
    """Return the option `--root`. `callback` receives its value, and returns the folder to use."""
    return click.option(
        "--root",
        type=INPUT_FOLDER,
        default=".",
        metavar="FOLDER",
        callback=callback,
        help="Use this repository folder. Default: the current folder.",
    )


ANY_ROOT = root_option(None)
"""The option `--root` for commands that also work in folders without data of the portal."""

JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")


def print_json(data: object) -> None:
    """Print data as JSON, with dates as text."""
    click.echo(json.dumps(data, indent=1, default=str))


def print_problems(problems: Sequence[Problem]) -> None:
    """Print every problem to standard output, and their number to standard error."""
    for problem in problems:
        click.echo(problem)
    click.echo(f"{count(len(problems), 'problem')} found.", err=True)


def refuse_unknown(name: str, known: Collection[str], thing: str = "platform") -> None:
    """Raise click.UsageError if `name` is not one of the names in `known`.

    The error message calls the named object `thing`, for example `suite`.
    """
    if name not in known:
        error_text = f'there is no {thing} "{name[:60]}"; {did_you_mean(name, known)}'
        raise click.UsageError(printable(error_text))


def values_by_name(pairs: Iterable[str], option: str, example: str) -> dict[str, str]:
    """Return a mapping of names to values from `pairs`, which are texts such as `dtype=float32`.

    Raises click.BadParameter if a text has no name or no value, or if a name is given twice. The
    error message contains the command-line option `option`, and the valid text `example`.
    """
    values: dict[str, str] = {}
    for pair in pairs:
        name, _, value = map(str.strip, pair.partition("="))
        if not (name and value):
            error_text = f'"{pair[:60]}" has no name or no value. Write it like {example}'
        elif name in values:
            error_text = f'"{name[:60]}" is given twice. Give it once'
        else:
            values[name] = value
            continue
        raise click.BadParameter(printable(error_text), param_hint=option)
    return values


# Writes or checks files that are generated from the code.

CHECK = click.option(
    "--check", "check_only", is_flag=True, help="Write nothing and fail if a file is out of date."
)


def outdated_files(root: Path, files: Mapping[str, str]) -> dict[str, str]:
    """Return the part of `files` that is out of date: the file is missing or has another text.

    `files` maps the paths of generated files, relative to `root`, to their expected texts.
    """
    return {path: text for path, text in files.items() if not _has_text(root / path, text)}


def write_or_check_files(
    root: Path, files: Mapping[str, str], check_only: bool, fault: str
) -> None:
    """Write the files below `root` that are missing or out of date, and print their paths.

    `files` maps the paths of generated files to their expected texts. With `check_only`, nothing is
    written. Instead, each path is printed with the message `fault`. If a path was printed, the
    process then exits with status 1.
    """
    if not check_only:
        write_outdated_files(root, files)
        return
    outdated = outdated_files(root, files)
    for path in outdated:
        click.echo(f"{path}:1: {fault}")
    if outdated:
        sys.exit(1)


def write_outdated_files(root: Path, files: Mapping[str, str]) -> None:
    """Write the part of `files` that `outdated_files` returns, and print the paths.

    Raises OSError if a file cannot be written.
    """
    for path, text in outdated_files(root, files).items():
        write_text_atomically(root / path, text)
        click.echo(f"Wrote {path}")


def _has_text(path: Path, text: str) -> bool:
    try:
        return path.read_bytes() == text.encode()
    except OSError:
        return False


# Asks the installed packages which names a folder knows, to check the names in reports.

ENTRY_POINTS = "accelerator_reports.known_names"
"""The entry point group of functions that return the names that a clone of the portal knows, or
None for another folder. The package `accelerator-portal` has one."""


def names_known_in(root: Path) -> KnownNames:
    """Return the names that a clone of the portal knows; no names for another folder.

    Without names, those in a report are not checked. A vendor's CI has no clone: the portal checks
    the names when it gets the report. Raises ProblemsError if the clone cannot be read.
    """
    for point in entry_points(group=ENTRY_POINTS):
        names: KnownNames | None = point.load()(root)
        if names:
            return names
    if (root / ACCELERATORS).is_dir():
        problem = "The names of platforms and suites are not checked"
        click.echo(f"{problem}: accelerator-portal is not installed.", err=True)
    return KnownNames()
