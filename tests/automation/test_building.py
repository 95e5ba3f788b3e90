"""What is not whole never takes the place of what is; a small folder stands for the site."""

from __future__ import annotations

import datetime as dt
from functools import partial
from pathlib import Path

import pytest

from accelerator_automation.archive_store import archive_good_folders, last_good_dates, open_archive
from accelerator_automation.building import (
    EXCLUDED,
    LAST_GOOD,
    NIGHTS,
    QUARANTINE,
    BrokenLinksError,
    EngineError,
    Quarantine,
    build,
    mkdocs,
)
from tests.automation.small_site import SmallEngine
from tests.folders import EXAMPLE, GUIDE, Tree, edited, write_tree

TODAY = dt.date(2026, 1, 2)


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """A place where the last site is."""
    place = tmp_path / "there/site"
    place.mkdir(parents=True)
    (place / "index.html").write_text("the last site", "utf-8")
    return place


def page(out: Path) -> str:
    return (out / "index.html").read_text("utf-8")


def around(out: Path) -> list[str]:
    return sorted(place.name for place in out.parent.iterdir())


def test_a_whole_site_takes_the_place_of_the_last_one_which_is_kept(out: Path) -> None:
    engine = SmallEngine()
    build(out.parent, out, engine=engine)
    assert page(out) == "a site"
    assert page(out.with_name(".site.previous")) == "the last site"
    assert around(out) == [".site.previous", "site"]
    assert engine.variables == {QUARANTINE: "false", LAST_GOOD: "", NIGHTS: "", EXCLUDED: "{}"}
    build(out.parent, out, Quarantine(), engine=engine)
    assert engine.variables == {QUARANTINE: "true", LAST_GOOD: "", NIGHTS: "", EXCLUDED: "{}"}


def test_a_site_with_a_broken_link_does_not(out: Path) -> None:
    broken = SmallEngine('<a href="nowhere/">x</a>')
    with pytest.raises(
        BrokenLinksError, match="the new site has 6 broken links; the existing site"
    ):
        build(out.parent, out, engine=broken)
    assert page(out) == "the last site"
    assert around(out) == ["site"]


def test_neither_does_one_that_cannot_be_built(out: Path, tmp_path: Path) -> None:
    """MkDocs itself, in a folder without its settings."""
    with pytest.raises(EngineError, match=r"mkdocs\.yml") as failed:
        build(tmp_path, out, engine=partial(mkdocs, quiet=True))
    assert failed.value.code == 1
    assert page(out) == "the last site"
    assert around(out) == ["site"]


def test_with_an_archive_broken_folders_have_their_last_good_version(
    out: Path, tree: Tree, tmp_path: Path
) -> None:
    root, archive = tree(EXAMPLE), open_archive(str(tmp_path / "archive"))
    archive_good_folders(archive, root, ["example"], [], dt.date(2026, 1, 1))
    write_tree(root, edited((GUIDE, "## Help", "## Halp")))
    engine = SmallEngine()
    quarantine = Quarantine(archive, last_good_dates(archive, ["example"], TODAY))
    build(root, out, quarantine, engine=engine)
    assert engine.variables[QUARANTINE] == "true"
    assert engine.last_good == {"example": TODAY}
    assert not Path(engine.variables[LAST_GOOD]).exists()
