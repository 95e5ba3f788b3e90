from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from accelerator_portal.catalog.files.package_file import IndexFacts, PackageFacts, PackagesRead
from accelerator_portal.checks import load_and_check
from accelerator_portal.packages.portal_packages import facts_text, packages_read_text
from accelerator_reports.cli import main
from tests.day import TODAY
from tests.folders import ACCELERATOR, COMPATIBILITY, Tree, edited
from tests.portal.packages.made_up import PACKAGE, PLUGINS, READ, release

FILES = edited(
    (COMPATIBILITY, 'plugin: "1.10.0",', 'plugin: "1.10.0", needs: {SDK: "9.1"},'), files=PLUGINS
)
PACKAGES = f"data/packages/{PACKAGE}.json"


def files(*versions: tuple[str, str]) -> dict[str, str]:
    """The example with package facts: versions and what they require."""
    listed = [("1.10.0", "torch==1.10.0"), ("1.9.1", "torch==1.9.1")]
    found = tuple(release(version, required) for version, required in (*versions, *listed))
    facts = PackageFacts(package=PACKAGE, indexes=(IndexFacts(index="pypi", releases=found),))
    read = packages_read_text(PackagesRead(read=READ))
    return {**FILES, PACKAGES: facts_text(facts), "data/packages-read.json": read}


@pytest.fixture
def root(tree: Tree) -> Path:
    return tree(files(("1.10.2", ""), ("1.10.1", "torch==1.10.0")))


def run(root: Path, *words: str) -> Result:
    return CliRunner().invoke(main, ["plugin-release", "--root", str(root), *words])


def test_without_a_platform_it_lists_what_is_new_and_writes_nothing(root: Path) -> None:
    done = run(root)
    assert done.exit_code == 0
    assert done.output.splitlines() == [
        "example: torch-example 1.10.2, the metadata states no torch version",
        '  To add: the torch version, for example torch: "2.14.0"',
        '  To add: the SDK version, for example needs: {"SDK": "9.1"}',
        "  To add: the variant, for example variant: ex2",
        '  To add: the lifecycle status, for example lifecycle: {status: "ended"}',
        "example: torch-example 1.10.1, requires torch==1.10.0",
        '  To add: the SDK version, for example needs: {"SDK": "9.1"}',
        "  To add: the variant, for example variant: ex2",
        '  To add: the lifecycle status, for example lifecycle: {status: "ended"}',
        "To add the rows of one platform: accelerator-portal plugin-release ACCELERATOR",
    ]
    assert (root / COMPATIBILITY).read_text("utf-8") == FILES[COMPATIBILITY]


def test_one_command_adds_a_row_that_passes_the_check(root: Path) -> None:
    assert "no row lists torch-example 1.10.1" in problems(root)
    done = run(root, "example", "1.10.1")
    assert done.exit_code == 0, done.output
    assert done.output.splitlines()[:2] == [
        f"Added 1 row to {COMPATIBILITY}.",
        "torch-example 1.10.1, requires torch==1.10.0",
    ]
    assert "no row lists torch-example 1.10.1" not in problems(root)
    again = run(root, "example", "1.10.1")
    assert (again.exit_code, again.output) == (0, f"{COMPATIBILITY} lists every release already.\n")


def problems(root: Path) -> str:
    return "\n".join(map(str, load_and_check(root, TODAY)[1]))


def test_what_metadata_does_not_name_is_given_with_its_source(root: Path) -> None:
    given = ("--torch", "1.10.0", "--needs", "SDK=9.2", "--variant", "ex2", "--source", "made-up")
    done = run(root, "example", "1.10.2", *given)
    assert done.exit_code == 0, done.output
    text = (root / COMPATIBILITY).read_text("utf-8")
    assert '    needs:\n      SDK: "9.2"\n    source: [package-1-10-2, made-up]\n' in text
    assert "SDK version" not in done.output


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("example", "7.0"), "the newest are 1.10.2, 1.10.1, 1.10.0"),
        (("example", "1.10.2"), "states no torch version. Add --torch VERSION --source ID"),
        (("example",), "states no torch version. Add --torch VERSION --source ID"),
        (("example", "1.10.2", "--torch", "1.10.0"), "the values of your options need a source"),
        (("example", "1.10.1", "--needs", "SDK"), '"SDK" has no name or no value'),
        (
            ("example", "1.10.1", "--needs", "SDK=1", "--source", "made"),
            'declares no source "made"; did you mean "made-up"?',
        ),
        (("example", "1.10.2", "--torch", "x", "--source", "made-up"), '"x" is not a version'),
    ],
)
def test_a_mistake_is_one_message_and_nothing_is_written(
    root: Path, words: tuple[str, ...], message: str
) -> None:
    done = run(root, *words)
    assert done.exit_code != 0
    assert message in done.output.replace("\n", " ")
    assert "Traceback" not in done.output
    assert (root / COMPATIBILITY).read_text("utf-8") == FILES[COMPATIBILITY]


def test_a_platform_without_package_facts_is_told_how_to_get_them(tree: Tree) -> None:
    done = run(tree(FILES), "example")
    assert done.exit_code == 1
    assert "Run accelerator-portal packages sync" in done.output


def test_a_platform_that_is_part_of_pytorch_has_no_plugin(tree: Tree) -> None:
    own = "{name: torch-example, import: torch_example, "
    done = run(tree(edited((ACCELERATOR, own, "{name: torch, import: torch, "))), "example")
    assert done.exit_code == 2
    assert "example is part of PyTorch and has no plugin. To add a PyTorch release, run: " in (
        " ".join(done.output.split())
    )


def test_a_file_that_cannot_be_edited_is_named_with_its_line(root: Path) -> None:
    head, _, rows = FILES[COMPATIBILITY].partition("rows:\n")
    flow = ", ".join(line.strip().removeprefix("- ") for line in rows.splitlines())
    (root / COMPATIBILITY).write_text(f"{head}rows: [{flow}]\n", "utf-8")
    done = run(root, "example", "1.10.1")
    assert done.exit_code == 1
    assert done.output.startswith(f"{COMPATIBILITY}:6: this row does not start with a dash")


def test_where_all_is_listed_it_says_so(tree: Tree) -> None:
    assert run(tree(files())).output == "Every release in the package facts has a row.\n"
