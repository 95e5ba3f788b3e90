"""What a report states of the plugin, from what an installation of it holds."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.validation.packages import install_entry_point

COMMIT = "0123456789abcdef0123456789abcdef01234567"
ASK = "from accelerator_validation.environment import plugin; import json, sys; "
IMPORTED = "import torch_acme.version; " + ASK


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder in which pip seems to have installed the plugin of a device `acme`."""
    install_entry_point(tmp_path, "torch_acme", "torch.backends", "acme = torch_acme:start", "")
    (tmp_path / "torch_acme.py").unlink()
    (tmp_path / "torch_acme").mkdir()
    (tmp_path / "torch_acme" / "__init__.py").touch()
    (tmp_path / "torch_acme" / "version.py").touch()
    return tmp_path


def plugin(site: Path, code: str = IMPORTED, device: str = "acme") -> object:
    command = [sys.executable, "-c", f"{code}print(json.dumps(plugin({device!r})))"]
    path = ":".join(["src", str(site)])
    done = subprocess.run(command, env={"PYTHONPATH": path}, capture_output=True, check=True)
    return json.loads(done.stdout)


def test_a_plugin_states_its_commit_as_torch_does(site: Path) -> None:
    (site / "torch_acme" / "version.py").write_text(f"git_version = {COMMIT!r}\n")
    stated = {"name": "torch_acme", "version": "1.0", "commit": COMMIT}
    assert plugin(site) == stated
    assert plugin(site, ASK) == {"name": "torch_acme", "version": "1.0"}, "it is not imported"
    assert plugin(site, device="cpu") is None


def test_pip_notes_the_commit_of_a_repository(site: Path) -> None:
    note = {"url": "https://example.org/x.git", "vcs_info": {"vcs": "git", "commit_id": COMMIT}}
    (site / "torch_acme-1.0.dist-info" / "direct_url.json").write_text(json.dumps(note))
    assert plugin(site) == {"name": "torch_acme", "version": "1.0", "commit": COMMIT}


@pytest.mark.parametrize(
    "note", ["", "{", "[]", '{"vcs_info": {"commit_id": 7}}', '{"dir_info": {}}']
)
@pytest.mark.parametrize("version", ["None", "'Unknown'", "7"])
def test_what_is_no_commit_is_left_out(site: Path, note: str, version: str) -> None:
    (site / "torch_acme-1.0.dist-info" / "direct_url.json").write_text(note)
    (site / "torch_acme" / "version.py").write_text(f"git_version = {version}\n")
    assert plugin(site) == {"name": "torch_acme", "version": "1.0"}
