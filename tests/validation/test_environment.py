"""What a report states of the plugin, from what an installation of it holds."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import pytest

from accelerator_validation.probe import ProbeResult, wait_for_probe
from accelerator_validation.side_process import ProcessOutput, SideProcess
from tests.validation.packages import install_entry_point

COMMIT = "0123456789abcdef0123456789abcdef01234567"
ASK = "from accelerator_reports.environment import plugin; import json, sys; "
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
    return json.loads(python(site, f"{code}print(json.dumps(plugin({device!r})))"))


def python(site: Path, code: str) -> bytes:
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, env={"PYTHONPATH": str(site)}, capture_output=True, check=True)
    return done.stdout


# torch with two GPUs, as far as a report asks it.
TORCH = """
from types import SimpleNamespace
__version__ = "2.14.0"
version = SimpleNamespace(git_version="Unknown", hip=None, cuda="13.0")
cards = SimpleNamespace(get_device_name=lambda index: f"Card {index}", device_count=lambda: 2)
get_device_module = {"cuda": cards, "cuda:1": cards}.__getitem__
"""


@pytest.mark.parametrize(
    ("device", "hardware"), [("cuda", "Card 0"), ("cuda:1", "Card 1"), ("cpu:0", None)]
)
def test_a_device_may_have_an_index(tmp_path: Path, device: str, hardware: str | None) -> None:
    (tmp_path / "torch.py").write_text(TORCH)
    code = "from accelerator_reports.environment import environment, processor; import json\n"
    found = json.loads(
        python(tmp_path, f"{code}print(json.dumps([environment({device!r}), processor()]))")
    )
    assert found[0].get("hardware") == (hardware or found[1])
    assert found[0].get("hardware_count") == (2 if hardware else None)
    sdk = {"name": "CUDA", "version": "13.0"} if hardware else None
    assert found[0].get("sdk") == sdk
    assert "torch_commit" not in found[0], "a report may only have a commit there"


def test_of_several_plugins_that_of_the_device_is_stated(site: Path) -> None:
    install_entry_point(site, "aaa", "torch.backends", "other = aaa:start", "")
    for device in ("acme", "acme:0"):
        assert plugin(site, ASK, device) == {"name": "torch_acme", "version": "1.0"}
    assert plugin(site, ASK, "unnamed") is not None
    for device in ("cpu:0", "cuda", "cuda:0"):
        assert plugin(site, ASK, device) is None
    install_entry_point(site, "bbb", "torch.backends", "bbb = bbb:cuda_start", "")
    assert plugin(site, ASK, "cuda:0") == {"name": "bbb", "version": "1.0"}


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


def test_what_a_plugin_prints_is_not_taken_for_the_result_of_a_probe() -> None:
    class Ended(SideProcess):
        def __init__(self) -> None:
            """Start nothing."""

        def wait(self, *_: object) -> ProcessOutput:
            result = json.dumps(asdict(ProbeResult({"torch": "2.14.0"})))
            return ProcessOutput(0, f"imported\nresult: {result}\n3 blocks were freed\n", "")

        def __exit__(self, *_: object) -> None:
            """End nothing."""

    assert wait_for_probe(Ended()) == ProbeResult({"torch": "2.14.0"})
