"""`accelerator-portal new`: creates the vendor folder of a platform."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from accelerator_portal.catalog import Catalog
from accelerator_portal.catalog.catalog import HOSTS
from accelerator_portal.checks import errors
from accelerator_portal.cli.options import ROOT, whole_catalog
from accelerator_portal.install.additional_platforms import read_additional_platforms
from accelerator_portal.install.pip_command import UnreadableCommandError
from accelerator_portal.vendors.answer_faults import id_fault
from accelerator_portal.vendors.derived_answers import derived_answer, suggested
from accelerator_portal.vendors.derived_files import derived_files
from accelerator_portal.vendors.document_answers import answers_from_entry, answers_from_package
from accelerator_portal.vendors.draft import (
    Draft,
    PlatformCase,
    check_folder,
    folder_files,
    hint_lines,
)
from accelerator_portal.vendors.draft_from_answers import draft_from_answers
from accelerator_portal.vendors.draft_from_entry import draft_from_entry, folder_name
from accelerator_portal.vendors.interview import (
    add_answer,
    command_with_answers,
    interview,
    is_answer_needed,
    question_detail,
)
from accelerator_portal.vendors.known_hosts import with_host_lines, with_known_hosts
from accelerator_portal.vendors.package_metadata import NoMetadataError, read_package
from accelerator_portal.vendors.questions import QUESTIONS, Prompt, RefusedAnswerError, answer_text
from accelerator_reports.cli.error_messages import INTERRUPTED_EXIT_STATUS
from accelerator_reports.cli.generated_files import write_outdated_files
from accelerator_reports.cli.options import INPUT_FILE, print_problems
from accelerator_reports.files.atomic_write import write_folder_atomically
from accelerator_reports.files.clock import today
from accelerator_reports.files.folders import ACCELERATORS
from accelerator_reports.files.problem import Problem, ProblemsError, printable
from accelerator_reports.files.wording import count

_Command = Callable[..., None]


def _with_question_options(command: _Command) -> _Command:
    """Return the command with an option for each question in `vendors.questions.QUESTIONS`."""
    for question in reversed(QUESTIONS):
        several = "; separate several with commas" if question.many else ""
        option = click.option(
            question.option,
            f"said_{question.flag.replace('-', '_')}",
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
    "package",
    metavar="NAME",
    help="Read an installed package, a wheel or a METADATA file.",
)
@click.option("-y", "--yes", is_flag=True, help="Ask no questions, and list all missing fields.")
def new(  # noqa: PLR0913 - each is an option
    root: Path,
    platform_id: str,
    *,
    file: Path | None,
    entry: str | None,
    package: str | None,
    yes: bool,
    **option_values: Any,  # noqa: ANN401 - texts, or several where a question takes several
) -> None:
    """Create the vendor folder of a new platform.

    The command asks for each field that no option sets. Without a terminal, or with --yes, it lists
    all missing fields instead. Optional fields without an answer are left out. No file is written
    before the last answer.
    """
    answers = _answers_from_options(option_values)
    # Code owners and issue forms list all folders. A folder that cannot be read would be missing.
    catalog = whole_catalog(root)
    derived_files(root, catalog)  # a problem of an issue form ends the command before the questions
    folders = [folder.name for folder in (root / ACCELERATORS).iterdir()]
    if id_problem := id_fault(catalog, folders, platform_id):
        raise click.BadParameter(printable("; ".join(id_problem)), param_hint="ID")
    if entry and not file:
        raise click.UsageError("--entry names an entry of --from-additional-platforms. Pass both")
    origin = {"from-additional-platforms": file, "entry": entry, "from-package": package}
    case = PlatformCase(catalog, platform_id, today())
    if file:
        draft = _draft_of_entry(case, file, entry)
        case = replace(case, entry=draft, offers=answers_from_entry(draft))
    if package:
        case = _with_package_metadata(case, package)
    case = _case_with_answers(case, answers, is_interactive=not yes and sys.stdin.isatty())
    _write_platform(root, case, {flag: str(text) for flag, text in origin.items() if text})


def _answers_from_options(option_values: dict[str, Any]) -> dict[str, str]:
    """Return the answers that the command's options set, by the question's flag, such as `torch`.

    Several values of an option are joined by commas. Options that are not set are absent.
    """
    texts = {
        question.flag: option_values[f"said_{question.flag.replace('-', '_')}"]
        for question in QUESTIONS
    }
    joined = {f: ",".join(text) if isinstance(text, tuple) else text for f, text in texts.items()}
    return {flag: text for flag, text in joined.items() if text}


def _draft_of_entry(case: PlatformCase, file: Path, entry_name: str | None) -> Draft:
    data, problems = read_additional_platforms(file.parent, file.name)
    if data is None:
        raise ProblemsError(problems)
    ids = {folder_name(id_): id_ for id_ in data.platforms}
    entry_id = (
        entry_name if entry_name in data.platforms else ids.get(folder_name(entry_name or case.id))
    )
    if entry_id is None:
        known_entries = ", ".join(data.platforms)
        name = printable(entry_name or case.id)
        raise click.UsageError(
            f'{file.name} has no entry "{name}"; use one of these with --entry: {known_entries}'
        )
    try:
        return draft_from_entry(data, entry_id, case.catalog.releases, case.today)
    except UnreadableCommandError as error:
        raise click.ClickException(
            printable(f"{file.name}: platforms.{entry_id}: {error}")
        ) from None


def _with_package_metadata(case: PlatformCase, package_or_path: str) -> PlatformCase:
    try:
        package = read_package(package_or_path)
    except NoMetadataError as error:
        raise click.BadParameter(printable(str(error)), param_hint="'--from-package'") from None
    return replace(case, package=package, offers={**case.offers, **answers_from_package(package)})


def _case_with_answers(
    case: PlatformCase, answers: dict[str, str], *, is_interactive: bool
) -> PlatformCase:
    """Return `case` completed with all answers about the new platform.

    `answers` are the answers from options, by the question's flag. If `is_interactive` is true, the
    user is asked the questions that no option answers. Raises click.UsageError if an answer
    from an option is wrong, or if an answer is missing and `is_interactive` is false.
    """
    interview_result = interview(case, answers)
    faults = (
        interview_result.wrong
        if is_interactive
        else [*interview_result.wrong, *interview_result.missing]
    )
    if faults:
        for fault in faults:
            click.echo(fault)
        counts = [
            (len(interview_result.wrong), "to correct"),
            (len(faults) - len(interview_result.wrong), "missing"),
        ]
        summary = ", ".join(
            f"{count(number, 'answer')} {state}" for number, state in counts if number
        )
        raise click.UsageError(f"{summary}. Nothing was written")
    if not is_interactive:
        return interview_result.case
    click.echo(
        "Press Enter to accept the value in brackets. Type < to go back to the previous question.\n"
        "Press Ctrl+C to cancel. No file is written before the last answer.\n"
    )
    try:
        return interview(case, answers, ask_question).case
    except click.Abort:
        click.echo("\nCanceled. Nothing was written.", err=True)
        sys.exit(INTERRUPTED_EXIT_STATUS)


def _write_platform(root: Path, case: PlatformCase, origin: dict[str, str]) -> None:
    draft, catalog, problems = _checked_draft(case)
    own_problems = [
        problem for problem in problems if problem.path.startswith(f"{ACCELERATORS}/{case.id}/")
    ]
    if catalog is None or errors(own_problems):
        print_problems(own_problems)
        click.echo(
            "To run the command again with your answers, edit this:\n"
            f"{command_with_answers(case, origin)}",
            err=True,
        )
        raise click.ClickException(
            "nothing was written, because the folder doesn't pass the check. "
            "Correct your answers and try again"
        )
    files = folder_files(draft)
    other_files = derived_files(root, catalog)
    if case.unlisted_hosts:
        hosts_text = (root / HOSTS).read_text("utf-8")
        other_files[HOSTS] = with_host_lines(
            hosts_text, case.unlisted_hosts, case.value("host-owner")
        )
    write_new_platform(root, case.id, files, other_files)
    print_next_steps(case, draft, problems)


def _checked_draft(case: PlatformCase) -> tuple[Draft, Catalog | None, list[Problem]]:
    """Return the draft of the new folder, the catalog with this folder, and the problems found.

    The catalog is None if the folder cannot be loaded. If the guide from
    `additional-platforms.json` fails the check, its problems are printed, and the draft is made
    without this guide.
    """
    draft = draft_from_answers(case)
    catalog_with_hosts = with_known_hosts(
        case.catalog, case.unlisted_hosts, case.value("host-owner") or ""
    )
    catalog, problems = check_folder(catalog_with_hosts, case.id, folder_files(draft), case.today)
    guide = f"{ACCELERATORS}/{case.id}/guide.md"
    if case.entry and case.entry.guide and any(p.path == guide for p in errors(problems)):
        click.echo("Left out the entry's guide, because it doesn't pass the check:")
        print_problems([problem for problem in problems if problem.path == guide])
        return _checked_draft(replace(case, entry=replace(case.entry, guide={})))
    return draft, catalog, problems


NO_ANSWER = "-"
"""The user's reply that leaves an optional field empty instead of accepting the proposed value."""

