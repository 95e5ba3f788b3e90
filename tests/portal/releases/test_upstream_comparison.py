"""How the portal's commands and upstream's agree, in both directions."""

from __future__ import annotations

from accelerator_portal.catalog import load_catalog
from accelerator_portal.releases.upstream_commands import (
    Agreement,
    UpstreamComparison,
    compare_commands,
    read_upstream,
)
from tests.folders import INSTALL, Tree, edited
from tests.portal.releases.upstream import ARCHIVES, FILES, PREVIOUS_TEXT, PUBLISHED_TEXT

ARCHIVE = """\
  - id: archive
    torch: ["1.10.0"]
    methods: [libtorch]
    os: [windows]
    arch: [x86_64]
    variants: [ex1]
    steps:
      - download: {url: "ADDRESS", unzip: true}
    source: made-up
  - id: nightly
"""


def compared(tree: Tree, text: str, files: dict[str, str] = FILES) -> UpstreamComparison:
    catalog, problems = load_catalog(tree(files))
    assert catalog is not None, problems
    return compare_commands(catalog, read_upstream(text))


def words(found: UpstreamComparison) -> list[str]:
    return [f"{e.agreement} {e.system} {e.kind} {e.build}: {e.words}" for e in found.entries]


def test_each_combination_of_published_versions(tree: Tree) -> None:
    found = compared(tree, PUBLISHED_TEXT)
    assert words(found) == [
        "missing linux libtorch ex9: ",
        "extra linux pip ex2: ",
        "missing linux pip ex9: ",
        "missing windows libtorch cpu: ",
        "missing linux pip cpu: ",
        "same linux pip ex1: ",
        "same linux pip pypi: ",
        "extra windows pip ex1: ",
    ]
    assert (found.count("missing", "pip"), found.count("same", "pip")) == (2, 2)
    assert (found.only_upstream, found.only_portal) == ((), ("1.9.1",))
    assert found.with_torchaudio == 1


def test_a_build_from_pypi_and_another_torchvision(tree: Tree) -> None:
    found = compared(tree, PREVIOUS_TEXT)
    assert words(found) == [
        "differs linux pip ex1: upstream has torchvision==0.9.0, the portal has torchvision==0.10.0",
        "differs linux pip ex2: the portal installs this build from PyPI",
        "missing macos pip pypi: ",
        "extra windows pip ex1: ",
        "missing windows pip ex2: ",
    ]


def test_a_package_that_the_portal_does_not_install(tree: Tree) -> None:
    found = compared(tree, PUBLISHED_TEXT, edited())
    assert (
        "differs linux pip ex1: upstream's command installs torchvision, the portal's command does not"
        in words(found)
    )


def test_archives_are_compared_by_address(tree: Tree) -> None:
    expected: dict[str, Agreement] = {"a": "same", "b": "differs"}
    for name, agreement in expected.items():
        address = f"{ARCHIVES}/cpu/libtorch-win-{name}.zip"
        files = edited((INSTALL, "  - id: nightly\n", ARCHIVE.replace("ADDRESS", address)))
        found = compared(tree, PUBLISHED_TEXT, files)
        assert found.count(agreement, "libtorch") == 1
        _, archive = (e for e in found.entries if e.kind == "libtorch")
        has = f"upstream has {ARCHIVES}/cpu/libtorch-win-a.zip, the portal has {address}"
        assert archive.words == (has if agreement == "differs" else "")


def test_a_release_that_only_upstream_lists(tree: Tree) -> None:
    found = compared(tree, PREVIOUS_TEXT.replace("1.10.0", "1.11.0"))
    assert (found.only_upstream, found.entries) == (("1.11.0",), ())
