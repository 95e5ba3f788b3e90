"""`accelerator-portal new`: creates the vendor folder of a platform."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from accelerator_portal.checks import errors
from accelerator_portal.cli.options import ROOT, whole_catalog
from accelerator_portal.install.additional_platforms import read_additional_platforms
from accelerator_portal.vendors.derived_files import derived_files
from accelerator_portal.vendors.new_folder import check_folder, folder_files, hints
from accelerator_portal.vendors.prefill import (
    NoMetadataError,
    prefill_from_entry,
    prefill_from_package,
)
from accelerator_portal.vendors.questions import (
    QUESTIONS,
    Answers,
    Prefill,
    Prompt,
    RefusedAnswerError,
    collect_answers,
    id_fault,
)
from accelerator_reports.cli.main import INTERRUPTED_EXIT_STATUS
from accelerator_reports.cli.options import INPUT_FILE, write_outdated_files
from accelerator_reports.files.clock import today
from accelerator_reports.files.folders import ACCELERATORS
from accelerator_reports.files.problem import Problem, ProblemsError, printable
from accelerator_reports.files.text_file import write_folder_atomically
from accelerator_reports.files.wording import count

_Command = Callable[..., None]

NO_ANSWER = "-"
"""The user's reply that leaves an optional field empty instead of accepting the suggestion."""


def _with_question_options(command: _Command) -> _Command:
    """Return the command with an option for each question in `vendors.questions.QUESTIONS`."""
    for question in reversed(QUESTIONS):
        several = "; separate several with commas" if question.many else ""
        option = click.option(
            f"--{question.flag}",
            question.key,
            metavar="TEXT",
            multiple=question.many,
            help=f'Set "{question.words}": {question.help}{several}.',
        )
        command = option(command)
    return command


@click.command()
@ROOT
@click.argument("platform_id", metavar="ID")
@_with_question_options
@click.option(
    "--from-additional-platforms",
    "file",
    type=INPUT_FILE,
    help="Copy an entry from pytorch.org's additional-platforms.json.",
)
@click.option("--entry", metavar="NAME", help="Copy the entry of this name. Default: ID.")
@click.option(
    "--from-package",
    metavar="NAME",
    help="Read an installed package, a wheel or a METADATA file.",
)
@click.option(
    "-y",
    "--yes",
    is_flag=True,
    help="Ask no questions, and list all missing answers.",
)
def new(  # noqa: PLR0913 - each is an option
    root: Path,
    platform_id: str,
    *,
    file: Path | None,
    entry: str | None,
    from_package: str | None,
    yes: bool,
    **option_values: Any,  # noqa: ANN401 - texts, or several where a question takes several
) -> None:
    """Create the vendor folder of a new platform.

    The command asks for each field that no option sets, and suggests answers. Without a terminal,
    it behaves as with --yes: only suggestions that follow from other answers are used. Optional
    fields without an answer are left out. No file is written before the last answer. The command
    then checks the folder and prints the problems.
    """
    given = {
        key: text
        for key, value in option_values.items()
        if (text := ",".join(value) if isinstance(value, tuple) else value)
    }
    # Code owners and issue forms list all folders. A folder that cannot be read would be missing.
    catalog = whole_catalog(root)
    derived_files(root, catalog)  # a problem of an issue form ends the command before the questions
    folders = [folder.name for folder in (root / ACCELERATORS).iterdir()]
    if id_problem := id_fault(catalog, folders, platform_id):
        raise click.BadParameter(printable("; ".join(id_problem)), param_hint="ID")
    if entry and not file:
        raise click.UsageError("--entry names an entry of --from-additional-platforms. Pass both")
    prefills = [_prefill_of_entry(file, entry or platform_id)] if file else []
    if from_package:
        try:
            prefills.append(prefill_from_package(from_package, catalog.releases, today()))
        except NoMetadataError as error:
            raise click.BadParameter(printable(str(error)), param_hint="'--from-package'") from None
    is_interactive = not yes and sys.stdin.isatty()
    answers = collect_answers(catalog, given, prefills)
    _refuse_faults(answers.wrong, () if is_interactive else answers.missing)
    if is_interactive:
        click.echo(
            "Press Enter to accept the value in brackets. Press Ctrl+C to cancel.\n"
            "No file is written before the last answer.\n"
        )
        try:
            answers = collect_answers(catalog, given, prefills, ask_question)
        except click.Abort:
            click.echo("\nCanceled. Nothing was written.", err=True)
            sys.exit(INTERRUPTED_EXIT_STATUS)
    files = folder_files(answers, prefills, today())
    new_catalog, problems = check_folder(catalog, platform_id, files, today())
    # The folder is written last, because the command refuses to run if it exists: an interrupted
    # command can be repeated.
    write_outdated_files(root, derived_files(root, new_catalog) if new_catalog else {})
    write_folder_atomically(root / ACCELERATORS / platform_id, files)
    for name in files:
        click.echo(f"Wrote {ACCELERATORS}/{platform_id}/{name}")
    _print_next_steps(platform_id, answers, files, problems)
    if errors(problems):
        sys.exit(1)