GO_BACK = "<"
"""The user's reply that goes back to the previous question."""


def ask_question(question: Prompt, case: PlatformCase, *, first: bool) -> PlatformCase | None:
    """Ask a question until the answer is valid, and return `case` with the answer.

    `case` has the answers so far. If the user skips an optional question, returns `case` unchanged.
    If the user goes back to the previous question, returns None; this is not possible if `first`
    is true. Raises click.Abort on Ctrl+C.
    """
    needed = is_answer_needed(case, question)
    proposed_answer = derived_answer(case, question.flag)
    default_text = (
        answer_text(proposed_answer.value)
        if proposed_answer
        else suggested(case, question.flag) or ""
    )
    hint = (
        ""
        if needed
        else f"; {NO_ANSWER} if not stated"
        if default_text
        else "; Enter if not stated"
    )
    back = "" if first else f"; {GO_BACK} to go back"

    def case_from_reply(text: str) -> PlatformCase | None:
        answer = text.strip()
        if answer == GO_BACK and not first:
            return None
        if not needed and answer in {"", NO_ANSWER}:
            return case
        if not answer:
            raise click.UsageError(f"{question.words} is required: {question.help}")
        try:
            return add_answer(case, question, text)
        except RefusedAnswerError as error:
            raise click.UsageError(_with_question_name(question, str(error))) from None

    answered_case: PlatformCase | None = click.prompt(
        f"{question.words} ({question.help}{question_detail(case, question)}{hint}{back})",
        default=default_text,
        show_default=bool(default_text),
        value_proc=case_from_reply,
    )
    return answered_case


