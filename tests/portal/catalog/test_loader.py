from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import pytest

from accelerator_portal.checks import load_and_check
from tests.day import TODAY
from tests.folders import (
    ACCELERATOR,
    EXAMPLE,
    RELEASES,
    REPOSITORY,
    SELECTOR,
    Tree,
    edited,
    loaded,
    problems_in,
)


def test_a_file_reads_alike_with_other_line_ends_and_a_byte_order_mark(tree: Tree) -> None:
    expected = asdict(loaded(tree(EXAMPLE)))
    windows = {path: f"\ufeff{text}".replace("\n", "\r\n") for path, text in EXAMPLE.items()}
    assert asdict(loaded(tree(windows))) == expected


def test_platforms_of_pytorch_itself_come_first_and_then_names(tree: Tree) -> None:
    def copy(folder: str, name: str, integration: str) -> dict[str, str]:
        files = edited(
            (ACCELERATOR, "name: Example\n", f"name: {name}\n"),
            (ACCELERATOR, "in-tree", integration),
            (ACCELERATOR, "name: torch-example", f"name: {folder}"),
        )
        return {p.replace("example", folder, 1): t for p, t in files.items() if "/example/" in p}

    others = copy("one", "able", "out-of-tree") | copy("two", "Zeta", "in-tree")
    catalog = loaded(tree({**EXAMPLE, **others}))
    assert [platform.id for platform in catalog.platforms] == ["example", "two", "one"]


DESCRIBED = 'the page "The file format" of the site describes the format'


def test_the_page_that_describes_the_formats_exists() -> None:
    page = REPOSITORY / "site_src/templates/contribute/format.md.j2"
    assert "title: The file format\n" in page.read_text("utf-8")


@pytest.mark.parametrize("path", EXAMPLE)
def test_a_missing_file_is_named(path: str, tree: Tree) -> None:
    root = tree({other: text for other, text in EXAMPLE.items() if other != path})
    problem = f"{path}:1: file not found; create it; {DESCRIBED}"
    assert problem in problems_in(root)


@pytest.mark.parametrize("name", [".env", ".DS_Store", ".github/x.yml", "results/.git/config"])
def test_what_is_hidden_is_named(name: str, tree: Tree) -> None:
    folder = "accelerators/example"
    temporary = {f"{folder}/.guide.md.swp": "x", f"{folder}/results/.r.json.new": "x"}
    root = tree({**EXAMPLE, **temporary, f"{folder}/{name}": "x"})
    shown = name.replace("/x.yml", "").replace("/config", "")
    told = f"{folder}/{shown}:1: hidden files and folders are not allowed; remove it"
    assert problems_in(root) == [told]


@pytest.mark.parametrize("path", [RELEASES, SELECTOR])
def test_without_the_shared_data_there_is_no_catalogue(path: str, tree: Tree) -> None:
    catalog, problems = load_and_check(tree({**EXAMPLE, path: "start: ["}), TODAY)
    assert catalog is None
    assert [problem.path for problem in problems] == [path]


def test_a_key_that_stands_twice_keeps_the_folder_out_though_it_can_be_read(tree: Tree) -> None:
    vendor = "vendor: Example Vendor\n"
    catalog, problems = load_and_check(tree(edited((ACCELERATOR, vendor, vendor * 2))), TODAY)
    assert catalog is not None
    assert catalog.platforms == ()
    assert "is already used" in problems[0].what


def test_the_folder_of_all_platforms_is_no_link_either(tree: Tree, tmp_path: Path) -> None:
    root = tree(EXAMPLE)
    (root / "accelerators").rename(tmp_path / "elsewhere")
    (root / "accelerators").symlink_to(tmp_path / "elsewhere")
    _, problems = load_and_check(root, TODAY)
    assert "accelerators:1: the folder is a symbolic link; replace the link with the folder" in map(
        str, problems
    )


def test_a_folder_that_may_not_be_read_is_named(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(folder: Path) -> list[Path]:
        raise PermissionError(13, "Permission denied", str(folder))

    root = tree(EXAMPLE)
    monkeypatch.setattr(Path, "iterdir", refuse)
    _, problems = load_and_check(root, TODAY)
    assert str(problems[0]) == (
        "accelerators:1: the folder cannot be read (Permission denied); make the folder readable"
    )


def test_elsewhere_than_in_the_repository_one_is_told(tree: Tree) -> None:
    assert problems_in(tree({"readme.txt": ""})) == [
        "accelerators:1: folder not found; run the command in the repository",
        f"{RELEASES}:1: file not found; create it; {DESCRIBED}",
        f"{SELECTOR}:1: file not found; create it; {DESCRIBED}",
    ]