def _prefill_of_entry(file: Path, entry_name: str) -> Prefill:
    data, problems = read_additional_platforms(file.parent, file.name)
    if data is None:
        raise ProblemsError(problems)
    ids = {id_.replace("_", "-"): id_ for id_ in data.platforms}
    entry_id = ids.get(entry_name.replace("_", "-"))
    if entry_id is None:
        name, known_entries = printable(entry_name), ", ".join(data.platforms)
        raise click.UsageError(
            f'{file.name} has no entry "{name}"; use one of these with --entry: {known_entries}'
        )
    return prefill_from_entry(data, entry_id, today())


def _refuse_faults(wrong: Sequence[str], missing: Sequence[str]) -> None:
    """Print messages about answers and raise click.UsageError, if there are any."""
    for fault in (*wrong, *missing):
        click.echo(fault)
    counts = ((len(wrong), "to correct"), (len(missing), "missing"))
    if summary := ", ".join(f"{count(n, 'answer')} {state}" for n, state in counts if n):
        raise click.UsageError(f"{summary}. Nothing was written")


def ask_question(
    question: Prompt,
    help_text: str,
    suggested: str,
    needed: bool,
    read: Callable[[str], Any],
) -> Any:  # noqa: ANN401 - each question has its kind
    """Ask a question until the answer is valid, and return its value.

    `read` returns the value of a text. If the user skips a question that needs no answer, returns
    None. Raises click.Abort on Ctrl+C.
    """

    def value_of(text: str) -> Any:  # noqa: ANN401
        answer = text.strip()
        if not needed and answer in {"", NO_ANSWER}:
            return None
        if not answer:
            raise click.UsageError(f"{question.words} is required: {question.help}")
        try:
            return read(text)
        except RefusedAnswerError as error:  # its messages begin with `torch: ` or `torch[2]: `
            flag = rf"^{question.flag}(\[\d+\])?(?=: )"
            words = re.sub(flag, question.words, str(error), flags=re.MULTILINE)
            raise click.UsageError(words) from None

    skip = (
        "" if needed else f"; {NO_ANSWER} if not stated" if suggested else "; Enter if not stated"
    )
    return click.prompt(
        f"{question.words} ({help_text}{skip})",
        default=suggested,
        show_default=bool(suggested),
        value_proc=value_of,
    )


def _print_next_steps(
    platform_id: str, answers: Answers, files: Mapping[str, str], problems: Sequence[Problem]
) -> None:
    """Print the fields to complete, the problems that the check found, and what to do next."""
    folder = f"{ACCELERATORS}/{platform_id}"
    click.echo("\nOptional fields that you can add if a source supports them:")
    for name, line, words in hints(files):
        click.echo(f"{folder}/{name}:{line}: {words}")
    if errors(problems):
        click.echo("\nThe check found errors. Correct them, then run `make owners check`:")
    elif problems:
        click.echo("\nThe folder passes the check. Warnings:")
    else:
        click.echo("\nThe folder passes the check.")
    for problem in problems:
        click.echo(problem)
    click.echo(
        f"\n{answers.values['url']} is the source of all your answers. If another document"
        "\nsupports an answer, add it under sources, with the date on which you read it."
        "\n\nTo preview the page, run `make serve` and open"
        f"\n  http://127.0.0.1:8000/compute-platforms/{platform_id}/"
        "\nThe next steps, up to the pull request, are described on the same site:"
        "\n  http://127.0.0.1:8000/contribute/#release"
    )
