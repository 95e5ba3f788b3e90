from __future__ import annotations

from pathlib import Path

import pytest

from accelerator_automation.building import (
    previous_site,
    publish_site,
    recover_site,
    restore_previous,
    staging_folder,
)


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "site"


def make(folder: Path, text: str) -> None:
    folder.mkdir()
    (folder / "index.html").write_text(text, "utf-8")


def shown(folder: Path) -> str:
    return (folder / "index.html").read_text("utf-8")


def test_the_last_site_is_kept_and_can_be_put_back_and_back_again(target: Path) -> None:
    for text in ("first", "second", "third"):
        make(staging_folder(target), text)
        publish_site(target)
    assert (shown(target), shown(previous_site(target))) == ("third", "second")
    restore_previous(target)
    assert (shown(target), shown(previous_site(target))) == ("second", "third")
    restore_previous(target)
    assert (shown(target), shown(previous_site(target))) == ("third", "second")
    assert not staging_folder(target).exists()


def test_an_interruption_between_the_renames_is_mended(target: Path) -> None:
    make(previous_site(target), "first")
    make(staging_folder(target), "half of the second")
    assert recover_site(target)
    assert shown(target) == "first"
    assert not recover_site(target)
    assert sorted(path.name for path in target.parent.iterdir()) == ["site"]


def test_a_site_that_cannot_be_renamed_leaves_the_last_one(target: Path) -> None:
    make(target, "first")
    with pytest.raises(FileNotFoundError):
        publish_site(target)  # nothing was built beside it
    assert shown(target) == "first"


@pytest.mark.parametrize("failing", [2, 3], ids=["the last site", "the previous site"])
def test_an_exchange_that_fails_leaves_both_sites(
    target: Path, failing: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(target, "second")
    make(previous_site(target), "first")
    renames = iter(range(1, 99))
    rename = Path.rename

    def failing_rename(path: Path, to: Path) -> Path:
        if next(renames) == failing:
            raise OSError
        return rename(path, to)

    monkeypatch.setattr(Path, "rename", failing_rename)
    with pytest.raises(OSError):  # noqa: PT011 - of the rename
        restore_previous(target)
    assert (shown(target), shown(previous_site(target))) == ("second", "first")
    assert not staging_folder(target).exists()
