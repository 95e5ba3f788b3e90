from __future__ import annotations

import zipfile
from pathlib import Path

from packaging.metadata import Metadata
from packaging.utils import parse_wheel_filename
from packaging.version import Version

from accelerator_portal.packages.uv_resolution import write_installed


def test_a_wheel_is_named_and_laid_out_as_installers_want_it(tmp_path: Path) -> None:
    path = write_installed(tmp_path, "torch-example", "1.0+cpu")
    name, version, _, _ = parse_wheel_filename(path.name)
    assert (name, version) == ("torch-example", Version("1.0+cpu"))
    inside = "torch_example-1.0+cpu.dist-info"
    with zipfile.ZipFile(path) as wheel:
        files = {f"{inside}/{file}" for file in ("METADATA", "WHEEL", "RECORD")}
        assert set(wheel.namelist()) == files
        metadata = Metadata.from_email(wheel.read(f"{inside}/METADATA"))
        assert (metadata.name, metadata.version) == ("torch-example", Version("1.0+cpu"))
        assert b"Tag: py3-none-any\n" in wheel.read(f"{inside}/WHEEL")
