"""`accelerator-portal suites`: the names of the harness's tests, written into data/suites."""

from __future__ import annotations

from pathlib import Path

import click

from accelerator_portal.catalog.catalog import SUITES
from accelerator_portal.cli.generated import CHECK, keep_current
from accelerator_portal.cli.options import ANY_ROOT, refuse_unknown
from accelerator_portal.validation.listing import listed
from accelerator_portal.validation.matrix import read_matrix, suite_names

_LIST = "\ntests:\n"


@click.command()
@ANY_ROOT
@CHECK
@click.option(
    "--suite", "wanted", multiple=True, metavar="NAME", help="Update only this suite. Repeatable."
)
def suites(root: Path, check_only: bool, wanted: tuple[str, ...]) -> None:
    """Add the harness's test names to data/suites.

    Requires torch.

    Names that this torch version doesn't have stay, because reports on other releases use them.
    Lines above `tests:` are edited by hand and stay unchanged.
    """
    described = [name for name in suite_names() if (root / SUITES / f"{name}.yaml").is_file()]
    for name in wanted:
        refuse_unknown(name, described, "suite")
    if not described:
        what = f"{root / SUITES} has no file for a suite of the harness. Correct --root"
        raise click.UsageError(what)
    names = [name for name in described if not wanted or name in wanted]
    offers = listed({name: read_matrix(name) for name in names})
    files = {}
    for name in filter(offers.get, names):  # of some the tests lie elsewhere: in a checkout
        path = f"{SUITES}/{name}.yaml"
        head, found, known = (root / path).read_text("utf-8").partition(_LIST)
        if not found:
            raise click.ClickException(
                f'{path} has no list "tests:". Add one with at least one test name'
            )
        matrix = read_matrix(name)
        kept = {line.removeprefix("  - ") for line in known.splitlines()}
        own = {o.name for o in offers[name] if not matrix.excludes(o.name, {})}
        tests = sorted(own | kept)
        files[path] = f"{head}{_LIST}" + "".join(f"  - {test}\n" for test in tests)
    fault = "the list of tests is out of date. Run: accelerator-portal suites"
    keep_current(root, files, check_only, fault)
