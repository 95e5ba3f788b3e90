from __future__ import annotations

import pytest

from accelerator_portal.install.pip_command import pip_steps
from accelerator_portal.vendors.draft_from_entry import steps_with_placeholders


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
    steps = steps_with_placeholders(pip_steps(command), "torch-foo", has_plugin=True)
    assert [package for step in steps for package in step["pip"]["packages"]] == packages


def test_a_plugin_without_a_version_in_the_rows_stays_as_it_was() -> None:
    steps = steps_with_placeholders(
        pip_steps("pip install torch torch-foo"), "torch-foo", has_plugin=False
    )
    assert steps == [{"pip": {"packages": ["torch=={torch}", "torch-foo"]}}]
