"""`accelerator-portal check`: every rule on every file, all problems at once."""

from __future__ import annotations

import datetime as dt
import os
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath

import click

from accelerator_portal.catalog import Catalog, Problem
from accelerator_portal.catalog.atomic_write import write_text_atomically
from accelerator_portal.catalog.catalog import ACCELERATORS
from accelerator_portal.catalog.clock import today
from accelerator_portal.catalog.problem import printable
from accelerator_portal.catalog.wording import count
from accelerator_portal.checks import errors, load_and_check
from accelerator_portal.checks.fixes import fixed_files
from accelerator_portal.checks.folder_limits import first_faults, load_within_limits
from accelerator_portal.cli.extras import require_extra
from accelerator_portal.cli.options import ROOT, progress_bar
from accelerator_portal.cli.problem_formats import TELLERS


@click.command()
@ROOT
@click.option(
    "--format",
    "form",
    type=click.Choice(sorted(TELLERS)),
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
    help="Compare with this commit. Of two folders with one name, the changed one is reported. "
    "Default: the branch main of origin.",
)
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
def check(  # noqa: PLR0913 - each is an option
    *, root: Path, form: str, fix: bool, network: bool, base: str | None, paths: tuple[Path, ...]
) -> None:
    """Check vendor folders and shared data.

    With PATHS, only problems in those files and folders are printed; all files are still read.
    Errors make the command fail; warnings don't.
    """
    wanted = _below(root, paths)
    changed = _changed(root, base)
    catalog, problems = _found(root, wanted, changed)
    if fix:
        _fix(root, problems)
        catalog, problems = _found(root, wanted, changed)
    if network and catalog:
        problems = sorted({*problems, *_asked(catalog, wanted)})
    if problems or form == "json":
        shown = sorted(first_faults(problems), key=lambda problem: problem.level != "error")
        click.echo(TELLERS[form](root, shown))
    failed = errors(problems)
    summary = _summary(catalog, problems, failed)
    where = f" in {', '.join(wanted)}" if wanted else ""
    click.echo(f"{summary}{where}.", err=bool(problems) or form == "json")
    if failed or catalog is None:
        sys.exit(1)


def _changed(root: Path, base: str | None) -> frozenset[str]:
    try:
        return changed_folders(root, base)
    except UnknownBaseError as error:
        raise click.BadParameter(printable(str(error)), param_hint="--base") from None


def _found(
    root: Path, wanted: Sequence[str], changed: frozenset[str]
) -> tuple[Catalog | None, list[Problem]]:
    def load(place: Path, day: dt.date) -> tuple[Catalog | None, list[Problem]]:
        catalog, problems = load_within_limits(place, day)
        return catalog and replace(catalog, changed=changed), problems

    catalog, problems = load_and_check(root, today(), load)
    return catalog, [p for p in problems if not wanted or _is_below(p.path, wanted)]


def _asked(catalog: Catalog, wanted: Sequence[str]) -> list[Problem]:
    require_extra("packages", "check --network")
    from accelerator_portal.checks.network import addresses, check_network

    found = {
        address: place
        for address, place in addresses(catalog).items()
        if not wanted or _is_below(place.path, wanted)
    }
    with progress_bar("links", len(found)) as advance:
        return check_network(found, advance)


def _below(root: Path, paths: Iterable[Path]) -> list[str]:
    """The paths as problems name them, relative to the repository."""
    found = []
    for path in paths:
        place = path if path.is_absolute() else Path.cwd() / path
        place = place if os.path.lexists(place) else root / path
        try:
            place.stat()
            found.append(place.resolve().relative_to(root.resolve()).as_posix())
        except OSError as error:  # there is none, or its name is longer than any may be
            what = f"can't read {str(path)[:200]} ({error.strerror}). Correct the path"
            raise click.BadParameter(what, param_hint="PATHS") from None
        except ValueError:
            raise click.BadParameter(
                f"{path} is not in {root}. Pass a path inside the repository", param_hint="PATHS"
            ) from None
    return found


def _is_below(path: str, wanted: Iterable[str]) -> bool:
    return any(PurePosixPath(path).is_relative_to(place) for place in wanted)


def _fix(root: Path, problems: Sequence[Problem]) -> None:
    texts, gone = fixed_files(root, problems)
    for path, text in texts.items():
        write_text_atomically(path, text)
    for problem in gone:
        click.echo(f"Fixed {problem.path}:{problem.line}: {problem.what}", err=True)


def _summary(catalog: Catalog | None, problems: list[Problem], failed: list[Problem]) -> str:
    warnings = len(problems) - len(failed)
    told = f"{count(warnings, 'warning')}" if warnings else ""
    if failed or catalog is None:
        return ", ".join(filter(None, (f"{count(len(failed), 'problem')} found", told)))
    platforms = count(len(catalog.platforms), "platform")
    return f"{platforms}, {told or 'no problems'}"


# What a clone or a fork calls the branch that changes go to.
_USUAL_BASES = ("origin/HEAD", "origin/main")


class UnknownBaseError(ValueError):
    """A commit that git does not know; the message names it."""


def changed_folders(root: Path, base: str | None) -> frozenset[str]:
    """Return the folders that differ from `base`, or from the usual branch where there is none.

    Without git, or without such a branch, none is known to have changed. Raises UnknownBaseError.
    """
    for name in (base,) if base else _USUAL_BASES:
        # The last commit that both have: what others changed since is not this change.
        start = _git(root, "merge-base", "--end-of-options", "HEAD", name)
        if start:
            changed = _git(root, "diff", "--name-only", "--relative", "-z", start[0], "--", ".")
            new = _git(root, "ls-files", "--others", "--exclude-standard", "-z", "--", ACCELERATORS)
            return frozenset(filter(None, map(_folder, (*changed, *new))))
    if base:
        raise UnknownBaseError(f'there is no commit "{base}". Fetch it, or correct --base')
    return frozenset()


def _folder(path: str) -> str:
    first, _, rest = path.partition("/")
    folder, slash, _ = rest.partition("/")
    return folder if first == ACCELERATORS and slash else ""


def _git(root: Path, *arguments: str) -> list[str]:
    """The lines, or names, that git answers with; none where it fails."""
    command = ["git", "-C", str(root), "-c", "core.fsmonitor=false", *arguments]
    try:
        done = subprocess.run(command, capture_output=True, check=False, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return []
    text = done.stdout.decode(errors="surrogateescape") if not done.returncode else ""
    return [part for part in text.replace("\0", "\n").split("\n") if part]
