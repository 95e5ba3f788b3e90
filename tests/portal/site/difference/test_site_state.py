from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from accelerator_portal.site.difference import compare, read_state
from accelerator_reports.files.problem import ProblemsError
from tests.portal.site.difference.two_sites import rewrite


@pytest.fixture
def site(example: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(example, tmp_path / "built"))


def refusal(site: Path) -> str:
    with pytest.raises(ProblemsError) as error:
        read_state(site)
    (problem,) = error.value.problems
    return str(problem)


def test_a_folder_without_data_is_no_site(tmp_path: Path) -> None:
    remedy = "this is not a built site; build it (make site) and name site/"
    assert refusal(tmp_path) == f"{tmp_path}:1: there is no api/v1/index.json here, so {remedy}"


def test_the_data_alone_are_enough_and_pages_are_not_compared_then(site: Path) -> None:
    whole, data = read_state(site), read_state(site / "api/v1")
    assert (whole.pages, data.pages) == ({}, None)
    assert compare(whole, data).nothing


@pytest.mark.parametrize("path", ["index.json", "releases.json", "install/example.json"])
def test_what_is_no_json_is_named(site: Path, path: str) -> None:
    (site / "api/v1" / path).write_text("{", "utf-8")
    assert f"{site}/api/v1/{path}:1: invalid JSON in column 2: " in refusal(site)


@pytest.mark.parametrize("path", ["hardware.json", "accelerators/example.json"])
def test_what_is_missing_is_named(site: Path, path: str) -> None:
    (site / "api/v1" / path).unlink()
    assert f"{site}/api/v1/{path}:1: the file cannot be read (No such file" in refusal(site)


def test_a_report_that_is_missing_is_named(site: Path) -> None:
    entry = {"id": "a", "accelerator": "example", "kind": "baseline", "counts": {}}
    reports = {"reports": [{**entry, "report": "../reports/a.json"}]}
    rewrite(site, "results/index.json", lambda _: reports)
    assert f"{site}/api/v1/reports/a.json:1: the file cannot be read (No such file" in refusal(site)


def test_a_page_that_is_too_large_is_named(site: Path) -> None:
    page = site / "index.html"
    page.touch()
    os.truncate(page, 129 * 1024**2)
    assert refusal(site).startswith(f"{page}:1: the file has 129 MiB, ")


@pytest.mark.parametrize(
    ("path", "data"),
    [
        ("index.json", []),
        ("index.json", {"api_version": 1}),
        ("accelerators/example.json", {"accelerator": [], "guide": 1}),
        ("install/example.json", {"rows": ["a"]}),
        ("results/index.json", {"reports": [{"id": 3}]}),
        ("history/index.json", "text"),
        ("hardware.json", {"platforms": [{"id": "x", "generations": 1}]}),
    ],
)
def test_another_shape_is_named(site: Path, path: str, data: Any) -> None:  # noqa: ANN401 - any
    rewrite(site, path, lambda _: data)
    message = refusal(site)
    assert message.startswith(f"{site}/api/v1/{path}:1: ")
    assert message.endswith("; build the site again (make site)")


def test_newer_data_are_not_guessed_at(site: Path) -> None:
    rewrite(site, "index.json", lambda data: data | {"api_version": 2})
    message = "the data have version 2, this command reads 1; use the portal's newer version"
    assert refusal(site).endswith(message)


def test_keys_that_another_commit_added_are_passed_over(site: Path, tmp_path: Path) -> None:
    newer = tmp_path / "newer"
    shutil.copytree(site, newer)
    for path in ("index.json", "releases.json", "install/example.json"):
        rewrite(newer, path, lambda data: data | {"new": 1})
    assert compare(read_state(site), read_state(newer)).nothing


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("../../../secret.json", '"../../../secret.json"'),
        ("a\0b", '"a\\u0000b"'),
        ("a\ud800b", '"a\\ud800b"'),
        ("loop", '"loop"'),
    ],
)
def test_addresses_cannot_lead_out_of_the_data(site: Path, address: str, shown: str) -> None:
    (site / "api/v1/loop").symlink_to("loop")
    rewrite(site, "index.json", lambda data: data | {"releases": address})
    assert f"{site}/api/v1/index.json:1: {shown} leads out of api/v1; " in refusal(site)


@pytest.mark.parametrize("number", [-2, 1000, 10**30])
def test_a_row_that_points_to_nothing_is_named(site: Path, number: int) -> None:
    def pointing(data: dict[str, Any]) -> dict[str, Any]:
        return data | {"rows": {name: [number] for name in data["rows"]}}

    rewrite(site, "install/example.json", pointing)
    assert "a row refers to a value that does not exist" in refusal(site)


def test_half_a_row_is_named(site: Path) -> None:
    def cut(data: dict[str, Any]) -> dict[str, Any]:
        return data | {"rows": {**data["rows"], "os": data["rows"]["os"][:-1]}}

    rewrite(site, "install/example.json", cut)
    assert "a row refers to a value that does not exist" in refusal(site)


def test_values_within_values_without_end_are_refused(site: Path, tmp_path: Path) -> None:
    deep = tmp_path / "deep"
    shutil.copytree(site, deep)
    values: list[dict[str, Any]] = [{}, {"x": 1}]
    for _ in range(600):
        values = [{"deep": value} for value in values]
    for place, value in zip((site, deep), values, strict=True):
        rewrite(
            place,
            "accelerators/example.json",
            lambda data, value=value: data | {"accelerator": value},  # type: ignore[misc]
        )
    with pytest.raises(ProblemsError, match="nested too deeply"):
        compare(read_state(site), read_state(deep))


def test_pages_are_told_apart_by_their_own_part(site: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(site, other)
    page = "<html><nav>{}</nav><article>{}</article></html>"
    for root, menu, words, more in ((site, "a", "old", "gone"), (other, "b", "new", "added")):
        for address, text in (("", "same"), ("x/", words), (f"{more}/", "any")):
            (root / address).mkdir(exist_ok=True)
            (root / address / "index.html").write_text(page.format(menu, text), "utf-8")
    pages = compare(read_state(site), read_state(other)).pages
    assert pages
    assert (pages.added, pages.gone, pages.changed) == (("added/",), ("gone/",), ("x/",))


def test_generations_with_the_same_name_are_told_apart_by_their_chip(site: Path) -> None:
    rewrite(
        site,
        "hardware.json",
        lambda _: {
            "platforms": [
                {
                    "id": "example",
                    "generations": [
                        {"name": "Ampere", "chip": "8.0", "words": "2.15.0"},
                        {"name": "Ampere", "chip": "8.6", "words": "2.14.1"},
                    ],
                }
            ]
        },
    )
    cards = read_state(site).platforms["example"].cards
    assert cards == {"Ampere 8.0": "2.15.0", "Ampere 8.6": "2.14.1"}
