from __future__ import annotations

import pytest
from packaging.specifiers import SpecifierSet

from accelerator_portal.vendors.new_folder import pip_steps_with_placeholders
from accelerator_portal.vendors.questions import exact_version, pinned_version


@pytest.mark.parametrize(
    ("command", "version"),
    [
        ("pip install torch-a==1.2", "1.2"),
        ("pip install Torch_A===1.2", "1.2"),
        ("pip install torch && pip install 'torch.a[extra]==1.2'", "1.2"),
        ("pip install 'torch-a==1.2,!=1.3'", "1.2"),
        ("pip install torch-a==1.*", ""),
        ("pip install torch-a>=1.2", ""),
        ("pip install torch-ab==1.2", ""),
        ("pip install torch", ""),
    ],
)
def test_a_version_is_pinned_under_any_spelling_of_the_name(command: str, version: str) -> None:
    assert pinned_version(command, "torch-a") == version


@pytest.mark.parametrize("text", ["", ">=1", "==1.*", "==1.2,==1.3", "!=1.2"])
def test_what_leaves_a_choice_or_none_is_no_exact_version(text: str) -> None:
    assert exact_version(SpecifierSet(text)) == ""


@pytest.mark.parametrize(
    ("command", "packages"),
    [
        ("pip install torch==2.15.0 torch-foo==2.15.0", ["torch=={torch}", "torch-foo=={plugin}"]),
        ("pip install torch==2.15.0+cpu Torch_Foo===1",
         ["torch=={torch}+cpu", "Torch_Foo=={plugin}"]),
        ("pip install torch torch-foo[all] numpy",
         ["torch=={torch}", "torch-foo[all]=={plugin}", "numpy"]),
        ("pip install 'torch>=2.14' 'torch-foo==1.*'", ["torch>=2.14", "torch-foo==1.*"]),
        ("pip install --pre torch torch-foo", ["torch", "torch-foo"]),
    ],
)  # fmt: skip
def test_versions_come_from_the_rows(command: str, packages: list[str]) -> None:
    steps = pip_steps_with_placeholders(command, "torch-foo")
    assert [package for step in steps for package in step["packages"]] == packages


def test_a_plugin_without_a_version_in_the_rows_stays_as_it_was() -> None:
    (step,) = pip_steps_with_placeholders("pip install torch torch-foo", None)
    assert step == {"packages": ["torch=={torch}", "torch-foo"]}
