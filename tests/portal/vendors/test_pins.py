from __future__ import annotations

import pytest
from packaging.specifiers import SpecifierSet

from accelerator_portal.install.pip_command import pip_steps
from accelerator_portal.vendors.draft_from_entry import exact_version, pinned_version


@pytest.mark.parametrize(
    ("command", "version"),
    [
        ("pip install torch-a==1.2", "1.2"),
        ("pip install Torch_A===1.2", "1.2"),
        ("pip install torch && pip install 'torch.a[extra]==1.2'", "1.2"),
        ("pip install 'torch-a==1.2,!=1.3'", "1.2"),
        ("pip install torch-a==1.*", None),
        ("pip install torch-a>=1.2", None),
        ("pip install torch-ab==1.2", None),
        ("pip install torch", None),
    ],
)
def test_a_version_is_pinned_under_any_spelling_of_the_name(
    command: str, version: str | None
) -> None:
    assert pinned_version(pip_steps(command), "torch-a") == version


@pytest.mark.parametrize("text", ["", ">=1", "==1.*", "==1.2,==1.3", "!=1.2"])
def test_what_leaves_a_choice_or_none_is_no_exact_version(text: str) -> None:
    assert exact_version(SpecifierSet(text)) is None
