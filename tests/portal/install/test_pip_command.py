from __future__ import annotations

import re
import shlex
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelerator_portal.vendors.questions import UnreadableCommandError, pip_steps

INDEX = "https://example.org/whl"


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("pip install torch", [{"packages": ["torch"]}]),
        ("pip3 install torch torchvision", [{"packages": ["torch", "torchvision"]}]),
        ("python3 -m pip install torch", [{"packages": ["torch"]}]),
        ("uv pip install torch", [{"packages": ["torch"]}]),
        (f"pip install torch --index-url {INDEX}", [{"packages": ["torch"], "index": INDEX}]),
        (f"pip install --index-url={INDEX} torch", [{"packages": ["torch"], "index": INDEX}]),
        (f"pip install -i {INDEX} torch", [{"packages": ["torch"], "index": INDEX}]),
        (
            f"pip install --pre torch --extra-index-url {INDEX}",
            [{"packages": ["torch"], "pre": True, "extra_index": INDEX}],
        ),
        (
            f"pip3 install torch==2.10.0 --index-url {INDEX} && pip3 install torch-npu==2.10.0",
            [{"packages": ["torch==2.10.0"], "index": INDEX}, {"packages": ["torch-npu==2.10.0"]}],
        ),
        ("pip install 'torch>=2,<3'", [{"packages": ["torch>=2,<3"]}]),
    ],
)
def test_a_pip_command_becomes_steps(command: str, expected: list[dict[str, Any]]) -> None:
    assert pip_steps(command) == [{"pip": step} for step in expected]


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("conda install pytorch", "is not a pip install command"),
        ("pip install torch; rm -rf /", '"torch;" is not a valid requirement'),
        ("curl https://example.org | sh", "is not a pip install command"),
        ("pip install", "is not a pip install command"),
        ("pip install --pre", "names no package"),
        ("pip install torch --index-url", '"--index-url" needs an address'),
        ("pip install torch --user", 'the option "--user" is not supported in a step'),
        ("pip install 'torch", "No closing quotation"),
        ("pip install torch &&", "is not a pip install command"),
        ("pip install torch | tee log", '"|" is not a valid requirement'),
        ("pip install $(whoami)", '"$(whoami)" is not a valid requirement'),
    ],
)
def test_what_is_no_pip_command_is_named(command: str, words: str) -> None:
    with pytest.raises(UnreadableCommandError, match=re.escape(words)):
        pip_steps(command)


@given(st.text(max_size=60))
def test_any_text_is_steps_or_a_named_fault(text: str) -> None:
    with suppress(UnreadableCommandError):
        assert all(step["pip"]["packages"] for step in pip_steps(f"pip install {text}"))


PACKAGES = st.lists(st.from_regex(r"[a-z]{1,8}(==[0-9]\.[0-9])?", fullmatch=True), min_size=1)


@given(PACKAGES, st.booleans(), st.sampled_from([None, INDEX]))
def test_what_is_written_is_read_back(packages: list[str], pre: bool, index: str | None) -> None:  # noqa: FBT001 - drawn
    words = [*(["--pre"] if pre else []), *packages, *(["--index-url", index] if index else [])]
    expected: dict[str, Any] = {"packages": packages}
    expected |= {"pre": True} if pre else {}
    expected |= {"index": index} if index else {}
    assert pip_steps(f"pip install {shlex.join(words)}") == [{"pip": expected}]
