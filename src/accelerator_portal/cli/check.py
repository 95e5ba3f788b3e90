"""`accelerator-portal check`: checks vendor folders and data, and prints the problems."""

from __future__ import annotations

import datetime as dt
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, TypeAlias

import click

from accelerator_portal.catalog import Catalog, load_catalog
from accelerator_portal.catalog.schema import format_address
from accelerator_portal.checks import CatalogLoader, errors, load_and_check
from accelerator_portal.checks.folder_limits import first_problems, load_within_limits
from accelerator_portal.checks.rule import fixed_files
from accelerator_portal.checks.stored_data import stored_data_problems
from accelerator_portal.cli.options import ROOT, progress_bar
from accelerator_reports.cli.lazy_command import Extra, require_extra
from accelerator_reports.files.clock import today
from accelerator_reports.files.folders import ACCELERATORS
from accelerator_reports.files.problem import Problem, printable
from accelerator_reports.files.text_file import write_text_atomically
from accelerator_reports.files.wording import count

if TYPE_CHECKING:
    from accelerator_portal.checks.links import Place  # of the extra `packages`

MOST_COLUMNS = 120

_QUOTED = re.compile(r'"([^"]+)"')

ProblemFormat = Callable[[Path, Sequence[Problem]], str]
"""A function that takes the repository's folder and problems, and returns the problems as text."""


def as_text(root: Path, problems: Sequence[Problem]) -> str:
    """Return a text with each problem, its line of the file, and the fault underlined."""
    return "\n".join(line for problem in problems for line in _problem_report(root, problem))


def as_annotations(root: Path, problems: Sequence[Problem]) -> str:
    """Return a GitHub workflow command for each problem. GitHub shows the problem at its line.

    Source: "Workflow commands for GitHub Actions", GitHub's documentation.
    """
    return "\n".join(
        f"::{problem.level} file={_escape_property(printable(problem.path))},line={problem.line},"
        f"title={_escape_property(problem.rule)}::"
        f"{_escape_message(problem.words)} ({_escape_message(_help_page_address(root, problem))})"
        for problem in problems
    )


def as_json(root: Path, problems: Sequence[Problem]) -> str:
    """Return the problems as a JSON list; columns count from 1, and `end_column` is exclusive."""
    return json.dumps([_problem_record(root, problem) for problem in problems], indent=1)


PROBLEM_FORMATS: Mapping[str, ProblemFormat] = {
    "text": as_text,
    "github": as_annotations,
    "json": as_json,
}


def problem_span(line: str, problem: Problem) -> tuple[int, int]:
    """Return the start and the exclusive end of the text to underline in `line`, counted from 0.

    `line` is the line of the file that has the problem. If `problem` has a fix, and `line` contains
    the text that the fix replaces, this text is underlined. Otherwise, the first text in double
    quotes in `problem.what` that `line` contains is underlined. If there is none, the whole line
    without surrounding spaces is underlined.
    """
    quoted_texts = _QUOTED.findall(problem.what)
    for word in [problem.fix.old, *quoted_texts] if problem.fix else quoted_texts:
        start = line.find(word)
        if start >= 0:
            return start, start + len(word)
    stripped_line = line.lstrip()
    start = len(line) - len(stripped_line)
    return start, start + len(stripped_line.rstrip())


def _problem_report(root: Path, problem: Problem) -> list[str]:
    tag = problem.rule if problem.level == "error" else f"warning: {problem.rule}"
    lines = [f"{problem} [{tag}]"]
    line = _line_of_problem(root, problem)
    help_line = f"  see {_help_page_address(root, problem)}"
    if not line.strip():
        return [*lines, help_line]
    start, end = problem_span(line, problem)
    line_number = str(problem.line)
    window = _visible_columns(start, len(line))
    underline = " " * (start - window.start) + "^" * max(1, min(end, window.stop) - start)
    lines.append(f"  {line_number} | {_printable_line(line[window])}")
    lines.append(f"  {' ' * len(line_number)} | {click.style(underline, fg='red')}")
    return [*lines, help_line]


def _help_page_address(root: Path, problem: Problem) -> str:
    if problem.rule == "format":
        return site_address(root) + format_address(problem.path, problem.record)
    return f"{site_address(root)}contribute/rules/#{problem.rule}"


