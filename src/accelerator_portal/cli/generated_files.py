"""`accelerator-portal schema`, `owners` and `suites`: generate files in the repository."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

import click

from accelerator_portal.catalog.atomic_write import write_text_atomically
from accelerator_portal.catalog.catalog import SUITES
from accelerator_portal.catalog.schema import schema_files
from accelerator_portal.cli.options import ANY_ROOT, ROOT, refuse_unknown, whole_catalog
from accelerator_portal.vendors.github_files import github_files
from accelerator_validation.listing import list_tests
from accelerator_validation.matrix import read_matrix, suite_names

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
    outdated = outdated_files(root, files)
    for path, text in outdated.items():
        if check_only:
            click.echo(f"{path}:1: {fault}")
            continue
        write_text_atomically(root / path, text)
        click.echo(f"Wrote {path}")
    if outdated and check_only:
        sys.exit(1)


def _has_text(path: Path, text: str) -> bool:
    try:
        return path.read_bytes() == text.encode()
    except OSError:
        return False


@click.command()
@ROOT
@CHECK
def owners(root: Path, check_only: bool) -> None:
    """Generate the code owners and issue forms.

    The files are .github/CODEOWNERS and the issue forms that list platforms. In the forms, only
    the list of platforms is generated. Edit the rest by hand.

    Owners are the maintainers in each platform's accelerator.yaml. If a folder has problems,
    nothing is written, because its owners would be lost.
    """
    fault = "the file is out of date. Run: make owners"
    write_or_check_files(root, github_files(root, whole_catalog(root)), check_only, fault)


@click.command()
@ANY_ROOT
@CHECK
def schema(root: Path, check_only: bool) -> None:
    """Generate the JSON Schemas in data/schema/.

    They describe the files that vendors contribute.
    """
    fault = "the schema is out of date. Run: accelerator-portal schema"
    write_or_check_files(root, schema_files(), check_only, fault)


_TESTS_HEADING = "\ntests:\n"


@click.command()
@ANY_ROOT
@CHECK
@click.option(
    "--suite", "wanted", multiple=True, metavar="NAME", help="Update only this suite. Repeatable."
)
def suites(root: Path, check_only: bool, wanted: tuple[str, ...]) -> None:
    """Add the harness's test names to data/suites.

    Requires torch.

    For a new suite, first write data/suites/NAME.yaml with one test name in the list `tests:`. The
    command adds the other names to the list.

    Names that this torch version doesn't have stay, because reports on other releases use them. The
    lines above the list `tests:` are edited by hand and stay unchanged.
    """
    names_with_file = [name for name in suite_names() if (root / SUITES / f"{name}.yaml").is_file()]
    for name in wanted:
        refuse_unknown(name, suite_names(), "suite")
        if name not in names_with_file:
            remedy = "Create it like those of other suites, with at least one test name"
            raise click.ClickException(f"{SUITES}/{name}.yaml: file not found. {remedy}")
    if not names_with_file:
        error_text = f"{root / SUITES} has no file for a suite of the harness. Correct --root"
        raise click.UsageError(error_text)
    names = [name for name in names_with_file if not wanted or name in wanted]
    tests_by_suite = list_tests({name: read_matrix(name) for name in names})
    files = {}
    for name in filter(tests_by_suite.get, names):  # some suites have their tests in a checkout
        path = f"{SUITES}/{name}.yaml"
        head, separator, tests_text = (root / path).read_text("utf-8").partition(_TESTS_HEADING)
        if not separator:
            raise click.ClickException(
                f'{path} has no list "tests:". Add one with at least one test name'
            )
        matrix = read_matrix(name)
        known_tests = {line.removeprefix("  - ") for line in tests_text.splitlines()}
        harness_tests = {o.name for o in tests_by_suite[name] if not matrix.excludes(o.name, {})}
        tests = sorted(harness_tests | known_tests)
        files[path] = f"{head}{_TESTS_HEADING}" + "".join(f"  - {test}\n" for test in tests)
    fault = "the list of tests is out of date. Run: accelerator-portal suites"
    write_or_check_files(root, files, check_only, fault)
