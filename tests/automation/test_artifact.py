from __future__ import annotations

import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accelerator_automation.github.zip_members import ArtifactError
from accelerator_automation.site_change_comment import MOST_ARTIFACT_BYTES, read_artifact
from accelerator_portal.site.difference import Difference
from tests.automation.made_up import archive, left


def test_the_number_and_the_difference_are_read_and_nothing_else() -> None:
    found = read_artifact(archive({**left(), "../../evil.py": "import os"}))
    assert (found.number, found.difference) == (5, Difference())


def test_a_run_that_failed_leaves_the_number_alone() -> None:
    assert read_artifact(archive({"number": "5"})).difference is None


@pytest.mark.parametrize(
    "number", ["", "0", "-1", "5 6", "5\n6", "1e3", "\u0665", "9" * 15, "5; rm -rf"]
)
def test_what_is_no_number_is_refused(number: str) -> None:
    with pytest.raises(
        ArtifactError, match=r"contains no pull request number|number has more than"
    ):
        read_artifact(archive(left(number=number)))


@pytest.mark.parametrize(
    "difference",
    [
        [],
        {"schema_version": 1},
        {"unknown": 1},
        {"platforms": [{"id": "x"}]},
        {"platforms": [{"id": "x", "name": "x", "change": "changed", "moves": [{"before": "@a"}]}]},
        {"pages": {"left_out": {"x": -1}}},
    ],
)
def test_another_form_is_no_difference(difference: object) -> None:
    assert read_artifact(archive(left(difference))).difference is None


@pytest.mark.parametrize("text", ["{", "NaN", "[" * 100_000, '{"a": 1' + "0" * 5000 + "}"])
def test_what_is_no_json_is_no_difference(text: str) -> None:
    assert read_artifact(archive({"number": "5", "difference.json": text})).difference is None


def test_a_file_that_unpacks_to_more_than_the_limit_is_refused() -> None:
    bomb = archive({"number": "5", "difference.json": b" " * (9 * 1024 * 1024)})
    assert len(bomb) < 100_000
    with pytest.raises(ArtifactError, match="more than 8,388,608 bytes"):
        read_artifact(bomb)


def test_many_files_and_unusual_packing_are_refused() -> None:
    with pytest.raises(ArtifactError, match="more than 10 files"):
        read_artifact(archive(left() | {f"{n}": "" for n in range(10)}))
    with pytest.raises(ArtifactError, match="unsupported compression method"):
        read_artifact(archive(left(), zipfile.ZIP_LZMA))


def test_too_many_bytes_are_refused_before_they_are_read() -> None:
    with pytest.raises(ArtifactError, match="more than 4,194,304 bytes"):
        read_artifact(b"\0" * (MOST_ARTIFACT_BYTES + 1))


def refused_or_read(data: bytes) -> str:
    try:
        return str(read_artifact(data).number)
    except ArtifactError as error:
        return str(error)


@given(st.binary() | st.binary().map(lambda data: archive({"number": data})))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    assert refused_or_read(data)


@given(st.integers(0, 400), st.binary(min_size=1, max_size=4))
@settings(max_examples=500)
def test_a_broken_archive_is_read_or_refused(place: int, noise: bytes) -> None:
    whole = archive(left())
    assert refused_or_read(whole[:place] + noise + whole[place + len(noise) :])