def _with_question_name(question: Prompt, fault: str) -> str:
    """Return the error message `fault` with the name of `question` instead of the question's flag.

    For example, `torch[2]: …` becomes `PyTorch: …`.
    """
    return re.sub(rf"^{question.flag}(\[\d+\])?(?=: )", question.words, fault, flags=re.MULTILINE)


def write_new_platform(
    root: Path, platform_id: str, files: Mapping[str, str], others: Mapping[str, str]
) -> None:
    """Write the new platform's folder and the files `others`, and print the written paths.

    `files` maps file names in the folder to texts. `others` maps paths of files outside of the
    folder, relative to `root`, to texts. The folder is written last, because the command refuses to
    run if it exists: an interrupted command can be repeated. Raises OSError.
    """
    write_outdated_files(root, others)
    write_folder_atomically(root / ACCELERATORS / platform_id, files)
    for name in files:
        click.echo(f"Wrote {ACCELERATORS}/{platform_id}/{name}")


def print_next_steps(case: PlatformCase, draft: Draft, problems: Sequence[Problem]) -> None:
    """Print the fields that are left to fill in, and how to open a pull request.

    `problems` are warnings, and problems that the new folder causes in other folders.
    """
    if problems:
        click.echo("\nWarnings for the new folder:")
        for problem in problems:
            click.echo(problem)
    click.echo(
        "\nThe folder passes the check. Optional fields that you can add if a source supports them:"
    )
    for hint, line in hint_lines(draft, folder_files(draft)):
        words = f"{hint.heading}: {hint.words}" if hint.heading else hint.words
        click.echo(f"{ACCELERATORS}/{case.id}/{hint.file}:{line}: {words}")
    click.echo(
        f"\n{case.value('url')} is the source of all your answers. If another document"
        "\nsupports an answer, add it under sources, with the date on which you read it."
        "\n\nTo add a test report, for example pytest's JUnit XML:"
        f"\n  mkdir -p {ACCELERATORS}/{case.id}/results"
        f"\n  .venv/bin/accelerator-portal report import --accelerator {case.id} --torch VERSION \\"
        f"\n    --out {ACCELERATORS}/{case.id}/results/ci.json results.xml"
        "\n\nTo preview the page:"
        "\n  make check"
        f"\n  make serve        and open http://127.0.0.1:8000/compute-platforms/{case.id}/"
        "\n\nTo open a pull request from your fork on GitHub, the remote fork:"
        f"\n  git switch --create add-{case.id}"
        f"\n  git add {ACCELERATORS}/{case.id} .github {HOSTS}"
        f'\n  git commit --message "Add the platform {case.id}"'
        f"\n  git push --set-upstream fork add-{case.id}"
        "\nGitHub then prints the link that opens the pull request."
    )
