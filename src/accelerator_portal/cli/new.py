"""`accelerator-portal new` and `import-platforms`: create vendor folders."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from accelerator_portal.catalog import Catalog, Problem, ProblemsError
from accelerator_portal.catalog.atomic_write import write_folder_atomically, write_text_atomically
from accelerator_portal.catalog.catalog import ACCELERATORS, HOSTS
from accelerator_portal.catalog.clock import today
from accelerator_portal.catalog.problem import printable
from accelerator_portal.catalog.wording import count
from accelerator_portal.checks import errors, load_and_check
from accelerator_portal.cli.failures import INTERRUPTED
from accelerator_portal.cli.generated import stale_files
from accelerator_portal.cli.options import (
    INPUT_FILE,
    ROOT,
    print_problems,
    usable_catalog,
    whole_catalog,
)
from accelerator_portal.install.additional_platforms import (
    platforms_by_listed_id,
    read_additional_platforms,
)
from accelerator_portal.install.pip_command import UnreadableCommandError
from accelerator_portal.vendors.answer_faults import id_fault
from accelerator_portal.vendors.answers import QUESTIONS, Prompt, RefusedAnswerError, written
from accelerator_portal.vendors.draft import Draft, PlatformCase, check_folder, folder_files, places
from accelerator_portal.vendors.draft_from_answers import draft_from_answers
from accelerator_portal.vendors.entry import (
    entry_draft,
    folder_name,
    with_all_headings,
    with_releases,
)
from accelerator_portal.vendors.github_files import github_files
from accelerator_portal.vendors.interview import about, as_typed, interview, is_needed, take
from accelerator_portal.vendors.known_hosts import with_hosts, with_known_hosts
from accelerator_portal.vendors.offers import entry_offers, package_offers
from accelerator_portal.vendors.package_metadata import NoMetadataError, read_package
from accelerator_portal.vendors.suggestions import derived, suggested

_Command = Callable[..., None]


def _flags(command: _Command) -> _Command:
    """Return the command with an option for each question in `vendors.answers.QUESTIONS`."""
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
@_flags
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
    **said: Any,  # noqa: ANN401 - texts, or several where a question takes several
) -> None:
    """Create the vendor folder of a new platform.

    The command asks for each field that no option sets. Without a terminal, or with --yes, it lists
    all missing fields instead. Optional fields without an answer are left out. No file is written
    before the last answer.
    """
    given = _given(said)
    # Code owners and issue forms list all folders. A folder that cannot be read would be missing.
    catalog = whole_catalog(root)
    folders = [place.name for place in (root / ACCELERATORS).iterdir()]
    if wrong := id_fault(catalog, folders, platform_id):
        raise click.ClickException(printable("; ".join(wrong)))
    origin = {"from-additional-platforms": file, "entry": entry, "from-package": package}
    case = PlatformCase(catalog, platform_id, today())
    if file:
        draft = _entry(case, file, entry)
        case = replace(case, entry=draft, offers=entry_offers(draft))
    if package:
        case = _with_package(case, package)
    case = _interviewed(case, given, asked=not yes and sys.stdin.isatty())
    _write(root, case, {flag: str(text) for flag, text in origin.items() if text})


def _given(said: dict[str, Any]) -> dict[str, str]:
    """Return the answers that the command's options set, by the flag of the question.

    Several values of an option are joined by commas. Options that are not set are absent.
    """
    texts = {
        question.flag: said[f"said_{question.flag.replace('-', '_')}"] for question in QUESTIONS
    }
    joined = {f: ",".join(text) if isinstance(text, tuple) else text for f, text in texts.items()}
    return {flag: text for flag, text in joined.items() if text}


def _entry(case: PlatformCase, file: Path, named: str | None) -> Draft:
    data, problems = read_additional_platforms(file.parent, file.name)
    if data is None:
        raise ProblemsError(problems)
    ids = {folder_name(id_): id_ for id_ in data.platforms}
    found = named if named in data.platforms else ids.get(folder_name(named or case.id))
    if found is None:
        known = ", ".join(data.platforms)
        wanted = printable(named or case.id)
        raise click.ClickException(
            f'{file.name} has no entry "{wanted}"; use one of these with --entry: {known}'
        )
    try:
        return entry_draft(data, found, case.catalog.releases, case.today)
    except UnreadableCommandError as error:
        raise click.ClickException(printable(f"{file.name}: platforms.{found}: {error}")) from None


def _with_package(case: PlatformCase, named: str) -> PlatformCase:
    try:
        package = read_package(named)
    except NoMetadataError as error:
        raise click.BadParameter(printable(str(error)), param_hint="'--from-package'") from None
    return replace(case, package=package, offers={**case.offers, **package_offers(package)})


def _interviewed(case: PlatformCase, given: dict[str, str], *, asked: bool) -> PlatformCase:
    """Return `case` completed with all answers about the new platform.

    `given` are the answers from options. If `asked` is true, the user is asked the other questions.
    Raises click.ClickException if an option is wrong, before the first question. If `asked` is
    false, also raises click.ClickException if an answer is missing.
    """
    found = interview(case, given)
    faults = found.wrong if asked else [*found.wrong, *found.missing]
    if faults:
        for fault in faults:
            click.echo(fault)
        counts = [(len(found.wrong), "to correct"), (len(faults) - len(found.wrong), "missing")]
        words = ", ".join(f"{count(number, 'answer')} {what}" for number, what in counts if number)
        raise click.ClickException(f"{words}. Nothing was written")
    if not asked:
        return found.case
    click.echo(
        "Press Enter to accept the value in brackets. Type < to go back to the previous question.\n"
        "Press Ctrl+C to cancel. No file is written before the last answer.\n"
    )
    try:
        return interview(case, given, ask_question).case
    except click.Abort:
        click.echo("\nCanceled. Nothing was written.", err=True)
        sys.exit(INTERRUPTED)


def _write(root: Path, case: PlatformCase, origin: dict[str, str]) -> None:
    draft, catalog, problems = _tried(case)
    own = [problem for problem in problems if problem.path.startswith(f"{ACCELERATORS}/{case.id}/")]
    if catalog is None or errors(own):
        print_problems(own)
        click.echo(
            f"To run the command again with your answers, edit this:\n{as_typed(case, origin)}",
            err=True,
        )
        raise click.ClickException(
            "nothing was written, because the folder doesn't pass the check. "
            "Correct your answers and try again"
        )
    files = folder_files(draft)
    others = github_files(catalog)
    if case.new_hosts:
        known = (root / HOSTS).read_text("utf-8")
        others[HOSTS] = with_hosts(known, case.new_hosts, case.value("host-owner"))
    changed = write_all(root, case.id, files, others)
    print_next_steps(case, draft, problems, changed)


def _tried(case: PlatformCase) -> tuple[Draft, Catalog | None, list[Problem]]:
    """Return the draft of the new folder, the catalog with this folder, and its problems.

    The catalog is None if the folder cannot be loaded. If the guide from
    `additional-platforms.json` fails the check, the draft has no guide from this file.
    """
    draft = draft_from_answers(case)
    known = with_known_hosts(case.catalog, case.new_hosts, case.value("host-owner") or "")
    catalog, problems = check_folder(known, case.id, folder_files(draft), case.today)
    guide = f"{ACCELERATORS}/{case.id}/guide.md"
    if case.entry and case.entry.guide and any(p.path == guide for p in errors(problems)):
        click.echo("Left out the entry's guide, because it doesn't pass the check:")
        print_problems([problem for problem in problems if problem.path == guide])
        return _tried(replace(case, entry=replace(case.entry, guide={})))
    return draft, catalog, problems


NONE = "-"
"""The answer that leaves an optional field out although a value is proposed."""

BACK = "<"
"""The answer that goes back to the previous question."""


def ask_question(question: Prompt, case: PlatformCase, *, first: bool) -> PlatformCase | None:
    """Ask a question until the answer is valid, and return `case` with the answer.

    `case` has the answers so far. If the user skips an optional question, returns `case` unchanged.
    If the user goes back to the previous question, returns None; this is not possible if `first`
    is true. Raises click.Abort on Ctrl+C.
    """
    needed = is_needed(case, question)
    known = derived(case, question.flag)
    proposed = written(known.value) if known else suggested(case, question.flag) or ""
    hint = "" if needed else f"; {NONE} if not stated" if proposed else "; Enter if not stated"
    back = "" if first else f"; {BACK} to go back"

    def taken(text: str) -> PlatformCase | None:
        answer = text.strip()
        if answer == BACK and not first:
            return None
        if not needed and answer in {"", NONE}:
            return case
        if not answer:
            raise click.UsageError(f"{question.words} is required: {question.help}")
        try:
            return take(case, question, text)
        except RefusedAnswerError as error:
            raise click.UsageError(_words(question, str(error))) from None

    answered: PlatformCase | None = click.prompt(
        f"{question.words} ({question.help}{about(case, question)}{hint}{back})",
        default=proposed,
        show_default=bool(proposed),
        value_proc=taken,
    )
    return answered


def _words(question: Prompt, fault: str) -> str:
    """Return an error message with the question's name instead of its flag.

    For example, `torch[2]: …` becomes `PyTorch: …`.
    """
    return re.sub(rf"^{question.flag}(\[\d+\])?(?=: )", question.words, fault, flags=re.MULTILINE)


def write_all(
    root: Path,
    platform_id: str,
    files: Mapping[str, str],
    others: Mapping[str, str],
    write: Callable[[Path, str], None] = write_text_atomically,
) -> list[str]:
    """Write the new platform's folder and other generated files, and print their paths.

    `files` maps file names in the folder to texts. `others` maps paths below `root` to texts; a
    file of `others` is written only if it is out of date. Returns the paths of `others` that were
    written. If a file cannot be written, undoes all changes and raises OSError.
    """
    folder = root / ACCELERATORS / platform_id
    changed = stale_files(root, others)
    before = {p: (root / p).read_text("utf-8") if (root / p).exists() else None for p in changed}
    try:
        write_folder_atomically(folder, files)
        for path, text in changed.items():
            write(root / path, text)
    except BaseException:  # Ctrl-C, too
        for path, old in before.items():
            if old is None:
                (root / path).unlink(missing_ok=True)
            else:
                write_text_atomically(root / path, old)
        shutil.rmtree(folder, ignore_errors=True)
        raise
    for path in (*(f"{ACCELERATORS}/{platform_id}/{name}" for name in files), *changed):
        click.echo(f"Wrote {path}")
    return [*changed]


def print_next_steps(
    case: PlatformCase, draft: Draft, problems: Sequence[Problem], changed: Sequence[str]
) -> None:
    """Print the fields that are left to fill in, and how to open a pull request.

    `problems` are warnings, and problems that the new folder causes in other folders. `changed` are
    the paths of the files outside of the new folder that were written.
    """
    if problems:
        click.echo("\nWarnings for the new folder:")
        for problem in problems:
            click.echo(problem)
    click.echo(
        "\nThe folder passes the check. Optional fields that you can add if a source supports them:"
    )
    for hint, line in places(draft, folder_files(draft)):
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
        f"\n  git add {' '.join((f'{ACCELERATORS}/{case.id}', *changed))}"
        f'\n  git commit --message "Add the platform {case.id}"'
        f"\n  git push --set-upstream fork add-{case.id}"
        "\nGitHub then prints the link that opens the pull request."
    )


@click.command("import-platforms")
@ROOT
@click.argument("file", type=INPUT_FILE)
def import_platforms(root: Path, file: Path) -> None:
    """Create vendor folders from a file of pytorch.org.

    FILE is pytorch.org's additional-platforms.json.

    Existing folders are not changed. Fields that FILE doesn't provide are listed at the end, for
    the vendor to complete.
    """
    catalog = usable_catalog(root)
    data, problems = read_additional_platforms(file.parent, file.name)
    if data is None:
        raise ProblemsError(problems)
    drafts: dict[str, dict[str, str]] = {}
    day, listed = today(), platforms_by_listed_id(catalog)
    for platform_id in data.platforms:
        try:
            draft = entry_draft(data, platform_id, catalog.releases, day)
            files = folder_files(with_all_headings(with_releases(draft)))
            known = listed.get(platform_id)
            drafts[known.id if known else folder_name(platform_id)] = files
        except UnreadableCommandError as error:
            what = f"platforms.{platform_id}: {error}"
            remedy = "use packages, --index-url, --extra-index-url and --pre only"
            problems.append(Problem(file.name, 1, what, remedy))
    if problems:
        raise ProblemsError(problems)
    made = [name for name, files in drafts.items() if _write_imported(root, name, files)]
    if made:
        _tell_what_is_missing(root, made)


def _write_imported(root: Path, name: str, files: dict[str, str]) -> bool:
    folder = root / ACCELERATORS / name
    if folder.exists():
        click.echo(f"{ACCELERATORS}/{name} exists; not changed")
        return False
    write_folder_atomically(folder, files)
    click.echo(f"Wrote {ACCELERATORS}/{name}")
    return True


def _tell_what_is_missing(root: Path, made: list[str]) -> None:
    _, problems = load_and_check(root, today())
    places = tuple(f"{ACCELERATORS}/{name}/" for name in made)
    missing = [problem for problem in problems if problem.path.startswith(places)]
    click.echo(
        f"\nThe file doesn't provide all fields. {count(len(missing), 'field')} to complete:"
    )
    for problem in missing:
        click.echo(problem)
