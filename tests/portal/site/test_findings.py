"""What pages say of the versions of a command."""

from __future__ import annotations

import datetime as dt
import json
from dataclasses import replace

from accelerator_portal.install.expand import expand
from accelerator_portal.install.rows import InstallRow
from accelerator_portal.packages.verdict_file import Trial, Verdict, verdict_row_key
from accelerator_portal.packages.verification import NO_ANSWER
from accelerator_portal.site.results.findings import (
    finding_counts,
    findings_summary,
    total_findings,
    unreachable_hosts,
    with_findings,
)
from tests.built_site import Site
from tests.folders import EXAMPLE, Tree, loaded

DAY = dt.date(2026, 6, 1)
FOUND = Verdict(kind="found", on=DAY, found={"torch": "1.10.0"})
NONE = Verdict(kind="none", on=DAY, why="torch==1.10.0 has no wheels.")
NAMED = "Version stated in “Example data, made up for the tests”, read 2026-01-02."
UNCHECKED = Verdict(kind="unchecked", on=DAY, why="an index did not respond")


def first_row(tree: Tree) -> InstallRow:
    rows = expand(loaded(tree(EXAMPLE)))[0]
    return next(row for row in rows if row.method == "pip" and len(row.pythons or ()) > 1)


def with_verdicts(row: InstallRow, *known: Verdict | None) -> InstallRow:
    by_python = {p: v for p, v in zip(row.pythons or (), known, strict=False) if v}
    (found,) = with_findings([row], {row.platform: {verdict_row_key(row): by_python}})
    return found


def test_each_python_has_its_own_words(tree: Tree) -> None:
    row = with_verdicts(first_row(tree), FOUND, NONE, UNCHECKED)
    pythons = row.pythons or ()
    assert [f and (f.kind, f.words) for f in row.findings[:3]] == [
        ("found", "Versions found on 2026-06-01: torch 1.10.0."),
        (
            "none",
            (
                "These versions did not resolve on 2026-06-01. "
                f"Use Python {pythons[0]}. Reason: torch==1.10.0 has no wheels."
            ),
        ),
        ("named", f"Not checked on 2026-06-01: an index did not respond. {NAMED}"),
    ]


def test_where_no_python_has_one_the_newest_release_with_one_is_named(tree: Tree) -> None:
    rows = [r for r in expand(loaded(tree(EXAMPLE)))[0] if r.method == "pip" and r.variant == "ex1"]
    newest = next(r for r in rows if r.build == "1.10.0" and r.os == "linux")
    older = next(r for r in rows if r.build == "1.9.1")
    assert (newest.arch, newest.os) == (older.arch, older.os)
    known = {
        verdict_row_key(newest): dict.fromkeys(newest.pythons or (), NONE),
        verdict_row_key(older): dict.fromkeys(older.pythons or (), FOUND),
    }
    found, _ = with_findings([newest, older], {"example": known})
    (words,) = {f.words for f in found.findings if f}
    assert "Use PyTorch 1.9.1." in words


def test_a_table_says_it_once_where_all_agree(tree: Tree) -> None:
    row = first_row(tree)
    same = with_verdicts(row, *[FOUND] * len(row.pythons or ()))
    assert findings_summary([same, same]) == "Versions found on 2026-06-01: torch 1.10.0."
    mixed = findings_summary([with_verdicts(row, FOUND, NONE)])
    assert "Python 3.12: Versions found" in mixed
    assert "Python 3.13: These versions did not resolve" in mixed
    unchecked = findings_summary([with_verdicts(row, FOUND, UNCHECKED)])
    assert "Python 3.13: Not checked on 2026-06-01: an index did not respond." in unchecked
    (other,) = with_findings([replace(row, named=None)], {})
    assert findings_summary([other]) == "Not checked yet."
    (image,) = with_findings([replace(row, named=None, method="docker")], {})
    assert findings_summary([image]) == "Not checked: contains other commands than pip and uv."
    assert findings_summary([row]) == ""


def test_shares_count_every_command_once(tree: Tree) -> None:
    row = first_row(tree)
    rows = [with_verdicts(row, FOUND, NONE), with_verdicts(replace(row, named=None), UNCHECKED)]
    counts = total_findings(finding_counts(rows)).model_dump()
    others = len(row.pythons or ())
    assert counts == {
        "installed": 0,
        "found": 1,
        "none": 1,
        "named": others - 2,
        "unchecked": others,
    }


def test_the_pages_and_the_data_say_the_same(site: Site) -> None:
    data = json.loads((site.root / "api/v1/findings.json").read_text("utf-8"))
    kinds = ("installed", "found", "none", "named", "unchecked")
    counts = [sum(p[kind] for p in data["platforms"].values()) for kind in kinds]
    text = site.pages["get-started/"].one("article").text()
    text = " ".join(text.split())
    assert f"Of {sum(counts):,} combinations" in text
    assert all(f"{count:,} have “" in text for count in counts)
    assert "could not be reached from where these commands were checked" in text
    assert "Error" not in text
    assert "None of these levels means that the command was tested on hardware." in text
    install = json.loads((site.root / "api/v1/install.json").read_text("utf-8"))
    for own in install["platforms"].values():
        findings = [finding for row in own["rows"] for finding in row.get("findings", ())]
        assert {finding["kind"] for finding in findings if finding} <= {*kinds}


def test_an_installation_is_a_level_of_its_own(tree: Tree) -> None:
    trial = Trial(on=DAY, python="3.11.7", imported=("torch",))
    tried = FOUND.model_copy(update={"trial": trial})
    checked = FOUND.model_copy(update={"trial": trial.model_copy(update={"checked": True})})
    row = with_verdicts(first_row(tree), tried, checked)
    words = "Installed and imported on 2026-06-01 with Python 3.11.7: torch 1.10.0."
    assert [f and (f.kind, f.words) for f in row.findings[:2]] == [
        ("installed", words),
        ("installed", f"{words} The check passed, too."),
    ]
    assert finding_counts([row]).platforms[row.platform].installed == 2


def test_a_host_that_could_not_be_reached_is_named_outside_the_table(tree: Tree) -> None:
    silent = [
        Verdict(kind="unchecked", on=DAY, why=f"example.org {NO_ANSWER}{rest}")
        for rest in (" (Timeout)", "")
    ]
    row = with_verdicts(first_row(tree), *silent, FOUND)
    words = (
        "Not checked on 2026-06-01: example.org could not be reached from where this was checked."
    )
    for named, source in ((row.named, f" {NAMED}"), (None, "")):
        (found,) = {
            f.words for f in with_verdicts(replace(row, named=named), *silent).findings[:2] if f
        }
        assert found == words + source
        one = with_verdicts(replace(row, named=named, pythons=("3.12",)), silent[0])
        assert findings_summary([one]) == f"Not checked on 2026-06-01.{source}"
    assert unreachable_hosts([row, row]) == ("example.org",)
    assert unreachable_hosts([with_verdicts(row, FOUND, NONE, UNCHECKED)]) == ()


def test_a_page_names_such_a_host_once_above_its_table(site: Site) -> None:
    words = "could not be reached from where these commands were checked."
    pages = [page for page in site.pages.values() if page.tree.css(".commands-table")]
    counts = {page.address: page.html.count(words) for page in pages}
    assert counts["compute-platforms/cuda/"] == 1
    assert {count for address, count in counts.items() if not address.startswith("zh/")} <= {0, 1}
    for page in pages:
        assert "did not respond" not in page.html
        assert page.html.count("could not be reached from where") <= 2, (
            "the table's note and the selector's"
        )
