"""The version table is what the index's metadata says; lags and news follow from its dates."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelerator_portal.catalog import Catalog
from accelerator_portal.catalog.files.criteria_file import Criteria
from accelerator_portal.catalog.files.package_file import ANY_PLATFORM_TAG, FactChange, PackagesRead
from accelerator_portal.packages.fitting_releases import (
    admits,
    fitting_releases,
    last_read_day,
    plugin_index,
    release_lags,
)
from accelerator_portal.packages.news import news
from tests.folders import ACCELERATOR, INSTALL, RELEASES, Tree, edited, loaded
from tests.portal.packages.made_up import (
    ARM,
    PACKAGE,
    PLUGINS,
    READ,
    X86,
    fault,
    release,
    with_facts,
)

TORCH_ONLY = 'packages: ["torch=={torch}"], index: "{index}"'


def table(catalog: Catalog) -> list[tuple[str, str, str, str]]:
    found = plugin_index(catalog, catalog.platforms[0])
    assert found is not None
    assert found.facts is not None
    return [
        (f.torch, f.arch, f.release.version, f.requirement)
        for f in fitting_releases(catalog, found.facts)
    ]


@pytest.mark.parametrize(
    ("requirement", "torch", "fits"),
    [
        ("torch==2.10.0+cpu", "2.10.0", True),
        ("torch==2.10.0", "2.10.0", True),
        ("torch==2.14.0.*", "2.14.0", True),
        ("torch==2.14.0.*", "2.14.1", False),
        ("torch==2.14.0.*", "2.15.0", False),
        ("torch<=2.15.0,>=2.11.0", "2.14.1", True),
        ("torch==2.13.0+cpu", "2.14.0", False),
        ("torch", "2.14.0", True),
        ("torch ===x", "2.14.0", False),
        ("no requirement!", "2.14.0", False),
        ("torch!=2.14.0+cpu", "2.14.0", True),
        ("torch>=2.13,!=2.14.0", "2.14.0", False),
    ],
)
def test_a_requirement_admits_any_build_of_a_release(
    requirement: str, torch: str, *, fits: bool
) -> None:
    assert admits(requirement, torch) is fits


@given(st.text(max_size=60), st.from_regex(r"[0-9]{1,3}\.[0-9]{1,3}", fullmatch=True))
def test_whatever_a_requirement_is_it_admits_or_not(requirement: str, torch: str) -> None:
    assert admits(f"torch{requirement}", torch) in {True, False}


def test_the_newest_plugin_that_fits_stands_for_each_system(plugins: Catalog) -> None:
    both = {X86: "cp312", ARM: "cp312"}
    requires = {X86: ["torch==1.10.0+cpu"], ARM: ["torch==1.10.0"]}
    catalog = with_facts(
        plugins,
        [
            release("2.0", "torch==9.9"),
            release("1.11rc1", "torch==1.10.0"),
            release("1.10.3", "torch==1.10.0", yanked="broken"),
            release("1.10.2", ""),
            release("1.10.1", wheels=both, requires=requires),
            release("1.10.0", "torch==1.10.0"),
            release("1.9.1", "torch==1.9.*"),
        ],
    )
    assert table(catalog) == [
        ("1.10.0", "x86_64", "1.10.1", "torch==1.10.0+cpu"),
        ("1.10.0", "aarch64", "1.10.1", "torch==1.10.0"),
        ("1.9.1", "x86_64", "1.9.1", "torch==1.9.*"),
    ]


def test_pre_releases_count_where_there_is_nothing_else(plugins: Catalog) -> None:
    catalog = with_facts(plugins, [release("1.10.0.dev3", "torch==1.10.0")])
    assert [row[2] for row in table(catalog)] == ["1.10.0.dev3"]


def test_the_vendor_s_own_index_comes_first_and_pypi_s_copy_is_another(tree: Tree) -> None:
    own = "https://example.org/simple"
    old = 'packages: ["torch=={torch}"], index: "{index}"'
    new = f'packages: ["{PACKAGE}==1.0"], extra_index: "{own}"'
    found = loaded(tree(edited((INSTALL, old, new), files=PLUGINS)))
    catalog = with_facts(found, [release("1.0", "")])
    place = plugin_index(catalog, catalog.platforms[0])
    assert place is not None
    assert (place.index, place.facts) == (own, None)
    assert place.other is not None
    assert [r.version for r in place.other.releases] == ["1.0"]
    assert release_lags(catalog, catalog.platforms[0]) == ()


@pytest.mark.parametrize(
    ("installed", "has_facts"), [(f'packages: ["{PACKAGE}==1.0"]', True), (TORCH_ONLY, False)]
)
def test_a_shared_name_that_no_command_installs_is_another_s_package(
    installed: str, *, has_facts: bool, tree: Tree
) -> None:
    source = "import: torch_example, source: made-up"
    shared = f"{source}, shared_name: true, note: Not the one on PyPI."
    files = edited((ACCELERATOR, source, shared), files=PLUGINS)
    found = loaded(tree(edited((INSTALL, TORCH_ONLY, installed), files=files)))
    catalog = with_facts(found, [release("1.0", "")])
    assert (plugin_index(catalog, catalog.platforms[0]) is not None) == has_facts


def days(catalog: Catalog) -> list[tuple[str, int, str | None, str]]:
    found = release_lags(catalog, catalog.platforms[0])
    return [(lag.torch, lag.days, lag.plugin, lag.basis) for lag in found]


def test_days_count_from_torch_to_the_first_plugin_that_fits(plugins: Catalog) -> None:
    catalog = with_facts(
        plugins,
        [
            release("1.9.3", "torch>=1.9", date=dt.date(2025, 9, 1)),
            release("1.9.2", "torch==1.9.1", date=dt.date(2025, 7, 1)),
            release("1.9.2rc1", "torch==1.9.1", date=dt.date(2025, 5, 1)),
        ],
    )
    assert days(catalog) == [("1.10.0", -122, "1.9.3", "index"), ("1.9.1", 30, "1.9.2", "index")]


def test_without_a_plugin_they_count_to_the_day_of_reading(plugins: Catalog) -> None:
    catalog = with_facts(plugins, [release("1.9.2", "torch==1.9.1", date=dt.date(2025, 7, 1))])
    assert days(catalog)[0] == ("1.10.0", 59, None, "index")
    read = PackagesRead(read=dt.date(2026, 4, 1), faults=(fault(since=READ),))
    later = replace(catalog, packages_read=read)
    assert days(later)[0] == ("1.10.0", 59, None, "index")


def test_where_metadata_names_no_torch_the_vendor_s_rows_say_which(plugins: Catalog) -> None:
    catalog = with_facts(plugins, [release("1.10.0", ""), release("1.9.1", "")])
    assert days(catalog) == [("1.10.0", 31, "1.10.0", "vendor"), ("1.9.1", 245, "1.9.1", "vendor")]


def test_what_may_have_been_cut_away_says_nothing(plugins: Catalog) -> None:
    many = [release(f"1.9.{n}", "torch==1.9.1") for n in range(40, 0, -1)]
    assert [row[0] for row in days(with_facts(plugins, many))] == []
    withdrawn = release("1.9.0.post1", yanked="broken")
    assert [row[0] for row in days(with_facts(plugins, [withdrawn, *many[1:]]))] == []
    assert [row[0] for row in days(with_facts(plugins, many[:-1]))] == ["1.10.0", "1.9.1"]
    nightly = [release(f"1.9.2.dev{n}", "torch==1.9.1") for n in range(12, 0, -1)]
    assert [row[0] for row in days(with_facts(plugins, nightly))] == []
    assert [row[0] for row in days(with_facts(plugins, nightly[:-1]))] == ["1.10.0", "1.9.1"]


def test_the_facts_hold_for_the_day_of_their_reading(plugins: Catalog) -> None:
    day = dt.date(2026, 4, 1)
    for read, expected in [
        (PackagesRead(), None),
        (PackagesRead(read=READ), READ),
        (PackagesRead(read=READ, later={PACKAGE: day}), day),
        (PackagesRead(read=day, faults=(fault(since=READ),)), READ),
    ]:
        catalog = with_facts(plugins, [release("1.0")], read=read)
        found = plugin_index(catalog, catalog.platforms[0])
        assert found is not None
        assert last_read_day(catalog, found) == expected


def test_news_tells_what_happened_to_plugins(plugins: Catalog) -> None:
    change = FactChange(
        date=dt.date(2026, 2, 9),
        index="pypi",
        version="1.9.1",
        of="requires",
        on=X86,
        before="torch==1.9.1",
        after="torch==1.9.1+cpu",
    )
    gone = change.model_copy(update={"of": "removed", "version": "1.8.0", "on": ANY_PLATFORM_TAG})
    catalog = with_facts(
        plugins,
        [
            release("1.10.1", "torch==1.10.0", date=dt.date(2026, 2, 3)),
            release("1.10.0", "torch==1.10.0", date=dt.date(2026, 2, 2)),
            release("1.9.1", "torch==1.9.1", date=dt.date(2024, 2, 2)),
        ],
        changes=(change, gone),
    )
    assert [(f"{n.date}", n.kind, n.words) for n in news(catalog)] == [
        (
            "2026-02-09",
            "changed",
            (
                f"{PACKAGE} 1.9.1 changed its requirements for {X86} under the same version: "
                "torch==1.9.1 → torch==1.9.1+cpu"
            ),
        ),
        ("2026-02-09", "changed", f"{PACKAGE} 1.8.0 is no longer on its index"),
        ("2026-02-03", "release", f"{PACKAGE} 1.10.1 was published"),
        (
            "2026-02-02",
            "first",
            f"{PACKAGE} 1.10.0 was published, the first release for torch 1.10.0",
        ),
    ]
    assert [n.key for n in news(catalog)] == [
        f"{PACKAGE}:1.9.1:requires:{X86}:2026-02-09",
        f"{PACKAGE}:1.8.0:removed:2026-02-09",
        f"{PACKAGE}:1.10.1",
        f"{PACKAGE}:1.10.0",
    ]


def test_news_tells_on_which_day_a_platform_fell_behind(tree: Tree) -> None:
    rest = 'python: ["3.12"], wheels: [], source: made-up'
    newer = "".join(
        f'  - {{version: "{v}", date: 2026-0{m}-01, {rest}}}\n'
        for v, m in (("1.13.0", 7), ("1.12.1", 6), ("1.12.0", 5), ("1.11.0", 3))
    )
    files = edited(
        (RELEASES, "releases:\n", f"releases:\n{newer}"),
        (INSTALL, ">=1.10", "==1.10.*"),
        files=PLUGINS,
    )
    catalog = loaded(tree(files))
    found = [
        news(replace(catalog, criteria=Criteria.model_construct(most_minors_behind=most)))
        for most in (1, 2, 3, 4)
    ]
    assert news(replace(catalog, criteria=None)) == ()
    days = [[f"{n.date}" for n in some] for some in found]
    assert days == [["2026-05-01"], ["2026-07-01"], [], []]
    assert found[1][0].words == (
        "more than 2 minor releases behind since torch 1.13; the newest supported release is 1.10.0"
    )


def test_who_has_no_release_at_all_did_not_fall_behind(plugins: Catalog) -> None:
    (platform,) = plugins.platforms
    nothing = replace(
        platform,
        install=platform.install.model_copy(update={"options": ()}),
        compatibility=platform.compatibility.model_copy(update={"rows": ()}),
    )
    criteria = Criteria.model_construct(most_minors_behind=1)
    assert news(replace(plugins, platforms=(nothing,), criteria=criteria)) == ()
