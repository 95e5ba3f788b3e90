"""Commands are resolved by uv itself, against an index on loopback."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from uv import find_uv_bin

from accelerator_portal.install.rows import PipCall
from accelerator_portal.packages.uv_resolution import (
    ResolutionQuestion,
    ResolutionResult,
    Uv,
    resolve,
    uv_environment,
)
from accelerator_reports.files.fields import Arch
from tests.packages_index import Wheel, serve

LINUX = "cp312-cp312-manylinux_2_28_x86_64"
ARM = "cp312-cp312-manylinux_2_28_aarch64"

# Made up, in the shape of what PyPI has of torch-npu 2.10.0.
WHEELS = (
    Wheel("torch", "2.10.0", LINUX),
    Wheel("torch", "2.10.0", ARM),
    Wheel("torch", "2.15.0", LINUX),
    Wheel("plugin", "2.10.0", LINUX, ["torch==2.10.0+cpu"]),
    Wheel("plugin", "2.10.0", ARM, ["torch==2.10.0"]),
    Wheel("plugin", "2.14.0", LINUX, ["torch==2.14.0.*"]),
    Wheel("gone", "1.0", yanked=True),
    Wheel("nightly", "3.0.dev1"),
)
CPU_WHEELS = (Wheel("torch", "2.10.0+cpu", LINUX),)


@pytest.fixture(scope="module")
def index() -> Iterator[str]:
    with serve(*WHEELS) as address:
        yield address


@pytest.fixture(scope="module")
def cpu_index() -> Iterator[str]:
    with serve(*CPU_WHEELS) as address:
        yield address


@pytest.fixture
def uv(index: str, tmp_path: Path) -> Uv:
    return Uv(Path(find_uv_bin()), Path(sys.executable), tmp_path / "cache", index, retries=0)


def question(*calls: PipCall, arch: Arch = "x86_64", python: str = "3.12") -> ResolutionQuestion:
    return ResolutionQuestion(calls, "linux", arch, python, first_index=False)


def call(*packages: str, **more: object) -> PipCall:
    return PipCall(packages, **more)  # type: ignore[arg-type]


def test_what_the_commands_name_is_found(uv: Uv) -> None:
    assert resolve(question(call("torch==2.10.0")), uv) == ResolutionResult(
        "found", {"torch": "2.10.0"}
    )


def test_a_plugin_that_needs_a_build_of_another_index_is_found_after_it(
    uv: Uv, cpu_index: str
) -> None:
    """As pip does it: what the first command installed is not looked for again."""
    first = call("torch==2.10.0+cpu", index=cpu_index)
    found = resolve(question(first, call("plugin==2.10.0")), uv)
    assert found == ResolutionResult("found", {"torch": "2.10.0+cpu", "plugin": "2.10.0"})


def test_without_the_first_command_there_is_no_such_combination(uv: Uv) -> None:
    found = resolve(question(call("plugin==2.10.0")), uv)
    assert found.kind == "none"
    assert found.why == (
        "there is no version of torch==2.10.0+cpu and plugin<=2.10.0 depends on torch==2.10.0+cpu."
    )


def test_another_architecture_has_another_answer(uv: Uv) -> None:
    found = resolve(question(call("plugin==2.10.0"), arch="aarch64"), uv)
    assert found == ResolutionResult("found", {"plugin": "2.10.0"})


def test_a_plugin_for_another_torch_is_no_combination(uv: Uv) -> None:
    calls = (call("torch==2.15.0"), call("plugin==2.14.0"))
    found = resolve(question(*calls), uv)
    assert found.kind == "none"
    assert found.why == "plugin>=2.14.0 depends on torch==2.14.0.* and torch==2.15.0."


def test_a_yanked_version_is_taken_where_it_is_asked_for_by_number(uv: Uv) -> None:
    assert resolve(question(call("gone==1.0")), uv) == ResolutionResult("found", {"gone": "1.0"})


@pytest.mark.parametrize("package", ["torch==9", "unknown"])
def test_why_there_are_none_is_a_sentence_without_addresses(package: str, uv: Uv) -> None:
    found = resolve(question(call(package)), uv)
    assert found.kind == "none"
    assert found.why is not None
    assert package in found.why
    assert "http" not in found.why
    assert "\n" not in found.why


def test_a_nightly_is_found_only_where_it_is_wanted(uv: Uv) -> None:
    assert resolve(question(call("nightly>=3.0.dev0", pre=True)), uv).kind == "found"
    assert resolve(question(call("nightly", pre=True)), uv).found == {"nightly": "3.0.dev1"}


def test_a_python_without_wheels_is_no_combination(uv: Uv) -> None:
    found = resolve(question(call("torch==2.10.0"), python="3.9"), uv)
    assert found.kind == "none"
    assert found.why is not None
    assert found.why.startswith("torch==2.10.0 has no wheels with a matching Python")
    assert "cp312" in found.why


def test_free_threaded_pythons_are_said_to_be_unchecked(uv: Uv) -> None:
    assert resolve(question(call("torch"), python="3.14t"), uv).kind == "unchecked"


def test_an_architecture_that_uv_is_not_asked_about_is_unchecked(uv: Uv) -> None:
    found = resolve(question(call("torch"), arch="s390x"), uv)
    assert (found.kind, found.why) == ("unchecked", "this check does not cover s390x")


def test_an_index_that_does_not_answer_is_unchecked(uv: Uv) -> None:
    found = resolve(question(call("torch", index="http://127.0.0.1:9/simple/")), uv)
    assert (found.kind, found.why) == ("unchecked", "an index did not respond")


def test_the_machines_own_configuration_is_not_asked(
    uv: Uv, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A developer's machine may serve builds that no reader can get."""
    with serve(Wheel("torch", "99.0")) as other:
        monkeypatch.setenv("UV_INDEX", other)
        monkeypatch.setenv("UV_DEFAULT_INDEX", other)
        monkeypatch.setenv("PIP_INDEX_URL", other)
        config = tmp_path / "uv.toml"
        config.write_text(f'[pip]\nextra-index-url = ["{other}"]\n', "utf-8")
        monkeypatch.setenv("UV_CONFIG_FILE", str(config))
        assert resolve(question(call("torch")), uv).found == {"torch": "2.15.0"}
        assert os.environ["UV_INDEX"] == other


def test_the_machines_own_proxy_is_used(uv: Uv, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("https_proxy", "ALL_PROXY", "UV_INDEX"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert {"https_proxy", "ALL_PROXY"} <= uv_environment(uv).keys()
    assert "UV_INDEX" not in uv_environment(uv)


def test_a_second_index_is_looked_at_as_pip_does_and_as_uv_does(uv: Uv, index: str) -> None:
    with serve(Wheel("torch", "1.0")) as other:
        calls = (call("torch", extra_index=other),)
        as_pip = ResolutionQuestion(calls, "linux", "x86_64", "3.12", first_index=False)
        as_uv = ResolutionQuestion(calls, "linux", "x86_64", "3.12", first_index=True)
        assert resolve(as_pip, uv).found == {"torch": "2.15.0"}
        assert resolve(as_uv, uv).found == {"torch": "1.0"}
        assert index != other