def _visible_columns(start: int, length: int) -> slice:
    """Return the slice of a line to print: at most MOST_COLUMNS characters that include `start`.

    `start` is the position of the problem in the line. `length` is the length of the line.
    """
    if length <= MOST_COLUMNS:
        return slice(0, length)
    first_column = max(0, min(start - MOST_COLUMNS // 4, length - MOST_COLUMNS))
    return slice(first_column, first_column + MOST_COLUMNS)


def _printable_line(line: str) -> str:
    """Return the line with special characters replaced, so that the underline fits below it."""
    shown = "".join(c if c.isprintable() else " " if c == "\t" else "�" for c in line)
    return shown.replace("##[", "##�")  # GitHub's runner reads it as a command


def _line_of_problem(root: Path, problem: Problem) -> str:
    lines = _file_lines(root / problem.path)
    return lines[problem.line - 1] if problem.line <= len(lines) else ""


@lru_cache(maxsize=16)
def _file_lines(path: Path) -> tuple[str, ...]:
    """Return the lines of a text file.

    The result is empty for a folder, a symbolic link, a file that cannot be read and a file larger
    than 1 MiB.
    """
    try:
        if not path.is_file() or path.is_symlink() or path.stat().st_size > 1024**2:
            return ()
        text = path.read_text("utf-8-sig")
    except (OSError, ValueError):
        return ()
    return tuple(text.split("\n"))


def _problem_record(root: Path, problem: Problem) -> dict[str, Any]:
    line = _line_of_problem(root, problem)
    start, end = problem_span(line, problem)
    return {
        "path": problem.path,
        "line": problem.line,
        "column": start + 1,
        "end_column": end + 1,
        "rule": problem.rule,
        "level": problem.level,
        "what": problem.what,
        "remedy": problem.remedy,
        "fix": bool(problem.fix),
        "help": _help_page_address(root, problem),
    }


def _escape_message(text: str) -> str:
    """Return `text`, which has no line breaks, escaped for a GitHub workflow command."""
    return text.replace("%", "%25")


def _escape_property(text: str) -> str:
    return _escape_message(text).replace(":", "%3A").replace(",", "%2C")


SITE_URL_VARIABLE = "PORTAL_SITE_URL"
LOCAL_SITE_ADDRESS = "http://127.0.0.1:8000/"

_REPOSITORY = re.compile(r"^repo_url: https://github\.com/([\w.-]+)/([\w.-]+)$", re.MULTILINE)


def site_address(root: Path) -> str:
    """Return the site's address, with a slash at its end.

    The address is the environment variable PORTAL_SITE_URL if it is set. Otherwise, it is the
    GitHub Pages address of the repository in `mkdocs.yml`. If `mkdocs.yml` states no repository, it
    is the address that `make serve` uses.
    """
    site_url = os.environ.get(SITE_URL_VARIABLE)
    return f"{site_url.rstrip('/')}/" if site_url else _github_pages_address(root)


@lru_cache(maxsize=4)
def _github_pages_address(root: Path) -> str:
    try:
        match = _REPOSITORY.search((root / "mkdocs.yml").read_text("utf-8"))
    except (OSError, ValueError):
        match = None
    return f"https://{match[1]}.github.io/{match[2]}/" if match else LOCAL_SITE_ADDRESS


@click.command()
@ROOT
@click.option(
    "--format",
    "form",
    type=click.Choice(sorted(PROBLEM_FORMATS)),
    default="text",
    help="Print text, GitHub annotations or JSON. Default: text.",
)
@click.option("--fix", is_flag=True, help="Fix problems that have an automatic fix.")
@click.option(
    "--network", is_flag=True, help="Check whether links are reachable, too. Problems are warnings."
)
@click.option(
    "--base",
    metavar="COMMIT",
    help="Compare with this commit. If two folders use the same name, the one "
    "that changed is reported. Default: the default branch of origin, or else its branch main.",
)
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
def check(  # noqa: PLR0913 - each is an option
    *, root: Path, form: str, fix: bool, network: bool, base: str | None, paths: tuple[Path, ...]
) -> None:
    """Check vendor folders and shared data.

    With PATHS, only problems in those files and folders are printed; all files are still read.
    Errors make the command fail; warnings don't.
    """
    if network:
        require_extra(Extra("accelerator-portal", "packages"), "check --network")
    selection = _repository_paths(root, paths)
    changed_platforms = changed_folders(root, base)
    checked = partial(_checked, root, selection, changed_platforms, network=network)
    platforms, problems, links = checked()
    if fix:
        _write_fixes(root, problems)
        platforms, problems, links = checked()
    if links:
        problems = sorted({*problems, *_link_problems(links)})
    if problems or form == "json":
        shown = sorted(first_problems(problems), key=lambda problem: problem.level != "error")
        click.echo(PROBLEM_FORMATS[form](root, shown))
    failures = errors(problems)
    summary = _summary(platforms, problems, failures)
    paths_text = f" in {', '.join(selection)}" if selection else ""
    click.echo(f"{summary}{paths_text}.", err=bool(problems) or form == "json")
    if failures or platforms is None:
        sys.exit(1)


Checked: TypeAlias = "tuple[int | None, list[Problem], dict[str, Place]]"
"""The number of platforms, None if the shared data cannot be used; the problems; the links."""


def _checked(
    root: Path, selection: Sequence[str], changed_platforms: frozenset[str], *, network: bool
) -> Checked:
    """Return what a check finds in the selected files.

    All work is done in one process with limits. Only if the process exceeds a limit are the folders
    read one by one, and those that exceed a limit left out.
    """

    def work(load_folders: CatalogLoader) -> Checked:
        def load(folder: Path, day: dt.date) -> tuple[Catalog | None, list[Problem]]:
            catalog, problems = load_folders(folder, day)
            return catalog and replace(catalog, changed=changed_platforms), problems

        catalog, problems = load_and_check(root, today(), load)
        if catalog is None:
            return None, _selected(problems, selection), {}
        problems = sorted({*problems, *stored_data_problems(catalog, root)})
        links = _selected_links(catalog, selection) if network else {}
        return len(catalog.platforms), _selected(problems, selection), links

    if hasattr(os, "fork"):
        from accelerator_portal.checks.folder_process import result_within_limits

        if found := result_within_limits(partial(work, lambda folder, _: load_catalog(folder))):
            return found
    return work(load_within_limits)


def _selected(problems: Iterable[Problem], selection: Sequence[str]) -> list[Problem]:
    return [problem for problem in problems if _is_selected(problem.path, selection)]


def _selected_links(catalog: Catalog, selection: Sequence[str]) -> dict[str, Place]:
    from accelerator_portal.checks.links import links_to_check

    links = links_to_check(catalog)
    return {url: place for url, place in links.items() if _is_selected(place.path, selection)}


def _link_problems(links: Mapping[str, Place]) -> list[Problem]:
    from accelerator_portal.checks.links import check_network

    with progress_bar("links", len(links)) as advance:
        return check_network(links, advance)


def _repository_paths(root: Path, paths: Iterable[Path]) -> list[str]:
    """Return `paths` relative to the repository `root`.

    A relative path is looked up in the current folder first, then below `root`. Raises
    click.BadParameter for a path that cannot be read or is not in the repository.
    """
    relative_paths = []
    for path in paths:
        full_path = path if path.is_absolute() else Path.cwd() / path
        full_path = full_path if os.path.lexists(full_path) else root / path
        try:
            full_path.stat()
            relative_paths.append(full_path.resolve().relative_to(root.resolve()).as_posix())
        except OSError as error:  # it does not exist, or its name is too long
            error_text = f"can't read {str(path)[:200]} ({error.strerror}). Correct the path"
            raise click.BadParameter(error_text, param_hint="PATHS") from None
        except ValueError:
            raise click.BadParameter(
                f"{path} is not in {root}. Pass a path inside the repository", param_hint="PATHS"
            ) from None
    return relative_paths


def _is_selected(path: str, selection: Sequence[str]) -> bool:
    return not selection or any(PurePosixPath(path).is_relative_to(folder) for folder in selection)


def _write_fixes(root: Path, problems: Sequence[Problem]) -> None:
    texts, gone = fixed_files(root, problems)
    for path, text in texts.items():
        write_text_atomically(path, text)
    for problem in gone:
        click.echo(f"Fixed {problem.path}:{problem.line}: {problem.what}", err=True)


def _summary(platforms: int | None, problems: list[Problem], failures: list[Problem]) -> str:
    warnings = len(problems) - len(failures)
    warning_text = count(warnings, "warning") if warnings else ""
    if failures or platforms is None:
        return ", ".join(filter(None, (f"{count(len(failures), 'problem')} found", warning_text)))
    return f"{count(platforms, 'platform')}, {warning_text or 'no problems'}"


# The names in a clone or a fork of the branch that changes are merged into.
_DEFAULT_BASES = ("origin/HEAD", "origin/main")


def changed_folders(root: Path, base: str | None) -> frozenset[str]:
    """Return the names of the platform folders that changed since HEAD branched off from `base`.

    Uncommitted changes and new files count, too. Raises click.BadParameter if git finds no common
    commit of HEAD and `base`.

    If `base` is None, the default branch of origin is used, or origin's branch main if HEAD has no
    common commit with the default branch. If HEAD has no common commit with origin's branch main,
    the result is empty.
    """
    for name in (base,) if base else _DEFAULT_BASES:
        # Compare with the last common commit, so that later changes of others do not count.
        merge_base = _git_output(root, "merge-base", "--end-of-options", "HEAD", name)
        if merge_base:
            changed_paths = _git_output(
                root, "diff", "--name-only", "--relative", "-z", merge_base[0], "--", "."
            )
            new_paths = _git_output(
                root, "ls-files", "--others", "--exclude-standard", "-z", "--", ACCELERATORS
            )
            return frozenset(
                filter(None, map(_platform_folder_of_path, (*changed_paths, *new_paths)))
            )
    if base:
        error_text = f'there is no commit "{base}". Fetch it, or correct --base'
        raise click.BadParameter(printable(error_text), param_hint="--base")
    return frozenset()


def _platform_folder_of_path(path: str) -> str:
    top_folder, _, inner_path = path.partition("/")
    folder, slash, _ = inner_path.partition("/")
    return folder if top_folder == ACCELERATORS and slash else ""


def _git_output(root: Path, *arguments: str) -> list[str]:
    """Run git with `arguments` in `root`, and return the output, split at newlines and NULs.

    The result is empty if git fails.
    """
    command = ["git", "-C", str(root), "-c", "core.fsmonitor=false", *arguments]
    try:
        process = subprocess.run(command, capture_output=True, check=False, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return []
    output = process.stdout.decode(errors="surrogateescape") if not process.returncode else ""
    return [part for part in output.replace("\0", "\n").split("\n") if part]
