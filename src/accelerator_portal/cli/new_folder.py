"""A new platform's folder and what follows from it, all written or nothing; and what is next."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import click

from accelerator_portal.catalog import Problem
from accelerator_portal.catalog.atomic_write import write_folder_atomically, write_text_atomically
from accelerator_portal.catalog.catalog import ACCELERATORS
from accelerator_portal.cli.generated import stale_files
from accelerator_portal.vendors.case import PlatformCase
from accelerator_portal.vendors.draft import Draft, folder_files, places


def write_all(
    root: Path,
    platform_id: str,
    files: Mapping[str, str],
    others: Mapping[str, str],
    write: Callable[[Path, str], None] = write_text_atomically,
) -> list[str]:
    """Write the folder, and those of `others` that have changed, which are returned; name each.

    What was there before is put back where not all can be written. Raises OSError.
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
    """Say what is left to fill in, by file and line, and how the folder becomes a pull request.

    `problems` are warnings, and what the new folder makes wrong in others; `changed` are the files
    that were written beside it.
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
