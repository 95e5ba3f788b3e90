"""Part of `accelerator_portal.cli.generated_files`: suites."""

from __future__ import annotations

from pathlib import Path

import click

from accelerator_reports.cli.generated_files import CHECK, write_or_check_files
from accelerator_reports.cli.options import ANY_ROOT, refuse_unknown
from accelerator_reports.files.folders import SUITES
from accelerator_validation.listing import list_tests
from accelerator_validation.matrix import read_matrix, suite_names

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
