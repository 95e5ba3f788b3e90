from __future__ import annotations

from pathlib import Path

import pytest

from accelerator_reports.formats.format_list import detect_format
from accelerator_reports.formats.mps_lists import read_mps_lists
from tests.reports.format_file import FormatFile

# The structure is that of PyTorch's file; the operators are made up.
LISTS = """\
import torch

raise SystemExit("the file is never run")

if torch.backends.mps.is_available():

    def mps_ops_modifier(ops):
        UNIMPLEMENTED_XFAILLIST: dict[str, list | None] = {
            "acme": None,
            "acme.floats": [torch.float16, torch.float32],
            "acme.ints": [torch.int8],
            "sparse.mmreduce": None,
        }
        UNIMPLEMENTED_XFAILLIST_SPARSE = {"sparse": None}
        MACOS_BEFORE_15_0_XFAILLIST = {"old": None}
        UNSUPPORTED_COMPLEX_OPS = {"complex"}
        EMPTY_OPS_SKIPLIST = {"empty": None}
        NEW_FLAKYLIST = {"flaky": None}
        EMPTY_OPS_SKIPLIST["later"] = None
        if sparse:
            IF_XFAILLIST = {"sometimes": None}
        for op in ops:
            key = op.name
        return ops

    def mps_ops_grad_modifier(ops):
        XFAILLIST_GRAD = {"acme": [torch.float32]}

    def another(ops):
        XFAILLIST = {"another": None}
"""


FILE = FormatFile("common_mps.py", read_mps_lists)


def test_entries_for_float32_are_read_with_their_mode(tmp_path: Path) -> None:
    found = FILE.read(tmp_path, LISTS)
    assert detect_format(tmp_path / "common_mps.py") == "mps-lists"
    assert sorted((t.name, t.parameters["mode"], t.outcome) for t in found.tests) == [
        ("acme", "backward", "failed"),
        ("acme", "forward", "failed"),
        ("acme.floats", "forward", "failed"),
        ("empty", "forward", "skipped"),
        ("sparse.mm.reduce", "forward", "failed"),
    ]
    assert found.entries == {
        "taken": 5, "for other data types only": 1, "for sparse tensors": 1, "for old macOS": 1,
        "on a list of an unknown kind": 1, "with errors": 2,
    }  # fmt: skip
    assert {t.parameters["dtype"] for t in found.tests} == {"float32"}
    reasons = {t.name: t.reason for t in found.tests}
    assert reasons["empty"] == "PyTorch's tests on MPS leave it out (EMPTY_OPS_SKIPLIST)."


def test_a_test_is_broken_if_a_comment_blames_the_cpu_reference(tmp_path: Path) -> None:
    text = """\
def mps_ops_grad_modifier(ops):
    XFAILLIST_GRAD = {
        # returned output on CPU is float64
        "acme": None,
        "gamma": [
            torch.float32,
        ],  # currently not supported for any device
        "later": None,
        # CPU errors
        # the derivative is not implemented
        "zeta": None,
        # cpu error: grad requires non-empty inputs
        "eye": [torch.float32],
    }
    SKIPLIST_GRAD = {"empty": None}
    ON_MPS_XFAILLIST = {"other": None}
"""
    expected = "PyTorch's tests on MPS expect a failure"
    errors = f'{expected} (XFAILLIST_GRAD, comment "CPU errors").'
    blamed = f'{expected} (XFAILLIST_GRAD, comment "currently not supported for any device").'
    assert [(t.name, t.outcome, t.reason) for t in FILE.read(tmp_path, text).tests] == [
        ("acme", "failed", f"{expected} (XFAILLIST_GRAD)."),
        ("gamma", "test-broken", blamed),
        ("later", "failed", f"{expected} (XFAILLIST_GRAD)."),
        ("zeta", "test-broken", errors),
        ("eye", "test-broken", errors),
        ("empty", "skipped", "PyTorch's tests on MPS leave it out (SKIPLIST_GRAD)."),
        ("other", "failed", f"{expected} (ON_MPS_XFAILLIST)."),
    ]


@pytest.mark.parametrize("listed", ["", "    X_SPARSE = {'a': None}\n"])
def test_a_file_without_lists_is_refused(tmp_path: Path, listed: str) -> None:
    text = f"def mps_ops_modifier(ops):\n{listed}    return ops\n"
    assert "no list of operators found" in FILE.problems(tmp_path, text)[0]
