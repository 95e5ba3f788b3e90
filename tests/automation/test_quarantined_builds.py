"""A folder that only a build shows to be broken is found and left out; the others stay."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path

import pytest

from accelerator_automation.archive_store import archive_good_folders, open_archive
from accelerator_automation.building import (
    EXCLUDED,
    LAST_GOOD,
    BrokenLinksError,
    EngineError,
    Quarantine,
    build_with_quarantine,
)
from accelerator_portal.catalog import Catalog
from accelerator_portal.checks import folder_limits
from accelerator_portal.checks.quarantine import last_good_versions, load_with_quarantine
from tests.automation.small_site import SmallEngine
from tests.folders import EXAMPLE, FAQ, Tree, write_tree

TODAY = dt.date(2026, 1, 2)
NAMES = ("a", "b", "c", "d", "e")


@pytest.fixture(autouse=True)
def _no_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """All folders are small; the process that finds that out has tests of its own."""
    monkeypatch.setattr(folder_limits, "folders_over_limits", lambda *_: {})


@dataclass
class Engine(SmallEngine):
    """Builds a site that is broken with some folders; it notes each set that was left out.

    `breaks` takes the folders whose current version the site shows, and the folders of which it
    shows the last valid version.
    """

    breaks: Callable[[Collection[str], Collection[str]], str] = lambda *_: ""
    tried: list[set[str]] = field(default_factory=list)

    def __call__(  # noqa: D102 - as in SmallEngine
        self, root: Path, place: Path, variables: Mapping[str, str]
    ) -> None:
        excluded = json.loads(variables[EXCLUDED])
        self.tried.append(set(excluded))
        kept = last_good_versions(Path(variables[LAST_GOOD])) if variables[LAST_GOOD] else {}
        why = self.breaks(set(NAMES) - set(excluded), kept.keys())
        if why == "crash":
            raise EngineError(1, "Traceback\nValueError: 7")
        self.text = f'<a href="{why}">x</a>' if why else "a site"
        super().__call__(root, place, variables)


def repository(tree: Tree) -> tuple[Path, Catalog]:
    files = {
        path.replace("/example/", f"/{name}/"): text.replace("name: Example", f"name: {name}")
        for name in NAMES
        for path, text in EXAMPLE.items()
        if path.startswith("accelerators/")
    }
    shared = {path: text for path, text in EXAMPLE.items() if not path.startswith("accelerators/")}
    root = tree({**files, **shared})
    catalog, _ = load_with_quarantine(root, TODAY)
    assert catalog is not None
    assert catalog.by_id.keys() == set(NAMES), catalog.set_aside
    return root, catalog


@pytest.mark.parametrize(
    "broken", [set(pair) for size in (1, 2, 3) for pair in combinations(NAMES, size)], ids=sorted
)
@pytest.mark.parametrize("how", ["nowhere/", "crash"])
def test_exactly_the_folders_that_break_the_site_are_left_out(
    tree: Tree, broken: set[str], how: str
) -> None:
    root, catalog = repository(tree)
    engine = Engine(breaks=lambda shown, _: how if broken & set(shown) else "")
    told: list[str] = []
    found = build_with_quarantine(
        root, root / "site", catalog, Quarantine(), TODAY, engine=engine, on_search=told.append
    )
    assert found.excluded.keys() == broken
    assert (root / "site/index.html").read_text("utf-8") == "a site"
    assert set(found.excluded.values()) == {
        "404.html: nowhere/: no such file" if how == "nowhere/" else "Traceback / ValueError: 7"
    }
    assert len(told) == len(engine.tried) - 2, "each build of the search was announced"
    catalog_without, _ = load_with_quarantine(root, TODAY, excluded=found.excluded)
    assert catalog_without is not None
    assert catalog_without.by_id.keys() == set(NAMES) - broken
    for name in broken:
        (problem,) = catalog_without.set_aside[name]
        assert str(problem).startswith(f"accelerators/{name}:1: the site cannot be built with this")


def test_a_folder_that_changed_is_tried_first_and_its_last_valid_version_is_shown(
    tree: Tree, tmp_path: Path
) -> None:
    root, catalog = repository(tree)
    archive = open_archive(str(tmp_path / "archive"))
    archive_good_folders(archive, root, NAMES, [], dt.date(2026, 1, 1))
    path = FAQ.replace("/example/", "/d/")
    write_tree(root, {path: (root / path).read_text("utf-8") + "\n"})
    engine = Engine(breaks=lambda shown, _: "nowhere/" if "d" in shown else "")
    found = build_with_quarantine(
        root, root / "site", catalog, Quarantine(archive), TODAY, engine=engine
    )
    assert (set(found.excluded), dict(found.standing_in)) == ({"d"}, {"d": TODAY})
    assert engine.last_good == {"d": TODAY}
    assert engine.tried == [set(), {"d"}, {"d"}]


def test_a_last_valid_version_that_breaks_the_site_as_well_is_not_shown(
    tree: Tree, tmp_path: Path
) -> None:
    root, catalog = repository(tree)
    archive = open_archive(str(tmp_path / "archive"))
    archive_good_folders(archive, root, NAMES, [], dt.date(2026, 1, 1))
    engine = Engine(breaks=lambda shown, kept: "crash" if {*shown, *kept} & {"b"} else "")
    found = build_with_quarantine(
        root, root / "site", catalog, Quarantine(archive), TODAY, engine=engine
    )
    assert (set(found.excluded), dict(found.standing_in)) == ({"b"}, {})


def test_a_fault_that_no_folder_causes_keeps_the_existing_site(tree: Tree) -> None:
    root, catalog = repository(tree)
    (root / "site").mkdir()
    (root / "site/index.html").write_text("the last site", "utf-8")
    engine = Engine(breaks=lambda *_: "nowhere/")
    with pytest.raises(BrokenLinksError):
        build_with_quarantine(root, root / "site", catalog, Quarantine(), TODAY, engine=engine)
    assert (root / "site/index.html").read_text("utf-8") == "the last site"
    assert len(engine.tried) == 2, "with all folders, then with none"
