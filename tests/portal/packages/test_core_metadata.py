"""METADATA is read once for all: from an index, from a wheel that is here, from an installation."""

from __future__ import annotations

import io
import zipfile

from accelerator_portal.packages.wheel_metadata import (
    dist_info_file,
    parse_core_metadata,
    specifier_set,
    valid_requirements,
)
from tests.portal.packages.loopback import zipped


def test_what_nobody_can_read_is_left_out() -> None:
    lines = ("Name: x", "Requires-Dist: torch>=2", "Requires-Dist: ???", "Requires-Dist: numpy")
    raw = parse_core_metadata("\n".join((*lines, "", "Words.")))
    assert raw["name"] == "x"
    assert [str(needed) for needed in valid_requirements(raw)] == ["torch>=2", "numpy"]
    assert valid_requirements(parse_core_metadata(b"")) == ()


def test_a_specifier_is_one_or_none() -> None:
    assert str(specifier_set(">=3.10")) == ">=3.10"
    for text in (None, "", "later", ">=1," * 100):
        assert specifier_set(text) is None


def test_a_wheel_has_files_in_its_own_folder_alone() -> None:
    names = ("x/METADATA", "x.dist-info/inner/METADATA", "x-1.dist-info/METADATA", "METADATA")
    with zipfile.ZipFile(io.BytesIO(zipped(dict.fromkeys(names, b"")))) as wheel:
        found = dist_info_file(wheel, "METADATA")
        assert found is not None
        assert found.filename == "x-1.dist-info/METADATA"
        assert dist_info_file(wheel, "META.ATA") is None
        assert dist_info_file(wheel, "entry_points.txt") is None
